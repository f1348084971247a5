"""A push given in time by points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import frozen
from ...scalars.values import value
from ..base import Source, law
from ._piecewise import Piecewise, abscissa_problems, count_steps


@law
@dataclass(frozen=True, slots=True)
class TimeTable(Piecewise, Source):
    """A push along x given in time by points (time [s], force [N or N m]), straight between them.

    Its breakpoints are events: no step of an adaptive method crosses one.  Two points of one time
    are a jump: `TimeTable(((0, 0), (0.5, 0), (0.5, 3), (1, 3)))` pushes with 3 N from 0.5 s on.
    """

    points: tuple[Any, ...]
    beyond: str = "hold"
    units: ClassVar = {"points": "s, N"}
    rising: ClassVar = False  # time only grows

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points))

    def _variable(self, K, s):
        return s.t

    def times(self, K):
        return tuple(K.number(value.exact(t)) for t, _ in self.points)

    def edges(self):
        return ((0, len(self.points) - count_steps(self.points), "t"),)

    def _abscissa_problems(self):
        return abscissa_problems(self.points, jumps=True)

    def force(self, K, s):
        return -self._line_value(K, s)

    def guards(self, K, s):
        return (self._bounds(K, s)[0]._replace(of="t"),)  # time only grows

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        jump = ((0.0, 1.0), (0.3, 2.0), (0.3, -1.0), (1.0, 0.5))
        return (cls(((0.0, 1.0), (0.5, 3.0), (1.0, -2.0))), cls(jump))
