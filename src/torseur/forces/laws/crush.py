"""Crushing: a loading curve, a steep unloading slope, a permanent set; one-sided."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

from ...numbers import values
from ...spatial import HALF
from ..base import Guard, Law, frozen, law, pick, where
from ._pieces import FAR, increasing, pieces

OPEN, LOADING, UNLOADING = 0, 1, 2
FACTORS = ("none", "linear", "power", "log")


@law
@dataclass(frozen=True, slots=True)
class Crush(Law):
    """Force against crush `d`, straight between `points` (d [m], force [N]), with memory.

    The first point is where contact starts (a gap when it is not zero), with no force.  Where the
    crush turns back, the force falls along `unloading` [N/m] to zero, and the link opens with a
    permanent set; on the next contact it climbs the same slope back to where it left the curve.
    Past the last point the curve goes on with slope `beyond` [N/m], by default the last force is
    held.  `sense`: "positive", d = x - free_length, or "compression", d = free_length - x.

    The segment in use is in memory (origin, force, slope, bounds), so the flow has no branches,
    and no adaptive step crosses a kink.  Theory: FO.9 to FO.11.

    `rate_factor` multiplies that static force by f(r), r = |rate| / `reference_rate` [m/s]:
    "none", "linear" (1 + g r), "power" ((1 + g r)^p) or "log" (1 + g log(1 + r)), with g =
    `rate_gain` and p = `rate_exponent`.  It acts both ways, in unloading too, where it gives back
    more than the static triangle: the difference is booked as dissipation, negative there, so a
    slow crush that is let go fast can bring energy.  While unloading, a reversal bends |rate|
    without an event.  Theory: FO.26, FO.27.

    >>> from torseur.numbers import Floats
    >>> fast = Crush(((0, 0), (0.1, 2e3)), 2e5, rate_factor="linear")
    >>> [round(fast.factor(Floats(), rate), 6) for rate in (0.0, 1.0, -10.0, 50 / 3.6)]
    [1.0, 1.016, 1.16, 1.222222]
    """

    points: tuple
    unloading: Any
    beyond: Any = 0
    sense: str = "positive"
    free_length: Any = 0
    rate_factor: str = "none"
    rate_gain: Any = 0.016
    rate_exponent: Any = 1
    reference_rate: Any = 1
    units: ClassVar = {
        "points": "m, N",
        "unloading": "N/m",
        "beyond": "N/m",
        "free_length": "m",
        "rate_gain": "1",
        "rate_exponent": "1",
        "reference_rate": "m/s",
    }
    history: ClassVar = True
    memory: ClassVar = (
        ("mode", "1"),
        ("segment", "1"),
        ("origin", "m"),
        ("force", "N"),
        ("slope", "N/m"),
        ("low", "m"),
        ("high", "m"),
        ("largest", "m"),
    )
    modes: ClassVar = ("open", "loading", "unloading")

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points))

    def problems(self):
        out = list(increasing(self.points))
        if self.sense not in ("positive", "compression"):
            out.append(f"sense={self.sense!r}: expected 'positive' or 'compression'")
        if self.rate_factor not in FACTORS:
            out.append(f"rate_factor={self.rate_factor!r}: expected one of {', '.join(FACTORS)}")
        for name, rule in (("rate_gain", "at least"), ("reference_rate", "above")):
            x = values.exact(getattr(self, name))
            if not isinstance(x, values.Value) and (x < 0 or (x == 0 and rule == "above")):
                out.append(f"needs {name} {rule} zero, but it is {float(x):g}")
        if out:
            return tuple(out)
        if values.exact(self.points[0][1]) != 0:
            out.append(f"must start with no force, but its first point has {self.points[0][1]} N")
        plain = [tuple(map(values.exact, p)) for p in self.points]
        steep = values.exact(self.unloading)
        if not any(isinstance(e, values.Value) for p in plain for e in p) and not isinstance(
            steep, values.Value
        ):
            slopes = [values.divide(b[1] - a[1], b[0] - a[0]) for a, b in pairwise(plain)]
            if not isinstance(end := values.exact(self.beyond), values.Value):
                slopes.append(end)
            if steep <= max(slopes):
                out.append(
                    f"unloads along {float(steep):g} N/m, which must be steeper than every "
                    f"segment of its curve ({float(max(slopes)):g} N/m)"
                )
        return tuple(out)

    def _sign(self):
        return 1 if self.sense == "positive" else -1

    def deflection(self, K, s):
        return (s.x - self.get(K, "free_length")) * self._sign()

    def _force(self, K, s):
        return s.m[3] + s.m[4] * (self.deflection(K, s) - s.m[2])  # FO.9

    def factor(self, K, rate):
        """Force over static force at a rate [m/s], at least 1."""
        if self.rate_factor == "none":
            return 1
        r = K.divide(K.call("abs", rate), self.get(K, "reference_rate"))
        g = self.get(K, "rate_gain")
        if self.rate_factor == "log":
            return 1 + g * K.call("log", 1 + r)  # FO.26
        f = 1 + g * r
        if self.rate_factor == "linear":
            return f
        return K.call("exp", self.get(K, "rate_exponent") * K.call("log", f))

    def knots(self, K):
        free = self.get(K, "free_length")
        return tuple(free + self._sign() * K.number(values.exact(d)) for d, _ in self.points)

    def force(self, K, s):
        return self._force(K, s) * self._sign() * self.factor(K, s.rate)

    def potential(self, K, s):
        F = self._force(K, s)
        return K.divide(F * F * HALF, self.get(K, "unloading"))  # FO.10

    def dissipation(self, K, s):
        kept = K.divide(s.m[4], self.get(K, "unloading"))
        lost = self.factor(K, s.rate) - kept  # FO.11, FO.27
        return self._force(K, s) * s.rate * self._sign() * lost

    def _curve(self, K):
        """Segments of the loading curve: origin, force, slope, low, high."""
        rows = [row[:5] for row in pieces(K, self.points, "hold")[1:]]
        x, F, _, low, high = rows[-1]
        return [*rows[:-1], (x, F, self.get(K, "beyond"), low, high)]

    def start(self, K, s):
        d = self.deflection(K, s)
        curve = self._curve(K)
        if d < curve[0][0] or (d == curve[0][0] and s.rate * self._sign() < 0):
            return (), (
                float(OPEN),
                0.0,
                0.0,
                0.0,
                0.0,
                -FAR,
                float(curve[0][0]),
                float(curve[0][0]),
            )
        i = next(i for i, row in enumerate(curve) if d < row[4])
        if s.rate * self._sign() < 0:  # it is already let go
            x, F, slope, *_ = map(float, curve[i])
            F, ku, d = F + slope * (d - x), float(self.get(K, "unloading")), float(d)
            return (), (float(UNLOADING), float(i), d, F, ku, d - F / ku, d, d)
        return (), (float(LOADING), float(i), *map(float, curve[i]), float(d))

    def guards(self, K, s):
        d, rate = self.deflection(K, s), s.rate * self._sign()
        off = s.m[0] - LOADING
        loading = K.less(off * off, HALF * HALF)
        unloading = K.less(UNLOADING - HALF, s.m[0])
        return (
            Guard("bound above", s.m[6] - d),
            Guard("turning", K.select(loading, rate, 1.0), "rate"),
            Guard("set", K.select(unloading, d - s.m[5], 1.0)),
        )

    def jump(self, K, k, s):
        d = self.deflection(K, s)
        mode, segment, *_, largest = s.m
        ku = self.get(K, "unloading")
        curve = self._curve(K)
        if k == 1:  # the crush turns back
            F = self._force(K, s)
            return (), (float(UNLOADING), segment, d, F, ku, d - K.divide(F, ku), d, d)
        if k == 2:  # no force is left
            return (), (float(OPEN), segment, d, 0.0, 0.0, -FAR, s.m[5], largest)
        fresh = K.less(mode, HALF)  # from open: first contact, or again
        row = pick(K, segment, curve)
        F_top = row[1] + row[2] * (largest - row[0])
        crushed = K.less(curve[0][0], largest)
        first = (float(LOADING), 0.0, *curve[0], largest)
        again = (
            float(UNLOADING),
            segment,
            largest,
            F_top,
            ku,
            largest - K.divide(F_top, ku),
            largest,
            largest,
        )
        contact = where(K, crushed, again, first)
        climb = K.select(K.less(mode, LOADING + HALF), 1.0, 0.0)  # past a knot while loading
        index = segment + climb
        onward = (float(LOADING), index, *pick(K, index, curve), largest)
        return (), where(K, fresh, contact, onward)

    def mode(self, K, s):
        return s.m[0]

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        short = ((0.02, 0.0), (0.1, 2e3))
        power = {"rate_gain": 3.0, "rate_exponent": 0.2, "reference_rate": 0.5}
        return (
            cls(((0.02, 0.0), (0.1, 2e3), (0.2, 1e3), (0.3, 5e3)), 2e5, 6e4),
            cls(((0.0, 0.0), (0.1, 2e3)), 2e5, sense="compression", free_length=0.5),
            cls(short, 2e5, rate_factor="linear"),
            cls(short, 2e5, sense="compression", rate_factor="power", **power),
            cls(short, 2e5, rate_factor="log", rate_gain=0.05),
        )
