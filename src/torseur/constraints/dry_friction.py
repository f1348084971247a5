"""Dry (Coulomb) friction with true sticking, as switched constraint rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from ..errors import shown
from ..scalars import vector
from ..scalars.values import value
from ..spatial import cross, evaluate_pose
from ._contact_data import FrictionLaw, check_friction
from ._expression_rows import formula
from .base import Constraint, Relative, constraint

if TYPE_CHECKING:
    from ..spatial import Pose, Twist


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class DryFriction(Constraint):
    """Coulomb friction with true sticking: a constraint row with a switch.

    Parameters
    ----------
    of : a coordinate such as "slide.displacement", or (body or frame, axis, ground): the motion of
        its origin along an axis fixed in `ground` (a body or frame, "world" when left out); two
        axes, ("block", ("x", "y")), are friction in their plane, against the slip whatever its
        direction
    force : friction while sliding [N or N m]
    static : the most it holds when stuck; `force` when left out
    coefficient, static_coefficient : in place of forces, times the normal force
    normal : the constraint whose multiplier is the normal force ("guide", or "contact.normal"), or
        "joint": the reaction across the axis of the coordinate's own joint, or along the normal
        of the plane of two axes in the body's own joint
    radius : of a bearing [m], which turns the force of friction into a moment

    >>> DryFriction("rub", "slide.displacement", force=30.0).static
    """

    name: str
    of: Any
    force: Any = None
    static: Any = None
    coefficient: Any = None
    static_coefficient: Any = None
    normal: str | None = None
    radius: Any = 1
    inside: ClassVar = {
        "of": "",
        "force": "N m | N",
        "static": "N m | N",
        "coefficient": "",
        "static_coefficient": "",
        "radius": "m",
    }
    sided: ClassVar = "of"

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", "turn.angle", force=1, static=1.5),
            cls("c", "turn.angle", None, None, 0.3, 0.4, "joint", 0.05),
            cls("c", ("tip", "x", "base"), force=1),
            cls("c", ("tip", ("x", (0, 3, 4)), "base"), force=1),
        )

    def drawn(self):
        if isinstance(self.of, str):
            return ({"shape": "coordinates", "names": (self.of,), "looks": ("brake",)},)
        return ({"shape": "wheel", "on": self.of[0], "radius": 0, "axis": None},)

    def rows(self, to: Any):
        where = to.where(self)
        numbers = {
            n: None if (x := getattr(self, n)) is None else to.number(x, f"{where}, {n}")
            for n in ("force", "static", "coefficient", "static_coefficient", "radius")
        }
        if (self.force is None) == (self.coefficient is None):
            to.problems.append(f"{where}: give either force= or coefficient= with normal=")
        elif (self.coefficient is None) != (self.normal is None):
            to.problems.append(f"{where}: coefficient= and normal= go together")
        for static, sliding in (("static", "force"), ("static_coefficient", "coefficient")):
            if getattr(self, static) is not None and getattr(self, sliding) is None:
                to.problems.append(f"{where}: {static}= goes with {sliding}=, which is left out")
        low, high = (
            (numbers["force"], numbers["static"])
            if self.coefficient is None
            else (numbers["coefficient"], numbers["static_coefficient"])
        )
        high = check_friction(to, low, high, where)
        if isinstance(self.of, str):
            return [self._on_coordinate(to, low, high, numbers["radius"], where)]
        return [self._on_frame(to, low, high, numbers["radius"], where)]

    def _on_coordinate(self, to: Any, low, high, radius, where: str):
        """Row of the friction of a coordinate."""
        slot, link, unit = to.coordinate(self.of, where)
        k = to.links[link - 1]
        if not k.joint.holonomic:
            to.problems.append(f"{where}: {self.of!r} is not a coordinate whose rate is a speed")
        if self.normal == "joint" and to.on_beam(link):
            to.problems.append(f"{where}: normal='joint', but a beam's coordinate has no joint")
        v = {"x_": (k.v.start + slot - k.q.start, link, unit)}
        law = FrictionLaw(low, high, self.normal, radius, link)
        speed = (value.symbol("x_"),)
        return formula(self.name, ("slide",), (f"{unit}/s",), speed, {}, v, True, law)

    def _on_frame(self, to: Any, low, high, radius, where: str):
        """Rows of the friction of a frame along one or two axes."""
        if not (isinstance(self.of, tuple | list) and 2 <= len(self.of) <= 3):
            to.problems.append(
                f"{where}: of={shown(self.of)}; give a coordinate, or (body or "
                "frame, axis or two axes, ground)"
            )
            return Sliding(self.name, (), ("slide",), ("m/s",), True)
        frame, axis, *ground = self.of
        F, M = to.fixed_frame(ground[0] if ground else "world", where), to.fixed_frame(frame, where)
        is_planar = isinstance(axis, tuple | list) and len(axis) == 2
        axes = tuple(to.axis(x, where) for x in (axis if is_planar else (axis,)))
        if is_planar and abs(_dot(*axes)) > 1e-12:
            to.problems.append(
                f"{where}: the axes {axis[0]!r} and {axis[1]!r} of its plane are "
                "not at right angles"
            )
        if self.normal == "joint" and not is_planar:
            to.problems.append(
                f"{where}: normal='joint' along one axis of a frame; give a "
                "coordinate, or two axes of a plane"
            )
        if self.normal == "joint" and to.on_beam(M.link):
            to.problems.append(
                f"{where}: normal='joint', but {frame!r} is a place on a beam, which no joint "
                "carries; give force=, or weld a body there"
            )
        law = FrictionLaw(low, high, self.normal, radius, M.link)
        labels = ("slide1", "slide2") if is_planar else ("slide",)
        links, units = to.links_of(F, M), ("m/s",) * len(labels)
        return Sliding(self.name, links, labels, units, True, law, F=F, M=M, axes=axes)


def _dot(a: np.ndarray, b) -> float:
    return sum(value.nominal(x, {}) * value.nominal(y, {}) for x, y in zip(a, b, strict=True))


@dataclass(frozen=True, slots=True, eq=False)
class Sliding(Relative):
    """Velocity of M's origin along one or two axes fixed in F."""

    axes: tuple = ((1, 0, 0),)

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray):
        return self.velocity(tree.K, *self.twist(tree, q, v))

    def velocity(self, K: Any, X_FM: Pose, V: Twist):
        u = X_FM.rotate(V.linear)
        return vector(K.numbers(axis) @ u for axis in self.axes)

    def normal(self, tree: Any, q: np.ndarray):
        """Unit normal of the two axes, in the axes of the link of M."""
        K = tree.K
        n = cross(*(K.numbers(axis) for axis in self.axes))
        return evaluate_pose(K, self.M.X_LB).rotate(self.pose(tree, q).unrotate(n))

    def numbers(self):
        return (*Relative.numbers(self), *(x for axis in self.axes for x in axis))
