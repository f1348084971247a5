"""An elastic law by points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...numbers import values
from ...spatial import HALF
from ..base import frozen, law
from ._pieces import Piecewise


@law
@dataclass(frozen=True, slots=True)
class Table(Piecewise):
    """Elastic law by points (deflection, tension), straight between them.

    `beyond` the points: "extend" the outer slopes or "hold" the outer values.
    """

    points: tuple
    free_length: Any = 0
    beyond: str = "extend"
    units: ClassVar = {"points": "m, N", "free_length": "m"}

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points))

    def _of(self, K, s):
        return s.x - self.get(K, "free_length")

    deflection = _of

    def knots(self, K):
        return tuple(self.get(K, "free_length") + K.number(values.exact(x)) for x, _ in self.points)

    def force(self, K, s):
        return self._now(K, s)

    affine: ClassVar = True

    def tangent(self, K, s):
        return s.m[3]

    def softest(self, K):
        return (min(row[2] for row in self._table(K)),) * 2

    def potential(self, K, s):
        d = self._of(K, s) - s.m[1]
        return s.m[6] + d * (s.m[2] + s.m[3] * d * HALF)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls(((-0.1, -30.0), (0.0, 0.0), (0.2, 10.0), (0.3, 40.0))),)
