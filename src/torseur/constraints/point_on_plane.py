"""Constraint of a point on a plane, and rows of a point along fixed directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..scalars import vector
from .base import Constraint, Relative, constraint

if TYPE_CHECKING:
    from ..spatial import Pose


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class PointOnPlane(Constraint):
    """A point stays at `height` [m] over the plane through `through`, along its `normal`."""

    name: str
    point: Any
    through: Any = "world"
    normal: Any = "z"
    height: Any = 0
    inside: ClassVar = {"point": "m", "through": "m", "normal": ""}

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls("c", ("hand", (0.2, 0, 0)), "world", (0, 3, 4), height=0.3),)

    def drawn(self):
        return ({"shape": "plane", "on": self.through, "normal": self.normal, "at": self.height},)

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.through, where), to.fixed_frame(self.point, where)
        normal = (to.axis(self.normal, where),)
        height = to.number(self.height, f"{where}, height [m]")
        links, more = to.links_of(F, M), {"directions": normal, "offset": height}
        return [PointRows(self.name, links, ("height",), ("m",), F=F, M=M, **more)]


@dataclass(frozen=True, slots=True, eq=False)
class PointRows(Relative):
    """Components of the origin of M along fixed directions of F, minus an offset [m]."""

    directions: tuple = ()
    offset: Any = 0

    def closure(self, K: Any, X_FM: Pose):
        return vector(K.numbers(u) @ X_FM.p - K.number(self.offset) for u in self.directions)

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), *(e for u in self.directions for e in u), self.offset)
