"""Steps and differences on unit quaternions, over any scalar that can branch."""

from __future__ import annotations

import numpy as np

from ..scalar import vector
from ..spatial import quaternion_product

SMALL = 1e-4            # squared half angle below which four terms of a series are exact


def sinc(K, s):
    """sin(x) / x as a function of s = x^2, without losing digits near zero."""
    small = K.less(s, SMALL)
    x = K.sqrt(K.select(small, 1.0, s))
    return K.select(small, 1 - s * (1 - s * (1 - s / 42.0) / 20.0) / 6.0, K.divide(K.sin(x), x))


def quaternion_step(K, q, w) -> np.ndarray:
    """The unit quaternion `q` turned by the rotation vector `w`, components in the turned frame."""
    half = w * 0.5
    s = half @ half
    small = K.less(s, SMALL)
    c = K.select(small, 1 - s * (1 - s * (1 - s / 30.0) / 12.0) / 2.0,
                 K.cos(K.sqrt(K.select(small, 1.0, s))))
    return quaternion_product(q, vector((c, *(half * sinc(K, s)))))


def quaternion_difference(K, q0, q1) -> np.ndarray:
    """The rotation vector, length at most pi, that takes the unit quaternion q0 to q1."""
    d = quaternion_product(vector((q0[0], *(-q0[1:]))), q1)
    sign = K.select(K.less(d[0], 0.0), -1.0, 1.0)
    w, u = d[0] * sign, d[1:] * sign
    s = u @ u
    small = K.less(s, SMALL)
    n = K.sqrt(K.select(small, 1.0, s))
    factor = K.select(small, 2 * (1 + s * (1 / 6 + s * (3 / 40 + s * 15 / 336))),    # 2 asin(n) / n
                      K.divide(2 * K.call("atan2", n, w), n))
    return u * factor
