"""Screw and nut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..register import derived
from ._expression_rows import Relation, minus
from .base import constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Screw(Relation):
    """Screw and nut: `slide = lead * turn + offset`, `lead` [m/rad]."""

    name: str
    turn: str
    slide: str
    lead: Any
    offset: Any = 0
    inside: ClassVar = {"offset": "m"}

    @derived
    def ratios(self) -> dict:
        """Coordinates of the relation with their factors."""
        return {self.slide: 1, self.turn: minus(self.lead)}

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls("c", "turn.angle", "slide.displacement", 0.01),)
