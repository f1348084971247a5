"""Constant distance of two points: a massless rod with ball ends.  Equation CO.6."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..scalars import Value, vector
from .base import Constraint, Relative, constraint

if TYPE_CHECKING:
    from ..spatial import Pose


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Distance(Constraint):
    """A massless rod with ball ends: points `a` and `b` stay `length` [m] apart.

    Its multiplier is the force [N] along the rod, positive when the rod pushes.

    >>> Distance("rod", "bob", "world", length=1.5).length
    1.5
    """

    name: str
    a: Any
    b: Any = "world"
    length: Any = 1
    inside: ClassVar = {"a": "m", "b": "m"}

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", ("hand", (0.1, 0.2, 0.3)), ("base", (0, 0.4, 0)), length=0.7),
            cls("c", "tip", length="L"),
        )

    def drawn(self):
        return ({"shape": "segment", "a": self.a, "b": self.b, "looks": ("rod",)},)

    def rows(self, to: Any):
        where = to.where(self)
        F, M = to.fixed_frame(self.b, where), to.fixed_frame(self.a, where)
        L = to.number(self.length, f"{where}, length [m]")
        if (size := to.nominal(L)) is not None and size <= 0:
            to.problems.append(
                f"{where} has length {size:g} m; use more than zero, or ts.Spherical as a loop"
            )
            L = 1
        return [Rod(self.name, to.links_of(F, M), ("length",), ("m",), F=F, M=M, length=L)]


@dataclass(frozen=True, slots=True, eq=False)
class Rod(Relative):
    """Row of two points at a constant distance, `(p . p - L^2) / (2 L)`, CO.6."""

    length: Any = 1

    def closure(self, K: Any, X_FM: Pose):
        L = K.number(self.length)
        return vector((K.divide(X_FM.p @ X_FM.p - L * L, 2 * L),))  # CO.6

    def gap(self, K: Any, residual):
        L = K.number(self.length)
        return (max(0.0, L * L + 2 * L * residual)) ** 0.5 - L  # inverse of CO.6

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        L = self.length
        return (*Relative.numbers(self), L, *([1 / L] if isinstance(L, Value) else ()))
