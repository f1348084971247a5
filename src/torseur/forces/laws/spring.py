"""The linear spring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...spatial import HALF
from ..base import Law, Seen, law  # noqa: F401 (examples)


@law
@dataclass(frozen=True, slots=True)
class Spring(Law):
    """Linear spring: tension `stiffness (x - free_length) + preload`.

    `stiffness` [N/m or N m/rad], `free_length` [m or rad], `preload` [N or N m].

    >>> from torseur.scalars import Floats
    >>> Spring(200.0, 0.3).force(Floats(), Seen(0.4, 0.0))
    20.000000000000007
    """

    stiffness: Any
    free_length: Any = 0
    preload: Any = 0
    units: ClassVar = {"stiffness": "N/m", "free_length": "m", "preload": "N"}

    def deflection(self, K, s):
        return s.x - self.get(K, "free_length")

    def force(self, K, s):
        return self.get(K, "stiffness") * self.deflection(K, s) + self.get(K, "preload")  # FO.4

    def shares(self, K, s):
        return {"stiffness": self.deflection(K, s)}

    affine: ClassVar = True

    def tangent(self, K, s):
        return self.get(K, "stiffness")

    def softest(self, K):
        return (self.get(K, "stiffness"),) * 2

    def potential(self, K, s):
        d = self.deflection(K, s)
        return self.get(K, "stiffness") * d * d * HALF + self.get(K, "preload") * d

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return cls(200.0, 0.3), cls(50.0, preload=2.0)
