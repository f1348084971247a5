"""An elastic law by points."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...errors import TorseurError
from ...register import derived, frozen
from ...scalars.values import value
from ...spatial import HALF
from ..base import law
from ._piecewise import (
    Piecewise,
    falling_steps,
    float_segments,
    line_segments,
    split_rises,
    step_problems,
)

FALL_TOLERANCE = 1e-13  # of the deflection


@law
@dataclass(frozen=True, slots=True)
class Table(Piecewise):
    """Elastic law by points (deflection, tension), straight between them.

    `beyond` the points: "extend" the outer slopes or "hold" the outer values.  Two points of one
    deflection are a step.  Where the tension rises, on a coordinate: at rest there the law holds
    with any tension between its two values, and the event of leaving or crossing it is told.  Where
    it falls: it is crossed at speed, and no run can start at rest on it, as it could leave to
    either side.

    >>> Table(((-1, -10), (0, -10), (0, 10), (1, 10))).steps()
    ((0, 10.0),)
    """

    points: tuple[Any, ...]
    free_length: Any = 0
    beyond: str = "extend"
    units: ClassVar = {"points": "m, N", "free_length": "m"}

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points))

    def _segments(self, K):
        return line_segments(K, split_rises(self.points)[0], self.beyond)

    def _float_segments(self):
        return float_segments(split_rises(self.points)[0], self.beyond)

    def edges(self):
        return ((0, len(split_rises(self.points)[0]) - len(falling_steps(self.points)), "x"),)

    def start(self, K, s):
        x = self._variable(K, s)
        for at in falling_steps(self.points):
            if s.rate == 0 and abs(x - float(at)) <= FALL_TOLERANCE:
                raise TorseurError(
                    f"nothing can be at rest on the fall of its table at {float(at):g}: it could "
                    "leave to either side; give a position off it, or a speed"
                )
        return Piecewise.start(self, K, s)

    def steps(self):
        return tuple((value.exact(self.free_length) + x, h) for x, h in split_rises(self.points)[1])

    def flattened(self, lifts):
        offset = sum(map(value.exact, lifts), start=0)
        line = split_rises(self.points)[0]
        return replace(self, points=tuple((x, value.exact(y) + offset) for x, y in line))

    def _variable(self, K, s):
        return s.x - self.get(K, "free_length")

    deflection = _variable

    def knots(self, K):
        at = dict.fromkeys(value.exact(x) for x, _ in self.points)
        return tuple(self.get(K, "free_length") + K.number(x) for x in at)

    def force(self, K, s):
        return self._line_value(K, s)

    affine = derived(lambda self: not falling_steps(self.points))

    def tangent(self, K, s):
        return s.m[3]

    def softest(self, K):
        return (min(row[2] for row in self._segments(K)),) * 2

    def potential(self, K, s):
        d = self._variable(K, s) - s.m[1]
        U = s.m[6] + d * (s.m[2] + s.m[3] * d * HALF)
        first = K.number(value.exact(self.points[0][0]))
        for x, h in split_rises(self.points)[1]:  # FO.45
            at = K.number(x)
            U = U + K.number(value.exact(h)) * (
                K.call("abs", self._variable(K, s) - at) - (at - first)
            )
        return U

    def _abscissa_problems(self):
        return step_problems(self.points)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls(((-0.1, -30.0), (0.0, 0.0), (0.2, 10.0), (0.3, 40.0))),)
