"""A push given in time by points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...numbers import values
from ..base import Source, frozen, law
from ._pieces import Piecewise


@law
@dataclass(frozen=True, slots=True)
class TimeTable(Piecewise, Source):
    """A push along x given in time by points (time [s], force [N or N m]), straight between them.

    Its breakpoints are events: no step of an adaptive method crosses one.
    """

    points: tuple[Any, ...]
    beyond: str = "hold"
    units: ClassVar = {"points": "s, N"}

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points))

    def _of(self, K, s):
        return s.t

    def times(self, K):
        return tuple(K.number(values.exact(t)) for t, _ in self.points)

    def edges(self):
        return ((0, len(self.points), "t"),)

    def force(self, K, s):
        return -self._now(K, s)

    def guards(self, K, s):
        return (self._bounds(K, s)[0]._replace(of="t"),)  # time only grows

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls(((0.0, 1.0), (0.5, 3.0), (1.0, -2.0))),)
