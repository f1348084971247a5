# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Counterweight on the extension of a link beyond its joint axis."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....joints import Weld
from ....model import Body, Joint, Model, Sphere, quantity
from .base import (
    GRAY,
    Device,
    add_offset,
    check_revolute,
    device,
    find_joint,
    joint_axis,
    link_direction,
    multiply_term,
)


@device.named("counterweight")
@dataclass(frozen=True, slots=True, eq=False)
class Counterweight(Device):
    """A mass on the extension of a link beyond its joint axis.

    `mass` [kg] and `distance` from the axis [m] are design variables.  `direction` is in the frame
    of the child, by default away from the center of mass of the link.  In the model: a body welded
    to the link.

    >>> Counterweight("balance", "joint3", mass=21.0).unknown()
    ('balance.distance',)
    """

    name: str
    joint: str
    mass: Any = quantity(None, "kg")
    distance: Any = quantity(None, "m")
    direction: Any = quantity(None, "", (3,))
    radius: float = quantity(0.05, "m")  # of the sphere that is drawn [m]

    variables: ClassVar = {"mass": "kg", "distance": "m"}

    def _add_elements(self, model: Model, base: Model, values: Mapping[str, Any], memory: bool):
        """The model with a body welded to the link."""
        joint = check_revolute(find_joint(base, self), self)
        o, _ = joint_axis(base, joint)
        direction = self.unit_direction(base)
        d = self.variable_value(values, "distance")
        at = tuple(add_offset(a, multiply_term(d, b)) for a, b in zip(o, direction, strict=True))
        ball = Sphere(radius=self.radius, color=GRAY)
        body = Body(self.name, self.variable_value(values, "mass"), shapes=(ball,))
        weld = Joint(f"{self.name}_mount", joint.child, self.name, Weld(), at=at)
        return replace(model, bodies=(*model.bodies, body), joints=(*model.joints, weld))

    def unit_direction(self, model: Model) -> np.ndarray:
        """Unit direction from the joint axis to the counterweight, in the frame of the child."""
        if self.direction is None:
            return -link_direction(model, find_joint(model, self))
        d = np.asarray(self.direction, float)
        return d / np.linalg.norm(d)


__all__ = ["Counterweight"]
