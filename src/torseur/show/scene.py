"""What the 3D view draws: shapes of the model, or shapes made from its joints and inertias.

Everything is in the frame of the user's bodies, whose poses are signals of the run.
"""

from __future__ import annotations

import numpy as np

from ..joints import TIME
from ..numbers import Floats, values
from .meshes import ALTOGETHER, MOST
from .solids import capsule, inertia_box, quaternion, rotation, shape, sphere


class Numbers:
    """Numbers of a description (texts and parameters included) as floats."""

    def __init__(self, parameters):
        known = {n: float(x) for n, x in parameters.items() if x is not None}
        self.K = Floats({TIME: 0.0} | known)  # what time moves is drawn where it starts

    def __call__(self, x) -> float:
        return float(self.K.number(values.exact(x)))

    def array(self, x) -> np.ndarray:
        return np.array([self.array(e) if np.ndim(e) else self(e) for e in x])

    def pose(self, thing, prefix="") -> tuple[np.ndarray, np.ndarray]:
        """Rotation and origin of a joint's, loop's or frame's `at`, `rpy` or `pose`."""
        matrix = getattr(thing, f"{prefix}pose", None)
        if matrix is not None:
            X = self.array(np.asarray(matrix, dtype=object).tolist())
            return X[:3, :3], X[:3, 3]
        return (
            rotation(self.array(getattr(thing, f"{prefix}rpy"))),
            self.array(getattr(thing, f"{prefix}at")),
        )

    def end(self, end) -> dict:
        """An end of a force: a name, or a name and a point."""
        name, point = (end, (0, 0, 0)) if isinstance(end, str) else end
        return {"on": name, "at": self.array(point).tolist()}


def scene(run, model, parameters) -> dict:
    """The scene of a run as plain data; empty when the model is not known."""
    empty = {
        "up": [0, 0, 1],
        "size": 1.0,
        "bodies": [],
        "world": [],
        "frames": [],
        "joints": [],
        "lines": [],
        "wrenches": [],
        "traced": [],
        "ground": None,
    }
    if model is None:
        return empty
    n = Numbers(parameters)
    points = _points(model, n)
    masses = {b.name: _mass(b, n) for b in model.bodies}
    size = _size(points, masses, run)
    drawn = any(b.shapes for b in model.bodies)
    meshes = sum(hasattr(s, "file") for b in model.bodies for s in b.shapes)
    share = min(MOST, ALTOGETHER // max(1, meshes))
    heaviest = max((m for m, _, _ in masses.values()), default=0) or 1.0
    side_by_side = not drawn and _parallel_slides(model)
    bodies = []
    for i, b in enumerate(model.bodies):
        m, com, J = masses[b.name]
        parts = (
            [p for s in b.shapes if (p := shape(s, n, share))]
            if drawn
            else _default(points[b.name], m, com, J, size, heaviest)
        )
        aside = (i - (len(model.bodies) - 1) / 2) * 0.6 * size if side_by_side else 0.0
        bodies.append(
            {
                "name": b.name,
                "mass": m,
                "com": com.tolist(),
                "parts": parts,
                "offset": [0.0, aside, 0.0],
            }
        )
    return empty | {
        "up": _up(model, n),
        "size": size,
        "bodies": bodies,
        "world": [] if drawn else _anchors(points["world"], size),
        "frames": [_frame(f, n) for f in model.frames],
        "joints": [_joint(j, n) for j in (*model.joints, *model.loops) if _axes(j.kind, n)[0]],
        "lines": list(_segments(model, n, run)),
        "wrenches": [*_arrows(model, n, run), *_pushes(model, n, run)],
        "traced": _traced(model),
    }


def _up(model, n) -> list:
    g = n.array(model.gravity) if not isinstance(model.gravity, str) else np.zeros(3)
    size = np.linalg.norm(g)
    if not size > 0 or not np.isfinite(size):
        return [0, 0, 1]
    # gravity along a principal direction turns the ground; a tilted one does not
    e = -g / size
    return e.tolist() if abs(e).max() > 0.999 else [0, 0, 1]


def _mass(b, n):
    m = n(b.mass)
    if b.first_moment is not None:
        com = n.array(b.first_moment) / m if m else np.zeros(3)
    else:
        com = n.array(b.com)
    I = n.array(np.asarray(b.inertia, dtype=object).tolist())
    if I.shape != (3, 3):
        xx, yy, zz, xy, xz, yz = I
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if b.about == "origin":
        I = I - m * (com @ com * np.eye(3) - np.outer(com, com))
    return m, com, I


def _points(model, n) -> dict[str, list]:
    """Points of interest of every body in its frame; the inboard joint first."""
    out: dict[str, list] = {"world": [], **{b.name: [] for b in model.bodies}}
    for j in model.joints:
        if j.child in out:
            out[j.child].insert(0, n.pose(j, "child_")[1])
    for j in (*model.joints, *model.loops):
        if j.parent in out:
            out[j.parent].append(n.pose(j)[1])
    for j in model.loops:
        if j.child in out:
            out[j.child].append(n.pose(j, "child_")[1])
    homes = {}
    for f in model.frames:
        homes[f.name] = (f.body, n.pose(f)[1])
        if f.body in out:
            out[f.body].append(n.pose(f)[1])
    for f in model.forces:
        for end in (getattr(f, "a", None), getattr(f, "b", None)):
            if isinstance(end, tuple) and end[0] in out:
                out[end[0]].append(n.array(end[1]))
    return out


def _size(points, masses, run) -> float:
    """A length to size marks by: of the longest body, or of the motion."""
    spans = [0.0]
    for name, p in points.items():
        if name in masses:
            p = [*p, masses[name][1]]
        spans += [float(np.linalg.norm(a - b)) for a in p[:1] for b in p[1:]]
    moves = [
        float(np.ptp(run[f"{b}.position.{c}"]))
        for b in masses
        for c in "xyz"
        if f"{b}.position.{c}" in run.units
    ]
    return max(spans) or 0.5 * max(moves, default=0.0) or 1.0


def _default(points, m, com, J, size, heaviest) -> list:
    hub = points[0] if points else np.zeros(3)
    r = 0.028 * size
    parts = [
        capsule(hub, p, r)
        for p in _distinct(points[1:], size)
        if np.linalg.norm(p - hub) > 1e-3 * size
    ]
    if np.linalg.norm(com - hub) > 1e-3 * size and not parts:
        parts.append(capsule(hub, com, r))
    for p in parts:
        p["quiet"] = True
    if m > 0:
        box = inertia_box(m, com, J, 0.03 * size, 3 * size)
        if box is None:
            parts.append(sphere(com, size * (0.05 + 0.07 * np.cbrt(m / heaviest))))
        else:
            parts.append(box | ({"opacity": 0.38} if parts and points[1:] else {}))
    if not parts and not points[1:]:
        parts.append(sphere(hub, 0.04 * size) | {"quiet": True})
    return parts


def _distinct(points, size) -> list:
    out: list = []
    for p in points:
        if all(np.linalg.norm(p - o) > 1e-3 * size for o in out):
            out.append(p)
    return out


def _anchors(points, size) -> list:
    return [sphere(p, 0.03 * size) | {"quiet": True} for p in _distinct(points, size)]


def _frame(f, n) -> dict:
    R, p = n.pose(f)
    return {"name": f.name, "body": f.body, "at": p.tolist(), "turn": quaternion(R)}


def _axes(kind, n) -> tuple[list, bool]:
    """Directions a joint grants, in its outboard frame, and whether it is a ball."""
    if not hasattr(kind, "subspace") or not kind.nv:
        return [], False
    S = np.array(kind.subspace(n.K, kind.neutral()), dtype=float)
    turns = [s[:3] for s in S.T if np.linalg.norm(s[:3]) > 1e-9]
    if len(turns) >= 3:
        return [{"along": e.tolist(), "turn": True} for e in np.eye(3)], True
    out = [{"along": (w / np.linalg.norm(w)).tolist(), "turn": True} for w in turns]
    out += [
        {"along": (s[3:] / np.linalg.norm(s[3:])).tolist(), "turn": False}
        for s in S.T
        if np.linalg.norm(s[:3]) <= 1e-9 and np.linalg.norm(s[3:]) > 1e-9
    ]
    return out, False


def _joint(j, n) -> dict:
    R, p = n.pose(j, "child_")
    axes, ball = _axes(j.kind, n)
    if ball and type(j.kind).__name__ == "Free":
        axes, ball = [], False
    return {
        "name": j.name,
        "body": j.child,
        "at": p.tolist(),
        "turn": quaternion(R),
        "axes": axes,
        "ball": ball,
        "kind": type(j.kind).__name__.lower(),
    }


def _drawn(model, shape):
    """Names of forces and what their lines say of how they are drawn."""
    for f in model.forces:
        if (how := f.drawn()) and how["shape"] == shape:
            yield f.name, how


def _segments(model, n, run):
    torn = {e.name.removesuffix(": torn"): e.time for e in run.events if e.name.endswith(": torn")}
    for name, how in _drawn(model, "segment"):
        force = f"{name}.force"
        yield {
            "name": name,
            "a": n.end(how["a"]),
            "b": n.end(how["b"]),
            "rod": how["rod"],
            "force": force if force in run.units else None,
            "torn": torn.get(name),
        }


def _arrows(model, n, run):
    for name, how in _drawn(model, "arrow"):
        force = f"{name}.force"
        inputs = [f"{how['input']}.{i}" for i in (3, 4, 5)] if how["input"] else []
        yield {
            "name": name,
            "at": n.end(how["at"]),
            "own": how["own"],
            "force": n.array(how["wrench"])[3:].tolist(),
            "size": force if force in run.units else None,
            "inputs": inputs if all(i in run.units for i in inputs) else [],
        }


def _pushes(model, n, run):
    """Forces along slides: a tension T pushes the child by -T along the axis, a source by P."""
    joints = {j.name: j for j in model.joints}
    for name, how in _drawn(model, "push"):
        j = joints.get(how["joint"])
        if j is None or f"{name}.force" not in run.units:
            continue
        axes, _ = _axes(j.kind, n)
        if len(axes) == 1 and not axes[0]["turn"]:
            R, p = n.pose(j, "child_")
            yield {
                "name": name,
                "at": {"on": j.child, "at": p.tolist()},
                "own": True,
                "force": (how["sign"] * R @ axes[0]["along"]).tolist(),
                "size": f"{name}.force",
                "inputs": [],
            }


def _traced(model) -> list[str]:
    """Points whose path is drawn at first: the model's frames, or its outermost bodies."""
    if model.frames:
        return [f.name for f in model.frames][:3]
    parents = {j.parent for j in model.joints}
    return [b.name for b in model.bodies if b.name not in parents][:3]


def _parallel_slides(model) -> bool:
    """Whether every body slides on a straight line: then bodies are drawn side by side."""
    units = [unit for j in model.joints for _, unit in getattr(j.kind, "speeds", ())]
    return (
        len(model.bodies) > 1
        and bool(units)
        and all(u == "m/s" for u in units)
        and all(len(getattr(j.kind, "speeds", ())) <= 1 for j in model.joints)
    )
