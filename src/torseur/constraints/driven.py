"""A coordinate that follows a motion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..numbers import values
from ._formula import formula
from .base import Constraint, constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Driven(Constraint):
    """A coordinate follows a motion, an expression of `t` [s] or a motion law (which knows its
    own); the multiplier is the effort.

    >>> Driven("motor", "crank.angle", "2*pi*t").motion
    '2*pi*t'
    """

    name: str
    coordinate: str
    motion: Any

    def __post_init__(self):
        object.__setattr__(self, "motion", getattr(self.motion, "expression", self.motion))

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls("c", "turn.angle", "L*sin(2*pi*t) + t**2"),)

    def drawn(self):
        return ({"shape": "coordinates", "names": (self.coordinate,), "looks": ("drive",)},)

    def rows(self, to):
        where = to.where(self)
        motion, followed, _ = to.expression(self.motion, where)
        slot = to.coordinate(self.coordinate, where)
        lag = values.symbol("x_") - motion
        return [formula(self.name, ("lag",), (slot[2],), (lag,), {"x_": slot} | followed)]
