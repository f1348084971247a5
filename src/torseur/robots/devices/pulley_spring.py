# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""A spring at the end of a cable over a pulley.  Theory: BA.6."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ...forces import (
    Elastic,
    JointForce,
)
from ...model import quantity
from .base import Device, device, joint_of, text


@device.named("pulley")
@dataclass(frozen=True, slots=True, eq=False)
class PulleySpring(Device):
    """A spring at the end of a cable that runs over a pulley to a point of the link.

    The pulley of radius `pulley` [m] is centred at distance `height` [m] from the joint's axis,
    where the joint's coordinate is `top` [rad]; the cable is fixed to the link at `radius` [m].
    The spring of `stiffness` [N/m] has the extension `preload` [m] plus the cable's length: with a
    pulley of no size and no preload it is a spring of zero free length.  In the model: a
    `JointForce` with an `Elastic` law of the cable's length.
    """

    name: str
    joint: str
    height: Any = quantity(None, "m")
    radius: Any = quantity(None, "m")
    stiffness: Any = quantity(None, "N/m")
    pulley: float = quantity(0.0, "m")
    preload: Any = quantity(0.0, "m")
    top: float = quantity(np.pi / 2, "rad")

    variables: ClassVar = {"height": "m", "radius": "m", "stiffness": "N/m", "preload": "m"}

    def _added(self, model, base, values, memory):
        joint = joint_of(base, self)
        H, R, k, s = (
            text(self.given(values, n)) for n in ("height", "radius", "stiffness", "preload")
        )
        r, x = float(self.pulley), f"(x - ({float(self.top)!r}))"
        d2 = f"({H}**2 + {R}**2 - 2*{H}*{R}*cos{x})"  # BA.6
        if r == 0:
            cable, slope = f"sqrt{d2}", f"{H}*{R}*sin{x}/sqrt{d2}"
        else:
            free = f"sqrt({d2} - {r * r!r})"
            turn = f"atan2({R}*sin{x}, {H} - {R}*cos{x})"
            cable = f"({free} + {r!r}*(atan2({r!r}, {free}) + {turn}))"
            dd = f"{H}*{R}*sin{x}"  # half the slope of d2
            bend = f"(({R}*{H}*cos{x} - {R}**2)/{d2} - {r!r}*{dd}/({free}*{d2}))"
            slope = f"({dd}/{free} + {r!r}*{bend})"
        e = f"({s} + {cable})"
        law = Elastic(f"{k}*{e}*({slope})", f"{k}*{e}**2/2")
        force = JointForce(self.name, joint.name, law)
        return replace(model, forces=(*model.forces, force))


__all__ = ["PulleySpring"]
