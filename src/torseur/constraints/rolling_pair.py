"""Rolling of two convex surfaces on each other."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import shown
from ..joints import unit_axis
from ..register import derived
from ..scalars import vector
from ..spatial import cross
from ._support_functions import (
    ContactShape,
    ContactUnknowns,
    contact_shape,
    tangents,
    unchecked_shape,
)
from .base import Constraint, Relative, constraint

if TYPE_CHECKING:
    from ..spatial import Pose, Twist

UNIT_SPHERE = ContactShape((1,))


def draw_solids(c) -> tuple[dict[str, Any], ...]:
    """Marks of the two bodies of a pair, for a view."""
    pairs = ((c.a, c.shape_a), (c.b, c.shape_b))
    mark = {"shape": "solid", "implicit": None}
    return tuple(mark | {"on": x, "of": unchecked_shape(s)} for x, s in pairs)


def pair_fields(c, to: Any, own) -> tuple[tuple[int, ...], dict[str, Any]]:
    """Links between two bodies, and the fields that their rows share.

    `own` is the auxiliary link of the normal, or None.
    """
    where = to.where(c)
    F, M = to.fixed_frame(c.a, where), to.fixed_frame(c.b, where)
    links = to.links_of(F, M)
    if not links:
        to.problems.append(f"{where}: its body {shown(c.b)} cannot move against {shown(c.a)}")
    common = {
        "F": F,
        "M": M,
        "inner": contact_shape(to, c.shape_a, where),
        "outer": contact_shape(to, c.shape_b, where),
        "slots": (own.q.start, own.q.stop) if own else (0, 0),
    }
    return (*links, *([own.index] if own else ())), common


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class RollingPair(Constraint):
    """Convex surfaces of two bodies roll on each other without slipping.

    `a` and `b` are bodies or frames, `shape_a` and `shape_b` as the `shape` of `RollingSurface`:
    one, two or three numbers [m], or a support function.  `normal` is, roughly, the direction from
    a to b at the start, in axes of a; the unit normal itself becomes a coordinate (`<name>.nx`,
    `.ny`, `.nz`).  `slips=True` leaves them free to slide.  Multipliers: the force [N]
    on b along x, y, z of a, and along two directions across the normal.  Theory: CO.16.

    >>> RollingPair("mesh", "egg", "nut", (0.03, 0.02, 0.02), 0.01).normal
    'z'
    """

    name: str
    a: str
    b: str
    shape_a: Any
    shape_b: Any
    normal: Any = "z"
    slips: bool = False
    inside: ClassVar = {"shape_a": "m", "shape_b": "m", "normal": ""}

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", "base", "hand", (0.4, 0.3, "L"), 0.2),
            cls("c", "other", "tip", 0.4, "0.3 + 0.02*x*y", (0, 3, 4)),
            cls("c", "base", "tip", (0.4, 0.1), 0.3, (0, 3, 4), True),
        )

    def own_coordinate(self):
        try:
            start = unit_axis(self.normal)
        except (TypeError, ValueError):  # `rows` reports it
            start = (0, 0, 1)
        return ContactUnknowns(("nx", "ny", "nz"), "1", tuple(start))

    def drawn(self):
        return draw_solids(self)

    def rows(self, to: Any):
        links, common = pair_fields(self, to, to.auxiliary_link(self))
        to.axis(self.normal, to.where(self))
        elements: list = [
            PairContact(self.name, links, ("x", "y", "z", "unit"), ("m", "m", "m", "1"), **common)
        ]
        if not self.slips:
            labels, units = ("slip1", "slip2"), ("m/s", "m/s")
            elements.append(PairSlip(self.name, links, labels, units, True, **common))
        return elements


@dataclass(frozen=True, slots=True, eq=False)
class PairContact(Relative):
    """Rows of two coincident points with opposite normals, CO.16; F is the frame of the first."""

    inner: ContactShape = UNIT_SPHERE
    outer: ContactShape = UNIT_SPHERE
    slots: tuple = (0, 0)  # of the normal in q
    at: tuple = ()  # the normal of the first, components in F

    @derived
    def formulas(self):
        return tuple(s.support for s in (self.inner, self.outer) if s.support is not None)

    def bound(self, q: np.ndarray):
        return replace(self, at=tuple(q[slice(*self.slots)]))

    def direction(self, K: Any, X_FM: Pose):
        """Outward normal of the first surface in F; of two spheres from center to center."""
        if self.slots[1] > self.slots[0]:
            return vector(self.at)
        distance = K.sqrt(X_FM.p @ X_FM.p)
        return vector(K.divide(x, distance) for x in X_FM.p)

    def points(self, K: Any, X_FM: Pose):
        """Contact points: of the first surface in F, of the second in M."""
        n = self.direction(K, X_FM)
        return self.inner.touch(K, n)[1], self.outer.touch(K, X_FM.unrotate(-n))[1]

    def closure(self, K: Any, X_FM: Pose):
        p_a, p_b = self.points(K, X_FM)
        n = vector(self.at)
        return vector((*(X_FM.p + X_FM.rotate(p_b) - p_a), n @ n - 1))  # CO.16

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self.bound(q).closure(tree.K, self.pose(tree, q))

    @derived
    def loses(self):
        return () if self.speeds else (*self.inner.loses, *self.outer.loses)

    def edges(self, tree: Any, q: np.ndarray):
        if not self.loses:
            return ()
        K, n, X_FM = tree.K, vector(q[slice(*self.slots)]), self.pose(tree, q)
        return (*self.inner.edges(K, n), *self.outer.edges(K, X_FM.unrotate(-n)))

    def numbers(self):
        shapes = (*self.inner.numbers(), *self.outer.numbers())
        return (*Relative.numbers(self), *self.slots, *shapes)


@dataclass(frozen=True, slots=True, eq=False)
class PairSlip(PairContact):
    """Tangential velocity of the contact point of the second body relative to the first."""

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray):
        return self.bound(q).velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K: Any, X_FM: Pose, V: Twist):
        n = self.direction(K, X_FM)
        u = X_FM.rotate(V.linear + cross(V.angular, self.points(K, X_FM)[1]))
        return vector(e @ u for e in tangents(K, n))
