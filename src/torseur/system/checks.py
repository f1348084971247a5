"""Everything that can be wrong with a description, as sentences in the user's names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import count
from typing import Any

import numpy as np

from ..errors import TorseurError, said, shown, unknown_name
from ..joints import TIME, AbstractJoint
from ..model import Beam, Body, Frame, Input, Joint, Loop, Rotor, Shape
from ..scalars import Number, Value, arguments, exact, exacts
from ..scalars.values import value

NEAR = 1e-3  # an angle this close to a right angle [rad], and not one, is a slip
ROOM = 1e-9  # relative room for rounding in the triangle inequality
HINTS = 20  # misspelt names for which the nearest one is looked up
FAULTS = (
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    RecursionError,
    TorseurError,
)  # what a user's number can make Python say


PLACES = {
    "bodies": "body",
    "joints": "joint",
    "loops": "loop",
    "frames": "frame",
    "rotors": "rotor",
    "inputs": "input",
    "forces": "force",
    "constraints": "constraint",
}
UNKNOWN = value.symbol("?")  # stands for a number that could not be read


class NumberReader:
    """Turns the user's numbers into exact values, and keeps every complaint."""

    def __init__(self, model):
        self.model = model
        self.problems: list[str] = []
        self.warnings: list[str] = []
        self.nominals: dict[str, float] = {}
        self.derived: dict[str, Value] = {}
        for name, x in model.parameters.items():
            if x is None:
                continue
            try:
                self.nominals[name] = _finite(value.nominal(given := exact(x), self.nominals))
                if value.symbols(given):
                    self.derived[name] = given
            except FAULTS as e:
                self.problems.append(f"parameter {shown(name)}: {said(e)}")

    def number(self, x, where: str):
        """One exact value, or an unknown one with a problem noted."""
        try:
            return self._known(exact(x), where)
        except FAULTS as e:
            self.problems.append(f"{where}: {said(e)}")
            return UNKNOWN

    def array(self, x, shape, where: str, unit: str, moves: bool = False):
        """An exact array, or an unknown one with a problem noted; `moves`: time may be in it."""
        try:
            array = exacts(x, shape)
        except FAULTS as e:
            self.problems.append(f"{where} [{unit}]: {said(e)}")
            return np.full(shape, UNKNOWN, dtype=object)
        for entry in array.ravel():
            self._known(entry, where, moves)
        return array

    def timed(self, x) -> bool:
        """Whether a value depends on time."""
        return isinstance(x, Value) and TIME in value.symbols(x) and self._means_time

    @property
    def _means_time(self) -> bool:
        return TIME not in self.model.parameters

    def _known(self, x, where, moves=False):
        """The same value, after noting names that do not exist and numbers that do not."""
        if isinstance(x, Value):
            names = value.symbols(x)
            unknown = [n for n in names if n not in self.model.parameters]
            if TIME in unknown:
                unknown.remove(TIME)
                if not moves:
                    self.problems.append(
                        f"{where}: {shown(str(x))} depends on time, but this number is constant in "
                        "the equations; move the body with `at` or `rpy` of its joint, or with "
                        f"ts.Driven, or declare a parameter {TIME!r} if it is no time"
                    )
            if unknown and (self.model.parameters or self.model.simulation):
                self.problems += [
                    unknown_name(
                        "parameter", n, self.model.parameters, where, len(self.problems) < HINTS
                    )
                    for n in unknown
                ]
            elif all(n in self.nominals for n in names):
                try:
                    _finite(value.nominal(x, self.nominals))
                except FAULTS as e:
                    self.problems.append(f"{where}: {shown(x)}: {said(e)}")
        return x

    def nominal(self, x) -> float | None:
        """The nominal number of a value, or None when a symbol in it has none (or it is wrong)."""
        if isinstance(x, Number | float):
            return float(x)
        try:
            return _finite(value.nominal(x, self.nominals))
        except FAULTS:
            return None

    def angle(self, x, where: str):
        """An angle; a near miss of a right angle, and more than a turn, are worth a warning."""
        if told := arguments.degrees(x):
            self.warnings.append(f"{where}: {told}")
        elif isinstance(x, Number) and x and value.quarter(x) is None:
            right = round(float(x) / (math.pi / 2))
            off = float(x) - right * math.pi / 2
            if right and abs(off) < NEAR:
                self.warnings.append(
                    f"{where}: {float(x)!r} rad is {abs(off):.2g} rad away from {90 * right} deg, "
                    "so it is not treated as a right angle; write 'pi/2' or more digits if it is "
                    "one"
                )
        return x

    def right_angles(self, R: np.ndarray, where: str) -> None:
        """A rotation matrix; a near miss of right angles is worth a warning."""
        off = abs(R - np.round(R)).max()
        if 1e3 * value.SNAP < off < NEAR and not self.model.source:  # readers warn of their own
            self.warnings.append(
                f"{where}: the pose is {off:.2g} rad away from right angles, so it is not treated "
                "as one; give more digits if it is one"
            )

    def at_least_zero(self, x, what: str, unit: str) -> None:
        if (number := self.nominal(x)) is not None and number < 0:
            self.problems.append(f"{what} {number:g} {unit}; use zero or more")


def _finite(x: float) -> float:
    if not math.isfinite(x):
        raise ValueError(f"expected a finite number, got {x!r}")
    return x


def kinds(model) -> Iterator[str]:
    """Things that are not of the kind their place asks for, and names that are not names.

    Nothing else can be judged before these are right.
    """
    places: tuple[tuple[str, Any, str], ...] = (
        ("bodies", (Body, Beam), "body"),
        ("joints", Joint, "joint"),
        ("loops", Loop, "loop"),
        ("frames", Frame, "frame"),
        ("rotors", Rotor, "rotor"),
        ("inputs", Input, "input"),
        ("forces", object, "force"),
        ("constraints", object, "constraint"),
    )
    for place, kind, word in places:
        sort: Any = kind
        listed: Iterable[Any] = getattr(model, place)
        for i, x in enumerate(listed):
            if not isinstance(x, sort) or not hasattr(x, "name"):
                yield f"{place}[{i}]: expected {_a(word)}, got {shown(x)}"
            elif not isinstance(x.name, str) or not x.name or "." in x.name:
                yield f"{word} {shown(x.name)}: a name is a non-empty text without dots"
            elif place == "inputs" and (not isinstance(x.size, int) or x.size < 1):
                yield f"input {x.name!r} has size {shown(x.size)}; use a whole number, at least 1"
            for end in ("parent", "child", "body"):
                if (
                    kind is not object
                    and isinstance(x, sort)
                    and not isinstance(getattr(x, end, ""), str)
                ):
                    yield (
                        f"{word} {shown(x.name)}, {end}: expected the name of a body, "
                        f"got {shown(getattr(x, end))}"
                    )
    for what, name in (("model", model.name), *((w, x.name) for w, x in _named(model))):
        if isinstance(name, str) and (odd := [c for c in name if not _shown_as_is(c)]):
            yield f"{what} {shown(name)}: the character {odd[0]!r} cannot stand in a name"
    for name in model.parameters:
        if not isinstance(name, str) or not name.isidentifier() or name == "pi":
            yield (
                f"parameter {shown(name)}: a name of letters, digits and _ is needed, which "
                "expressions can use"
            )


def _named(model):
    for place, word in PLACES.items():
        yield from ((word, x) for x in getattr(model, place) if hasattr(x, "name"))


def _shown_as_is(c: str) -> bool:
    """Whether a terminal, a page and a file show a character as it is; line ends do no harm."""
    return c.isprintable() or c in "\n\r\t"


def _a(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def names(model) -> Iterator[str]:
    """Duplicate and unknown names, and the shape of the tree."""
    bodies, hints = {"world"} | {b.name for b in model.bodies}, count()
    for kind, things in (
        ("body", model.bodies),
        ("joint", (*model.joints, *model.loops, *model.rotors)),
        ("frame", model.frames),
        ("force", model.forces),
        ("input", model.inputs),
    ):
        for name, n in Counter(x.name for x in things).items():
            if n > 1:
                yield f"{kind} {name!r} is defined {n} times; {kind} names must be unique"
    for b in model.bodies:
        if b.name == "world":
            yield "body 'world' is the fixed frame and cannot be defined; choose another name"
    for f in model.frames:
        if f.name in bodies:
            yield f"frame {f.name!r} has the name of a body; frames and bodies share their names"
        if f.body not in bodies:
            yield unknown_name("body", f.body, bodies, f"frame {f.name!r}", next(hints) < HINTS)
    for j in model.joints:
        yield from _joined(f"joint {j.name!r}", j, bodies, hints)
    for j in model.loops:
        where = f"loop {j.name!r}"
        yield from _joined(where, j, bodies, hints)
        if isinstance(j.kind, AbstractJoint) and (why := j.kind.unclosable()):
            yield f"{where}: {why}"
    yield from _tree(model, bodies)


def _joined(where, j, bodies, hints) -> Iterator[str]:
    """What a joint or a loop joins, and by what."""
    for end in (j.parent, j.child):
        if end not in bodies:
            yield unknown_name("body", end, bodies, where, next(hints) < HINTS)
    if not isinstance(j.kind, AbstractJoint):
        yield f"{where}: expected a joint such as ts.Revolute('z'), got {shown(j.kind)}"
    if j.parent == j.child:
        yield f"{where} joins body {j.parent!r} to itself"


def _tree(model, bodies):
    """Bodies under two joints, under none, and in cycles."""
    inboard: dict[str, list] = {}
    for j in model.joints:
        inboard.setdefault(j.child, []).append(j)
    for child, several in inboard.items():
        if child == "world":
            yield "the world hangs from a joint; swap parent and child"
        elif len(several) > 1:
            listed = ", ".join(repr(j.name) for j in several)
            yield (
                f"body {child!r} hangs from {len(several)} joints ({listed}); "
                "make all but one a Loop"
            )
    for b in model.bodies:
        if b.name not in inboard and b.name != "world":
            yield (
                f"body {b.name!r} hangs from no joint; add one, ts.Free() if it moves freely "
                "or ts.Weld() if it does not"
            )
    settled: set[str] = {"world"}
    for b in model.bodies:
        path: dict[str, None] = {}  # ordered, and quick to search
        name = b.name
        while name in inboard and name not in settled and name not in path:
            path[name] = None
            name = inboard[name][-1].parent
        if name in path and name not in settled:
            cycle = list(path)[list(path).index(name) :]
            if len(cycle) > 1:  # a joint to itself is told already
                chain = " -> ".join(repr(inboard[n][-1].name) for n in reversed(cycle))
                yield (
                    f"joints {chain} form a cycle with no way to the world; make one of them a Loop"
                )
        settled.update(path)


def inertia(reader: NumberReader, body, mass, J) -> None:
    """Mass and inertia about the center of mass that some distribution of mass can have."""
    m = reader.nominal(mass)
    reader.at_least_zero(mass, f"body {body.name!r} has mass", "kg")
    numbers = [n for x in J if (n := reader.nominal(x)) is not None]
    if len(numbers) < len(J):
        return
    xx, yy, zz, xy, xz, yz = numbers
    if not (xy or xz or yz):
        low, mid, high = sorted((xx, yy, zz))
    else:
        low, mid, high = map(float, np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    where, three = f"body {body.name!r}", ", ".join(f"{x:.4g}" for x in (low, mid, high))
    if low < -ROOM * abs(high):
        reader.problems.append(
            f"{where} has principal inertias {three} kg m2 about its center of mass: none may be "
            "negative; check the signs of the products and the point the inertia is about"
        )
    elif high > (low + mid) * (1 + ROOM):
        strict = getattr(reader.model, "strict", True)
        (reader.problems if strict else reader.warnings).append(
            f"{where} cannot have principal inertias {three} kg m2: the largest exceeds the sum of "
            f"the others by {high - low - mid:.3g}; if the values come from a drawing, check for "
            "mm instead of m" + "; strict=False takes published data as it is" * strict
        )
    elif m == 0 and high > 0:
        reader.problems.append(
            f"{where} has principal inertias {three} kg m2 but no mass; give it "
            "a mass, or use ts.Rotor for a pure inertia"
        )


def shapes(reader: NumberReader, body) -> None:
    """What is only drawn holds numbers, too, that files and viewers can take."""
    several = isinstance(body.shapes, tuple | list)
    for shape in body.shapes if several else (body.shapes,):
        if not several or not isinstance(shape, Shape):
            reader.problems.append(
                f"body {body.name!r}, shapes: {shown(shape)}; expected a list of shapes, such as "
                "(ts.Box((0.1, 0.2, 0.3)),)"
            )
            continue
        for f in fields(shape):
            for x in np.ravel(np.asarray(getattr(shape, f.name), dtype=object)):
                if isinstance(x, float):
                    reader.number(x, f"body {body.name!r}: {f.name} of its shape")


def limits(reader: NumberReader, joint, where: str) -> None:
    """`None`, one pair (low, high) a coordinate (an end may be None), or a law of stops."""
    given, n = joint.limits, joint.kind.nq
    if given is None:
        return
    if joint.stops is not None:
        reader.problems += [f"{where}, limits: {text}" for text in given.problems()]
        return
    unit = joint.kind.coordinates[0][1] if n else "1"
    try:
        pairs = np.asarray(given, dtype=object)
    except FAULTS:
        pairs = np.empty(0)
    if pairs.shape == (2,) and n == 1:
        pairs = pairs.reshape(1, 2)
    if pairs.shape != (n, 2):
        reader.problems.append(
            f"{where}, limits [{unit}]: expected (low, high)"
            f"{f', {n} times' if n != 1 else ''}, got {shown(given)}"
        )
        return
    rows: list[Any] = list(pairs)
    for (name, unit), pair in zip(joint.kind.coordinates, rows, strict=True):
        low, high = (_end(reader, x, f"{where}, limits of {name} [{unit}]") for x in pair)
        if unit == "rad" and (
            told := arguments.whole_degrees(low) or arguments.whole_degrees(high)
        ):
            reader.warnings.append(f"{where}, limits of {name}: {told}")
        if low is not None and high is not None and low > high:
            reader.problems.append(
                f"{where} has limits {low:g} to {high:g} {unit} for {name}: the low one comes first"
            )


def motor(reader: NumberReader, joint, where: str) -> None:
    """What the joint's motor can do: one number each, not negative, or None."""
    for name, what, units in (
        ("max_effort", "largest effort", ("N m", "N")),
        ("max_speed", "largest speed", ("rad/s", "m/s")),
    ):
        if (x := getattr(joint, name)) is not None:
            unit = units[not joint.kind.speeds or joint.kind.speeds[0][1] != "rad/s"]
            reader.at_least_zero(
                reader.number(x, f"{where}, {name} [{unit}]"), f"{where} has a {what} of", unit
            )


def _end(reader, x, where) -> float | None:
    if x is None:
        return None
    return reader.nominal(reader.number(x, where))
