"""Constraint of a point on a line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..joints import across
from .base import Constraint, constraint
from .point_on_plane import PointRows


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class PointOnLine(Constraint):
    """A point stays on the line through `through` (a point) along `direction` (its body's axes)."""

    name: str
    point: Any
    through: Any = "world"
    direction: Any = "x"
    inside: ClassVar = {"point": "m", "through": "m", "direction": ""}

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls("c", "tip", ("base", (0.1, 0, 0.2)), (1, 1, 0)),)

    def drawn(self):
        mark = {"shape": "line", "on": self.through}
        return (mark | {"along": self.direction, "point": self.point},)

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.through, where), to.fixed_frame(self.point, where)
        labels, directions = ("across1", "across2"), to.axis(self.direction, where, across)
        links, units = to.links_of(F, M), ("m", "m")
        return [PointRows(self.name, links, labels, units, F=F, M=M, directions=directions)]
