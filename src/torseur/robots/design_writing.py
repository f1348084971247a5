"""From devices, motion laws and catalogs to the plain data of a file, and its JSON Schema."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown, unknown_name
from ..model.formats import DESIGN, element, element_schema
from ..numbers import asked
from .design_sections import BALANCING, CONTROLLERS, LAWS, PATHS, SIZING
from .devices import check_names, device
from .drives import Gearbox, Motor, catalog_of


def written(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Sections as plain data."""
    parts = dict(parts)
    bounds = dict(parts.pop("bounds", {}))
    if bad := [unknown_name("section", n, DESIGN, "design") for n in parts if n not in DESIGN]:
        raise ArgumentError("\n".join(bad))
    out: dict[str, Any] = {}
    for name, x in parts.items():
        match name:
            case "devices":
                out[name] = {d.name: _device(d, bounds) for d in check_names(x)}
            case "motions":
                told = asked.mapping("designed", name, x, "{'go': {'joint1.angle': law}}")
                each = {
                    n: asked.mapping("designed", f"motion {n!r}", m, "{'joint1.angle': law}")
                    for n, m in told.items()
                }
                out[name] = {n: {c: _law(y) for c, y in m.items()} for n, m in each.items()}
            case "catalog":
                made = catalog_of(x)
                out[name] = {
                    "motors": [_drive(m) for m in made.motors],
                    "gearboxes": [_drive(g) for g in made.gearboxes],
                }
            case _:
                out[name] = x
    return out


def _device(d, bounds) -> dict[str, Any]:
    kind = next(n for n, c in device.items() if c is type(d))
    fields = element(d, f"device {d.name!r}")
    name = fields.pop("name")
    own = {v: list(bounds[f"{name}.{v}"]) for v in d.variables if f"{name}.{v}" in bounds}
    return {"type": kind, **fields, **own}


def _drive(x) -> dict[str, Any]:
    """Fields other than their default; ratings without end are the default."""
    return element(x, x.name)


def _law(x) -> Any:
    """A motion law by the arguments that make it again; texts and arrays as they are."""
    kind = next((n for n, c in LAWS.items() if c is type(x)), None)
    if kind == "spline":
        times, positions, degree = x._points
        return {
            "type": kind,
            "times": times.tolist(),
            "positions": positions.tolist(),
            "kind": degree,
        }
    if kind is not None:
        given = inspect.signature(type(x)).parameters
        return {"type": kind, **{n: getattr(x, n) for n in given}}
    if isinstance(x, str | Mapping):
        return x
    if isinstance(x, list | tuple | np.ndarray):
        return np.asarray(x, float).tolist()
    raise ArgumentError(
        f"a motion in a file: expected a law such as ts.robots.Quintic(0, 1, 2.0), a text of t or "
        f"numbers beside 'time', got {shown(x)}"
    )


def design_schema() -> dict[str, Any]:
    """JSON Schema of the sections of a design, for `torseur schema`."""
    number: dict[str, Any] = {"$ref": "#/$defs/number"}
    named = {"type": "object", "additionalProperties": number}

    def some(properties, needed=()):
        return {
            "type": "object",
            "properties": properties,
            "required": list(needed),
            "additionalProperties": False,
        }

    def device_of(name, cls):
        made = element_schema(cls, name)
        pair = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
        for v in cls.variables:
            made["properties"][v] = {"anyOf": [number, pair]}
        return made

    def law_of(name, cls):
        own: dict[str, Any] = {n: {} for n in inspect.signature(cls).parameters}
        return some({"type": {"const": name}, **own}, ["type"])

    laws = {"anyOf": [law_of(n, c) for n, c in LAWS.items()]}
    moved = {"anyOf": [laws, {"type": "string"}, {"type": "array", "items": number}]}
    quick = some({"type": {"const": "time_optimal"}, "poses": {}, "points": {}}, ["type", "poses"])
    ways = [
        some(
            {
                "type": {"const": n},
                "law": laws,
                **{k: {} for k in ("frame", "points", "near", *ends)},
                **({"blend": number} if n == "polyline" else {}),
            },
            ["type", "frame", "law", *ends],
        )
        for n, (_, ends) in PATHS.items()
    ]
    controllers = [
        some({"type": {"const": n}, **{k: {} for k in own}}, ["type"])
        for n, own in CONTROLLERS.items()
    ]
    drives = {
        "motors": {"type": "array", "items": element_schema(Motor)},
        "gearboxes": {"type": "array", "items": element_schema(Gearbox)},
        "note": {"type": "string"},
    }

    def by_name(options):
        return {"type": "object", "additionalProperties": {"anyOf": options}}

    shapes = {
        "devices": by_name([device_of(n, c) for n, c in device.items()]),
        "balancing": some({n: {} for n in BALANCING} | {"at": named}),
        "motions": by_name([quick, {"type": "object", "additionalProperties": moved}]),
        "paths": by_name(ways),
        "catalog": {"anyOf": [{"type": "string"}, some(drives)]},
        "sizing": some({n: {} for n in SIZING}),
        "controllers": by_name(controllers),
    }
    return {n: {"description": DESIGN[n], **s} for n, s in shapes.items()}


__all__ = ["design_schema", "written"]
