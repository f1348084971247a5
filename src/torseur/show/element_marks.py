"""Symbols of joints, forces and constraints in the 3D view.

`MARK_BUILDERS` has one function for each `shape` that the method `drawn()` of an element can
return. The function adds lines, parts, arrows or hubs to `ElementMarks`. A contract test compares
the register with all elements and with the script of the page.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .default_shapes import find_free_axes, make_wheel
from .implicit_shapes import sample_convex_surface, sample_curve, sample_surface
from .model_numbers import FramePoses, ModelNumbers
from .primitives import matrix_quaternion, rotation_from_z, sphere

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..model import Model


@dataclass(slots=True)
class ElementMarks:
    """Symbols of elements as plain data for the 3D view."""

    model: Any
    run: Any
    n: ModelNumbers
    poses: FramePoses
    size: float
    up: np.ndarray
    offsets: dict[str, np.ndarray]
    lines: list[dict[str, Any]] = field(default_factory=list)
    wrenches: list[dict[str, Any]] = field(default_factory=list)
    hubs: list[dict[str, Any]] = field(default_factory=list)
    parts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    grounds: list[float] = field(default_factory=list)
    joints: dict[str, Any] = field(default_factory=dict)

    def add_part(self, body: str, part: dict[str, Any]):
        """Add a part to a body or to the world unless it is already there."""
        if part not in (parts := self.parts.setdefault(body, [])):
            parts.append(part)

    def find_signal(self, name: str) -> str | None:
        return name if name in self.run.units else None


def collect_element_marks(
    model: Model,
    run: Any,
    n: ModelNumbers,
    poses: FramePoses,
    size: float,
    up: ArrayLike,
    offsets: dict[str, np.ndarray],
) -> ElementMarks:
    """Collect the symbols of all forces and constraints, and the rods of joints with internal
    links.

    `offsets` [m] are the displacements by which the view separates overlapping bodies.
    """
    out = ElementMarks(model, run, n, poses, size, np.asarray(up, float), offsets)
    joints: list[Any] = [*model.joints, *model.loops]
    out.joints = {j.name: j for j in joints}
    for element in (*model.forces, *model.constraints):
        for mark in element.drawn():
            MARK_BUILDERS[mark["shape"]](out, element.name, mark)
    for j in out.joints.values():
        for i, pair in enumerate(j.kind.bars(), 1):
            a, b = (_locate_bar_end(n, j, *end) for end in pair)
            out.lines.append(_make_line(out, f"{j.name} {i}", a, b, ("rod",)))
        _add_wheels(out, j)
        if j.kind.picture == "track":
            _add_track(out, j)
    return out


TIRE_TO_RIM_RATIO = 1.35  # radius of a tire over the height of what is inside its rim


def _add_wheels(out: ElementMarks, j) -> None:
    """Add the wheels of a suspension joint, unless another body or element already draws them."""
    carries = any(
        k.parent == j.child and find_free_axes(k.kind, out.n)[0] for k in out.model.joints
    )
    brought = any(p["kind"] == "wheel" for p in out.parts.get(j.child, ()))
    if carries or brought:
        return
    R, p = out.n.pose(j, "child_")
    for center, axis, heights in j.kind.wheels():
        radius = TIRE_TO_RIM_RATIO * max(abs(out.n(h)) for h in heights)
        out.add_part(j.child, make_wheel(p + R @ out.n.array(center), R @ out.n.axis(axis), radius))


def describe_joints(model: Model, n: ModelNumbers, run: Any) -> list[dict[str, Any]]:
    """Describe every joint and loop: symbol, frames, axes and travel."""
    out = []
    joints: list[Any] = [*model.joints, *model.loops]
    for j in joints:
        R, p = n.pose(j, "child_")
        Q, o = n.pose(j)
        rotation_axes, translation_axes = find_free_axes(j.kind, n)
        travel = np.zeros(2)
        for name, unit in j.kind.coordinates:
            if unit == "m" and translation_axes and f"{j.name}.{name}" in run.units:
                x = run[f"{j.name}.{name}"]
                travel = np.array([x.min(initial=0.0), x.max(initial=0.0)])
        out.append(
            {
                "name": j.name,
                "body": j.child,
                "parent": j.parent,
                "at": p.tolist(),
                "turn": matrix_quaternion(R),
                "foot": {"at": o.tolist(), "turn": matrix_quaternion(Q)},
                "axes": [{"along": d.tolist(), "turn": True} for d in rotation_axes]
                + [{"along": d.tolist(), "turn": False} for d in translation_axes],
                "picture": j.kind.picture,
                "range": travel.tolist(),
            }
        )
    return out


def _make_line(out: ElementMarks, name, a, b, symbols) -> dict[str, Any]:
    """Describe a line between two points, with its force signal and its rupture time."""
    rupture_times = [e.time for e in out.run.events if e.name == f"{name}: torn"]
    return {
        "name": name,
        "a": a,
        "b": b,
        "looks": list(symbols),
        "force": out.find_signal(f"{name}.force"),
        "torn": rupture_times[0] if rupture_times else None,
    }


def _add_segment(out: ElementMarks, name, mark):
    a, b = out.n.locate_end(mark["a"]), out.n.locate_end(mark["b"])
    out.lines.append(_make_line(out, name, a, b, mark["looks"]))


def _locate_bar_end(n: ModelNumbers, j, frame, point) -> dict[str, Any]:
    R, p = n.pose(j, "child_" if frame == "M" else "")
    return {"on": j.child if frame == "M" else j.parent, "at": (p + R @ n.array(point)).tolist()}


def _add_arrow(out: ElementMarks, name, mark):
    """Add the arrow of a wrench, scaled by its force signal or its inputs."""
    inputs = [f"{mark['input']}.{i}" for i in (3, 4, 5)] if mark["input"] else []
    out.wrenches.append(
        {
            "name": name,
            "at": out.n.locate_end(mark["at"]),
            "own": mark["own"],
            "force": out.n.array(mark["wrench"])[3:].tolist(),
            "size": out.find_signal(f"{name}.force"),
            "inputs": inputs if all(i in out.run.units for i in inputs) else [],
        }
    )


def _add_joint_law(out: ElementMarks, name, mark):
    """Add the symbol of a law on one coordinate: a line along a slide, a hub around a pin."""
    j = out.joints.get(mark["joint"])
    if j is None:
        return
    rotation_axes, translation_axes = find_free_axes(j.kind, out.n)
    if j.kind.nv == 1 and j.kind.bars() and {u for _, u in j.kind.coordinates} == {"m"}:
        return _add_strut(out, name, mark, j)
    if rotation_axes or not translation_axes:
        out.hubs.append({"joint": j.name, "looks": list(mark["looks"]), "effort": None})
        out.hubs[-1]["effort"] = out.find_signal(f"{name}.force")
        return
    R, p = out.n.pose(j, "child_")
    Q, o = out.n.pose(j)
    if out.find_signal(f"{name}.force"):
        out.wrenches.append(
            {
                "name": name,
                "at": {"on": j.child, "at": p.tolist()},
                "own": True,
                "force": (mark.get("sign", -1) * R @ translation_axes[0]).tolist(),
                "size": f"{name}.force",
                "inputs": [],
            }
        )
    coordinate = f"{j.name}.{j.kind.coordinates[0][0]}"
    x = out.run[coordinate] if coordinate in out.run.units else np.zeros(1)
    is_crush = "crush" in mark["looks"]
    reach = (1.3 * float(x.max(initial=0.0)) if is_crush else 1.6 * abs(x).max(initial=0.0)) or 0.0
    reach = max(reach, 0.35 * out.size) * (1 if is_crush else -1)
    foot = o + Q @ translation_axes[0] * reach
    if j.parent == "world":
        foot = foot + out.offsets.get(j.child, 0.0)
    a, b = {"on": j.parent, "at": foot.tolist()}, {"on": j.child, "at": p.tolist()}
    out.lines.append(_make_line(out, name, a, b, mark["looks"]) | {"force": None})
    if j.parent == "world":
        wall = {"kind": "plane", "size": 0.45 * out.size, "at": foot.tolist()}
        out.add_part(
            "world", wall | {"turn": rotation_from_z(Q @ translation_axes[0] * -np.sign(reach))}
        )


def _add_strut(out: ElementMarks, name, mark, j):
    """Add the strut of a law on the travel of a linkage, from its lowest ball up to the parent."""
    bar_ends = [_locate_bar_end(out.n, j, *end) for pair in j.kind.bars() for end in pair]
    outer, inner = (
        np.array([e["at"] for e in bar_ends if e["on"] == on]) for on in (j.child, j.parent)
    )
    if not len(outer) or not len(inner):
        return
    (Q, o), (R, p) = out.n.pose(j), out.n.pose(j, "child_")
    X = j.kind.pose(out.n.K, j.kind.neutral())
    outer_points = (((outer - p) @ R) @ np.array(X.R, float).T + np.array(X.p, float)) @ Q.T + o
    lowest = int((outer_points @ out.up).argmin())
    offset = (inner.mean(axis=0) - outer_points[lowest]) * 0.35
    offset = offset - out.up * (offset @ out.up)
    top = (
        outer_points[lowest]
        + offset
        + out.up * 1.5 * max(np.ptp(outer_points @ out.up), np.ptp(inner @ out.up))
    )
    a, b = {"on": j.parent, "at": top.tolist()}, {"on": j.child, "at": outer[lowest].tolist()}
    out.lines.append(_make_line(out, name, a, b, mark["looks"]))


def _add_coordinate_coupling(out: ElementMarks, name, mark):
    """Add the symbols of a coupling of coordinates: a line between two slides, else gears."""
    text = mark.get("text", "")
    names = mark.get("names") or [f"{j}.q" for j in out.joints if f"{j}." in text]
    joints = [j for c in names if (j := out.joints.get(c.rpartition(".")[0])) is not None]
    joints = list(dict.fromkeys(joints))
    sliders = [j for j in joints if not find_free_axes(j.kind, out.n)[0] and j.kind.nv == 1]
    if len(joints) == 2 and len(sliders) == 2 and mark["looks"] != ("gear",):
        a, b = ({"on": j.child, "at": out.n.pose(j, "child_")[1].tolist()} for j in sliders)
        out.lines.append(_make_line(out, name, a, b, mark["looks"]))
    elif len(joints) == 1 and "gear" not in mark["looks"]:
        _add_joint_law(out, name, mark | {"joint": joints[0].name})
    else:
        _add_gears(out, mark, joints)


def _add_gears(out: ElementMarks, mark, joints):
    """Add discs about the coupled pins. Gear discs have radii in the ratio of the coupling."""
    ratios = [abs(out.n(r)) for r in mark.get("ratios", ())]
    pins = [j for j in joints if find_free_axes(j.kind, out.n)[0]]
    sizes = [1.0] * len(joints)
    if len(ratios) == len(joints) == len(pins) and min(ratios, default=0) > 0:
        sizes = [r / max(ratios) for r in ratios]
    for j, relative_radius in zip(joints, sizes, strict=True):
        rotation_axes, translation_axes = find_free_axes(j.kind, out.n)
        R, p = out.n.pose(j, "child_")
        direction = R @ (rotation_axes or translation_axes or [np.array([0.0, 0, 1])])[0]
        radius = 0.14 * out.size * max(relative_radius, 0.2)
        kind = "gear" if "gear" in mark["looks"] and rotation_axes else "cylinder"
        part = {"kind": kind, "radius": radius, "length": 0.03 * out.size, "quiet": True}
        out.add_part(j.child, part | {"at": p.tolist(), "turn": rotation_from_z(direction)})


def _add_track(out: ElementMarks, j):
    """Add the path of a guided joint to its parent."""
    name = f"{j.name}.{j.kind.coordinates[0][0]}"
    x = out.run[name] if name in out.run.units else np.zeros(1)
    low, high = float(x.min(initial=0.0)), float(x.max(initial=0.0))
    span = max(high - low, 0.1)
    Q, o = out.n.pose(j)
    points = []
    for s in np.linspace(low - 0.2 * span, high + 0.2 * span, 40):
        try:
            points.append((o + Q @ np.array(j.kind.pose(out.n.K, [s]).p, float)).tolist())
        except (ArithmeticError, ValueError):  # beyond the range of its formula
            continue
    if len(points) > 1:
        out.add_part(j.parent, {"kind": "curve", "points": points, "radius": 0.008 * out.size})


def _add_plane(out: ElementMarks, name, mark):
    """Add a plane to a body, or a ground level if it is horizontal and fixed in the world."""
    body, R, p = out.poses.pose_on_body(mark["on"])
    normal = R @ out.n.axis(mark["normal"])
    p = p + normal * out.n(mark.get("at", 0))
    if body == "world" and normal @ out.up > 0.999:
        out.grounds.append(float(p @ out.up))
        return
    part = {
        "kind": "plane",
        "size": 1.2 * out.size,
        "at": p.tolist(),
        "turn": rotation_from_z(normal),
    }
    out.add_part(body, part)


def _add_wheel(out: ElementMarks, name, mark):
    """Add a wheel, a rolling ball, or a small contact ball."""
    body, R, p = out.poses.pose_on_body(mark["on"])
    radius = out.n(mark["radius"])
    if radius > 0 and mark["axis"] is not None:
        out.add_part(body, make_wheel(p, R @ out.n.axis(mark["axis"]), radius))
    elif radius > 0:
        out.add_part(body, sphere(p, radius) | {"mark": True})
    else:
        out.add_part(body, sphere(p, 0.025 * out.size) | {"quiet": True})


def _add_line(out: ElementMarks, name, mark):
    """Add a rod along a straight line that is as long as the travel of its point."""
    body, R, p = out.poses.pose_on_body(mark["on"])
    d = R @ out.n.axis(mark["along"])
    s = (out.poses.point_path(mark["point"], body) - p) @ d
    low, high = float(s.min(initial=0.0)), float(s.max(initial=0.0))
    half = max((high - low) / 2, 0.4 * out.size) + 0.1 * out.size
    middle = p + d * (low + high) / 2
    rod = {"kind": "cylinder", "radius": 0.012 * out.size, "length": 2 * half, "quiet": True}
    out.add_part(body, rod | {"at": middle.tolist(), "turn": rotation_from_z(d)})


def _add_curve(out: ElementMarks, name, mark):
    body, R, p = out.poses.pose_on_body(mark["on"])
    x = out.run[mark["coordinate"]] if mark["coordinate"] in out.run.units else np.zeros(1)
    if curve_points := sample_curve(out.n, mark, float(x.min(initial=0)), float(x.max(initial=0))):
        points = (np.array(curve_points) @ R.T + p).tolist()
        out.add_part(body, {"kind": "curve", "points": points, "radius": 0.01 * out.size})


def _add_surface(out: ElementMarks, name, mark):
    body, R, p = out.poses.pose_on_body(mark["on"])
    path = out.poses.point_path(mark["point"], mark["on"])
    _add_grid(out, body, R, p, sample_surface(out.n, mark["equation"], path, 0.6 * out.size))


def _add_solid(out: ElementMarks, name, mark):
    body, R, p = out.poses.pose_on_body(mark["on"])
    _add_grid(out, body, R, p, sample_convex_surface(out.n, mark["of"], mark["implicit"]))


def _add_grid(out: ElementMarks, body, R, p, grid):
    if grid is not None:
        points = (grid @ R.T + p).round(9)
        part = {"kind": "surface", "points": points.reshape(-1).tolist()}
        out.add_part(body, part | {"rows": grid.shape[0], "columns": grid.shape[1]})


def _add_blade(out: ElementMarks, name, mark):
    body, R, p = out.poses.pose_on_body(mark["on"])
    r = 0.12 * out.size
    disc = {"kind": "cylinder", "radius": r, "length": 0.06 * r, "at": p.tolist()}
    out.add_part(body, disc | {"turn": rotation_from_z(R @ out.n.axis(mark["across"]))})


MARK_BUILDERS: dict[str, Callable[[ElementMarks, str, dict[str, Any]], None]] = {
    "segment": _add_segment,
    "arrow": _add_arrow,
    "joint": _add_joint_law,
    "coordinates": _add_coordinate_coupling,
    "plane": _add_plane,
    "wheel": _add_wheel,
    "line": _add_line,
    "curve": _add_curve,
    "surface": _add_surface,
    "solid": _add_solid,
    "blade": _add_blade,
}
"""What each word of `shape` puts into a drawing."""
