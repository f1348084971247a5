"""Plain numbers as scalars: for tests, teaching and looking."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .base import Scalars, vector


class Floats(Scalars):
    """Plain numbers.

    >>> from fractions import Fraction
    >>> K = Floats({"L": 2.0})
    >>> K.cos(0.0) + K.number(Fraction(1, 2))
    1.5
    """

    can = frozenset({"divide", "root", "branch"})
    name = "floats"
    pi = math.pi

    def exact(self, x):
        return float(x)

    def sin(self, x):
        return math.sin(x)

    def cos(self, x):
        return math.cos(x)

    def divide(self, x, y):
        return x / y

    def sqrt(self, x):
        return math.sqrt(x)

    def select(self, condition, x, y):
        return x if condition else y

    def less(self, x, y):
        return x < y

    def stairs(self, table, x):
        return vector(table.at(x))

    def call(self, name, *x):
        return float_call(name, *x)


def float_call(name, *x):
    known: dict[str, Any] = {"abs": abs, "min": min, "max": max, "sign": np.sign}
    return float((known.get(name) or getattr(math, name))(*x))
