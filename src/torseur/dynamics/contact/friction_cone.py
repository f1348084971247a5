"""Coulomb cone: sliding friction, the direction in which a slip starts, events of planar friction.

Equations DF.4, DF.7, DF.8.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...scalars import vector
from ...spatial import HALF
from ..sparse_factorization import is_zero
from .tolerances import EVENT_OFFSET, FOLLOWED_SLIP, MIN_FORCE, SLIP_RATIO, SLOW_SLIP

NEWTON_STEPS = 8  # for the direction in which a slip starts
GAUSS_SEIDEL_SWEEPS = 12  # over frictions whose normal forces have several components


def subtract(x, y) -> np.ndarray:
    """`x - y`, an exact zero where both entries are the same scalar."""
    return vector(0 if a is b else a - b for a, b in zip(x, y, strict=True))


def sliding_force(K: Any, N, change, k):
    """The friction `f = k |N + change f|` of one sliding contact, DF.4.

    `N` is the normal force (1 to 3 components) without friction, `change` its change by a unit of
    friction, `k` the coefficient.
    """
    if len(N) == 1:
        sign = K.select(K.less(N[0], 0.0), -1.0, 1.0)
        return K.divide(k * sign * N[0], 1 - k * sign * change[0])  # DF.4
    a, b, c = N @ N, N @ change, change @ change
    k2 = k * k
    leading = 1 - k2 * c
    square = a * leading + k2 * b * b
    is_unpressed = K.less(square, MIN_FORCE * MIN_FORCE)
    root = K.select(is_unpressed, 0.0, K.sqrt(K.select(is_unpressed, 1.0, square)))
    return K.divide(k2 * b + k * root, leading)


def solve_sliding_forces(K: Any, normal, change, k, unilateral) -> dict:
    """Frictions `f_i = k_i |N_i + sum_j change_ij f_j|` whose normal forces depend on each other.

    Arguments are mappings by the number of a friction.  `normal` and `change[i][j]` are vectors.
    `unilateral` holds the frictions whose normal force cannot be negative.
    """
    slots = list(normal)

    def normal_force(i, f):
        return normal[i] + sum((change[i][j] * f[j] for j in slots if j != i), start=0 * normal[i])

    f = dict.fromkeys(slots, 0)
    if len(slots) == 1 or any(len(N) > 1 for N in normal.values()):
        for _ in range(GAUSS_SEIDEL_SWEEPS if len(slots) > 1 else 1):
            for i in slots:
                f[i] = sliding_force(K, normal_force(i, f), change[i][i], k[i])
        return f
    signs_known = set(slots) <= set(unilateral)
    for _ in range(1 if signs_known else 2):  # the second time with the signs of the first
        sign = {
            i: 1
            if i in unilateral
            else K.select(K.less((normal_force(i, f) + change[i][i] * f[i])[0], 0.0), -1.0, 1.0)
            for i in slots
        }
        A = [[int(i == j) - k[i] * sign[i] * change[i][j][0] for j in slots] for i in slots]
        b = [k[i] * sign[i] * normal[i][0] for i in slots]
        f = dict(zip(slots, solve_without_pivoting(K, A, b), strict=True))
    return {i: K.call("max", 0.0, x) for i, x in f.items()}


def solve_without_pivoting(K: Any, A, b) -> list:
    """Solution of a small diagonally dominant linear system by Gaussian elimination."""
    A, x, n = [list(row) for row in A], list(b), len(b)
    for i in range(n):
        for j in range(i + 1, n):
            if is_zero(A[j][i]):
                continue
            ratio = K.divide(A[j][i], A[i][i])
            A[j] = [p - ratio * q for p, q in zip(A[j], A[i], strict=True)]
            x[j] = x[j] - ratio * x[i]
    for i in reversed(range(n)):
        x[i] = K.divide(x[i] - sum((A[i][j] * x[j] for j in range(i + 1, n)), start=0), A[i][i])
    return x


def magnitude(K: Any, x):
    """Length of a force or slip vector; its derivative is zero where the length is."""
    if len(x) == 1:
        return K.call("abs", x[0])
    is_null, length = _length_or_one(K, x)
    return K.select(is_null, 0.0, length)


def _length_or_one(K: Any, x) -> tuple:
    """Whether a vector is null, and its length, or one.

    The square root of zero has no derivative, not even in a branch that is not taken.
    """
    square = x @ x
    is_null = K.less(square, MIN_FORCE * MIN_FORCE)
    return is_null, K.sqrt(K.select(is_null, 1.0, square))


def unit_vector(K: Any, x, otherwise):
    """Direction of a vector, or `otherwise` if it is null."""
    is_null, length = _length_or_one(K, x)
    return vector(
        K.select(is_null, o, K.divide(e, length)) for e, o in zip(x, otherwise, strict=True)
    )


def _solve_2x2(parts, x) -> np.ndarray:
    """Inverse of the symmetric matrix [[a, b], [b, c]] times x; `parts` are a, b, c and 1 / det."""
    a, b, c, inverse = parts
    return vector(((c * x[0] - b * x[1]) * inverse, (a * x[1] - b * x[0]) * inverse))


def slip_onset_direction(K: Any, y, W, friction, d):
    """Direction d (2) in which a slip starts, DF.8.

    Without friction the slip would get the rate y.  A force p on the sliding point changes that
    rate by `W p`.  Friction of size g against the slip leaves the rate `s d`:
    `(s + g W) d = y`, `|d| = 1`, `s >= 0`.  `friction(d)` gives g.
    The argument d is a first guess.
    """
    g = friction(d)
    size = K.sqrt(y @ y + MIN_FORCE * MIN_FORCE)
    s = K.call("max", 0.0, size - g * (W[0, 0] + W[1, 1]))
    for _ in range(NEWTON_STEPS):
        g = friction(d)
        a, b, c = s + g * W[0, 0] + MIN_FORCE, g * W[0, 1], s + g * W[1, 1] + MIN_FORCE
        inverse = K.divide(1, a * c - b * b)

        parts = a, b, c, inverse
        x = _solve_2x2(parts, y)
        length = K.sqrt(x @ x + MIN_FORCE * MIN_FORCE)
        slope = K.divide(x @ x, x @ _solve_2x2(parts, x) + MIN_FORCE * MIN_FORCE)
        s = K.call("max", 0.0, s + slope * (length - 1))  # DF.8
        d = vector(K.divide(e, length) for e in x)
    return d


def planar_friction_events(K: Any, m, u, margin) -> list:
    """Event functions of a friction in a plane: it stops, breaks loose, or its slip is renewed.

    `m` is its history (mode, stored slip), `u` the slip [m/s], `margin` the static limit minus the
    friction force.  The third one also ends the slow mode after a start.  Equation DF.7.
    """
    is_sticking, is_slow = K.less(m[0], HALF), K.less(m[0], 1.5)
    stored, speed = m[1 : 1 + len(u)], magnitude(K, u)
    along = u @ unit_vector(K, stored, 0 * u)
    stored_speed = magnitude(K, stored)
    forward = K.select(K.less(along, 0.0), -speed, speed)
    renewal = K.call(
        "min",
        along - speed * HALF,
        K.call(
            "min",
            forward - K.call("max", SLOW_SLIP, stored_speed / SLIP_RATIO),
            stored_speed * SLIP_RATIO - speed,
        ),
    )
    return [
        K.select(is_sticking, 1.0, K.select(is_slow, along + EVENT_OFFSET, 1.0)),
        K.select(is_sticking, margin, 1.0),
        K.select(is_sticking, 1.0, K.select(is_slow, FOLLOWED_SLIP - speed, renewal)),
    ]
