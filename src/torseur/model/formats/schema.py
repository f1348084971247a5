"""Sections of model files and their JSON Schema, derived from the dataclasses and the registers.

A new joint, force law or shape appears in files, messages and the schema without further code.
"""

from __future__ import annotations

import inspect
from typing import Any

from .. import beam, description
from ..element_types import (
    cache_per_register,
    constraint_types,
    element_classes,
    force_section_types,
    joint_types,
    nested_types,
)
from ..field_specs import FieldSpec, specs

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


DESIGN_SECTIONS = {
    "devices": "what balances weight; a pair of numbers in place of one: sought between them",
    "balancing": "what a balance is judged by: over, criterion, payloads, joints, at, together",
    "motions": "by name: laws of coordinates, a table with time, or the quickest between poses",
    "paths": "by name: a frame along a line, an arc or a polyline, with the law of its length",
    "catalog": "motors and gearboxes to choose from: here, or the name of their file",
    "sizing": "what drives are chosen by: motion, pause, life, largest_inertia_ratio, order",
    "controllers": "by name: computed_torque, pd_gravity, lqr or gain_schedule",
}
"""Sections of a robot's design, which are `design` of the model; `ts.robots.design` reads them."""


@cache_per_register
def all_types() -> frozenset[type]:
    """Classes that a file can name."""
    return element_classes() | {beam.Beam}


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
        **{name: {"description": text} for name, text in (RUN_SECTIONS | DESIGN_SECTIONS).items()},
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
    """Schema of one row of a Denavit-Hartenberg table."""
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
    """Schemas of laws with the fields of their line of action: the short form of a force."""
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
    """Schema of a joint or loop with the fields of one joint type."""
    a, b = element_schema(cls), element_schema(kind, type_=name)
    a["properties"].pop("kind", None)
    return {
        "type": "object",
        "properties": a["properties"] | b["properties"],
        "required": [r for r in a["required"] if r != "kind"] + b["required"],
        "additionalProperties": False,
    }


def element_schema(cls, type_: str | None = None) -> dict:
    """Schema of one class.  `name` is optional, because the key of a mapping can give it."""
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
    """Schema of one field from its unit and shapes, or from its annotation."""
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
