"""Marks of elements as things a view can draw: what `drawn()` of forces and constraints says, and
`picture` of joints, with numbers put in.

`SHAPES` has a function for each word of `shape`: it puts lines, parts, arrows or hubs into the
`Drawing`.  A contract test compares it with every registered element, and with the page's script.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from .default_shapes import granted, wheel
from .implicit_shapes import grid_of_solid, grid_of_surface, points_of_curve
from .model_numbers import Numbers, Places
from .primitives import along, quaternion, sphere


@dataclass(slots=True)
class Drawing:
    """Everything beside bodies that a view draws, in plain data."""

    model: Any
    run: Any
    n: Numbers
    places: Places
    size: float
    up: np.ndarray
    offsets: dict[str, np.ndarray]
    lines: list[dict[str, Any]] = field(default_factory=list)
    wrenches: list[dict[str, Any]] = field(default_factory=list)
    hubs: list[dict[str, Any]] = field(default_factory=list)
    parts: dict[str, list[dict[str, Any]]] = field(default_factory=dict)
    grounds: list[float] = field(default_factory=list)
    joints: dict[str, Any] = field(default_factory=dict)

    def put(self, body: str, part: dict[str, Any]):
        """A part on a body or on the world, once."""
        if part not in (found := self.parts.setdefault(body, [])):
            found.append(part)

    def signal(self, name: str) -> str | None:
        return name if name in self.run.units else None


def drawing(model, run, n: Numbers, places: Places, size: float, up, offsets) -> Drawing:
    """Marks of every force and constraint, and rods of joints that have some inside.

    `offsets` [m] are those by which bodies are drawn apart.
    """
    out = Drawing(model, run, n, places, size, np.asarray(up, float), offsets)
    out.joints = {j.name: j for j in (*model.joints, *model.loops)}
    for thing in (*model.forces, *model.constraints):
        for mark in thing.drawn():
            SHAPES[mark["shape"]](out, thing.name, mark)
    for j in out.joints.values():
        for i, pair in enumerate(j.kind.bars(), 1):
            a, b = (_bar_end(n, j, *end) for end in pair)
            out.lines.append(_line(out, f"{j.name} {i}", a, b, ("rod",)))
        _wheels(out, j)
        if j.kind.picture == "track":
            _track(out, j)
    return out


RIM = 1.35  # radius of a tire over the height of what is inside its rim


def _wheels(out: Drawing, j) -> None:
    """Wheels of a carrier, unless a body of its own turns there or another element brings one."""
    carries = any(k.parent == j.child and granted(k.kind, out.n)[0] for k in out.model.joints)
    brought = any(p["kind"] == "wheel" for p in out.parts.get(j.child, ()))
    if carries or brought:
        return
    R, p = out.n.pose(j, "child_")
    for center, axis, heights in j.kind.wheels():
        radius = RIM * max(abs(out.n(h)) for h in heights)
        out.put(j.child, wheel(p + R @ out.n.array(center), R @ out.n.axis(axis), radius))


def joint_marks(model, n: Numbers, run) -> list[dict[str, Any]]:
    """Pins, rails, balls: each joint and loop with its picture, axes and the range it runs over."""
    out = []
    for j in (*model.joints, *model.loops):
        R, p = n.pose(j, "child_")
        Q, o = n.pose(j)
        turns, slides = granted(j.kind, n)
        rail = np.zeros(2)
        for name, unit in j.kind.coordinates:
            if unit == "m" and slides and f"{j.name}.{name}" in run.units:
                x = run[f"{j.name}.{name}"]
                rail = np.array([x.min(initial=0.0), x.max(initial=0.0)])
        out.append(
            {
                "name": j.name,
                "body": j.child,
                "parent": j.parent,
                "at": p.tolist(),
                "turn": quaternion(R),
                "foot": {"at": o.tolist(), "turn": quaternion(Q)},
                "axes": [{"along": d.tolist(), "turn": True} for d in turns]
                + [{"along": d.tolist(), "turn": False} for d in slides],
                "picture": j.kind.picture,
                "range": rail.tolist(),
            }
        )
    return out


# ---- lines ---------------------------------------------------------------------------------


def _line(out: Drawing, name, a, b, looks) -> dict[str, Any]:
    torn = [e.time for e in out.run.events if e.name == f"{name}: torn"]
    return {
        "name": name,
        "a": a,
        "b": b,
        "looks": list(looks),
        "force": out.signal(f"{name}.force"),
        "torn": torn[0] if torn else None,
    }


def _segment(out: Drawing, name, mark):
    a, b = out.n.end(mark["a"]), out.n.end(mark["b"])
    out.lines.append(_line(out, name, a, b, mark["looks"]))


def _bar_end(n: Numbers, j, side, point) -> dict[str, Any]:
    R, p = n.pose(j, "child_" if side == "M" else "")
    return {"on": j.child if side == "M" else j.parent, "at": (p + R @ n.array(point)).tolist()}


def _arrow(out: Drawing, name, mark):
    inputs = [f"{mark['input']}.{i}" for i in (3, 4, 5)] if mark["input"] else []
    out.wrenches.append(
        {
            "name": name,
            "at": out.n.end(mark["at"]),
            "own": mark["own"],
            "force": out.n.array(mark["wrench"])[3:].tolist(),
            "size": out.signal(f"{name}.force"),
            "inputs": inputs if all(i in out.run.units for i in inputs) else [],
        }
    )


# ---- joints --------------------------------------------------------------------------------


def _at_joint(out: Drawing, name, mark):
    """A law on one coordinate: a member along a slide, something around a pin."""
    j = out.joints.get(mark["joint"])
    if j is None:
        return
    turns, slides = granted(j.kind, out.n)
    if j.kind.nv == 1 and j.kind.bars() and {u for _, u in j.kind.coordinates} == {"m"}:
        return _strut(out, name, mark, j)
    if turns or not slides:
        out.hubs.append({"joint": j.name, "looks": list(mark["looks"]), "effort": None})
        out.hubs[-1]["effort"] = out.signal(f"{name}.force")
        return
    R, p = out.n.pose(j, "child_")
    Q, o = out.n.pose(j)
    if out.signal(f"{name}.force"):
        out.wrenches.append(
            {
                "name": name,
                "at": {"on": j.child, "at": p.tolist()},
                "own": True,
                "force": (mark.get("sign", -1) * R @ slides[0]).tolist(),
                "size": f"{name}.force",
                "inputs": [],
            }
        )
    moved = f"{j.name}.{j.kind.coordinates[0][0]}"
    x = out.run[moved] if moved in out.run.units else np.zeros(1)
    crushed = "crush" in mark["looks"]
    reach = (1.3 * float(x.max(initial=0.0)) if crushed else 1.6 * abs(x).max(initial=0.0)) or 0.0
    reach = max(reach, 0.35 * out.size) * (1 if crushed else -1)
    foot = o + Q @ slides[0] * reach
    if j.parent == "world":
        foot = foot + out.offsets.get(j.child, 0.0)
    a, b = {"on": j.parent, "at": foot.tolist()}, {"on": j.child, "at": p.tolist()}
    out.lines.append(_line(out, name, a, b, mark["looks"]) | {"force": None})
    if j.parent == "world":
        wall = {"kind": "plane", "size": 0.45 * out.size, "at": foot.tolist()}
        out.put("world", wall | {"turn": along(Q @ slides[0] * -np.sign(reach))})


def _strut(out: Drawing, name, mark, j):
    """A law on the travel of a linkage: a strut from its lowest ball to what carries it, above."""
    ends = [_bar_end(out.n, j, *end) for pair in j.kind.bars() for end in pair]
    outer, inner = (
        np.array([e["at"] for e in ends if e["on"] == on]) for on in (j.child, j.parent)
    )
    if not len(outer) or not len(inner):
        return
    (Q, o), (R, p) = out.n.pose(j), out.n.pose(j, "child_")
    X = j.kind.pose(out.n.K, j.kind.neutral())
    seen = (((outer - p) @ R) @ np.array(X.R, float).T + np.array(X.p, float)) @ Q.T + o
    low = int((seen @ out.up).argmin())
    across = (inner.mean(axis=0) - seen[low]) * 0.35
    across = across - out.up * (across @ out.up)
    top = seen[low] + across + out.up * 1.5 * max(np.ptp(seen @ out.up), np.ptp(inner @ out.up))
    a, b = {"on": j.parent, "at": top.tolist()}, {"on": j.child, "at": outer[low].tolist()}
    out.lines.append(_line(out, name, a, b, mark["looks"]))


def _coordinates(out: Drawing, name, mark):
    """What ties or loads several coordinates: a member between two slides, marks on the joints."""
    text = mark.get("text", "")
    names = mark.get("names") or [f"{j}.q" for j in out.joints if f"{j}." in text]
    found = [j for c in names if (j := out.joints.get(c.rpartition(".")[0])) is not None]
    found = list(dict.fromkeys(found))
    slides = [j for j in found if not granted(j.kind, out.n)[0] and j.kind.nv == 1]
    if len(found) == 2 and len(slides) == 2 and mark["looks"] != ("gear",):
        a, b = ({"on": j.child, "at": out.n.pose(j, "child_")[1].tolist()} for j in slides)
        out.lines.append(_line(out, name, a, b, mark["looks"]))
    elif len(found) == 1 and "gear" not in mark["looks"]:
        _at_joint(out, name, mark | {"joint": found[0].name})
    else:
        _gears(out, mark, found)


def _gears(out: Drawing, mark, found):
    """Discs about the pins that are tied: toothed, in the ratio of their turns, where it is one."""
    ratios = [abs(out.n(r)) for r in mark.get("ratios", ())]
    pins = [j for j in found if granted(j.kind, out.n)[0]]
    sizes = [1.0] * len(found)
    if len(ratios) == len(found) == len(pins) and min(ratios, default=0) > 0:
        sizes = [r / max(ratios) for r in ratios]
    for j, share in zip(found, sizes, strict=True):
        turns, slides = granted(j.kind, out.n)
        R, p = out.n.pose(j, "child_")
        direction = R @ (turns or slides or [np.array([0.0, 0, 1])])[0]
        radius = 0.14 * out.size * max(share, 0.2)
        kind = "gear" if "gear" in mark["looks"] and turns else "cylinder"
        part = {"kind": kind, "radius": radius, "length": 0.03 * out.size, "quiet": True}
        out.put(j.child, part | {"at": p.tolist(), "turn": along(direction)})


def _track(out: Drawing, j):
    """The path of a guided joint, in its parent."""
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
        out.put(j.parent, {"kind": "curve", "points": points, "radius": 0.008 * out.size})


# ---- ground, walls, curves -------------------------------------------------------------------


def _plane(out: Drawing, name, mark):
    body, R, p = out.places.on_body(mark["on"])
    normal = R @ out.n.axis(mark["normal"])
    p = p + normal * out.n(mark.get("at", 0))
    if body == "world" and normal @ out.up > 0.999:
        out.grounds.append(float(p @ out.up))
        return
    part = {"kind": "plane", "size": 1.2 * out.size, "at": p.tolist(), "turn": along(normal)}
    out.put(body, part)


def _wheel(out: Drawing, name, mark):
    body, R, p = out.places.on_body(mark["on"])
    radius = out.n(mark["radius"])
    if radius > 0 and mark["axis"] is not None:
        out.put(body, wheel(p, R @ out.n.axis(mark["axis"]), radius))
    elif radius > 0:
        out.put(body, sphere(p, radius) | {"mark": True})
    else:
        out.put(body, sphere(p, 0.025 * out.size) | {"quiet": True})


def _straight(out: Drawing, name, mark):
    body, R, p = out.places.on_body(mark["on"])
    d = R @ out.n.axis(mark["along"])
    s = (out.places.path(mark["point"], body) - p) @ d
    low, high = float(s.min(initial=0.0)), float(s.max(initial=0.0))
    half = max((high - low) / 2, 0.4 * out.size) + 0.1 * out.size
    middle = p + d * (low + high) / 2
    rod = {"kind": "cylinder", "radius": 0.012 * out.size, "length": 2 * half, "quiet": True}
    out.put(body, rod | {"at": middle.tolist(), "turn": along(d)})


def _curve(out: Drawing, name, mark):
    body, R, p = out.places.on_body(mark["on"])
    x = out.run[mark["coordinate"]] if mark["coordinate"] in out.run.units else np.zeros(1)
    if found := points_of_curve(out.n, mark, float(x.min(initial=0)), float(x.max(initial=0))):
        points = (np.array(found) @ R.T + p).tolist()
        out.put(body, {"kind": "curve", "points": points, "radius": 0.01 * out.size})


def _surface(out: Drawing, name, mark):
    body, R, p = out.places.on_body(mark["on"])
    path = out.places.path(mark["point"], mark["on"])
    _grid(out, body, R, p, grid_of_surface(out.n, mark["equation"], path, 0.6 * out.size))


def _solid(out: Drawing, name, mark):
    body, R, p = out.places.on_body(mark["on"])
    _grid(out, body, R, p, grid_of_solid(out.n, mark["of"], mark["implicit"]))


def _grid(out: Drawing, body, R, p, grid):
    if grid is not None:
        points = (grid @ R.T + p).round(9)
        part = {"kind": "surface", "points": points.reshape(-1).tolist()}
        out.put(body, part | {"rows": grid.shape[0], "columns": grid.shape[1]})


def _blade(out: Drawing, name, mark):
    body, R, p = out.places.on_body(mark["on"])
    r = 0.12 * out.size
    disc = {"kind": "cylinder", "radius": r, "length": 0.06 * r, "at": p.tolist()}
    out.put(body, disc | {"turn": along(R @ out.n.axis(mark["across"]))})


SHAPES: dict[str, Callable[[Drawing, str, dict[str, Any]], None]] = {
    "segment": _segment,
    "arrow": _arrow,
    "joint": _at_joint,
    "coordinates": _coordinates,
    "plane": _plane,
    "wheel": _wheel,
    "line": _straight,
    "curve": _curve,
    "surface": _surface,
    "solid": _solid,
    "blade": _blade,
}
"""What each word of `shape` puts into a drawing."""
