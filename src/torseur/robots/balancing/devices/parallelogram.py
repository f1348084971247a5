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
    along_link,
    along_z,
    coordinate,
    device,
    joint_of,
    placement,
    product,
    settled,
    turning,
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

    def pair(self, base) -> tuple[Joint, Joint, float]:
        """The inner and the outer joint, and 1 or -1 as their axes point: one carries the other,
        side by side."""
        outer = turning(joint_of(base, self), self)
        names = {j.name: j for j in base.joints}
        if self.base not in names:
            raise TorseurError(
                unknown_name("joint", self.base, names, f"device {self.name!r}, base")
            )
        inner = turning(names[self.base], self)
        if outer.parent != inner.child:
            raise TorseurError(
                f"device {self.name!r}: joint {outer.name!r} is on {outer.parent!r}, not on "
                f"{inner.child!r}, which {inner.name!r} carries; a parallelogram spans one link"
            )
        _, a_out, _ = self._axes(base, inner, outer)
        _, a_in, _ = self._axes(base, inner, inner)
        side = float(a_in @ a_out)
        if abs(side) < 1 - 1e-9:
            raise TorseurError(
                f"device {self.name!r}: the axes of {inner.name!r} and {outer.name!r} are "
                f"{np.degrees(np.arccos(min(abs(side), 1.0))):.3g} deg from parallel"
            )
        return inner, outer, np.sign(side)

    @staticmethod
    def _axes(base, inner, joint):
        """A point of a joint's axis and its direction in what carries the inner joint, at zero of
        all joints; the pose of its child there."""
        system = base.check()

        def at(numbers):
            tree, q = system.floats(numbers), system.neutral()
            places = (pose(tree, n, q).matrix() for n in (inner.parent, joint.child))
            A, B = (np.array(T, float) for T in places)
            X = np.linalg.inv(A) @ B  # how far the outer axis is matters to the bars alone
            return (X[:3, :3] if joint is not inner else X), X

        _, X = settled(system, f"the crank on joint {inner.name!r}", at, 1)
        o, a = placement(base, joint)
        return X[:3, :3] @ o + X[:3, 3], X[:3, :3] @ a, X

    def frame(self, base, inner, outer):
        """The crank's frame at zero (4, 4), the direction of the outer link and of the inner one in
        it, and the length of the inner one between the axes."""
        foot, axis, _ = self._axes(base, inner, inner)
        far, _, X = self._axes(base, inner, outer)
        F = np.eye(4)
        F[:3, :3], F[:3, 3] = X[:3, :3], foot
        span = far - foot
        span = X[:3, :3].T @ (span - axis * (axis @ span))
        length = float(np.linalg.norm(span))
        if length < 1e-9:
            raise TorseurError(
                f"device {self.name!r}: {inner.name!r} and {outer.name!r} have one axis; a "
                "parallelogram spans a link"
            )
        return F, along_link(base, outer), span / length, length

    def _added(self, model, base, values, memory):
        from ....constraints import Coupling

        inner, outer, side = self.pair(base)
        _, a = placement(base, outer)
        F, way, u, length = self.frame(base, inner, outer)
        d = self.given(values, "distance")
        sought = isinstance(d, str) or isinstance(self.given(values, "mass"), str)
        ball = Sphere(
            radius=self.radius, at=(0, 0, 0) if sought else tuple(-float(d) * way), color=GRAY
        )
        com = tuple(product(d, -w) for w in way)
        crank = Body(self.name, self.given(values, "mass"), com, shapes=(ball,))
        pivot = Joint(
            f"{self.name}_pivot", inner.parent, self.name, Revolute(tuple(a)), pose=F.tolist()
        )
        q_in, q_out = coordinate(inner), coordinate(outer)
        led = Coupling(f"{self.name}_bars", {f"{pivot.name}.angle": 1, q_in: -side, q_out: -1})
        made = replace(
            model,
            bodies=(*model.bodies, crank),
            joints=(*model.joints, pivot),
            constraints=(*model.constraints, led),
        )
        if sought:
            return made
        rod = Capsule(
            radius=0.008, length=length, at=tuple(u * length / 2), rpy=along_z(u), color=GRAY
        )
        for i, e in enumerate((way, np.cross(a, way)), 1):
            name = f"{self.name}_bar{i}"
            pin = Joint(
                f"{name}_pin",
                self.name,
                name,
                Revolute(tuple(a)),
                at=tuple(float(self.crank) * e),
            )
            stay = Coupling(f"{name}_stay", {f"{pin.name}.angle": 1, q_out: 1})
            made = replace(
                made,
                bodies=(*made.bodies, Body(name, shapes=(rod,))),
                joints=(*made.joints, pin),
                constraints=(*made.constraints, stay),
            )
        return made

    def bar_forces(self, base, model, q, v, a) -> tuple[np.ndarray, np.ndarray]:
        """Force of each bar on the crank (n, 2) [N], away from the base positive, and the direction
        of the inner link in the world (n, 3), along a motion of the model with this device.

        Of all pairs that give the crank the torque it needs, the smallest: `f_i = T c_i / crank`,
        `c_i` the sine from arm i to the link.  # BA.14
        """
        from ....kernels import compile

        inner, outer, _ = self.pair(base)
        _, axis = placement(base, outer)
        _, way, u, _ = self.frame(base, inner, outer)
        dyn = compile(uncoupled(model))
        torque = dyn.inverse_dynamics(q, v, a)[:, dyn.system.link(f"{self.name}_pivot").v.start]
        crank = dyn.pose(self.name, q)[:, :3, :3]
        link = dyn.pose(f"{self.name}_bar1", q)[:, :3, :3] @ u
        arms = np.stack([crank @ e for e in (way, np.cross(axis, way))], 1)
        c = np.einsum("nij,nj->ni", np.cross(arms, link[:, None]), crank @ axis)
        return torque[:, None] * c / float(self.crank), link


def uncoupled(model):
    """The model without its couplings, for what each part of it bears; the bars of parallelograms,
    which weigh nothing, get a rotor so that they may turn."""
    joints = tuple(
        replace(j, armature=1.0) if j.name.endswith(("_bar1_pin", "_bar2_pin")) else j
        for j in model.joints
    )
    return replace(model, joints=joints, constraints=())


__all__ = ["Parallelogram", "uncoupled"]
