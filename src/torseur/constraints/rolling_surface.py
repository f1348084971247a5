"""Convex surfaces that roll on a plane without slipping."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..errors import shown
from ..joints import across
from ..register import derived
from ..scalars import vector
from ..scalars.values import value
from ..spatial import cross
from ._contact_geometry import Slip, Touching, disc
from ._support_functions import NEAR, RATE, SMALL, Unknown, bending, outline, shape, sloped
from .base import Constraint, Relative, constraint, parameters

UNDER = "is flat or hollow where it touches, parts of it would be under the plane"


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class RollingSurface(Constraint):
    """A convex surface of a body rolls without slipping on a plane.

    `body` is a body or frame: `shape` is in its axes, about its origin.

    - three numbers: semi-axes [m] of an ellipsoid along x, y, z
    - two numbers: radii [m] of the ring and the tube of a torus about z
    - one number: radius [m] of a sphere
    - a text: support function [m] of x, y, z, the components of the unit outward normal: how far
      from the origin the plane is that touches there

    Or `implicit`, an expression of x, y, z [m] that vanishes on the surface; then `near` is a
    point, roughly that of contact at the start, and the point of contact becomes a coordinate
    (`<name>.x`, `.y`, `.z`) [m] in the body's axes.

    The plane goes through the origin of `ground` with the given `normal`.  `slips=True` leaves the
    surface free to slide: it only stays on the plane.  Multipliers: the force [N] on the body
    along the normal, and along the two directions across it.  Theory: CO.13 to CO.15.

    >>> RollingSurface("on", "stone", (0.1, 0.03, 0.02)).ground
    'world'
    """

    name: str
    body: str
    shape: Any = None
    implicit: str | None = None
    near: Any = None
    ground: str = "world"
    normal: Any = "z"
    slips: bool = False
    inside: ClassVar = {"shape": "m", "near": "m", "normal": ""}

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (
            cls("c", "hand", (0.4, 0.3, "L")),
            cls("c", "tip", (0.4, 0.1), ground="base"),
            cls("c", "hand", 0.4, normal=(0, 1, 4), slips=True),
            cls("c", "tip", "0.3 + 0.02*x*y + L*z/9"),
            cls("c", "hand", None, "x**4 + y**2/2 + z**2 - L/9", (0, 0, -0.25), normal=(0, 1, 4)),
        )

    def own_coordinate(self):
        if self.implicit is None:
            return None
        start = self.near if isinstance(self.near, tuple | list) else (0, 0, 0)
        try:
            return Unknown(("x", "y", "z"), "m", tuple(map(value.exact, start)))
        except (TypeError, ValueError):  # told by `_implicit`
            return Unknown(("x", "y", "z"), "m", (0, 0, 0))

    def drawn(self):
        solid = {
            "shape": "solid",
            "on": self.body,
            "implicit": self.implicit,
            "of": outline(self.shape),
        }
        return solid, {"shape": "plane", "on": self.ground, "normal": self.normal}

    def rows(self, to):
        where = to.where(self)
        F, M = to.fixed_frame(self.ground, where), to.fixed_frame(self.body, where)
        links = to.links_of(F, M)
        if (self.shape is None) == (self.implicit is None):
            to.problems.append(f"{where}: give either shape= or implicit= with near=")
            return []
        if self.implicit is not None:
            return self._implicit(to, F, M, links, where)
        common = disc(to, F, M, self.normal, 0, None, where)
        common["shape"] = shape(to, self.shape, where)
        found = [Touching(self.name, links, ("normal",), ("m",), **common)]
        if not self.slips:
            found.append(Slip(self.name, links, ("slip1", "slip2"), ("m/s",) * 2, True, **common))
        return found

    def _implicit(self, to, F, M, links, where):
        read = to.expression(self.implicit, where, extra="xyz")[0]
        if not {*"xyz"} & {*value.symbols(read)}:
            to.problems.append(f"{where}: implicit {self.implicit!r} has no x, y or z in it")
        if not (isinstance(self.near, tuple | list) and len(self.near) == 3):
            to.problems.append(
                f"{where}: near={shown(self.near)}: expected three numbers [m], roughly the point "
                "of contact at the start"
            )
        else:
            start = to.reader.array(self.near, (3,), f"{where}, near", "m")
            if start is not None and any(isinstance(x, value.Value) for x in start):
                to.problems.append(
                    f"{where}: near={shown(self.near)}: expected plain numbers, without names: it "
                    "says where the search begins"
                )
        k = to.auxiliary_link(self)
        common = {
            "F": F,
            "M": M,
            "normal": to.axis(self.normal, where),
            "sides": to.axis(self.normal, where, across),
            "equation": read,
            "slots": (k.q.start, k.q.stop) if k else (0, 0),
        }
        links = (*links, *([k.index] if k else ()))
        labels = ("tangent1", "tangent2", "surface", "normal")
        found = [Implicit(self.name, links, labels, ("1", "1", "1", "m"), **common)]
        if not self.slips:
            units = ("m/s", "m/s")
            found.append(ImplicitSlip(self.name, links, ("slip1", "slip2"), units, True, **common))
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Implicit(Relative):
    """The lowest point of a surface, and that it is on the plane; F is the ground."""

    normal: tuple = (0, 0, 1)
    sides: tuple = ()
    equation: Any = 0
    slots: tuple = (0, 0)  # of the point of contact in q
    at: tuple = ()  # that point, components in M

    @derived
    def formulas(self):
        return (self.equation,)

    def bound(self, q):
        return replace(self, at=tuple(q[slice(*self.slots)]))

    def closure(self, K, X_FM):
        c = vector(self.at)
        g, slope = sloped(K, self.equation, c)
        outward = X_FM.rotate(slope)
        flat = [K.numbers(d) @ outward for d in self.sides]  # CO.15
        return vector((*flat, g, K.numbers(self.normal) @ (X_FM.p + X_FM.rotate(c))))

    def residual(self, tree, t, q):
        return self.bound(q).closure(tree.K, self.pose(tree, q))

    @derived
    def loses(self):
        return () if self.speeds else (UNDER,)

    def edges(self, tree, q):
        """The lesser curvature there, by the distance to the center: CO.19."""
        if not self.loses:
            return ()
        K, c, X_FM = tree.K, vector(q[slice(*self.slots)]), self.pose(tree, q)
        size = K.sqrt(c @ c)
        up = X_FM.unrotate(K.numbers(self.normal))
        sides = [X_FM.unrotate(K.numbers(d)) for d in self.sides]
        steep = sloped(K, self.equation, c)[1] @ up
        moved = [
            sloped(K, self.equation, c + e * (size * SMALL))[1]
            - sloped(K, self.equation, c - e * (size * SMALL))[1]
            for e in sides
        ]
        bent = [[K.divide(-(e @ g) * RATE, steep) for g in moved] for e in sides]
        return (bending(K, bent)[0] - NEAR,)

    def numbers(self):
        sides = (e for u in self.sides for e in u)
        own = parameters((self.equation,), "xyz")
        return (*Relative.numbers(self), *self.normal, *sides, *self.slots, *own)


@dataclass(frozen=True, slots=True, eq=False)
class ImplicitSlip(Implicit):
    """Velocity of the body's point in contact, across the normal."""

    def rate(self, tree, t, q, v):
        return self.bound(q).velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K, X_FM, V):
        u = X_FM.rotate(V.linear + cross(V.angular, vector(self.at)))
        return vector(K.numbers(d) @ u for d in self.sides)
