"""What a model file may hold, derived from the dataclasses of the model and from the registers.

A new joint, force law or shape appears in files, in messages and in the JSON Schema by itself.
"""

from __future__ import annotations

import dataclasses
import inspect
import re
from functools import cache, wraps
from typing import Any, NamedTuple

from ...constraints import constraint
from ...joints import joint
from ...register import type_of
from .. import beam, description, shapes

SCHEMA_VERSION = 1
SECTIONS = {
    "bodies": description.Body,
    "joints": description.Joint,
    "loops": description.Loop,
    "frames": description.Frame,
    "rotors": description.Rotor,
    "inputs": description.Input,
    "forces": None,
    "constraints": None,
}
"""Lists of elements; None where a `type` chooses the class."""
BODY_TYPES = {"body": description.Body, "beam": beam.Beam}
"""Bodies by their `type`; a rigid one needs no saying."""
ELEMENT_LABELS = {
    "bodies": "body",
    "joints": "joint",
    "loops": "loop",
    "frames": "frame",
    "rotors": "rotor",
    "inputs": "input",
    "forces": "force",
    "constraints": "constraint",
}
RUN_SECTIONS = {
    "initial": "coordinates and speeds at the start, by name, for `torseur simulate`",
    "simulation": "options of `torseur simulate`, such as t_end",
    "outputs": "signals that `torseur simulate` shows",
}
"""Sections that describe a run: the first two are `initial` and `simulation` of the model."""


DESIGN = {
    "devices": "what balances weight; a pair of numbers in place of one: sought between them",
    "balancing": "what a balance is judged by: over, criterion, payloads, joints, at, together",
    "motions": "by name: laws of coordinates, a table with time, or the quickest between poses",
    "paths": "by name: a frame along a line, an arc or a polyline, with the law of its length",
    "catalog": "motors and gearboxes to choose from: here, or the name of their file",
    "sizing": "what drives are chosen by: motion, pause, life, largest_inertia_ratio, order",
    "controllers": "by name: computed_torque, pd_gravity, lqr or gain_schedule",
}
"""Sections of a robot's design, which are `design` of the model; `ts.robots.design` reads them."""


class FieldSpec(NamedTuple):
    """One field of an element as a file writes it."""

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
    """The fields of an element, by name: those its constructor takes."""
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
    """The units of a law's parameter: on an angle, then on a length; by column of a table.

    >>> tuple(map(_angle_and_length_units, ("m, N", "N/m", "1")))
    ('rad, N m | m, N', 'N m/rad | N/m', '')
    """
    angular = re.sub(r"\bN\b", "N m", re.sub(r"\bm\b", "rad", unit))
    unit = "" if unit == "1" else unit
    return unit if "N" not in unit and not re.search(r"\bm\b", unit) else f"{angular} | {unit}"


def _unit_from_docstring(cls, name: str) -> str | None:
    """The unit a docstring gives, as in "`radius` [m]"."""
    match = re.search(rf"`{name}` \[([^\]]*)\]", cls.__doc__ or "")
    return match and re.sub(r"(?<=[a-z])([23])\b", r"^\1", match[1]).replace(" or ", " | ")


def _default_value(f, p):
    if f.default_factory is not dataclasses.MISSING:
        return f.default_factory()
    return p.default if f.default is dataclasses.MISSING else f.default


def _cache_per_register(f):
    """Remember an answer as long as the registers hold as many elements."""
    cached: dict = {}

    @wraps(f)
    def get():
        from ...forces import law, line

        sizes = tuple(map(len, (joint, constraint, law, line)))
        if sizes not in cached:
            cached.clear()
            cached[sizes] = f()
        return cached[sizes]

    return get


def joint_types() -> dict[str, type]:
    """Joints by the name a file gives them."""
    return {type_name(c): c for c in joint.values()}


def force_types() -> dict[str, type]:
    """Lines of action, laws and drives by the name a file gives them."""
    from ...forces import Drive, DriveStage

    return {**force_section_types(), **{type_name(c): c for c in (Drive, DriveStage)}}


@_cache_per_register
def force_section_types() -> dict[str, type]:
    """Those that may stand in the section `forces`: lines of action and laws."""
    from ...forces import law, line

    return {type_name(c): c for c in (*law.values(), *line.values())}


def constraint_types() -> dict[str, type]:
    """Constraints by the name a file gives them."""
    return {type_name(c): c for c in constraint.values()}


@_cache_per_register
def nested_types() -> dict[str, type]:
    """What may stand inside an element: laws, drives, shapes, joints."""
    return {**{type_name(c): c for c in shapes.EVERY_SHAPE}, **force_types(), **joint_types()}


@_cache_per_register
def all_types() -> frozenset[type]:
    """Every class that a file can name."""
    return frozenset({*nested_types().values(), *constraint_types().values(), beam.Beam})


def json_schema() -> dict:
    """JSON Schema of a model file, for editors and for other programs."""
    number = {"anyOf": [{"type": "number"}, {"type": "string"}]}
    defs: dict[str, Any] = {
        "number": number
        | {"description": "a number in SI, an expression of parameters, or a text with a unit"}
    }
    for name, cls in nested_types().items():
        defs[name] = element_schema(cls, type_=name)
    options = {
        "file": {"type": "string"},
        "base": {"enum": ["weld", "free"]},
        "repair": {"type": "boolean"},
        "right_angles": {"type": "boolean"},
    }
    robot = {"type": "object", "required": ["file"], "additionalProperties": False}
    included: list[dict] = [{"type": "string"}, robot | {"properties": options}]
    properties: dict[str, Any] = {
        "schema_version": {"const": SCHEMA_VERSION},
        "name": {"type": "string"},
        "description": {"type": "string"},
        "include": {"anyOf": [*included, {"type": "array", "items": {"anyOf": included}}]},
        "strict": {"type": "boolean"},
        "actuate": {
            "type": "boolean",
            "description": "give every joint of one degree of freedom without an input a motor: "
            "the input u_<joint>, its effort [N m or N]",
        },
        "gravity": {"anyOf": [_array_schema((), "m/s^2"), _array_schema((3,), "m/s^2")]},
        "parameters": {
            "type": "object",
            "additionalProperties": {"anyOf": [{"$ref": "#/$defs/number"}, {"type": "null"}]},
        },
        "dh": {
            "type": "object",
            "required": ["convention", "rows"],
            "additionalProperties": False,
            "properties": {
                "convention": {"enum": ["modified", "classic"]},
                "base": _array_schema((4, 4), ""),
                "rows": {"type": "array", "items": _dh_row_schema()},
            },
        },
        **{name: {"description": text} for name, text in (RUN_SECTIONS | DESIGN).items()},
    }
    item: dict[str, Any]
    for section, cls in SECTIONS.items():
        if section == "forces":
            item = {
                "anyOf": [
                    *(
                        {"$ref": f"#/$defs/{n}"}
                        for n, c in force_section_types().items()
                        if "name" in specs(c)
                    ),
                    *_short_force_schemas(),
                ]
            }
        elif section == "constraints":
            for name, c in constraint_types().items():
                defs[f"constraint_{name}"] = element_schema(c, type_=name)
            item = {"anyOf": [{"$ref": f"#/$defs/constraint_{n}"} for n in constraint_types()]}
        elif section in ("joints", "loops"):
            kinds = [_joint_schema(cls, name, kind) for name, kind in joint_types().items()]
            defs[ELEMENT_LABELS[section]] = {"anyOf": kinds}
            item = {"$ref": f"#/$defs/{ELEMENT_LABELS[section]}"}
        else:
            defs[ELEMENT_LABELS[section]] = element_schema(cls)
            item = {"$ref": f"#/$defs/{ELEMENT_LABELS[section]}"}
        if section == "inputs":
            item = {"anyOf": [item, {"type": "string"}]}
        if section == "bodies":
            defs["body"]["properties"]["type"] = {"const": "body"}
            defs["beam"] = element_schema(beam.Beam, type_="beam")
            item = {"anyOf": [item, {"$ref": "#/$defs/beam"}, {"type": "null"}]}
        properties[section] = {
            "anyOf": [
                {"type": "array", "items": item},
                {"type": "object", "additionalProperties": item},
            ]
        }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "torseur model",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "$defs": defs,
    }


def _dh_row_schema() -> dict:
    lengths = {
        n: _array_schema((), unit)
        for n, unit in (("alpha", "rad"), ("d", "m"), ("theta", "rad"), ("r", "m"))
    }
    strings = {n: {"type": "string"} for n in ("body", "name", "after")}
    from ..description import Joint
    from ..dh import JOINT_FIELDS

    joint_fields = {n: _field_schema(specs(Joint)[n]) for n in JOINT_FIELDS if n != "name"}
    load = {"mass": _array_schema((), "kg"), "at": _array_schema((3,), "m")}
    payload = {"type": "object", "properties": load, "additionalProperties": False}
    joint_fields |= {
        "friction": _array_schema((), "N m"),
        "payload": {"anyOf": [_array_schema((), "kg"), payload]},
    }
    return {
        "type": "object",
        "properties": strings | lengths | joint_fields | {"joint": {"enum": ["R", "P"]}},
        "required": ["body"],
        "additionalProperties": False,
    }


def _short_force_schemas() -> list[dict]:
    """A law that says itself where it acts: the short form of a force."""
    from ...forces import line

    where: dict[str, dict] = {}
    out = []
    keys = {c.key: c for c in line.values() if c.key}
    for key, c in keys.items():
        where |= {
            s.name: _field_schema(s) for s in specs(c).values() if s.name not in ("law", "input")
        }
        if key not in specs(c):  # the first two ends in one
            where[key] = {"type": "array", "minItems": 2, "maxItems": 2}
    for name, cls in force_section_types().items():
        if "name" in specs(cls):
            continue
        law = element_schema(cls, type_=name)
        out.append(
            law
            | {
                "properties": where | law["properties"],
                "anyOf": [{"required": [k]} for k in keys],
            }
        )
    return out


def _joint_schema(cls, name, kind):
    a, b = element_schema(cls), element_schema(kind, type_=name)
    a["properties"].pop("kind", None)
    return {
        "type": "object",
        "properties": a["properties"] | b["properties"],
        "required": [r for r in a["required"] if r != "kind"] + b["required"],
        "additionalProperties": False,
    }


def element_schema(cls, type_: str | None = None) -> dict:
    """Schema of one class; `name` is not required, since a mapping's key may give it."""
    properties = {s.name: _field_schema(s) for s in specs(cls).values()}
    required = [s.name for s in specs(cls).values() if s.required and s.name != "name"]
    if type_ is not None:
        properties = {"type": {"const": type_}} | properties
        required = [*["type"] * (type_ != "drive"), *required]  # a drive needs no saying
    text = inspect.cleandoc(cls.__doc__ or "").split("\n\n")[0].replace("\n", " ")
    return {
        "type": "object",
        "description": text,
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _field_schema(s: FieldSpec) -> dict:
    if s.name == "drive":
        return {"anyOf": [{"$ref": "#/$defs/drive"}, {"type": "null"}]}
    if s.unit is not None and s.shapes:
        options = [_array_schema(shape, s.unit, s.open) for shape in s.shapes]
        options += [{"type": "null"}] * (s.default is None)
        options += [_array_schema((3,), s.unit)] * (s.name == "inertia" and len(s.shapes) > 1)
        return options[0] if len(options) == 1 else {"anyOf": options}
    kinds = {
        "str": {"type": "string"},
        "int": {"type": "integer"},
        "bool": {"type": "boolean"},
        "float": {"$ref": "#/$defs/number"},
    }
    return dict(kinds.get(s.annotation, {}))


def _array_schema(shape: tuple, unit: str, open_: bool = False) -> dict:
    if not shape:
        one = {"$ref": "#/$defs/number", "description": f"[{unit or '1'}]"}
        return {"anyOf": [one, {"type": "null"}]} if open_ else one
    size = {} if shape[0] < 0 else {"minItems": shape[0], "maxItems": shape[0]}
    return {"type": "array", "items": _array_schema(shape[1:], unit, open_), **size}
