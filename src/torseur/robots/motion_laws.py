"""Motion laws: position and its derivatives in time, of any order, and where they have kinks.

Theory: ML.1 to ML.5.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from math import factorial
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, shown
from ..numbers import asked, units


def told_as_numbers(law: str, **given: Any) -> None:
    """Refuse what is no finite number: one law moves one coordinate."""
    for name, x in given.items():
        if isinstance(x, str) and units.has_unit(x):
            raise ArgumentError(
                f"{law}: {name} = {shown(x)}: a law is plain numbers in units of its coordinate "
                "[rad or m, s]: write np.radians(90) for '90 deg'; in a model file texts will do"
            )
        if not isinstance(x, Real) or not np.isfinite(float(x)):
            raise ArgumentError(
                f"{law}: {name} = {shown(x)} is no finite number; a law moves one coordinate: give "
                f"one to each, {{'joint1.angle': ts.{law}(...), 'joint2.angle': ts.{law}(...)}}"
            )


@dataclass(frozen=True, eq=False)
class MotionProfile(ABC):
    """From `start` to `end` in `duration` [s], beginning at `begin`; still before and after.

    `law(t)` gives position, speed and acceleration, each of the shape of t; `law.derivative(t, n)`
    the derivative of order n: 0 the position, 3 the jerk, 4 the snap.  Right limits at kinks.
    """

    start: float
    end: float
    duration: float
    begin: float = 0.0

    def __post_init__(self):
        own = {"start": self.start, "end": self.end, "begin": self.begin}
        told_as_numbers(type(self).__name__, **own, duration=self.duration)
        if self.duration < 0:
            raise ArgumentError(
                f"{type(self).__name__}: duration = {self.duration:g} s is less than zero"
            )

    @property
    def span(self) -> float:
        return self.end - self.start

    @property
    def breakpoints(self) -> tuple[float, ...]:
        """Times where a derivative may jump [s]."""
        return (self.begin, self.begin + self.duration)

    def derivative(self, t, order: int = 1) -> Any:
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
    def _moving(self, t, order: int) -> Any:
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

    @property
    def pieces(self) -> tuple[tuple[float, ...], ...]:
        """Rows (from [s], to [s], c0, c1, ...) of polynomials of the time since `from`.

        >>> Cubic(0.0, 1.0, 2.0).pieces
        ((0.0, 2.0, 0.0, 0.0, 0.75, -0.25),)
        """
        return tuple((float(a), float(b), *c) for a, b, c in self._pieces())

    def _pieces(self):
        """(from, to, coefficients of growing powers of the time since) of a piecewise law."""
        spans = [(a, b) for a, b in pairwise(self.breakpoints) if b > a]
        at = np.array([a for a, _ in spans])
        c = [self.derivative(at, n) / factorial(n) for n in range(self.degree)]
        for (a, b), *own in zip(spans, *c, strict=True):
            yield a, b, [float(x) for x in own]

    degree: ClassVar[int] = 4

    def __call__(self, t):
        return tuple(self.derivative(t, n) for n in range(3))

    def slower(self, duration: float) -> MotionProfile:
        """The same way in a longer time."""
        return replace(self, duration=float(duration))


class _Shaped(MotionProfile):
    """A law given by the share of the way at every share of the time."""

    @abstractmethod
    def _shape(self, s, order: int) -> Any:
        """Derivative of the share of the way, at the share `s` of the time."""

    def _moving(self, t, order):
        s = np.clip((t - self.begin) / self.duration, 0, 1)
        x = self.span * self._shape(s, order) / self.duration**order
        return self.start + x if order == 0 else x

    @property
    def expression(self) -> str:
        s = f"min(max((t - {self.begin!r})/{self.duration!r}, 0), 1)"
        return f"{self.start!r} + {self.span!r}*({self._text(s)})"

    @property
    def pieces(self) -> tuple[tuple[float, ...], ...]:
        raise ArgumentError(
            f"{type(self).__name__}: its motion is no polynomial of time and has no pieces; use "
            "its expression"
        )

    @abstractmethod
    def _text(self, s: str) -> str:
        """The share of the way as a text of the share of the time."""


class _Polynomial(_Shaped):
    """A law whose share of the way is a polynomial of the share of the time."""

    coefficients: ClassVar[tuple[int, ...]]  # of 1, s, s^2, ...

    @property
    def pieces(self) -> tuple[tuple[float, ...], ...]:
        """Rows (from [s], to [s], c0, c1, ...) of polynomials of the time since `from`.

        >>> Quintic(0.0, 1.0, 2.0).pieces
        ((0.0, 2.0, 0.0, 0.0, 0.0, 1.25, -0.9375, 0.1875),)
        """
        if self.duration == 0:
            return ()
        c = [self.span * x / self.duration**i for i, x in enumerate(self.coefficients)]
        row = (self.begin, self.begin + self.duration, self.start + c[0], *c[1:])
        return (tuple(map(float, row)),)

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


def synchronized(profiles: Sequence[MotionProfile]) -> tuple[MotionProfile, ...]:
    """Motion profiles of several coordinates, stretched to end together.

    >>> import torseur as ts
    >>> [x.duration for x in synchronized([ts.robots.Cubic(0, 1, 1.0), ts.robots.Cubic(0, 1, 2.0)])]
    [2.0, 2.0]
    """
    profiles = asked.listed("synchronized", "profiles", profiles, "[ts.robots.Quintic(0, 1, 1.0)]")
    if not profiles or not all(isinstance(x, MotionProfile) for x in profiles):
        raise ArgumentError(
            "synchronized: expected motion profiles such as ts.robots.Quintic(0, 1, 1)"
        )
    longest = max(x.duration for x in profiles)
    return tuple(x.slower(longest) for x in profiles)


Motions = Mapping[str, Callable[[Any], tuple]]


def sample(motion: Motions, times) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Position, speed and acceleration of every named coordinate at given times."""
    out = {}
    for name, law in motion.items():
        q, v, a = (np.broadcast_to(x, np.shape(times)) for x in law(times))
        out[name] = (q, v, a)
    return out


__all__ = [
    "Cubic",
    "Cycloidal",
    "MotionProfile",
    "Motions",
    "Quintic",
    "Septic",
    "sample",
    "synchronized",
]
