"""Contact geometry: distance and slip of discs, spheres and points over planes and surfaces.

Equations CO.7, CO.8, CO.19, DF.11, DF.12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..joints import across
from ..register import derived
from ..scalars import Jet, Jets, part, vector
from ..scalars.values import value as values
from ..spatial import cross
from ._support_functions import FLAT, MIN_SINE
from .base import Relative

if TYPE_CHECKING:
    from ..spatial import Pose, Twist

MIN_SQUARE = 1e-300  # keeps a quotient away from zero over zero


@dataclass(frozen=True, slots=True, eq=False)
class ContactDistance(Relative):
    """Height of a disc or sphere over a plane; F is the ground, M the center of the wheel.

    With an equation it is the height of the point M over the surface where the equation vanishes.
    """

    normal: tuple = (0, 0, 1)
    sides: tuple = ()  # unit vectors across the normal
    axis: tuple | None = None
    radius: Any = 1
    equations: tuple = ()  # one expression of x, y, z in F, positive outside
    shape: Any = None  # a convex surface about M, in place of a disc or sphere

    @derived
    def formulas(self):
        return self.equations or ((self.axis,) if self.axis else ())

    def arm(self, K: Any, X_FM: Pose) -> tuple[Any, np.ndarray]:
        """Height of the center at contact, and the arm to the contact point, in F."""
        n, r = K.numbers(self.normal), K.number(self.radius)
        if self.shape is not None:
            height, p = self.shape.touch(K, X_FM.unrotate(-n))
            return height, X_FM.rotate(p)  # CO.13
        if self.axis is None:
            return r, n * -r
        a = X_FM.rotate(K.numbers(self.axis))
        c = n @ a
        sine = K.sqrt(1 - c * c)
        return r * sine, (a * c - n) * K.divide(r, sine)  # CO.7

    @derived
    def loses(self):
        if self.speeds or self.equations:
            return ()
        return self.shape.loses if self.shape is not None else (FLAT,) * bool(self.axis)

    def edges(self, tree: Any, q: np.ndarray):
        K, n = tree.K, tree.K.numbers(self.normal)
        if not self.loses:
            return ()
        X_FM = self.pose(tree, q)
        if self.shape is not None:
            return self.shape.edges(K, X_FM.unrotate(-n))
        c = n @ X_FM.rotate(K.numbers(self.axis))
        return (K.sqrt(1 - c * c) - MIN_SINE,)  # CO.19

    def surface(self, K: Any, p) -> tuple[Any, np.ndarray]:
        """Value and gradient of the surface's expression at a point of F."""
        jets = [
            Jets(
                K,
                {n: Jet(K, x, int(i == j)) for j, (n, x) in enumerate(zip("xyz", p, strict=True))},
            ).number(self.equations[0])
            for i in range(3)
        ]
        return jets[0].x, part(vector(jets), "d")

    def closure(self, K: Any, X_FM: Pose):
        if self.equations:
            value, slope = self.surface(K, X_FM.p)
            return vector((K.divide(value, K.sqrt(slope @ slope)),))  # DF.11
        height, _ = self.arm(K, X_FM)
        return vector((K.numbers(self.normal) @ X_FM.p - height,))

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        sides = (e for u in self.sides for e in u)
        parameters = (n for n in values.symbols(vector(self.equations)) if n not in "xyz")
        return (
            *Relative.numbers(self),
            *self.normal,
            *sides,
            *(self.axis or ()),
            self.radius,
            *(self.shape.numbers() if self.shape is not None else ()),
            *map(values.symbol, parameters),
        )


@dataclass(frozen=True, slots=True, eq=False)
class ContactSlip(ContactDistance):
    """Tangential velocity of the contact point of the wheel."""

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray):
        return self.velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K: Any, X_FM: Pose, V: Twist):
        """(2,): slip for a relative pose and twist (in M)."""
        u, sides = X_FM.rotate(V.linear), [K.numbers(d) for d in self.sides]
        if self.equations:
            _, n = self.surface(K, X_FM.p)
            size = K.sqrt(n @ n)
            n = vector(K.divide(x, size) for x in n)
            return vector(d @ u for d in self.tangents(K, n, sides))
        _, arm = self.arm(K, X_FM)
        u = u + cross(X_FM.rotate(V.angular), arm)  # CO.8
        return vector(d @ u for d in sides)

    def tangents(self, K: Any, n, sides) -> list[np.ndarray]:
        """Tangents at the unit normal n of F: the sides rotated with the normal, DF.12.

        The rotation is the smallest one.  It is also defined for n opposite to the normal.
        """
        up, x = K.numbers(self.normal), [d @ n for d in sides]
        c, tangential = up @ n, sides[0] * x[0] + sides[1] * x[1]
        below = K.divide(1 - c, x[0] * x[0] + x[1] * x[1] + MIN_SQUARE)
        factor = K.select(K.less(c, 0.0), below, K.divide(1, K.call("max", 1 + c, 1.0)))
        return [
            d - up * e - tangential * (e * factor) for d, e in zip(sides, x, strict=True)
        ]  # DF.12


def plane_contact_fields(
    to: Any, F, M: np.ndarray, normal, radius, axis, where: str
) -> dict[str, Any]:
    """Fields that the distance and the slip of a contact with a plane share."""
    return {
        "F": F,
        "M": M,
        "normal": to.axis(normal, where),
        "radius": radius,
        "sides": to.axis(normal, where, across),
        "axis": None if axis is None else to.axis(axis, where),
    }
