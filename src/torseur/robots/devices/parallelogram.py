# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""A counterweight on the base side, led by a parallelogram."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...errors import TorseurError, unknown_name
from ...model import Body, Joint, Sphere, quantity
from .base import Device, along_link, coordinate, device, joint_of, placement, product


@device.named("parallelogram")
@dataclass(frozen=True, slots=True, eq=False)
class Parallelogram(Device):
    """A counterweight on the base side, which a parallelogram keeps parallel to an outer link.

    A crank turns on the axis of joint `base` with the sum of both coordinates, carries `mass` [kg]
    at `distance` [m] on the side opposite the outer link, and is led by two bars without mass: it
    balances the outer link about its own joint while the inner one carries its weight as if it sat
    at the joint.  In the model: a body on a joint of its own with a `Coupling`.
    """

    name: str
    joint: str  # of the outer link
    base: str  # of the inner link
    mass: Any = quantity(None, "kg")
    distance: Any = quantity(None, "m")
    radius: float = quantity(0.05, "m")

    variables: ClassVar = {"mass": "kg", "distance": "m"}

    def _added(self, model, base, values, memory):
        from ...model import Coupling

        outer = joint_of(base, self)
        inner = next((j for j in base.joints if j.name == self.base), None)
        if inner is None:
            raise TorseurError(
                unknown_name(
                    "joint",
                    self.base,
                    [j.name for j in model.joints],
                    f"device {self.name!r}, base",
                )
            )
        _, a = placement(base, outer)
        way = along_link(base, outer)
        o, _ = placement(base, inner)
        d = self.given(values, "distance")
        # at zero of both joints the crank's frame has the axes of the outer link
        from ...quantities import compile

        dyn = compile(base)
        q = base.check().neutral()
        X_in, X_out = (
            dyn.pose(inner.parent, q) if inner.parent != "world" else np.eye(4),
            dyn.pose(outer.child, q),
        )
        axis_point = dyn.pose(inner.child, q) @ np.array([*o, 1.0])
        F = np.eye(4)
        F[:3, :3] = X_in[:3, :3].T @ X_out[:3, :3]
        F[:3, 3] = X_in[:3, :3].T @ (axis_point[:3] - X_in[:3, 3])
        from ...joints import Revolute

        ball = Sphere(
            radius=self.radius,
            at=tuple(-float(d) * way) if not isinstance(d, str) else (0, 0, 0),
            color=(0.35, 0.35, 0.4, 1.0),
        )
        com = tuple(product(d, -w) for w in way)
        body = Body(self.name, self.given(values, "mass"), com, shapes=(ball,))
        crank = Joint(
            f"{self.name}_pivot", inner.parent, self.name, Revolute(tuple(a)), pose=F.tolist()
        )
        own = f"{self.name}_pivot.angle"
        bars = Coupling(f"{self.name}_bars", {own: 1, coordinate(inner): -1, coordinate(outer): -1})
        return replace(
            model,
            bodies=(*model.bodies, body),
            joints=(*model.joints, crank),
            constraints=(*model.constraints, bars),
        )


__all__ = ["Parallelogram"]
