"""Inertia of a rigid body as ten numbers, linear in every formula."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..scalars import matrix, vector
from .pose import Pose
from .screws import Momentum, Twist
from .vectors import HALF, ZERO3, cross, none, six, skew, symmetric


@dataclass(frozen=True, slots=True, eq=False)
class Inertia:
    """Mass, first moment and inertia about the origin of the frame they are written in.

    Parameters
    ----------
    mass : mass [kg]
    h : first moment, mass times position of the center of mass [kg m]
    J : inertia about the origin [kg m2], entries xx, yy, zz, xy, xz, yz of the matrix

    >>> Inertia.about_com(2, (0, 0, 3), (1, 1, 1, 0, 0, 0)).J
    array([19, 19, 1, 0, 0, 0], dtype=object)
    """

    mass: Any = 0
    h: np.ndarray = field(default_factory=lambda: ZERO3)
    J: np.ndarray = field(default_factory=lambda: vector((0,) * 6))

    @classmethod
    def about_com(cls, mass, com, inertia) -> Inertia:
        """From mass, center of mass, and inertia about the center of mass (six or 3 x 3)."""
        inertia = inertia if isinstance(inertia, np.ndarray) else np.asarray(inertia, dtype=object)
        J = six(inertia) if inertia.shape == (3, 3) else vector(inertia)
        return cls(mass, ZERO3, J).shifted(vector(com))

    @classmethod
    def of_parameters(cls, ten) -> Inertia:
        """From (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz)."""
        ten = vector(ten)
        return cls(ten[0], ten[1:4], ten[4:])

    @classmethod
    def of_pseudo(cls, P) -> Inertia:
        """From the 4 x 4 pseudo-inertia matrix."""
        S, t = P[:3, :3], P[0, 0] + P[1, 1] + P[2, 2]
        return cls(
            P[3, 3],
            vector(P[:3, 3]),
            vector((t - S[0, 0], t - S[1, 1], t - S[2, 2], -S[0, 1], -S[0, 2], -S[1, 2])),
        )

    @classmethod
    def of_matrix(cls, I6) -> Inertia:
        """From the 6 x 6 spatial inertia (angular first)."""
        return cls(I6[3, 3], vector((I6[2, 4], I6[0, 5], I6[1, 3])), six(I6[:3, :3]))

    def parameters(self) -> np.ndarray:
        """The ten numbers (m, hx, hy, hz, Jxx, Jyy, Jzz, Jxy, Jxz, Jyz)."""
        return vector((self.mass, *self.h, *self.J))

    def matrix(self) -> np.ndarray:
        """6 x 6 spatial inertia (angular first): twist to momentum."""
        H = skew(self.h)
        m = self.mass
        M = matrix(((m, 0, 0), (0, m, 0), (0, 0, m)))
        return matrix([*np.hstack([symmetric(self.J), H]), *np.hstack([H.T, M])])

    def second_moments(self) -> np.ndarray:
        """3 x 3 matrix of the integrals of x x^T."""
        xx, yy, zz, xy, xz, yz = self.J
        t = (xx + yy + zz) * HALF
        return matrix(((t - xx, -xy, -xz), (-xy, t - yy, -yz), (-xz, -yz, t - zz)))

    def pseudo(self) -> np.ndarray:
        """4 x 4 pseudo-inertia (homogeneous inertia matrix) of Uicker."""
        P = matrix(((0,) * 4,) * 4)
        P[:3, :3], P[:3, 3], P[3, :3], P[3, 3] = self.second_moments(), self.h, self.h, self.mass
        return P

    def __add__(self, other: Inertia) -> Inertia:
        return Inertia(self.mass + other.mass, self.h + other.h, self.J + other.J)

    def shifted(self, p) -> Inertia:
        """The same body when its frame sits at `p` (axes parallel): parallel axes."""
        if none(p):
            return self
        m, h = self.mass, self.h
        H = m * p if h is ZERO3 else h + m * p  # SA.8
        g = H if h is ZERO3 else h + H
        x, y, z = p[0] * g[0], p[1] * g[1], p[2] * g[2]
        return Inertia(
            m,
            H,
            self.J
            + vector(
                (
                    y + z,
                    x + z,
                    x + y,
                    -(p[0] * h[1] + p[1] * H[0]),
                    -(p[0] * h[2] + p[2] * H[0]),
                    -(p[1] * h[2] + p[2] * H[1]),
                )
            ),
        )

    def moved(self, X_AB: Pose) -> Inertia:
        """This inertia, given in B, written in A."""
        return Inertia(self.mass, X_AB.rotate(self.h), X_AB.tensor(self.J)).shifted(X_AB.p)

    def __matmul__(self, V: Twist) -> Momentum:
        w, v = V.angular, V.linear
        return Momentum(
            symmetric(self.J) @ w + cross(self.h, v), self.mass * v - cross(self.h, w)
        )  # SA.9
