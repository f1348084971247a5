"""Exponential and logarithm of rotations and displacements, in closed form.

Numbers only.  The series take over below a small angle, where the closed forms lose digits.
Theory: EX.1 to EX.4.
"""

from __future__ import annotations

import math

import numpy as np

from .pose import Pose
from .rotations import matrix_to_quaternion, quaternion_to_matrix
from .screws import Twist

SMALL = 0.03            # below, four terms of the series are exact to rounding


def _hat(w) -> np.ndarray:
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]], dtype=float)


def _coefficients(t: float) -> tuple[float, float, float]:
    """sin(t)/t, (1 - cos t)/t^2, (t - sin t)/t^3."""
    if t < SMALL:
        s = t * t
        return (1 - s / 6 * (1 - s / 20 * (1 - s / 42)),
                (1 - s / 12 * (1 - s / 30 * (1 - s / 56))) / 2,
                (1 - s / 20 * (1 - s / 42 * (1 - s / 72))) / 6)
    return math.sin(t) / t, 2 * (math.sin(t / 2) / t) ** 2, (t - math.sin(t)) / t**3


def exp_rotation(w) -> np.ndarray:
    """Rotation matrix of a rotation vector [rad].

    >>> exp_rotation((0, 0, math.pi)).round(12).tolist()
    [[-1.0, -0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    w = np.asarray(w, dtype=float)
    a, b, _ = _coefficients(float(np.linalg.norm(w)))
    W = _hat(w)
    return np.eye(3) + a * W + b * (W @ W)                                            # EX.1


def log_rotation(R) -> np.ndarray:
    """Rotation vector [rad], length at most pi, of a rotation matrix."""
    w, *u = matrix_to_quaternion(R)
    n = float(np.linalg.norm(u))
    if n == 0.0:
        return np.zeros(3)
    return np.array(u) * (2 * math.atan2(n, w) / n)                                   # EX.2


def exp(V: Twist) -> Pose:
    """Displacement reached after unit time at the constant twist `V` (body or world alike)."""
    w, v = (np.asarray(x, dtype=float) for x in (V.angular, V.linear))
    _, b, c = _coefficients(float(np.linalg.norm(w)))
    W = _hat(w)
    p = v + b * (W @ v) + c * (W @ (W @ v))                                           # EX.3
    return Pose(exp_rotation(w).astype(object), p.astype(object))


def log(X: Pose) -> Twist:
    """Twist whose exponential is `X`; its angle is at most pi."""
    w = log_rotation(X.R)
    t = float(np.linalg.norm(w))
    a, b, _ = _coefficients(t)
    if t < SMALL:
        s = t * t
        d = (1 + s / 60 * (1 + s / 42 * (1 + s / 40))) / 12
    else:
        d = (1 - a / (2 * b)) / t**2
    W, p = _hat(w), np.asarray(X.p, dtype=float)
    v = p - W @ p / 2 + d * (W @ (W @ p))                                             # EX.4
    return Twist(w.astype(object), v.astype(object))


__all__ = ["exp", "exp_rotation", "log", "log_rotation", "quaternion_to_matrix"]
