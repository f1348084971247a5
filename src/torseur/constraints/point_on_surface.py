"""Constraint of a point on a surface, or on the curve of two surfaces."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..register import derived, freeze_fields
from ..scalars import Bound, vector
from .base import Constraint, Relative, constraint, parameters

if TYPE_CHECKING:
    from ..spatial import Pose


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class PointOnSurface(Constraint):
    """A point stays on the surface(s) of `on`: expressions of its x, y, z there that vanish.

    One expression is a surface, two a curve.

    >>> PointOnSurface("bowl", "ball", "world", ("x**2 + y**2 + (z - 1)**2 - 1",)).on
    'world'
    """

    name: str
    point: Any
    on: str = "world"
    equations: Any = ()
    inside: ClassVar = {"point": "m"}

    def __post_init__(self):
        freeze_fields(self)
        equations = self.equations
        equations = (equations,) if isinstance(equations, str) else tuple(equations)
        object.__setattr__(self, "equations", equations)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", "tip", "base", "x**2/4 + y**2 + sin(z) - L"),
            cls("c", "tip", "world", ("x**2 + y**2 - 1", "z - x*y")),
        )

    def drawn(self):
        mark = {"shape": "surface", "on": self.on, "point": self.point}
        return tuple(mark | {"equation": e} for e in self.equations)

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.on, where), to.fixed_frame(self.point, where)
        equations = [to.expression(e, where, extra="xyz")[0] for e in self.equations]
        n = len(equations)
        if not 1 <= n <= 2:
            to.problems.append(
                f"{where} has {n} equations; give one for a surface, two for a curve"
            )
        labels = tuple(f"equation{i + 1}" for i in range(n))
        links, units = to.links_of(F, M), ("1",) * n
        return [SurfaceRows(self.name, links, labels, units, F=F, M=M, equations=tuple(equations))]


@dataclass(frozen=True, slots=True, eq=False)
class SurfaceRows(Relative):
    """Rows of expressions of the coordinates x, y, z of the origin of M in F."""

    equations: tuple = ()

    @derived
    def formulas(self):
        return self.equations

    def closure(self, K: Any, X_FM: Pose):
        bound = Bound(K, dict(zip("xyz", X_FM.p, strict=True)))
        return vector(bound.number(e) for e in self.equations)

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), *parameters(self.equations, "xyzt"))
