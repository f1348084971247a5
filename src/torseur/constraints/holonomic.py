"""Holonomic constraint from an expression of coordinates and time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ._expression_rows import formula
from .base import Constraint, constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Holonomic(Constraint):
    """An expression of coordinates and `t` that stays zero.

    >>> Holonomic("rod", "bob.px**2 + bob.pz**2 - 2.25").expression
    'bob.px**2 + bob.pz**2 - 2.25'
    """

    name: str
    expression: str

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls("c", "slide.displacement**2 + cos(turn.angle)*t - L"),)

    def drawn(self):
        return ({"shape": "coordinates", "text": self.expression, "looks": ("tie",)},)

    def rows(self, to: Any):
        where = to.where(self)
        value, q_used, _ = to.expression(self.expression, where)
        if not q_used and value != 0:
            to.problems.append(f"{where}: {self.expression!r} has no coordinate in it")
        return [formula(self.name, ("value",), ("1",), (value,), q_used)]
