# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""The mass of a link placed elsewhere in it.  Theory: BA.5."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...errors import TorseurError
from ...model import quantity
from .base import Device, along_link, device, joint_of, placement, product, total, turning


@device.named("redistribution")
@dataclass(frozen=True, slots=True, eq=False)
class Redistribution(Device):
    """The mass of a link placed elsewhere in it: same mass, another centre.

    `shift`: new place of the centre of mass along `direction` from the joint's axis [m]; the mass
    must stay within `envelope` (low, high) along that line [m].  The link's second moment along it
    keeps its value where some distribution within the envelope can have it, else takes the nearest
    that can: never an inertia that no body has.
    """

    name: str
    joint: str
    shift: Any = quantity(None, "m")
    envelope: tuple[float, float] = quantity((-1.0, 1.0), "m", (2,))
    direction: Any = quantity(None, "", (3,))

    variables: ClassVar = {"shift": "m"}

    def _added(self, model, base, values, memory):
        joint = turning(joint_of(base, self), self)
        o, axis = placement(base, joint)
        way = (
            along_link(base, joint)
            if self.direction is None
            else np.asarray(self.direction, float) / np.linalg.norm(self.direction)
        )
        body = next(b for b in model.bodies if b.name == joint.child)
        if body.about != "com" or body.first_moment is not None:
            raise TorseurError(
                f"device {self.name!r}: body {body.name!r} gives its inertia about its origin; "
                "redistribution needs com= and the inertia about it"
            )
        mass: Any = body.mass
        x, m = self.given(values, "shift"), float(mass)
        side = np.cross(axis, way)
        com = np.asarray(body.com, float)
        own = com - o
        foot = o + side * (side @ own) + axis * (axis @ own)
        J = np.asarray(body.inertia, float)
        J = J if J.shape == (3, 3) else J[[0, 3, 4, 3, 1, 5, 4, 5, 2]].reshape(3, 3)
        spread = (np.trace(J) / 2) * np.eye(3) - J  # second moments about the centre
        before = float(way @ spread @ way)  # along the line
        if isinstance(x, str):  # while it is sought only its place matters at rest
            after = before
        else:
            a, b = self.envelope
            if not a <= x <= b:
                raise TorseurError(
                    f"device {self.name!r}: the centre of mass at {x:g} m is outside the envelope "
                    f"{a:g} to {b:g} m by {max(a - x, x - b):g} m"
                )
            second = before + m * float(way @ own) ** 2  # about the axis, as it was
            most = m * ((a + b) * x - a * b)  # all mass at the ends   # BA.5
            after = min(max(second, m * x * x), most) - m * x * x
        spread = spread + (after - before) * np.outer(way, way)
        J = np.trace(spread) * np.eye(3) - spread
        new = replace(
            body,
            com=tuple(total(p, product(x, w)) for p, w in zip(foot, way, strict=True)),
            inertia=tuple(
                float(J[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
            ),
        )
        return replace(model, bodies=tuple(new if b is body else b for b in model.bodies))


__all__ = ["Redistribution"]
