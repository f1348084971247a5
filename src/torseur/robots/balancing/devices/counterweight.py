# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""A mass on the far side of a joint's axis."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....joints import Weld
from ....model import Body, Joint, Sphere, quantity
from .base import GRAY, Device, along_link, device, joint_of, placement, product, total, turning


@device.named("counterweight")
@dataclass(frozen=True, slots=True, eq=False)
class Counterweight(Device):
    """A mass on the far side of a joint's axis, carried by the link behind the joint.

    `mass` [kg], `distance` from the axis [m], `direction` in the child's frame (by default away
    from the link's center of mass).  In the model: a body welded to the link.

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

    def _added(self, model, base, values, memory):
        joint = turning(joint_of(base, self), self)
        o, _ = placement(base, joint)
        way = self.way(base)
        d = self.given(values, "distance")
        at = tuple(total(a, product(d, b)) for a, b in zip(o, way, strict=True))
        ball = Sphere(radius=self.radius, color=GRAY)
        body = Body(self.name, self.given(values, "mass"), shapes=(ball,))
        weld = Joint(f"{self.name}_mount", joint.child, self.name, Weld(), at=at)
        return replace(model, bodies=(*model.bodies, body), joints=(*model.joints, weld))

    def way(self, model) -> np.ndarray:
        if self.direction is None:
            return -along_link(model, joint_of(model, self))
        d = np.asarray(self.direction, float)
        return d / np.linalg.norm(d)


__all__ = ["Counterweight"]
