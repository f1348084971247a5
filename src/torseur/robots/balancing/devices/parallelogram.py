# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""A counterweight on the base side, led by a parallelogram.  Theory: BA.7, BA.14."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....errors import TorseurError, unknown_name
from ....joints import Revolute
from ....kinematics import pose
from ....model import Body, Capsule, Joint, Sphere, quantity
from .base import (
    GRAY,
    Device,
    check_revolute,
    coordinate_name,
    device,
    evaluate_geometry,
    find_joint,
    joint_axis,
    link_direction,
    multiply_term,
    rpy_of_direction,
)


@device.named("parallelogram")
@dataclass(frozen=True, slots=True, eq=False)
class Parallelogram(Device):
    """A counterweight on the base side, which a parallelogram keeps parallel to an outer link.

    A crank turns on the axis of joint `base` with the sum of both coordinates, carries `mass` [kg]
    at `distance` [m] on the side opposite the outer link, and is led by two bars without mass, at
    `crank` [m] from the axis and a right angle apart (no dead point): it balances the outer link
    about its own joint while the inner one carries its weight as if it sat at the joint.  In the
    model: a body on a joint of its own, the bars, and a `Coupling` each.  What the bars do to the
    bearings: `Balance.reactions`.
    """

    name: str
    joint: str  # of the outer link
    base: str  # of the inner link
    mass: Any = quantity(None, "kg")
    distance: Any = quantity(None, "m")
    radius: float = quantity(0.05, "m")
    crank: float = quantity(0.1, "m")

    variables: ClassVar = {"mass": "kg", "distance": "m"}

    def joint_pair(self, base) -> tuple[Joint, Joint, float]:
        """The inner and the outer joint, and 1 or -1 as their axes point: one carries the other,
        side by side."""
        outer = check_revolute(find_joint(base, self), self)
        names = {j.name: j for j in base.joints}
        if self.base not in names:
            raise TorseurError(
                unknown_name("joint", self.base, names, f"device {self.name!r}, base")
            )
        inner = check_revolute(names[self.base], self)
        if outer.parent != inner.child:
            raise TorseurError(
                f"device {self.name!r}: joint {outer.name!r} is on {outer.parent!r}, not on "
                f"{inner.child!r}, which {inner.name!r} carries; a parallelogram spans one link"
            )
        _, a_out, _ = self._axis_in_base(base, inner, outer)
        _, a_in, _ = self._axis_in_base(base, inner, inner)
        cosine = float(a_in @ a_out)
        if abs(cosine) < 1 - 1e-9:
            raise TorseurError(
                f"device {self.name!r}: the axes of {inner.name!r} and {outer.name!r} are "
                f"{np.degrees(np.arccos(min(abs(cosine), 1.0))):.3g} deg from parallel"
            )
        return inner, outer, np.sign(cosine)

    @staticmethod
    def _axis_in_base(base, inner, joint):
        """A point of a joint's axis and its direction in what carries the inner joint, at zero of
        all joints; the pose of its child there."""
        system = base.check()

        def axis_pose(numbers):
            tree, q = system.floats(numbers), system.neutral()
            poses = (pose(tree, n, q).matrix() for n in (inner.parent, joint.child))
            A, B = (np.array(T, float) for T in poses)
            X = np.linalg.inv(A) @ B  # how far the outer axis is matters to the bars alone
            return (X[:3, :3] if joint is not inner else X), X

        _, X = evaluate_geometry(system, f"the crank on joint {inner.name!r}", axis_pose, 1)
        o, a = joint_axis(base, joint)
        return X[:3, :3] @ o + X[:3, 3], X[:3, :3] @ a, X

    def crank_frame(self, base, inner, outer):
        """The crank's frame at zero (4, 4), the direction of the outer link and of the inner one in
        it, and the length of the inner one between the axes."""
        inner_point, axis, _ = self._axis_in_base(base, inner, inner)
        outer_point, _, X = self._axis_in_base(base, inner, outer)
        F = np.eye(4)
        F[:3, :3], F[:3, 3] = X[:3, :3], inner_point
        span = outer_point - inner_point
        span = X[:3, :3].T @ (span - axis * (axis @ span))
        length = float(np.linalg.norm(span))
        if length < 1e-9:
            raise TorseurError(
                f"device {self.name!r}: {inner.name!r} and {outer.name!r} have one axis; a "
                "parallelogram spans a link"
            )
        return F, link_direction(base, outer), span / length, length

    def _add_elements(self, model, base, values, memory):
        from ....constraints import Coupling

        inner, outer, sign = self.joint_pair(base)
        _, a = joint_axis(base, outer)
        F, direction, u, length = self.crank_frame(base, inner, outer)
        d = self.variable_value(values, "distance")
        is_symbolic = isinstance(d, str) or isinstance(self.variable_value(values, "mass"), str)
        ball = Sphere(
            radius=self.radius,
            at=(0, 0, 0) if is_symbolic else tuple(-float(d) * direction),
            color=GRAY,
        )
        com = tuple(multiply_term(d, -w) for w in direction)
        crank = Body(self.name, self.variable_value(values, "mass"), com, shapes=(ball,))
        pivot = Joint(
            f"{self.name}_pivot", inner.parent, self.name, Revolute(tuple(a)), pose=F.tolist()
        )
        q_in, q_out = coordinate_name(inner), coordinate_name(outer)
        bar_coupling = Coupling(
            f"{self.name}_bars", {f"{pivot.name}.angle": 1, q_in: -sign, q_out: -1}
        )
        extended = replace(
            model,
            bodies=(*model.bodies, crank),
            joints=(*model.joints, pivot),
            constraints=(*model.constraints, bar_coupling),
        )
        if is_symbolic:
            return extended
        rod = Capsule(
            radius=0.008,
            length=length,
            at=tuple(u * length / 2),
            rpy=rpy_of_direction(u),
            color=GRAY,
        )
        for i, e in enumerate((direction, np.cross(a, direction)), 1):
            name = f"{self.name}_bar{i}"
            pin = Joint(
                f"{name}_pin",
                self.name,
                name,
                Revolute(tuple(a)),
                at=tuple(float(self.crank) * e),
            )
            stay = Coupling(f"{name}_stay", {f"{pin.name}.angle": 1, q_out: 1})
            extended = replace(
                extended,
                bodies=(*extended.bodies, Body(name, shapes=(rod,))),
                joints=(*extended.joints, pin),
                constraints=(*extended.constraints, stay),
            )
        return extended

    def bar_forces(self, base, model, q, v, a) -> tuple[np.ndarray, np.ndarray]:
        """Force of each bar on the crank (n, 2) [N], away from the base positive, and the direction
        of the inner link in the world (n, 3), along a motion of the model with this device.

        Of all pairs that give the crank the torque it needs, the smallest: `f_i = T c_i / crank`,
        `c_i` the sine from arm i to the link.  # BA.14
        """
        from ....kernels import compile

        inner, outer, _ = self.joint_pair(base)
        _, axis = joint_axis(base, outer)
        _, direction, u, _ = self.crank_frame(base, inner, outer)
        dyn = compile(remove_couplings(model))
        torque = dyn.inverse_dynamics(q, v, a)[:, dyn.system.link(f"{self.name}_pivot").v.start]
        crank = dyn.pose(self.name, q)[:, :3, :3]
        link = dyn.pose(f"{self.name}_bar1", q)[:, :3, :3] @ u
        arms = np.stack([crank @ e for e in (direction, np.cross(axis, direction))], 1)
        c = np.einsum("nij,nj->ni", np.cross(arms, link[:, None]), crank @ axis)
        return torque[:, None] * c / float(self.crank), link


def remove_couplings(model):
    """The model without its couplings, for what each part of it bears; the bars of parallelograms,
    which weigh nothing, get a rotor so that they may turn."""
    joints = tuple(
        replace(j, armature=1.0) if j.name.endswith(("_bar1_pin", "_bar2_pin")) else j
        for j in model.joints
    )
    return replace(model, joints=joints, constraints=())


__all__ = ["Parallelogram", "remove_couplings"]
