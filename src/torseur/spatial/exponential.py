"""Exponential and logarithm of rotations and displacements, in closed form.

Over any scalar that can branch and take roots: series take over below a small angle, where the
closed forms lose digits.  Functions are of the squared angle, which is smooth at zero.
Theory: EX.1 to EX.6.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scalars import Floats, vector
from .pose import Pose
from .rotations import matrix_to_quaternion, quaternion_to_matrix
from .screws import Twist
from .vectors import cross

SMALL = 1e-3  # squared angle below which four terms of a series are exact to rounding
FLOATS = Floats()


def _smooth(K, s, series, closed):
    """`series(s)` near zero, `closed(s, sqrt(s))` elsewhere; both branches stay finite."""
    small = K.less(s, SMALL)
    safe = K.select(small, 1.0, s)
    return K.select(small, series(s), closed(safe, K.sqrt(safe)))


def sinc(K, s):
    """sin(t) / t for t^2 = s.

    >>> sinc(FLOATS, 0.0)
    1.0
    """
    return _smooth(
        K,
        s,
        lambda s: 1 - s * (1 - s * (1 - s / 42.0) / 20.0) / 6.0,
        lambda s, t: K.divide(K.sin(t), t),
    )


def exp_quaternion(K, w) -> np.ndarray:
    """Unit quaternion (w, x, y, z) of a rotation vector [rad]."""
    half = vector(w) * 0.5
    s = half @ half
    c = _smooth(
        K, s, lambda s: 1 - s * (1 - s * (1 - s / 30.0) / 12.0) / 2.0, lambda s, t: K.cos(t)
    )
    return vector((c, *(half * sinc(K, s))))  # EX.1


def log_quaternion(K, quaternion) -> np.ndarray:
    """Rotation vector [rad], length at most pi, of a unit quaternion."""
    sign = K.select(K.less(quaternion[0], 0.0), -1.0, 1.0)
    c, u = quaternion[0] * sign, vector(quaternion[1:]) * sign
    return u * _smooth(  # EX.2
        K,
        u @ u,
        lambda s: 2 + s * (1 / 3 + s * (3 / 20 + s * 5 / 56)),
        lambda s, n: K.divide(2 * K.call("atan2", n, c), n),
    )


def slide(K, w, v) -> np.ndarray:
    """Displacement after unit time at the constant twist (w, v), in the frame it started from."""
    s = w @ w
    half = sinc(K, s * 0.25)
    c = _smooth(
        K,
        s,
        lambda s: (1 - s * (1 - s * (1 - s / 72.0) / 42.0) / 20.0) / 6.0,
        lambda s, t: K.divide(1 - K.divide(K.sin(t), t), s),
    )
    wv = cross(w, v)
    return v + wv * (half * half * 0.5) + cross(w, wv) * c  # EX.3


def unslide(K, w, p) -> np.ndarray:
    """The velocity `v` with `slide(w, v) = p`, for |w| at most pi."""
    s = w @ w
    half = sinc(K, s * 0.25)
    d = _smooth(
        K,
        s,
        lambda s: (1 + s * (1 + s * (1 + s / 40.0) / 42.0) / 60.0) / 12.0,
        lambda s, t: K.divide(1 - K.divide(K.divide(K.sin(t), t), half * half), s),
    )
    wp = cross(w, p)
    return p - wp * 0.5 + cross(w, wp) * d  # EX.4


def exp_rotation(w: Any) -> np.ndarray:
    """Rotation matrix of a rotation vector [rad].

    >>> exp_rotation((0, 0, np.pi / 2)).round(12).tolist()
    [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    w = vector(map(float, w))
    return quaternion_to_matrix(exp_quaternion(FLOATS, w)).astype(float)


def log_rotation(R: Any) -> np.ndarray:
    """Rotation vector [rad], length at most pi, of a rotation matrix."""
    return log_quaternion(FLOATS, matrix_to_quaternion(R)).astype(float)


def exp(V: Twist) -> Pose:
    """Displacement reached after unit time at the constant twist `V` (body or world alike).

    >>> exp(Twist((0, 0, np.pi), (np.pi, 0, 0))).p.astype(float).round(12).tolist()
    [0.0, 2.0, 0.0]
    """
    w, v = (vector(map(float, x)) for x in (V.angular, V.linear))
    return Pose(exp_rotation(w).astype(object), slide(FLOATS, w, v))  # EX.5


def log(X: Pose) -> Twist:
    """Twist whose exponential is `X`; its angle is at most pi."""
    w = vector(log_rotation(X.R))
    return Twist(w, unslide(FLOATS, w, vector(map(float, X.p))))  # EX.6
