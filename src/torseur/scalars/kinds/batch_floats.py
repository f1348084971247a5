"""Floats of many cases at once, while all cases take the same branches.

Code with branches (`if x < y:`) runs over arrays as over floats. Where cases take different
branches, an exception carries the truth of each case, and the caller runs the groups apart.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from .base import Scalars
from .float import Floats, float_call


class Parted(Exception):
    """Cases take different branches; `where` is the truth of each case."""

    def __init__(self, where: np.ndarray):
        super().__init__("cases part")
        self.where = where


class Batch(np.ndarray):
    """One number for each case.  A comparison with equal truth for all cases is a plain bool.


    >>> x = cases([1.0, 2.0])
    >>> bool(x > 0), bool(x > 5)
    (True, False)
    >>> bool(x > 1.5)
    Traceback (most recent call last):
    torseur.scalars.kinds.batch_floats.Parted: cases part
    """

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        """As of plain arrays.  Exact constants of formulas become floats."""
        given = [float(x) if isinstance(x, Fraction) else np.asarray(x) for x in inputs]
        return getattr(ufunc, method)(*given, **kwargs).view(Batch)

    __hash__ = None  # type: ignore[assignment]

    def __pow__(self, n, _=None):
        return _each(pow, self, n)

    def __rpow__(self, x, _=None):
        return _each(pow, x, self)

    def __bool__(self) -> bool:
        found = np.asarray(self, dtype=bool)
        if found.all():
            return True
        if not found.any():
            return False
        raise Parted(found)


def cases(x) -> Batch:
    """Numbers, one a case."""
    return np.asarray(x, dtype=float).view(Batch)


class Agreed(Floats):
    """Plain numbers, or one a case (`cases`).

    >>> K = Agreed({"L": cases([4.0, 9.0])})
    >>> K.sqrt(K.parameter("L")).tolist()
    [2.0, 3.0]
    """

    name = "numbers of cases that agree"

    def sin(self, x):
        return self.call("sin", x)

    def cos(self, x):
        return self.call("cos", x)

    def sqrt(self, x):
        return self.call("sqrt", x)

    def select(self, condition, x, y):
        if isinstance(condition, Batch):
            return np.where(condition, x, y).view(Batch)
        return super().select(condition, x, y)

    def stairs(self, table, x):
        return Scalars.stairs(self, table, x)

    def call(self, name, *x):
        return _each(lambda *a: float_call(name, *a), *x)


def _each(f, *x):
    """A function of floats, case by case, equal to the last bit to single calls."""
    if not any(isinstance(a, Batch) for a in x):
        return f(*x)
    columns = np.broadcast_arrays(*x)
    return cases([f(*row) for row in zip(*(c.tolist() for c in columns), strict=True)])
