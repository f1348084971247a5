"""Default shapes of bodies without shapes: bars between joints, wheels, blocks on slides, and
inertia boxes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from .model_numbers import ModelNumbers
from .primitives import inertia_box, rotation_from_z, sphere

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ..model import Model

FAINT_OPACITY = 0.35


@dataclass(slots=True)
class AttachmentPoints:
    """Points of a body at which joints, forces and frames are attached, the inboard joint first."""

    points: list[np.ndarray] = field(default_factory=list)
    axes: list[np.ndarray | None] = field(default_factory=list)  # of a pin there
    rail: np.ndarray | None = None  # direction of the slide that carries it
    depth: int = 0  # joints from the world

    def add(self, point: np.ndarray, axis: np.ndarray | None = None, first: bool = False):
        at = 0 if first else len(self.points)
        self.points.insert(at, point)
        self.axes.insert(at, axis)


def find_free_axes(kind: Any, n: ModelNumbers) -> tuple[list, list]:
    """Return rotation axes and translation axes of a joint in its outboard frame.

    They are the columns of its motion subspace in the neutral position.
    """
    if not kind.nv:
        return [], []
    try:
        S = np.array(kind.subspace(n.K, kind.neutral()), dtype=float)
    except (ArithmeticError, ValueError):  # its neutral position is out of its range
        return [], []
    rotation_axes = [s[:3] / np.linalg.norm(s[:3]) for s in S.T if np.linalg.norm(s[:3]) > 1e-9]
    translation_axes = [
        s[3:] / np.linalg.norm(s[3:])
        for s in S.T
        if np.linalg.norm(s[:3]) <= 1e-9 and np.linalg.norm(s[3:]) > 1e-9
    ]
    return rotation_axes, translation_axes


def find_attachment_points(model: Model, n: ModelNumbers) -> dict[str, AttachmentPoints]:
    """Collect the attachment points of the world and of every body, in body coordinates."""
    out = {"world": AttachmentPoints(), **{b.name: AttachmentPoints() for b in model.bodies}}
    for j in model.joints:
        if j.child not in out:
            continue
        R, p = n.pose(j, "child_")
        rotation_axes, translation_axes = find_free_axes(j.kind, n)
        child = out[j.child]
        child.add(p, R @ rotation_axes[0] if j.kind.picture == "pin" else None, first=True)
        child.rail = (
            R @ translation_axes[0] if len(translation_axes) == 1 and not rotation_axes else None
        )
        child.depth = out[j.parent].depth + 1 if j.parent in out else 1
    joints: list[Any] = [*model.joints, *model.loops]
    for j in joints:
        is_free = j.kind.nv == 6 or j.kind.bars()  # nothing of the parent is at its origin
        if j.parent in out and not is_free:
            R, p = n.pose(j)
            rotation_axes, _ = find_free_axes(j.kind, n)
            out[j.parent].add(p, R @ rotation_axes[0] if j.kind.picture == "pin" else None)
    for loop in model.loops:
        if loop.child in out:
            R, p = n.pose(loop, "child_")
            rotation_axes, _ = find_free_axes(loop.kind, n)
            out[loop.child].add(p, R @ rotation_axes[0] if loop.kind.picture == "pin" else None)
    for f in model.frames:
        if f.body in out:
            out[f.body].add(n.pose(f)[1])
    for element in (*model.forces, *model.constraints):
        for mark in element.drawn():
            for end in (mark.get("a"), mark.get("b")):
                if isinstance(end, tuple) and end[0] in out:
                    out[end[0]].add(n.array(end[1]))
    return out


def make_default_parts(
    attachments: AttachmentPoints,
    mass: tuple[float, np.ndarray, np.ndarray],
    size: float,
    max_mass: float,
    has_marks: bool,
    is_only_body: bool,
) -> list:
    """Make the default shape of a body from its attachment points and mass properties.

    `has_marks`: marks of elements already show the body. `is_only_body`: the inertia box may be
    large.
    """
    m, com, J = mass
    hub = attachments.points[0] if attachments.points else np.zeros(3)
    points = select_distinct_points(attachments.points[1:], hub, size)
    if (
        attachments.points
        and not points
        and (wheel := _fit_wheel(hub, attachments.axes[0], m, com, J, size))
    ):
        return [wheel]
    r = 0.03 * size
    normal = _pin_direction(attachments)
    parts = [_make_bar(hub, p, r, normal, attachments.depth) for p in points]
    parts += [
        _make_bar(a, b, r, normal, attachments.depth)
        for a, b in pairwise(points)
        if np.linalg.norm(np.cross(a - hub, b - hub)) > 0.02 * size**2
    ]
    if parts or has_marks:
        return parts
    edge = size * (0.12 + 0.16 * float(np.cbrt(m / max_mass)))
    if attachments.rail is not None:
        block = {"kind": "box", "size": [edge, edge, 0.8 * edge]}
        return [
            block | {"at": com.tolist(), "turn": rotation_from_z(attachments.rail), "soft": True}
        ]
    arm = com - hub
    if np.linalg.norm(arm) > 1e-3 * size:
        length = _rod_length(m, arm, J)
        tip = hub + arm * (1 + length / np.linalg.norm(arm) / 2)  # the rod's middle is its com
        parts.append(_make_bar(hub, tip, r, normal, attachments.depth))
        if length:
            return parts
    box = (
        inertia_box(m, com, J, 0.03 * size, (3 if is_only_body else 0.3) * size) if m > 0 else None
    )
    if box is not None:
        return [*parts, box | {"opacity": FAINT_OPACITY if parts else 0.6}]
    radius = 0.5 * edge if m > 0 else 0.04 * size
    return [*parts, sphere(com if m > 0 else hub, radius)]


def _make_bar(a, b, radius, normal, depth) -> dict[str, Any]:
    """Make a rod between two points. It is flat, with eyes about `normal`, if its pins are
    parallel.
    """
    bar: dict[str, Any] = {"kind": "bar", "a": a.tolist(), "b": b.tolist(), "radius": float(radius)}
    if normal is not None and abs(normal @ (b - a)) < 0.2 * np.linalg.norm(b - a):
        bar |= {"normal": normal.tolist(), "layer": 0.5 if depth % 2 else -0.5}
    return bar


def _pin_direction(attachments: AttachmentPoints) -> np.ndarray | None:
    """Return the common direction of the pins of a body, or None."""
    pins = [a for a in attachments.axes if a is not None]
    if not pins or any(np.linalg.norm(np.cross(pins[0], a)) > 1e-6 for a in pins):
        return None
    return pins[0] * (1.0 if pins[0][abs(pins[0]).argmax()] > 0 else -1.0)


def _fit_wheel(hub, axis, m, com, J, size) -> dict[str, Any] | None:
    """Make a disc about the pin if the inertia is that of a disc, else return None."""
    if axis is None or not m > 0:
        return None
    I, arm = float(axis @ J @ axis), com - hub
    transverse_inertia = float(np.trace(J) - I) / 2
    radius = float(np.sqrt(2 * I / m))
    offset = np.linalg.norm(arm - axis * (arm @ axis))
    if I < 1.4 * transverse_inertia or offset > 0.05 * radius or radius > 3 * size:
        return None
    return make_wheel(com, axis, radius)


def make_wheel(at: ArrayLike, axis: ArrayLike, radius: float) -> dict[str, Any]:
    """Make a wheel. A mark on its rim makes its rotation visible."""
    return {
        "kind": "wheel",
        "radius": float(radius),
        "width": 0.35 * float(radius),
        "at": np.asarray(at, float).tolist(),
        "turn": rotation_from_z(axis),
    }


def _rod_length(m, arm, J) -> float:
    """Length of the slender rod along `arm` with this inertia, or 0 if the inertia is not that of a
    rod.
    """
    d = arm / np.linalg.norm(arm)
    I = float(d @ J @ d)
    transverse_inertia = float(np.trace(J) - I) / 2
    return (
        float(np.sqrt(12 * transverse_inertia / m))
        if m > 0 and transverse_inertia > 0 and I < 0.1 * transverse_inertia
        else 0.0
    )


def select_distinct_points(
    points: Iterable[np.ndarray], hub: np.ndarray, size: float
) -> list[np.ndarray]:
    """Select points that differ from each other and from the hub."""
    out: list[np.ndarray] = []
    for p in points:
        if all(np.linalg.norm(p - o) > 1e-3 * size for o in (hub, *out)):
            out.append(p)
    return out
