# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Counterweight driven by a parallelogram linkage.  Equations BA.7, BA.14."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ....errors import TorseurError, unknown_name_message
from ....joints import Revolute
from ....kinematics import pose
from ....model import Body, Capsule, Joint, Model, Sphere, quantity
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
    """A counterweight on the base side, which a parallelogram linkage keeps parallel to an outer
    link.

    A crank rotates on the axis of joint `base` by the sum of both coordinates.  It carries `mass`
    [kg] at `distance` [m], opposite to the outer link.  Two massless bars drive it, at `crank` [m]
    from the axis and 90 degrees apart, so there is no dead point.  The crank balances the outer
    link about the joint of that link.  For the inner link the outer one acts as a point mass at the
    joint.  In the model: a body with a joint, the bars, and a `Coupling` for each.
    `Balance.reactions` gives the forces of the bars on the bearings.
    """

    name: str
    joint: str  # of the outer link
    base: str  # of the inner link
    mass: Any = quantity(None, "kg")
    distance: Any = quantity(None, "m")
    radius: float = quantity(0.05, "m")
    crank: float = quantity(0.1, "m")

    variables: ClassVar = {"mass": "kg", "distance": "m"}

    def joint_pair(self, base: Model) -> tuple[Joint, Joint, float]:
        """The inner and the outer joint, and the sign of the product of their parallel axes."""
        outer = check_revolute(find_joint(base, self), self)
        names = {j.name: j for j in base.joints}
        if self.base not in names:
            raise TorseurError(
                unknown_name_message("joint", self.base, names, f"device {self.name!r}, base")
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
    def _axis_in_base(base: Model, inner: Joint, joint: Joint):
        """A point of a joint axis, its direction, and the pose of the child.

        All are in the frame of the parent of the inner joint, at zero of all joints.
        """
        system = base.check()

        def axis_pose(numbers: Mapping[str, float]):
            tree, q = system.floats(numbers), system.neutral()
            poses = (pose(tree, n, q).matrix() for n in (inner.parent, joint.child))
            A, B = (np.array(T, float) for T in poses)
            X = np.linalg.inv(A) @ B  # how far the outer axis is matters to the bars alone
            return (X[:3, :3] if joint is not inner else X), X

        _, X = evaluate_geometry(system, f"the crank on joint {inner.name!r}", axis_pose, 1)
        o, a = joint_axis(base, joint)
        return X[:3, :3] @ o + X[:3, 3], X[:3, :3] @ a, X

    def crank_frame(self, base: Model, inner: Joint, outer: Joint):
        """Frame of the crank at zero (4, 4), directions of both links in it, length of the inner
        link.
        """
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

    def _add_elements(self, model: Model, base: Model, values: Mapping[str, Any], memory: bool):
        """The model with the crank, its coupling, and the bars if the variables are numbers."""
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

    def bar_forces(
        self, base: Model, model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Forces of both bars on the crank (n, 2) [N], and the direction of the inner link (n, 3).

        A positive force points away from the base.  The direction is in the world.  Of all forces
        that give the torque T of the crank, these have the least sum of squares: `f_i = T c_i /
        crank`, where `c_i` is the sine of the angle from arm i to the link.  # BA.14
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


def remove_couplings(model: Model):
    """The model without couplings, for reaction forces of its parts.

    The massless bars of parallelograms get a rotor inertia, so the mass matrix stays regular.
    """
    joints = tuple(
        replace(j, armature=1.0) if j.name.endswith(("_bar1_pin", "_bar2_pin")) else j
        for j in model.joints
    )
    return replace(model, joints=joints, constraints=())


__all__ = ["Parallelogram", "remove_couplings"]
