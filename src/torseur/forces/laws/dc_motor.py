"""A direct-current motor with its current loop and the limit of its supply.  Theory: FO.41."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import derived
from ..base import Source, law


@law
@dataclass(frozen=True, slots=True)
class DCMotor(Source):
    """Pushes with `ratio * kt * i`, i the current of a winding behind a controlled supply.

    `L i' = u - R i - kt w`, w = `ratio` times the rate of x; the supply gives
    `u = gain (i_ref - i) + integral`, at most `voltage` either way, and the integral rests while it
    gives that most.  The wanted current `i_ref` is `input` (a name) or `current` [A].

    `kt` [N m/A], `resistance` [V/A], `inductance` [V s/A], `voltage` [V], `gain` [V/A],
    `integral_gain` [V/(A s)].
    """

    kt: Any
    resistance: Any
    inductance: Any
    voltage: Any
    gain: Any
    integral_gain: Any = 0
    ratio: Any = 1
    current: Any = 0
    input: str | None = None
    units: ClassVar = {
        "kt": "N m/A",
        "resistance": "V/A",
        "inductance": "V s/A",
        "voltage": "V",
        "gain": "V/A",
        "integral_gain": "V/A/s",
        "ratio": "1",
        "current": "A",
    }
    scales: ClassVar = ()  # kt brakes, too
    positive: ClassVar = ("kt", "resistance", "inductance", "voltage", "gain")
    not_negative: ClassVar = ("integral_gain",)
    states: ClassVar = (("current", "A"), ("integral", "V"))

    @derived
    def inputs(self):
        return () if self.input is None else (self.input,)

    @derived
    def deflects(self):
        return ("rate",)

    def reference_current(self, K, s):
        """The current that is asked for [A]."""
        return self.get(K, "current") if self.input is None else s.u[0]

    def zdot(self, K, s):
        i, total = s.z
        error = self.reference_current(K, s) - i
        demanded = self.get(K, "gain") * error + total
        limit = self.get(K, "voltage")
        u = K.call("min", K.call("max", demanded, -limit), limit)
        back = self.get(K, "kt") * self.get(K, "ratio") * s.rate
        rate = K.divide(u - self.get(K, "resistance") * i - back, self.get(K, "inductance"))
        grows = self.get(K, "integral_gain") * error
        rests = K.select(K.less(K.call("abs", demanded), limit), grows, 0)  # FO.41
        return rate, rests

    def force(self, K, s):
        return -(self.get(K, "ratio") * self.get(K, "kt") * s.z[0])

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        numbers = (0.1, 0.5, 2e-3, 24.0, 2.0, 400.0, 10)
        return cls(*numbers, current=3.0), cls(*numbers, input="push")
