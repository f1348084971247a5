"""Motion laws through points."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ModelWarning, TorseurError
from ..numbers import asked, overshoot
from ..register import derived
from .motion_laws import MotionProfile

DEGREES = {"linear": 1, "cubic": 3, "quintic": 5, "septic": 7}


@dataclass(frozen=True, eq=False)
class Spline(MotionProfile):
    """Through points (time, position), at rest at both ends.

    `kind`: "linear"; "cubic" (speed zero at the ends, acceleration without jumps); "quintic"
    (acceleration zero too, snap without jumps); "septic" (jerk zero too), for elastic joints.
    Splines overshoot where points step: far from them, a `ModelWarning` tells it.
    """

    _points: ClassVar[tuple[Any, ...]]  # times, positions and kind, of each

    def __init__(self, times: ArrayLike, positions: ArrayLike, kind: str = "cubic"):
        times = asked.numbers("Spline", "times", times, "s")
        positions = asked.numbers("Spline", "positions", positions)
        paired = times.ndim == 1 and times.shape == positions.shape and len(times) > 1
        if not paired or (np.diff(times) <= 0).any():
            raise TorseurError(
                "a law through points needs two or more growing times and as many positions"
            )
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
        curve = make_interp_spline(times, positions, degree, bc_type=(still,) * 2)
        if told := overshoot(times, positions, curve):
            warnings.warn(f"Spline: {told}, or kind='linear'", ModelWarning, stacklevel=2)
        return PPoly.from_spline(curve)

    @property
    def breakpoints(self):
        return tuple(map(float, self._points[0]))

    @derived
    def degree(self):
        return DEGREES[self._points[2]] + 1

    def slower(self, duration):
        """The same points, their times stretched."""
        times, positions, kind = self._points
        share = (times - times[0]) / (times[-1] - times[0])
        return Spline(times[0] + share * duration, positions, kind)

    def _moving(self, t, order):
        return self._curve(t, order)


__all__ = ["DEGREES", "Spline"]
