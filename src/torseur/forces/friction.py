"""Friction, play, hysteresis and stops.  Theory: FO.18 to FO.24."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..spatial import HALF
from .base import Guard, Law, Seen, where  # noqa: F401 (Seen is for the examples)
from .simple import _Source

FORWARD, BACKWARD, STUCK = 0, 1, 2


def smooth_sign(K, x, width):
    """tanh(x / width)."""
    return K.call("tanh", K.divide(x, width))


@dataclass(frozen=True, slots=True)
class Coulomb(Law):
    """Dry friction, regularised: `force * tanh(rate / slip)`, plus viscous and Stribeck's bump.

    `force` [N or N m] while sliding, `static` the largest one near rest (default: as sliding),
    `slip` [m/s or rad/s] the speed that counts as rest, `stribeck` the speed over which the bump
    fades, `damping` viscous.  At rest it creeps; `DryFriction` and `LuGre` hold.
    """

    force_: Any
    slip: Any = 1e-3
    static: Any = None
    stribeck: Any = 1e-2
    damping: Any = 0
    units: ClassVar = {
        "force_": "N",
        "slip": "m/s",
        "static": "N",
        "stribeck": "m/s",
        "damping": "N s/m",
    }
    positive: ClassVar = ("slip", "stribeck")
    not_negative: ClassVar = ("force_", "static")

    def __init__(self, force, slip=1e-3, static=None, stribeck=1e-2, damping=0):
        for name, x in zip(
            ("force_", "slip", "static", "stribeck", "damping"),
            (force, slip, static, stribeck, damping),
            strict=True,
        ):
            object.__setattr__(self, name, x)

    def force(self, K, s):
        level = _level(self, K, s.rate)
        return (
            level * smooth_sign(K, s.rate, self.get(K, "slip")) + self.get(K, "damping") * s.rate
        )  # FO.18

    def dissipation(self, K, s):
        return self.force(K, s) * s.rate


def _level(law, K, rate):
    """Sliding friction with Stribeck's bump."""
    F = law.get(K, "force_")
    if law.static is None:
        return F
    r = K.divide(rate, law.get(K, "stribeck"))
    return F + (law.get(K, "static") - F) * K.call("exp", -(r * r))


@dataclass(frozen=True, slots=True)
class LuGre(Law):
    """Friction with bristles that bend before they slip; it holds at rest.

    `force` and `static` [N], `stribeck` [m/s], `stiffness` and `bristle_damping` of the bristles,
    `damping` viscous.
    """

    force_: Any
    static: Any
    stribeck: Any = 1e-2
    stiffness: Any = 1e5
    bristle_damping: Any = 0
    damping: Any = 0
    units: ClassVar = {
        "force_": "N",
        "static": "N",
        "stribeck": "m/s",
        "stiffness": "N/m",
        "bristle_damping": "N s/m",
        "damping": "N s/m",
    }
    positive: ClassVar = ("static", "stribeck", "stiffness")
    not_negative: ClassVar = ("force_",)
    states: ClassVar = (("bristle", "m"),)

    def __init__(
        self, force, static=None, stribeck=1e-2, stiffness=1e5, bristle_damping=0, damping=0
    ):
        static = force if static is None else static
        for name, x in zip(
            ("force_", "static", "stribeck", "stiffness", "bristle_damping", "damping"),
            (force, static, stribeck, stiffness, bristle_damping, damping),
            strict=True,
        ):
            object.__setattr__(self, name, x)

    def zdot(self, K, s):
        bent = K.divide(self.get(K, "stiffness") * s.z[0], _level(self, K, s.rate))
        return (s.rate - K.call("abs", s.rate) * bent,)  # FO.19

    def force(self, K, s):
        (zdot,) = self.zdot(K, s)
        return (
            self.get(K, "stiffness") * s.z[0]
            + self.get(K, "bristle_damping") * zdot
            + self.get(K, "damping") * s.rate
        )

    def potential(self, K, s):
        return self.get(K, "stiffness") * s.z[0] * s.z[0] * HALF

    def dissipation(self, K, s):
        (zdot,) = self.zdot(K, s)
        return self.force(K, s) * s.rate - self.get(K, "stiffness") * s.z[0] * zdot


@dataclass(frozen=True, slots=True)
class DryFriction(Law):
    """Dry friction with events: sliding at exactly `force`, or held by a stiff damped bristle.

    While sliding the force does not depend on the speed; where the speed vanishes the link sticks,
    and breaks away when the bristle (`stiffness`, `bristle_damping`) pulls more than `static`.
    """

    force_: Any
    static: Any = None
    stiffness: Any = 1e8
    bristle_damping: Any = 1e4
    units: ClassVar = {"force_": "N", "static": "N", "stiffness": "N/m", "bristle_damping": "N s/m"}
    positive: ClassVar = ("stiffness",)
    not_negative: ClassVar = ("force_", "static")
    history: ClassVar = True
    memory: ClassVar = (
        ("mode", "1"),
        ("level", "N"),
        ("slope", "N/m"),
        ("drag", "N s/m"),
        ("origin", "m"),
    )
    modes: ClassVar = ("forward", "backward", "stuck")

    def __init__(self, force, static=None, stiffness=1e8, bristle_damping=1e4):
        for name, x in zip(
            ("force_", "static", "stiffness", "bristle_damping"),
            (force, force if static is None else static, stiffness, bristle_damping),
            strict=True,
        ):
            object.__setattr__(self, name, x)

    def force(self, K, s):
        return s.m[1] + s.m[2] * (s.x - s.m[4]) + s.m[3] * s.rate  # FO.20

    def potential(self, K, s):
        d = s.x - s.m[4]
        return s.m[2] * d * d * HALF

    def dissipation(self, K, s):
        return (s.m[1] + s.m[3] * s.rate) * s.rate

    def _slide(self, K, sign):
        return (
            float(FORWARD if sign > 0 else BACKWARD),
            sign * self.get(K, "force_"),
            0.0,
            0.0,
            0.0,
        )

    def _stick(self, K, x, level):
        """Held from here on; the bristle starts with the pull that friction had."""
        k = self.get(K, "stiffness")
        return (float(STUCK), 0.0, k, self.get(K, "bristle_damping"), x - K.divide(level, k))

    def start(self, K, s):
        if s.rate == 0:
            return (), self._stick(K, s.x, 0.0)
        return (), self._slide(K, 1 if s.rate > 0 else -1)

    def guards(self, K, s):
        forward, stuck = K.less(s.m[0], FORWARD + 0.5), K.less(STUCK - 0.5, s.m[0])
        sliding = K.select(forward, s.rate, -s.rate)
        pull, most = self.force(K, s), self.get(K, "static")
        return (
            Guard("sticks", K.select(stuck, 1.0, sliding)),
            Guard("breaks forward", K.select(stuck, most - pull, 1.0)),
            Guard("breaks backward", K.select(stuck, most + pull, 1.0)),
        )

    def jump(self, K, k, s):
        if k == 0:
            return (), self._stick(K, s.x, s.m[1])
        return (), self._slide(K, 1 if k == 1 else -1)

    def mode(self, K, s):
        return s.m[0]


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


@dataclass(frozen=True, slots=True)
class BoucWen(Law):
    """Smooth hysteresis: an elastic share and a share that yields.

    `stiffness` [N/m], `share` of it that stays elastic, `yield_deflection` [m], `sharpness` n.
    """

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
        lost = K.call("abs", s.rate) * power * r + s.rate * power * size  # FO.22
        return (s.rate - lost * HALF,)

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


@dataclass(frozen=True, slots=True)
class Threshold(Law):
    """No force: an event whenever x passes `value`; name its element in `stop_when` to stop there.

    >>> [g.name for g in Threshold(0.5).guards(None, Seen(0.2, 1.0))]
    ['rises', 'falls']
    """

    value: Any
    units: ClassVar = {"value": "m"}

    def force(self, K, s):
        return 0

    def guards(self, K, s):
        value = self.value if K is None else self.get(K, "value")
        return Guard("rises", value - s.x), Guard("falls", s.x - value)

    def jump(self, K, k, s):
        return s.z, s.m


@dataclass(frozen=True, slots=True)
class Servo(_Source):
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

    @property
    def inputs(self):
        return tuple(
            x for x in (self.target, self.target_rate, self.feedforward) if isinstance(x, str)
        )

    def numbers(self):
        from .base import _numbers

        for name in ("kp", "kd", "target", "target_rate", "feedforward"):
            if not isinstance(getattr(self, name), str) or name in ("kp", "kd"):
                yield from _numbers(getattr(self, name))

    def force(self, K, s):
        u = iter(s.u)
        r, rdot, f = (
            next(u) if isinstance(getattr(self, n), str) else self.get(K, n)
            for n in ("target", "target_rate", "feedforward")
        )
        push = f + self.get(K, "kp") * (r - s.x) + self.get(K, "kd") * (rdot - s.rate)  # FO.24
        return -push
