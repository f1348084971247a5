"""Universal joint: rotations about two axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ..register import derived
from ..scalars import vector
from ._axes import frozen, unit_axis
from ._elementary_sequence import ElementaryStep, SequenceJoint
from .base import PLACE, SimpleJoint, joint


@joint
@dataclass(frozen=True, slots=True)
class Universal(SequenceJoint):
    """Cardan joint: M turns by `angle1` about `axis1`, fixed in F, then by `angle2` about `axis2`,
    fixed in M [rad].

    >>> Universal("x", "y").coordinates
    (('angle1', 'rad'), ('angle2', 'rad'))
    """

    picture: ClassVar = "cross"

    axis1: str | tuple[Any, ...] = "x"
    axis2: str | tuple[Any, ...] = "y"
    coordinates: ClassVar = (("angle1", "rad"), ("angle2", "rad"))
    speeds: ClassVar = (("rate1", "rad/s"), ("rate2", "rad/s"))

    def __post_init__(self):
        object.__setattr__(self, "axis1", frozen(self.axis1))
        object.__setattr__(self, "axis2", frozen(self.axis2))

    def steps(self):
        return (
            ElementaryStep(True, unit_axis(self.axis1), 0),
            ElementaryStep(True, unit_axis(self.axis2), 1),
        )

    def simple(self):
        return SimpleJoint("_1", "turn", self.axis1), SimpleJoint("_2", "turn", self.axis2)

    def closure(self, K, X_FM):
        a, b = K.numbers(unit_axis(self.axis1)), K.numbers(unit_axis(self.axis2))
        return np.concatenate([X_FM.p, vector((a @ X_FM.R @ b - a @ b,))])

    @derived
    def closing(self):
        return (*PLACE, ("across_axes", "rad"))

    @derived
    def meets(self):
        return True

    def constants(self):
        a, b = unit_axis(self.axis1), unit_axis(self.axis2)
        if a in (b, tuple(-e for e in b)):
            raise ValueError(
                f"axes {self.axis1!r} and {self.axis2!r} are parallel: a universal "
                "joint turns about two directions; use ts.Revolute for one"
            )
        return SequenceJoint.constants(self)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("x", "y"),
            cls("z", (1, 0, 1)),
        )
