"""A position servo."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import derived
from ..base import Source, exact_numbers, law


@law
@dataclass(frozen=True, slots=True)
class Servo(Source):
    """Position servo: pushes with `kp (target - x) + kd (target_rate - rate) + feedforward`.

    `target`, `target_rate` and `feedforward` are numbers, or names of inputs.
    """

    kp: Any
    kd: Any = 0
    target: Any = 0
    target_rate: Any = 0
    feedforward: Any = 0
    units: ClassVar = {
        "kp": "N/m",
        "kd": "N s/m",
        "target": "m",
        "target_rate": "m/s",
        "feedforward": "N",
    }

    @derived
    def inputs(self):
        return tuple(
            x for x in (self.target, self.target_rate, self.feedforward) if isinstance(x, str)
        )

    @derived
    def deflects(self):
        return tuple(n for n, gain in (("x", self.kp), ("rate", self.kd)) if gain != 0)

    def numbers(self):
        for name in ("kp", "kd", "target", "target_rate", "feedforward"):
            if not isinstance(getattr(self, name), str) or name in ("kp", "kd"):
                yield from exact_numbers(getattr(self, name))

    def force(self, K, s):
        u = iter(s.u)
        r, rdot, f = (
            next(u) if isinstance(getattr(self, n), str) else self.get(K, n)
            for n in ("target", "target_rate", "feedforward")
        )
        push = f + self.get(K, "kp") * (r - s.x) + self.get(K, "kd") * (rdot - s.rate)  # FO.24
        return -push

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls(200.0, 10.0, 0.1), cls(200.0, 10.0, "push", feedforward=2.0)
