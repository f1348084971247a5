"""Revolute joint: rotation about an axis."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..register import derived
from ._axes import frozen, unit_axis
from ._elementary_sequence import (
    ElementaryStep,
    SequenceJoint,
    misalignment,
    rotate_back,
    tilt_components,
)
from .base import PLACE, SimpleJoint, joint


@joint
@dataclass(frozen=True, slots=True)
class Revolute(SequenceJoint):
    """Revolute joint: M rotates by `angle` [rad] about `axis`, fixed in F and in M.


    >>> Revolute("y").coordinates
    (('angle', 'rad'),)
    """

    picture: ClassVar = "pin"

    axis: str | tuple[Any, ...] = "z"
    coordinates: ClassVar = (("angle", "rad"),)
    speeds: ClassVar = (("rate", "rad/s"),)

    def __post_init__(self):
        object.__setattr__(self, "axis", frozen(self.axis))

    def steps(self):
        return (ElementaryStep(True, unit_axis(self.axis), 0),)

    def upright(self):
        return Revolute("z")

    def simple(self):
        return (SimpleJoint("", "turn", self.axis),)

    def closure(self, K, X_FM):
        return np.concatenate([X_FM.p, misalignment(K, X_FM.R, self.axis)])

    @derived
    def closing(self):
        return PLACE + tilt_components(self.axis)

    @derived
    def meets(self):
        return True

    def flipped(self, R):
        return rotate_back(self.axis, R)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (*map(cls, ("x", "y", "z", (1, 2, 2), (1, 1, 0))),)
