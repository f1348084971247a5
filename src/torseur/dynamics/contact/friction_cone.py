"""Coulomb's cone: the force of a friction that slides, and where a slip starts.

Theory: DF.4, DF.8.
"""

from __future__ import annotations

import numpy as np

from ...scalars import vector
from ...spatial import HALF
from ..sparse_factorization import is_zero

TURNS = 8  # Newton's steps for the direction in which a slip starts
SWEEPS = 12  # over frictions whose normal forces have several components
FLOOR = 1e-30


def difference(x, y) -> np.ndarray:
    """`x - y`, zero by structure where both are the same scalar."""
    return vector(0 if a is b else a - b for a, b in zip(x, y, strict=True))


def pressed(K, N, change, k):
    """The friction `f = k |N + change f|`, from the normal force without it and its change."""
    if len(N) == 1:
        side = K.select(K.less(N[0], 0.0), -1.0, 1.0)
        return K.divide(k * side * N[0], 1 - k * side * change[0])  # DF.4
    a, b, c = N @ N, N @ change, change @ change
    k2 = k * k
    left = 1 - k2 * c
    square = a * left + k2 * b * b
    none = K.less(square, FLOOR * FLOOR)  # nothing presses
    root = K.select(none, 0.0, K.sqrt(K.select(none, 1.0, square)))
    return K.divide(k2 * b + k * root, left)


def magnitudes(K, alone, change, k, pushing):
    """Frictions `f_i = k_i |N_i + sum_j change_ij f_j|` that depend on each other.

    All arguments are mappings from the number of a friction; `N` and `change[i][j]` are vectors,
    `pushing` holds those whose normal force cannot be negative.
    """
    own = list(alone)

    def normal(i, f):
        return alone[i] + sum((change[i][j] * f[j] for j in own if j != i), start=0 * alone[i])

    if len(own) == 1 or any(len(N) > 1 for N in alone.values()):
        f = dict.fromkeys(own, 0)
        for _ in range(SWEEPS if len(own) > 1 else 1):
            for i in own:
                f[i] = pressed(K, normal(i, f), change[i][i], k[i])
        return f
    f, fixed = dict.fromkeys(own, 0), set(own) <= set(pushing)
    for _ in range(1 if fixed else 2):  # signs, then with those they have
        side = {
            i: 1
            if i in pushing
            else K.select(K.less((normal(i, f) + change[i][i] * f[i])[0], 0.0), -1.0, 1.0)
            for i in own
        }
        A = [[int(i == j) - k[i] * side[i] * change[i][j][0] for j in own] for i in own]
        f = dict(zip(own, solved(K, A, [k[i] * side[i] * alone[i][0] for i in own]), strict=True))
    return {i: K.call("max", 0.0, x) for i, x in f.items()}


def solved(K, A, b) -> list:
    """Solution of a small linear system whose diagonal leads."""
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


def strength(K, x):
    """Magnitude of a force or a slip; its derivative is zero where it is nothing."""
    if len(x) == 1:
        return K.call("abs", x[0])
    none, size = _sized(K, x)
    return K.select(none, 0.0, size)


def _sized(K, x) -> tuple:
    """Whether a vector is nothing; its length, or one: a root of zero has no derivative, not even
    in a branch that is not taken."""
    square = x @ x
    none = K.less(square, FLOOR * FLOOR)
    return none, K.sqrt(K.select(none, 1.0, square))


def unit(K, x, otherwise):
    """The direction of a vector, or another one where it has none."""
    none, size = _sized(K, x)
    return vector(K.select(none, o, K.divide(e, size)) for e, o in zip(x, otherwise, strict=True))


def _back(parts, x) -> np.ndarray:
    """The inverse of a symmetric 2 x 2 matrix, told by its entries and `1 / det`, times x."""
    a, b, c, inverse = parts
    return vector(((c * x[0] - b * x[1]) * inverse, (a * x[1] - b * x[0]) * inverse))


def onset(K, y, W, friction, d):
    """The direction of the slip that starts with the rate `y` if nothing brakes it.

    A force p on the sliding point changes that rate by `W p`.  Friction of size g against the
    slip leaves it the rate `s d`: `(s + g W) d = y`, `|d| = 1`, `s >= 0`.  `friction(d)` answers g;
    `d` is the direction to start from.
    """
    g = friction(d)
    size = K.sqrt(y @ y + FLOOR * FLOOR)
    s = K.call("max", 0.0, size - g * (W[0, 0] + W[1, 1]))
    for _ in range(TURNS):
        g = friction(d)
        a, b, c = s + g * W[0, 0] + FLOOR, g * W[0, 1], s + g * W[1, 1] + FLOOR
        inverse = K.divide(1, a * c - b * b)

        parts = a, b, c, inverse
        x = _back(parts, y)
        length = K.sqrt(x @ x + FLOOR * FLOOR)
        slope = K.divide(x @ x, x @ _back(parts, x) + FLOOR * FLOOR)
        s = K.call("max", 0.0, s + slope * (length - 1))  # DF.8
        d = vector(K.divide(e, length) for e in x)
    return d


# --------------------------------------------------------------------------------------------
# Guards of a friction in a plane, and what is slow, far and barely.  Theory: DF.7.


GOING = 2e-6  # slip [m/s] after a start from which friction follows its direction,
SLOW = 1e-6  # and below which, before a stop, it does no more
FAR = 30  # times faster or slower: the slip kept in memory is renewed
BARELY = 1e-12  # force [N] or speed [m/s] of a guard that starts at zero


def slipping(K, m, u, room) -> list:
    """Guards of a friction in a plane: it stops, breaks loose, turns (or slows, gets going)."""
    stuck, slow = K.less(m[0], HALF), K.less(m[0], 1.5)
    kept, size = m[1 : 1 + len(u)], strength(K, u)
    along, usual = u @ unit(K, kept, 0 * u), strength(K, kept)
    forth = K.select(K.less(along, 0.0), -size, size)
    turns = K.call(
        "min",
        along - size * HALF,
        K.call("min", forth - K.call("max", SLOW, usual / FAR), usual * FAR - size),
    )
    return [
        K.select(stuck, 1.0, K.select(slow, along + BARELY, 1.0)),
        K.select(stuck, room, 1.0),
        K.select(stuck, 1.0, K.select(slow, GOING - size, turns)),
    ]
