"""Motion laws: position and its derivatives in time, of any order, and where they have kinks.

Theory: ML.1 to ML.5.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
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


class _Polynomial(_Shaped):
    """A law whose share of the way is a polynomial of the share of the time."""

    coefficients: ClassVar[tuple[int, ...]]  # of 1, s, s^2, ...

    def _shape(self, s, order):
        from numpy.polynomial import polynomial

        return polynomial.polyval(s, polynomial.polyder(np.array(self.coefficients, float), order))


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


@dataclass(frozen=True, eq=False)
class Trapezoidal(Law):
    """Constant acceleration, constant speed, constant braking.

    Give `speed` and `acceleration` limits; without `duration` the law is as quick as they allow.
    Where the way is too short to reach the speed, there is no plateau (triangular law).

    >>> round(Trapezoidal(0.0, 1.0, speed=2.0, acceleration=6.0).duration, 12)
    0.833333333333
    """

    speed: float = 1.0
    acceleration: float = 1.0

    def __init__(self, start, end, duration=None, begin=0.0, *, speed=1.0, acceleration=1.0):
        if not (speed > 0 and acceleration > 0):
            raise TorseurError(
                f"a trapezoidal law needs positive limits, got speed {speed} and "
                f"acceleration {acceleration}"
            )
        way = abs(end - start)
        if way * acceleration < speed**2:
            ramp = np.sqrt(way / acceleration)
            shortest = 2 * ramp
        else:
            ramp = speed / acceleration
            shortest = way / speed + ramp  # ML.4
        if duration is None:
            duration = shortest
        elif duration < shortest * (1 - 1e-12):
            raise TorseurError(f"{duration:g} s are not enough: the limits need {shortest:g} s")
        for name, x in (
            ("start", float(start)),
            ("end", float(end)),
            ("duration", float(duration)),
            ("begin", float(begin)),
            ("speed", float(speed)),
            ("acceleration", float(acceleration)),
        ):
            object.__setattr__(self, name, x)
        object.__setattr__(self, "_ramp", float(ramp) * (duration / shortest if shortest else 1.0))

    def slower(self, duration):
        """The same way in a longer time: speeds and accelerations shrink together."""
        return Trapezoidal(
            self.start,
            self.end,
            duration,
            self.begin,
            speed=self.speed,
            acceleration=self.acceleration,
        )

    @property
    def breakpoints(self):
        b, d, r = self.begin, self.duration, self._ramp
        return tuple(sorted({b, b + r, b + d - r, b + d}))

    def _moving(self, t, order):
        D, r, first, last = self.span, self._ramp, self.begin, self.begin + self.duration
        rise, fall = first + r, first + self.duration - r
        top = D / (self.duration - r)
        up, even, down = {
            0: lambda: (
                self.start + top * (t - first) ** 2 / (2 * r),
                self.start + top * (t - first - r / 2),
                self.end - top * (last - t) ** 2 / (2 * r),
            ),
            1: lambda: (top * (t - first) / r, top, top * (last - t) / r),
            2: lambda: (top / r, 0.0, -top / r),
        }.get(order, lambda: (0.0, 0.0, 0.0))()
        return np.where(t >= fall, down, np.where(t < rise, up, even))


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
        return tuple(self._points[0])

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
    "Septic",
    "Trapezoidal",
    "sample",
    "synchronised",
]
