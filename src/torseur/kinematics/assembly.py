"""Assembly: from an approximate state to one that meets every constraint.

Numbers only; the residuals and their Jacobian come as functions.  Theory: AS.1 to AS.3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

EPS = np.finfo(float).eps
LARGE = 40_000  # entries of a matrix whose zeros are worth being seen
PROXIMAL = 1e-10  # mu of such a matrix, relative to the square of its size
PASSES = 4  # solves with it
TINY = 1e-9  # singular values below, beside the largest: no direction


class Assembled(NamedTuple):
    """Where a search ended: coordinates, residuals there, and whether they are at rounding."""

    q: np.ndarray
    residual: np.ndarray
    done: bool
    steps: int


def nearest_assembly(
    position: Callable, integrate: Callable, q0, weight, kept=(), *, most=200, tolerance=64 * EPS
) -> Assembled:
    """Search for `phi(q) = 0` from `q0`, moving as little as possible, and kept speeds not.

    Parameters
    ----------
    position : q -> (phi, J), residuals (n,) and their derivative along the speeds (n, nv)
    integrate : (q, dv) -> q on the configuration space
    weight : (nv,) how much a motion along each speed costs; zero: it moves before all others
    kept : indices of speeds along which the coordinates may not move
    """
    q = np.array(q0, dtype=float)
    free = np.delete(np.arange(len(weight)), np.asarray(kept, dtype=int))
    cost = np.asarray(weight, dtype=float)[free]
    phi, J = position(q)
    damping, size = 0.0, float(np.linalg.norm(phi))
    for step in range(most):
        scale = max(1.0, abs(J).max(initial=0.0))
        if met(phi, J, tolerance):
            return Assembled(q, phi, True, step)
        A, dv = J[:, free], np.zeros(J.shape[1])
        dv[free] = cheapest(A, -phi, cost, damping)
        biggest = abs(dv).max(initial=0.0)
        dv *= min(1.0, 1.0 / biggest) if biggest > 0 else 1.0  # at most a radian a step
        trial = integrate(q, dv)
        phi1, J1 = position(trial)
        size1 = float(np.linalg.norm(phi1))
        if not np.isfinite(J1).all():  # the edge of a square root, say
            size1 = np.inf
        if size1 < size or (size1 <= size * (1 + 4 * EPS) and size < 1e3 * tolerance * scale):
            stalled = size1 > 0.999999 * size and biggest < 1e-9
            q, phi, J, size = trial, phi1, J1, size1
            damping = damping / 9 if damping > 1e-14 else 0.0
            if stalled:
                break
        else:
            top = float(np.linalg.norm(A * roots(cost), 2)) ** 2 if A.size else 1.0
            damping = max(4 * damping, 1e-6 * top)
            if damping > 1e8 * top:
                break
    scale = max(1.0, abs(J).max(initial=0.0))
    return Assembled(q, phi, abs(phi).max(initial=0.0) <= 16 * tolerance * scale, most)


def met(phi, J, tolerance=64 * EPS) -> bool:
    """Whether residuals are at rounding."""
    return bool(abs(phi).max(initial=0.0) <= tolerance * max(1.0, abs(J).max(initial=0.0)))


def roots(cost) -> np.ndarray:
    """What a cost scales a speed by; those that cost nothing count as very light.  Theory: AS.1."""
    return 1 / np.sqrt(np.maximum(cost, 1e-9 * (cost.max(initial=0.0) or 1.0)))


def cheapest(A, b, cost, damping: float = 0.0) -> np.ndarray:
    """Solution of `A x = b` of least cost: what costs nothing moves first, others if they must."""
    free = cost <= 0
    root = roots(cost)
    if not free.any() or free.all():
        return root * damped(A * root, b, damping)  # AS.2
    L, H = A[:, free], A[:, ~free] * root[~free]
    U, s, _ = np.linalg.svd(L, full_matrices=False)
    U = U[:, s > TINY * s[0]] if s.size and s[0] > 0 else U[:, :0]
    x, size = np.zeros(A.shape[1]), float(np.linalg.norm(H))
    y = damped(H - U @ (U.T @ H), b - U @ (U.T @ b), damping, size)  # AS.6
    x[~free] = root[~free] * y
    x[free] = damped(L, b - H @ y, damping)
    return x


def damped(A, b, damping: float, size: float = 0.0) -> np.ndarray:
    """Least-squares solution of least norm, with directions of tiny singular value left alone.

    Tiny beside the largest, or beside `size`.
    """
    if not A.size:
        return np.zeros(A.shape[1])
    if A.size > LARGE:
        return _damped_sparse(A, b, damping)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    most = max(s[0], size) if len(s) else 0.0
    keep = s > TINY * most if most > 0 else np.zeros(len(s), dtype=bool)
    gain = np.where(keep, s / (s * s + damping + (~keep)), 0.0)
    return Vt.T @ (gain * (U.T @ b))


def _damped_sparse(A, b, damping: float) -> np.ndarray:
    """The same of a large matrix that is mostly zeros."""
    return sparse_steps(A, damping)(b)


def sparse_steps(A, damping: float = 0.0) -> Callable[[np.ndarray], np.ndarray]:
    """Damped solutions by one factorization of `[[1, A'], [A, -mu]]`.

    A small mu and residuals that are solved again leave alone what it cannot reach.  Theory: AS.7.
    """
    from scipy.sparse import bmat, csc_matrix, eye
    from scipy.sparse.linalg import splu

    n, m = A.shape
    S = csc_matrix(A)
    mu = damping or PROXIMAL * max(float(abs(S).sum(axis=1).max()) ** 2, EPS)
    solve = splu(csc_matrix(bmat([[eye(m), S.T], [S, -mu * eye(n)]]))).solve

    def step(b) -> np.ndarray:
        x = np.zeros(m)
        for _ in range(1 if damping else PASSES):
            x = x + solve(np.concatenate([np.zeros(m), b - S @ x]))[:m]
        return x

    return step


def speeds(J, psi, v0, weight, kept=()) -> tuple[np.ndarray, np.ndarray]:
    """Speeds that meet `J dv = -psi` with the least weighted change, and what is left."""
    v, left = np.array(v0, dtype=float), np.array(psi, dtype=float)
    if not left.any():
        return v, left
    free = np.delete(np.arange(len(v)), np.asarray(kept, dtype=int))
    cost = np.asarray(weight, dtype=float)[free]
    for _ in range(2):  # the second pass removes rounding
        dv = np.zeros(len(v))
        dv[free] = cheapest(J[:, free], -left, cost)  # AS.3
        v, left = v + dv, left + J @ dv
    return v, left
