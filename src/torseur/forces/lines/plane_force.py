"""A law on how deep a point is behind a plane, with Coulomb friction along it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import shown
from ...numbers import values
from ...spatial import Wrench, cross, pose_over
from ..base import frozen, line
from ._base import Line, Resolved, place_of, point, turning
from ._ends import end_problems, law_problems
from ._rubbing import drag, rubbing_problems

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
    slip u there, as `u / sqrt(u^2 + slip^2)`, `slip` [m/s] the speed that counts as rest; what it
    loses is dissipated.  A law that pulls has no friction.  Theory: CV.1, CV.2.

    With a `root` [m], a place (x, y, z) on the point's body, a view draws it from there to `plane`.

    >>> from torseur.forces import Spring
    >>> PlaneForce("bumper", ("car", (2, 0, 0)), "wall", Spring(1e6), normal="-x").direction()
    (-1, 0, 0)
    """

    name: str
    point: Any
    plane: Any
    law: Any
    normal: Any = "x"
    friction: Any = 0
    slip: Any = 0.01
    root: Any = None
    deflection: ClassVar = "m"

    def __post_init__(self):
        for end in ("point", "plane", "normal", "root"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def direction(self) -> tuple:
        """The normal as a unit vector."""
        if isinstance(self.normal, str):
            return AXES[self.normal]
        n = values.exacts(self.normal, (3,)).tolist()
        size = math.sqrt(sum(float(x) ** 2 for x in n))
        return tuple(n) if size == 1 else tuple(values.exact(float(x) / size) for x in n)

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.point, f"{where}, point")
        yield from end_problems(model, self.plane, f"{where}, plane")
        yield from law_problems(model, self.law, where)
        try:
            n = self.direction()
            wrong = not any(n) or any(isinstance(x, values.Value) for x in n)
        except (KeyError, TypeError, ValueError, ArithmeticError):
            wrong = True
        if wrong:
            yield f"{where}: normal={shown(self.normal)}: expected 'x', '-x', ... or three numbers"
        yield from rubbing_problems(model, self, where)

    def resolved(self, system):
        return Resolved((place_of(system, self.point), place_of(system, self.plane)))

    def act(self, K, moving, element, now):
        A, B = element.ends
        a, va, XA = point(K, moving, A)
        b, vb, XB = point(K, moving, B)
        n = XB.rotate(pose_over(K, B.X_LB).rotate(K.numbers(list(self.direction()))))
        r, u = a - b, va - vb
        wa, wb = turning(moving, A), turning(moving, B)
        if B.link:  # the plane's own motion where the point is
            u = u - cross(wb, r)
        s = element.look(now, -(r @ n), -(u @ n))  # CV.1
        T = self.law.force(K, s)
        push, foot, lost = n * T, a, 0
        if values.exact(self.friction) != 0:
            deep = n * s.x
            foot, slip = a + deep, u + n * s.rate + cross(wa - wb, deep)
            c = drag(K, self, T, slip)
            push, lost = push - slip * c, c * (slip @ slip)
        wrenches = []
        for place, X, f in ((A, XA, push), (B, XB, -push)):
            if place.link:
                f, at = X.unrotate(f), X.unrotate(foot - X.p)
                wrenches.append((place.link, Wrench(cross(at, f), f)))
        return element.answers(K, s, T, wrenches=tuple(wrenches), lost=lost)

    @property
    def linear(self):
        return self.friction == 0

    @property
    def loses(self):
        return self.friction != 0

    def drawn(self):
        if self.root is None:
            return None
        body = self.point if isinstance(self.point, str) else self.point[0]
        return {"shape": "segment", "a": (body, self.root), "b": self.plane, "rod": False}

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        from ..laws.spring import Spring

        return (
            cls("f", ("hand", (0.1, 0, 0)), "base", Spring(200.0)),
            cls(
                "f", "tip", ("base", (0, 0, 0.1)), Spring(200.0), (0, 3, 4), 0.3, 0.02, (0.1, 0, 0)
            ),
        )
