"""Pictures of bodies that bring no shapes: bars between joints, wheels, blocks on rails, and the
box of an inertia only where nothing else is known."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from .model_numbers import Numbers
from .primitives import along, inertia_box, sphere

FAINT = 0.35


@dataclass(slots=True)
class Ends:
    """What is known of a body: points where something is attached, the inboard joint first."""

    points: list[np.ndarray] = field(default_factory=list)
    axes: list[np.ndarray | None] = field(default_factory=list)  # of a pin there
    rail: np.ndarray | None = None  # direction of the slide that carries it
    depth: int = 0  # joints from the world

    def add(self, point, axis=None, first=False):
        at = 0 if first else len(self.points)
        self.points.insert(at, point)
        self.axes.insert(at, axis)


def granted(kind, n: Numbers) -> tuple[list, list]:
    """Directions of turns and of slides that a joint grants, in its outboard frame."""
    if not kind.nv:
        return [], []
    try:
        S = np.array(kind.subspace(n.K, kind.neutral()), dtype=float)
    except (ArithmeticError, ValueError):  # its neutral position is out of its range
        return [], []
    turns = [s[:3] / np.linalg.norm(s[:3]) for s in S.T if np.linalg.norm(s[:3]) > 1e-9]
    slides = [
        s[3:] / np.linalg.norm(s[3:])
        for s in S.T
        if np.linalg.norm(s[:3]) <= 1e-9 and np.linalg.norm(s[3:]) > 1e-9
    ]
    return turns, slides


def ends_of(model, n: Numbers) -> dict[str, Ends]:
    """Points of interest of the world and of every body, in its frame."""
    out = {"world": Ends(), **{b.name: Ends() for b in model.bodies}}
    for j in model.joints:
        if j.child not in out:
            continue
        R, p = n.pose(j, "child_")
        turns, slides = granted(j.kind, n)
        child = out[j.child]
        child.add(p, R @ turns[0] if j.kind.picture == "pin" else None, first=True)
        child.rail = R @ slides[0] if len(slides) == 1 and not turns else None
        child.depth = out[j.parent].depth + 1 if j.parent in out else 1
    for j in (*model.joints, *model.loops):
        loose = j.kind.nv == 6 or j.kind.bars()  # nothing of the parent is at its origin
        if j.parent in out and not loose:
            R, p = n.pose(j)
            turns, _ = granted(j.kind, n)
            out[j.parent].add(p, R @ turns[0] if j.kind.picture == "pin" else None)
    for j in model.loops:
        if j.child in out:
            R, p = n.pose(j, "child_")
            turns, _ = granted(j.kind, n)
            out[j.child].add(p, R @ turns[0] if j.kind.picture == "pin" else None)
    for f in model.frames:
        if f.body in out:
            out[f.body].add(n.pose(f)[1])
    for thing in (*model.forces, *model.constraints):
        for mark in thing.drawn():
            for end in (mark.get("a"), mark.get("b")):
                if isinstance(end, tuple) and end[0] in out:
                    out[end[0]].add(n.array(end[1]))
    return out


def parts_of(ends: Ends, mass, size: float, heaviest: float, dressed: bool, alone: bool) -> list:
    """Parts of a body from what is known of it.

    `dressed`: elements on it have pictures; `alone`: it is the only one, and sets the scale.
    """
    m, com, J = mass
    hub = ends.points[0] if ends.points else np.zeros(3)
    others = distinct(ends.points[1:], hub, size)
    if ends.points and not others and (wheel := _wheel(hub, ends.axes[0], m, com, J, size)):
        return [wheel]
    r = 0.03 * size
    normal = _normal(ends)
    parts = [_bar(hub, p, r, normal, ends.depth) for p in others]
    parts += [
        _bar(a, b, r, normal, ends.depth)
        for a, b in pairwise(others)
        if np.linalg.norm(np.cross(a - hub, b - hub)) > 0.02 * size**2
    ]
    if parts or dressed:
        return parts
    edge = size * (0.12 + 0.16 * float(np.cbrt(m / heaviest)))
    if ends.rail is not None:
        block = {"kind": "box", "size": [edge, edge, 0.8 * edge]}
        return [block | {"at": com.tolist(), "turn": along(ends.rail), "soft": True}]
    arm = com - hub
    if np.linalg.norm(arm) > 1e-3 * size:
        length = _rod(m, arm, J)
        tip = hub + arm * (1 + length / np.linalg.norm(arm) / 2)  # the rod's middle is its com
        parts.append(_bar(hub, tip, r, normal, ends.depth))
        if length:
            return parts
    box = inertia_box(m, com, J, 0.03 * size, (3 if alone else 0.3) * size) if m > 0 else None
    if box is not None:
        return [*parts, box | {"opacity": FAINT if parts else 0.6}]
    radius = 0.5 * edge if m > 0 else 0.04 * size
    return [*parts, sphere(com if m > 0 else hub, radius)]


def _bar(a, b, radius, normal, depth) -> dict[str, Any]:
    """A rod between two points: flat, with eyes about `normal`, where its pins are parallel."""
    bar: dict[str, Any] = {"kind": "bar", "a": a.tolist(), "b": b.tolist(), "radius": float(radius)}
    if normal is not None and abs(normal @ (b - a)) < 0.2 * np.linalg.norm(b - a):
        bar |= {"normal": normal.tolist(), "layer": 0.5 if depth % 2 else -0.5}
    return bar


def _normal(ends: Ends) -> np.ndarray | None:
    """The common direction of the pins on a body, if they have one."""
    pins = [a for a in ends.axes if a is not None]
    if not pins or any(np.linalg.norm(np.cross(pins[0], a)) > 1e-6 for a in pins):
        return None
    return pins[0] * (1.0 if pins[0][abs(pins[0]).argmax()] > 0 else -1.0)


def _wheel(hub, axis, m, com, J, size) -> dict[str, Any] | None:
    """A disc that turns about its pin, where the inertia is that of one."""
    if axis is None or not m > 0:
        return None
    I, arm = float(axis @ J @ axis), com - hub
    across = float(np.trace(J) - I) / 2
    radius = float(np.sqrt(2 * I / m))
    off = np.linalg.norm(arm - axis * (arm @ axis))
    if I < 1.4 * across or off > 0.05 * radius or radius > 3 * size:
        return None
    return wheel(com, axis, radius)


def wheel(at, axis, radius: float) -> dict[str, Any]:
    """A wheel with a mark on its rim, so that one sees it turn."""
    return {
        "kind": "wheel",
        "radius": float(radius),
        "width": 0.35 * float(radius),
        "at": np.asarray(at, float).tolist(),
        "turn": along(axis),
    }


def _rod(m, arm, J) -> float:
    """Length of the slender rod along `arm` with this inertia; 0 when it is none."""
    d = arm / np.linalg.norm(arm)
    I = float(d @ J @ d)
    across = float(np.trace(J) - I) / 2
    return float(np.sqrt(12 * across / m)) if m > 0 and across > 0 and I < 0.1 * across else 0.0


def distinct(points, hub, size) -> list[np.ndarray]:
    """Points apart from each other and from the hub."""
    out: list[np.ndarray] = []
    for p in points:
        if all(np.linalg.norm(p - o) > 1e-3 * size for o in (hub, *out)):
            out.append(p)
    return out
