"""Texts with units in what is described in Python: numbers in SI, as files have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from itertools import chain
from numbers import Real
from typing import Any

from ..errors import ModelError, said, shown
from ..register import frozen, type_of
from ..scalars import Value, units

NUMBER_TYPES = frozenset({int, float, bool, type(None), Fraction})
ROW_TYPES = frozenset({tuple, list})
UNITLESS_ANNOTATIONS = frozenset({"str", "str | None", "bool", "int"})


def convert_fields_to_si(x: Any, unit_index: int | None = None, parts: Sequence[str] = ()) -> None:
    """Texts with units in the fields of an element become numbers in SI, as files have them.

    Arrays and lists become tuples: what was given may be filled anew for the next element.
    `unit_index`: which of two units, "rad | m", its motion has; None when it has both.  `parts`:
    fields that hold elements of their own: laws, kinds of joints, shapes.  A class may have
    `tables`: units of the columns of a field that may be rows.
    """
    kind: Any = type(x)
    problems = []
    for name, unit in _fields_with_units(kind, tuple(parts)):
        value = getattr(x, name)
        if type(value) in NUMBER_TYPES:
            continue
        object.__setattr__(x, name, value := frozen(value))
        if not contains_unit(value):
            continue
        where = f"{_class_label(x)}{f' {x.name!r}' if hasattr(x, 'name') else ''}, {name}"
        if isinstance(value, tuple):
            unit = getattr(kind, "tables", {}).get(name, unit)
        choices = (unit or "").split(" | ")
        allowed_units = (
            choices if unit_index is None or len(choices) == 1 else [choices[unit_index]]
        )
        try:
            if unit is not None:
                converted = units.read(value, *allowed_units)
            if unit is None or contains_unit(converted):  # a law in place of numbers
                converted = _convert_laws(value, where, unit_index=unit_index)
        except ValueError as e:
            problems.append(f"{where} = {shown(value)}: {said(e)}" if unit is not None else said(e))
        else:
            object.__setattr__(x, name, converted)
    if problems:
        raise ModelError(problems)


@cache
def _fields_with_units(kind: Any, parts: tuple[str, ...]) -> tuple[tuple[str, str | None], ...]:
    """Fields of an element whose texts may say units, with their own."""
    field_units = ((f.name, f.metadata.get("unit")) for f in fields(kind))
    return tuple((name, unit) for name, unit in field_units if unit is not None or name in parts)


def _class_label(x: Any) -> str:
    return type(x).__name__.lower()


def _convert_laws(value: Any, where: str, **options: Any) -> Any:
    from .formats.quantity_strings import convert_quantities

    if isinstance(value, list | tuple):
        return tuple(convert_quantities(e, where, **options) for e in value)
    return convert_quantities(value, where, **options)


def contains_unit(x: Any) -> bool:
    """Whether a text with a unit stands in a value, or in the fields of an element.

    >>> contains_unit(("L", 0, "3 mm")), contains_unit("2*L")
    (True, False)
    """
    kind: Any = type(x)
    if kind in NUMBER_TYPES:
        return False
    if kind is str or isinstance(x, str):
        return units.has_unit(x)
    if isinstance(x, list | tuple):
        kinds = set(map(type, x))
        if kinds <= NUMBER_TYPES:
            return False
        if kinds <= ROW_TYPES:  # a table: thousands of numbers are looked at as types alone
            kinds = set(map(type, chain.from_iterable(x)))
        return not kinds <= NUMBER_TYPES and any(map(contains_unit, x))
    for name in _numeric_fields(kind):
        part = getattr(x, name)
        if type(part) not in NUMBER_TYPES and contains_unit(part):
            return True
    return False


@cache
def _numeric_fields(kind: type) -> tuple[str, ...]:
    """Fields of an element that may hold numbers; none of anything else."""
    if not is_dataclass(kind):
        return ()
    return tuple(f.name for f in fields(kind) if type_of(f) not in UNITLESS_ANNOTATIONS)


def convert_elements_to_si(model: Any) -> None:
    """Texts with units in forces and constraints, which may need the joints they act on."""
    problems: list[str] = []
    for kind, name in (("force", "forces"), ("constraint", "constraints")):
        elements = getattr(model, name)
        if not any(map(contains_unit, elements)):
            continue
        converted = []
        for x in elements:
            try:
                where = f"{kind} {getattr(x, 'name', x)!r}"
                converted.append(_convert_laws(x, where, joints=(*model.joints, *model.rotors)))
            except ValueError as e:
                problems += said(e).split("\n")
        object.__setattr__(model, name, tuple(converted))
    if problems:
        raise ModelError(problems)


def convert_parameters_to_si(parameters: Any) -> Any:
    """Nominal values, those with units in SI: of any dimension, as a file's.

    >>> convert_parameters_to_si({"L": "30 cm", "r": "L/2"})
    {'L': Fraction(3, 10), 'r': 'L/2'}
    """
    if not isinstance(parameters, Mapping) or not any(map(contains_unit, parameters.values())):
        return parameters
    out, problems = {}, []
    for name, x in parameters.items():
        try:
            out[name] = units.read(x, None)
        except ValueError as e:
            problems.append(f"parameter {name!r} = {shown(x)}: {said(e)}")
    if problems:
        raise ModelError(problems)
    return out


def check_gravity_sign(gravity: Any) -> str:
    """What is wrong with one number that would let bodies fall upwards, "" where nothing is.

    >>> check_gravity_sign(-9.81)
    'one number is downwards along z, so this falls upwards; write 9.81, or three numbers ...'
    """
    one = isinstance(gravity, str | Real | Value) and not isinstance(gravity, bool)
    try:
        number: Any = units.floating(gravity, None) if isinstance(gravity, str) else gravity
        x = float(number)
    except (TypeError, ValueError, ArithmeticError):
        return ""  # a name, or told elsewhere
    if not one or not x < 0:
        return ""
    return (
        f"one number is downwards along z, so this falls upwards; write {-x:g}, or three numbers "
        f"(0, 0, {-x:g}) if it is meant"
    )


def as_gravity_vector(gravity: Any) -> Any:
    """Gravity as a vector [m/s2]: one number is downwards along z.

    >>> as_gravity_vector(9.81), as_gravity_vector("g"), as_gravity_vector((0, -9.81, 0))
    ((0, 0, -9.81), (0, 0, '-(g)'), (0, -9.81, 0))
    """
    if problem := check_gravity_sign(gravity):
        raise ModelError([f"gravity = {gravity}: {problem}"])
    if isinstance(gravity, str):
        return (0, 0, f"-({gravity})")
    one = isinstance(gravity, Real | Value) and not isinstance(gravity, bool)
    return (0, 0, -gravity) if one else gravity
