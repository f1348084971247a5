"""Texts with units in elements made in Python, as numbers in SI: what files accept, by the same
description of fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from ...errors import said, shown
from ...scalars import units
from .deserialize import inside, options, side_of
from .schema import Spec, every_type, force_types, specs


def spelt(element: Any, where: str, moving=(), side: int | None = None) -> Any:
    """An element with every text that carries a unit read; itself when there is none.

    `moving`: joints and rotors, which say whether a law acts on an angle or on a length; `side`:
    0 or 1, where the caller knows.  `ValueError` with every text that does not fit.

    >>> from torseur.forces import JointForce, Spring
    >>> from torseur.model import Joint
    >>> from torseur.joints import Prismatic
    >>> rail = Joint("rail", "world", "cart", Prismatic("x"))
    >>> spelt(JointForce("f", "rail", Spring("5 N/mm")), "force 'f'", (rail,)).law
    Spring(stiffness=5000, free_length=0, preload=0)
    """
    problems: list[str] = []
    if side is None:
        named = getattr(element, "sided", None) or "coordinate"
        joint, coordinate = (getattr(element, n, None) for n in ("joint", named))
        side = side_of(element, joint, coordinate, moving)
    found = _read(element, where, side, problems)
    if problems:
        raise ValueError("\n".join(problems))
    return found


def _read(x: Any, where: str, side: int | None, problems: list[str]) -> Any:
    """A value that may be an element, hold some, or be numbers among names."""
    if is_dataclass(x) and type(x) in {*every_type(), *force_types().values()}:
        return _element(x, where, side, problems)
    if isinstance(x, Mapping):
        return x
    if isinstance(x, list | tuple):
        out = tuple(_read(e, f"{where}[{i}]", side, problems) for i, e in enumerate(x))
        return x if all(a is b for a, b in zip(x, out, strict=True)) else out
    return x


def _element(x: Any, where: str, side: int | None, problems: list[str]) -> Any:
    """An element made anew of its fields, when one of them said a unit."""
    fields, several, same = {}, (), True
    kind: Any = type(x)
    for spec in specs(kind).values():
        given = getattr(x, spec.attribute)
        value = _field(given, spec, f"{where}, {spec.name}", side, problems)
        same = same and value is given
        if spec.several:
            several = value
        else:
            fields[spec.parameter] = value
    return x if same or problems else kind(*several, **fields)


def _field(given: Any, spec: Spec, where: str, side: int | None, problems: list[str]) -> Any:
    if isinstance(given, str) and (given in spec.words or spec.annotation.startswith("str")):
        return given
    numbers = spec.unit is not None
    listed = spec.table is not None and isinstance(given, list | tuple)
    wanted: tuple = inside(spec, side)
    if numbers:
        unit = spec.table if listed else spec.unit
        found = options(unit or "", side)
        wanted = tuple(None if None in o else ", ".join(map(str, o)) for o in found)
    given = _read(given, where, side, problems)
    try:
        return units.read(given, *wanted, names=not numbers)
    except ValueError as e:
        problems.append(f"{where} = {shown(given)}: {said(e)}")
        return given
