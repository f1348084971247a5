"""Sections of a robot's design: devices, motions, paths, what judges and what controls."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np

from ..errors import TorseurError, said
from ..model.formats import FileNode
from ..numbers import values
from .balance_search import CRITERIA
from .cartesian import Arc, Line, Polyline
from .design_reading import Sections
from .devices import device
from .motion_laws import Cubic, Cycloidal, Quintic, Septic
from .motion_limits import SCurve, Trapezoidal
from .motion_points import DEGREES, Spline
from .motion_transition import Transition

LAWS: dict[str, type] = {
    "trapezoidal": Trapezoidal,
    "scurve": SCurve,
    "cubic": Cubic,
    "quintic": Quintic,
    "septic": Septic,
    "cycloidal": Cycloidal,
    "spline": Spline,
    "transition": Transition,
}
UNITS = {
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
PATHS: dict[str, tuple[type, tuple[str, ...]]] = {
    "line": (Line, ("start", "end")),
    "arc": (Arc, ("start", "through", "end")),
    "polyline": (Polyline, ("corners",)),
}
BALANCING = ("over", "criterion", "joints", "at", "payloads", "together")
SIZING = {"motion": "", "pause": "s", "life": "s", "largest_inertia_ratio": "", "order": ""}
CONTROLLERS = {
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
"""Controllers by their name in files, and what each of their fields holds."""
NEEDED = {"pd_gravity": ("target", "kp", "kd"), "gain_schedule": ("over", "target")}


def devices(r: Sections, section: FileNode | None) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Devices, and the bounds of what is sought."""
    made, bounds = [], {}
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
                ends = r.row(pair, f"{path}.{key}", unit)
                if len(pair.value) != 2 or len(ends) != 2 or not ends[0] < ends[1]:
                    r.complain(pair, f"{path}.{key}", "expected one number, or [low, high]")
                bounds[f"{name}.{key}"] = tuple(ends)
        for key in ("joint", "base"):
            if key in fields:
                r.named(fields[key], f"{path}.{key}", joints, "joint")
        fields["name"] = FileNode(name, n.line)
        one: Any = r.build(FileNode(fields, n.line), path, cls)
        if one is not None:
            made.append(one)
            for key in one.unknown():
                if key not in bounds:
                    short = key.rsplit(".", 1)[1]
                    r.complain(n, path, f"needs '{short}' [{cls.variables[short]}], or [low, high]")
    return tuple(made), bounds


def law(r: Sections, n: FileNode, path: str, unit: str, length: float | None = None) -> Any:
    """A motion law of a coordinate; along a path, of its length from 0 to the end."""
    fields = dict(r.mapping(n, path))
    if not fields:
        return None
    cls = r.chosen(n, path, LAWS)
    if cls is None:
        return None
    before, side = len(r.problems), 0 if unit == "rad" else 1
    given: dict[str, Any] = {}
    wanted = inspect.signature(cls).parameters
    own = [k for k in wanted if length is None or k not in ("start", "end", "positions")]
    for key, x in fields.items():
        here = f"{path}.{key}"
        if key == "type" or not r.known(x, here, key, own):
            continue
        if key == "kind":
            given[key] = r.named(x, here, tuple(DEGREES), "kind")
            continue
        units = UNITS[key].split(" | ")
        u = units[side] if len(units) == 2 else units[0]
        if "ArrayLike" not in str(wanted[key].annotation):
            given[key] = r.one(x, here, u)
        elif isinstance(x.value, list):
            given[key] = [r.one(e, f"{here}[{i}]", u) for i, e in enumerate(x.value)]
        else:
            r.wrong(x, here, "a list of numbers")
    if length is not None:
        given |= {"start": 0.0, "end": length}
    for key, p in wanted.items():
        if p.default is inspect.Parameter.empty and key not in given and key not in fields:
            r.complain(n, path, f"needs '{key}' [{UNITS.get(key, 'text')}]")
    if len(r.problems) > before:
        return None
    try:
        return cls(**given)
    except Exception as e:  # a law that cannot be made of these numbers
        return r.complain(n, path, said(e))


def motion(r: Sections, n: FileNode, path: str) -> dict[str, Any] | None:
    """{coordinate: law}, arrays with time, or poses of a quickest motion."""
    fields = r.mapping(n, path)
    if "type" in fields:
        return quickest(r, n, path)
    out: dict[str, Any] = {}
    for name, x in fields.items():
        here = f"{path}.{name}"
        unit = "s" if name == "time" else r.units.get(name, "rad")
        if name != "time" and not r.known(x, here, name, r.system.coordinates, "coordinate"):
            continue
        if isinstance(x.value, dict):
            out[name] = law(r, x, here, unit)
        elif isinstance(x.value, list):
            row = [r.one(e, f"{here}[{i}]", unit) for i, e in enumerate(x.value)]
            out[name] = np.array([np.nan if e is None else e for e in row])
            if "time" not in fields:
                r.complain(x, here, "numbers of a table need 'time' [s] beside them")
        elif isinstance(x.value, str):
            out[name] = x.value
            try:
                values.exact(x.value)  # of t and of parameters
            except (ValueError, TypeError) as e:
                r.complain(x, here, said(e))
        else:
            r.wrong(x, here, "a law such as {type: quintic, ...}, a text of t, or a list")
    return out


def quickest(r: Sections, n: FileNode, path: str) -> dict[str, Any] | None:
    """What `time_optimal` is to join."""
    if r.named(n.value["type"], f"{path}.type", ("time_optimal",), "type") is None:
        return None
    for key, x in n.value.items():
        r.known(x, f"{path}.{key}", key, ("type", "poses", "points"))
    poses = n.value.get("poses")
    if poses is None or not isinstance(poses.value, list) or len(poses.value) < 2:
        return r.complain(n, path, "needs 'poses': two or more, each {coordinate: value}")
    points = n.value.get("points", FileNode(501, n.line))
    if not isinstance(points.value, int) or points.value < 3:
        return r.wrong(points, f"{path}.points", "a whole number of three or more")
    rows = [r.coordinates(x, f"{path}.poses[{i}]") for i, x in enumerate(poses.value)]
    return {"poses": rows, "points": points.value}


def path_of(r: Sections, n: FileNode, path: str) -> dict[str, Any] | None:
    """A frame along a way: frame, way, law, points, near, and whether it is oriented."""
    fields = r.mapping(n, path)
    if not fields:
        return None
    found = r.named(
        fields.get("type", FileNode(None, n.line)), f"{path}.type", tuple(PATHS), "type"
    )
    if found is None:
        return None
    before = len(r.problems)
    cls, ends = PATHS[found]
    more = ("type", "frame", "law", "points", "near", *ends)
    more += ("blend",) if found == "polyline" else ()
    for key, x in fields.items():
        r.known(x, f"{path}.{key}", key, more)
    for key in ("frame", "law", *ends):
        if key not in fields:
            r.complain(n, path, f"needs '{key}'")
    if len(r.problems) > before:
        return None
    frames = [p for p in r.system.places if p != "world"]
    frame = r.named(fields["frame"], f"{path}.frame", frames, "body or frame")
    given: dict[str, Any] = {}
    for key in ends:
        x, here = fields[key], f"{path}.{key}"
        if key == "corners" and isinstance(x.value, list):
            given[key] = [r.pose(e, f"{here}[{i}]") for i, e in enumerate(x.value)]
        else:
            given[key] = r.pose(x, here)
    if "blend" in fields:
        given["blend"] = r.one(fields["blend"], f"{path}.blend", "m")
    points = fields.get("points", FileNode(201, n.line))
    if not isinstance(points.value, int) or points.value < 6:
        r.wrong(points, f"{path}.points", "a whole number of six or more")
    near = r.coordinates(fields["near"], f"{path}.near") if "near" in fields else None
    if len(r.problems) > before:
        return None
    turned = any(np.ndim(p) == 2 for x in given.values() for p in _each(x))
    try:
        way = cls(**given)
    except TorseurError as e:
        return r.complain(n, path, str(e))
    return {
        "frame": frame,
        "way": way,
        "law": law(r, fields["law"], f"{path}.law", "m", way.length),
        "points": points.value,
        "near": near,
        "oriented": turned,
    }


def balancing(r: Sections, section: FileNode | None, motions) -> dict[str, Any]:
    """Arguments of `balance`; motions by name stay names."""
    out: dict[str, Any] = {}
    for key, n in r.mapping(section, "balancing").items():
        path = f"balancing.{key}"
        if not r.known(n, path, key, BALANCING):
            continue
        match key:
            case "criterion":
                out[key] = r.named(n, path, tuple(CRITERIA), "criterion")
            case "together":
                out[key] = (
                    n.value if isinstance(n.value, bool) else r.wrong(n, path, "true or false")
                )
            case "at":
                out[key] = r.coordinates(n, path)
            case "joints":
                names = [k.name for k in r.system.links]
                rows = n.value if isinstance(n.value, list) else [n]
                out[key] = [r.named(x, path, names, "joint") for x in rows]
            case "payloads":
                out[key] = {f: r.row(x, f"{path}.{f}", "kg") for f, x in r.mapping(n, path).items()}
            case "over":
                out[key] = over(r, n, path, motions)
    return out


def over(r: Sections, n: FileNode, path: str, motions) -> Any:
    """The word "workspace", names of motions, or {coordinate: [low, high]}."""
    if isinstance(n.value, dict):
        found = {}
        for name, x in n.value.items():
            here = f"{path}.{name}"
            if not r.known(x, here, name, r.system.coordinates, "coordinate"):
                continue
            row = r.row(x, here, r.units.get(name, "rad"))
            found[name] = np.linspace(row[0], row[1], 46) if len(row) == 2 else np.array(row)
        return found
    if n.value == "workspace":
        return n.value
    rows = n.value if isinstance(n.value, list) else [n]
    return [r.named(x, path, motions, "motion or path") for x in rows]


def sizing(r: Sections, section: FileNode | None, motions) -> dict[str, Any]:
    """Arguments of `size`; the motion by its name."""
    out: dict[str, Any] = {}
    for key, n in r.mapping(section, "sizing").items():
        path = f"sizing.{key}"
        if not r.known(n, path, key, tuple(SIZING)):
            continue
        if key == "motion":
            out[key] = r.named(n, path, motions, "motion or path")
        elif key == "order":
            out[key] = r.named(n, path, ("mass", "margin"), "order")
        else:
            out[key] = r.one(n, path, SIZING[key])
    return out


def controller(r: Sections, n: FileNode, path: str, motions) -> tuple[str, dict[str, Any]] | None:
    """Kind of a controller and its arguments; the motion by its name."""
    fields = r.mapping(n, path)
    kind = r.named(
        fields.get("type", FileNode(None, n.line)), f"{path}.type", tuple(CONTROLLERS), "type"
    )
    if kind is None:
        return None
    out: dict[str, Any] = {}
    for key, x in fields.items():
        here, holds = f"{path}.{key}", CONTROLLERS[kind].get(key)
        if key == "type" or not r.known(x, here, key, tuple(CONTROLLERS[kind])):
            continue
        match holds:
            case "motion":
                out[key] = r.named(x, here, motions, "motion or path")
            case "coordinates":
                out[key] = r.coordinates(x, here)
            case "knots":
                out[key] = {
                    c: r.row(e, f"{here}.{c}", r.units.get(c, "rad"))
                    for c, e in r.mapping(x, here).items()
                    if r.known(e, f"{here}.{c}", c, r.system.coordinates, "coordinate")
                }
            case "gains" | "weights" | "effort":
                out[key] = (
                    {c: r.number(e, f"{here}.{c}", (None,)) for c, e in x.value.items()}
                    if isinstance(x.value, dict)
                    else r.number(x, here, (None,))
                )
    for key in NEEDED.get(kind, ()):
        if key not in fields:
            r.complain(n, path, f"needs '{key}'")
    return kind, out


def _each(x):
    return x if isinstance(x, list) else [x]
