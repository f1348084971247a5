"""Validation of a description: all problems, in the user's names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import fields
from itertools import count
from typing import Any

import numpy as np

from ..errors import TorseurError, said, shown, unknown_name_message
from ..joints import TIME, AbstractJoint
from ..model import Beam, Body, Frame, Input, Joint, Loop, Rotor, Shape
from ..scalars import Number, Value, arguments, exact, exacts
from ..scalars.values import value

RIGHT_ANGLE_TOLERANCE = 1e-3  # [rad], nearly right angles within it give a warning
TRIANGLE_RTOL = 1e-9  # rounding in the triangle inequality of principal inertias
MAX_HINTS = 20  # misspelt names for which the closest one is searched
VALUE_ERRORS = (
    TypeError,
    ValueError,
    ArithmeticError,
    LookupError,
    AttributeError,
    RecursionError,
    TorseurError,
)  # exceptions that a value of a user can raise


FIELD_WORDS = {
    "bodies": "body",
    "joints": "joint",
    "loops": "loop",
    "frames": "frame",
    "rotors": "rotor",
    "inputs": "input",
    "forces": "force",
    "constraints": "constraint",
}
UNREADABLE = value.symbol("?")  # stands for a number that could not be read


class NumberReader:
    """Converts the user's numbers to exact values and collects all problems."""

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
                self.nominals[name] = _check_finite(value.nominal(given := exact(x), self.nominals))
                if value.symbols(given):
                    self.derived[name] = given
            except VALUE_ERRORS as e:
                self.problems.append(f"parameter {shown(name)}: {said(e)}")

    def number(self, x, where: str):
        """One exact value, or `UNREADABLE` with a problem added."""
        try:
            return self._check_names(exact(x), where)
        except VALUE_ERRORS as e:
            self.problems.append(f"{where}: {said(e)}")
            return UNREADABLE

    def array(self, x, shape, where: str, unit: str, moves: bool = False):
        """An exact array, or `UNREADABLE` entries with a problem added; `moves` permits time."""
        try:
            array = exacts(x, shape)
        except VALUE_ERRORS as e:
            self.problems.append(f"{where} [{unit}]: {said(e)}")
            return np.full(shape, UNREADABLE, dtype=object)
        for entry in array.ravel():
            self._check_names(entry, where, moves)
        return array

    def depends_on_time(self, x) -> bool:
        """Whether a value depends on time."""
        return isinstance(x, Value) and TIME in value.symbols(x) and self._time_is_free

    @property
    def _time_is_free(self) -> bool:
        return TIME not in self.model.parameters

    def _check_names(self, x, where, moves=False):
        """The same value, after a check of its names and of its nominal number."""
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
                    unknown_name_message(
                        "parameter", n, self.model.parameters, where, len(self.problems) < MAX_HINTS
                    )
                    for n in unknown
                ]
            elif all(n in self.nominals for n in names):
                try:
                    _check_finite(value.nominal(x, self.nominals))
                except VALUE_ERRORS as e:
                    self.problems.append(f"{where}: {shown(x)}: {said(e)}")
        return x

    def nominal(self, x) -> float | None:
        """The nominal number of a value, or None where it has none."""
        if isinstance(x, Number | float):
            return float(x)
        try:
            return _check_finite(value.nominal(x, self.nominals))
        except VALUE_ERRORS:
            return None

    def check_angle(self, x, where: str):
        """Warn of angles beyond a turn and of nearly right angles [rad]; return the angle."""
        if doubt := arguments.degrees(x):
            self.warnings.append(f"{where}: {doubt}")
        elif isinstance(x, Number) and x and value.quarter(x) is None:
            right = round(float(x) / (math.pi / 2))
            distance = float(x) - right * math.pi / 2
            if right and abs(distance) < RIGHT_ANGLE_TOLERANCE:
                self.warnings.append(
                    f"{where}: {float(x)!r} rad is {abs(distance):.2g} rad away from "
                    f"{90 * right} deg, so it is not treated as a right angle; write 'pi/2' or "
                    "more digits if it is one"
                )
        return x

    def check_right_angles(self, R: np.ndarray, where: str) -> None:
        """Warn of a rotation matrix that is nearly one of right angles."""
        off = abs(R - np.round(R)).max()
        # readers warn of their own
        if 1e3 * value.SNAP < off < RIGHT_ANGLE_TOLERANCE and not self.model.source:
            self.warnings.append(
                f"{where}: the pose is {off:.2g} rad away from right angles, so it is not treated "
                "as one; give more digits if it is one"
            )

    def check_not_negative(self, x, what: str, unit: str) -> None:
        if (number := self.nominal(x)) is not None and number < 0:
            self.problems.append(f"{what} {number:g} {unit}; use zero or more")


def _check_finite(x: float) -> float:
    if not math.isfinite(x):
        raise ValueError(f"expected a finite number, got {x!r}")
    return x


def check_types(model) -> Iterator[str]:
    """Elements of a wrong type and invalid names.  Other checks need these to be right."""
    fields_and_types: tuple[tuple[str, Any, str], ...] = (
        ("bodies", (Body, Beam), "body"),
        ("joints", Joint, "joint"),
        ("loops", Loop, "loop"),
        ("frames", Frame, "frame"),
        ("rotors", Rotor, "rotor"),
        ("inputs", Input, "input"),
        ("forces", object, "force"),
        ("constraints", object, "constraint"),
    )
    for field_name, kind, word in fields_and_types:
        types: Any = kind
        elements: Iterable[Any] = getattr(model, field_name)
        for i, x in enumerate(elements):
            if not isinstance(x, types) or not hasattr(x, "name"):
                yield f"{field_name}[{i}]: expected {_with_article(word)}, got {shown(x)}"
            elif not isinstance(x.name, str) or not x.name or "." in x.name:
                yield f"{word} {shown(x.name)}: a name is a non-empty text without dots"
            elif field_name == "inputs" and (not isinstance(x.size, int) or x.size < 1):
                yield f"input {x.name!r} has size {shown(x.size)}; use a whole number, at least 1"
            for end in ("parent", "child", "body"):
                if (
                    kind is not object
                    and isinstance(x, types)
                    and not isinstance(getattr(x, end, ""), str)
                ):
                    yield (
                        f"{word} {shown(x.name)}, {end}: expected the name of a body, "
                        f"got {shown(getattr(x, end))}"
                    )
    for what, name in (("model", model.name), *((w, x.name) for w, x in _named_elements(model))):
        if isinstance(name, str) and (odd := [c for c in name if not _is_printable(c)]):
            yield f"{what} {shown(name)}: the character {odd[0]!r} cannot stand in a name"
    for name in model.parameters:
        if not isinstance(name, str) or not name.isidentifier() or name == "pi":
            yield (
                f"parameter {shown(name)}: a name of letters, digits and _ is needed, which "
                "expressions can use"
            )


def _named_elements(model):
    for place, word in FIELD_WORDS.items():
        yield from ((word, x) for x in getattr(model, place) if hasattr(x, "name"))


def _is_printable(c: str) -> bool:
    """Whether terminals, pages and files show a character as it is."""
    return c.isprintable() or c in "\n\r\t"


def _with_article(word: str) -> str:
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def check_names(model) -> Iterator[str]:
    """Duplicate and unknown names, and faults of the tree."""
    bodies, hints = {"world"} | {b.name for b in model.bodies}, count()
    for kind, elements in (
        ("body", model.bodies),
        ("joint", (*model.joints, *model.loops, *model.rotors)),
        ("frame", model.frames),
        ("force", model.forces),
        ("input", model.inputs),
    ):
        for name, n in Counter(x.name for x in elements).items():
            if n > 1:
                yield f"{kind} {name!r} is defined {n} times; {kind} names must be unique"
    for b in model.bodies:
        if b.name == "world":
            yield "body 'world' is the fixed frame and cannot be defined; choose another name"
    for f in model.frames:
        if f.name in bodies:
            yield f"frame {f.name!r} has the name of a body; frames and bodies share their names"
        if f.body not in bodies:
            yield unknown_name_message(
                "body", f.body, bodies, f"frame {f.name!r}", next(hints) < MAX_HINTS
            )
    for j in model.joints:
        yield from _check_ends(f"joint {j.name!r}", j, bodies, hints)
    for j in model.loops:
        where = f"loop {j.name!r}"
        yield from _check_ends(where, j, bodies, hints)
        if isinstance(j.kind, AbstractJoint) and (why := j.kind.unclosable()):
            yield f"{where}: {why}"
    yield from _check_tree(model, bodies)


def _check_ends(where, j, bodies, hints) -> Iterator[str]:
    """Unknown ends and wrong joint types of a joint or a loop."""
    for end in (j.parent, j.child):
        if end not in bodies:
            yield unknown_name_message("body", end, bodies, where, next(hints) < MAX_HINTS)
    if not isinstance(j.kind, AbstractJoint):
        yield f"{where}: expected a joint such as ts.Revolute('z'), got {shown(j.kind)}"
    if j.parent == j.child:
        yield f"{where} joins body {j.parent!r} to itself"


def _check_tree(model, bodies):
    """Bodies with two inboard joints or none, and cycles of joints."""
    inboard: dict[str, list] = {}
    for j in model.joints:
        inboard.setdefault(j.child, []).append(j)
    for child, several in inboard.items():
        if child == "world":
            listed = ", ".join(repr(j.name) for j in several)
            yield (
                f"joint {listed} has 'world' as child; 'world' can only be a parent: swap parent "
                "and child, or use ts.Loop to close a loop"
            )
        elif len(several) > 1:
            listed = ", ".join(repr(j.name) for j in several)
            yield (
                f"body {child!r} is the child of {len(several)} joints ({listed}); "
                "make all but one a Loop"
            )
    for b in model.bodies:
        if b.name not in inboard and b.name != "world":
            yield (
                f"body {b.name!r} is not attached by a joint; add one, ts.Free() if it moves "
                "freely or ts.Weld() if it does not"
            )
    visited: set[str] = {"world"}
    for b in model.bodies:
        path: dict[str, None] = {}  # ordered, and quick to search
        name = b.name
        while name in inboard and name not in visited and name not in path:
            path[name] = None
            name = inboard[name][-1].parent
        if name in path and name not in visited:
            cycle = list(path)[list(path).index(name) :]
            if len(cycle) > 1:  # a joint to itself is told already
                chain = " -> ".join(repr(inboard[n][-1].name) for n in reversed(cycle))
                yield (
                    f"joints {chain} form a cycle that is not attached to the world; "
                    "make one of them a Loop"
                )
        visited.update(path)


def check_inertia(reader: NumberReader, body, mass, J) -> None:
    """Check that some mass distribution has this mass and central inertia (triangle inequality)."""
    m = reader.nominal(mass)
    reader.check_not_negative(mass, f"body {body.name!r} has mass", "kg")
    numbers = [n for x in J if (n := reader.nominal(x)) is not None]
    if len(numbers) < len(J):
        return
    xx, yy, zz, xy, xz, yz = numbers
    if not (xy or xz or yz):
        low, mid, high = sorted((xx, yy, zz))
    else:
        low, mid, high = map(float, np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
    where, three = f"body {body.name!r}", ", ".join(f"{x:.4g}" for x in (low, mid, high))
    if low < -TRIANGLE_RTOL * abs(high):
        reader.problems.append(
            f"{where} has principal inertias {three} kg m2 about its center of mass: none may be "
            "negative; check the signs of the products and the point the inertia is about"
        )
    elif high > (low + mid) * (1 + TRIANGLE_RTOL):
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


def check_shapes(reader: NumberReader, body) -> None:
    """Check the shapes of a body and their numbers."""
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


def check_limits(reader: NumberReader, joint, where: str) -> None:
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
    except VALUE_ERRORS:
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
            told := arguments.describe_integer_degrees(low)
            or arguments.describe_integer_degrees(high)
        ):
            reader.warnings.append(f"{where}, limits of {name}: {told}")
        if low is not None and high is not None and low > high:
            reader.problems.append(
                f"{where} has limits {low:g} to {high:g} {unit} for {name}: the low one comes first"
            )


def check_motor_limits(reader: NumberReader, joint, where: str) -> None:
    """What the joint's motor can do: one number each, not negative, or None."""
    for name, what, units in (
        ("max_effort", "largest effort", ("N m", "N")),
        ("max_speed", "largest speed", ("rad/s", "m/s")),
    ):
        if (x := getattr(joint, name)) is not None:
            unit = units[not joint.kind.speeds or joint.kind.speeds[0][1] != "rad/s"]
            reader.check_not_negative(
                reader.number(x, f"{where}, {name} [{unit}]"), f"{where} has a {what} of", unit
            )


def _end(reader, x, where) -> float | None:
    if x is None:
        return None
    return reader.nominal(reader.number(x, where))
