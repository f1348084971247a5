"""3D scene of a run: shapes of bodies, and symbols of joints, forces and constraints.

All parts are in the body frames, whose poses are signals of the run.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spatial import rotation_matrices
from .beam_shapes import BeamSegment
from .default_shapes import find_attachment_points, make_default_parts, select_distinct_points
from .element_marks import collect_element_marks, describe_joints
from .mesh_files import MAX_TRIANGLES, MAX_TRIANGLES_PER_MESH
from .model_numbers import FramePoses, ModelNumbers, mass_properties
from .primitives import BODY_COLORS, describe_shape, matrix_quaternion, sphere

if TYPE_CHECKING:
    from ..model import Model

EMPTY_SCENE: dict[str, Any] = {
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


def build_scene(run: Any, model: Model | None, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Build the scene of a run as plain data, empty if the model is unknown."""
    if model is None:
        return dict(EMPTY_SCENE)
    n = ModelNumbers(parameters)
    poses = FramePoses(run, model, n)
    attachments = find_attachment_points(model, n)
    masses = {b.name: mass_properties(b, n) for b in model.bodies}
    size = _characteristic_length(attachments, masses, run)
    up = _up_direction(model, n)
    has_shapes = any(b.shapes for b in model.bodies)
    offsets = {} if has_shapes else _separate_sliders(model, attachments, poses, size)
    element_marks = collect_element_marks(model, run, n, poses, size, up, offsets)
    n_meshes = sum(hasattr(s, "file") for b in model.bodies for s in b.shapes)
    max_triangles = min(MAX_TRIANGLES_PER_MESH, MAX_TRIANGLES // max(1, n_meshes))
    max_mass = max((m for m, _, _ in masses.values()), default=0) or 1.0
    rod_bodies = {
        line[e]["on"] for line in element_marks.lines for e in "ab" if line["looks"] == ["rod"]
    }
    bodies = []
    for b in model.bodies:
        m, com, _ = masses[b.name]
        marks = element_marks.parts.get(b.name, [])
        parts = (
            [p for s in b.shapes if (p := describe_shape(s, n, max_triangles))]
            # bodies with mass are drawn even without shapes
            if b.shapes or (has_shapes and not m > 0)
            else make_default_parts(attachments[b.name], masses[b.name], size, max_mass,
                          bool(marks) or b.name in rod_bodies, len(model.bodies) == 1)
        )  # fmt: skip
        if isinstance(b, BeamSegment):
            parts = [_segment_bar(b, size)]
        description = {"name": b.name, "mass": m, "com": com.tolist()}
        offset = offsets.get(b.name, np.zeros(3)).tolist()
        if any(p.get("mark") or p["kind"] == "wheel" for p in marks):  # its own shape rolls too
            parts = [p | {"mark": p["kind"] in ("sphere", "cylinder")} for p in parts]
        bodies.append(
            description
            | {"parts": [*parts, *_filter_marks(marks, bool(b.shapes))], "offset": offset}
        )
    normal = _plane_normal(model, poses, size)
    anchors = [] if has_shapes else _anchor_marks(attachments["world"].points, size)
    return EMPTY_SCENE | {
        "up": up,
        "normal": normal,
        "forward": _forward_direction(bodies, up) if normal is None else None,
        "size": size,
        "bodies": bodies,
        "world": [*anchors, *element_marks.parts.get("world", [])],
        "frames": [_describe_frame(f, n) for f in model.frames],
        "joints": describe_joints(model, n, run),
        "lines": element_marks.lines,
        "wrenches": element_marks.wrenches,
        "hubs": element_marks.hubs,
        "traced": _traced_points(model),
        "shaped": has_shapes,
        "ground": min(element_marks.grounds) if element_marks.grounds else None,
    }


def _segment_bar(b, size) -> dict[str, Any]:
    """Bar of a beam segment in the color of its beam."""
    endpoints = {"a": [-b.half_length, 0.0, 0.0], "b": [b.half_length, 0.0, 0.0]}
    color = [c / 255 for c in BODY_COLORS[b.beam_index % len(BODY_COLORS)]]
    return {
        "kind": "bar",
        **endpoints,
        "radius": min(0.03 * size, 0.8 * b.half_length),
        "color": color,
    }


def _filter_marks(marks, has_shapes) -> list[dict[str, Any]]:
    """Marks of a body, without wheels, balls and surfaces if the body has shapes."""
    return [p for p in marks if not (has_shapes and p["kind"] in ("wheel", "sphere", "surface"))]


def _forward_direction(bodies, up) -> list[float] | None:
    """Driving direction of a vehicle: normal to its parallel, horizontal axles. None for other
    models.
    """
    axes = []
    for p in (p for b in bodies for p in b["parts"]):
        if p["kind"] == "wheel" or (p["kind"] == "cylinder" and p["radius"] > p["length"]):
            axes.append(rotation_matrices(p["turn"])[:, 2])
    axles = np.array(axes).reshape(-1, 3)
    if len(axes) < 2 or abs(axles @ axles[0]).min() < 0.95 or abs(axles @ up).max() > 0.2:
        return None
    direction = np.cross(axles[0], up)
    return (
        direction * np.sign(direction[abs(direction).argmax()]) / np.linalg.norm(direction)
    ).tolist()


def _up_direction(model, n) -> list[float]:
    g = n.array(model.gravity) if not isinstance(model.gravity, str) else np.zeros(3)
    size = np.linalg.norm(g)
    if not size > 0 or not np.isfinite(size):
        return [0.0, 0.0, 1.0]
    # gravity along a principal direction turns the ground; a tilted one does not
    e = -g / size
    return e.tolist() if abs(e).max() > 0.999 else [0.0, 0.0, 1.0]


def _characteristic_length(attachments, masses, run) -> float:
    """Length [m] that scales the symbols: of the largest body, else of the motion."""
    spans = [0.0]
    for name, e in attachments.items():
        if name in masses:
            p = [*e.points, masses[name][1]]
            spans += [float(np.linalg.norm(a - b)) for a in p[:1] for b in p[1:]]
    for m, _, J in masses.values():
        if m > 0:
            spans.append(float(np.sqrt(max(0.0, np.trace(J)) / m)))
    travels = [
        float(np.ptp(run[f"{b}.position.{c}"]))
        for b in masses
        for c in "xyz"
        if f"{b}.position.{c}" in run.units
    ]
    return max(spans) or 0.5 * max(travels, default=0.0) or 1.0


def _plane_normal(model, frame_poses, size) -> list[float] | None:
    """World axis normal to a planar motion. None for a spatial motion."""
    bodies = [b.name for b in model.bodies if frame_poses.has_pose(b.name)]
    poses = [frame_poses.body_poses(b) for b in bodies]
    is_flat = [all(np.ptp(p, axis=0)[k] < 1e-6 * size for _, p in poses) for k in range(3)]
    is_fixed = [all(abs(R[:, :, k] - R[0, :, k]).max() < 1e-6 for R, _ in poses) for k in range(3)]
    is_rotating = [any(np.ptp(R, axis=0).max() > 1e-6 for R, _ in poses)]
    normals = [k for k in range(3) if is_flat[k] and all(_keeps_axis(R, k) for R, _ in poses)]
    if not poses or not any(is_rotating) or len(normals) != 1 or all(is_fixed):
        return None
    return np.eye(3)[normals[0]].tolist()


def _keeps_axis(R, k) -> bool:
    """Whether rotations leave a world axis unchanged at every time point."""
    e = np.eye(3)[k]
    return bool(abs(np.einsum("rji,j->ri", R, e) - R[0].T @ e).max() < 1e-6)


def _separate_sliders(model, attachments, poses, size) -> dict[str, np.ndarray]:
    """Offsets [m] that separate bodies which slide along one line."""
    units = [unit for j in model.joints for _, unit in j.kind.speeds]
    slides = [b.name for b in model.bodies if attachments[b.name].rail is not None]
    if len(slides) < 2 or len(slides) != len(model.bodies) or any(u != "m/s" for u in units):
        return {}
    start = {b: poses.body_poses(b)[1] for b in slides}
    axis = poses.body_poses(slides[0])[0][0] @ attachments[slides[0]].rail
    gaps = [start[a] - start[b] for a in slides for b in slides if a != b]
    if min(float(np.linalg.norm(g, axis=1).min()) for g in gaps) > 0.3 * size:  # never meet
        return {}
    axis = axis * (1.0 if axis[abs(axis).argmax()] > 0 else -1.0)
    out, distance, previous = {}, 0.0, np.zeros((len(poses.run.time), 3))
    for b in _order_sliders(model, slides):
        distance += 0.75 * size - min(0.0, float(((start[b] - previous) @ axis).min(initial=0.0)))
        out[b], previous = axis * distance, start[b]
    return out


def _order_sliders(model, slides) -> list[str]:
    """Order bodies along the chain of force elements that join them, from the world outwards."""
    joint_bodies = {j.name: j.child for j in model.joints}
    grounded, pairs = [], []
    for f in model.forces:
        for mark in f.drawn():
            names = [mark["joint"]] if "joint" in mark else mark.get("names", ())
            joined_bodies = [
                joint_bodies[n] for x in names if (n := x.partition(".")[0]) in joint_bodies
            ]
            joined_bodies += [
                e if isinstance(e, str) else e[0] for e in (mark.get("a"), mark.get("b")) if e
            ]
            if len(joined_bodies) == 1 or "world" in joined_bodies:
                grounded += [b for b in joined_bodies if b != "world"]
            else:
                pairs.append(set(joined_bodies))
    order = [b for b in dict.fromkeys(grounded) if b in slides][:1]
    while neighbors := [b for p in pairs if p & {*order} for b in slides if b in p - {*order}]:
        order.append(neighbors[0])
    return [*order, *(b for b in slides if b not in order)]


def _anchor_marks(points, size) -> list[dict[str, Any]]:
    if not points:
        return []
    return [
        sphere(p, 0.03 * size) | {"kind": "anchor"}
        for p in [points[0], *select_distinct_points(points[1:], points[0], size)]
    ]


def _describe_frame(f, n) -> dict[str, Any]:
    R, p = n.pose(f)
    return {"name": f.name, "body": f.body, "at": p.tolist(), "turn": matrix_quaternion(R)}


def _traced_points(model) -> list[str]:
    """Points whose path is drawn at first: frames of the model, or its outermost bodies."""
    if model.frames:
        return [f.name for f in model.frames][:3]
    parents = {j.parent for j in model.joints}
    return [b.name for b in model.bodies if b.name not in parents][:3]
