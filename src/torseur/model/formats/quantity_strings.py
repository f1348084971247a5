"""Texts with units in elements made in Python, as numbers in SI: what files accept, by the same
description of fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import is_dataclass
from typing import Any

from ...errors import said, shown
from ...scalars import units
from .deserialize import find_unit_index, nested_units, split_unit_options
from .schema import FieldSpec, all_types, force_types, specs


def convert_quantities(element: Any, where: str, joints=(), unit_index: int | None = None) -> Any:
    """An element with every text that carries a unit read; itself when there is none.

    `joints`: joints and rotors, which say whether a law acts on an angle or on a length;
    `unit_index`: 0 or 1, where the caller knows.  `ValueError` with every text that does not fit.

    >>> from torseur.forces import JointForce, Spring
    >>> from torseur.model import Joint
    >>> from torseur.joints import Prismatic
    >>> rail = Joint("rail", "world", "cart", Prismatic("x"))
    >>> convert_quantities(JointForce("f", "rail", Spring("5 N/mm")), "force 'f'", (rail,)).law
    Spring(stiffness=5000, free_length=0, preload=0)
    """
    problems: list[str] = []
    if unit_index is None:
        named = getattr(element, "sided", None) or "coordinate"
        joint, coordinate = (getattr(element, n, None) for n in ("joint", named))
        unit_index = find_unit_index(element, joint, coordinate, joints)
    converted = _convert_value(element, where, unit_index, problems)
    if problems:
        raise ValueError("\n".join(problems))
    return converted


def _convert_value(x: Any, where: str, unit_index: int | None, problems: list[str]) -> Any:
    """A value that may be an element, hold some, or be numbers among names."""
    if is_dataclass(x) and type(x) in {*all_types(), *force_types().values()}:
        return _convert_element(x, where, unit_index, problems)
    if isinstance(x, Mapping):
        return x
    if isinstance(x, list | tuple):
        out = tuple(
            _convert_value(e, f"{where}[{i}]", unit_index, problems) for i, e in enumerate(x)
        )
        return x if all(a is b for a, b in zip(x, out, strict=True)) else out
    return x


def _convert_element(x: Any, where: str, unit_index: int | None, problems: list[str]) -> Any:
    """An element made anew of its fields, when one of them said a unit."""
    fields, positional, same = {}, (), True
    kind: Any = type(x)
    for spec in specs(kind).values():
        value = getattr(x, spec.attribute)
        converted = _convert_field(value, spec, f"{where}, {spec.name}", unit_index, problems)
        same = same and converted is value
        if spec.is_variadic:
            positional = converted
        else:
            fields[spec.parameter] = converted
    return x if same or problems else kind(*positional, **fields)


def _convert_field(
    value: Any, spec: FieldSpec, where: str, unit_index: int | None, problems: list[str]
) -> Any:
    if isinstance(value, str) and (value in spec.keywords or spec.annotation.startswith("str")):
        return value
    is_numeric = spec.unit is not None
    is_table = spec.table is not None and isinstance(value, list | tuple)
    allowed_units: tuple = nested_units(spec, unit_index)
    if is_numeric:
        unit = spec.table if is_table else spec.unit
        unit_options = split_unit_options(unit or "", unit_index)
        allowed_units = tuple(None if None in o else ", ".join(map(str, o)) for o in unit_options)
    value = _convert_value(value, where, unit_index, problems)
    try:
        return units.read(value, *allowed_units, names=not is_numeric)
    except ValueError as e:
        problems.append(f"{where} = {shown(value)}: {said(e)}")
        return value
