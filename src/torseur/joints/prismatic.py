"""One slide along an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..register import derived
from ..scalars import vector
from ..spatial import axial
from ._axes import across, frozen, sides, unit_axis
from ._elementary_sequence import ElementaryStep, SequenceJoint
from .base import TURN, SimpleJoint, joint


@joint
@dataclass(frozen=True, slots=True)
class Prismatic(SequenceJoint):
    """Slider: M moves by `displacement` [m] along `axis`.

    >>> Prismatic("x").speeds
    (('speed', 'm/s'),)
    """

    picture: ClassVar = "rail"

    axis: str | tuple[Any, ...] = "z"
    coordinates: ClassVar = (("displacement", "m"),)
    speeds: ClassVar = (("speed", "m/s"),)

    def __post_init__(self):
        object.__setattr__(self, "axis", frozen(self.axis))

    def steps(self):
        return (ElementaryStep(False, unit_axis(self.axis), 0),)

    def upright(self):
        return Prismatic("z")

    def simple(self):
        return (SimpleJoint("", "slide", self.axis),)

    def closure(self, K, X_FM):
        sides = vector(K.numbers(t) @ X_FM.p for t in across(self.axis))
        return np.concatenate([sides, axial(X_FM.R)])

    @derived
    def closing(self):
        return tuple((side, "m") for side in sides(self.axis)) + TURN

    def flipped(self, R):
        return bool(np.trace(R) < 2)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("x"),
            cls((0, 3, 4)),
        )
