"""Balancing devices: builders of ordinary model elements.

`device.apply(model, values)` returns a new model with the device.  During a design, values are
numbers or names of parameters.  Equations BA.1 to BA.7.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ....errors import ArgumentError, TorseurError, as_system, shown, unknown_name_message
from ....joints import Weld
from ....model import Body, Joint, Model
from ....register import Register
from ....scalars import arguments
from ....system import System

device = Register("device", "torseur.robots.balancing.devices")


class Device(ABC):
    """A balancing device: its joint, its design variables, and the elements that it adds to a
    model.
    """

    __slots__ = ()
    variables: ClassVar[dict[str, str]] = {}  # name of a field -> its unit
    name: str
    joint: str

    def apply(
        self,
        model: Model,
        values: Mapping[str, Any],
        memory: bool = True,
        base: Model | None = None,
    ) -> Model:
        """The model with this device.

        With `memory=False` tables become sums of hinge functions.  `base` is the model before any
        device. It determines the positions of the joints.
        """
        if not isinstance(model, Model):
            raise ArgumentError(f"device {self.name!r}: expected a ts.Model, got {shown(model)}")
        values = arguments.mapping(
            f"device {self.name!r}", "values", values, "{'weight.mass': 2.0}"
        )
        return self._add_elements(model, base or model, values, memory)

    @abstractmethod
    def _add_elements(
        self, model: Model, base: Model, values: Mapping[str, Any], memory: bool
    ) -> Model:
        """The model with this device's elements."""

    def variable_value(self, values: Mapping[str, Any], name: str):
        """Value of a design variable: from `values`, else the number of the device."""
        x = values.get(f"{self.name}.{name}", getattr(self, name))
        if x is None:
            raise ArgumentError(
                f"device {self.name!r}: {name} [{self.variables[name]}] has neither a value nor "
                f"bounds; give {name}=, or bounds={{'{self.name}.{name}': (low, high)}}"
            )
        return x

    def unknown(self) -> tuple[str, ...]:
        return tuple(f"{self.name}.{n}" for n in self.variables if getattr(self, n) is None)


def model_of(model: Any, where: str) -> Model:
    """The model of a call, or the model of its system.  Raises an error for any other object."""
    system = as_system(model, where)
    return model if isinstance(model, Model) else system.model


def find_joint(model: Model, device: Any) -> Joint:
    """The joint of a device, which must have one degree of freedom."""
    names = {j.name: j for j in model.joints}
    if device.joint not in names:
        raise TorseurError(
            unknown_name_message("joint", device.joint, names, f"device {device.name!r}")
        )
    joint = names[device.joint]
    if joint.kind.nv != 1:
        raise TorseurError(
            f"device {device.name!r}: joint {joint.name!r} has {joint.kind.nv} degrees of freedom; "
            "balancing devices are for joints with one"
        )
    return joint


def check_revolute(joint: Joint, device: Any) -> Joint:
    """The joint if its coordinate is an angle, else an error."""
    if joint.kind.nv != 1 or joint.kind.coordinates[0][1] != "rad":
        kind = type(joint.kind).__name__.lower()
        raise TorseurError(
            f"device {device.name!r}: joint {joint.name!r} is {kind}; this device is for joints "
            "that turn; use a spring for a slide"
        )
    return joint


def coordinate_name(joint: Joint) -> str:
    return f"{joint.name}.{joint.kind.coordinates[0][0]}"


def joint_axis(model: Model, joint: Joint) -> tuple[np.ndarray, np.ndarray]:
    """A point of the joint axis and its unit direction, in the frame of the child."""
    system = model.check()
    system.alone("balance")

    def axis_at(numbers: Mapping[str, float]):
        tree = system.floats(numbers)
        link, body_frame = system.link(joint.name), tree.places[joint.child]
        X = body_frame.X_LB.inverse()  # the link's frame in the body's
        S = np.array(link.joint.subspace(tree.K, link.joint.neutral()), float)[:, 0]
        axis = S[:3] if abs(S[:3]).max() > 0 else S[3:]
        return np.array(X.p, float), np.array(X.R, float) @ axis

    point, direction = evaluate_geometry(system, f"the axis of joint {joint.name!r}", axis_at)
    return point, direction


def _placeholder_values(system: System, x: float = 1.0):
    """The value x for all parameters without one: joint axes rarely depend on them."""
    return {n: x for n in system.symbols if system.parameters.get(n) is None}


def evaluate_geometry(
    system: System,
    quantity: str,
    function: Callable[[Mapping[str, float]], tuple[np.ndarray, ...]],
    checked: int | None = None,
):
    """Arrays of `function(numbers)`, if they do not depend on parameters without a value.

    Only the first `checked` arrays are compared, by default all.
    """
    numbers, other_numbers = _placeholder_values(system), _placeholder_values(system, 1.37)
    arrays = function(numbers)
    if numbers and any(
        abs(a - b).max() > 1e-12
        for a, b in zip(arrays[:checked], function(other_numbers), strict=False)
    ):
        raise TorseurError(
            f"balance: the place of {quantity} depends on parameters without a value (of "
            f"{', '.join(sorted(numbers))}); give them one: devices are placed by numbers"
        )
    return arrays


def link_direction(model: Model, joint: Joint) -> np.ndarray:
    """Unit direction from the joint axis to the center of mass of the child, in its frame.

    The direction is perpendicular to the axis.  It is x if the center of mass is on the axis.
    """
    o, axis = joint_axis(model, joint)
    body = next(b for b in model.bodies if b.name == joint.child)
    system = model.check()
    inertia = (
        system.floats(_placeholder_values(system)).links[system.link(joint.name).index - 1].inertia
    )
    if body.first_moment is None:
        try:
            com = np.asarray(body.com, float)
        except (TypeError, ValueError):
            com = np.zeros(3)
    else:
        h, m = np.array(inertia.h, float), float(inertia.mass)
        com = o + h / m if m else o
    r = com - o
    r = r - axis * (axis @ r)
    if np.linalg.norm(r) > 1e-9:
        return r / np.linalg.norm(r)
    x = np.array([1.0, 0, 0]) - axis * axis[0]
    return x / np.linalg.norm(x) if np.linalg.norm(x) > 1e-6 else np.array([0, 1.0, 0])


def expression_term(x: Any) -> str:
    """Text of a number or expression as a term of a larger expression."""
    return f"({x})" if isinstance(x, str) else repr(float(x))


def multiply_term(x: Any, factor: float):
    """Product of a number or expression with a number."""
    return (
        f"{expression_term(x)}*{float(factor)!r}"
        if isinstance(x, str)
        else float(x) * float(factor)
    )


def add_offset(a: float, x: Any):
    return f"{float(a)!r} + {x}" if isinstance(x, str) else float(a) + float(x)


def add_terms(a: Any, b: Any):
    """Sum of two numbers or expressions."""
    if not isinstance(a, str) and not isinstance(b, str):
        return float(a) + float(b)
    return f"({a}) + ({b})"


GRAY = (0.35, 0.35, 0.4, 1.0)


def rpy_of_direction(direction: ArrayLike) -> tuple[float, ...]:
    """Roll, pitch and yaw [rad] of a rotation that takes z to a direction."""
    x, y, z = np.asarray(direction, float) / np.linalg.norm(direction)
    return 0.0, float(np.arctan2(np.hypot(x, y), z)), float(np.arctan2(y, x))


def add_shapes(model: Model, name: str, body: str, shapes: tuple) -> Model:
    """The model with shapes on a new body without mass."""
    part, weld = Body(name, shapes=shapes), Joint(f"{name}_mount", body, name, Weld())
    return replace(model, bodies=(*model.bodies, part), joints=(*model.joints, weld))


def check_device_types(devices: Any) -> tuple[Device, ...]:
    """The devices as a tuple, or an error for any object of another class."""
    if isinstance(devices, Device):
        devices = (devices,)
    devices = tuple(
        arguments.listed("balance", "devices", devices, "[ts.robots.Counterweight(...)]")
    )
    if not devices:
        raise ArgumentError("balance: no device is given; one such as ts.robots.Counterweight(...)")
    for d in devices:
        if not isinstance(d, Device):
            raise ArgumentError(
                f"balance: expected devices such as ts.robots.Counterweight(...), got {shown(d)}"
            )
    return devices


def check_devices(model: Model, devices: Any) -> tuple[Device, ...]:
    """The devices, with unique names and on existing joints."""
    devices = check_device_types(devices)
    names = [d.name for d in devices]
    taken = {b.name for b in model.bodies} | {f.name for f in model.forces}
    if bad := sorted({n for n in names if names.count(n) > 1 or n in taken}):
        raise ArgumentError(f"balance: the name {bad[0]!r} is used twice; devices need their own")
    for d in devices:
        find_joint(model, d)
    return devices


__all__ = [
    "GRAY",
    "Device",
    "add_offset",
    "add_shapes",
    "add_terms",
    "check_device_types",
    "check_devices",
    "check_revolute",
    "coordinate_name",
    "device",
    "evaluate_geometry",
    "expression_term",
    "find_joint",
    "joint_axis",
    "link_direction",
    "model_of",
    "multiply_term",
    "rpy_of_direction",
]
