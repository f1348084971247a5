"""Components of a point against fixed numbers: what lines and planes share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..scalars import vector
from .base import Relative


@dataclass(frozen=True, slots=True, eq=False)
class PointRows(Relative):
    """Components of M's origin in F along fixed directions, against fixed numbers."""

    directions: tuple = ()
    offset: Any = 0

    def closure(self, K, X_FM):
        return vector(K.numbers(u) @ X_FM.p - K.number(self.offset) for u in self.directions)

    def residual(self, tree, t, q):
        return self.closure(tree.K, self.pose(tree, q))

    def numbers(self):
        return (*Relative.numbers(self), *(e for u in self.directions for e in u), self.offset)
