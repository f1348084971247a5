"""Shape primitives of the 3D view as plain data, and inertia boxes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .model_numbers import ModelNumbers

BODY_COLORS = (
    (0, 114, 178), (213, 94, 0), (0, 158, 115), (204, 121, 167), (230, 159, 0),
    (86, 180, 233), (138, 143, 0), (127, 107, 179), (160, 82, 45), (107, 122, 144),
)  # fmt: skip
"""Of bodies, in their order."""


def rpy_matrix(rpy: ArrayLike) -> np.ndarray:
    """Rotation matrix of roll, pitch, yaw about fixed x, y, z [rad].

    >>> rpy_matrix((0, 0, np.pi / 2)).round(12) + 0.0
    array([[ 0., -1.,  0.],
           [ 1.,  0.,  0.],
           [ 0.,  0.,  1.]])
    """
    (a, b, c), (sa, sb, sc) = np.cos(rpy), np.sin(rpy)
    Rx = np.array([[1, 0, 0], [0, a, -sa], [0, sa, a]])
    Ry = np.array([[b, 0, sb], [0, 1, 0], [-sb, 0, b]])
    Rz = np.array([[c, -sc, 0], [sc, c, 0], [0, 0, 1]])
    return Rz @ Ry @ Rx


def matrix_quaternion(R: np.ndarray) -> list[float]:
    """Unit quaternion (w, x, y, z) of a rotation matrix.

    >>> matrix_quaternion(np.diag([1.0, -1.0, -1.0]))
    [0.0, 1.0, 0.0, 0.0]
    """
    K = np.array(
        [
            [R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0], R[2, 1] - R[1, 2]],
            [0, R[1, 1] - R[0, 0] - R[2, 2], R[1, 2] + R[2, 1], R[0, 2] - R[2, 0]],
            [0, 0, R[2, 2] - R[0, 0] - R[1, 1], R[1, 0] - R[0, 1]],
            [0, 0, 0, R[0, 0] + R[1, 1] + R[2, 2]],
        ]
    )
    x, y, z, w = np.linalg.eigh(K, UPLO="U")[1][:, -1]
    sign = -1.0 if min(w, 0) < 0 or (w == 0 and max((x, y, z), key=abs) < 0) else 1.0
    return [float(sign * e) + 0.0 for e in (w, x, y, z)]


def rotation_from_z(direction: ArrayLike) -> list[float]:
    """Quaternion of the smallest rotation that takes the z axis to a direction."""
    d = np.asarray(direction, dtype=float)
    d = d / np.linalg.norm(d)
    if d[2] < -1 + 1e-12:
        return [0.0, 1.0, 0.0, 0.0]
    q = np.array([1 + d[2], -d[1], d[0], 0.0])
    return (q / np.linalg.norm(q)).tolist()


def sphere(at: ArrayLike, radius: float) -> dict:
    return {"kind": "sphere", "radius": float(radius), "at": np.asarray(at, float).tolist()}


def inertia_box(
    m: float, com: ArrayLike, J: np.ndarray, min_edge: float, max_edge: float
) -> dict | None:
    """Solid box with this mass and inertia about its center. None for a point mass. Equation SH.1.

    >>> box = inertia_box(12.0, (0, 0, 0), np.diag([4.0 + 9.0, 1.0 + 9.0, 1.0 + 4.0]), 0, 10)
    >>> sorted(round(e, 9) for e in box["size"])
    [1.0, 2.0, 3.0]
    """
    A, R = np.linalg.eigh(J)
    if not A.max() > 1e-9 * m * min_edge**2 or not m > 0:
        return None
    if np.linalg.det(R) < 0:
        R[:, 0] *= -1
    edges = np.sqrt(np.maximum(0.0, 6 / m * (A.sum() - 2 * A)))  # SH.1
    return {
        "kind": "box",
        "size": np.clip(edges, min_edge, max_edge).tolist(),
        "at": np.asarray(com, float).tolist(),
        "turn": matrix_quaternion(R),
    }


def describe_shape(s: Any, numbers: ModelNumbers, triangles: int = 6000) -> dict | None:
    """Describe a shape of the model as plain data. None for a mesh whose file cannot be read.

    A mesh contributes at most `triangles` triangles.
    """
    kind = type(s).__name__.lower()
    out = {
        "kind": kind,
        "at": numbers.array(s.at).tolist(),
        "turn": matrix_quaternion(rpy_matrix(numbers.array(s.rpy))),
    }
    if s.color is not None:
        (*rgb,) = numbers.array(s.color).tolist()
        out |= {"color": rgb[:3], "opacity": rgb[3] if len(rgb) > 3 else 1.0}
    if kind == "mesh":
        from .mesh_files import embed_mesh

        mesh = embed_mesh(s.file, numbers.array(s.scale), triangles)
        return mesh and out | mesh
    for name in ("size", "radii"):
        if hasattr(s, name):
            out[name] = numbers.array(getattr(s, name)).tolist()
    for name in ("radius", "length"):
        if hasattr(s, name):
            out[name] = numbers(getattr(s, name))
    return out
