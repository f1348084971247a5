"""Planar joint: rotation about a normal and two translations across it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError
from ..register import derived
from ..scalars import nominal, vector
from ._axes import across, frozen, named, unit_axis
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
class Planar(SequenceJoint):
    """Plane on plane: `angle` [rad] about `normal`, and `x`, `y` [m] across it.

    `order="rotation_first"`: x and y are measured along axes that turn with M;
    `order="translation_first"`: along axes fixed in F.  The axes follow the normal: for "z" they
    are x and y, for "x" y and z, for "y" z and x.

    >>> Planar().coordinates
    (('angle', 'rad'), ('x', 'm'), ('y', 'm'))
    """

    picture: ClassVar = "plate"

    normal: str | tuple[Any, ...] = "z"
    order: str = "rotation_first"
    coordinates: ClassVar = (("angle", "rad"), ("x", "m"), ("y", "m"))
    speeds: ClassVar = (("rate", "rad/s"), ("speed_x", "m/s"), ("speed_y", "m/s"))

    def __post_init__(self):
        object.__setattr__(self, "normal", frozen(self.normal))
        if self.order not in ("rotation_first", "translation_first"):
            raise ArgumentError(
                f"Planar(order={self.order!r}): expected 'rotation_first' or 'translation_first'"
            )

    def steps(self):
        turn = ElementaryStep(True, unit_axis(self.normal), 0)
        slides = [ElementaryStep(False, t, i + 1) for i, t in enumerate(across(self.normal))]
        return (turn, *slides) if self.order == "rotation_first" else (*slides, turn)

    def simple(self):
        if self.order == "translation_first":
            return (SimpleJoint("", "plane", self.normal),)
        x, y = (tuple(nominal(e, {}) for e in side) for side in across(self.normal))
        turn = SimpleJoint("_angle", "turn", self.normal)
        return turn, SimpleJoint("_x", "slide", x), SimpleJoint("_y", "slide", y)

    def closure(self, K, X_FM):
        height = vector((K.numbers(unit_axis(self.normal)) @ X_FM.p,))
        return np.concatenate([height, misalignment(K, X_FM.R, self.normal)])

    @derived
    def closing(self):
        return ((named(unit_axis(self.normal), "height"), "m"), *tilt_components(self.normal))

    def flipped(self, R):
        return rotate_back(self.normal, R)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("z"),
            cls("y", "translation_first"),
            cls((1, 2, 2)),
        )
