"""Columns as scalars: one number for each time point of a run.

A formula over `Columns` gives its values at all time points by NumPy operations on whole columns.
Nothing is compiled. The cost is some tens of microseconds for a body, for any number of points.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

import numpy as np

from .base import Node, Scalars, _is, vector

BLOCK = 16384  # rows at a time, at most
MAX_BLOCK_NUMBERS = 2**22  # numbers evaluated at a time: formulas need some 150 bytes for each
_NAMES = {
    "abs": "fabs",
    "min": "fmin",
    "max": "fmax",
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
}


class Columns(Scalars):
    """Columns of floats.

    >>> K = Columns({"L": 2.0})
    >>> x, = K.take(np.array([[0.0], [1.0], [2.0]]))
    >>> K.give([x * x + K.parameter("L"), 7], 3)
    array([[2., 3., 6.],
           [7., 7., 7.]])
    """

    can = frozenset({"divide", "root", "branch"})
    name = "columns of numbers"
    pi = math.pi

    def exact(self, x):
        return x if isinstance(x, (int, Node)) else float(x)

    def constant(self, x):
        return float(x)

    def same(self, x, y):
        return x.x is y.x

    def take(self, array) -> np.ndarray:
        """Scalars from the columns of an array, shape (rows, n)."""
        return vector(Node(self, x) for x in np.ascontiguousarray(np.asarray(array, float).T))

    def give(self, entries: Iterable, rows: int) -> np.ndarray:
        """An array from scalars, one a line, shape (n, rows)."""
        entries = list(entries)
        out = np.empty((len(entries), rows))
        for line, x in zip(out, entries, strict=True):
            line[:] = _column_or_float(x)
        return out

    def _apply(self, f, *x):
        y = f(*map(_column_or_float, x))
        return Node(self, y) if isinstance(y, np.ndarray) else float(y)

    def sin(self, x):
        return self._apply(np.sin, x)

    def cos(self, x):
        return self._apply(np.cos, x)

    def sqrt(self, x):
        return self._apply(np.sqrt, x)

    def divide(self, x, y):
        return x if _is(x, 0) or _is(y, 1) else self._apply(np.divide, x, y)

    def less(self, x, y):
        return self._apply(lambda x, y: 1.0 * np.less(x, y), x, y)

    def select(self, condition, x, y):
        if not isinstance(condition, Node):
            return x if condition else y
        return self._apply(np.where, condition, x, y)

    def stairs(self, table, x):
        if not isinstance(x, Node):
            return vector(table.at(x))
        where, row = np.searchsorted(table.knots, x.x, side="right"), table.rows[0].tolist()
        return vector(
            y if c is None else Node(self, c[where])
            for c, y in zip(table.columns, row, strict=True)
        )

    def call(self, name, *x):
        return self._apply(getattr(np, _NAMES.get(name, name)), *x)


def _column_or_float(x):
    return x.x if isinstance(x, Node) else float(x)


def evaluate(K: Columns, formula: Callable[..., Iterable], *arrays) -> np.ndarray:
    """Values of `formula(*columns)` at every row, shape (n, rows), for arrays of shape (rows, n).

    Invalid values (such as 0/0 on a branch not taken) are NaN without a warning, as in kernels.
    """
    rows, out = len(arrays[0]), []
    block = min(BLOCK, max(256, MAX_BLOCK_NUMBERS // max(1, sum(x.shape[1] for x in arrays))))
    with np.errstate(all="ignore"):
        for first in range(0, max(rows, 1), block):
            cut = slice(first, min(first + block, rows))
            out.append(K.give(formula(*(K.take(x[cut]) for x in arrays)), cut.stop - first))
    return out[0] if len(out) == 1 else np.concatenate(out, axis=1)
