"""Rotations by structure, so that special ones cost less.  SA.1 to SA.3.

A right-angle rotation permutes components. A planar rotation takes four products for a vector and
eight for a tensor. A general one is its matrix. All transform components from the rotated frame to
the outer one: `rotate(x_B) = x_A`, and `unrotate` back.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..scalars import matrix, vector
from .vectors import ONE3, six, symmetric


@dataclass(frozen=True, slots=True, eq=False)
class GeneralRotation:
    """A rotation by its matrix."""

    matrix: np.ndarray

    def rotate(self, x):
        return self.matrix @ x

    def unrotate(self, x):
        return self.matrix.T @ x

    def tensor(self, J6):
        """Components xx, yy, zz, xy, xz, yz of a symmetric tensor, in the outer frame."""
        R = self.matrix
        T = R @ symmetric(J6)
        return vector(T[i] @ R[j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))

    def dyad(self, T):
        """Components of any 3 x 3 tensor, in the outer frame: `R T R^T`."""
        rows = matrix([self.rotate(row) for row in T])
        return matrix([self.rotate(column) for column in rows.T]).T

    def inverse(self):
        return type(self)(self.matrix.T)

    def __matmul__(self, other):
        return turn(self.matrix @ other.matrix)


@dataclass(frozen=True, slots=True, eq=False)
class RightAngleRotation(GeneralRotation):
    """A rotation by right angles: a signed permutation, free of charge."""

    to: tuple = field(init=False, repr=False)  # (place, sign) of each outer component
    fro: tuple = field(init=False, repr=False)  # and of each inner one

    def __post_init__(self):
        for name, R in (("to", self.matrix), ("fro", self.matrix.T)):
            object.__setattr__(
                self,
                name,
                tuple(next((j, e) for j, e in enumerate(row) if e) for row in R.tolist()),
            )

    def rotate(self, x):
        return vector(x[j] if e > 0 else -x[j] for j, e in self.to)

    def unrotate(self, x):
        return vector(x[j] if e > 0 else -x[j] for j, e in self.fro)

    def tensor(self, J6):
        J = symmetric(J6)
        return vector(
            J[a, b] if e * f > 0 else -J[a, b]
            for (a, e), (b, f) in (
                (self.to[i], self.to[j])
                for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            )
        )


@dataclass(frozen=True, slots=True, eq=False)
class PlanarRotation:
    """A rotation about axis 0, 1 or 2 by the angle whose cosine and sine are `c`, `s`."""

    axis: int
    c: Any
    s: Any

    @property
    def matrix(self):
        i, j, _ = self._cycle()
        R = ONE3.copy()
        R[i, i] = R[j, j] = self.c
        R[i, j], R[j, i] = -self.s, self.s
        return R

    def _cycle(self):
        k = self.axis
        return (k + 1) % 3, (k + 2) % 3, k

    def rotate(self, x):
        i, j, _ = self._cycle()
        out = vector(x)
        out[i], out[j] = self.c * x[i] - self.s * x[j], self.s * x[i] + self.c * x[j]
        return out

    def unrotate(self, x):
        i, j, _ = self._cycle()
        out = vector(x)
        out[i], out[j] = self.c * x[i] + self.s * x[j], self.c * x[j] - self.s * x[i]
        return out

    def tensor(self, J6):
        i, j, k = self._cycle()
        J, c, s = symmetric(J6), self.c, self.s
        u = s * (J[i, i] - J[j, j]) + c * (J[i, j] + J[i, j])  # SA.3
        e = s * u
        T = J.copy()
        T[i, i], T[j, j] = J[i, i] - e, J[j, j] + e
        T[i, j] = T[j, i] = c * u - J[i, j]
        T[i, k] = T[k, i] = c * J[i, k] - s * J[j, k]
        T[j, k] = T[k, j] = s * J[i, k] + c * J[j, k]
        return six(T)

    def dyad(self, T):
        """As `tensor`, of a tensor that is not symmetric."""
        i, j, k = self._cycle()
        c, s, T = self.c, self.s, T.copy()
        u = s * (T[i, i] - T[j, j]) + c * (T[i, j] + T[j, i])  # SA.3
        e, f = s * u, c * u
        T[i, i], T[j, j], T[i, j], T[j, i] = T[i, i] - e, T[j, j] + e, f - T[j, i], f - T[i, j]
        for a, b in (((i, k), (j, k)), ((k, i), (k, j))):
            T[a], T[b] = c * T[a] - s * T[b], s * T[a] + c * T[b]
        return T

    def inverse(self):
        return PlanarRotation(self.axis, self.c, -self.s)

    def __matmul__(self, other):
        return turn(self.matrix @ other.matrix)


def turn(R) -> GeneralRotation:
    """The cheapest form of a rotation matrix."""
    R = R if isinstance(R, np.ndarray) and R.dtype == object else matrix(R)
    entries = R.ravel().tolist()
    if not all(isinstance(e, int) and -1 <= e <= 1 for e in entries):
        return GeneralRotation(R)
    return NONE if entries == [1, 0, 0, 0, 1, 0, 0, 0, 1] else RightAngleRotation(R)


NONE = RightAngleRotation(ONE3)
