"""Gear pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..register import derived
from ._expression_rows import Relation, minus
from .base import constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Gear(Relation):
    """Gears: `driver = ratio * driven + offset`; a negative ratio reverses the turn.

    >>> Gear("gear", "motor.angle", "wheel.angle", 12).ratios
    {'motor.angle': 1, 'wheel.angle': -12}
    """

    name: str
    driver: str
    driven: str
    ratio: Any
    offset: Any = 0
    inside: ClassVar = {"offset": "rad | m"}
    sided: ClassVar = "driver"

    @derived
    def ratios(self) -> dict:
        """Coordinates of the relation with their factors."""
        return {self.driver: 1, self.driven: minus(self.ratio)}

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls("c", "turn.angle", "ball.angle1", -3),)
