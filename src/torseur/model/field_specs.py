"""Fields of elements as files and Python callers write them: names, units, shapes, defaults."""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import cache
from typing import Any, NamedTuple

from ..register import type_of


class FieldSpec(NamedTuple):
    """Specification of one field of an element."""

    name: str
    attribute: str
    unit: str | None  # None when the field does not hold numbers with a unit
    shapes: tuple
    annotation: str
    default: Any
    required: bool
    is_variadic: bool = False  # the constructor takes any number of them, one after the other
    parameter: str = ""  # of the constructor
    keywords: tuple = ()  # texts that it takes besides numbers
    table: str | None = None  # units of columns, where it takes points besides a number
    nested_unit: Any = None  # units of numbers among names, as in ends of forces; None: any
    open: bool = False  # any of its numbers may be nothing


@cache
def type_name(cls: Any) -> str:
    """The name of a class in a file.

    >>> from torseur.joints import Revolute
    >>> type_name(Revolute), type_name(type("PointForce", (), {}))
    ('revolute', 'point_force')
    """
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", cls.__name__).lower()


@cache
def specs(cls: Any) -> dict[str, FieldSpec]:
    """Specifications of the fields that an element's constructor takes, by name."""
    fields = {f.name: f for f in dataclasses.fields(cls)}
    units, tables = getattr(cls, "units", {}), getattr(cls, "tables", {})
    out = {}
    for f, p in zip(fields.values(), inspect.signature(cls).parameters.values(), strict=False):
        f = fields.get(p.name, f)  # a constructor may rename, never reorder
        if p.name == "source" or f.metadata.get("file") is False:
            continue
        unit = f.metadata.get("unit")
        if unit is None and isinstance(units, dict) and f.name in units:
            unit = _angle_and_length_units(units[f.name])
        elif unit is None and type_of(f) == "Any":
            unit = _unit_from_docstring(cls, p.name)
        several = p.kind is inspect.Parameter.VAR_POSITIONAL
        sizes = f.metadata.get("shapes", ())
        name = p.name.rstrip("_")  # `force_` is `force` in a file
        out[name] = FieldSpec(
            name,
            f.name,
            unit,
            sizes,
            type_of(f),
            _default_value(f, p),
            p.default is inspect.Parameter.empty and not several,
            several,
            p.name,
            getattr(cls, "words", {}).get(f.name, ()),
            _angle_and_length_units(tables[f.name]) if f.name in tables else None,
            getattr(cls, "inside", {}).get(f.name),
            f.metadata.get("open", False),
        )
    return out


def _angle_and_length_units(unit: str) -> str:
    """Units of a law's number for an angle and for a length, by column for a table.


    >>> tuple(map(_angle_and_length_units, ("m, N", "N/m", "1")))
    ('rad, N m | m, N', 'N m/rad | N/m', '')
    """
    angular = re.sub(r"\bN\b", "N m", re.sub(r"\bm\b", "rad", unit))
    unit = "" if unit == "1" else unit
    return unit if "N" not in unit and not re.search(r"\bm\b", unit) else f"{angular} | {unit}"


def _unit_from_docstring(cls, name: str) -> str | None:
    """The unit that a class docstring states, as in "`radius` [m]"."""
    match = re.search(rf"`{name}` \[([^\]]*)\]", cls.__doc__ or "")
    return match and re.sub(r"(?<=[a-z])([23])\b", r"^\1", match[1]).replace(" or ", " | ")


def _default_value(f, p):
    """Default of a field: of its factory, of the constructor, or of neither."""
    if f.default_factory is not dataclasses.MISSING:
        return f.default_factory()
    return p.default if f.default is dataclasses.MISSING else f.default


def find_unit_index(line, joint, coordinate, joints) -> int | None:
    """Index of the unit of a law's deflection: 0 angle, 1 length, None if unknown.

    `line` is a line of action or its class, or a constraint.  `joints` are the joints and rotors of
    the model.  `coordinate` may include the joint's name, as in "elbow.angle".
    """
    if joint is None and isinstance(coordinate, str):
        joint, _, coordinate = coordinate.rpartition(".")
    unit = getattr(line, "deflection", None)
    if unit is None and joint is not None:
        matches = [j for j in joints if j.name == joint]
        if len(matches) == 1:
            coordinate_units = (
                dict(matches[0].kind.coordinates) if hasattr(matches[0], "kind") else {"": "rad"}
            )
            several = len(set(coordinate_units.values())) > 1
            unit = (
                coordinate_units.get(coordinate)
                if several
                else next(iter(coordinate_units.values()), None)
            )
    return {"rad": 0, "m": 1}.get(unit or "")


def nested_units(spec: FieldSpec, unit_index: int | None) -> tuple:
    """Units that a number among names may have, as in the ends of a force."""
    if spec.nested_unit is None or isinstance(spec.nested_unit, tuple):
        return (spec.nested_unit,)
    angle_and_length_units = spec.nested_unit.split(" | ")
    return tuple(
        angle_and_length_units[unit_index : unit_index + 1]
        if len(angle_and_length_units) == 2 and unit_index is not None
        else angle_and_length_units
    )


def split_unit_options(unit: str, unit_index: int | None) -> tuple[tuple[str | None, ...], ...]:
    """Alternative units of a field, for an angle and for a length, each by column.


    >>> split_unit_options("rad | m", 1), split_unit_options("rad, N m | m, N", None)
    ((('m',),), (('rad', 'N m'), ('m', 'N')))
    """
    angle_and_length_units = unit.split(" | ")
    if len(angle_and_length_units) == 2 and unit_index is not None:
        angle_and_length_units = angle_and_length_units[unit_index : unit_index + 1]
    return tuple(
        tuple(None if "^i" in u else u for u in one.split(", ")) for one in angle_and_length_units
    )
