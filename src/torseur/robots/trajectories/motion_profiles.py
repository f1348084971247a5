"""Motion profiles: polynomial, cycloidal, trapezoidal, S-curve, spline and jerk-limited.

A profile gives the position and its derivatives of any order, and the times of its kinks.
Equations ML.1 to ML.8 (ML.8 by ruckig, Berscheid and Kroeger 2021).
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from math import factorial
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError, ModelWarning, TorseurError, needs, shown
from ...register import derived
from ...scalars import arguments, overshoot, units


def check_finite_numbers(law: str, **numbers: Any) -> None:
    """Raise an error for an argument that is no finite number."""
    for name, x in numbers.items():
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
    """Motion from `start` to `end` in `duration` [s] from the time `begin`, at rest outside.

    `law(t)` returns position, speed and acceleration, each of the shape of t.  `law.derivative(t,
    n)` returns the derivative of order n: 0 the position, 3 the jerk, 4 the snap.  Values at kinks
    are right limits.
    """

    start: float
    end: float
    duration: float
    begin: float = 0.0

    def __post_init__(self):
        numbers = {"start": self.start, "end": self.end, "begin": self.begin}
        check_finite_numbers(type(self).__name__, **numbers, duration=self.duration)
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

    def derivative(self, t: ArrayLike, order: int = 1) -> Any:
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
        x = self._derivative_in_motion(np.clip(t, self.begin, last), order)
        return x if order == 0 else np.where((t >= self.begin) & (t < last), x, 0.0)[()]

    @abstractmethod
    def _derivative_in_motion(self, t: np.ndarray, order: int) -> Any:
        """Derivative at times between begin and end."""

    @property
    def expression(self) -> str:
        """The position as a text of t, for `Driven` and files.  # ML.7

        >>> Cubic(0.0, 1.0, 2.0).expression
        '0.0 + 1.0*(min(max((t - 0.0)/2.0, 0), 1)**2*(3 + min(max((t - 0.0)/2.0, 0), 1)*(-2)))'
        """
        out = repr(float(self.start))
        for a, b, c in self._segments():
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
        return tuple((float(a), float(b), *c) for a, b, c in self._segments())

    def _segments(self):
        """(from, to, coefficients of increasing powers of the time since `from`) by segment."""
        spans = [(a, b) for a, b in pairwise(self.breakpoints) if b > a]
        at = np.array([a for a, _ in spans])
        c = [self.derivative(at, n) / factorial(n) for n in range(self.degree)]
        for (a, b), *coefficients in zip(spans, *c, strict=True):
            yield a, b, [float(x) for x in coefficients]

    degree: ClassVar[int] = 4

    def __call__(self, t: ArrayLike):
        return tuple(self.derivative(t, n) for n in range(3))

    def slower(self, duration: float) -> MotionProfile:
        """The same motion with a longer duration."""
        return replace(self, duration=float(duration))


class _NormalizedProfile(MotionProfile):
    """A profile given by the fraction of the distance over the fraction of the duration."""

    @abstractmethod
    def _normalized_derivative(self, s: np.ndarray, order: int) -> Any:
        """Derivative of the fraction of the distance at the fraction `s` of the duration."""

    def _derivative_in_motion(self, t: np.ndarray, order: int):
        s = np.clip((t - self.begin) / self.duration, 0, 1)
        x = self.span * self._normalized_derivative(s, order) / self.duration**order
        return self.start + x if order == 0 else x

    @property
    def expression(self) -> str:
        s = f"min(max((t - {self.begin!r})/{self.duration!r}, 0), 1)"
        return f"{self.start!r} + {self.span!r}*({self._normalized_expression(s)})"

    @property
    def pieces(self) -> tuple[tuple[float, ...], ...]:
        raise ArgumentError(
            f"{type(self).__name__}: its motion is no polynomial of time and has no pieces; use "
            "its expression"
        )

    @abstractmethod
    def _normalized_expression(self, s: str) -> str:
        """The fraction of the distance as an expression of the fraction of the duration."""


class _PolynomialProfile(_NormalizedProfile):
    """A normalized profile that is a polynomial."""

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

    def _normalized_derivative(self, s: np.ndarray, order: int):
        from numpy.polynomial import polynomial

        return polynomial.polyval(s, polynomial.polyder(np.array(self.coefficients, float), order))

    def _normalized_expression(self, s: str):
        first = next(i for i, c in enumerate(self.coefficients) if c)
        out = f"({self.coefficients[-1]})"
        for c in reversed(self.coefficients[first:-1]):
            out = f"({c} + {s}*{out})"
        return f"{s}**{first}*{out}"


class Cubic(_PolynomialProfile):
    """Cubic polynomial, with zero speed at both ends.

    >>> Cubic(0.0, 1.0, 2.0)(1.0)[0]
    np.float64(0.5)
    """

    coefficients = (0, 0, 3, -2)  # ML.1


class Quintic(_PolynomialProfile):
    """Quintic polynomial, with zero speed and acceleration at both ends."""

    coefficients = (0, 0, 0, 10, -15, 6)  # ML.2


class Septic(_PolynomialProfile):
    """Septic polynomial, with zero speed, acceleration and jerk at both ends.

    Elastic joints can follow it exactly from rest.

    >>> [float(Septic(0.0, 1.0, 1.0).derivative(0.0, n)) for n in range(5)]
    [0.0, 0.0, 0.0, 0.0, 840.0]
    """

    coefficients = (0, 0, 0, 0, 35, -84, 70, -20)  # ML.5


class Cycloidal(_NormalizedProfile):
    """Cycloidal profile: the acceleration is a full sine wave."""

    def _normalized_derivative(self, s: np.ndarray, order: int):
        w = 2 * np.pi
        wave = (np.sin, np.cos, lambda x: -np.sin(x), lambda x: -np.cos(x))[order % 4]
        line = (s, 1.0)[order] if order < 2 else 0.0
        return line - wave(w * s) * w ** (order - 1)  # ML.3

    def _normalized_expression(self, s: str):
        return f"{s} - sin(2*pi*{s})/(2*pi)"


def synchronized(profiles: Sequence[MotionProfile]) -> tuple[MotionProfile, ...]:
    """Motion profiles of several coordinates, stretched to end together.

    >>> import torseur as ts
    >>> [x.duration for x in synchronized([ts.robots.Cubic(0, 1, 1.0), ts.robots.Cubic(0, 1, 2.0)])]
    [2.0, 2.0]
    """
    profiles = arguments.listed(
        "synchronized", "profiles", profiles, "[ts.robots.Quintic(0, 1, 1.0)]"
    )
    if not profiles or not all(isinstance(x, MotionProfile) for x in profiles):
        raise ArgumentError(
            "synchronized: expected motion profiles such as ts.robots.Quintic(0, 1, 1)"
        )
    longest = max(x.duration for x in profiles)
    return tuple(x.slower(longest) for x in profiles)


SPLINE_DEGREES = {"linear": 1, "cubic": 3, "quintic": 5, "septic": 7}


@dataclass(frozen=True, eq=False)
class Spline(MotionProfile):
    """Spline through points (time, position), at rest at both ends.

    `kind` is "linear", "cubic" (zero speed at the ends, continuous acceleration), "quintic" (zero
    acceleration too, continuous snap) or "septic" (zero jerk too), for elastic joints.  A spline
    overshoots at steps of the points.  A `ModelWarning` reports a large overshoot.
    """

    _points: ClassVar[tuple[Any, ...]]  # times, positions and kind, of each

    def __init__(self, times: ArrayLike, positions: ArrayLike, kind: str = "cubic"):
        """Check the points, and set the fields of the profile."""
        times = arguments.numbers("Spline", "times", times, "s")
        positions = arguments.numbers("Spline", "positions", positions)
        paired = times.ndim == 1 and times.shape == positions.shape and len(times) > 1
        if not paired or (np.diff(times) <= 0).any():
            raise TorseurError(
                "a law through points needs two or more growing times and as many positions"
            )
        if kind not in SPLINE_DEGREES:
            raise TorseurError(
                f"kind={kind!r}: expected one of {', '.join(map(repr, SPLINE_DEGREES))}"
            )
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
        """The piecewise polynomial of the spline."""
        from scipy.interpolate import PPoly, make_interp_spline

        times, positions, kind = self._points
        if kind == "linear":
            return PPoly(np.stack([np.diff(positions) / np.diff(times), positions[:-1]]), times)
        degree = SPLINE_DEGREES[kind]
        end_derivatives = [(n, 0.0) for n in range(1, (degree + 1) // 2)]
        curve = make_interp_spline(times, positions, degree, bc_type=(end_derivatives,) * 2)
        if message := overshoot(times, positions, curve):
            warnings.warn(f"Spline: {message}, or kind='linear'", ModelWarning, stacklevel=2)
        return PPoly.from_spline(curve)

    @property
    def breakpoints(self):
        return tuple(map(float, self._points[0]))

    @derived
    def degree(self):
        return SPLINE_DEGREES[self._points[2]] + 1

    def slower(self, duration: float):
        """The same points with stretched times."""
        times, positions, kind = self._points
        fraction = (times - times[0]) / (times[-1] - times[0])
        return Spline(times[0] + fraction * duration, positions, kind)

    def _derivative_in_motion(self, t: np.ndarray, order: int):
        return self._curve(t, order)


class _LimitedProfile(MotionProfile):
    """A profile of `phases` [s] from limits, stretched if a longer duration is given."""

    limits: ClassVar[tuple[str, ...]]
    _phases: tuple[float, ...]

    def _set_fields(
        self,
        start: float,
        end: float,
        duration: Any,
        begin: float,
        phases: Sequence[float],
        **limits,
    ):
        """Set the fields, with phases stretched to the duration."""
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

    def slower(self, duration: float):
        """The same motion with a longer duration and lower limits."""
        limits = {n: getattr(self, n) for n in self.limits}
        return type(self)(self.start, self.end, duration, self.begin, **limits)


def _check_positive(profile: str, **limits):
    if not all(x > 0 for x in limits.values()):
        text = ", ".join(f"{n} {x}" for n, x in limits.items())
        raise TorseurError(f"{profile} needs positive limits, got {text}")


@dataclass(frozen=True, eq=False)
class Trapezoidal(_LimitedProfile):
    """Trapezoidal speed profile: constant acceleration, constant speed, constant deceleration.

    Limits are `speed`, `acceleration` and, if different, `deceleration`.  Without `duration` the
    profile is as fast as they allow.  If the distance is too short for the speed, the profile is
    triangular.

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
        """Durations of the three phases from the limits.  # ML.4"""
        braking = acceleration if deceleration is None else deceleration
        numbers = {"start": start, "end": end, "begin": begin, "speed": speed}
        check_finite_numbers(
            "Trapezoidal", **numbers, acceleration=acceleration, deceleration=braking
        )
        _check_positive(
            "a trapezoidal law", speed=speed, acceleration=acceleration, deceleration=braking
        )
        distance = abs(end - start)
        both = 1 / acceleration + 1 / braking
        top = min(speed, np.sqrt(2 * distance / both))
        up, down = top / acceleration, top / braking
        even = max(distance / top - (up + down) / 2, 0.0) if distance else 0.0  # ML.4
        phases = up, even, down
        limits = {"speed": speed, "acceleration": acceleration, "deceleration": braking}
        self._set_fields(start, end, duration, begin, phases, **limits)

    @property
    def breakpoints(self):
        b, d, (up, _, down) = self.begin, self.duration, self._phases
        return tuple(sorted({b, b + up, b + d - down, b + d}))

    def _derivative_in_motion(self, t: np.ndarray, order: int):
        """Derivative of the quadratic, linear, quadratic position."""
        D, (r, _, f), first, last = self.span, self._phases, self.begin, self.begin + self.duration
        rise, fall = first + r, last - f
        top = D / (self.duration - (r + f) / 2)
        up: Any
        even: Any
        down: Any
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
class SCurve(_LimitedProfile):
    """S-curve profile: trapezoidal acceleration with limits of `speed`, `acceleration` and `jerk`.

    Without `duration` it is as fast as the limits allow.  Phases that a short distance does not
    need have zero duration.

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
        """Durations of the seven phases from the limits.  # ML.6"""
        numbers = {"start": start, "end": end, "begin": begin, "speed": speed}
        check_finite_numbers(type(self).__name__, **numbers, acceleration=acceleration, jerk=jerk)
        _check_positive("an S curve", speed=speed, acceleration=acceleration, jerk=jerk)
        phases = _s_curve_durations(abs(end - start), speed, acceleration, jerk)
        limits = {"speed": speed, "acceleration": acceleration, "jerk": jerk}
        self._set_fields(start, end, duration, begin, phases, **limits)

    @cached_property
    def _curve(self):
        """Piecewise cubic of a unit distance, from rest to rest."""
        curve, end = integrate_jerk_phases(self._phases, (1, 0, -1, 0, -1, 0, 1))
        curve.c /= end[0]
        return curve  # ML.6

    @property
    def breakpoints(self):
        if self.duration == 0:
            return (self.begin,)
        return tuple(self.begin + x for x in self._curve.x)

    def _derivative_in_motion(self, t: np.ndarray, order: int):
        x = self.span * self._curve(t - self.begin, order)
        return self.start + x if order == 0 else x


def integrate_jerk_phases(
    durations: Sequence[float],
    jerks: Sequence[float],
    state: tuple[float, float, float] = (0.0, 0.0, 0.0),
):
    """Piecewise cubic of phases of constant jerk, and position, speed, acceleration at its end."""
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


def _s_curve_durations(distance: float, v: float, a: float, j: float):
    """Durations [s] of the seven phases: jerk, acceleration, jerk, constant speed, and back."""
    if distance == 0:
        return (0.0,) * 7
    tj = min(np.sqrt(v / j), a / j)
    ta = tj + v / a if tj == a / j else 2 * tj
    tv = distance / v - ta
    if tv < 0:
        tj, tv = a / j, 0.0
        ta = tj / 2 + np.sqrt(tj * tj / 4 + distance / a)
        if ta < 2 * tj:
            tj = (distance / (2 * j)) ** (1 / 3)
            ta = 2 * tj
    return (tj, ta - 2 * tj, tj, tv, tj, ta - 2 * tj, tj)


@dataclass(frozen=True, eq=False)
class Transition(MotionProfile):
    """Time-optimal profile between states with any speed and acceleration, under limits.

    It joins (start, start_speed, start_acceleration) with (end, end_speed, end_acceleration) within
    limits of `speed`, `acceleration` and `jerk`.  A robot uses it when it gets a new goal in
    motion. The coordinate rests at its start before, and at its end after the motion.

    From rest to rest, `SCurve` is the same profile.  This one needs ruckig
    (`pip install "torseur[robots]"`).
    """

    speed: float = 1.0
    acceleration: float = 1.0
    jerk: float = 10.0
    start_speed: float = 0.0
    start_acceleration: float = 0.0
    end_speed: float = 0.0
    end_acceleration: float = 0.0

    limits: ClassVar = ("speed", "acceleration", "jerk")

    def __init__(
        self,
        start: float,
        end: float,
        begin: Any = 0.0,
        *,
        speed: float = 1.0,
        acceleration: Any = 1.0,
        jerk: Any = 10.0,
        start_speed: Any = 0.0,
        start_acceleration: Any = 0.0,
        end_speed: Any = 0.0,
        end_acceleration: Any = 0.0,
    ):
        """Set the fields, and compute the duration by ruckig."""
        fields = {
            "start": start,
            "end": end,
            "begin": begin,
            "speed": speed,
            "acceleration": acceleration,
            "jerk": jerk,
            "start_speed": start_speed,
            "start_acceleration": start_acceleration,
            "end_speed": end_speed,
            "end_acceleration": end_acceleration,
        }
        check_finite_numbers("Transition", **fields)
        for name, x in fields.items():
            object.__setattr__(self, name, float(x))
        object.__setattr__(self, "duration", float(sum(self._phases[0])))

    @cached_property
    def _phases(self) -> tuple[tuple[float, ...], tuple[float, ...]]:
        """Durations [s] and jerks of the phases, by ruckig."""
        with needs("robots", "Transition", "use SCurve from rest to rest"):
            import ruckig

        nonpositive = [n for n in self.limits if not getattr(self, n) > 0]
        if nonpositive:
            raise ArgumentError(
                f"Transition: {nonpositive[0]} = {getattr(self, nonpositive[0]):g}; use more"
            )
        over = [
            f"{n} = {x:g} is beyond the limit {m:g} by {abs(x) - m:.3g}"
            for n, x, m in (
                ("start_speed", self.start_speed, self.speed),
                ("end_speed", self.end_speed, self.speed),
                ("end_acceleration", self.end_acceleration, self.acceleration),
            )
            if abs(x) > m * (1 + 1e-12)
        ]
        if over:
            raise ArgumentError("Transition: " + "; ".join(over))
        request = ruckig.InputParameter(1)
        request.current_position, request.target_position = [self.start], [self.end]
        request.current_velocity, request.target_velocity = [self.start_speed], [self.end_speed]
        request.current_acceleration = [self.start_acceleration]
        request.target_acceleration = [self.end_acceleration]
        request.max_velocity, request.max_acceleration = [self.speed], [self.acceleration]
        request.max_jerk = [self.jerk]
        trajectory = ruckig.Trajectory(1)
        status = ruckig.Ruckig(1).calculate(request, trajectory)
        if status not in (ruckig.Result.Working, ruckig.Result.Finished):
            raise TorseurError(
                f"Transition: ruckig finds no law from {self.start:g} to {self.end:g}: {status}"
            )
        p = trajectory.profiles[0][0]
        before = p.brake
        times = (*before.t, *p.t)
        return tuple(map(float, times)), tuple(map(float, (*before.j, *p.j)))

    @cached_property
    def _curve(self):
        start = (self.start, self.start_speed, self.start_acceleration)
        return integrate_jerk_phases(*self._phases, start)[0]  # ML.8

    @property
    def breakpoints(self) -> tuple[float, ...]:
        return tuple(self.begin + x for x in self._curve.x)

    def _derivative_in_motion(self, t: np.ndarray, order: int):
        return self._curve(t - self.begin, order)

    def slower(self, duration: float):
        """Raise an error: profiles that begin or end in motion cannot be stretched."""
        raise TorseurError("Transition: a law between speeds cannot be stretched; lower its limits")
