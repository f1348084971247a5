"""Elastic, then plastic, with hardening that moves along: a loop in tension and compression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...scalars.values import value
from ...spatial import HALF
from ..base import Guard, Law, Seen, law  # noqa: F401 (Seen is for the examples)

ELASTIC, FORWARD, BACKWARD = 0, 1, 2


@law
@dataclass(frozen=True, slots=True)
class KinematicHardening(Law):
    """Bilinear loop: slope `stiffness` [N/m] until `yield_force` [N], then `hardening` [N/m].

    Turned back it is elastic over twice the yield force, wherever it turned: the elastic range
    moves along with the plastic strain.  Deflection is `x - free_length`.  Theory: FO.35.

    >>> from torseur.scalars import Floats
    >>> bar = KinematicHardening(2e6, 4e4, 1e5)
    >>> s = Seen(0.1, 1.0)
    >>> s = s._replace(m=bar.start(Floats(), s)[1])
    >>> bar.force(Floats(), s), bar.modes[int(bar.mode(Floats(), s))]
    (48000.0, 'forward')
    """

    picture: ClassVar = "crush"
    stiffness: Any
    yield_force: Any
    hardening: Any = 0
    free_length: Any = 0
    units: ClassVar = {
        "stiffness": "N/m",
        "yield_force": "N",
        "hardening": "N/m",
        "free_length": "m",
    }
    positive: ClassVar = ("stiffness", "yield_force")
    not_negative: ClassVar = ("hardening",)
    history: ClassVar = True
    affine: ClassVar = True
    memory: ClassVar = (("mode", "1"), ("force", "N"), ("slope", "N/m"), ("origin", "m"))
    modes: ClassVar = ("elastic", "forward", "backward")
    extras: ClassVar = (("set", "m"),)

    def problems(self):
        k, H = value.exact(self.stiffness), value.exact(self.hardening)
        if not isinstance(k, value.Value) and not isinstance(H, value.Value) and H >= k:
            return (f"hardens by {float(H):g} N/m, not less than its stiffness {float(k):g} N/m",)
        return ()

    def deflection(self, K, s):
        return s.x - self.get(K, "free_length")

    def _yield_level(self, K):
        """What yields beside the spring of hardening [N]."""
        k, H = self.get(K, "stiffness"), self.get(K, "hardening")
        return self.get(K, "yield_force") * (1 - K.divide(H, k))

    def _plastic_force(self, K, s):
        """Force beside the spring of hardening [N]."""
        return self.force(K, s) - self.get(K, "hardening") * self.deflection(K, s)

    def force(self, K, s):
        return s.m[1] + s.m[2] * (self.deflection(K, s) - s.m[3])  # FO.35

    def tangent(self, K, s):
        return s.m[2]

    def softest(self, K):
        return (self.get(K, "hardening"), self.get(K, "stiffness"))

    def potential(self, K, s):
        k, H = self.get(K, "stiffness"), self.get(K, "hardening")
        d, Q = self.deflection(K, s), self._plastic_force(K, s)
        return (H * d * d + K.divide(Q * Q, k - H)) * HALF

    def dissipation(self, K, s):
        k, H = self.get(K, "stiffness"), self.get(K, "hardening")
        return self._plastic_force(K, s) * s.rate * (1 - K.divide(s.m[2] - H, k - H))

    def extra(self, K, s):
        return (self.deflection(K, s) - K.divide(self.force(K, s), self.get(K, "stiffness")),)

    def _plastic_history(self, K, sign):
        level = self._yield_level(K) * sign
        return (float(FORWARD if sign > 0 else BACKWARD), level, self.get(K, "hardening"), 0.0)

    def start(self, K, s):
        d, level = self.deflection(K, s), self._yield_level(K)
        k, H = self.get(K, "stiffness"), self.get(K, "hardening")
        limit = K.divide(self.get(K, "yield_force"), k)
        if abs(d) < limit:
            return (), (float(ELASTIC), 0.0, k, 0.0)
        sign = 1 if d > 0 else -1
        if s.rate * sign < 0:  # it is already turned back
            return (), (float(ELASTIC), sign * level + H * d, k, d)
        return (), self._plastic_history(K, sign)

    def knots(self, K):
        limit = K.divide(self.get(K, "yield_force"), self.get(K, "stiffness"))
        free = self.get(K, "free_length")
        return free - limit, free + limit

    def guards(self, K, s):
        elastic = K.less(s.m[0], HALF)
        Q, level = self._plastic_force(K, s), self._yield_level(K)
        forward_rate = K.select(K.less(s.m[0], FORWARD + HALF), s.rate, -s.rate)
        return (
            Guard("yields forward", K.select(elastic, level - Q, 1.0), "force"),
            Guard("yields backward", K.select(elastic, level + Q, 1.0), "force"),
            Guard("turning", K.select(elastic, 1.0, forward_rate), "rate"),
        )

    def jump(self, K, k, s):
        if k < 2:
            return (), self._plastic_history(K, (1, -1)[k])
        d = self.deflection(K, s)
        return (), (float(ELASTIC), self.force(K, s), self.get(K, "stiffness"), d)

    def mode(self, K, s):
        return s.m[0]

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return cls(2e5, 4e2, 1e4), cls(2e5, 4e2, free_length=0.05)
