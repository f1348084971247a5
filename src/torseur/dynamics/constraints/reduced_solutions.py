"""Other solutions of the constrained equation than multipliers, for the same rows and masses.

Each answers `solve(force, gamma) -> a, lam` and `correct(gamma) -> dv`, as `Saddle` does, in a
fixed order and over any scalar that divides: so each can be the text of a kernel.

Theory: CS.1 to CS.6.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...scalars import matrix, vector
from ..sparse_factorization import Factor, elimination_order, factor, filled, is_zero
from .kkt import ITERATIONS, PROXIMAL, Saddle, compliances, firmly, is_switch, saddle
from .solution_methods import PASSES, WEIGHT

LIGHT = 1e-9  # of the heaviest speed: what a speed without inertia counts as
VANISHED = 1e-24  # square of a row that says nothing


class Augmented(NamedTuple):
    """Stiff rows and multipliers improved a few times: penalty, augmented Lagrangian."""

    M: np.ndarray
    J: np.ndarray
    weight: np.ndarray
    factor: Factor

    def solve(self, force, gamma) -> tuple[np.ndarray, np.ndarray]:
        if not len(self.J):
            return self.factor.solve(force), vector(())
        a, lam, gap = vector([0] * len(self.M)), vector([0] * len(self.J)), gamma
        for _ in range(PASSES):  # CS.3
            left = force - self.M @ a + self.J.T @ (lam + self.weight * gap)
            a = a + self.factor.solve(left)
            gap = gamma - self.J @ a
            lam = lam + self.weight * gap
        return a, lam

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        return list(map(self.solve, forces, gammas))

    def correct(self, gamma) -> np.ndarray:
        return self.solve(vector([0] * len(self.M)), gamma)[0]


@firmly
def augmented(K, M, J, owners, on=None, weight=WEIGHT) -> Augmented:
    """Factorize `M + J' w J`; `w` is `weight` over the mean compliance of an element's rows."""
    J = switched(J, on)
    w = vector(K.divide(weight, c) for c in compliances(K, M, J, owners))
    A = M + J.T @ matrix([x * w[i] for x in row] for i, row in enumerate(J)) if len(J) else M
    return Augmented(M, J, w, factor(K, A, elimination_order(pattern(A), set())))


class LeastWeight(NamedTuple):
    """`J_D x = b` in least squares by the rows' compliances; `J_D' lam = g` of least weight.

    Both by one factorization of `[[c, J_D], [J_D', -e]]` and residuals that are solved again.
    """

    J: np.ndarray
    factor: Factor

    def motion(self, b) -> np.ndarray:
        n, x = len(self.J), vector([0] * self.J.shape[1])
        for i in range(ITERATIONS):  # CS.5
            left = b - self.J @ x if i else b
            x = x + self.factor.solve(np.concatenate([left, 0 * x]))[n:]
        return x

    def push(self, g) -> np.ndarray:
        n, lam = len(self.J), vector([0] * len(self.J))
        for i in range(ITERATIONS):
            left = g - self.J.T @ lam if i else g
            lam = lam + self.factor.solve(np.concatenate([0 * lam, left]))[:n]
        return lam


class Reduced(NamedTuple):
    """Motion in the independent speeds: `a = T y + c`."""

    M: np.ndarray
    J: np.ndarray
    T: np.ndarray
    dependent: tuple[int, ...]
    follow: LeastWeight
    inner: Saddle  # the equation of y, with the rows that have a switch
    implicit: bool

    def particular(self, gamma) -> np.ndarray:
        """The accelerations that dependent speeds alone need: `J c = gamma`, zero elsewhere."""
        c = vector([0] * len(self.M))
        if len(self.dependent):
            c[list(self.dependent)] = self.follow.motion(gamma[: len(self.follow.J)])  # CS.2
        return c

    def solve(self, force, gamma) -> tuple[np.ndarray, np.ndarray]:
        n, c = len(self.follow.J), self.particular(gamma)
        y, slid = self.inner.solve(
            self.T.T @ (force - self.M @ c),  # CS.1
            gamma[n:] - self.J[n:] @ c if len(gamma) > n else gamma[n:],
        )
        a = self.T @ y + c
        left = self.M @ a - force
        if len(slid):
            left = left - self.J[n:].T @ slid
        lam = self.follow.push(left[list(self.dependent)]) if n else vector(())
        return a, np.concatenate([lam, slid])

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        return list(map(self.solve, forces, gammas))

    def correct(self, gamma) -> np.ndarray:
        """A motion with `J dv = gamma`: the least by mass, or of the dependent speeds alone."""
        none = vector([0] * len(self.M))
        if not self.implicit:
            return self.solve(none, gamma)[0]
        n, c = len(self.follow.J), self.particular(gamma)
        if len(gamma) == n:
            return c  # CS.6
        y, _ = self.inner.solve(none[: self.T.shape[1]], gamma[n:] - self.J[n:] @ c)
        return self.T @ y + c


@firmly
def reduced(K, M, J, owners, dependent, on=None, implicit=False) -> Reduced:
    """The equation of the independent speeds, given which speeds are dependent.

    Rows that can be switched off stay rows, of the reduced equation.
    """
    nv, n = len(M), len(J) if on is None else sum(1 for x in on if not is_switch(x))
    dependent, rows = list(dependent), J[:n]
    independent = [j for j in range(nv) if j not in dependent]
    JD = rows[:, dependent]
    follow = LeastWeight(JD, _augmented_factor(K, JD, compliances(K, M, rows, owners[:n])))
    T = matrix([0] * len(independent) for _ in range(nv))
    for k, j in enumerate(independent):
        T[j, k] = 1
        if dependent:
            T[dependent, k] = follow.motion(-rows[:, j])  # CS.2
    own = None if on is None else on[n:]
    inner = saddle(K, T.T @ (M @ T), J[n:] @ T, owners[n:], on=own)
    return Reduced(M, switched(J, on), T, tuple(dependent), follow, inner, implicit)


def _augmented_factor(K, JD, compliance) -> Factor:
    n, r = JD.shape
    A = np.empty((n + r, n + r), dtype=object)
    A[...] = 0
    A[:n, n:], A[n:, :n] = JD, JD.T
    for i in range(n):
        A[i, i] = compliance[i]
    for j in range(r):
        own = sum(
            (K.divide(x * x, compliance[i]) for i, x in enumerate(JD[:, j]) if not is_zero(x)),
            start=0,
        )
        A[n + j, n + j] = -(own * PROXIMAL)
    return factor(K, A, elimination_order(pattern(A), set(range(n, n + r))))


def firmness(K, M, J, dependent):
    """How firmly dependent speeds follow: about the square of the least singular value of their
    columns, rows scaled, speeds measured by inertia.

    By inverse iterations; where it says less than before, singular values are to be looked at.
    """
    if not dependent:
        return 1.0
    masses = [M[j, j] for j in range(len(M))]
    heaviest = 0.0
    for m in masses if any(is_zero(m) for m in masses) else ():
        heaviest = K.call("max", heaviest, m)
    roots = vector(K.sqrt(heaviest * LIGHT if is_zero(masses[j]) else masses[j]) for j in dependent)
    rows = []
    for row in J:
        square = sum((x * x for x in row if not is_zero(x)), start=0)
        if not is_zero(square):
            over = K.divide(1.0, K.select(K.less(VANISHED, square), square, 1.0))
            rows.append((row[list(dependent)], over))
    n = len(roots)
    S = sum((over * np.outer(x, x) for x, over in rows), start=matrix([[0] * n for _ in range(n)]))
    solve = factor(K, S, elimination_order(pattern(S), set())).solve
    x, last = vector(1.0 / (1 + i) for i in range(n)), 1.0
    for _ in range(ITERATIONS):
        y = roots * solve(roots * x)  # CS.7
        last, x = K.divide(x @ x, y @ y), y
    return K.sqrt(last)


def pattern(A) -> list[set[int]]:
    """Which entries of each row are there."""
    return [set(filled(row)) for row in A]


def switched(J, on) -> np.ndarray:
    """Rows times their switches."""
    return J if on is None or not len(J) else np.stack([J[i] * on[i] for i in range(len(J))])


__all__ = [
    "Augmented",
    "LeastWeight",
    "Reduced",
    "augmented",
    "firmness",
    "reduced",
]
