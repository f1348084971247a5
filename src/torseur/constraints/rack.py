"""Rack and pinion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..register import derived
from ._expression_rows import Relation, minus
from .base import constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Rack(Relation):
    """Rack and pinion: `rack = radius * pinion + offset`, pitch `radius` [m]."""

    name: str
    pinion: str
    rack: str
    radius: Any
    offset: Any = 0
    inside: ClassVar = {"offset": "m"}

    @derived
    def ratios(self) -> dict:
        """Coordinates of the relation with their factors."""
        return {self.rack: 1, self.pinion: minus(self.radius)}

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls("c", "turn.angle", "slide.displacement", 0.05),)
