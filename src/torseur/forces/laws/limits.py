"""Stops, compliant or rigid."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import derived
from ..base import Guard, law
from ._unilateral_stops import UnilateralStops


@law
@dataclass(frozen=True, slots=True)
class Limits(UnilateralStops):
    """Stops at `low` and `high`: compliant (`stiffness`, `damping`), or rigid with `restitution`.

    A compliant stop presses and never pulls: where its damper would hold back what leaves, it lets
    go.  A rigid stop gives the coordinate the speed `-restitution * speed` at the instant of
    contact, which closed contacts and frictions answer with it; rest on a rigid stop needs a
    constraint, so give it stiffness where that matters.
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
    not_negative: ClassVar = ("restitution", "stiffness", "damping")
    modes: ClassVar = ("free", "high", "low", "high, letting go", "low, letting go")
    names: ClassVar = ("high stop", "low stop")

    def problems(self):
        out = []
        numbers = [x for x in (self.low, self.high) if isinstance(x, int | float)]
        if len(numbers) == 2 and not numbers[0] < numbers[1]:
            out.append(
                f"has its low stop at {numbers[0]:g}, not below the high one at {numbers[1]:g}"
            )
        if self.restitution is None and self.stiffness == 0:
            out.append("needs stiffness= or restitution=")
        if isinstance(self.restitution, int | float) and self.restitution > 1:
            out.append(f"needs a restitution of at most 1, got {self.restitution}")
        return tuple(out)

    range = derived(lambda self: (self.low, self.high))

    def contact_points(self, K):
        return self.get(K, "low"), self.get(K, "high")

    affine = derived(lambda self: not self._damped and not self.rigid)

    @derived
    def rigid(self) -> bool:
        """Whether it bounces at once."""
        return self.restitution is not None

    def start(self, K, s):
        return ((), self._history_on(K, 0)) if self.rigid else UnilateralStops.start(self, K, s)

    def guards(self, K, s):
        if not self.rigid:
            return UnilateralStops.guards(self, K, s)
        low, high = self.contact_points(K)
        return tuple(
            Guard(name, x, waits=2)
            for name, x in zip(self.names, (high - s.x, s.x - low), strict=True)
        )

    def jump(self, K, k, s):
        return (s.z, s.m) if self.rigid else UnilateralStops.jump(self, K, k, s)

    def impulse(self, K, k, s):
        return -(self.get(K, "restitution") * s.rate) if self.rigid else None  # FO.23

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls(-0.2, 0.3, 1e4, 20.0), cls(-0.2, 0.3, restitution=0.5)
