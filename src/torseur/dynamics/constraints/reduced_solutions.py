"""Null space, elimination and penalty solutions of the constrained equation of motion.

Alternatives to the KKT system (`kkt`) for the same rows and masses.  Each solver has
`solve(force, gamma) -> a, lam` and `correct(gamma) -> dv`, in a fixed order and over any scalar
that divides, so that it can be the text of a kernel.  Coordinate partitioning (Wehage and Haug
1982), augmented Lagrangian (Bayo 1988).  Equations CS.1 to CS.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...scalars import matrix, vector
from ..sparse_factorization import Factor, elimination_order, factor, filled, is_zero
from .kkt import (
    PROXIMAL,
    PROXIMAL_ITERATIONS,
    KKTSystem,
    accepts_massless,
    compliances,
    is_switch,
    saddle,
)
from .solution_methods import PASSES, WEIGHT, SolutionMethod

if TYPE_CHECKING:
    from collections.abc import Sequence

LIGHT_INERTIA = 1e-9  # of a speed without inertia, relative to the largest
MIN_ROW_SQUARE = 1e-24  # square of the length of a row that has vanished


def make_solver(method: SolutionMethod, K: Any, M: np.ndarray, J: np.ndarray, owners, on=None):
    """Solver of the constrained equation at one position by one of the four methods.

    `on` are the switches of rows; rows that can be inactive come last.
    """
    if method.solution == "multipliers":
        return saddle(K, M, J, owners, on=on)
    if method.solution == "penalty":
        return augmented(K, M, J, owners, on=on)
    return reduced(K, M, J, owners, method.dependent, on=on, implicit=method.implicit)


# ---- penalty -------------------------------------------------------------------------------


class AugmentedLagrangian(NamedTuple):
    """Factorized `M + J' w J` and a few iterations of the multipliers, CS.3."""

    M: np.ndarray
    J: np.ndarray
    weight: np.ndarray
    factor: Factor

    def solve(self, force: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers."""
        if not len(self.J):
            return self.factor.solve(force), vector(())
        a, lam, gap = vector([0] * len(self.M)), vector([0] * len(self.J)), gamma
        for _ in range(PASSES):  # CS.3
            residual = force - self.M @ a + self.J.T @ (lam + self.weight * gap)
            a = a + self.factor.solve(residual)
            gap = gamma - self.J @ a
            lam = lam + self.weight * gap
        return a, lam

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        """As `solve` of several right-hand sides."""
        return list(map(self.solve, forces, gammas))

    def correct(self, gamma: np.ndarray) -> np.ndarray:
        """The dv of least kinetic energy with `J dv = gamma`."""
        return self.solve(vector([0] * len(self.M)), gamma)[0]


@accepts_massless
def augmented(
    K: Any, M: np.ndarray, J: np.ndarray, owners, on=None, weight=WEIGHT
) -> AugmentedLagrangian:
    """Factorize `M + J' w J`; `w` is `weight` over the mean compliance of an element's rows."""
    J = switch_rows(J, on)
    w = vector(K.divide(weight, c) for c in compliances(K, M, J, owners))
    A = M + J.T @ matrix([x * w[i] for x in row] for i, row in enumerate(J)) if len(J) else M
    return AugmentedLagrangian(M, J, w, factor(K, A, elimination_order(pattern(A), set())))


# ---- elimination of dependent speeds -------------------------------------------------------


class WeightedLeastSquares(NamedTuple):
    """`J_D x = b` in weighted least squares, and `J_D' lam = g` of least weighted norm, CS.5.

    Weights are the compliances of the rows.  Both use one factorization of
    `[[c, J_D], [J_D', -e]]` with iterative refinement.
    """

    J: np.ndarray
    factor: Factor

    def solve_dependent(self, b) -> np.ndarray:
        """Dependent speeds x of `J_D x = b`."""
        n, x = len(self.J), vector([0] * self.J.shape[1])
        for i in range(PROXIMAL_ITERATIONS):  # CS.5
            residual = b - self.J @ x if i else b
            x = x + self.factor.solve(np.concatenate([residual, 0 * x]))[n:]
        return x

    def solve_multipliers(self, g) -> np.ndarray:
        """Multipliers of `J_D' lam = g`."""
        n, lam = len(self.J), vector([0] * len(self.J))
        for i in range(PROXIMAL_ITERATIONS):
            residual = g - self.J.T @ lam if i else g
            lam = lam + self.factor.solve(np.concatenate([0 * lam, residual]))[:n]
        return lam


class ReducedEquation(NamedTuple):
    """Equation of motion of the independent speeds y: `a = T y + c`, CS.1 and CS.2."""

    M: np.ndarray
    J: np.ndarray
    T: np.ndarray  # (nv, independent)
    dependent: tuple[int, ...]
    least_squares: WeightedLeastSquares
    inner: KKTSystem  # the equation of y, with the rows that can be inactive
    implicit: bool

    def particular(self, gamma: np.ndarray) -> np.ndarray:
        """Accelerations c of the dependent speeds alone with `J c = gamma`."""
        c = vector([0] * len(self.M))
        if len(self.dependent):
            rates = gamma[: len(self.least_squares.J)]
            c[list(self.dependent)] = self.least_squares.solve_dependent(rates)  # CS.2
        return c

    def solve(self, force: np.ndarray, gamma: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations and multipliers."""
        n, c = len(self.least_squares.J), self.particular(gamma)
        y, switched = self.inner.solve(
            self.T.T @ (force - self.M @ c),  # CS.1
            gamma[n:] - self.J[n:] @ c if len(gamma) > n else gamma[n:],
        )
        a = self.T @ y + c
        residual = self.M @ a - force
        if len(switched):
            residual = residual - self.J[n:].T @ switched
        dependent = residual[list(self.dependent)]
        lam = self.least_squares.solve_multipliers(dependent) if n else vector(())
        return a, np.concatenate([lam, switched])

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        """As `solve` of several right-hand sides."""
        return list(map(self.solve, forces, gammas))

    def correct(self, gamma: np.ndarray) -> np.ndarray:
        """The dv with `J dv = gamma`: of least kinetic energy, or of dependent speeds alone."""
        null = vector([0] * len(self.M))
        if not self.implicit:
            return self.solve(null, gamma)[0]
        n, c = len(self.least_squares.J), self.particular(gamma)
        if len(gamma) == n:
            return c  # CS.6
        y, _ = self.inner.solve(null[: self.T.shape[1]], gamma[n:] - self.J[n:] @ c)
        return self.T @ y + c


@accepts_massless
def reduced(
    K: Any, M: np.ndarray, J: np.ndarray, owners, dependent: Sequence[int], on=None, implicit=False
) -> ReducedEquation:
    """Equation of motion of the independent speeds.

    Rows that can be inactive stay rows of the reduced equation.
    """
    nv, n = len(M), len(J) if on is None else sum(1 for x in on if not is_switch(x))
    dependent, rows = list(dependent), J[:n]
    independent = [j for j in range(nv) if j not in dependent]
    JD = rows[:, dependent]
    weights = compliances(K, M, rows, owners[:n])
    least_squares = WeightedLeastSquares(JD, _factor_least_squares(K, JD, weights))
    T = matrix([0] * len(independent) for _ in range(nv))
    for k, j in enumerate(independent):
        T[j, k] = 1
        if dependent:
            T[dependent, k] = least_squares.solve_dependent(-rows[:, j])  # CS.2
    switches = None if on is None else on[n:]
    inner = saddle(K, T.T @ (M @ T), J[n:] @ T, owners[n:], on=switches)
    J = switch_rows(J, on)
    return ReducedEquation(M, J, T, tuple(dependent), least_squares, inner, implicit)


def _factor_least_squares(K: Any, JD, compliance) -> Factor:
    """Factors of `[[c, J_D], [J_D', -e]]` with a small proximal term e, CS.5."""
    n, r = JD.shape
    A = np.empty((n + r, n + r), dtype=object)
    A[...] = 0
    A[:n, n:], A[n:, :n] = JD, JD.T
    for i in range(n):
        A[i, i] = compliance[i]
    for j in range(r):
        weight = sum(
            (K.divide(x * x, compliance[i]) for i, x in enumerate(JD[:, j]) if not is_zero(x)),
            start=0,
        )
        A[n + j, n + j] = -(weight * PROXIMAL)
    return factor(K, A, elimination_order(pattern(A), set(range(n, n + r))))


def firmness(K: Any, M: np.ndarray, J: np.ndarray, dependent: Sequence[int]):
    """Conditioning of the dependent speeds: about the square of the least singular value of their
    columns, rows scaled, speeds measured by inertia (CS.7).

    By inverse iterations.  A smaller value than before is a reason to compute singular values.
    """
    if not dependent:
        return 1.0
    masses = [M[j, j] for j in range(len(M))]
    largest_mass = 0.0
    for m in masses if any(is_zero(m) for m in masses) else ():
        largest_mass = K.call("max", largest_mass, m)
    roots = vector(
        K.sqrt(largest_mass * LIGHT_INERTIA if is_zero(masses[j]) else masses[j]) for j in dependent
    )
    rows = []
    for row in J:
        square = sum((x * x for x in row if not is_zero(x)), start=0)
        if not is_zero(square):
            scale = K.divide(1.0, K.select(K.less(MIN_ROW_SQUARE, square), square, 1.0))
            rows.append((row[list(dependent)], scale))
    n = len(roots)
    null = matrix([[0] * n for _ in range(n)])
    S = sum((scale * np.outer(x, x) for x, scale in rows), start=null)
    solve = factor(K, S, elimination_order(pattern(S), set())).solve
    x, ratio = vector(1.0 / (1 + i) for i in range(n)), 1.0
    for _ in range(PROXIMAL_ITERATIONS):
        y = roots * solve(roots * x)  # CS.7
        ratio, x = K.divide(x @ x, y @ y), y
    return K.sqrt(ratio)


def pattern(A) -> list[set[int]]:
    """Columns of the entries of each row."""
    return [set(filled(row)) for row in A]


def switch_rows(J: np.ndarray, on) -> np.ndarray:
    """Rows times their switches."""
    return J if on is None or not len(J) else np.stack([J[i] * on[i] for i in range(len(J))])
