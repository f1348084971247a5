# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""A linear spring that a cam turns into the moment that gravity asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....forces import CoordinateForce, Elastic
from ....model import Cylinder, quantity
from .base import (
    GRAY,
    Device,
    along_z,
    coordinate,
    device,
    drawn,
    joint_of,
    placement,
    text,
    turning,
)


@device.named("cam")
@dataclass(frozen=True, slots=True, eq=False)
class CamSpring(Device):
    """A linear spring that a cam turns into the very moment that gravity asks for.

    The moment on the link is `amplitude cos(angle - phase)` (by default the phase of the weight the
    joint carries, the others neutral), angle the joint's coordinate, or the
    sum of coordinates in `angles` ({"joint2.angle": 1, "joint3.angle": 1} is an absolute angle:
    a parallelogram leads the cam to the base).  `amplitude` [N m] may be sought; `stiffness` [N/m]
    and the `deflection` [m] of the spring where the moment vanishes shape the cam: see
    `torseur.robots.design_cam`.  In the model: a `CoordinateForce` with an `Elastic` law, and a
    disc to see.
    """

    name: str
    joint: str
    amplitude: Any = quantity(None, "N m")
    phase: float | None = quantity(None, "rad")
    stiffness: float = quantity(20000.0, "N/m")
    deflection: float = quantity(0.15, "m")
    angles: Mapping[str, float] | None = None

    variables: ClassVar = {"amplitude": "N m"}

    def _added(self, model, base, values, memory):
        joint = turning(joint_of(base, self), self)
        weights = dict(self.angles or {coordinate(joint): 1})
        W = text(self.given(values, "amplitude"))
        x = f"(x - ({self.turned(base)!r}))"
        law = Elastic(f"-{W}*cos{x}", f"-{W}*sin{x}")
        force = CoordinateForce(self.name, tuple(weights.items()), law)
        return self._shown(replace(model, forces=(*model.forces, force)), base, joint, values)

    def _shown(self, model, base, joint, values):
        """The model with the cam on the link and the spring on what carries the joint."""
        W = self.given(values, "amplitude")
        if isinstance(W, str):
            return model
        o, axis = placement(base, joint)
        arm = abs(float(W)) / (float(self.stiffness) * float(self.deflection))
        disc = Cylinder(
            radius=max(arm, 0.02), length=0.02, at=tuple(o), rpy=along_z(axis), color=GRAY
        )
        return drawn(model, f"{self.name}_disc", joint.child, (disc,))

    def turned(self, base) -> float:
        """The phase: as given, else that of the weight the joint carries [rad]."""
        if self.phase is not None:
            return float(self.phase)
        from ....kernels import compile

        system = base.check()
        link = system.link(self.joint)
        if system.symbols and any(system.parameters.get(n) is None for n in system.symbols):
            return 0.0
        q = np.tile(system.neutral(), (2, 1))
        q[:, link.q.start] = 0.0, np.pi / 2
        along, across = compile(system).gravity_forces(q)[:, link.v.start]
        return float(np.arctan2(across, along))


__all__ = ["CamSpring"]
