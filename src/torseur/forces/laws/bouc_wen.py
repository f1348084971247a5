"""Smooth hysteresis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...spatial import HALF
from ..base import Law, law


@law
@dataclass(frozen=True, slots=True)
class BoucWen(Law):
    """Smooth hysteresis: an elastic share and a share that yields.

    `stiffness` [N/m], `share` of it that stays elastic, `yield_deflection` [m], `sharpness` n.
    """

    picture: ClassVar = "brake"
    stiffness: Any
    yield_deflection: Any
    share: Any = 0.1
    sharpness: int = 1
    units: ClassVar = {"stiffness": "N/m", "yield_deflection": "m", "share": "1"}
    positive: ClassVar = ("yield_deflection",)
    states: ClassVar = (("hysteretic", "m"),)

    def problems(self):
        if not isinstance(self.sharpness, int) or self.sharpness < 1:
            return (f"needs a whole sharpness of 1 or more, got {self.sharpness!r}",)
        return ()

    def zdot(self, K, s):
        r = K.divide(s.z[0], self.get(K, "yield_deflection"))
        size = K.call("abs", r)
        power = size ** (self.sharpness - 1) if self.sharpness > 1 else 1
        decay = K.call("abs", s.rate) * power * r + s.rate * power * size  # FO.22
        return (s.rate - decay * HALF,)

    def force(self, K, s):
        k, a = self.get(K, "stiffness"), self.get(K, "share")
        return a * k * s.x + (1 - a) * k * s.z[0]

    def potential(self, K, s):
        k, a = self.get(K, "stiffness"), self.get(K, "share")
        return (a * k * s.x * s.x + (1 - a) * k * s.z[0] * s.z[0]) * HALF

    def dissipation(self, K, s):
        k, a = self.get(K, "stiffness"), self.get(K, "share")
        (zdot,) = self.zdot(K, s)
        return (1 - a) * k * s.z[0] * (s.rate - zdot)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls(1e3, 0.05), cls(1e3, 0.05, 0.2, 2)
