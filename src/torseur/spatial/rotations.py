"""Parametrizations of orientations and conversions between them.  RO.1 to RO.6."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..errors import SingularPose
from ..scalars import matrix, vector
from .rotation_types import GeneralRotation, PlanarRotation
from .vectors import HALF, ONE3, cross, skew

SEQUENCES = {
    name: tuple(map("xyz".index, name))
    for name in (
        *("zxz", "xyz", "zyx"),  # Euler, Bryant (Cardan), yaw-pitch-roll
        *("xyx", "xzx", "yxy", "yzy", "zyz"),
        *("xzy", "yxz", "yzx", "zxy"),
    )
}
"""The twelve intrinsic sequences of axes: six of Euler, six of Tait and Bryan."""

LOST = 4 * float(np.finfo(float).eps) ** 0.5
"""Sine of the distance from a singular middle angle within which angles are not unique."""


def axis_rotation(K, axis, angle) -> GeneralRotation | PlanarRotation:
    """Rotation about a unit axis by an angle, over any scalar (Rodrigues)."""
    c, s = K.cos(angle), K.sin(angle)
    for k in range(3):
        if axis[k] in (1, -1) and not any(axis[j] for j in range(3) if j != k):
            return PlanarRotation(k, c, s * axis[k])
    u = vector(axis)
    return GeneralRotation(ONE3 * c + np.outer(u, u) * (1 - c) + skew(u) * s)  # RO.1


def angles_to_matrix(K, sequence: str, angles) -> np.ndarray:
    """Direction cosines of three intrinsic rotations, in the order of the sequence."""
    R = ONE3
    for k, angle in zip(SEQUENCES[sequence], angles, strict=True):
        if isinstance(angle, int) and angle == 0:
            continue
        R = R @ PlanarRotation(k, K.cos(angle), K.sin(angle)).matrix  # RO.2
    return R


def matrix_to_angles(sequence: str, R: Any) -> np.ndarray:
    """Intrinsic angles [rad] of a rotation matrix.  Raises SingularPose where they are not unique.


    >>> R = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    >>> matrix_to_angles("zyx", R).tolist()
    [1.5707963267948966, 0.0, 0.0]
    """
    R = np.asarray(R, dtype=float)
    i, j, k = SEQUENCES[sequence]
    if i == k:
        l = 3 - i - j
        e = 1.0 if (i, j, l) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
        middle = math.atan2(math.hypot(R[i, j], R[i, l]), R[i, i])
        first, third = math.atan2(R[j, i], -e * R[l, i]), math.atan2(R[i, j], e * R[i, l])
        lost = math.sin(middle)
    else:
        e = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
        middle = math.atan2(e * R[i, k], math.hypot(R[i, i], R[i, j]))
        first, third = math.atan2(-e * R[j, k], R[k, k]), math.atan2(-e * R[i, j], R[i, i])
        lost = math.cos(middle)
    if abs(lost) < LOST:
        raise SingularPose(
            f"{sequence} angles are not unique here: the middle angle is {middle:.9g} rad; "
            "choose another sequence or a quaternion"
        )
    return np.array([first, middle, third]) + 0.0


def is_rotation(sequence: str) -> bool:
    """Whether a sequence is one of Euler's six, whose third axis is the first again.

    >>> is_rotation("zxz"), is_rotation("zyx")
    (True, False)
    """
    return sequence[0] == sequence[2]


def angles_to_quaternion(K, sequence: str, angles) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of three intrinsic rotations, over any scalar that divides."""
    q = vector((1, 0, 0, 0))
    for k, angle in zip(SEQUENCES[sequence], angles, strict=True):
        half = angle * HALF
        turn = [K.cos(half), 0, 0, 0]
        turn[1 + k] = K.sin(half)
        q = quaternion_product(q, vector(turn))  # RO.5
    return q


def continue_angles(sequence: str, R) -> np.ndarray:
    """Continuous angles [rad] of a motion: shapes (n, 3, 3) and (n, 3).

    Two triples and full turns give the same rotation. Each row takes the one nearest to the row
    before, so that the angles pass through the singularity. On the singularity only the sum (or
    difference) of the outer angles is defined, and the first one stays.


    >>> def about_y(a):
    ...     return [[np.cos(a), 0, np.sin(a)], [0, 1, 0], [-np.sin(a), 0, np.cos(a)]]
    >>> np.degrees(continue_angles("zyx", [about_y(a) for a in np.radians([80, 90, 100])]))[:, 1]
    array([ 80.,  90., 100.])
    """
    R = np.asarray(R, dtype=float)
    i, j, k = SEQUENCES[sequence]
    l, e = 3 - i - j, 1.0 if (j - i) % 3 == 1 else -1.0
    up, side = (R[:, j, i], -e * R[:, l, i]) if i == k else (-e * R[:, j, k], R[:, k, k])
    first, last, out = np.arctan2(up, side), np.zeros(3), np.empty((len(R), 3))
    lost = np.hypot(up, side) < LOST
    for n, here in enumerate(R):
        starts = (last[0],) if lost[n] else (first[n], first[n] + np.pi)
        options = [_rest(here, a, i, j, k, l, e) for a in starts]  # RO.6
        options = [x + 2 * np.pi * np.round((last - x) / (2 * np.pi)) for x in options]
        last = out[n] = min(options, key=lambda x: np.abs(x - last).sum()) if n else options[0]
    return out


def _rest(R, first, i, j, k, l, e) -> np.ndarray:
    """The other two angles of a rotation with a given first angle."""
    c, s = math.cos(first), math.sin(first)
    m, n = (i + 1) % 3, (i + 2) % 3
    rest = np.array(R)
    rest[m], rest[n] = c * R[m] + s * R[n], c * R[n] - s * R[m]
    if i == k:
        middle, third = (-e * rest[l, i], rest[i, i]), (-e * rest[j, l], rest[j, j])
    else:
        middle, third = (e * rest[i, k], rest[k, k]), (e * rest[j, i], rest[j, j])
    return np.array([first, math.atan2(*middle), math.atan2(*third)])


def quaternion_to_matrix(quaternion: Any) -> np.ndarray:
    """Direction cosines of a unit quaternion (w, x, y, z), over any scalar."""
    w, x, y, z = quaternion
    return matrix(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )  # RO.3


def rotation_matrices(quaternions: Any) -> np.ndarray:
    """Direction cosines (..., 3, 3) of unit quaternions (w, x, y, z) of shape (..., 4), as floats.

    >>> rotation_matrices([[1, 0, 0, 0], [0, 0, 0, 1]])[:, 0, 0].tolist()
    [1.0, -1.0]
    """
    w, x, y, z = np.moveaxis(np.asarray(quaternions, dtype=float), -1, 0)
    rows = quaternion_to_matrix((w, x, y, z)).tolist()
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def quaternion_products(p: Any, q: Any) -> np.ndarray:
    """Hamilton products of quaternions of shape (..., 4), as floats.

    >>> quaternion_products([0, 1, 0, 0], [[0, 0, 1, 0], [0, 1, 0, 0]]).tolist()
    [[0.0, 0.0, 0.0, 1.0], [-1.0, 0.0, 0.0, 0.0]]
    """
    p, q = np.asarray(p, dtype=float), np.asarray(q, dtype=float)
    (a, u), (b, v) = (p[..., :1], p[..., 1:]), (q[..., :1], q[..., 1:])
    real = a * b - (u * v).sum(axis=-1, keepdims=True)
    return np.concatenate([real, a * v + b * u + np.cross(u, v)], axis=-1)


def matrix_to_quaternion(R: Any) -> np.ndarray:
    """Unit quaternion (w, x, y, z), w >= 0, of a rotation matrix, exact near every rotation."""
    R = np.asarray(R, dtype=float)
    t = np.array([R[0, 0] + R[1, 1] + R[2, 2], *np.diag(R)])
    i = int(np.argmax(t))  # the largest component is safe
    if i == 0:
        q = np.array([1 + t[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        a, b, c = i - 1, i % 3, (i + 1) % 3
        q = np.empty(4)
        q[0] = R[c, b] - R[b, c]
        q[1 + a], q[1 + b], q[1 + c] = 1 + 2 * R[a, a] - t[0], R[b, a] + R[a, b], R[c, a] + R[a, c]
    q = q / np.linalg.norm(q)
    return -q if q[0] < 0 else q


def quaternion_product(p: Any, q: Any) -> np.ndarray:
    """Hamilton's product, scalar first."""
    (a, u), (b, v) = (p[0], vector(p[1:])), (q[0], vector(q[1:]))
    return vector((a * b - u @ v, *(a * v + b * u + cross(u, v))))


def quaternion_rates(quaternion: Any) -> np.ndarray:
    """4 x 3 matrix from the angular velocity in the rotated frame to the quaternion's rate."""
    w, x, y, z = quaternion
    return matrix(((-x, -y, -z), (w, -z, y), (z, w, -x), (-y, x, w))) * HALF  # RO.4


def direction_cosines(R, tolerance: float = 1e-9) -> np.ndarray:
    """Check that nine numbers are direction cosines and return them as a float matrix."""
    R = np.asarray(R, dtype=float)
    if R.shape != (3, 3):
        raise ValueError(f"direction cosines form a 3 x 3 matrix, got shape {R.shape}")
    if abs(R.T @ R - np.eye(3)).max() > tolerance or np.linalg.det(R) < 0:
        raise ValueError(
            "the matrix is not a rotation: its columns must be orthonormal and right-handed"
        )
    return R
