"""Validation of parameter values of a run, by the rules of `check`."""

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
from .joint_inertias import check_resistance
from .lowering import bodies
from .system import System

NAME_FIELDS = ("name", "parent", "child", "joint")  # fields that are no numbers


class ParametrizedPart(NamedTuple):
    """A part of a model with the names of its parameters."""

    names: frozenset[str]
    kind: str
    part: Any


def unfit(system: System, values: Mapping[str, float]) -> tuple[str, ...]:
    """Problems of a system at these values of all its parameters.

    Only parts with a changed parameter are checked.

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("b", "m"),), parameters={"m": 1.0}, joints=(
    ...     ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> unfit(model.check(), {"m": 2.0}), unfit(model.check(), {"m": -2.0})
    ((), ("body 'b' has mass -2 kg; use zero or more",))
    """
    changed = {n for n, x in values.items() if x != system.parameters[n]}
    parts = [p for p in _parametrized_parts(system) if p.names & changed] if changed else []
    problems = _part_problems(system, values, parts)
    if parts and not problems and any(values[n] == 0 for n in changed):
        try:
            check_resistance(system, Floats(dict(values)))
        except ModelError as e:
            problems += e.problems
    return tuple(dict.fromkeys(problems))


def unfit_rows(system: System, names: list[str], P: np.ndarray) -> dict[int, str]:
    """Problems of many parameter sets, one for each row of P, by row index.

    Masses, inertias, dampings and laws with known rules are checked for all rows at once. The
    valid set of another part is convex where its numbers are affine in the parameters: if the
    corners of the bounding box of all rows are valid, so are the rows. The rest is checked row by
    row.

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("b", "m"),), parameters={"m": 1.0}, joints=(
    ...     ts.Joint("x", "world", "b", ts.Prismatic("x")),))
    >>> unfit_rows(model.check(), ["m"], np.array([[2.0], [-2.0]]))
    {1: "body 'b' has mass -2 kg; use zero or more"}
    """
    # NaN where it has none
    own_values = np.array([system.parameters[n] for n in names], dtype=float)
    changed = {n for n, moved in zip(names, (own_values != P).any(axis=0), strict=True) if moved}
    parts = [p for p in _parametrized_parts(system) if p.names & changed]
    is_changed = np.array([n in changed for n in names], dtype=bool)
    suspect = (P[:, is_changed] == 0).any(axis=1)
    columns = dict(zip(names, P.T, strict=True))
    for p in parts:
        with np.errstate(all="ignore"):
            rows = _suspect_rows(p.kind, p.part, columns)
        suspect |= not _valid_at_corners(system, p, names, P, changed) if rows is True else rows
    problems = {
        int(i): unfit(system, dict(zip(names, P[i].tolist(), strict=True)))
        for i in np.flatnonzero(suspect)
    }
    return {i: "; ".join(x) for i, x in problems.items() if x}


def _suspect_rows(kind: str, part: Any, columns: Mapping[str, np.ndarray]) -> Any:
    """Rows that a part may refuse, by the signs of its numbers.  True: not known."""
    if kind == "laws":
        return part.law.doubts(lambda x: _evaluate(x, columns))
    if kind not in ("bodies", "joints") or getattr(part, "drive", None) is not None:
        return True
    if isinstance(part, Beam):
        return True
    try:
        if kind == "joints":
            rest = (part.limits, part.max_effort, part.max_speed, part.kind)
            if any(columns.keys() & {*_symbol_names(x)} for x in rest):
                return True
            return _minimum([*_flatten(part.armature), *_flatten(part.damping)], columns) < 0
        entries = _flatten(part.inertia)
        if len(entries) != 6 or part.about != "com" or part.first_moment is not None:
            return True
        m, (xx, yy, zz, *products) = (
            _evaluate(part.mass, columns),
            (_evaluate(x, columns) for x in entries),
        )
        if any(np.any(x != 0) for x in products):
            return True
        smallest = np.minimum(np.minimum(xx, yy), zz)
        twice_largest = 2 * np.maximum(np.maximum(xx, yy), zz)
        return ~(np.asarray(m > 0) & (smallest >= 0) & (twice_largest <= xx + yy + zz))
    except (TypeError, ValueError, ArithmeticError, AttributeError):
        return True


def _flatten(x: Any) -> list:
    return [e for part in x for e in _flatten(part)] if isinstance(x, tuple | list) else [x]


def _evaluate(x: Any, columns: Mapping[str, np.ndarray]) -> Any:
    """Value of a number of a description, for all runs at once."""
    return value.nominal(value.exact(x), columns)  # type: ignore[arg-type]


def _minimum(numbers: list, columns: Mapping[str, np.ndarray]) -> Any:
    out: Any = np.inf
    for x in numbers:
        out = np.minimum(out, _evaluate(x, columns))
    return out


MAX_CORNER_PARAMETERS = 6  # parameters of a part of which every corner is looked at


def _valid_at_corners(system: System, p: ParametrizedPart, names, P, changed) -> bool:
    """Whether a part is valid at all corners of the rows' bounding box, and so at all rows."""
    names_varied = sorted(p.names & changed)
    if (
        len(names_varied) > MAX_CORNER_PARAMETERS
        or 2 ** len(names_varied) > len(P)
        or not _has_convex_domain(p)
    ):
        return False
    columns = [names.index(n) for n in names_varied]
    bounds = list(zip(P[:, columns].min(axis=0), P[:, columns].max(axis=0), strict=True))
    values = dict(zip(names, P[0].tolist(), strict=True))
    return not any(
        _part_problems(system, values | dict(zip(names_varied, map(float, at), strict=True)), [p])
        for at in product(*(dict.fromkeys(e) for e in bounds))
    )


def _has_convex_domain(p: ParametrizedPart) -> bool:
    """Whether the numbers of a part are affine in parameters, with constant table abscissae."""
    part = p.part.law if p.kind == "laws" else p.part
    if p.kind == "constraints" or any(
        p.names.intersection(_symbol_names(x)) for x in _abscissae(part)
    ):
        return False
    return all(_is_affine(x) for x in _expressions(part))


def _abscissae(x: Any) -> Iterator[Any]:
    """First numbers of all pairs in a description: abscissae of tables."""
    if is_dataclass(x):
        for f in fields(x):
            yield from _abscissae(getattr(x, f.name))
    elif isinstance(x, tuple | list):
        if len(x) == 2 and not any(isinstance(e, tuple | list) for e in x):
            yield x[0]
        for e in x:
            yield from _abscissae(e)


def _is_affine(x: Any) -> bool:
    """Whether an expression is affine in the parameters."""
    if not isinstance(x, Value) or not set(value.symbols(x)):
        return True
    a, *b = x.args
    if x.op == "symbol":
        return True
    if x.op in ("+", "-", "neg"):
        return all(map(_is_affine, x.args))
    if x.op == "*":
        return (
            _is_affine(a) and _is_affine(b[0]) and not all(set(_symbol_names(y)) for y in (a, b[0]))
        )
    return x.op == "/" and _is_affine(a) and not set(_symbol_names(b[0]))


def _expressions(x: Any) -> Iterator[Value]:
    """Iterate over the expressions in a description."""
    if isinstance(x, Value):
        yield x
    elif isinstance(x, str):
        try:
            yield from _expressions(value.exact(x))
        except (TypeError, ValueError, ArithmeticError):
            return
    elif isinstance(x, Mapping):
        for e in x.values():
            yield from _expressions(e)
    elif isinstance(x, tuple | list):
        for e in x:
            if type(e) not in PLAIN_TYPES:
                yield from _expressions(e)
    elif is_dataclass(x):
        kind: Any = type(x)
        for name in _value_fields(kind):
            if type(e := getattr(x, name)) not in PLAIN_TYPES:
                yield from _expressions(e)


PLAIN_TYPES = frozenset({float, int, bool, type(None)})


@cache
def _value_fields(kind: Any) -> tuple[str, ...]:
    """Fields that may hold numbers."""
    return tuple(f.name for f in fields(kind) if f.name not in NAME_FIELDS)


def _part_problems(
    system: System, values: Mapping[str, float], parts: list[ParametrizedPart]
) -> list[str]:
    """Problems of some parts at values of all parameters."""
    problems = [
        f"force {part.name!r}: its law {type(part.law).__name__} {text}"
        for _, kind, part in parts
        if kind == "laws"
        for text in part.law.faults_at(values)
    ]
    rest = [p for p in parts if p.kind != "laws"]
    if rest:
        reader = NumberReader(replace(system.model, parameters=dict(values)))
        for _, kind, part in rest:
            problems += _check_part(system, reader, kind, part)
        problems = [*reader.problems, *problems]
    return problems


def _check_part(system: System, reader: NumberReader, kind: str, part: Any) -> Iterator[str]:
    """Problems of one part.  Those of bodies, joints and constraints go to the reader."""
    if kind == "forces":
        yield from part.problems(reader.model)
    elif kind == "bodies" and isinstance(part, Beam):
        from .beams import BeamData

        BeamData(reader, part)
    elif kind == "bodies":
        bodies.read_inertia(reader, part)
    elif kind == "joints":
        bodies.read_joint(reader, part, f"joint {part.name!r}")
        if part.drive is not None:
            yield from part.drive.problems(part, reader.model)
    elif kind == "rotors" and (x := reader.nominal(value.exact(part.inertia))) is not None:
        if x <= 0:
            yield f"rotor {part.name!r} has inertia {x:g} kg m2; use more than zero"
    elif kind == "constraints":
        from .lowering.constraints import ConstraintLowering

        ConstraintLowering(reader, system.links, system.places, reader.model).lower(part)


@once(most=1)
def _parametrized_parts(system: System) -> tuple[ParametrizedPart, ...]:
    """Parts of the model with parameters in them."""
    model, declared = system.model, {*system.parameters}
    out: list[ParametrizedPart] = []
    for kind in ("bodies", "joints", "rotors", "forces", "constraints"):
        for part in system.forces if kind == "forces" else getattr(model, kind):
            names = {kind: _symbol_names(part)}
            if kind == "forces":
                values = [
                    getattr(part, f.name)
                    for f in fields(part)
                    if f.name not in ("law", *NAME_FIELDS)
                ]
                names = {"laws": _symbol_names(part.law), "forces": _symbol_names(values)}
            out += [
                ParametrizedPart(frozenset(declared.intersection(n)), k, part)
                for k, n in names.items()
            ]
    return tuple(p for p in out if p.names)


def _symbol_names(x: Any) -> Iterator[str]:
    """Names of parameters in a description."""
    for text in _expressions(x):
        yield from value.symbols(text)


__all__ = ["unfit", "unfit_rows"]
