"""One screw about and along an axis."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..register import derived
from ..scalars import Number, exact, vector
from ..spatial import Pose, axis_rotation
from ._axes import across, along, frozen, sides, unit_axis
from ._elementary_sequence import misalignment, rotate_back, tilt_components
from .base import AbstractJoint, SimpleJoint, joint


@joint
@dataclass(frozen=True, slots=True)
class Helical(AbstractJoint):
    """Screw joint: turning by `angle` [rad] advances M by `lead * angle` along `axis`.

    `lead` is in meters per radian: a thread of 2 mm per turn has `2e-3 / (2 * pi)`.
    Positive leads are right-handed.  A zero lead is exactly a `Revolute`.

    >>> from torseur.scalars import Floats
    >>> Helical("z", lead=0.5).pose(Floats(), [2.0]).p.tolist()
    [0.0, 0.0, 1.0]
    """

    picture: ClassVar = "screw"

    axis: str | tuple[Any, ...] = "z"
    lead: Any = field(default=0, metadata={"unit": "m/rad"})
    coordinates: ClassVar = (("angle", "rad"),)
    speeds: ClassVar = (("rate", "rad/s"),)

    def __post_init__(self):
        object.__setattr__(self, "axis", frozen(self.axis))

    def pose(self, K, q):
        a = K.numbers(unit_axis(self.axis))
        return Pose(axis_rotation(K, a, q[0]), along(a, K.number(exact(self.lead)) * q[0]))

    def subspace(self, K, q):
        a = K.numbers(unit_axis(self.axis))
        return vector((*a, *along(a, K.number(exact(self.lead))))).reshape(6, 1)

    def turns(self):
        return ((unit_axis(self.axis), 0),)

    def simple(self):
        return SimpleJoint("", "turn", self.axis), SimpleJoint(
            "_slide", "slide", self.axis, self.lead
        )

    def closure(self, K, X_FM):
        lead = exact(self.lead)
        t1, t2 = (K.numbers(t) for t in across(self.axis))
        axial = K.numbers(unit_axis(self.axis)) @ X_FM.p
        if isinstance(lead, Number) and lead == 0:
            advance = axial
        else:  # lead * sin(angle - advance / lead)
            turned, L = X_FM.R @ t1, K.number(lead)
            phi = K.divide(axial, L)
            advance = L * (t1 @ turned * K.sin(phi) - t2 @ turned * K.cos(phi))
        return np.concatenate(
            [vector((t1 @ X_FM.p, t2 @ X_FM.p, advance)), misalignment(K, X_FM.R, self.axis)]
        )

    @derived
    def closing(self):
        return (
            *((side, "m") for side in sides(self.axis)),
            ("advance", "m"),
            *tilt_components(self.axis),
        )

    def flipped(self, R):
        return rotate_back(self.axis, R)

    def constants(self):
        return (*unit_axis(self.axis), exact(self.lead))

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("z", 0.1),
            cls((2, -1, 2), -0.3),
            cls("y", 0),
        )
