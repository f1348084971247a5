"""Gains of the sensors of efforts, one a joint, relative to the joint that carries most.

Theory: ID.18, ID.20.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .sandwich_covariance import FILTERED, correlation_time, slow_time

USUAL = 0.01  # spread of gains of most sensors; tails as heavy as Cauchy's
NOISELESS = 1e-4  # of the effort: smaller residuals need no gain to explain them
PASSES = 8
LIMITS = (0.3, 3.0)
SLOW, LETS = 4.0, 0.6  # times the motion's own frequency; of the cutoff: what passes as it is
SURE = 3.0  # standard deviations


def memories(r) -> np.ndarray:
    """Samples over which each column of residuals remembers, slow drifts included."""
    return np.array([max(correlation_time(x), slow_time(x)) for x in r.T])


@dataclass(frozen=True, slots=True)
class GainColumns:
    """Gains that are free, their columns in each joint's triangular factor, and their priors."""

    joints: tuple[int, ...]
    columns: tuple[np.ndarray, ...]  # one a joint: its factor's rows, the gains that are free
    spread: np.ndarray  # of each gain before the data
    noise: np.ndarray  # of each joint's residual, memory included

    def pulls(self, w) -> np.ndarray:
        return (w * self.noise)[list(self.joints)] / self.spread


def calls_for_gains(problem, p) -> float:
    """The share of the model's errors in what is left over; 0: noise, exact data.  ID.18."""
    if problem.data.band is not None and colored(problem.data, problem.residuals(p)) < SURE:
        return 0.0
    return errors_share(problem, p)


def errors_share(problem, p) -> float:
    """The same, by how long residuals remember alone."""
    s, size = problem.sigma(p), np.sqrt((problem.data.tau**2).mean(axis=0))
    share = 1.0 - FILTERED / float(memories(problem.residuals(p)).mean())
    given = (problem.b != problem.data.tau).any()  # efforts of the model's own forces, no unknown
    if (s < NOISELESS * size).all() or problem.nv < 2 or given or problem.lin.shafts:
        return 0.0
    return max(0.0, share)


def colored(data, r) -> float:
    """How surely some column of residuals behind a low pass is slower than noise: sigmas, ID.18.

    Powers of cosines up to four times the motion's own frequency, over those above it that the
    filter lets through; of noise the logarithm of the ratio is zero but for chance.
    """
    from scipy.fft import dct

    own = np.sqrt((data.a**2).mean() / max((data.v**2).mean(), 1e-300)) / (2 * np.pi)
    f = np.arange(len(r)) / (2 * len(r) * float(np.median(np.diff(data.time))))
    split = min(SLOW * own, 0.5 * LETS * data.band)
    slow, fast = f < split, (f >= split) & (f < LETS * data.band)
    if slow.sum() < 2 or fast.sum() < 2:
        return 0.0
    power = dct(r, axis=0, norm="ortho") ** 2
    odds = np.log(power[slow].mean(axis=0) / np.maximum(power[fast].mean(axis=0), 1e-300))
    return float(odds.max() / np.sqrt(2 / slow.sum() + 2 / fast.sum()))


def gain_columns(problem, p) -> GainColumns | None:
    """What gains change at p, or None where nothing calls for them."""
    share = calls_for_gains(problem, p)
    if not share:
        return None
    s, memory = problem.sigma(p), memories(problem.residuals(p))
    size = np.sqrt((problem.data.tau**2).mean(axis=0))
    gains, rigid = problem.lin.gains(problem.nv), problem.lin.rigid
    free = [i for i in range(problem.nv) if i != int(np.argmax(size))]
    columns = []
    for i, R in enumerate(problem.factors):
        X = np.zeros((len(R), len(free)))
        if i in free:
            X[:, free.index(i)] = R[:, rigid] @ p[rigid] / gains[i]
        columns.append(X)
    spread = share * np.hypot(USUAL, gains[free] - 1)
    return GainColumns(tuple(free), tuple(columns), spread, s * np.sqrt(memory))


def find_gains(problem, w, strength_of, method: str) -> bool:
    """Give the problem its gains; whether there are any.  ID.20.

    Gauss-Newton on the triangular factors; `strength_of()` of the prior, with the gains found.
    """
    without, strength = problem.lin.own, strength_of()
    p = problem.solve(w, strength, method)
    before = (w * problem.sigma(p)).sum()
    for _ in range(PASSES):
        found = gain_columns(problem, p)
        if found is None:
            break
        gains, free = problem.lin.gains(problem.nv), list(found.joints)
        A, b = problem.stacked(w, strength)
        extra = np.concatenate([x * c for x, c in zip(w, found.columns, strict=True)])
        below = np.zeros((len(A) - len(extra), len(free)))
        pull = found.pulls(w)
        whole = np.block(
            [[A, np.vstack([extra, below])], [np.zeros((len(free), A.shape[1])), np.diag(pull)]]
        )
        scale = np.sqrt((whole**2).sum(axis=0)) + 1e-300
        wanted = np.concatenate([b, pull * (1 - gains[free])])
        step = (np.linalg.lstsq(whole / scale, wanted, rcond=1e-13)[0] / scale)[A.shape[1] :]
        new = np.clip(gains[free] + np.clip(step, -0.2, 0.2), *LIMITS)
        own = {("gain", i): float(x) for i, x in zip(free, new, strict=True)}
        problem.set_own({**problem.lin.own, **own}, p)
        strength = strength_of()
        p = problem.solve(w, strength, method)
        if abs(new - gains[free]).max() < 1e-6:
            break
    if problem.lin.own is without:
        return False
    if (w * problem.sigma(p)).sum() > before:  # they explain nothing: small masses, large gains
        problem.set_own(without, p)
        return False
    return True
