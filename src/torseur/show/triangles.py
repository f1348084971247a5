"""Pictures of bodies as triangles, for drawings made without a browser."""

from __future__ import annotations

import base64
import itertools
from typing import Any

import numpy as np

from .solids import along

ROUND = 20  # sides of what is round


def turned(q) -> np.ndarray:
    """Rotation of a unit quaternion (w, x, y, z)."""
    w, x, y, z = q
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def lathe(profile) -> np.ndarray:
    """Triangles (n, 3, 3) of a profile of (radius, height) turned about z, outward."""
    a = np.linspace(0, 2 * np.pi, ROUND, endpoint=False)
    rings = [np.stack([r * np.cos(a), r * np.sin(a), np.full(ROUND, h)], -1) for r, h in profile]
    out = []
    for low, high in itertools.pairwise(rings):
        b, c = np.roll(low, -1, 0), np.roll(high, -1, 0)
        out += [np.stack([low, b, c], 1), np.stack([low, c, high], 1)]
    return np.concatenate(out)


def ball(radii) -> np.ndarray:
    """An ellipsoid."""
    a = np.linspace(-np.pi / 2, np.pi / 2, 11)
    return lathe([(np.cos(x), np.sin(x)) for x in a]) * np.asarray(radii, dtype=float)


def tube(r: float, length: float, end: float | None = None) -> np.ndarray:
    """A closed cylinder about z, centred; `end`: another radius above."""
    h, top = length / 2, r if end is None else end
    return lathe([(0, -h), (r, -h), (top, h), (0, h)])


def box(size) -> np.ndarray:
    """A box, centred."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 2
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    quads = corners[np.array(faces)] * np.asarray(size, dtype=float)
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _bar(p) -> np.ndarray:
    a, b, r = np.array(p["a"]), np.array(p["b"]), p["radius"]
    length = float(np.linalg.norm(b - a)) or 1e-9
    R = turned(along(b - a)) if length > 1e-9 else np.eye(3)
    shift = np.zeros(3)
    if p.get("normal") is not None:
        shift = np.array(p["normal"]) * (p.get("layer") or 0) * 1.35 * r
    rod = tube(r, length, 0.72 * r) + (0, 0, length / 2)
    ends = [ball([1.1 * r] * 3), ball([0.85 * r] * 3) + (0, 0, length)]
    return np.concatenate([rod, *ends]) @ R.T + a + shift


def _mesh(p) -> np.ndarray:
    steps = np.frombuffer(base64.b64decode(p["vertices"]), "<u2").reshape(-1, 3)
    low, high = np.array(p["low"]), np.array(p["high"])
    points = low + (high - low) * steps / 65535
    kind = "<u4" if p.get("wide") else "<u2"
    return points[np.frombuffer(base64.b64decode(p["triangles"]), kind).reshape(-1, 3)]


def _capsule(p) -> np.ndarray:
    r, h, a = p["radius"], p["length"] / 2, np.linspace(0, np.pi / 2, 6)
    low = [(r * np.cos(x), -h - r * np.sin(x)) for x in a[::-1]]
    return lathe([*low, *((r * np.cos(x), h + r * np.sin(x)) for x in a)])


def _surface(p) -> np.ndarray:
    net = np.array(p["points"]).reshape(p["rows"], p["columns"], 3)
    a, b, c, d = net[:-1, :-1], net[:-1, 1:], net[1:, :-1], net[1:, 1:]
    return np.concatenate([np.stack(t, 2).reshape(-1, 3, 3) for t in ((a, c, b), (b, c, d))])


def _wheel(p) -> np.ndarray:
    r, w = p["radius"], p["width"]
    mark = box((0.18 * r, 0.1 * r, 1.05 * w)) + (0.87 * r, 0, 0)
    return np.concatenate([tube(r, w), mark])


def _curve(p) -> np.ndarray:
    points, r = np.array(p["points"]), p["radius"]
    rods = [_bar({"a": a, "b": b, "radius": r}) for a, b in itertools.pairwise(points)]
    return np.concatenate(rods) if rods else np.zeros((0, 3, 3))


MADE: dict[str, Any] = {
    "box": lambda p: box(p["size"]),
    "sphere": lambda p: ball([p["radius"]] * 3),
    "ellipsoid": lambda p: ball(p["radii"]),
    "cylinder": lambda p: tube(p["radius"], p["length"]),
    "gear": lambda p: tube(p["radius"], p["length"]),
    "capsule": _capsule,
    "bar": _bar,
    "wheel": _wheel,
    "plane": lambda p: box((p["size"], p["size"], 0.05 * p["size"])) - (0, 0, 0.025 * p["size"]),
    "anchor": lambda p: box((3.0 * p["radius"],) * 3) - (0, 0, 1.5 * p["radius"]),
    "mesh": _mesh,
    "surface": _surface,
    "curve": _curve,
}
"""How each kind of picture is made of triangles; the kinds are those of `web/src/shapes.js`."""


def triangles(part) -> np.ndarray:
    """A part of a body in the body's axes, (n, 3, 3)."""
    made = MADE[part["kind"]](part)
    if part["kind"] == "bar":
        return made
    R = turned(part.get("turn") or (1, 0, 0, 0))
    return made @ R.T + np.array(part.get("at") or (0, 0, 0))
