"""Covariances of base parameters: weights, instruments and priors as used, noise as it is.

Theory: ID.9, ID.19, ID.22.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import reduce

import numpy as np

from .friction_parameters import believed, slopes
from .noise_spectrum import MotionProblem
from .sandwich_covariance import FILTERED, Solved
from .total_least_squares import lost


@dataclass(frozen=True, slots=True, eq=False)
class FoundBeside:
    """Unknowns that were found beside the base parameters: their columns and priors."""

    columns: np.ndarray  # (rows, joints, unknowns)
    prior: np.ndarray  # squares
    spread: np.ndarray  # variance before the rows

    @classmethod
    def of(cls, problem, p, w, level, gains) -> FoundBeside:
        """Gains of sensors and widths of friction; `level` is the noise of one row, weighted."""
        shape, prior, spread = problem.b.shape, [], []
        columns = [np.zeros((*shape, 0))]
        if gains is not None:
            rigid, own = problem.lin.rigid, problem.lin.gains(problem.nv)
            for i, pull, wide in zip(gains.joints, gains.pulls(w), gains.spread, strict=True):
                columns.append(np.zeros((*shape, 1)))
                columns[-1][:, i, 0] = problem.Y[:, i][:, rigid] @ p[rigid] / own[i]
                prior.append(pull**2)
                spread.append(wide**2)
        for kind, i, slope in slopes(problem, p):
            held, wide = believed(problem.lin, kind, i)
            columns.append(np.zeros((*shape, 1)))
            columns[-1][:, i, 0] = slope
            prior.append(level[i] * held)
            spread.append(wide**2)
        return cls(np.concatenate(columns, axis=2), np.array(prior), np.array(spread))


def worth(problem, parts, p, s, T, method: str, gains=None) -> np.ndarray:
    """Covariance of base parameters p, a mean of solutions `parts` by (weights, prior's strength).

    Residuals of the joints have the sizes s and remember T samples; behind a low pass their noise
    is told from slow errors by frequency.
    """
    data, base, k, motion = problem.data, problem.base, len(problem.base.kept), None
    if data.band is not None:
        motion, T = MotionProblem(problem, p, 1.0, 1.0, asked=False), np.maximum(T, FILTERED)
    r, each = problem.residuals(p), []
    for w, strength in parts:
        found = FoundBeside.of(problem, p, w, (w * s) ** 2 * T, gains)
        each.append(_solved(problem, found, p, w, strength, method, motion))
    solved = reduce(Solved.mean, each)  # of two at most
    if method == "iv":  # an error of one joint's acceleration is in the efforts of all
        size = np.sqrt(np.maximum((r**2).mean(axis=0), 1e-300))
        solved = replace(solved, alike=(r / size).T @ (r / size) / len(r))
    if motion is None:
        return (solved.noise(np.broadcast_to(s**2 * T, r.shape)) + solved.pulled)[:k, :k]
    known = motion.spectrum.known  # noise of coordinates
    if motion.blur is not None:
        known = motion.blur.in_rows(base.values(p), motion.gains)
    return solved.covariance(motion.passed_shapes, known)[:k, :k]


def _solved(problem, found: FoundBeside, p, w, strength: float, method: str, motion) -> Solved:
    """A solution with what was found beside it, linear in the noise, and its two biases: what
    noise of coordinates takes off, and total least squares where there is none."""
    base, kept, n = problem.base, list(problem.base.kept), found.columns.shape[2]
    k, of = len(kept), (lambda X: X) if motion is None else motion.rows.of
    beta = np.append(base.values(p), np.zeros(n))
    A = of(np.concatenate([problem.Y[:, :, kept], found.columns], axis=2))
    full = np.concatenate([problem.Z[:, :, kept], found.columns], axis=2)
    Z = of(full * problem.rows[:, :, None] ** 2) if method in ("irls", "iv") else A
    P, C = np.zeros((k + n, k + n)), np.eye(k + n + 2)
    P[k:, k:], C[k:-2, k:-2] = np.diag(found.prior), np.diag(found.spread)
    C[:k, :k] = (base.B * problem.wide**2) @ base.B.T
    if problem.prior is not None:
        P[:k, :k] = strength**2 * problem.held.loose.T @ problem.held.loose
    less = np.zeros(k + n)  # of squares: errors of columns, which may not be there
    if method == "tls":
        less[:k] = lost(*problem.stacked(w, strength))
    W = np.broadcast_to(w, A.shape[:2])
    M = np.einsum("fik,fil->kl", Z * W[:, :, None] ** 2, A, optimize=True) + P
    H, blurred = _inverse(M - np.diag(less)), np.zeros(k + n)
    if method != "iv" and motion is not None and motion.blur is not None:
        N = motion.blur.of(W, motion.gains)
        blurred[:k] = N[:k] @ np.append(beta[:k], 1.0)  # ID.29
        blurred[:k] += N[:k, :k] @ (H @ blurred)[:k]  # beta itself is too small
    pull = np.column_stack([H @ P, _inverse(M) @ (less * beta), H @ blurred])
    return Solved.of(A, Z, W, H, pull, C, of(problem.residuals(p)))


def _inverse(M) -> np.ndarray:
    """Of squares of columns, whatever their units."""
    d = 1 / np.sqrt(np.maximum(np.abs(np.diag(M)), 1e-300))
    return d[:, None] * np.linalg.pinv(d[:, None] * M * d, rcond=1e-15) * d
