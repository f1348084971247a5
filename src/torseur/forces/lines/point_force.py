"""A law on the distance between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..base import frozen, line
from ._ends import end_problems, law_problems


@line
@dataclass(frozen=True, slots=True, eq=False)
class PointForce:
    """A law on the distance between two points: x is the length [m].

    `a` and `b` are each a body's or frame's name (its origin), or `(name, (x, y, z))`.
    """

    name: str
    a: Any
    b: Any
    law: Any

    def __post_init__(self):
        for end in ("a", "b"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.a, f"{where}, a")
        yield from end_problems(model, self.b, f"{where}, b")
        yield from law_problems(model, self.law, where)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        from ..laws.spring import Spring

        return (cls("f", ("hand", (0.1, 0.2, 0.3)), "tip", Spring(200.0, 0.3)),)
