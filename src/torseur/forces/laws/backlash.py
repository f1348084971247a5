"""Play between two sides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...spatial import HALF
from ..base import Guard, Law, law, where


@law
@dataclass(frozen=True, slots=True)
class Backlash(Law):
    """Play: no force while `|x| < gap`, a spring and a damper beyond, on either side.

    The side in contact is in memory; crossing the gap's edges are events.
    """

    gap: Any
    stiffness: Any
    damping: Any = 0
    units: ClassVar = {"gap": "m", "stiffness": "N/m", "damping": "N s/m"}
    not_negative: ClassVar = ("gap",)
    memory: ClassVar = (("side", "1"), ("slope", "N/m"), ("drag", "N s/m"), ("origin", "m"))
    modes: ClassVar = ("free", "above", "below")

    def force(self, K, s):
        return s.m[1] * (s.x - s.m[3]) + s.m[2] * s.rate  # FO.21

    def potential(self, K, s):
        d = s.x - s.m[3]
        return s.m[1] * d * d * HALF

    def dissipation(self, K, s):
        return s.m[2] * s.rate * s.rate

    def _at(self, K, side):
        g = self.get(K, "gap")
        if side == 0:
            return (0.0, 0.0, 0.0, 0.0)
        return (
            float(side),
            self.get(K, "stiffness"),
            self.get(K, "damping"),
            g if side == 1 else -g,
        )

    def start(self, K, s):
        g = self.get(K, "gap")
        return (), self._at(K, 1 if s.x >= g else 2 if s.x <= -g else 0)

    def guards(self, K, s):
        g, side = self.get(K, "gap"), s.m[0]
        free, above = K.less(side, 0.5), K.less((side - 1) * (side - 1), 0.25)
        up = K.select(free, g - s.x, K.select(above, s.x - g, 1.0))
        down = K.select(free, g + s.x, K.select(above, 1.0, -g - s.x))
        return Guard("edge above", up), Guard("edge below", down)

    def jump(self, K, k, s):
        entered = K.less(s.m[0], 0.5)
        return (), where(K, entered, self._at(K, k + 1), self._at(K, 0))

    def mode(self, K, s):
        return s.m[0]

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls(0.05, 1e3, 4.0),)
