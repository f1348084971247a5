"""Lines of action: where a law acts.  Plain frozen data, with names that `check` resolves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import unknown_name
from ..numbers import values
from .base import Law, frozen


def _end_problems(model, end, where):
    known = {"world", *(b.name for b in model.bodies), *(f.name for f in model.frames)}
    pair = isinstance(end, tuple) and len(end) == 2
    name = end if isinstance(end, str) else end[0] if pair else None
    if name is None:
        yield f"{where}: {end!r}: expected a frame's name, or (body, (x, y, z))"
    elif name not in known:
        yield unknown_name("body or frame", name, known, where)
    elif pair:
        yield from _number_problems(end[1], (3,), f"{where}: point [m]")


def _number_problems(x, shape, where):
    try:
        values.exacts(x, shape)
    except (TypeError, ValueError) as e:
        yield f"{where}: {e}"


def _law_problems(model, law, where):
    if not isinstance(law, Law):
        yield f"{where}: expected a law such as ts.Spring(stiffness=200), got {law!r}"
        return
    found = law.faults() or law.problems()
    yield from (f"{where}: its law {type(law).__name__} {text}" for text in found)
    if found:
        return
    known = {i.name for i in model.inputs}
    for name in law.inputs:
        if name not in known:
            yield unknown_name("input", name, known, where)


@dataclass(frozen=True, slots=True, eq=False)
class PointForce:
    """A law on the distance between two points: x is the length [m].

    `a` and `b` are each a body's or frame's name (its origin), or `(name, (x, y, z))`.
    """

    name: str
    a: Any
    b: Any
    law: Any

    def __post_init__(self):
        for end in ("a", "b"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from _end_problems(model, self.a, f"{where}, a")
        yield from _end_problems(model, self.b, f"{where}, b")
        yield from _law_problems(model, self.law, where)


@dataclass(frozen=True, slots=True, eq=False)
class JointForce:
    """A law on one coordinate of a joint: x is the coordinate [rad or m].

    `coordinate` names it ("angle2") where the joint has several.
    """

    name: str
    joint: str
    law: Any
    coordinate: str | None = None

    def problems(self, model):
        where = f"force {self.name!r}"
        kinds = {j.name: j.kind for j in model.joints}
        names = {*kinds, *(r.name for r in model.rotors)}
        names |= {f"{j.name}.motor" for j in model.joints if j.drive is not None}
        yield from _law_problems(model, self.law, where)
        if self.joint not in names:
            yield unknown_name("joint", self.joint, names, where)
        elif (kind := kinds.get(self.joint)) is not None and hasattr(kind, "coordinates"):
            own = [n for n, _ in kind.coordinates]
            if self.coordinate is None and len(own) != 1:
                yield (
                    f"{where}: joint {self.joint!r} has {len(own)} coordinates; say which: "
                    f"coordinate= one of {', '.join(map(repr, own))}"
                )
            elif self.coordinate is not None and self.coordinate not in own:
                yield unknown_name("coordinate", self.coordinate, own, where)
            elif not kind.holonomic:
                yield (
                    f"{where}: the speeds of joint {self.joint!r} are not the rates of its "
                    "coordinates; act on points or frames instead"
                )


@dataclass(frozen=True, slots=True, eq=False)
class CoordinateForce:
    """A law on a sum of coordinates: `x = sum(weight * coordinate)`, as in gears and drives.

    >>> from torseur.forces import Spring
    >>> CoordinateForce("shaft", {"motor.angle": 1, "arm.angle": -1}, Spring(1e4)).weights
    (('motor.angle', 1), ('arm.angle', -1))
    """

    name: str
    weights: tuple
    law: Any

    def __init__(self, name, weights, law):
        object.__setattr__(self, "name", name)
        pairs = weights.items() if hasattr(weights, "items") else weights
        object.__setattr__(self, "weights", tuple((a, b) for a, b in pairs))
        object.__setattr__(self, "law", law)

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from _law_problems(model, self.law, where)
        known = {
            f"{j.name}.{n}"
            for j in model.joints
            if hasattr(j.kind, "coordinates") and getattr(j.kind, "holonomic", False)
            for n, _ in j.kind.coordinates
        }
        known |= {f"{r.name}.angle" for r in model.rotors}
        known |= {
            f"{j.name}.{part}.angle"
            for j in model.joints
            if j.drive is not None
            for part in getattr(j.drive, "parts", lambda: ())()
        }
        if not self.weights:
            yield f"{where}: weights: name at least one coordinate, {{'elbow.angle': 1}}"
        for name, weight in self.weights:
            if name not in known:
                yield unknown_name("coordinate", name, known, where)
            yield from _number_problems(weight, (), f"{where}, weight of {name!r}")


@dataclass(frozen=True, slots=True, eq=False)
class Wrench:
    """Moment and force on a frame, at its origin: `wrench` (mx, my, mz, fx, fy, fz) [N m, N].

    `axes`: "world" or "body", the frame's own.  `law` scales it (a `TimeTable` in time); `input`
    adds the six numbers of an input.  `reaction` names the body or frame that carries the opposite
    (the world, when left out).
    """

    name: str
    frame: Any
    wrench: Any = (0, 0, 0, 0, 0, 0)
    axes: str = "world"
    input: str | None = None
    law: Any = None
    reaction: Any = "world"

    def __post_init__(self):
        for end in ("frame", "wrench", "reaction"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from _end_problems(model, self.frame, f"{where}, frame")
        yield from _end_problems(model, self.reaction, f"{where}, reaction")
        if self.axes not in ("world", "body"):
            yield f"{where}: axes={self.axes!r}: expected 'world' or 'body'"
        if not isinstance(self.wrench, tuple) or len(self.wrench) != 6:
            yield f"{where}: wrench: expected 6 numbers (moment, force), got {self.wrench!r}"
        else:
            yield from _number_problems(self.wrench, (6,), f"{where}, wrench [N m, N]")
        if self.law is not None:
            yield from _law_problems(model, self.law, where)
        sizes = {i.name: i.size for i in model.inputs}
        if self.input is not None and self.input not in sizes:
            yield unknown_name("input", self.input, sizes, where)
        elif self.input is not None and sizes[self.input] != 6:
            yield (
                f"{where}: input {self.input!r} has {sizes[self.input]} numbers; a wrench needs "
                "6 (moment, force): ts.Input(..., size=6)"
            )


@dataclass(frozen=True, slots=True, eq=False)
class Bushing:
    """Six-dimensional spring and damper between two frames.

    The deflection is the rotation vector of b in a [rad], then its position in a [m]; `stiffness`
    and `damping` are six numbers or 6 x 6 symmetric matrices, angular part first; `rest` is the
    deflection without load.
    """

    name: str
    a: Any
    b: Any
    stiffness: Any
    damping: Any = (0, 0, 0, 0, 0, 0)
    rest: Any = (0, 0, 0, 0, 0, 0)

    def __post_init__(self):
        for end in ("a", "b", "stiffness", "damping", "rest"):
            object.__setattr__(self, end, frozen(getattr(self, end)))

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from _end_problems(model, self.a, f"{where}, a")
        yield from _end_problems(model, self.b, f"{where}, b")
        for what in ("stiffness", "damping"):
            x = getattr(self, what)
            if not isinstance(x, tuple):
                yield f"{where}: {what}: expected 6 numbers or a 6 x 6 matrix, got {x!r}"
                continue
            square = len(x) == 6 and all(isinstance(r, tuple) and len(r) == 6 for r in x)
            if not square and (len(x) != 6 or any(isinstance(r, tuple) for r in x)):
                yield f"{where}: {what}: expected 6 numbers or a 6 x 6 matrix"
            elif square and any(x[i][j] != x[j][i] for i in range(6) for j in range(i)):
                yield f"{where}: the {what} matrix is not symmetric"
            else:
                yield from _number_problems(x, (6, 6) if square else (6,), f"{where}, {what}")
        yield from _number_problems(self.rest, (6,), f"{where}, rest")


EVERY_LINE = (PointForce, JointForce, CoordinateForce, Wrench, Bushing)
