"""Motion laws that are as quick as limits allow: trapezoids and S curves.  Theory: ML.4, ML.6."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, TorseurError, shown
from .motion_laws import MotionProfile, told_as_numbers


class _Limited(MotionProfile):
    """A law of `phases` [s] that limits shape; slower than they allow where a duration is given."""

    limits: ClassVar[tuple[str, ...]]
    _phases: tuple[float, ...]

    def _settle(self, start, end, duration, begin, phases, **limits):
        shortest = float(sum(phases))
        if duration is None:
            duration = shortest
        elif isinstance(duration, bool) or not isinstance(duration, int | float | np.number):
            raise ArgumentError(f"duration = {shown(duration)}: expected a number [s]")
        elif duration < shortest * (1 - 1e-12):
            raise TorseurError(
                f"{duration:g} s are not enough from {start:g} to {end:g}: the limits need "
                f"{shortest:g} s, {shortest - duration:.3g} s more"
            )
        fields = {"start": start, "end": end, "duration": duration, "begin": begin, **limits}
        for name, x in fields.items():
            object.__setattr__(self, name, float(x))
        slow = duration / shortest if shortest else 1.0
        object.__setattr__(self, "_phases", tuple(float(x) * slow for x in phases))

    def slower(self, duration):
        """The same way in a longer time: the limits shrink together."""
        limits = {n: getattr(self, n) for n in self.limits}
        return type(self)(self.start, self.end, duration, self.begin, **limits)


def _positive(what, **limits):
    if not all(x > 0 for x in limits.values()):
        given = ", ".join(f"{n} {x}" for n, x in limits.items())
        raise TorseurError(f"{what} needs positive limits, got {given}")


@dataclass(frozen=True, eq=False)
class Trapezoidal(_Limited):
    """Constant acceleration, constant speed, constant braking.

    Give limits of `speed`, `acceleration` and, where braking differs, `deceleration`; without
    `duration` the law is as quick as they allow.  Where the way is too short to reach the speed,
    there is no plateau (triangular law).

    >>> round(Trapezoidal(0.0, 1.0, speed=2.0, acceleration=6.0).duration, 12)
    0.833333333333
    >>> Trapezoidal(0.0, 1.0, speed=1.0, acceleration=4.0, deceleration=2.0).breakpoints
    (0.0, 0.25, 0.875, 1.375)
    """

    speed: float = 1.0
    acceleration: float = 1.0
    deceleration: float = 1.0
    limits: ClassVar = ("speed", "acceleration", "deceleration")

    def __init__(
        self,
        start: float,
        end: float,
        duration: float | None = None,
        begin: Any = 0.0,
        *,
        speed: float = 1.0,
        acceleration: Any = 1.0,
        deceleration: float | None = None,
    ):
        braking = acceleration if deceleration is None else deceleration
        own = {"start": start, "end": end, "begin": begin, "speed": speed}
        told_as_numbers("Trapezoidal", **own, acceleration=acceleration, deceleration=braking)
        _positive("a trapezoidal law", speed=speed, acceleration=acceleration, deceleration=braking)
        way = abs(end - start)
        both = 1 / acceleration + 1 / braking
        top = min(speed, np.sqrt(2 * way / both))
        up, down = top / acceleration, top / braking
        even = max(way / top - (up + down) / 2, 0.0) if way else 0.0  # ML.4
        phases = up, even, down
        given = {"speed": speed, "acceleration": acceleration, "deceleration": braking}
        self._settle(start, end, duration, begin, phases, **given)

    @property
    def breakpoints(self):
        b, d, (up, _, down) = self.begin, self.duration, self._phases
        return tuple(sorted({b, b + up, b + d - down, b + d}))

    def _moving(self, t, order):
        D, (r, _, f), first, last = self.span, self._phases, self.begin, self.begin + self.duration
        rise, fall = first + r, last - f
        top = D / (self.duration - (r + f) / 2)
        up, even, down = {
            0: lambda: (
                self.start + top * (t - first) ** 2 / (2 * r),
                self.start + top * (t - first - r / 2),
                self.end - top * (last - t) ** 2 / (2 * f),
            ),
            1: lambda: (top * (t - first) / r, top, top * (last - t) / f),
            2: lambda: (top / r, 0.0, -top / f),
        }.get(order, lambda: (0.0, 0.0, 0.0))()
        return np.where(t >= fall, down, np.where(t < rise, up, even))


@dataclass(frozen=True, eq=False)
class SCurve(_Limited):
    """As a trapezoid whose acceleration has ramps: limits of `speed`, `acceleration` and `jerk`.

    Without `duration` as quick as they allow; phases that a short way does not need fall away.

    >>> law = SCurve(0.0, 1.0, speed=1.0, acceleration=4.0, jerk=40.0)
    >>> round(law.duration, 12), float(abs(law.derivative(law.begin + 0.1, 2)).round(12))
    (1.35, 4.0)
    """

    speed: float = 1.0
    acceleration: float = 1.0
    jerk: float = 1.0
    limits: ClassVar = ("speed", "acceleration", "jerk")

    def __init__(
        self,
        start: float,
        end: float,
        duration: float | None = None,
        begin: Any = 0.0,
        *,
        speed: float = 1.0,
        acceleration: Any = 1.0,
        jerk: Any = 10.0,
    ):
        own = {"start": start, "end": end, "begin": begin, "speed": speed}
        told_as_numbers(type(self).__name__, **own, acceleration=acceleration, jerk=jerk)
        _positive("an S curve", speed=speed, acceleration=acceleration, jerk=jerk)
        phases = _s_phases(abs(end - start), speed, acceleration, jerk)
        given = {"speed": speed, "acceleration": acceleration, "jerk": jerk}
        self._settle(start, end, duration, begin, phases, **given)

    @cached_property
    def _curve(self):
        """Cubic pieces of a way of one, from rest to rest."""
        curve, end = cubic_pieces(self._phases, (1, 0, -1, 0, -1, 0, 1))
        curve.c /= end[0]
        return curve  # ML.6

    @property
    def breakpoints(self):
        if self.duration == 0:
            return (self.begin,)
        return tuple(self.begin + x for x in self._curve.x)

    def _moving(self, t, order):
        x = self.span * self._curve(t - self.begin, order)
        return self.start + x if order == 0 else x


def cubic_pieces(durations, jerks, state=(0.0, 0.0, 0.0)):
    """Phases of constant jerk as a piecewise cubic; position, speed, acceleration at its end."""
    from scipy.interpolate import PPoly

    knots, rows, shortest = [0.0], [], 1e-15 * sum(durations)
    p, v, a = state
    for d, j in zip(durations, jerks, strict=True):
        if d <= shortest:
            continue
        rows.append((j / 6, a / 2, v, p))
        p, v, a = p + v * d + a * d * d / 2 + j * d**3 / 6, v + a * d + j * d * d / 2, a + j * d
        knots.append(knots[-1] + d)
    if not rows:
        rows, knots = [(0.0, 0.0, 0.0, p)], [0.0, 1e-12]
    return PPoly(np.array(rows).T, knots), (p, v, a)


def _s_phases(way, v, a, j):
    """Durations of the seven phases: jerk, acceleration, jerk, plateau, and back."""
    if way == 0:
        return (0.0,) * 7
    tj = min(np.sqrt(v / j), a / j)
    ta = tj + v / a if tj == a / j else 2 * tj
    tv = way / v - ta
    if tv < 0:
        tj, tv = a / j, 0.0
        ta = tj / 2 + np.sqrt(tj * tj / 4 + way / a)
        if ta < 2 * tj:
            tj = (way / (2 * j)) ** (1 / 3)
            ta = 2 * tj
    return (tj, ta - 2 * tj, tj, tv, tj, ta - 2 * tj, tj)


__all__ = ["SCurve", "Trapezoidal", "cubic_pieces"]
