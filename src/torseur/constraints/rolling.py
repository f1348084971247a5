"""Rolling of a disc or sphere on a plane without slipping."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ._contact_geometry import ContactDistance, ContactSlip, plane_contact_fields
from .base import Constraint, constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Rolling(Constraint):
    """A disc or a sphere of `radius` [m] rolls without slipping on a plane.

    The center is the origin of `wheel` (a body or frame).  A disc turns about `axis` of that
    frame; `axis=None` is a sphere.  The plane is fixed in `ground` (a body or frame), through its
    origin, with the given `normal`.  Three multipliers: the contact force [N] on the wheel along
    the normal, and along the two directions across it.

    >>> Rolling("contact", "disc", radius=0.3).axis
    'y'
    """

    name: str
    wheel: str
    radius: Any
    axis: Any = "y"
    ground: str = "world"
    normal: Any = "z"
    inside: ClassVar = {"axis": "", "normal": ""}

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", "hand", radius=0.4),
            cls("c", "tip", radius="L", axis=(1, 2, 2), ground="base"),
            cls("c", "hand", radius=0.4, axis=None, normal=(0, 1, 4)),
        )

    def drawn(self):
        rim = {"shape": "wheel", "on": self.wheel, "radius": self.radius, "axis": self.axis}
        return rim, {"shape": "plane", "on": self.ground, "normal": self.normal}

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.ground, where), to.fixed_frame(self.wheel, where)
        r = to.number(self.radius, f"{where}, radius [m]")
        if (size := to.nominal(r)) is not None and size <= 0:
            to.problems.append(f"{where} has radius {size:g} m; use more than zero")
        common = plane_contact_fields(to, F, M, self.normal, r, self.axis, where)
        links = to.links_of(F, M)
        return [
            ContactDistance(self.name, links, ("normal",), ("m",), **common),
            ContactSlip(self.name, links, ("slip1", "slip2"), ("m/s", "m/s"), True, **common),
        ]
