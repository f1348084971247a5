# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""A linear spring that a cam turns into the moment that gravity asks for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...forces import (
    CoordinateForce,
    Elastic,
)
from ...model import quantity
from .base import Device, coordinate, device, joint_of, text


@device.named("cam")
@dataclass(frozen=True, slots=True, eq=False)
class CamSpring(Device):
    """A linear spring that a cam turns into the very moment that gravity asks for.

    The moment on the link is `amplitude cos(angle - phase)` (by default the phase of the weight the
    joint carries, the others neutral), angle the joint's coordinate, or the
    sum of coordinates in `angles` ({"joint2.angle": 1, "joint3.angle": 1} is an absolute angle:
    a parallelogram leads the cam to the base).  `amplitude` [N m] may be sought; `stiffness` [N/m]
    and the `deflection` [m] of the spring where the moment vanishes shape the cam: see
    `torseur.robots.cam`.  In the model: a `CoordinateForce` with an `Elastic` law.
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
        joint = joint_of(base, self)
        weights = dict(self.angles or {coordinate(joint): 1})
        W = text(self.given(values, "amplitude"))
        x = f"(x - ({self.turned(base)!r}))"
        law = Elastic(f"-{W}*cos{x}", f"-{W}*sin{x}")
        return replace(
            model, forces=(*model.forces, CoordinateForce(self.name, tuple(weights.items()), law))
        )

    def turned(self, base) -> float:
        """The phase: as given, else that of the weight the joint carries [rad]."""
        if self.phase is not None:
            return float(self.phase)
        from ...quantities import compile

        system = base.check()
        link = system.link(self.joint)
        if system.symbols and any(system.parameters.get(n) is None for n in system.symbols):
            return 0.0
        q = np.tile(system.neutral(), (2, 1))
        q[:, link.q.start] = 0.0, np.pi / 2
        along, across = compile(system).gravity_forces(q)[:, link.v.start]
        return float(np.arctan2(across, along))


__all__ = ["CamSpring"]
