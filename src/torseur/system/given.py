"""Values that a run gives to parameters: what `check` would refuse of them is refused there too."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple

from ..errors import ModelError
from ..numbers import Floats, Value, values
from . import read_parts
from .checks import NumberReader
from .core import System
from .inertias import resisted
from .keeping import once


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
    if not parts:
        return ()
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
    if not found and any(given[n] == 0 for n in changed):
        try:
            resisted(system, Floats(dict(given)))
        except ModelError as e:
            found += e.problems
    return tuple(dict.fromkeys(found))


def _judged(system: System, reader: NumberReader, kind: str, part: Any) -> Iterator[str]:
    """Problems of one part; those of bodies, joints and constraints go to the reader."""
    if kind == "forces":
        yield from part.problems(reader.model)
    elif kind == "bodies":
        read_parts.inertia(reader, part)
    elif kind == "joints":
        read_parts.joint(reader, part, f"joint {part.name!r}")
    elif kind == "rotors" and (x := reader.nominal(values.exact(part.inertia))) is not None:
        if x <= 0:
            yield f"rotor {part.name!r} has inertia {x:g} kg m2; use more than zero"
    elif kind == "constraints":
        from .constraints import Lowering

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
                own = [getattr(part, f.name) for f in fields(part) if f.name != "law"]
                names = {"laws": _names(part.law), "forces": _names(own)}
            out += [NamedPart(frozenset(known.intersection(n)), k, part) for k, n in names.items()]
    return tuple(p for p in out if p.names)


def _names(x: Any) -> Iterator[str]:
    """Names in every text of a description that could be a number."""
    if isinstance(x, Value):
        yield from values.symbols(x)
    elif isinstance(x, str):
        try:
            yield from values.symbols(values.exact(x))
        except (TypeError, ValueError, ArithmeticError):
            return
    elif isinstance(x, Mapping):
        for e in x.values():
            yield from _names(e)
    elif isinstance(x, tuple | list):
        for e in x:
            yield from _names(e)
    elif is_dataclass(x):
        for f in fields(x):
            yield from _names(getattr(x, f.name))


__all__ = ["unfit"]
