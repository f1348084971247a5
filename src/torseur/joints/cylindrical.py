"""Cylindrical joint: rotation about and translation along one axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..register import derived
from ..scalars import vector
from ._axes import across, frozen, sides, unit_axis
from ._elementary_sequence import (
    ElementaryStep,
    SequenceJoint,
    misalignment,
    rotate_back,
    tilt_components,
)
from .base import SimpleJoint, joint


@joint
@dataclass(frozen=True, slots=True)
class Cylindrical(SequenceJoint):
    """Cylindrical joint: M rotates by `angle` [rad] about `axis` and moves by `displacement` [m]
    along it.


    >>> Cylindrical("z").nv
    2
    """

    picture: ClassVar = "sleeve"

    axis: str | tuple[Any, ...] = "z"
    coordinates: ClassVar = (("angle", "rad"), ("displacement", "m"))
    speeds: ClassVar = (("rate", "rad/s"), ("speed", "m/s"))

    def __post_init__(self):
        object.__setattr__(self, "axis", frozen(self.axis))

    def steps(self):
        a = unit_axis(self.axis)
        return (ElementaryStep(True, a, 0), ElementaryStep(False, a, 1))

    def simple(self):
        return SimpleJoint("_angle", "turn", self.axis), SimpleJoint("_slide", "slide", self.axis)

    def closure(self, K, X_FM):
        sides = vector(K.numbers(t) @ X_FM.p for t in across(self.axis))
        return np.concatenate([sides, misalignment(K, X_FM.R, self.axis)])

    @derived
    def closing(self):
        return tuple((side, "m") for side in sides(self.axis)) + tilt_components(self.axis)

    def flipped(self, R):
        return rotate_back(self.axis, R)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("x"),
            cls((1, 2, 2)),
        )
