"""Piecewise constant tables of numbers over one variable, as data.

A polyline, a spline or a piecewise motion is a short formula of the numbers valid at an instant. A
lookup finds them, so the formula does not grow with the number of pieces.
"""

from __future__ import annotations

import hashlib
from bisect import bisect_right
from functools import cached_property
from typing import Any

import numpy as np


class Stairs:
    """Row k holds from knot k - 1 up to knot k, which is already in the next one.

    >>> stairs = Stairs([0.0, 1.0], [(5.0, 7.0), (6.0, 7.0), (9.0, 7.0)])
    >>> stairs.at(1.0)
    (9.0, 7.0)
    >>> [column is None for column in stairs.columns]
    [False, True]
    """

    def __init__(self, knots: Any, rows: Any):
        self.knots = np.array(knots, float)
        self.rows = np.array(rows, float) + 0.0  # no zero is negative
        assert self.rows.shape[0] == len(self.knots) + 1

    def at(self, x: float) -> tuple[float, ...]:
        """The row at a float.  NaN gives the last row."""
        return self._plain[1][bisect_right(self._plain[0], x)]

    @cached_property
    def _plain(self) -> tuple[list[float], list[tuple[float, ...]]]:
        return self.knots.tolist(), [*map(tuple, self.rows.tolist())]

    @cached_property
    def columns(self) -> list[np.ndarray | None]:
        """Numbers of each column, None where all are equal."""
        bits = self.rows.view(np.int64)
        same = (bits == bits[0]).all(axis=0)
        return [None if s else c for s, c in zip(same, self.rows.T.copy(), strict=True)]

    def row_by_bisection(self, K: Any, x: Any) -> tuple[Any, ...]:
        """The row at a scalar of a kind that compares and chooses: by halves."""
        return tuple(_chosen(K, x, self.knots.tolist(), self._plain[1]))


def _chosen(K, x, knots, rows):
    if len(rows) == 1:
        return rows[0]
    half = len(rows) // 2
    low = _chosen(K, x, knots[: half - 1], rows[:half])
    high = _chosen(K, x, knots[half:], rows[half:])
    early = K.less(x, knots[half - 1])
    return [
        a if isinstance(a, float) and isinstance(b, float) and a == b else K.select(early, a, b)
        for a, b in zip(low, high, strict=True)
    ]


def called(kind: str, numbers: np.ndarray) -> str:
    """Name of a lookup function, unique for its data."""
    return f"{kind}_{hashlib.blake2b(numbers.tobytes(), digest_size=12).hexdigest()}"
