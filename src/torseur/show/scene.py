"""What the 3D view draws: shapes of the model, or pictures of its joints, bodies and elements.

Everything is in the frame of the user's bodies, whose poses are signals of the run.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..spatial import rotation_matrices
from .default_shapes import distinct, ends_of, parts_of
from .element_marks import drawing, joint_marks
from .mesh_files import ALTOGETHER, MOST
from .model_numbers import Numbers, Places, mass_of
from .primitives import COLORS, quaternion, shape, sphere

EMPTY: dict[str, Any] = {
    "up": [0, 0, 1],
    "normal": None,
    "forward": None,
    "size": 1.0,
    "bodies": [],
    "world": [],
    "frames": [],
    "joints": [],
    "lines": [],
    "wrenches": [],
    "hubs": [],
    "traced": [],
    "ground": None,
    "shaped": False,
}


def scene(run, model, parameters) -> dict[str, Any]:
    """The scene of a run as plain data; empty when the model is not known."""
    if model is None:
        return dict(EMPTY)
    n = Numbers(parameters)
    places = Places(run, model, n)
    ends = ends_of(model, n)
    masses = {b.name: mass_of(b, n) for b in model.bodies}
    size = _size(ends, masses, run)
    up = _up(model, n)
    drawn = any(b.shapes for b in model.bodies)
    offsets = {} if drawn else _apart(model, ends, places, size)
    found = drawing(model, run, n, places, size, up, offsets)
    meshes = sum(hasattr(s, "file") for b in model.bodies for s in b.shapes)
    share = min(MOST, ALTOGETHER // max(1, meshes))
    heaviest = max((m for m, _, _ in masses.values()), default=0) or 1.0
    barred = {line[e]["on"] for line in found.lines for e in "ab" if line["looks"] == ["rod"]}
    bodies = []
    for b in model.bodies:
        m, com, _ = masses[b.name]
        marks = found.parts.get(b.name, [])
        parts = (
            [p for s in b.shapes if (p := shape(s, n, share))]
            if b.shapes or (drawn and not m > 0)  # beside shaped ones, what has mass is seen too
            else parts_of(ends[b.name], masses[b.name], size, heaviest,
                          bool(marks) or b.name in barred, len(model.bodies) == 1)
        )  # fmt: skip
        if hasattr(b, "half"):
            parts = [_piece(b, size)]
        said = {"name": b.name, "mass": m, "com": com.tolist()}
        offset = offsets.get(b.name, np.zeros(3)).tolist()
        if any(p.get("mark") or p["kind"] == "wheel" for p in marks):  # its own shape rolls too
            parts = [p | {"mark": p["kind"] in ("sphere", "cylinder")} for p in parts]
        bodies.append(said | {"parts": [*parts, *_others(marks, bool(b.shapes))], "offset": offset})
    normal = _normal(model, places, size)
    anchors = [] if drawn else _anchors(ends["world"].points, size)
    return EMPTY | {
        "up": up,
        "normal": normal,
        "forward": _forward(bodies, up) if normal is None else None,
        "size": size,
        "bodies": bodies,
        "world": [*anchors, *found.parts.get("world", [])],
        "frames": [_frame(f, n) for f in model.frames],
        "joints": joint_marks(model, n, run),
        "lines": found.lines,
        "wrenches": found.wrenches,
        "hubs": found.hubs,
        "traced": _traced(model),
        "shaped": drawn,
        "ground": min(found.grounds) if found.grounds else None,
    }


def _piece(b, size) -> dict[str, Any]:
    """The bar of a piece of a beam, in the color of the first."""
    ends = {"a": [-b.half, 0.0, 0.0], "b": [b.half, 0.0, 0.0]}
    color = [c / 255 for c in COLORS[b.of % len(COLORS)]]
    return {"kind": "bar", **ends, "radius": min(0.03 * size, 0.8 * b.half), "color": color}


def _others(marks, drawn) -> list[dict[str, Any]]:
    """Marks on a body that has shapes of its own: no second wheel, no second ball."""
    return [p for p in marks if not (drawn and p["kind"] in ("wheel", "sphere", "surface"))]


def _forward(bodies, up) -> list[float] | None:
    """Where a thing on wheels looks: across their common, level axis; None where it has none."""
    axes = []
    for p in (p for b in bodies for p in b["parts"]):
        if p["kind"] == "wheel" or (p["kind"] == "cylinder" and p["radius"] > p["length"]):
            axes.append(rotation_matrices(p["turn"])[:, 2])
    across = np.array(axes).reshape(-1, 3)
    if len(axes) < 2 or abs(across @ across[0]).min() < 0.95 or abs(across @ up).max() > 0.2:
        return None
    way = np.cross(across[0], up)
    return (way * np.sign(way[abs(way).argmax()]) / np.linalg.norm(way)).tolist()


def _up(model, n) -> list[float]:
    g = n.array(model.gravity) if not isinstance(model.gravity, str) else np.zeros(3)
    size = np.linalg.norm(g)
    if not size > 0 or not np.isfinite(size):
        return [0.0, 0.0, 1.0]
    # gravity along a principal direction turns the ground; a tilted one does not
    e = -g / size
    return e.tolist() if abs(e).max() > 0.999 else [0.0, 0.0, 1.0]


def _size(ends, masses, run) -> float:
    """A length to size marks by: of the longest body, or of the motion."""
    spans = [0.0]
    for name, e in ends.items():
        if name in masses:
            p = [*e.points, masses[name][1]]
            spans += [float(np.linalg.norm(a - b)) for a in p[:1] for b in p[1:]]
    for m, _, J in masses.values():
        if m > 0:
            spans.append(float(np.sqrt(max(0.0, np.trace(J)) / m)))
    moves = [
        float(np.ptp(run[f"{b}.position.{c}"]))
        for b in masses
        for c in "xyz"
        if f"{b}.position.{c}" in run.units
    ]
    return max(spans) or 0.5 * max(moves, default=0.0) or 1.0


def _normal(model, places, size) -> list[float] | None:
    """The axis of the world across which nothing moves and about which all turns; None: space."""
    moving = [b.name for b in model.bodies if places.knows(b.name)]
    poses = [places.body(b) for b in moving]
    still = [all(np.ptp(p, axis=0)[k] < 1e-6 * size for _, p in poses) for k in range(3)]
    fixed = [all(abs(R[:, :, k] - R[0, :, k]).max() < 1e-6 for R, _ in poses) for k in range(3)]
    turned = [any(np.ptp(R, axis=0).max() > 1e-6 for R, _ in poses)]
    flat = [k for k in range(3) if still[k] and all(_same(R, k) for R, _ in poses)]
    if not poses or not any(turned) or len(flat) != 1 or all(fixed):
        return None
    return np.eye(3)[flat[0]].tolist()


def _same(R, k) -> bool:
    """Whether a rotation leaves an axis of the world as it was at the start, at every row."""
    e = np.eye(3)[k]
    return bool(abs(np.einsum("rji,j->ri", R, e) - R[0].T @ e).max() < 1e-6)


def _apart(model, ends, places, size) -> dict[str, np.ndarray]:
    """Bodies that slide along one line from one place are drawn one behind the other."""
    units = [unit for j in model.joints for _, unit in j.kind.speeds]
    slides = [b.name for b in model.bodies if ends[b.name].rail is not None]
    if len(slides) < 2 or len(slides) != len(model.bodies) or any(u != "m/s" for u in units):
        return {}
    start = {b: places.body(b)[1] for b in slides}
    axis = places.body(slides[0])[0][0] @ ends[slides[0]].rail
    gaps = [start[a] - start[b] for a in slides for b in slides if a != b]
    if min(float(np.linalg.norm(g, axis=1).min()) for g in gaps) > 0.3 * size:  # never meet
        return {}
    axis = axis * (1.0 if axis[abs(axis).argmax()] > 0 else -1.0)
    out, far, before = {}, 0.0, np.zeros((len(places.run.time), 3))
    for b in _chain(model, slides):
        far += 0.75 * size - min(0.0, float(((start[b] - before) @ axis).min(initial=0.0)))
        out[b], before = axis * far, start[b]
    return out


def _chain(model, slides) -> list[str]:
    """Bodies in the order in which members join them, from the world outwards."""
    homes = {j.name: j.child for j in model.joints}
    held, pairs = [], []
    for f in model.forces:
        for mark in f.drawn():
            names = [mark["joint"]] if "joint" in mark else mark.get("names", ())
            on = [homes[n] for x in names if (n := x.partition(".")[0]) in homes]
            on += [e if isinstance(e, str) else e[0] for e in (mark.get("a"), mark.get("b")) if e]
            if len(on) == 1 or "world" in on:
                held += [b for b in on if b != "world"]
            else:
                pairs.append(set(on))
    order = [b for b in dict.fromkeys(held) if b in slides][:1]
    while more := [b for p in pairs if p & {*order} for b in slides if b in p - {*order}]:
        order.append(more[0])
    return [*order, *(b for b in slides if b not in order)]


def _anchors(points, size) -> list[dict[str, Any]]:
    if not points:
        return []
    return [
        sphere(p, 0.03 * size) | {"kind": "anchor"}
        for p in [points[0], *distinct(points[1:], points[0], size)]
    ]


def _frame(f, n) -> dict[str, Any]:
    R, p = n.pose(f)
    return {"name": f.name, "body": f.body, "at": p.tolist(), "turn": quaternion(R)}


def _traced(model) -> list[str]:
    """Points whose path is drawn at first: the model's frames, or its outermost bodies."""
    if model.frames:
        return [f.name for f in model.frames][:3]
    parents = {j.parent for j in model.joints}
    return [b.name for b in model.bodies if b.name not in parents][:3]
