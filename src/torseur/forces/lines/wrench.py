"""Moment and force on a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ... import spatial
from ...errors import unknown_name_message
from ...register import derived, frozen
from ...scalars import vector
from ...scalars.values import value
from ...spatial import cross, evaluate_pose
from ..base import Law, line
from ._base import ForceAction, Line, Resolved, resolve_frame
from ._validation import end_problems, law_problems, number_problems


@line
@dataclass(frozen=True, slots=True, eq=False)
class Wrench(Line):
    """Moment and force on a frame, at its origin: `wrench` (mx, my, mz, fx, fy, fz) [N m, N].

    `axes`: "world" or "body", the frame's own.  `law` multiplies it (a `TimeTable` in time, an
    `Expression` of t and signals): positive pushes along it.  `input` adds the six numbers of an
    input.  `reaction` names the body or frame that carries the opposite
    (the world, when left out).  Its work is supplied, but for what vanishes with the speeds that a
    law sees (dissipated), and for a law of coordinates alone that has a potential (stored).
    """

    name: str
    frame: Any
    wrench: Any = (0, 0, 0, 0, 0, 0)
    axes: str = "world"
    input: str | None = None
    law: Any = None
    reaction: Any = "world"
    key: ClassVar = "frame"
    inside: ClassVar = {"frame": "m", "wrench": "N m, N m, N m, N, N, N", "reaction": "m"}

    def __post_init__(self):
        for end in ("frame", "wrench", "reaction"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from end_problems(model, self.frame, f"{where}, frame")
        yield from end_problems(model, self.reaction, f"{where}, reaction")
        if self.axes not in ("world", "body"):
            yield f"{where}: axes={self.axes!r}: expected 'world' or 'body'"
        if not isinstance(self.wrench, tuple) or len(self.wrench) != 6:
            yield f"{where}: wrench: expected 6 numbers (moment, force), got {self.wrench!r}"
        else:
            yield from number_problems(model, self.wrench, (6,), f"{where}, wrench [N m, N]")
        if self.law is not None:
            yield from law_problems(model, self.law, where)
            text = getattr(self.law, "text", None) if isinstance(self.law, Law) else None
            for name in self.law.deflects if text is not None else ():
                yield (
                    f"{where}: {text!r} has {name} in it, but a wrench has no deflection; "
                    "name a coordinate or a speed: signals={'v': 'x.speed'}"
                )
        sizes = {i.name: i.size for i in model.inputs}
        if self.input is not None and self.input not in sizes:
            yield unknown_name_message("input", self.input, sizes, where)
        elif self.input is not None and sizes[self.input] != 6:
            yield (
                f"{where}: input {self.input!r} has {sizes[self.input]} numbers; a wrench needs "
                "6 (moment, force): ts.Input(..., size=6)"
            )

    def warnings(self, model):
        used = self.law.deflects if self.law else ()
        if used:
            yield (
                f"force {self.name!r}: its law {type(self.law).__name__} goes by the deflection of "
                "its line, and a wrench has none: it acts as if "
                f"{' and '.join(f'{n} = 0' for n in used)} all the time; put it on a PointForce, "
                "JointForce or CoordinateForce, or name signals in an Expression"
            )

    @derived
    def inputs(self):
        return () if self.input is None else (self.input,)

    def resolved(self, system):
        return Resolved((resolve_frame(system, self.frame), resolve_frame(system, self.reaction)))

    def act(self, K, motion, element, state):
        P = element.ends[0]
        X_WP = motion[P.link].X_W @ evaluate_pose(K, P.X_LB)
        law = self.law
        n = len(law.inputs) if law else 0
        s = element.look(state, 0, 0, n)
        size = 1 if law is None else law.force(K, s) if law.shows > 0 else -law.force(K, s)
        body_axes = vector(K.number(value.exact(x)) for x in self.wrench)
        six = body_axes * size
        if self.input is not None:
            six = six + vector(state.u[i] for i in element.u[n:])
        wrenches = tuple(self._link_wrenches(motion, element, X_WP, six))
        power = sum((F @ motion[link].V for link, F in wrenches), start=0)
        dissipated = 0
        if self.returns(element):
            dissipated = -power
        elif law is not None and self.loses:
            unmoved = law.at_rest(K, s) if law.shows > 0 else -law.at_rest(K, s)
            moved = self._link_wrenches(motion, element, X_WP, body_axes * (unmoved - size))
            dissipated = sum((F @ motion[link].V for link, F in moved), start=0)  # FO.51
        zdot = tuple(law.zdot(K, s)) if law else ()
        return ForceAction(
            s, size, 0, (), wrenches, 0, dissipated, power + dissipated, zdot, tuple(six)
        )

    def _link_wrenches(self, motion, element, X_WP, six):
        """Six numbers as wrenches on the links of both ends, in their frames."""
        P, R = element.ends
        moment, force = six[:3], six[3:]
        if self.axes != "world":
            moment, force = X_WP.rotate(moment), X_WP.rotate(force)  # FO.15
        for frame, sign in ((P, 1), (R, -1)):
            if not frame.link:
                continue
            link = motion[frame.link]
            # both ends carry the load at the same point of space: the frame's origin
            r = link.X_W.unrotate(X_WP.p - link.X_W.p)
            f, c = link.X_W.unrotate(force * sign), link.X_W.unrotate(moment * sign)
            yield frame.link, spatial.Wrench(c + cross(r, f), f)

    @derived
    def loses(self):
        return self.law is not None and bool(self.law.signals)

    def returns(self, element):
        if self.law is None or self.input is not None or not self.law.positional:
            return False
        return all(array == "q" for array, _ in element.seen)

    def drawn(self):
        body_axes = self.axes == "body"
        mark = {"shape": "arrow", "at": self.frame, "own": body_axes, "wrench": self.wrench}
        return (mark | {"input": self.input},)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        from ..laws.time_table import TimeTable

        rise = TimeTable(((0.0, 1.0), (0.5, 3.0), (1.0, -2.0)))
        return (
            cls("f", "tip", (0, 0, 0, 1, 2, 3.5)),
            cls("f", "hand", (1, 0, 0, 0, 2, 0), "body", "load", rise, "base"),
        )
