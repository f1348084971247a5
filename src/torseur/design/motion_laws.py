"""Motion laws: position, speed and acceleration in time, and where they have kinks.

Theory: ML.1 to ML.4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import TorseurError


@dataclass(frozen=True, eq=False)
class Law:
    """From `start` to `end` in `duration` [s], beginning at `begin`; still before and after.

    `law(t)` gives position, speed and acceleration (right limits at kinks), each of the shape of t.
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
        """Times where the acceleration may jump."""
        return (self.begin, self.begin + self.duration)

    def _shape(self, s):
        """Share of the way, and its first two derivatives, at the share `s` of the time."""
        raise NotImplementedError(f"{type(self).__name__} must give its shape")

    def __call__(self, t):
        t = np.asarray(t, dtype=float)
        if self.duration == 0:
            x = np.where(t < self.begin, self.start, self.end)
            return x, 0 * t, 0 * t
        s = (t - self.begin) / self.duration
        inside = (s >= 0) & (s < 1)
        f, df, ddf = self._shape(np.clip(s, 0, 1))
        x = self.start + self.span * f
        v = np.where(inside, self.span * df / self.duration, 0.0)
        a = np.where(inside, self.span * ddf / self.duration**2, 0.0)
        return x, v, a

    def slower(self, duration: float) -> Law:
        """The same way in a longer time."""
        from dataclasses import replace
        return replace(self, duration=float(duration))


class Cubic(Law):
    """Speed zero at both ends.

    >>> Cubic(0.0, 1.0, 2.0)(1.0)[0]
    np.float64(0.5)
    """

    def _shape(self, s):
        return s * s * (3 - 2 * s), 6 * s * (1 - s), 6 - 12 * s                       # ML.1


class Quintic(Law):
    """Speed and acceleration zero at both ends."""

    def _shape(self, s):
        return (s**3 * (10 - 15 * s + 6 * s * s), 30 * s * s * (1 - s)**2,
                60 * s * (1 - s) * (1 - 2 * s))                                       # ML.2


class Cycloidal(Law):
    """Sine of acceleration: smooth at both ends."""

    def _shape(self, s):
        w = 2 * np.pi
        return s - np.sin(w * s) / w, 1 - np.cos(w * s), w * np.sin(w * s)            # ML.3


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
            raise TorseurError(f"a trapezoidal law needs positive limits, got speed {speed} and "
                               f"acceleration {acceleration}")
        way = abs(end - start)
        if way * acceleration < speed**2:
            ramp = np.sqrt(way / acceleration)
            shortest = 2 * ramp
        else:
            ramp = speed / acceleration
            shortest = way / speed + ramp                                             # ML.4
        if duration is None:
            duration = shortest
        elif duration < shortest * (1 - 1e-12):
            raise TorseurError(f"{duration:g} s are not enough: the limits need {shortest:g} s")
        for name, x in (("start", float(start)), ("end", float(end)), ("duration", float(duration)),
                        ("begin", float(begin)), ("speed", float(speed)),
                        ("acceleration", float(acceleration))):
            object.__setattr__(self, name, x)
        object.__setattr__(self, "_ramp", float(ramp) * (duration / shortest if shortest else 1.0))

    def slower(self, duration):
        """The same way in a longer time: speeds and accelerations shrink together."""
        return Trapezoidal(self.start, self.end, duration, self.begin, speed=self.speed,
                           acceleration=self.acceleration)

    @property
    def breakpoints(self):
        b, d, r = self.begin, self.duration, self._ramp
        return tuple(sorted({b, b + r, b + d - r, b + d}))

    def _shape(self, s):
        r = self._ramp / self.duration
        top = 1 / (1 - r)
        up, down = s < r, s >= 1 - r
        f = np.where(up, top * s * s / (2 * r),
                     np.where(down, 1 - top * (1 - s)**2 / (2 * r), top * (s - r / 2)))
        df = np.where(up, top * s / r, np.where(down, top * (1 - s) / r, top))
        return f, df, np.where(up, top / r, np.where(down, -top / r, 0.0))


@dataclass(frozen=True, eq=False)
class Points(Law):
    """Through points (time, position): "linear", or "cubic" (natural speeds, twice smooth)."""

    def __init__(self, times, positions, kind: str = "cubic"):
        times, positions = np.asarray(times, float), np.asarray(positions, float)
        if times.ndim != 1 or times.shape != positions.shape or (np.diff(times) <= 0).any():
            raise TorseurError("a law through points needs growing times and as many positions")
        if kind not in ("linear", "cubic"):
            raise TorseurError(f"kind={kind!r}: expected 'linear' or 'cubic'")
        for name, x in (("start", positions[0]), ("end", positions[-1]), ("begin", times[0]),
                        ("duration", times[-1] - times[0])):
            object.__setattr__(self, name, float(x))
        object.__setattr__(self, "_points", (times, positions, kind))

    @cached_property
    def _curve(self):
        from scipy.interpolate import CubicSpline, PPoly
        times, positions, kind = self._points
        if kind == "cubic":
            return CubicSpline(times, positions, bc_type="clamped")
        return PPoly(np.stack([np.diff(positions) / np.diff(times), positions[:-1]]), times)

    @property
    def breakpoints(self):
        return tuple(self._points[0])

    def __call__(self, t):
        t = np.asarray(t, dtype=float)
        s = np.clip(t, self.begin, self.begin + self.duration)
        inside = (t >= self.begin) & (t < self.begin + self.duration)
        return tuple(np.where(inside | (k == 0), self._curve(s, k), 0.0) for k in range(3))


def synchronised(laws: Sequence[Law]) -> tuple[Law, ...]:
    """Laws of several coordinates stretched to end together."""
    longest = max(law.duration for law in laws)
    return tuple(law.slower(longest) for law in laws)


Motion = Mapping[str, Callable[[Any], tuple]]


def sample(motion: Motion, times) -> dict[str, tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Position, speed and acceleration of every named coordinate at given times."""
    return {name: tuple(np.broadcast_to(x, np.shape(times)) for x in law(times))
            for name, law in motion.items()}


__all__ = ["Cubic", "Cycloidal", "Law", "Points", "Quintic", "Trapezoidal", "sample",
           "synchronised"]
