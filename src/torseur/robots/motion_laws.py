"""Motion laws: position and its derivatives in time, of any order, and where they have kinks.

Theory: ML.1 to ML.5.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import factorial
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, TorseurError


@dataclass(frozen=True, eq=False)
class Law(ABC):
    """From `start` to `end` in `duration` [s], beginning at `begin`; still before and after.

    `law(t)` gives position, speed and acceleration, each of the shape of t; `law.derivative(t, n)`
    the derivative of order n: 0 the position, 3 the jerk, 4 the snap.  Right limits at kinks.
    """

    start: float
    end: float
    duration: float
    begin: float = 0.0

    @property
    def span(self) -> float:
        return self.end - self.start

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Times where a derivative may jump [s]."""
        return (self.begin, self.begin + self.duration)

    def derivative(self, t, order: int = 1):
        """Derivative of order 0, 1, 2, ... at the times `t` [s], exact.

        >>> Cubic(0.0, 1.0, 2.0).derivative(1.0, 3)          # constant jerk, -12 / 2**3
        np.float64(-1.5)
        """
        if not isinstance(order, int | np.integer) or order < 0:
            raise ArgumentError(
                f"derivative: order={order!r}; expected 0 (position), 1 (speed), "
                "2 (acceleration), 3 (jerk), 4 (snap), ..."
            )
        t = np.asarray(t, dtype=float)
        if self.duration == 0:
            return np.where(t < self.begin, self.start, self.end) if order == 0 else 0 * t
        last = self.begin + self.duration
        x = self._moving(np.clip(t, self.begin, last), order)
        return x if order == 0 else np.where((t >= self.begin) & (t < last), x, 0.0)[()]

    @abstractmethod
    def _moving(self, t, order: int):
        """The derivative at times between the first and the last."""

    @property
    def expression(self) -> str:
        """The position as a text of t, for `Driven` and files.  # ML.7

        >>> Cubic(0.0, 1.0, 2.0).expression
        '0.0 + 1.0*(min(max((t - 0.0)/2.0, 0), 1)**2*(3 + min(max((t - 0.0)/2.0, 0), 1)*(-2)))'
        """
        out = repr(float(self.start))
        for a, b, c in self._pieces():
            u = f"min(max(t - ({float(a)!r}), 0), {float(b - a)!r})"
            terms = "0.0"
            for x in reversed(c[1:]):
                terms = f"{u}*({float(x)!r} + {terms})"
            out += f" + {terms}"
        return out

    def _pieces(self):
        """(from, to, coefficients of growing powers of the time since) of a piecewise law."""
        for a, b in pairwise(self.breakpoints):
            if b > a:
                yield (
                    a,
                    b,
                    [float(self.derivative(a, n)) / factorial(n) for n in range(self.degree)],
                )

    degree: ClassVar[int] = 4

    def __call__(self, t):
        return tuple(self.derivative(t, n) for n in range(3))

    def slower(self, duration: float) -> Law:
        """The same way in a longer time."""
        return replace(self, duration=float(duration))


class _Shaped(Law):
    """A law given by the share of the way at every share of the time."""

    @abstractmethod
    def _shape(self, s, order: int):
        """Derivative of the share of the way, at the share `s` of the time."""

    def _moving(self, t, order):
        s = np.clip((t - self.begin) / self.duration, 0, 1)
        x = self.span * self._shape(s, order) / self.duration**order
        return self.start + x if order == 0 else x

    @property
    def expression(self) -> str:
        s = f"min(max((t - {self.begin!r})/{self.duration!r}, 0), 1)"
        return f"{self.start!r} + {self.span!r}*({self._text(s)})"

    @abstractmethod
    def _text(self, s: str) -> str:
        """The share of the way as a text of the share of the time."""


class _Polynomial(_Shaped):
    """A law whose share of the way is a polynomial of the share of the time."""

    coefficients: ClassVar[tuple[int, ...]]  # of 1, s, s^2, ...

    def _shape(self, s, order):
        from numpy.polynomial import polynomial

        return polynomial.polyval(s, polynomial.polyder(np.array(self.coefficients, float), order))

    def _text(self, s):
        first = next(i for i, c in enumerate(self.coefficients) if c)
        out = f"({self.coefficients[-1]})"
        for c in reversed(self.coefficients[first:-1]):
            out = f"({c} + {s}*{out})"
        return f"{s}**{first}*{out}"


class Cubic(_Polynomial):
    """Speed zero at both ends.

    >>> Cubic(0.0, 1.0, 2.0)(1.0)[0]
    np.float64(0.5)
    """

    coefficients = (0, 0, 3, -2)  # ML.1


class Quintic(_Polynomial):
    """Speed and acceleration zero at both ends."""

    coefficients = (0, 0, 0, 10, -15, 6)  # ML.2


class Septic(_Polynomial):
    """Speed, acceleration and jerk zero at both ends: what elastic joints can follow from rest.

    >>> [float(Septic(0.0, 1.0, 1.0).derivative(0.0, n)) for n in range(5)]
    [0.0, 0.0, 0.0, 0.0, 840.0]
    """

    coefficients = (0, 0, 0, 0, 35, -84, 70, -20)  # ML.5


class Cycloidal(_Shaped):
    """Sine of acceleration: smooth at both ends."""

    def _shape(self, s, order):
        w = 2 * np.pi
        wave = (np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x))[order % 4]
        line = (s, 1.0)[order] if order < 2 else 0.0
        return line - wave(w * s) * w ** (order - 1)  # ML.3

    def _text(self, s):
        return f"{s} - sin(2*pi*{s})/(2*pi)"


@dataclass(frozen=True, eq=False)
class Trapezoidal(Law):
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

    def __init__(
        self,
        start,
        end,
        duration=None,
        begin=0.0,
        *,
        speed=1.0,
        acceleration=1.0,
        deceleration=None,
    ):
        braking = acceleration if deceleration is None else deceleration
        if not (speed > 0 and acceleration > 0 and braking > 0):
            raise TorseurError(
                f"a trapezoidal law needs positive limits, got speed {speed}, acceleration "
                f"{acceleration} and deceleration {braking}"
            )
        way = abs(end - start)
        both = 1 / acceleration + 1 / braking
        top = min(speed, np.sqrt(2 * way / both))
        ramps = top / acceleration, top / braking
        shortest = way / top + sum(ramps) / 2 if way else 0.0  # ML.4
        if duration is None:
            duration = shortest
        elif duration < shortest * (1 - 1e-12):
            raise TorseurError(f"{duration:g} s are not enough: the limits need {shortest:g} s")
        for name, x in (
            ("start", start),
            ("end", end),
            ("duration", duration),
            ("begin", begin),
            ("speed", speed),
            ("acceleration", acceleration),
            ("deceleration", braking),
        ):
            object.__setattr__(self, name, float(x))
        slow = duration / shortest if shortest else 1.0
        object.__setattr__(self, "_ramps", (float(ramps[0]) * slow, float(ramps[1]) * slow))

    def slower(self, duration):
        """The same way in a longer time: speeds and accelerations shrink together."""
        return Trapezoidal(
            self.start,
            self.end,
            duration,
            self.begin,
            speed=self.speed,
            acceleration=self.acceleration,
            deceleration=self.deceleration,
        )

    @property
    def breakpoints(self):
        b, d, (up, down) = self.begin, self.duration, self._ramps
        return tuple(sorted({b, b + up, b + d - down, b + d}))

    def _moving(self, t, order):
        D, (r, f), first, last = self.span, self._ramps, self.begin, self.begin + self.duration
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
class SCurve(Law):
    """As a trapezoid whose acceleration has ramps: limits of `speed`, `acceleration` and `jerk`.

    Without `duration` as quick as they allow; phases that a short way does not need fall away.

    >>> law = SCurve(0.0, 1.0, speed=1.0, acceleration=4.0, jerk=40.0)
    >>> round(law.duration, 12), float(abs(law.derivative(law.begin + 0.1, 2)).round(12))
    (1.35, 4.0)
    """

    speed: float = 1.0
    acceleration: float = 1.0
    jerk: float = 1.0

    def __init__(
        self, start, end, duration=None, begin=0.0, *, speed=1.0, acceleration=1.0, jerk=10.0
    ):
        if not (speed > 0 and acceleration > 0 and jerk > 0):
            raise TorseurError(
                f"an S curve needs positive limits, got speed {speed}, acceleration {acceleration}"
                f" and jerk {jerk}"
            )
        way = abs(end - start)
        phases = _s_phases(way, speed, acceleration, jerk)
        shortest = sum(phases)
        if duration is None:
            duration = shortest
        elif duration < shortest * (1 - 1e-12):
            raise TorseurError(f"{duration:g} s are not enough: the limits need {shortest:g} s")
        for name, x in (
            ("start", start),
            ("end", end),
            ("duration", duration),
            ("begin", begin),
            ("speed", speed),
            ("acceleration", acceleration),
            ("jerk", jerk),
        ):
            object.__setattr__(self, name, float(x))
        slow = duration / shortest if shortest else 1.0
        object.__setattr__(self, "_phases", tuple(float(x) * slow for x in phases))

    def slower(self, duration):
        """The same way in a longer time: all limits shrink together."""
        return SCurve(
            self.start,
            self.end,
            duration,
            self.begin,
            speed=self.speed,
            acceleration=self.acceleration,
            jerk=self.jerk,
        )

    @cached_property
    def _curve(self):
        """Cubic pieces of a way of one, from rest to rest."""
        from scipy.interpolate import PPoly

        signs = (1, 0, -1, 0, -1, 0, 1)
        knots, rows, state = [0.0], [], np.zeros(3)
        for sign, d in zip(signs, self._phases, strict=True):
            if d <= 1e-15 * self.duration:
                continue
            p, v, a = state
            rows.append((sign / 6, a / 2, v, p))
            state = np.array(
                [
                    p + v * d + a * d * d / 2 + sign * d**3 / 6,
                    v + a * d + sign * d * d / 2,
                    a + sign * d,
                ]
            )
            knots.append(knots[-1] + d)
        return PPoly(np.array(rows).T / state[0], knots)  # ML.6

    @property
    def breakpoints(self):
        if self.duration == 0:
            return (self.begin,)
        return tuple(self.begin + x for x in self._curve.x)

    def _moving(self, t, order):
        x = self.span * self._curve(t - self.begin, order)
        return self.start + x if order == 0 else x


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


DEGREES = {"linear": 1, "cubic": 3, "quintic": 5, "septic": 7}


@dataclass(frozen=True, eq=False)
class Points(Law):
    """Through points (time, position), at rest at both ends.

    `kind`: "linear"; "cubic" (speed zero at the ends, acceleration without jumps); "quintic"
    (acceleration zero too, snap without jumps); "septic" (jerk zero too), for elastic joints.
    """

    def __init__(self, times, positions, kind: str = "cubic"):
        times, positions = np.asarray(times, float), np.asarray(positions, float)
        if times.ndim != 1 or times.shape != positions.shape or (np.diff(times) <= 0).any():
            raise TorseurError("a law through points needs growing times and as many positions")
        if kind not in DEGREES:
            raise TorseurError(f"kind={kind!r}: expected one of {', '.join(map(repr, DEGREES))}")
        for name, x in (
            ("start", positions[0]),
            ("end", positions[-1]),
            ("begin", times[0]),
            ("duration", times[-1] - times[0]),
        ):
            object.__setattr__(self, name, float(x))
        object.__setattr__(self, "_points", (times, positions, kind))

    @cached_property
    def _curve(self):
        from scipy.interpolate import PPoly, make_interp_spline

        times, positions, kind = self._points
        if kind == "linear":
            return PPoly(np.stack([np.diff(positions) / np.diff(times), positions[:-1]]), times)
        degree = DEGREES[kind]
        still = [(n, 0.0) for n in range(1, (degree + 1) // 2)]
        return PPoly.from_spline(make_interp_spline(times, positions, degree, bc_type=(still,) * 2))

    @property
    def breakpoints(self):
        return tuple(map(float, self._points[0]))

    @property
    def degree(self):
        return DEGREES[self._points[2]] + 1

    def slower(self, duration):
        """The same points, their times stretched."""
        times, positions, kind = self._points
        share = (times - times[0]) / (times[-1] - times[0])
        return Points(times[0] + share * duration, positions, kind)

    def _moving(self, t, order):
        return self._curve(t, order)


def synchronised(laws: Sequence[Law]) -> tuple[Law, ...]:
    """Laws of several coordinates stretched to end together."""
    longest = max(law.duration for law in laws)
    return tuple(law.slower(longest) for law in laws)


Motion = Mapping[str, Callable[[Any], tuple]]


def sample(motion: Motion, times) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Position, speed and acceleration of every named coordinate at given times."""
    return {
        name: tuple(np.broadcast_to(x, np.shape(times)) for x in law(times))
        for name, law in motion.items()
    }


__all__ = [
    "Cubic",
    "Cycloidal",
    "Law",
    "Points",
    "Quintic",
    "SCurve",
    "Septic",
    "Trapezoidal",
    "sample",
    "synchronised",
]
