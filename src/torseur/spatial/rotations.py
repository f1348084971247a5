"""Orientations in the ways people write them, each both ways.  Theory: RO.1 to RO.4."""

from __future__ import annotations

import math

import numpy as np

from ..errors import SingularPose
from ..numbers import matrix, vector
from .turns import General, PlaneTurn
from .vectors import HALF, ONE3, cross, skew

SEQUENCES = {"zxz": (2, 0, 2), "xyz": (0, 1, 2), "zyx": (2, 1, 0)}
"""Intrinsic sequences of axes: Euler, Bryant (Cardan), and yaw-pitch-roll."""


def axis_turn(K, axis, angle) -> General | PlaneTurn:
    """Rotation about a unit axis by an angle, over any scalar (Rodrigues)."""
    c, s = K.cos(angle), K.sin(angle)
    for k in range(3):
        if axis[k] in (1, -1) and not any(axis[j] for j in range(3) if j != k):
            return PlaneTurn(k, c, s * axis[k])
    u = vector(axis)
    return General(ONE3 * c + np.outer(u, u) * (1 - c) + skew(u) * s)  # RO.1


def angles_to_matrix(K, sequence: str, angles) -> np.ndarray:
    """Direction cosines of three intrinsic rotations, in the order of the sequence."""
    R = ONE3
    for k, angle in zip(SEQUENCES[sequence], angles, strict=True):
        if isinstance(angle, int) and angle == 0:
            continue
        R = R @ PlaneTurn(k, K.cos(angle), K.sin(angle)).matrix  # RO.2
    return R


def matrix_to_angles(sequence: str, R) -> np.ndarray:
    """Intrinsic angles [rad] of a rotation matrix; `SingularPose` where they are not unique.

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
    if abs(lost) < 4 * np.finfo(float).eps ** 0.5:
        raise SingularPose(
            f"{sequence} angles are not unique here: the middle angle is {middle:.9g} rad; "
            "choose another sequence or a quaternion"
        )
    return np.array([first, middle, third]) + 0.0


def quaternion_to_matrix(quaternion) -> np.ndarray:
    """Direction cosines of a unit quaternion (w, x, y, z), over any scalar."""
    w, x, y, z = quaternion
    return matrix(
        (
            (1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)),
            (2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)),
            (2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)),
        )
    )  # RO.3


def matrix_to_quaternion(R) -> np.ndarray:
    """Unit quaternion (w, x, y, z), w >= 0, of a rotation matrix; exact near every rotation."""
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


def quaternion_product(p, q) -> np.ndarray:
    """Hamilton's product, scalar first."""
    (a, u), (b, v) = (p[0], vector(p[1:])), (q[0], vector(q[1:]))
    return vector((a * b - u @ v, *(a * v + b * u + cross(u, v))))


def quaternion_rates(quaternion) -> np.ndarray:
    """4 x 3 matrix from the angular velocity in the turned frame to the quaternion's rate."""
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
