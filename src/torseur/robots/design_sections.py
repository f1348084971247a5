"""Sections of a robot's design: reading, writing, and JSON Schema.

The functions `read_*` take a `SectionReader` and a node, and return arguments of the public
functions.  `design_data` writes devices, motion profiles and catalogs as plain data.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, said, shown, unknown_name_message
from ..model.formats import DESIGN_SECTIONS, FileNode, element, element_schema
from ..scalars import arguments
from ..scalars.values import value as values
from .balancing.bounded_minimization import CRITERION_UNITS
from .balancing.devices.base import Device, check_device_types, device
from .drives.catalog import Gearbox, Motor, catalog_of
from .section_reader import SectionReader
from .trajectories.motion_profiles import (
    SPLINE_DEGREES,
    Cubic,
    Cycloidal,
    Quintic,
    SCurve,
    Septic,
    Spline,
    Transition,
    Trapezoidal,
)
from .trajectories.paths import Arc, Line, Polyline

PROFILE_TYPES: dict[str, type] = {
    "trapezoidal": Trapezoidal,
    "scurve": SCurve,
    "cubic": Cubic,
    "quintic": Quintic,
    "septic": Septic,
    "cycloidal": Cycloidal,
    "spline": Spline,
    "transition": Transition,
}
PROFILE_UNITS = {
    "start": "rad | m",
    "end": "rad | m",
    "positions": "rad | m",
    "duration": "s",
    "begin": "s",
    "times": "s",
    "speed": "rad/s | m/s",
    "start_speed": "rad/s | m/s",
    "end_speed": "rad/s | m/s",
    "acceleration": "rad/s^2 | m/s^2",
    "deceleration": "rad/s^2 | m/s^2",
    "start_acceleration": "rad/s^2 | m/s^2",
    "end_acceleration": "rad/s^2 | m/s^2",
    "jerk": "rad/s^3 | m/s^3",
}
"""Of the fields of motion laws, for turning and for sliding."""
PATH_TYPES: dict[str, tuple[type, tuple[str, ...]]] = {
    "line": (Line, ("start", "end")),
    "arc": (Arc, ("start", "through", "end")),
    "polyline": (Polyline, ("corners",)),
}
BALANCING_FIELDS = ("over", "criterion", "joints", "at", "payloads", "together")
SIZING_UNITS = {"motion": "", "pause": "s", "life": "s", "largest_inertia_ratio": "", "order": ""}
CONTROLLER_FIELDS = {
    "computed_torque": {"motion": "motion", "kp": "gains", "kd": "gains"},
    "pd_gravity": {"target": "coordinates", "kp": "gains", "kd": "gains"},
    "lqr": {"at": "coordinates", "weights": "weights", "effort": "effort"},
    "gain_schedule": {
        "over": "knots",
        "target": "coordinates",
        "at": "coordinates",
        "weights": "weights",
        "effort": "effort",
    },
}
"""Fields of the controllers by type, with the content of each field."""
REQUIRED_FIELDS = {"pd_gravity": ("target", "kp", "kd"), "gain_schedule": ("over", "target")}


def read_devices(
    r: SectionReader, section: FileNode | None
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Devices, and the bounds of their free variables."""
    device_list, bounds = [], {}
    joints = [k.name for k in r.system.links]
    for name, n in r.mapping(section, "devices").items():
        path = f"devices.{name}"
        fields = dict(r.mapping(n, path))
        if not fields:
            continue
        cls = r.chosen(FileNode(fields, n.line), path, dict(device))
        if cls is None:
            continue
        for key, unit in cls.variables.items():
            pair = fields.get(key)
            if pair is not None and isinstance(pair.value, list):
                del fields[key]
                limits = r.read_numbers(pair, f"{path}.{key}", unit)
                if len(pair.value) != 2 or len(limits) != 2 or not limits[0] < limits[1]:
                    r.complain(pair, f"{path}.{key}", "expected one number, or [low, high]")
                bounds[f"{name}.{key}"] = tuple(limits)
        for key in ("joint", "base"):
            if key in fields:
                r.read_choice(fields[key], f"{path}.{key}", joints, "joint")
        fields["name"] = FileNode(name, n.line)
        one: Any = r.build(FileNode(fields, n.line), path, cls)
        if one is not None:
            device_list.append(one)
            for key in one.unknown():
                if key not in bounds:
                    short = key.rsplit(".", 1)[1]
                    r.complain(n, path, f"needs '{short}' [{cls.variables[short]}], or [low, high]")
    return tuple(device_list), bounds


def read_profile(
    r: SectionReader, n: FileNode, path: str, unit: str, length: float | None = None
) -> Any:
    """Motion profile of a coordinate, or along a path from 0 to its `length`."""
    fields = dict(r.mapping(n, path))
    if not fields:
        return None
    cls = r.chosen(n, path, PROFILE_TYPES)
    if cls is None:
        return None
    before, unit_index = len(r.problems), 0 if unit == "rad" else 1
    options: dict[str, Any] = {}
    parameters = inspect.signature(cls).parameters
    allowed = [k for k in parameters if length is None or k not in ("start", "end", "positions")]
    for key, x in fields.items():
        field_path = f"{path}.{key}"
        if key == "type" or not r.check_name(x, field_path, key, allowed):
            continue
        if key == "kind":
            options[key] = r.read_choice(x, field_path, tuple(SPLINE_DEGREES), "kind")
            continue
        units = PROFILE_UNITS[key].split(" | ")
        u = units[unit_index] if len(units) == 2 else units[0]
        if "ArrayLike" not in str(parameters[key].annotation):
            options[key] = r.read_number(x, field_path, u)
        elif isinstance(x.value, list):
            options[key] = [
                r.read_number(e, f"{field_path}[{i}]", u) for i, e in enumerate(x.value)
            ]
        else:
            r.wrong(x, field_path, "a list of numbers")
    if length is not None:
        options |= {"start": 0.0, "end": length}
    for key, p in parameters.items():
        if p.default is inspect.Parameter.empty and key not in options and key not in fields:
            r.complain(n, path, f"needs '{key}' [{PROFILE_UNITS.get(key, 'text')}]")
    if len(r.problems) > before:
        return None
    try:
        return cls(**options)
    except Exception as e:  # a law that cannot be made of these numbers
        return r.complain(n, path, said(e))


def read_motion(r: SectionReader, n: FileNode, path: str) -> dict[str, Any] | None:
    """{coordinate: law}, arrays with time, or the poses of a time-optimal motion."""
    fields = r.mapping(n, path)
    if "type" in fields:
        return read_time_optimal(r, n, path)
    out: dict[str, Any] = {}
    for name, x in fields.items():
        item_path = f"{path}.{name}"
        unit = "s" if name == "time" else r.units.get(name, "rad")
        if name != "time" and not r.check_name(
            x, item_path, name, r.system.coordinates, "coordinate"
        ):
            continue
        if isinstance(x.value, dict):
            out[name] = read_profile(r, x, item_path, unit)
        elif isinstance(x.value, list):
            row = [r.read_number(e, f"{item_path}[{i}]", unit) for i, e in enumerate(x.value)]
            out[name] = np.array([np.nan if e is None else e for e in row])
            if "time" not in fields:
                r.complain(x, item_path, "numbers of a table need 'time' [s] in the same motion")
        elif isinstance(x.value, str):
            out[name] = x.value
            try:
                values.exact(x.value)  # of t and of parameters
            except (ValueError, TypeError) as e:
                r.complain(x, item_path, said(e))
        else:
            r.wrong(x, item_path, "a law such as {type: quintic, ...}, a text of t, or a list")
    return out


def read_time_optimal(r: SectionReader, n: FileNode, path: str) -> dict[str, Any] | None:
    """Arguments of `time_optimal`: poses and number of points."""
    if r.read_choice(n.value["type"], f"{path}.type", ("time_optimal",), "type") is None:
        return None
    for key, x in n.value.items():
        r.check_name(x, f"{path}.{key}", key, ("type", "poses", "points"))
    poses = n.value.get("poses")
    if poses is None or not isinstance(poses.value, list) or len(poses.value) < 2:
        return r.complain(n, path, "needs 'poses': two or more, each {coordinate: value}")
    points = n.value.get("points", FileNode(501, n.line))
    if not isinstance(points.value, int) or points.value < 3:
        return r.wrong(points, f"{path}.points", "a whole number of three or more")
    rows = [r.coordinates(x, f"{path}.poses[{i}]") for i, x in enumerate(poses.value)]
    return {"poses": rows, "points": points.value}


def read_path(r: SectionReader, n: FileNode, path: str) -> dict[str, Any] | None:
    """A frame on a path: frame, path, law, points, start pose, flag of orientations."""
    fields = r.mapping(n, path)
    if not fields:
        return None
    path_type = r.read_choice(
        fields.get("type", FileNode(None, n.line)), f"{path}.type", tuple(PATH_TYPES), "type"
    )
    if path_type is None:
        return None
    before = len(r.problems)
    cls, pose_fields = PATH_TYPES[path_type]
    allowed = ("type", "frame", "law", "points", "near", *pose_fields)
    allowed += ("blend",) if path_type == "polyline" else ()
    for key, x in fields.items():
        r.check_name(x, f"{path}.{key}", key, allowed)
    for key in ("frame", "law", *pose_fields):
        if key not in fields:
            r.complain(n, path, f"needs '{key}'")
    if len(r.problems) > before:
        return None
    frames = [p for p in r.system.places if p != "world"]
    frame = r.read_choice(fields["frame"], f"{path}.frame", frames, "body or frame")
    options: dict[str, Any] = {}
    for key in pose_fields:
        x, field_path = fields[key], f"{path}.{key}"
        if key == "corners" and isinstance(x.value, list):
            options[key] = [r.pose(e, f"{field_path}[{i}]") for i, e in enumerate(x.value)]
        else:
            options[key] = r.pose(x, field_path)
    if "blend" in fields:
        options["blend"] = r.read_number(fields["blend"], f"{path}.blend", "m")
    points = fields.get("points", FileNode(201, n.line))
    if not isinstance(points.value, int) or points.value < 6:
        r.wrong(points, f"{path}.points", "a whole number of six or more")
    start_pose = r.coordinates(fields["near"], f"{path}.near") if "near" in fields else None
    if len(r.problems) > before:
        return None
    is_oriented = any(np.ndim(p) == 2 for x in options.values() for p in _as_list(x))
    try:
        tool_path = cls(**options)
    except TorseurError as e:
        return r.complain(n, path, str(e))
    return {
        "frame": frame,
        "path": tool_path,
        "law": read_profile(r, fields["law"], f"{path}.law", "m", tool_path.length),
        "points": points.value,
        "near": start_pose,
        "oriented": is_oriented,
    }


def read_balancing(
    r: SectionReader, section: FileNode | None, motions: Sequence[str]
) -> dict[str, Any]:
    """Arguments of `balance`, with motions by name."""
    out: dict[str, Any] = {}
    for key, n in r.mapping(section, "balancing").items():
        path = f"balancing.{key}"
        if not r.check_name(n, path, key, BALANCING_FIELDS):
            continue
        match key:
            case "criterion":
                out[key] = r.read_choice(n, path, tuple(CRITERION_UNITS), "criterion")
            case "together":
                out[key] = (
                    n.value if isinstance(n.value, bool) else r.wrong(n, path, "true or false")
                )
            case "at":
                out[key] = r.coordinates(n, path)
            case "joints":
                names = [k.name for k in r.system.links]
                rows = n.value if isinstance(n.value, list) else [n]
                out[key] = [r.read_choice(x, path, names, "joint") for x in rows]
            case "payloads":
                out[key] = {
                    f: r.read_numbers(x, f"{path}.{f}", "kg") for f, x in r.mapping(n, path).items()
                }
            case "over":
                out[key] = read_poses(r, n, path, motions)
    return out


def read_poses(r: SectionReader, n: FileNode, path: str, motions: Sequence[str]) -> Any:
    """Argument `over` of `balance`: "workspace", names of motions, or {coordinate: angles}."""
    if isinstance(n.value, dict):
        angles = {}
        for name, x in n.value.items():
            item_path = f"{path}.{name}"
            if not r.check_name(x, item_path, name, r.system.coordinates, "coordinate"):
                continue
            row = r.read_numbers(x, item_path, r.units.get(name, "rad"))
            angles[name] = np.linspace(row[0], row[1], 46) if len(row) == 2 else np.array(row)
        return angles
    if n.value == "workspace":
        return n.value
    rows = n.value if isinstance(n.value, list) else [n]
    return [r.read_choice(x, path, motions, "motion or path") for x in rows]


def read_sizing(
    r: SectionReader, section: FileNode | None, motions: Sequence[str]
) -> dict[str, Any]:
    """Arguments of `size`, with the motion by name."""
    out: dict[str, Any] = {}
    for key, n in r.mapping(section, "sizing").items():
        path = f"sizing.{key}"
        if not r.check_name(n, path, key, tuple(SIZING_UNITS)):
            continue
        if key == "motion":
            out[key] = r.read_choice(n, path, motions, "motion or path")
        elif key == "order":
            out[key] = r.read_choice(n, path, ("mass", "margin"), "order")
        else:
            out[key] = r.read_number(n, path, SIZING_UNITS[key])
    return out


def read_controller(
    r: SectionReader, n: FileNode, path: str, motions: Sequence[str]
) -> tuple[str, dict[str, Any]] | None:
    """Type of a controller and its arguments, with the motion by name."""
    fields = r.mapping(n, path)
    kind = r.read_choice(
        fields.get("type", FileNode(None, n.line)), f"{path}.type", tuple(CONTROLLER_FIELDS), "type"
    )
    if kind is None:
        return None
    out: dict[str, Any] = {}
    for key, x in fields.items():
        field_path, content = f"{path}.{key}", CONTROLLER_FIELDS[kind].get(key)
        if key == "type" or not r.check_name(x, field_path, key, tuple(CONTROLLER_FIELDS[kind])):
            continue
        match content:
            case "motion":
                out[key] = r.read_choice(x, field_path, motions, "motion or path")
            case "coordinates":
                out[key] = r.coordinates(x, field_path)
            case "knots":
                out[key] = {
                    c: r.read_numbers(e, f"{field_path}.{c}", r.units.get(c, "rad"))
                    for c, e in r.mapping(x, field_path).items()
                    if r.check_name(e, f"{field_path}.{c}", c, r.system.coordinates, "coordinate")
                }
            case "gains" | "weights" | "effort":
                out[key] = (
                    {c: r.number(e, f"{field_path}.{c}", (None,)) for c, e in x.value.items()}
                    if isinstance(x.value, dict)
                    else r.number(x, field_path, (None,))
                )
    for key in REQUIRED_FIELDS.get(kind, ()):
        if key not in fields:
            r.complain(n, path, f"needs '{key}'")
    return kind, out


def _as_list(x: Any):
    return x if isinstance(x, list) else [x]


def design_data(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Sections as plain data for a file."""
    parts = dict(parts)
    bounds = dict(parts.pop("bounds", {}))
    if bad := [
        unknown_name_message("section", n, DESIGN_SECTIONS, "design")
        for n in parts
        if n not in DESIGN_SECTIONS
    ]:
        raise ArgumentError("\n".join(bad))
    out: dict[str, Any] = {}
    for name, x in parts.items():
        match name:
            case "devices":
                out[name] = {d.name: _device_data(d, bounds) for d in check_device_types(x)}
            case "motions":
                motions = arguments.mapping("designed", name, x, "{'go': {'joint1.angle': law}}")
                each = {
                    n: arguments.mapping("designed", f"motion {n!r}", m, "{'joint1.angle': law}")
                    for n, m in motions.items()
                }
                out[name] = {
                    n: {c: _profile_data(y) for c, y in m.items()} for n, m in each.items()
                }
            case "catalog":
                catalog = catalog_of(x)
                out[name] = {
                    "motors": [_drive_data(m) for m in catalog.motors],
                    "gearboxes": [_drive_data(g) for g in catalog.gearboxes],
                }
            case _:
                out[name] = x
    return out


def _device_data(d: Device, bounds: Mapping[str, Any]) -> dict[str, Any]:
    kind = next(n for n, c in device.items() if c is type(d))
    fields = element(d, f"device {d.name!r}")
    name = fields.pop("name")
    ranges = {v: list(bounds[f"{name}.{v}"]) for v in d.variables if f"{name}.{v}" in bounds}
    return {"type": kind, **fields, **ranges}


def _drive_data(x: Any) -> dict[str, Any]:
    """Fields of a motor or gearbox that differ from their defaults."""
    return element(x, x.name)


def _profile_data(x: Any) -> Any:
    """Constructor arguments of a motion profile.  Texts and arrays stay."""
    kind = next((n for n, c in PROFILE_TYPES.items() if c is type(x)), None)
    if kind == "spline":
        times, positions, degree = x._points
        return {
            "type": kind,
            "times": times.tolist(),
            "positions": positions.tolist(),
            "kind": degree,
        }
    if kind is not None:
        parameters = inspect.signature(type(x)).parameters
        return {"type": kind, **{n: getattr(x, n) for n in parameters}}
    if isinstance(x, str | Mapping):
        return x
    if isinstance(x, list | tuple | np.ndarray):
        return np.asarray(x, float).tolist()
    raise ArgumentError(
        f"a motion in a file: expected a law such as ts.robots.Quintic(0, 1, 2.0), a text of t or "
        f"numbers beside 'time', got {shown(x)}"
    )


def _object_schema(properties: Mapping[str, Any], required: Sequence[str] = ()) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(required),
        "additionalProperties": False,
    }


def design_schema() -> dict[str, Any]:
    """JSON Schema of the sections of a design, for `torseur schema`."""
    number: dict[str, Any] = {"$ref": "#/$defs/number"}
    numbers_by_name = {"type": "object", "additionalProperties": number}

    def device_schema(name: str, cls):
        schema = element_schema(cls, name)
        pair = {"type": "array", "items": number, "minItems": 2, "maxItems": 2}
        for v in cls.variables:
            schema["properties"][v] = {"anyOf": [number, pair]}
        return schema

    def profile_schema(name: str, cls):
        fields: dict[str, Any] = {n: {} for n in inspect.signature(cls).parameters}
        return _object_schema({"type": {"const": name}, **fields}, ["type"])

    profiles = {"anyOf": [profile_schema(n, c) for n, c in PROFILE_TYPES.items()]}
    coordinate_motion = {
        "anyOf": [profiles, {"type": "string"}, {"type": "array", "items": number}]
    }
    time_optimal = _object_schema(
        {"type": {"const": "time_optimal"}, "poses": {}, "points": {}}, ["type", "poses"]
    )
    paths = [
        _object_schema(
            {
                "type": {"const": n},
                "law": profiles,
                **{k: {} for k in ("frame", "points", "near", *pose_fields)},
                **({"blend": number} if n == "polyline" else {}),
            },
            ["type", "frame", "law", *pose_fields],
        )
        for n, (_, pose_fields) in PATH_TYPES.items()
    ]
    controllers = [
        _object_schema({"type": {"const": n}, **{k: {} for k in fields}}, ["type"])
        for n, fields in CONTROLLER_FIELDS.items()
    ]
    drives = {
        "motors": {"type": "array", "items": element_schema(Motor)},
        "gearboxes": {"type": "array", "items": element_schema(Gearbox)},
        "note": {"type": "string"},
    }

    def by_name(options: list[Any]):
        return {"type": "object", "additionalProperties": {"anyOf": options}}

    shapes = {
        "devices": by_name([device_schema(n, c) for n, c in device.items()]),
        "balancing": _object_schema({n: {} for n in BALANCING_FIELDS} | {"at": numbers_by_name}),
        "motions": by_name(
            [time_optimal, {"type": "object", "additionalProperties": coordinate_motion}]
        ),
        "paths": by_name(paths),
        "catalog": {"anyOf": [{"type": "string"}, _object_schema(drives)]},
        "sizing": _object_schema({n: {} for n in SIZING_UNITS}),
        "controllers": by_name(controllers),
    }
    return {n: {"description": DESIGN_SECTIONS[n], **s} for n, s in shapes.items()}
