# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Spring with cam: a linear spring whose moment balances gravity (BA.9)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....forces import CoordinateForce, Elastic
from ....model import Cylinder, Joint, Model, quantity
from .base import (
    GRAY,
    Device,
    add_shapes,
    check_revolute,
    coordinate_name,
    device,
    expression_term,
    find_joint,
    joint_axis,
    rpy_of_direction,
)


@device.named("cam")
@dataclass(frozen=True, slots=True, eq=False)
class CamSpring(Device):
    """A linear spring with a cam whose moment balances the gravity torque.

    The moment on the link is `amplitude cos(angle - phase)`.  The default phase is that of the
    gravity torque of the joint, with all other joints neutral.  The angle is the coordinate of the
    joint, or a sum of coordinates: `angles={"joint2.angle": 1, "joint3.angle": 1}` is an absolute
    angle, as a parallelogram gives it.  `amplitude` [N m] is a design variable.  `stiffness` [N/m]
    and `deflection` [m], at which the moment vanishes, determine the shape of the cam: see
    `torseur.robots.design_cam`.  In the model: a `CoordinateForce` with an `Elastic` law, and a
    visible disc.
    """

    name: str
    joint: str
    amplitude: Any = quantity(None, "N m")
    phase: float | None = quantity(None, "rad")
    stiffness: float = quantity(20000.0, "N/m")
    deflection: float = quantity(0.15, "m")
    angles: Mapping[str, float] | None = None

    variables: ClassVar = {"amplitude": "N m"}

    def _add_elements(self, model: Model, base: Model, values: Mapping[str, Any], memory: bool):
        joint = check_revolute(find_joint(base, self), self)
        weights = dict(self.angles or {coordinate_name(joint): 1})
        W = expression_term(self.variable_value(values, "amplitude"))
        x = f"(x - ({self.phase_angle(base)!r}))"
        law = Elastic(f"-{W}*cos{x}", f"-{W}*sin{x}")
        force = CoordinateForce(self.name, tuple(weights.items()), law)
        return self._add_disc(replace(model, forces=(*model.forces, force)), base, joint, values)

    def _add_disc(self, model: Model, base: Model, joint: Joint, values: Mapping[str, Any]):
        """The model with a visible disc of the cam on the link."""
        W = self.variable_value(values, "amplitude")
        if isinstance(W, str):
            return model
        o, axis = joint_axis(base, joint)
        arm = abs(float(W)) / (float(self.stiffness) * float(self.deflection))
        disc = Cylinder(
            radius=max(arm, 0.02), length=0.02, at=tuple(o), rpy=rpy_of_direction(axis), color=GRAY
        )
        return add_shapes(model, f"{self.name}_disc", joint.child, (disc,))

    def phase_angle(self, base: Model) -> float:
        """The phase [rad]: the field, or by default that of the gravity torque of the joint."""
        if self.phase is not None:
            return float(self.phase)
        from ....kernels import compile

        system = base.check()
        link = system.link(self.joint)
        if system.symbols and any(system.parameters.get(n) is None for n in system.symbols):
            return 0.0
        q = np.tile(system.neutral(), (2, 1))
        q[:, link.q.start] = 0.0, np.pi / 2
        cosine_part, sine_part = compile(system).gravity_forces(q)[:, link.v.start]
        return float(np.arctan2(sine_part, cosine_part))


__all__ = ["CamSpring"]
