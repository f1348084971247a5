"""Stops, compliant or rigid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..base import Guard, Law, law, where
from .backlash import Backlash


@law
@dataclass(frozen=True, slots=True)
class Limits(Law):
    """Stops at `low` and `high`: compliant (`stiffness`, `damping`), or rigid with `restitution`.

    A rigid stop gives the coordinate the speed `-restitution * speed` at the instant of contact;
    rest on a rigid stop needs a constraint, so give it stiffness where that matters.
    """

    low: Any
    high: Any
    stiffness: Any = 0
    damping: Any = 0
    restitution: Any = None
    units: ClassVar = {
        "low": "m",
        "high": "m",
        "stiffness": "N/m",
        "damping": "N s/m",
        "restitution": "1",
    }
    not_negative: ClassVar = ("restitution",)
    memory: ClassVar = (("side", "1"), ("slope", "N/m"), ("drag", "N s/m"), ("origin", "m"))
    modes: ClassVar = ("free", "high", "low")

    def problems(self):
        out = []
        plain = [x for x in (self.low, self.high) if isinstance(x, int | float)]
        if len(plain) == 2 and not plain[0] < plain[1]:
            out.append(f"has its low stop at {plain[0]:g}, not below the high one at {plain[1]:g}")
        if self.restitution is None and self.stiffness == 0:
            out.append("needs stiffness= or restitution=")
        if isinstance(self.restitution, int | float) and self.restitution > 1:
            out.append(f"needs a restitution of at most 1, got {self.restitution}")
        return tuple(out)

    force, potential = Backlash.force, Backlash.potential
    dissipation, mode = Backlash.dissipation, Backlash.mode

    def _at(self, K, side):
        if side == 0 or self.restitution is not None:
            return (0.0, 0.0, 0.0, 0.0)
        return (
            float(side),
            self.get(K, "stiffness"),
            self.get(K, "damping"),
            self.get(K, "high" if side == 1 else "low"),
        )

    def start(self, K, s):
        side = 1 if s.x >= self.get(K, "high") else 2 if s.x <= self.get(K, "low") else 0
        return (), self._at(K, side)

    def guards(self, K, s):
        low, high, side = self.get(K, "low"), self.get(K, "high"), s.m[0]
        free, above = K.less(side, 0.5), K.less((side - 1) * (side - 1), 0.25)
        up = K.select(free, high - s.x, K.select(above, s.x - high, 1.0))
        down = K.select(free, s.x - low, K.select(above, 1.0, low - s.x))
        return Guard("high stop", up), Guard("low stop", down)

    def jump(self, K, k, s):
        if self.restitution is not None:
            return s.z, s.m
        return (), where(K, K.less(s.m[0], 0.5), self._at(K, k + 1), self._at(K, 0))

    def impulse(self, K, k, s):
        if self.restitution is None:
            return None
        return -(self.get(K, "restitution") * s.rate)  # FO.23

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls(-0.2, 0.3, 1e4, 20.0), cls(-0.2, 0.3, restitution=0.5)
