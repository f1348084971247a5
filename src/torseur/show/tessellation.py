"""Tessellation of shape primitives into triangles for the software renderer."""

from __future__ import annotations

import base64
import itertools
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..spatial import rotation_matrices
from .primitives import rotation_from_z

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

SEGMENTS_PER_TURN = 20  # sides of what is round


def revolve_profile(
    profile: Iterable[tuple[float, float]], n_segments: int = SEGMENTS_PER_TURN
) -> np.ndarray:
    """Triangles (n, 3, 3) of a profile of (radius, height) revolved about z, normals outward."""
    a = np.linspace(0, 2 * np.pi, n_segments, endpoint=False)
    rings = [
        np.stack([r * np.cos(a), r * np.sin(a), np.full(n_segments, h)], -1) for r, h in profile
    ]
    out = []
    for low, high in itertools.pairwise(rings):
        b, c = np.roll(low, -1, 0), np.roll(high, -1, 0)
        out += [np.stack([low, b, c], 1), np.stack([low, c, high], 1)]
    return np.concatenate(out)


def make_ellipsoid(radii: ArrayLike, n_segments: int = SEGMENTS_PER_TURN) -> np.ndarray:
    """Triangles of an ellipsoid."""
    a = np.linspace(-np.pi / 2, np.pi / 2, n_segments // 2 + 1)
    return revolve_profile([(np.cos(x), np.sin(x)) for x in a], n_segments) * np.asarray(
        radii, dtype=float
    )


def make_cylinder(r: float, length: float, end: float | None = None) -> np.ndarray:
    """Triangles of a closed cylinder about z, centered. `end` is the upper radius of a cone."""
    h, top = length / 2, r if end is None else end
    return revolve_profile([(0, -h), (r, -h), (top, h), (0, h)])


def make_box(size: ArrayLike) -> np.ndarray:
    """Triangles of a box, centered."""
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]) / 2
    faces = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    quads = corners[np.array(faces)] * np.asarray(size, dtype=float)
    return np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def _make_bar(p) -> np.ndarray:
    """Triangles of a tapered rod with two balls as ends."""
    a, b, r = np.array(p["a"]), np.array(p["b"]), p["radius"]
    length = float(np.linalg.norm(b - a)) or 1e-9
    R = rotation_matrices(rotation_from_z(b - a)) if length > 1e-9 else np.eye(3)
    shift = np.zeros(3)
    if p.get("normal") is not None:
        shift = np.array(p["normal"]) * (p.get("layer") or 0) * 1.35 * r
    rod = make_cylinder(r, length, 0.72 * r) + (0, 0, length / 2)
    caps = [make_ellipsoid([1.1 * r] * 3, 10), make_ellipsoid([0.85 * r] * 3, 10) + (0, 0, length)]
    return np.concatenate([rod, *caps]) @ R.T + a + shift


def _unpack_mesh(p) -> np.ndarray:
    steps = np.frombuffer(base64.b64decode(p["vertices"]), "<u2").reshape(-1, 3)
    low, high = np.array(p["low"]), np.array(p["high"])
    points = low + (high - low) * steps / 65535
    kind = "<u4" if p.get("wide") else "<u2"
    return points[np.frombuffer(base64.b64decode(p["triangles"]), kind).reshape(-1, 3)]


def _make_capsule(p) -> np.ndarray:
    r, h, a = p["radius"], p["length"] / 2, np.linspace(0, np.pi / 2, 6)
    low = [(r * np.cos(x), -h - r * np.sin(x)) for x in a[::-1]]
    return revolve_profile([*low, *((r * np.cos(x), h + r * np.sin(x)) for x in a)])


def _make_surface(p) -> np.ndarray:
    net = np.array(p["points"]).reshape(p["rows"], p["columns"], 3)
    a, b, c, d = net[:-1, :-1], net[:-1, 1:], net[1:, :-1], net[1:, 1:]
    return np.concatenate([np.stack(t, 2).reshape(-1, 3, 3) for t in ((a, c, b), (b, c, d))])


def _make_tire(p) -> np.ndarray:
    r, w = p["radius"], p["width"]
    t, inner = 0.13 * r, 0.68 * r
    tread = [(0.92 * r, -w / 2), (r, t - w / 2), (r, w / 2 - t), (0.92 * r, w / 2)]
    return revolve_profile([(inner, -w / 2), *tread, (inner, w / 2), (inner, -w / 2)], 36)


def _make_rim(p) -> np.ndarray:
    r, w = p["radius"], p["width"]
    spokes = [
        (make_box((0.62 * r, 0.13 * r, 0.3 * w)) + (0.39 * r, 0, 0))
        @ rotation_matrices((np.cos(a / 2), 0, 0, np.sin(a / 2))).T
        for a in np.linspace(0, 2 * np.pi, 5, endpoint=False)
    ]
    return np.concatenate([make_cylinder(0.16 * r, 0.6 * w), *spokes])


def _make_mark(p) -> np.ndarray:
    r, w = p["radius"], p["width"]
    return make_box((0.18 * r, 0.1 * r, 1.05 * w)) + (0.87 * r, 0, 0)


def _make_wheel(p) -> np.ndarray:
    return np.concatenate([_make_tire(p), _make_rim(p), _make_mark(p)])


WHEEL_PARTS = (
    (_make_tire, (62, 68, 78)),
    (_make_rim, (182, 190, 201)),
    (_make_mark, (230, 159, 0)),
)


def _make_curve(p) -> np.ndarray:
    points, r = np.array(p["points"]), p["radius"]
    rods = [_make_bar({"a": a, "b": b, "radius": r}) for a, b in itertools.pairwise(points)]
    return np.concatenate(rods) if rods else np.zeros((0, 3, 3))


TESSELLATORS: dict[str, Any] = {
    "box": lambda p: make_box(p["size"]),
    "sphere": lambda p: make_ellipsoid([p["radius"]] * 3),
    "ellipsoid": lambda p: make_ellipsoid(p["radii"]),
    "cylinder": lambda p: make_cylinder(p["radius"], p["length"]),
    "gear": lambda p: make_cylinder(p["radius"], p["length"]),
    "capsule": _make_capsule,
    "bar": _make_bar,
    "wheel": _make_wheel,
    "plane": lambda p: (
        make_box((p["size"], p["size"], 0.05 * p["size"])) - (0, 0, 0.025 * p["size"])
    ),
    "anchor": lambda p: make_box((3.0 * p["radius"],) * 3) - (0, 0, 1.5 * p["radius"]),
    "mesh": _unpack_mesh,
    "surface": _make_surface,
    "curve": _make_curve,
}
"""How each kind of picture is made of triangles; the kinds are those of `web/src/shapes.js`."""


def tessellate_part(part: Mapping[str, Any], mesh: np.ndarray | None = None) -> np.ndarray:
    """Triangles (n, 3, 3) of a part in body coordinates."""
    triangles: np.ndarray = TESSELLATORS[part["kind"]](part) if mesh is None else mesh
    if part["kind"] == "bar":
        return triangles
    R = rotation_matrices(part.get("turn") or (1, 0, 0, 0))
    return triangles @ R.T + np.array(part.get("at") or (0, 0, 0))


def color_part(part: Mapping[str, Any]) -> list[tuple[np.ndarray, Any]]:
    """Triangles of a part with their colors. None stands for the color of the body."""
    if part["kind"] == "wheel":
        return [(tessellate_part(part, make(part)), color) for make, color in WHEEL_PARTS]
    return [(tessellate_part(part), None)]


MIN_SMOOTH_COSINE = 0.75  # cosine between faces that are one curved surface
MAX_SMOOTHED_TRIANGLES = 20_000


def corner_normals(t: np.ndarray) -> np.ndarray:
    """Unit normals (n, 3, 3) at the corners of triangles, smoothed over faces with a small angle.

    >>> n = corner_normals(make_ellipsoid([1.0] * 3))
    >>> flat = corner_normals(make_box((1, 1, 1)))
    >>> bool(abs(abs(flat).max(-1) - 1).max() < 1e-12), n.shape == make_ellipsoid([1.0] * 3).shape
    (True, True)
    """
    face = np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0])
    unit = face / np.maximum(np.linalg.norm(face, axis=1), 1e-300)[:, None]
    out = np.repeat(unit[:, None], 3, 1)
    if not 0 < len(t) <= MAX_SMOOTHED_TRIANGLES:
        return out
    grid_size = 1e-6 * float(np.ptp(t.reshape(-1, 3), axis=0).max() or 1.0)
    keys = np.round(t.reshape(-1, 3) / grid_size).astype(np.int64)
    _, owner = np.unique(keys, axis=0, return_inverse=True)
    order = np.argsort(owner.ravel(), kind="stable")
    flat = out.reshape(-1, 3)
    for corners in np.split(order, np.flatnonzero(np.diff(owner.ravel()[order])) + 1):
        unit_normals, weight = unit[corners // 3], face[corners // 3]
        mean_normals = (unit_normals @ unit_normals.T > MIN_SMOOTH_COSINE) @ weight
        size = np.linalg.norm(mean_normals, axis=1)[:, None]
        flat[corners] = np.where(size > 0, mean_normals / np.maximum(size, 1e-300), unit_normals)
    return out
