"""Linear relation of coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ._expression_rows import Relation
from .base import constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Coupling(Relation):
    """A linear relation of coordinates: the sum of `ratio * coordinate` is `offset`.

    >>> Coupling("gear", {"wheel.angle": 3, "pinion.angle": 1}).offset
    0
    """

    name: str
    ratios: Mapping[str, Any]
    offset: Any = 0

    def __post_init__(self):
        object.__setattr__(self, "ratios", dict(self.ratios))

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (
            cls("c", {"turn.angle": 2, "slide.displacement": "-L", "ball.angle2": 0.5}, offset=0.1),
        )
