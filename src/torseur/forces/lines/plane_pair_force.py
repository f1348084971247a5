"""A law on how deep an end is behind the plane in which two bodies meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import shown, unknown_name
from ...register import derived, frozen
from ...scalars import vector
from ...spatial import HALF, Wrench, cross, pose_over
from ..base import Law, line
from ._base import Line, Resolved, place_of, point, turning
from ._plane_contact import rubbed, rubbing_problems, rubs, sides_of, whole_law
from ._validation import end_problems, law_problems


@line
@dataclass(frozen=True, slots=True, eq=False)
class MeetForce(Line):
    """A law on the depth of an end behind the plane in which two bodies meet: x is the depth [m].

    The plane stands between `a` and `b` (names of bodies or frames, or `(name, (x, y, z))`): its
    normal is half way between the x axis of a's frame and minus that of b's, and it is away from
    the middle of both places by the coordinate of the joint `slide`, along that normal.  Both
    bodies carry it alike: neither way round differs, and nothing else is pushed.  `point` is an end
    on a's side ("a") or on b's ("b").  `friction`, `presliding` and `root` are as in `PlaneForce`.
    Theory: CV.7.

    >>> from torseur.forces import Spring
    >>> MeetForce("bumper", "car", "car", "truck", "cell", Spring(1e6)).side
    'a'
    """

    name: str
    point: Any
    a: Any
    b: Any
    slide: str
    law: Any
    side: str = "a"
    friction: Any = 0
    presliding: Any = 1e-4
    root: Any = None
    deflection: ClassVar = "m"
    inside: ClassVar = {
        "point": "m",
        "a": "m",
        "b": "m",
        "friction": "",
        "presliding": "m",
        "root": "m",
    }

    def __post_init__(self):
        for end in ("point", "a", "b", "root"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        for end in ("point", "a", "b"):
            yield from end_problems(model, getattr(self, end), f"{where}, {end}")
        yield from law_problems(model, self.law, where)
        slides = [j.name for j in model.joints if [u for _, u in j.kind.coordinates] == ["m"]]
        if self.slide not in slides:
            yield unknown_name("joint that slides", self.slide, slides, where)
        if self.side not in ("a", "b"):
            yield f"{where}: side={shown(self.side)}: expected 'a' or 'b'"
        yield from rubbing_problems(model, self, where)

    @derived
    def acting(self):
        return whole_law(self) if isinstance(self.law, Law) else self.law

    def resolved(self, system):
        k = system.link(self.slide)
        ends = tuple(place_of(system, x) for x in (self.point, self.a, self.b))
        return Resolved(ends, ((k.q.start, k.v.start, 1),))

    def act(self, K, moving, element, now):
        P, A, B = element.ends
        ((i, j, _),) = element.weights
        sign = 1 if self.side == "a" else -1
        (p, u, _), (a, va, _), (b, vb, _) = (point(K, moving, x) for x in (P, A, B))
        ea, eb = (_axis(K, moving, x) for x in (A, B))
        wa, wb = (turning(moving, x) for x in (A, B))
        g = ea - eb
        size = K.sqrt(g @ g)
        n = vector(K.divide(c, size) for c in g)
        r, u = p - (a + b) * HALF, u - (va + vb) * HALF
        depth = r @ n
        w = vector(K.divide(c, size) for c in r - n * depth)
        rate = u @ n + w @ (cross(wa, ea) - cross(wb, eb))
        s = element.look(now, sign * (depth - now.q[i]), sign * (rate - now.v[j]))  # CV.7
        rough = rubs(self)
        if rough:
            deep = n * (-(sign * s.x))  # from the end to its foot on the plane
            p, r = p + deep, r + deep
            u = u + cross(turning(moving, P), deep) - cross((wa + wb) * HALF, r)
            sides = sides_of(K, n, _axis(K, moving, A, 2) + _axis(K, moving, B, 2))
            slip = [t @ u for t in sides]
            s = s._replace(u=(*s.u, *slip, 0))
        T = element.law.force(K, s)
        F, lost = n * (-(sign * T)), 0
        turn_a, turn_b = cross(ea, w) * (-(sign * T)), cross(eb, w) * (sign * T)
        if rough:
            f, lost = rubbed(K, self, element.law, s, T, sides, slip)
            F, turn = F + f, cross(r, f) * HALF
            turn_a, turn_b = turn_a - turn, turn_b - turn
        none = vector((0, 0, 0))
        pushes = ((P, p, F, none), (A, a, F * (-HALF), turn_a), (B, b, F * (-HALF), turn_b))
        wrenches = tuple(
            _wrench(moving[x.link].X_W, x.link, at, f, turn) for x, at, f, turn in pushes if x.link
        )
        return element.answers(K, s, T, ((j, sign * T),), wrenches, lost)

    @derived
    def linear(self):
        return self.friction == 0

    @derived
    def loses(self):
        return self.friction != 0

    def drawn(self):
        body = self.point if isinstance(self.point, str) else self.point[0]
        other = self.b if self.side == "a" else self.a
        end = self.point if self.root is None else (body, self.root)
        return ({"shape": "segment", "a": end, "b": other, "looks": self.looks},)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        from ..laws.spring import Spring

        ends = ("hand", (0.1, 0, 0.2)), ("other", (0, 0.1, 0))
        return (
            cls("f", ("arm", (0.3, 0.1, 0)), *ends, "slide", Spring(200.0)),
            cls("f", "tip", *ends, "slide", Spring(200.0), "b", 0.3, 0.02, (0.1, 0, 0)),
        )


def _axis(K, moving, place, i: int = 0):
    """An axis of a place, x unless said, world axes."""
    e = K.numbers([int(i == j) for j in range(3)])
    return moving[place.link].X_W.rotate(pose_over(K, place.X_LB).rotate(e))


def _wrench(X, link, at, force, turn) -> tuple[int, Wrench]:
    """A world force at a world point and a world moment, as a wrench on a link."""
    f = X.unrotate(force)
    return link, Wrench(cross(X.unrotate(at - X.p), f) + X.unrotate(turn), f)
