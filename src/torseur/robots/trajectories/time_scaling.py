"""A coordinate along a path whose share is known at instants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError
from ...views import PrintedAnswer


@dataclass(frozen=True, slots=False, eq=False, repr=False)
class PathProfile(PrintedAnswer):
    """One coordinate along a path: `law(t)` gives position, speed and acceleration."""

    curve: Callable[..., Any]  # a spline of the share of the path
    times: np.ndarray
    s: np.ndarray
    rate: np.ndarray

    @property
    def begin(self) -> float:
        return float(self.times[0])

    @property
    def duration(self) -> float:
        return float(self.times[-1] - self.times[0])

    @property
    def start(self) -> float:
        return float(self.curve(self.s[0]))

    @property
    def end(self) -> float:
        return float(self.curve(self.s[-1]))

    @cached_property
    def breakpoints(self) -> tuple[float, ...]:
        """Ends, and where the acceleration jumps."""
        u = np.diff(self.rate) / np.diff(self.times)
        jump = np.flatnonzero(abs(np.diff(u)) > 0.2 * max(abs(u).max(), 1e-300)) + 1
        return tuple(sorted({self.begin, *map(float, self.times[jump]), float(self.times[-1])}))

    def derivative(self, t, order: int = 1):
        """Derivative of order 0, 1 or 2 at the times `t` [s]."""
        t = np.asarray(t, float)
        x = np.clip(t, self.times[0], self.times[-1])
        k = np.clip(np.searchsorted(self.times, x, side="right") - 1, 0, len(self.times) - 2)
        h = x - self.times[k]
        u = (self.rate[k + 1] - self.rate[k]) / (self.times[k + 1] - self.times[k])
        s = self.s[k] + self.rate[k] * h + u * h * h / 2
        v = self.rate[k] + u * h
        match order:
            case 0:
                return self.curve(s)
            case 1:
                out = self.curve(s, 1) * v
            case 2:
                out = self.curve(s, 2) * v * v + self.curve(s, 1) * u
            case _:
                raise ArgumentError("a time-optimal motion has derivatives up to acceleration")
        return np.where((t >= self.times[0]) & (t < self.times[-1]), out, 0.0)[()]

    def __call__(self, t):
        return tuple(self.derivative(t, n) for n in range(3))


class CurveColumn:
    """One coordinate of a curve."""

    def __init__(self, curve, i):
        self.curve, self.i = curve, i

    def __call__(self, s, order=0):
        return self.curve(s, order)[..., self.i]


__all__ = ["CurveColumn", "PathProfile"]
