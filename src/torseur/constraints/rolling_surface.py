"""Rolling of a convex surface on a plane without slipping."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import shown
from ..joints import across
from ..register import derived
from ..scalars import vector
from ..scalars.values import value
from ..spatial import cross
from ._contact_geometry import ContactDistance, ContactSlip, plane_contact_fields
from ._support_functions import (
    INVERSE_STEP,
    MIN_SINE,
    NORMAL_STEP,
    ContactUnknowns,
    contact_shape,
    principal_curvatures,
    unchecked_shape,
    value_and_gradient,
)
from .base import Constraint, Relative, constraint, parameters

if TYPE_CHECKING:
    from ..spatial import Pose, Twist

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
        """One instance of every variant with its own formula."""
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
            return ContactUnknowns(("x", "y", "z"), "m", tuple(map(value.exact, start)))
        except (TypeError, ValueError):  # `_implicit_rows` reports it
            return ContactUnknowns(("x", "y", "z"), "m", (0, 0, 0))

    def drawn(self):
        solid = {
            "shape": "solid",
            "on": self.body,
            "implicit": self.implicit,
            "of": unchecked_shape(self.shape),
        }
        return solid, {"shape": "plane", "on": self.ground, "normal": self.normal}

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.ground, where), to.fixed_frame(self.body, where)
        links = to.links_of(F, M)
        if (self.shape is None) == (self.implicit is None):
            to.problems.append(f"{where}: give either shape= or implicit= with near=")
            return []
        if self.implicit is not None:
            return self._implicit_rows(to, F, M, links, where)
        common = plane_contact_fields(to, F, M, self.normal, 0, None, where)
        common["shape"] = contact_shape(to, self.shape, where)
        elements = [ContactDistance(self.name, links, ("normal",), ("m",), **common)]
        if not self.slips:
            labels, units = ("slip1", "slip2"), ("m/s", "m/s")
            elements.append(ContactSlip(self.name, links, labels, units, True, **common))
        return elements

    def _implicit_rows(self, to: Any, F, M: np.ndarray, links, where: str):
        """Rows of a surface with an implicit equation, after the checks."""
        equation = to.expression(self.implicit, where, extra="xyz")[0]
        if not {*"xyz"} & {*value.symbols(equation)}:
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
            "equation": equation,
            "slots": (k.q.start, k.q.stop) if k else (0, 0),
        }
        links = (*links, *([k.index] if k else ()))
        rows = ("tangent1", "tangent2", "surface", "normal")
        elements = [ImplicitContact(self.name, links, rows, ("1", "1", "1", "m"), **common)]
        if not self.slips:
            labels, units = ("slip1", "slip2"), ("m/s", "m/s")
            elements.append(ImplicitSlip(self.name, links, labels, units, True, **common))
        return elements


@dataclass(frozen=True, slots=True, eq=False)
class ImplicitContact(Relative):
    """Rows of the lowest point of an implicit surface on the plane, CO.15; F is the ground."""

    normal: tuple = (0, 0, 1)
    sides: tuple = ()
    equation: Any = 0
    slots: tuple = (0, 0)  # of the point of contact in q
    at: tuple = ()  # that point, components in M

    @derived
    def formulas(self):
        return (self.equation,)

    def bound(self, q: np.ndarray):
        return replace(self, at=tuple(q[slice(*self.slots)]))

    def closure(self, K: Any, X_FM: Pose):
        c = vector(self.at)
        g, gradient = value_and_gradient(K, self.equation, c)
        outward = X_FM.rotate(gradient)
        tangential = [K.numbers(d) @ outward for d in self.sides]  # CO.15
        return vector((*tangential, g, K.numbers(self.normal) @ (X_FM.p + X_FM.rotate(c))))

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self.bound(q).closure(tree.K, self.pose(tree, q))

    @derived
    def loses(self):
        return () if self.speeds else (UNDER,)

    def edges(self, tree: Any, q: np.ndarray):
        """Smaller curvature at the contact point times its distance to the center, CO.19."""
        if not self.loses:
            return ()
        K, c, X_FM = tree.K, vector(q[slice(*self.slots)]), self.pose(tree, q)
        size = K.sqrt(c @ c)
        up = X_FM.unrotate(K.numbers(self.normal))
        axes, step = [X_FM.unrotate(K.numbers(d)) for d in self.sides], size * NORMAL_STEP
        normal_derivative = value_and_gradient(K, self.equation, c)[1] @ up
        changes = [
            value_and_gradient(K, self.equation, c + e * step)[1]
            - value_and_gradient(K, self.equation, c - e * step)[1]
            for e in axes
        ]
        curvature = [
            [K.divide(-(e @ g) * INVERSE_STEP, normal_derivative) for g in changes] for e in axes
        ]
        return (principal_curvatures(K, curvature)[0] - MIN_SINE,)

    def numbers(self):
        sides = (e for u in self.sides for e in u)
        symbols = parameters((self.equation,), "xyz")
        return (*Relative.numbers(self), *self.normal, *sides, *self.slots, *symbols)


@dataclass(frozen=True, slots=True, eq=False)
class ImplicitSlip(ImplicitContact):
    """Tangential velocity of the contact point of the body."""

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray):
        return self.bound(q).velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K: Any, X_FM: Pose, V: Twist):
        u = X_FM.rotate(V.linear + cross(V.angular, vector(self.at)))
        return vector(K.numbers(d) @ u for d in self.sides)
