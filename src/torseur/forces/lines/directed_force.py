"""A law on the distance of two points along a fixed direction."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import shown
from ...register import frozen
from ...scalars import vector
from ...scalars.values import value
from ...spatial import Wrench, cross, evaluate_pose
from ..base import line
from ._base import Line, Resolved, point_motion, resolve_frame
from ._validation import end_problems, law_problems
from .plane_force import AXES


@line
@dataclass(frozen=True, slots=True, eq=False)
class DirectedForce(Line):
    """A law on how far b is from a along a fixed direction: x is `direction . (b - a)` [m].

    `a` and `b` are each a body's or frame's name (its origin), or `(name, (x, y, z))`.  `direction`
    is "x", "-y", ... or three numbers, of any length, fixed in the axes of `frame` (a body or
    frame; the world when left out).  The force acts along it only, on a and opposite on b; the body
    that holds the direction carries the moment of the two.  Theory: FO.50.

    >>> from torseur.forces import Spring
    >>> DirectedForce("air", "world", "car", Spring(2e4, 0.3), "z").unit_direction()
    (0, 0, 1)
    """

    name: str
    a: Any
    b: Any
    law: Any
    direction: Any = "z"
    frame: str = "world"
    deflection: ClassVar = "m"
    inside: ClassVar = {"a": "m", "b": "m", "direction": ""}

    def __post_init__(self):
        for end in ("a", "b", "direction"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def unit_direction(self) -> tuple:
        """The direction as a unit vector."""
        if isinstance(self.direction, str):
            return AXES[self.direction]
        n = value.exacts(self.direction, (3,)).tolist()
        size = math.sqrt(sum(float(x) ** 2 for x in n))
        return tuple(n) if size == 1 else tuple(value.exact(float(x) / size) for x in n)

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.a, f"{where}, a")
        yield from end_problems(model, self.b, f"{where}, b")
        yield from end_problems(model, self.frame, f"{where}, frame")
        yield from law_problems(model, self.law, where)
        try:
            invalid = not all(math.isfinite(float(x)) for x in self.unit_direction())
        except (KeyError, TypeError, ValueError, ArithmeticError):
            invalid = True
        if invalid:
            direction = shown(self.direction)
            yield f"{where}: direction={direction}: expected 'x', '-x', ... or three numbers"

    def resolved(self, system):
        return Resolved(tuple(resolve_frame(system, end) for end in (self.a, self.b, self.frame)))

    def act(self, K, motion, element, state):
        A, B, C = element.ends
        a, va, XA = point_motion(K, motion, A)
        b, vb, XB = point_motion(K, motion, B)
        X_WC = motion[C.link].X_W
        e = X_WC.rotate(evaluate_pose(K, C.X_LB).rotate(K.numbers(list(self.unit_direction()))))
        d, dv = b - a, vb - va
        w = X_WC.rotate(motion[C.link].V.angular) if C.link else vector((0, 0, 0))
        direction_rate = cross(w, e)
        s = element.look(state, e @ d, e @ dv + direction_rate @ d)  # FO.50
        T = self.law.force(K, s)
        pull = vector(c * T for c in e)
        wrenches = []
        for frame, X, at, f in ((A, XA, a, pull), (B, XB, b, -pull)):
            if frame.link:
                f, r = X.unrotate(f), X.unrotate(at - X.p)
                wrenches.append((frame.link, Wrench(cross(r, f), f)))
        if C.link:  # the direction is held by its body
            moment = X_WC.unrotate(cross(d, pull))
            wrenches.append((C.link, Wrench(moment, vector((0, 0, 0)))))
        return element.answers(K, s, T, wrenches=tuple(wrenches))

    def drawn(self):
        return ({"shape": "segment", "a": self.a, "b": self.b, "looks": self.looks},)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        from ..laws.spring import Spring

        return (
            cls("f", "world", ("hand", (0.1, 0, 0.2)), Spring(200.0, 0.3)),
            cls("f", ("hand", (0.1, 0.2, 0)), "tip", Spring(200.0), (0, 3, 4), "base"),
        )
