"""A law on the distance between two points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...register import frozen
from ...scalars import vector
from ..base import line
from ._base import Line, Resolved, point_motion, point_wrench, resolve_frame
from ._validation import end_problems, law_problems


@line
@dataclass(frozen=True, slots=True, eq=False)
class PointForce(Line):
    """A law on the distance between two points: x is the length [m].

    `a` and `b` are each a body's or frame's name (its origin), or `(name, (x, y, z))`.
    """

    name: str
    a: Any
    b: Any
    law: Any
    key: ClassVar = "between"
    deflection: ClassVar = "m"
    inside: ClassVar = {"a": "m", "b": "m"}

    def __post_init__(self):
        for end in ("a", "b"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.a, f"{where}, a")
        yield from end_problems(model, self.b, f"{where}, b")
        yield from law_problems(model, self.law, where)

    def resolved(self, system):
        return Resolved((resolve_frame(system, self.a), resolve_frame(system, self.b)))

    def act(self, K, motion, element, state):
        A, B = element.ends
        a, va, XA = point_motion(K, motion, A)
        b, vb, XB = point_motion(K, motion, B)
        d, dv = b - a, vb - va
        square = d @ d
        tiny = K.less(square, 1e-300)  # the points coincide: no direction
        length = K.sqrt(K.select(tiny, 1.0, square))
        e = vector(K.select(tiny, 0.0, K.divide(c, length)) for c in d)  # FO.12
        x = K.select(tiny, 0.0, length)
        s = element.look(state, x, e @ dv)
        T = self.law.force(K, s)
        pull = vector(c * T for c in e)
        wrenches = tuple(
            point_wrench(K, X, P, f) for X, P, f in ((XA, A, pull), (XB, B, -pull)) if P.link
        )
        return element.answers(K, s, T, wrenches=wrenches)  # FO.13

    def drawn(self):
        return ({"shape": "segment", "a": self.a, "b": self.b, "looks": self.looks},)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        from ..laws.spring import Spring

        return (cls("f", ("hand", (0.1, 0.2, 0.3)), "tip", Spring(200.0, 0.3)),)
