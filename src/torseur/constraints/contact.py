"""Unilateral contact of a point, sphere, disc or convex surface with a plane or surface."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..scalars.values import value
from ._contact_data import contact_laws
from ._contact_geometry import ContactDistance, ContactSlip, plane_contact_fields
from ._support_functions import contact_shape, unchecked_shape
from .base import Constraint, constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Contact(Constraint):
    """A point, a sphere or a disc that pushes on a plane, never pulls: it lifts off and lands.

    The place is `point` (a body or frame, or a pair): the point itself, or the center of a sphere
    of `radius` [m], or of a disc that turns about `axis` of that frame.  The plane goes through
    `ground` (a point) with `normal` there; or it is the surface where `surface`, an expression of
    x, y, z in `ground`, vanishes: it is positive outside, on the side of `normal`.

    `shape` is a convex surface about the point in place of a sphere or disc, as that of
    `RollingSurface`: three semi-axes [m], two radii of a torus, or a support function.

    Landing at the speed u gives back `restitution` u, or nothing when u is below `rest_speed`
    [m/s]; what is lost is dissipated.  `friction` is Coulomb's coefficient in the tangent plane,
    in impacts too, with true sticking (rolling, for a sphere); `static_friction` holds when stuck.
    Multipliers: the force [N] along the normal, and along the two directions across it.

    >>> Contact("bounce", "ball", radius=0.1, restitution=0.8).ground
    'world'
    """

    name: str
    point: Any
    ground: Any = "world"
    normal: Any = "z"
    radius: Any = 0
    axis: Any = None
    restitution: Any = 0
    friction: Any = 0
    static_friction: Any = None
    rest_speed: Any = 1e-3
    surface: str | None = None
    shape: Any = None
    inside: ClassVar = {
        "point": "m",
        "ground": "m",
        "normal": "",
        "axis": "",
        "restitution": "",
        "friction": "",
        "static_friction": "",
        "rest_speed": "m/s",
        "shape": "m",
    }

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", ("hand", (0.1, 0.2, 0)), ("base", (0, 0.1, 0.2)), (0, 3, 4), friction=0.2),
            cls("c", "tip", radius="L", friction=0.2, static_friction=0.3),
            cls("c", "tip", "base", radius=0.3, axis=(1, 2, 2), friction=0.2),
            cls("c", "tip", "base", shape=(0.3, 0.2, 0.1), friction=0.2),
            cls("c", "hand", "base", surface="z - x**2/4 - sin(y)*L", friction=0.2),
        )

    def drawn(self):
        end: dict[str, Any] = {"shape": "wheel", "radius": self.radius, "axis": self.axis}
        if self.shape is not None:
            end = {"shape": "solid", "of": unchecked_shape(self.shape), "implicit": None}
        ground = {"shape": "plane", "normal": self.normal}
        if self.surface is not None:
            ground = {"shape": "surface", "equation": self.surface, "point": self.point}
        return end | {"on": self.point}, ground | {"on": self.ground}

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.ground, where), to.fixed_frame(self.point, where)
        r, (law, friction) = self._radius(to, where), contact_laws(self, to, where)
        common = plane_contact_fields(to, F, M, self.normal, r, self.axis, where)
        if self.surface is not None:
            common["equations"] = self._equations(to, r, where)
        if self.shape is not None:
            common["shape"] = contact_shape(to, self.shape, where)
            if r != 0 or self.axis is not None or self.surface is not None:
                to.problems.append(f"{where}: shape= stands alone; leave radius, axis, surface out")
        links = to.links_of(F, M)
        if not links:
            to.problems.append(f"{where}: its point {self.point!r} cannot move against its ground")
        elements = [ContactDistance(self.name, links, ("normal",), ("m",), contact=law, **common)]
        if friction is not None:
            labels, units = ("slip1", "slip2"), ("m/s", "m/s")
            elements.append(ContactSlip(self.name, links, labels, units, True, friction, **common))
        return elements

    def _radius(self, to: Any, where: str):
        """Radius [m] after its checks."""
        r = to.number(self.radius, f"{where}, radius [m]")
        if (size := to.nominal(r)) is not None and size < 0:
            to.problems.append(f"{where} has radius {size:g} m; use zero or more")
        if self.axis is not None and r == 0:
            to.problems.append(f"{where} has an axis but no radius; give the radius of the disc")
        return r

    def _equations(self, to: Any, r, where: str) -> tuple:
        """The expression of the surface after its checks."""
        equation = to.expression(self.surface, where, extra="xyz")[0]
        if not {*"xyz"} & {*value.symbols(equation)}:
            to.problems.append(f"{where}: surface {self.surface!r} has no x, y or z in it")
        if r != 0 or self.axis is not None:
            to.problems.append(
                f"{where}: on a surface= the contact is a point; leave radius "
                "and axis out, or offset the surface by the radius"
            )
        return (equation,)
