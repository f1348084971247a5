"""Unit axes, exact."""

from __future__ import annotations

import numpy as np

from ..scalar import vector
from ..values import Value, divide, exact, exacts, nominal, sqrt

_NAMED = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1),
          "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


def unit_axis(axis) -> tuple:
    """Three exact components of a unit axis: "x", "y", "z", or three numbers of any length.

    >>> unit_axis("z"), unit_axis((0, 0, 2.5)), unit_axis((3, 4, 0))
    ((0, 0, 1), (0, 0, 1), (Fraction(3, 5), Fraction(4, 5), 0))
    """
    if isinstance(axis, str):
        if axis not in _NAMED:
            raise ValueError(f"axis {axis!r}: expected 'x', 'y', 'z' or three numbers")
        return _NAMED[axis]
    u = exacts(axis, (3,))
    if any(isinstance(e, Value) for e in u):
        raise ValueError(f"axis {axis!r}: an axis takes numbers, not symbols; "
                         "turn the joint's frame by rpy= instead")
    square = u @ u
    if square == 0:
        raise ValueError("axis (0, 0, 0): an axis needs a direction")
    ones = u.astype(float) / np.sqrt(float(square))          # already unit, to rounding: keep it
    if abs(float(square) - 1) < 4 * np.finfo(float).eps:
        near = [exact(round(e)) if abs(e - round(e)) < 4 * np.finfo(float).eps else None
                for e in ones]
        if None not in near:
            return tuple(near)
    length = sqrt(square)
    if isinstance(length, Value):                            # x / sqrt(n) = x sqrt(n) / n
        return tuple(divide(e, square) * length if e else 0 for e in u)
    return tuple(divide(e, length) for e in u)


def across(axis) -> tuple[tuple, tuple]:
    """Two unit vectors that make a right-handed frame with a unit axis as the third.

    >>> across((0, 0, 1))
    ((1, 0, 0), (0, 1, 0))
    """
    for k in range(3):
        if axis[k] in (1, -1):
            first, second = [0] * 3, [0] * 3
            first[(k + 1) % 3], second[(k + 2) % 3] = 1, axis[k]
            return tuple(first), tuple(second)
    numbers = np.array([nominal(e, {}) for e in axis])
    k = int(np.argmin(abs(numbers)))
    a, b, c = axis[(k + 1) % 3], axis[(k + 2) % 3], axis[k]
    # e_k x axis has length sqrt(a^2 + b^2); both are exact up to that root
    n2 = a * a + b * b
    n = sqrt(n2) if not isinstance(n2, Value) else Value("sqrt", (n2,))
    first, second = [0] * 3, [0] * 3
    first[(k + 1) % 3], first[(k + 2) % 3] = -divide(b, n), divide(a, n)
    second[(k + 1) % 3], second[(k + 2) % 3] = -divide(c * a, n), -divide(c * b, n)
    second[k] = divide(n2, n)
    return tuple(first), tuple(second)


def along(axis, distance) -> np.ndarray:
    """The vector of a given length along an axis."""
    return vector(e * distance for e in axis)
