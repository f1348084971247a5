"""Assembly: damped Gauss-Newton (Levenberg-Marquardt) search for a state that meets constraints.

Numbers only.  Residuals and their Jacobian are functions.  Equations AS.1 to AS.7.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

EPS = np.finfo(float).eps
MIN_SPARSE_ENTRIES = 40_000  # of a matrix that is treated as sparse
PROXIMAL_COMPLIANCE = 1e-10  # mu of a sparse matrix, relative to the square of its size
REFINEMENTS = 4  # solutions with one sparse factorization
SINGULAR_RTOL = 1e-9  # of singular values, relative to the largest, that count as zero


class Assembled(NamedTuple):
    """Result of a search: coordinates, residuals, and whether these are at rounding."""

    q: np.ndarray
    residual: np.ndarray
    done: bool
    steps: int


def nearest_assembly(
    position: Callable,
    integrate: Callable,
    q0,
    weight,
    kept=(),
    *,
    max_steps=200,
    tolerance=64 * EPS,
) -> Assembled:
    """Search for `phi(q) = 0` from `q0` with the least weighted motion.

    Parameters
    ----------
    position : q -> (phi, J), residuals (n,) and their derivative along the speeds (n, nv)
    integrate : (q, dv) -> q on the configuration space
    weight : (nv,) cost of a motion along each speed; speeds of zero cost move first
    kept : indices of speeds along which the coordinates may not move
    """
    q = np.array(q0, dtype=float)
    free = np.delete(np.arange(len(weight)), np.asarray(kept, dtype=int))
    cost = np.asarray(weight, dtype=float)[free]
    phi, J = position(q)
    damping, size = 0.0, float(np.linalg.norm(phi))
    for step in range(max_steps):
        scale = max(1.0, abs(J).max(initial=0.0))
        if met(phi, J, tolerance):
            return Assembled(q, phi, True, step)
        A, dv = J[:, free], np.zeros(J.shape[1])
        dv[free] = cheapest(A, -phi, cost, damping)
        largest = abs(dv).max(initial=0.0)
        dv *= min(1.0, 1.0 / largest) if largest > 0 else 1.0  # at most a radian in a step
        q1 = integrate(q, dv)
        phi1, J1 = position(q1)
        size1 = float(np.linalg.norm(phi1))
        if not np.isfinite(J1).all():  # for example at the edge of a square root
            size1 = np.inf
        if size1 < size or (size1 <= size * (1 + 4 * EPS) and size < 1e3 * tolerance * scale):
            stalled = size1 > 0.999999 * size and largest < 1e-9
            q, phi, J, size = q1, phi1, J1, size1
            damping = damping / 9 if damping > 1e-14 else 0.0
            if stalled:
                break
        else:
            norm = float(np.linalg.norm(A * roots(cost), 2)) ** 2 if A.size else 1.0
            damping = max(4 * damping, 1e-6 * norm)
            if damping > 1e8 * norm:
                break
    scale = max(1.0, abs(J).max(initial=0.0))
    return Assembled(q, phi, abs(phi).max(initial=0.0) <= 16 * tolerance * scale, max_steps)


def met(phi, J, tolerance=64 * EPS) -> bool:
    """Whether residuals are at rounding, relative to the Jacobian."""
    return bool(abs(phi).max(initial=0.0) <= tolerance * max(1.0, abs(J).max(initial=0.0)))


def roots(cost) -> np.ndarray:
    """Inverse square roots of costs, AS.1; speeds without a cost count as very light."""
    return 1 / np.sqrt(np.maximum(cost, 1e-9 * (cost.max(initial=0.0) or 1.0)))


def cheapest(A, b, cost, damping: float = 0.0) -> np.ndarray:
    """Solution of `A x = b` of least cost; speeds of zero cost move first.  AS.2 and AS.6."""
    free = cost <= 0
    root = roots(cost)
    if not free.any() or free.all():
        return root * solve_damped(A * root, b, damping)  # AS.2
    L, H = A[:, free], A[:, ~free] * root[~free]
    U, s, _ = np.linalg.svd(L, full_matrices=False)
    U = U[:, s > SINGULAR_RTOL * s[0]] if s.size and s[0] > 0 else U[:, :0]
    x, size = np.zeros(A.shape[1]), float(np.linalg.norm(H))
    y = solve_damped(H - U @ (U.T @ H), b - U @ (U.T @ b), damping, size)  # AS.6
    x[~free] = root[~free] * y
    x[free] = solve_damped(L, b - H @ y, damping)
    return x


def solve_damped(A, b, damping: float, size: float = 0.0) -> np.ndarray:
    """Damped least-squares solution of least norm by singular values.

    Directions of singular values that are tiny relative to the largest, or to `size`, are left out.
    """
    if not A.size:
        return np.zeros(A.shape[1])
    if A.size > MIN_SPARSE_ENTRIES:
        return _solve_damped_sparse(A, b, damping)
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    largest = max(s[0], size) if len(s) else 0.0
    regular = s > SINGULAR_RTOL * largest if largest > 0 else np.zeros(len(s), dtype=bool)
    gain = np.where(regular, s / (s * s + damping + (~regular)), 0.0)
    return Vt.T @ (gain * (U.T @ b))


def _solve_damped_sparse(A, b, damping: float) -> np.ndarray:
    """As `solve_damped`, of a large sparse matrix."""
    return sparse_solver(A, damping)(b)


def sparse_solver(A, damping: float = 0.0) -> Callable[[np.ndarray], np.ndarray]:
    """Function of b: damped solution of `A x = b` by one factorization of `[[1, A'], [A, -mu]]`.

    Without damping a small mu and iterative refinement leave out directions that A does not reach,
    AS.7.
    """
    from scipy.sparse import bmat, csc_matrix, eye
    from scipy.sparse.linalg import splu

    n, m = A.shape
    S = csc_matrix(A)
    mu = damping or PROXIMAL_COMPLIANCE * max(float(abs(S).sum(axis=1).max()) ** 2, EPS)
    solve = splu(csc_matrix(bmat([[eye(m), S.T], [S, -mu * eye(n)]]))).solve

    def step(b) -> np.ndarray:
        x = np.zeros(m)
        for _ in range(1 if damping else REFINEMENTS):
            x = x + solve(np.concatenate([np.zeros(m), b - S @ x]))[:m]
        return x

    return step


def speeds(J, psi, v0, weight, kept=()) -> tuple[np.ndarray, np.ndarray]:
    """Speeds v0 + dv with `J dv = -psi` and the least weighted change, and the residual; AS.3."""
    v, residual = np.array(v0, dtype=float), np.array(psi, dtype=float)
    if not residual.any():
        return v, residual
    free = np.delete(np.arange(len(v)), np.asarray(kept, dtype=int))
    cost = np.asarray(weight, dtype=float)[free]
    for _ in range(2):  # the second pass removes rounding
        dv = np.zeros(len(v))
        dv[free] = cheapest(J[:, free], -residual, cost)  # AS.3
        v, residual = v + dv, residual + J @ dv
    return v, residual
