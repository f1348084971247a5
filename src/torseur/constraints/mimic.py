"""Mimic joint: one coordinate follows another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ..register import derived
from ._expression_rows import Relation, minus
from .base import constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Mimic(Relation):
    """One coordinate copies another: `follower = ratio * leader + offset`."""

    name: str
    follower: str
    leader: str
    ratio: Any = 1
    offset: Any = 0
    inside: ClassVar = {"offset": "rad | m"}
    sided: ClassVar = "follower"

    @derived
    def ratios(self) -> dict:
        """Coordinates of the relation with their factors."""
        return {self.follower: 1, self.leader: minus(self.ratio)}

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (cls("c", "ball.angle3", "turn.angle"),)
