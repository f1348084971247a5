"""A law on how deep an end is behind the plane in which two bodies meet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import shown, unknown_name_message
from ...register import derived, frozen
from ...scalars import vector
from ...spatial import HALF, Wrench, cross, evaluate_pose
from ..base import Law, line
from ._base import Line, Resolved, angular_velocity, point_motion, resolve_frame
from ._plane_contact import friction_problems, has_friction, plane_friction, plane_law, tangent_axes
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
            yield unknown_name_message("joint that slides", self.slide, slides, where)
        if self.side not in ("a", "b"):
            yield f"{where}: side={shown(self.side)}: expected 'a' or 'b'"
        yield from friction_problems(model, self, where)

    @derived
    def acting(self):
        return plane_law(self) if isinstance(self.law, Law) else self.law

    def resolved(self, system):
        k = system.link(self.slide)
        frames = tuple(resolve_frame(system, x) for x in (self.point, self.a, self.b))
        return Resolved(frames, ((k.q.start, k.v.start, 1),))

    def act(self, K, motion, element, state):
        P, A, B = element.ends
        ((i, j, _),) = element.weights
        sign = 1 if self.side == "a" else -1
        (p, u, _), (a, va, _), (b, vb, _) = (point_motion(K, motion, x) for x in (P, A, B))
        ea, eb = (_frame_axis(K, motion, x) for x in (A, B))
        wa, wb = (angular_velocity(motion, x) for x in (A, B))
        g = ea - eb
        size = K.sqrt(g @ g)
        n = vector(K.divide(c, size) for c in g)
        r, u = p - (a + b) * HALF, u - (va + vb) * HALF
        depth = r @ n
        w = vector(K.divide(c, size) for c in r - n * depth)
        rate = u @ n + w @ (cross(wa, ea) - cross(wb, eb))
        s = element.look(state, sign * (depth - state.q[i]), sign * (rate - state.v[j]))  # CV.7
        friction = has_friction(self)
        if friction:
            deep = n * (-(sign * s.x))  # from the end to its foot on the plane
            p, r = p + deep, r + deep
            u = u + cross(angular_velocity(motion, P), deep) - cross((wa + wb) * HALF, r)
            axes = tangent_axes(K, n, _frame_axis(K, motion, A, 2) + _frame_axis(K, motion, B, 2))
            slip = [t @ u for t in axes]
            s = s._replace(u=(*s.u, *slip, 0))
        T = element.law.force(K, s)
        F, friction_power = n * (-(sign * T)), 0
        moment_a, moment_b = cross(ea, w) * (-(sign * T)), cross(eb, w) * (sign * T)
        if friction:
            f, friction_power = plane_friction(K, self, element.law, s, T, axes, slip)
            F, moment = F + f, cross(r, f) * HALF
            moment_a, moment_b = moment_a - moment, moment_b - moment
        zero = vector((0, 0, 0))
        pushes = ((P, p, F, zero), (A, a, F * (-HALF), moment_a), (B, b, F * (-HALF), moment_b))
        wrenches = tuple(
            _wrench_on_link(motion[x.link].X_W, x.link, at, f, turn)
            for x, at, f, turn in pushes
            if x.link
        )
        return element.answers(K, s, T, ((j, sign * T),), wrenches, friction_power)

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
        """One instance of every variant with its own formula."""
        from ..laws.spring import Spring

        frames = ("hand", (0.1, 0, 0.2)), ("other", (0, 0.1, 0))
        return (
            cls("f", ("arm", (0.3, 0.1, 0)), *frames, "slide", Spring(200.0)),
            cls("f", "tip", *frames, "slide", Spring(200.0), "b", 0.3, 0.02, (0.1, 0, 0)),
        )


def _frame_axis(K, motion, frame, i: int = 0):
    """An axis of a place, x unless said, world axes."""
    e = K.numbers([int(i == j) for j in range(3)])
    return motion[frame.link].X_W.rotate(evaluate_pose(K, frame.X_LB).rotate(e))


def _wrench_on_link(X, link, at, force, moment) -> tuple[int, Wrench]:
    """A world force at a world point and a world moment, as a wrench on a link."""
    f = X.unrotate(force)
    return link, Wrench(cross(X.unrotate(at - X.p), f) + X.unrotate(moment), f)
