# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Balancing spring between a point fixed to the parent and a point of the link.  Equation BA.2."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ....errors import ArgumentError, TorseurError
from ....forces import (
    Elastic,
    Expression,
    Parallel,
    PointForce,
    Polynomial,
    Spring as LinearSpring,
    Table,
)
from ....model import Model, quantity
from .base import (
    Device,
    add_offset,
    add_terms,
    coordinate_name,
    device,
    find_joint,
    joint_axis,
    link_direction,
    multiply_term,
)


@device.named("spring")
@dataclass(frozen=True, slots=True, eq=False)
class BalancingSpring(Device):
    """A spring between a point that does not rotate with the joint and a point of the link.

    Parameters
    ----------
    anchor : fixed end, (x, y, z) in the frame of the parent of the joint [m], or (body, point)
    radius : distance of the other end from the joint axis [m], along `direction` in the frame of
        the child (by default toward the center of mass of the link)
    law : a law of the extension x [m] (`ts.Spring(k)`, `ts.Expression("16500*x")`, ...), points
        (extension, force) of a table, or None for a linear spring of `stiffness` [N/m]
    rest : coordinate of the joint at zero extension [rad or m]
    free_length : length without extension [m], instead of `rest`.  Without both it is zero.

    In the model: a `PointForce`.
    """

    name: str
    joint: str
    anchor: Any = (0.0, 0.0, 0.1)
    radius: Any = quantity(None, "m")
    law: Any = None
    rest: Any = None
    free_length: Any = quantity(None, "m")
    stiffness: Any = quantity(None, "N/m")
    direction: Any = quantity(None, "", (3,))

    variables: ClassVar = {"radius": "m", "stiffness": "N/m"}

    def unknown(self):
        return tuple(
            n for n in Device.unknown(self) if self.law is None or not n.endswith(".stiffness")
        )

    def endpoints(self, model: Model):
        """Body and point of the anchor, name of the child, point on the axis, direction of the
        radius.
        """
        joint = find_joint(model, self)
        a = self.anchor
        if isinstance(a, tuple | list) and len(a) == 2 and isinstance(a[0], str):
            a = (a[0], _point_entries(a[1]))
        else:
            a = (joint.parent, _point_entries(a))
        o, _ = joint_axis(model, joint)
        direction = (
            link_direction(model, joint)
            if self.direction is None
            else np.asarray(self.direction, float) / np.linalg.norm(self.direction)
        )
        return a, joint.child, o, direction

    def squared_length_coefficients(self, model: Model, q: np.ndarray):
        """Coefficients of 1, radius and radius^2 in the squared length at the coordinates q."""
        from ....kernels import compile

        (host, point), child, o, direction = self.endpoints(model)
        dyn = compile(model)
        A = dyn.pose(host, q) if host != "world" else np.eye(4)
        B = dyn.pose(child, q)
        p0 = B[:3, :3] @ o + B[:3, 3] - (A[:3, :3] @ np.array(point) + A[:3, 3])
        p1 = B[:3, :3] @ direction
        return float(p0 @ p0), float(2 * p0 @ p1), float(p1 @ p1)

    def _add_elements(self, model: Model, base: Model, values: Mapping[str, Any], memory: bool):
        """The model with a `PointForce` between both ends."""
        host, child, o, direction = self.endpoints(base)
        R = self.variable_value(values, "radius")
        end = tuple(add_offset(a, multiply_term(R, b)) for a, b in zip(o, direction, strict=True))
        law = (
            self.law
            if self.law is not None
            else LinearSpring(self.variable_value(values, "stiffness"))
        )
        force = PointForce(
            self.name,
            host,
            (child, end),
            shift_law(law, self._length_at_rest(base, R), memory, self.name),
        )
        return replace(model, forces=(*model.forces, force))

    def _length_at_rest(self, model: Model, R: Any):
        """Free length [m]: a number, or an expression if the radius is one."""
        if self.rest is None:
            return 0.0 if self.free_length is None else float(self.free_length)
        if self.free_length is not None:
            raise ArgumentError(f"device {self.name!r}: give rest= or free_length=, not both")
        rest_pose = (
            self.rest
            if isinstance(self.rest, Mapping)
            else {coordinate_name(find_joint(model, self)): self.rest}
        )
        c0, c1, c2 = self.squared_length_coefficients(model, model.check().state(rest_pose)[0])
        if isinstance(R, str):
            return f"sqrt({c0!r} + {c1!r}*{R} + {c2!r}*{R}**2)"
        return float(np.sqrt(c0 + c1 * R + c2 * R * R))


Spring = BalancingSpring


def _point_entries(point: Any):
    """Three entries of a point: numbers, or names of parameters."""
    return tuple(x if isinstance(x, str) else float(x) for x in point)


def shift_law(law: Any, free: Any, memory: bool, name: str):
    """A law of the extension as a law of the length, for a spring of free length `free`."""
    if isinstance(law, int | float) and not isinstance(law, bool):
        law = LinearSpring(float(law))
    if isinstance(law, tuple | list | np.ndarray):
        law = Table(tuple(tuple(map(float, p)) for p in np.asarray(law, float)))
    offset = free if isinstance(free, str) else float(free)
    is_unshifted = not isinstance(offset, str) and offset == 0
    match law:
        case Parallel():
            return Parallel(*(shift_law(part, free, memory, name) for part in law.laws))
        case Table() if not memory:
            return Expression(
                hinge_sum(law.points, f"(x - ({add_terms(law.free_length, offset)}))", law.beyond)
            )
        case LinearSpring() | Polynomial() | Table():
            return (
                law
                if is_unshifted
                else replace(law, free_length=add_terms(law.free_length, offset))
            )
        case Expression():
            inner = re.sub(r"\bx\b", f"(x - ({offset}))", law.text)
            return law if is_unshifted else Expression(inner, law.named, law.work)
        case Elastic():

            def sub(t: str):
                return re.sub(r"\bx\b", f"(x - ({offset}))", str(t))

            return law if is_unshifted else Elastic(sub(law.text), sub(law.energy))
    if is_unshifted:
        return law
    raise TorseurError(
        f"device {name!r}: a {type(law).__name__} cannot be laid on an extension; use ts.Spring, a "
        "Polynomial, a Table, an Expression of x, or give no rest="
    )


def hinge_sum(points: Any, x: str, beyond: str = "extend") -> str:
    """A piecewise linear function as a sum of hinge functions, for laws without history."""
    (x0, y0), *_ = points = [(float(a), float(b)) for a, b in points]
    gradients = [(b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points)]
    if beyond == "hold":
        gradients = [0.0, *gradients, 0.0]
        knots = [p[0] for p in points]
    else:
        knots = [p[0] for p in points[1:-1]]
    out = f"{y0!r} + {gradients[0]!r}*({x} - ({x0!r}))"
    for knot, a, b in zip(knots, gradients[:-1], gradients[1:], strict=True):
        out += f" + {b - a!r}*max({x} - ({knot!r}), 0)"
    return out


__all__ = ["BalancingSpring", "Spring", "hinge_sum", "shift_law"]
