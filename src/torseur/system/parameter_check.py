"""Values that a run gives to parameters: what `check` would refuse of them is refused there too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from ..errors import ModelError
from ..model import Beam
from ..scalars import Floats, Value
from ..scalars.values import value
from .cache import once
from .checks import NumberReader
from .joint_inertias import resisted
from .lowering import bodies
from .system import System

WORDS = ("name", "parent", "child", "joint")  # fields that are no numbers


class NamedPart(NamedTuple):
    """A part of a model that has parameters in it: which, and what it is."""

    names: frozenset[str]
    kind: str
    part: Any


def unfit(system: System, given: Mapping[str, float]) -> tuple[str, ...]:
    """What is wrong with a system whose parameters, all of them, have these values.

    Only parts that depend on a parameter with another value than the model's own are looked at.

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("b", "m"),), parameters={"m": 1.0}, joints=(
    ...     ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> unfit(model.check(), {"m": 2.0}), unfit(model.check(), {"m": -2.0})
    ((), ("body 'b' has mass -2 kg; use zero or more",))
    """
    changed = {n for n, x in given.items() if x != system.parameters[n]}
    parts = [p for p in _named_parts(system) if p.names & changed] if changed else []
    found = _problems(system, given, parts)
    if parts and not found and any(given[n] == 0 for n in changed):
        try:
            resisted(system, Floats(dict(given)))
        except ModelError as e:
            found += e.problems
    return tuple(dict.fromkeys(found))


def unfit_rows(system: System, names: list[str], P: np.ndarray) -> dict[int, str]:
    """What is wrong with some of many sets of parameters, one a row of P.

    Masses, inertias, dampings and laws that know their rules are looked at all at once.  What
    another part refuses of numbers that depend on parameters without products or quotients (masses
    below zero, points that do not grow) leaves a convex set: where the corners of the box of all
    rows are good, so is every row.  What is doubtful then is looked at row by row.

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("b", "m"),), parameters={"m": 1.0}, joints=(
    ...     ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> unfit_rows(model.check(), ["m"], np.array([[2.0], [-2.0]]))
    {1: "body 'b' has mass -2 kg; use zero or more"}
    """
    own = np.array([system.parameters[n] for n in names], dtype=float)  # NaN where it has none
    changed = {n for n, moved in zip(names, (own != P).any(axis=0), strict=True) if moved}
    parts = [p for p in _named_parts(system) if p.names & changed]
    moved = np.array([n in changed for n in names], dtype=bool)
    doubtful = (P[:, moved] == 0).any(axis=1)
    columns = dict(zip(names, P.T, strict=True))
    for p in parts:
        with np.errstate(all="ignore"):
            some = _doubtful(p.kind, p.part, columns)
        doubtful |= not _good_at_corners(system, p, names, P, changed) if some is True else some
    found = {
        int(i): unfit(system, dict(zip(names, P[i].tolist(), strict=True)))
        for i in np.flatnonzero(doubtful)
    }
    return {i: "; ".join(x) for i, x in found.items() if x}


def _doubtful(kind: str, part: Any, columns: Mapping[str, np.ndarray]) -> Any:
    """Which of many values a part may refuse, by the signs of its numbers; True: not known."""
    if kind == "laws":
        return part.law.doubts(lambda x: _over(x, columns))
    if kind not in ("bodies", "joints") or getattr(part, "drive", None) is not None:
        return True
    if isinstance(part, Beam):
        return True
    try:
        if kind == "joints":
            rest = (part.limits, part.max_effort, part.max_speed, part.kind)
            if any(columns.keys() & {*_names(x)} for x in rest):
                return True
            return _least([*_flat(part.armature), *_flat(part.damping)], columns) < 0
        flat = _flat(part.inertia)
        if len(flat) != 6 or part.about != "com" or part.first_moment is not None:
            return True
        m, (xx, yy, zz, *products) = _over(part.mass, columns), (_over(x, columns) for x in flat)
        if any(np.any(x != 0) for x in products):
            return True
        low = np.minimum(np.minimum(xx, yy), zz)
        most = 2 * np.maximum(np.maximum(xx, yy), zz)
        return ~(np.asarray(m > 0) & (low >= 0) & (most <= xx + yy + zz))
    except (TypeError, ValueError, ArithmeticError, AttributeError):
        return True


def _flat(x: Any) -> list:
    return [e for part in x for e in _flat(part)] if isinstance(x, tuple | list) else [x]


def _over(x: Any, columns: Mapping[str, np.ndarray]) -> Any:
    """A number of a description, with a value for every run where it has names."""
    return value.nominal(value.exact(x), columns)  # type: ignore[arg-type]


def _least(numbers: list, columns: Mapping[str, np.ndarray]) -> Any:
    out: Any = np.inf
    for x in numbers:
        out = np.minimum(out, _over(x, columns))
    return out


MOST_CORNERS = 6  # parameters of a part of which every corner is looked at


def _good_at_corners(system: System, p: NamedPart, names, P, changed) -> bool:
    """Whether a part is good at all rows because it is at the corners of their box."""
    own = sorted(p.names & changed)
    if len(own) > MOST_CORNERS or 2 ** len(own) > len(P) or not _convex(p):
        return False
    places = [names.index(n) for n in own]
    ends = list(zip(P[:, places].min(axis=0), P[:, places].max(axis=0), strict=True))
    given = dict(zip(names, P[0].tolist(), strict=True))
    return not any(
        _problems(system, given | dict(zip(own, map(float, at), strict=True)), [p])
        for at in product(*(dict.fromkeys(e) for e in ends))
    )


def _convex(p: NamedPart) -> bool:
    """Whether the numbers of a part are sums of parameters, and knots of tables have none."""
    part = p.part.law if p.kind == "laws" else p.part
    if p.kind == "constraints" or any(p.names.intersection(_names(x)) for x in _knots(part)):
        return False
    return all(_affine(x) for x in _texts(part))


def _knots(x: Any) -> Iterator[Any]:
    """First numbers of all pairs in a description: where tables have their points."""
    if is_dataclass(x):
        for f in fields(x):
            yield from _knots(getattr(x, f.name))
    elif isinstance(x, tuple | list):
        if len(x) == 2 and not any(isinstance(e, tuple | list) for e in x):
            yield x[0]
        for e in x:
            yield from _knots(e)


def _affine(x: Any) -> bool:
    """Whether an expression is a sum of parameters with plain factors."""
    if not isinstance(x, Value) or not set(value.symbols(x)):
        return True
    a, *b = x.args
    if x.op == "symbol":
        return True
    if x.op in ("+", "-", "neg"):
        return all(map(_affine, x.args))
    if x.op == "*":
        return _affine(a) and _affine(b[0]) and not all(set(_names(y)) for y in (a, b[0]))
    return x.op == "/" and _affine(a) and not set(_names(b[0]))


def _texts(x: Any) -> Iterator[Value]:
    """Expressions in every text of a description that could be a number."""
    if isinstance(x, Value):
        yield x
    elif isinstance(x, str):
        try:
            yield from _texts(value.exact(x))
        except (TypeError, ValueError, ArithmeticError):
            return
    elif isinstance(x, Mapping):
        for e in x.values():
            yield from _texts(e)
    elif isinstance(x, tuple | list):
        for e in x:
            if type(e) not in NUMBERS:
                yield from _texts(e)
    elif is_dataclass(x):
        kind: Any = type(x)
        for name in _named(kind):
            if type(e := getattr(x, name)) not in NUMBERS:
                yield from _texts(e)


NUMBERS = frozenset({float, int, bool, type(None)})


@cache
def _named(kind: Any) -> tuple[str, ...]:
    """Fields that may hold numbers."""
    return tuple(f.name for f in fields(kind) if f.name not in WORDS)


def _problems(system: System, given: Mapping[str, float], parts: list[NamedPart]) -> list[str]:
    """What is wrong with some parts at values of all parameters."""
    found = [
        f"force {part.name!r}: its law {type(part.law).__name__} {text}"
        for _, kind, part in parts
        if kind == "laws"
        for text in part.law.faults_at(given)
    ]
    rest = [p for p in parts if p.kind != "laws"]
    if rest:
        reader = NumberReader(replace(system.model, parameters=dict(given)))
        for _, kind, part in rest:
            found += _judged(system, reader, kind, part)
        found = [*reader.problems, *found]
    return found


def _judged(system: System, reader: NumberReader, kind: str, part: Any) -> Iterator[str]:
    """Problems of one part; those of bodies, joints and constraints go to the reader."""
    if kind == "forces":
        yield from part.problems(reader.model)
    elif kind == "bodies" and isinstance(part, Beam):
        from .beams import BeamNumbers

        BeamNumbers(reader, part)
    elif kind == "bodies":
        bodies.inertia(reader, part)
    elif kind == "joints":
        bodies.joint(reader, part, f"joint {part.name!r}")
        if part.drive is not None:
            yield from part.drive.problems(part, reader.model)
    elif kind == "rotors" and (x := reader.nominal(value.exact(part.inertia))) is not None:
        if x <= 0:
            yield f"rotor {part.name!r} has inertia {x:g} kg m2; use more than zero"
    elif kind == "constraints":
        from .lowering.constraints import Lowering

        Lowering(reader, system.links, system.places, reader.model).lower(part)


@once(most=1)
def _named_parts(system: System) -> tuple[NamedPart, ...]:
    """Parts of the model with parameters in them."""
    model, known = system.model, {*system.parameters}
    out: list[NamedPart] = []
    for kind in ("bodies", "joints", "rotors", "forces", "constraints"):
        for part in system.forces if kind == "forces" else getattr(model, kind):
            names = {kind: _names(part)}
            if kind == "forces":
                own = [getattr(part, f.name) for f in fields(part) if f.name not in ("law", *WORDS)]
                names = {"laws": _names(part.law), "forces": _names(own)}
            out += [NamedPart(frozenset(known.intersection(n)), k, part) for k, n in names.items()]
    return tuple(p for p in out if p.names)


def _names(x: Any) -> Iterator[str]:
    """Names in every text of a description that could be a number."""
    for text in _texts(x):
        yield from value.symbols(text)


__all__ = ["unfit", "unfit_rows"]
