"""Unit axes, exact: rational numbers, or rational numbers times one square root."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import said, shown
from ..scalars import SNAP, Value, divide, exact, exacts, sqrt, vector

_NAMED = {
    "x": (1, 0, 0),
    "y": (0, 1, 0),
    "z": (0, 0, 1),
    "-x": (-1, 0, 0),
    "-y": (0, -1, 0),
    "-z": (0, 0, -1),
}


def frozen(axis):
    """An axis as given by the user, hashable where possible.  `unit_axis` validates it later."""
    try:
        return axis if isinstance(axis, str) else tuple(axis)
    except TypeError:
        return axis


def unit_axis(axis: Any) -> tuple[Any, ...]:
    """Three exact components of a unit axis: "x", "y", "z", or three numbers of any length.

    >>> unit_axis("z"), unit_axis((0, 0, 2.5)), unit_axis((3, 4, 0))
    ((0, 0, 1), (0, 0, 1), (Fraction(3, 5), Fraction(4, 5), 0))
    """
    return _unit(_direction(axis))


def across(axis: Any) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Two unit vectors that make a right-handed frame with a unit axis as the third.

    >>> across("z"), across("-x")
    (((1, 0, 0), (0, 1, 0)), ((0, 1, 0), (0, 0, -1)))
    """
    return _perpendicular(_direction(axis))


def named(direction, otherwise: str) -> str:
    """The name of a direction along an axis of its frame.

    >>> named((0, 1, 0), "across1"), named((0, 0, -1), "across2"), named((0.6, 0.8, 0), "across1")
    ('y', 'minus_z', 'across1')
    """
    for name, e in zip("xyz", ((1, 0, 0), (0, 1, 0), (0, 0, 1)), strict=True):
        for sign, text in ((1, name), (-1, f"minus_{name}")):
            if all(a == sign * b for a, b in zip(direction, e, strict=True)):
                return text
    return otherwise


def sides(axis) -> tuple[str, str]:
    """Names of the two directions across an axis."""
    first, second = across(axis)
    return named(first, "across1"), named(second, "across2")


def along(axis, distance) -> np.ndarray:
    """The vector of a given length along an axis."""
    return vector(e * distance for e in axis)


def _direction(axis) -> tuple[Any, ...]:
    """Exact numbers along an axis before normalization.

    Wrong shapes and symbols raise ValueError.
    """
    if isinstance(axis, str):
        if axis not in _NAMED:
            raise ValueError(f"axis {shown(axis)}: expected 'x', 'y', 'z' or three numbers")
        return _NAMED[axis]
    try:
        u = tuple(exacts(axis, (3,)))
    except (TypeError, ValueError) as e:
        raise ValueError(f"axis {shown(axis)}: {said(e)}") from None
    if any(isinstance(e, Value) for e in u):
        raise ValueError(
            f"axis {shown(axis)}: an axis takes numbers, not symbols; "
            "turn the joint's frame by rpy= instead"
        )
    if not any(u):
        raise ValueError("axis (0, 0, 0): an axis needs a direction")
    longest = max(map(abs, u))  # (6e-17, 0, 1) is z, written with noise
    return tuple(0 if abs(e) < SNAP * longest else e for e in u)


@lru_cache(maxsize=1024)
def _unit(u) -> tuple[Any, ...]:
    square = sum(e * e for e in u)
    length = sqrt(exact(square))
    if isinstance(length, Value):  # x / sqrt(n) = x sqrt(n) / n
        return tuple(divide(e, square) * length if e else 0 for e in u)
    return tuple(divide(e, length) for e in u)


@lru_cache(maxsize=1024)
def _perpendicular(u) -> tuple[tuple[Any, ...], tuple]:
    if sum(e != 0 for e in u) == 1:  # follow the cycle x, y, z
        k = next(i for i in range(3) if u[i])
        one, two = [0] * 3, [0] * 3
        one[(k + 1) % 3], two[(k + 2) % 3] = 1, 1 if u[k] > 0 else -1
        return tuple(one), tuple(two)
    k = min(range(3), key=lambda i: abs(u[i]))  # e_k x u is far from zero
    i, j = (k + 1) % 3, (k + 2) % 3
    first: list[Any] = [0] * 3
    first[i], first[j] = -u[j], u[i]
    second = (
        u[1] * first[2] - u[2] * first[1],
        u[2] * first[0] - u[0] * first[2],
        u[0] * first[1] - u[1] * first[0],
    )
    return _unit(tuple(first)), _unit(second)
