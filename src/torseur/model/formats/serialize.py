"""From a `Model` to plain data and to text; what `reading` takes back."""

from __future__ import annotations

import dataclasses
import json
from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import ModelError, said
from ...joints import AbstractJoint
from ...scalars.values import value
from ..description import Model
from .dh_rows import write_dh_section
from .schema import (
    ELEMENT_LABELS,
    SCHEMA_VERSION,
    SECTIONS,
    all_types,
    joint_types,
    specs,
    type_name,
)


def model_to_data(model: Model) -> dict[str, Any]:
    """The model as mappings, lists, texts and numbers.

    >>> from torseur.model import Body, Joint
    >>> from torseur.joints import Revolute
    >>> pivot = Joint("pivot", "world", "rod", Revolute("y"))
    >>> model_to_data(Model("p", bodies=[Body("rod", mass=2.0)], joints=[pivot]))["joints"]
    [{'name': 'pivot', 'type': 'revolute', 'parent': 'world', 'child': 'rod', 'axis': 'y'}]
    """
    out: dict[str, Any] = {
        "schema_version": SCHEMA_VERSION,
        "name": model.name,
        "gravity": _value_to_data(model.gravity, "gravity"),
    }
    if not model.strict:
        out["strict"] = False
    if model.parameters:
        parameters: dict[str, Any] = dict(model.parameters)
        out["parameters"] = {
            n: _value_to_data(x, f"parameter {n!r}") for n, x in parameters.items()
        }
    rows, dh_elements = write_dh_section(model, element)
    for section in SECTIONS:
        if section == "joints" and rows:
            out["dh"] = _value_to_data(rows, "dh")
        elements = [e for e in getattr(model, section) if (section, e.name) not in dh_elements]
        if elements:
            out[section] = [element(e, f"{ELEMENT_LABELS[section]} {e.name!r}") for e in elements]
    for section in ("initial", "simulation"):
        if values := getattr(model, section):
            out[section] = {str(n): _value_to_data(x, f"{section}.{n}") for n, x in values.items()}
    if model.outputs:
        out["outputs"] = [str(n) for n in model.outputs]
    out |= {n: _value_to_data(x, n) for n, x in model.design.items()}
    names = [e["name"] for e in out.get("bodies", ())]
    if len(set(names)) == len(names) and names:
        out["bodies"] = {e.pop("name"): e for e in out["bodies"]}
    return out


def element(e, where: str) -> dict[str, Any]:
    """One element as plain data, fields at their default left out."""
    out: dict[str, Any] = {}
    cls: Any = type(e)
    for spec in specs(cls).values():
        x = getattr(e, spec.attribute)
        if isinstance(x, AbstractJoint):
            if type(x) not in joint_types().values():
                raise ModelError(
                    [
                        f"{where}: {type(x).__name__} is not a registered joint, "
                        "so a file cannot name it"
                    ]
                )
            out = (
                {"name": out.pop("name"), "type": type_name(type(x))}
                | out
                | _joint_fields(x, where)
            )
        elif spec.required or not _is_default(x, spec.default):
            out[spec.name] = _value_to_data(x, f"{where}, {spec.name}")
    if cls in all_types():
        head = {"name": out.pop("name")} if "name" in out else {}
        out = head | {"type": type_name(cls)} | out
    return out


def _joint_fields(x: Any, where):
    """Fields of a joint, those at their default left out (an axis is always shown)."""
    kind: Any = type(x)
    return {
        s.name: _value_to_data(getattr(x, s.attribute), where)
        for s in specs(kind).values()
        if "axis" in s.name or not _is_default(getattr(x, s.attribute), s.default)
    }


def _value_to_data(x, where: str):
    """A value of a field as plain data; numbers that no decimal says exactly become texts."""
    match x:
        case None | bool() | str() | int():
            return x
        case np.ndarray():
            return _value_to_data(x.tolist(), where)
        case np.generic():
            return _value_to_data(x.item(), where)
        case float():
            try:
                value.exact(x)  # complains about nan, infinity and numbers beyond all use
            except ValueError as e:
                raise ModelError([f"{where}: {said(e)}"]) from None
            return x
        case Fraction():
            decimal = float(x)
            return decimal if value.exact(decimal) == x else str(x)
        case value.Value():
            return repr(x)
        case tuple() | list():
            return [_value_to_data(e, where) for e in x]
        case _ if hasattr(x, "items"):
            return {str(k): _value_to_data(e, where) for k, e in x.items()}
        case _ if dataclasses.is_dataclass(x) and type(x) in all_types():
            return element(x, where)
    raise ModelError([f"{where}: {x!r} is not something a file can hold"])


def _is_default(x, default) -> bool:
    """Whether a value may be left out."""
    if x is default:
        return True
    if isinstance(x, np.ndarray) or isinstance(default, np.ndarray):
        return False
    return type(x) is type(default) and repr(x) == repr(default)


def to_json(model: Model) -> str:
    return json.dumps(model_to_data(model), indent=2, ensure_ascii=False) + "\n"


def to_yaml(model: Model) -> str:
    return yaml_text(model_to_data(model))


def yaml_text(data: dict[str, Any]) -> str:
    """Plain data as YAML that reads back the same."""
    import yaml

    return yaml.dump(
        data,
        Dumper=_make_dumper(),
        sort_keys=False,
        allow_unicode=True,
        default_flow_style=None,
        width=100,
    )


def _make_dumper():
    import yaml

    from .document_tree import parse_scalar

    base: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)

    class Dumper(base):
        """Quotes every text that would read back as something else."""

        def ignore_aliases(self, data):
            return True

    def text(dumper, data):
        quoted = not isinstance(parse_scalar(data), str) or data in ("=", "<<")
        return dumper.represent_scalar("tag:yaml.org,2002:str", data, style="'" if quoted else None)

    def number(dumper, data):
        digits = repr(data)
        if "e" in digits and "." not in digits:  # YAML 1.1 wants 1.0e-05
            digits = digits.replace("e", ".0e")
        return dumper.represent_scalar("tag:yaml.org,2002:float", digits)

    Dumper.add_representer(str, text)
    Dumper.add_representer(float, number)
    return Dumper
