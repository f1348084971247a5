"""A law on how deep a point is behind a plane, with Coulomb friction along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import shown
from ...register import derived, frozen
from ...scalars import Floats, vector
from ...scalars.values import value
from ...spatial import Wrench, cross, evaluate_pose
from ..base import Law, line
from ._base import Line, Resolved, angular_velocity, point_motion, resolve_frame
from ._plane_contact import friction_problems, has_friction, plane_friction, plane_law, tangent_axes
from ._validation import end_problems, law_problems, number_problems

AXES = {s + a: tuple((-1 if s else 1) * (a == b) for b in "xyz") for s in ("", "-") for a in "xyz"}


@line
@dataclass(frozen=True, slots=True, eq=False)
class PlaneForce(Line):
    """A law on the depth of a point behind a plane: x is the depth [m], positive behind.

    The plane goes through `plane` (a body's or frame's name, or `(name, (x, y, z))`) and looks
    along `normal` ("x", "-x", ... or three numbers, in axes of that body or frame), towards the
    free side; it moves and turns with its body.  The force acts on both bodies along the normal
    through the point.

    `friction` is Coulomb's coefficient: where the crushed end touches the plane (the foot of the
    point on it) the body is held back along the plane by `friction` times the push, against its
    slip there.  An end that stops is held, as by a spring and damper up to that limit: at half of
    the limit it has moved by half of `presliding` [m], and it stays there as long as the forces do.
    What friction takes is dissipated.  A law that pulls has no friction.

    `edges` (lowest, highest) [m]: how far the plane goes from its place, along the axis of the
    plane's frame that follows the one nearest to the normal (y for a normal "x", z for "y", x for
    "z").  An end that is behind the plane with its foot beside it is gone for good, the event
    "<force>: slid off": no force any more, and what was stored is booked as torn.  Before the plane
    it may pass an edge.  Theory: CV.1, CV.2, CV.8.

    With a `root` [m], a place (x, y, z) on the point's body, a view draws it from there to `plane`.

    >>> from torseur.forces import Spring
    >>> PlaneForce("bumper", ("car", (2, 0, 0)), "wall", Spring(1e6), normal="-x").unit_normal()
    (-1, 0, 0)
    """

    name: str
    point: Any
    plane: Any
    law: Any
    normal: Any = "x"
    friction: Any = 0
    presliding: Any = 1e-4
    root: Any = None
    edges: Any = None
    deflection: ClassVar = "m"
    inside: ClassVar = {"point": "m", "plane": "m", "normal": "", "friction": "", "edges": "m"}

    def __post_init__(self):
        for end in ("point", "plane", "normal", "root", "edges"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def unit_normal(self) -> tuple:
        """The normal as a unit vector."""
        if isinstance(self.normal, str):
            return AXES[self.normal]
        n = value.exacts(self.normal, (3,)).tolist()
        size = math.sqrt(sum(float(x) ** 2 for x in n))
        return tuple(n) if size == 1 else tuple(value.exact(float(x) / size) for x in n)

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.point, f"{where}, point")
        yield from end_problems(model, self.plane, f"{where}, plane")
        yield from law_problems(model, self.law, where)
        try:
            n = self.unit_normal()
            invalid = not any(n) or any(isinstance(x, value.Value) for x in n)
        except (KeyError, TypeError, ValueError, ArithmeticError):
            invalid = True
        if invalid:
            yield f"{where}: normal={shown(self.normal)}: expected 'x', '-x', ... or three numbers"
        yield from friction_problems(model, self, where)
        yield from self._edge_problems(model, where)

    def _edge_problems(self, model, where):
        if self.edges is None:
            return
        if problems := list(number_problems(model, self.edges, (2,), f"{where}, edges [m]")):
            yield from problems
        elif not (low := value.nominal(value.exact(self.edges[0]), model.parameters)) < (
            high := value.nominal(value.exact(self.edges[1]), model.parameters)
        ):
            yield f"{where}: edges: expected the lowest before the highest, got {low:g}, {high:g}"

    @derived
    def acting(self):
        return plane_law(self, self.edges) if isinstance(self.law, Law) else self.law

    def tangent_axes(self) -> tuple:
        """Two unit vectors along the plane, in axes of its frame."""
        n = [float(x) for x in self.unit_normal()]
        after = (max(range(3), key=lambda i: abs(n[i])) + 1) % 3
        return tangent_axes(Floats(), vector(n), vector(float(i == after) for i in range(3)))

    def resolved(self, system):
        return Resolved((resolve_frame(system, self.point), resolve_frame(system, self.plane)))

    def act(self, K, motion, element, state):
        A, B = element.ends
        a, va, XA = point_motion(K, motion, A)
        b, vb, XB = point_motion(K, motion, B)
        R = evaluate_pose(K, B.X_LB)
        n = XB.rotate(R.rotate(K.numbers(list(self.unit_normal()))))
        r, u = a - b, va - vb
        if B.link:  # the plane's own motion where the point is
            u = u - cross(angular_velocity(motion, B), r)
        s = element.look(state, -(r @ n), -(u @ n))  # CV.1
        foot, friction_power, force = a, 0, 0
        if element.law.beside:
            axes = [
                XB.rotate(R.rotate(K.numbers(list(map(value.exact, t)))))
                for t in self.tangent_axes()
            ]
            deep = n * s.x
            foot = a + deep
            u = u + cross(angular_velocity(motion, A) - angular_velocity(motion, B), deep)
            slip = [t @ u for t in axes]
            s = s._replace(u=(*s.u, *slip, axes[0] @ r))
        T = element.law.force(K, s)
        if has_friction(self):
            force, friction_power = plane_friction(K, self, element.law, s, T, axes, slip)
        push = n * T + force
        wrenches = []
        for frame, X, f in ((A, XA, push), (B, XB, -push)):
            if frame.link:
                f, at = X.unrotate(f), X.unrotate(foot - X.p)
                wrenches.append((frame.link, Wrench(cross(at, f), f)))
        return element.answers(K, s, T, wrenches=tuple(wrenches), line_power=friction_power)

    @derived
    def linear(self):
        return self.friction == 0

    @derived
    def loses(self):
        return self.friction != 0

    def drawn(self):
        wall = {"shape": "plane", "on": self.plane, "normal": self.unit_normal()}
        if self.root is None:
            return wall, {"shape": "wheel", "on": self.point, "radius": 0, "axis": None}
        body = self.point if isinstance(self.point, str) else self.point[0]
        member = {"shape": "segment", "a": (body, self.root), "b": self.plane}
        return ({**member, "looks": self.looks},)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        from ..laws.spring import Spring

        return (
            cls("f", ("hand", (0.1, 0, 0)), "base", Spring(200.0)),
            cls(
                "f", "tip", ("base", (0, 0, 0.1)), Spring(200.0), (0, 3, 4), 0.3, 0.02, (0.1, 0, 0)
            ),
            cls("f", ("hand", (0.1, 0, 0)), "base", Spring(200.0), "-y", edges=(-9, 9)),
        )
