# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Spring with cable and pulley.  Equation BA.6."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....forces import Elastic, JointForce
from ....model import Cylinder, Joint, Model, Sphere, quantity
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
    link_direction,
    rpy_of_direction,
)


@device.named("pulley")
@dataclass(frozen=True, slots=True, eq=False)
class PulleySpring(Device):
    """A spring at the end of a cable that runs over a pulley to a point of the link.

    The center of the pulley of radius `pulley` [m] is at distance `height` [m] from the joint axis,
    in the direction of the link at the coordinate `top` [rad].  The cable is fixed to the link at
    `radius` [m].  The spring of `stiffness` [N/m] has the extension `preload` [m] plus the length
    of the cable. With a pulley of radius zero and no preload it is a spring of zero free length.
    In the model: a `JointForce` with an `Elastic` law of the length of the cable, a visible wheel
    and cable end.
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

    def _add_elements(self, model: Model, base: Model, values: Mapping[str, Any], memory: bool):
        """The model with a `JointForce` whose potential is that of the spring.  # BA.6"""
        joint = check_revolute(find_joint(base, self), self)
        H, R, k, s = (
            expression_term(self.variable_value(values, n))
            for n in ("height", "radius", "stiffness", "preload")
        )
        r, x = float(self.pulley), f"(x - ({float(self.top)!r}))"
        d2 = f"({H}**2 + {R}**2 - 2*{H}*{R}*cos{x})"  # BA.6
        if r == 0:
            cable, slope = f"sqrt{d2}", f"{H}*{R}*sin{x}/sqrt{d2}"
        else:
            free = f"sqrt({d2} - {r * r!r})"
            center_angle = f"atan2({R}*sin{x}, {H} - {R}*cos{x})"
            cable = f"({free} + {r!r}*(atan2({r!r}, {free}) + {center_angle}))"
            dd = f"{H}*{R}*sin{x}"  # half the slope of d2
            bend = f"(({R}*{H}*cos{x} - {R}**2)/{d2} - {r!r}*{dd}/({free}*{d2}))"
            slope = f"({dd}/{free} + {r!r}*{bend})"
        e = f"({s} + {cable})"
        law = Elastic(f"{k}*{e}*({slope})", f"{k}*{e}**2/2")
        force = JointForce(self.name, joint.name, law)
        return self._add_pulley(replace(model, forces=(*model.forces, force)), base, joint, values)

    def _add_pulley(self, model: Model, base: Model, joint: Joint, values: Mapping[str, Any]):
        """The model with a visible pulley on the parent and the cable end on the link."""
        from ....kernels import compile

        H, R = self.variable_value(values, "height"), self.variable_value(values, "radius")
        if isinstance(H, str) or isinstance(R, str):
            return model
        o, axis = joint_axis(base, joint)
        direction = link_direction(base, joint)
        dyn = compile(base)
        q = base.check().state({coordinate_name(joint): float(self.top)})[0]
        B = dyn.pose(joint.child, q)
        A = dyn.pose(joint.parent, q) if joint.parent != "world" else np.eye(4)
        X = np.linalg.inv(A) @ B  # of the child in what carries it, where the pulley is passed
        center = X[:3, :3] @ (o + float(H) * direction) + X[:3, 3]
        wheel = Cylinder(
            radius=max(float(self.pulley), 0.01),
            length=0.02,
            at=tuple(center),
            rpy=rpy_of_direction(X[:3, :3] @ axis),
            color=GRAY,
        )
        end = Sphere(radius=0.01, at=tuple(o + float(R) * direction), color=GRAY)
        model = add_shapes(model, f"{self.name}_wheel", joint.parent, (wheel,))
        return add_shapes(model, f"{self.name}_end", joint.child, (end,))


__all__ = ["PulleySpring"]
