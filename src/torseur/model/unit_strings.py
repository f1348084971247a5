"""Conversion of quantities with units ("250 mm") in the fields of elements to SI numbers."""

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
from .field_specs import FieldSpec, find_unit_index, nested_units, specs, split_unit_options

NUMBER_TYPES = frozenset({int, float, bool, type(None), Fraction})
ROW_TYPES = frozenset({tuple, list})
UNITLESS_ANNOTATIONS = frozenset({"str", "str | None", "bool", "int"})


def convert_fields_to_si(x: Any, unit_index: int | None = None, parts: Sequence[str] = ()) -> None:
    """Convert texts with units in the fields of an element to SI numbers, and lists to tuples.

    `unit_index` selects one of two alternative units, as in "rad | m"; None allows both.  `parts`
    names the fields that hold other elements: laws, joint types, shapes.  A class attribute
    `tables` gives the units of columns.  Tuples protect the element from later changes of the
    caller's lists.
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
    """Fields of an element that accept texts with units, each with its unit."""
    field_units = ((f.name, f.metadata.get("unit")) for f in fields(kind))
    return tuple((name, unit) for name, unit in field_units if unit is not None or name in parts)


def _class_label(x: Any) -> str:
    return type(x).__name__.lower()


def _convert_laws(value: Any, where: str, **options: Any) -> Any:
    if isinstance(value, list | tuple):
        return tuple(convert_quantities(e, where, **options) for e in value)
    return convert_quantities(value, where, **options)


def contains_unit(x: Any) -> bool:
    """Whether a value, or a field of an element, contains a text with a unit.


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
    """Fields of an element that may hold numbers; none for other objects."""
    if not is_dataclass(kind):
        return ()
    return tuple(f.name for f in fields(kind) if type_of(f) not in UNITLESS_ANNOTATIONS)


def convert_elements_to_si(model: Any) -> None:
    """Convert quantities in forces and constraints, whose units may depend on their joints."""
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
    """Nominal values with units converted to SI, of any dimension.


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
    """A message if one number for gravity points upwards, else "".


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
    """Gravity as a vector [m/s2].  A single number points down along z.


    >>> as_gravity_vector(9.81), as_gravity_vector("g"), as_gravity_vector((0, -9.81, 0))
    ((0, 0, -9.81), (0, 0, '-(g)'), (0, -9.81, 0))
    """
    if problem := check_gravity_sign(gravity):
        raise ModelError([f"gravity = {gravity}: {problem}"])
    if isinstance(gravity, str):
        return (0, 0, f"-({gravity})")
    one = isinstance(gravity, Real | Value) and not isinstance(gravity, bool)
    return (0, 0, -gravity) if one else gravity


# ---- elements with laws or other elements inside ------------------------------------------------


def convert_quantities(element: Any, where: str, joints=(), unit_index: int | None = None) -> Any:
    """An element with all quantities in SI; the same object if it contains no unit.

    `joints` are the joints and rotors that decide between an angle and a length.  `unit_index` (0
    or 1) overrides them.  Raises `ValueError` with one line for each text of a wrong unit.


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
    """A value with quantities in SI, if it is an element or a sequence of elements."""
    from .element_types import element_classes

    if is_dataclass(x) and type(x) in element_classes():
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
    """A copy of an element with converted fields, or the same object if no field has a unit."""
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
    """The value of a field in SI; a text of a wrong unit is added to `problems`."""
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
