"""Forward-mode dual numbers: values with exact derivatives in some directions.

Branches are decided by the value alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from .base import Node, Scalars, _each, _is, vector
from .float import float_call

SLOPES: dict[str, Callable[[float], float]] = {
    "sin": math.cos,
    "cos": lambda x: -math.sin(x),
    "tan": lambda x: 1 + math.tan(x) ** 2,
    "exp": math.exp,
    "log": lambda x: 1 / x,
    "sqrt": lambda x: 0.5 / math.sqrt(x),
    "tanh": lambda x: 1 - math.tanh(x) ** 2,
    "sinh": math.cosh,
    "cosh": math.sinh,
    "asin": lambda x: 1 / math.sqrt(1 - x * x),
    "acos": lambda x: -1 / math.sqrt(1 - x * x),
    "atan": lambda x: 1 / (1 + x * x),
    "abs": lambda x: float((x > 0) - (x < 0)),  # at zero none, as of a graph
    "sign": lambda x: 0.0,
    "floor": lambda x: 0.0,
    "ceil": lambda x: 0.0,
}
"""Derivatives of functions of one number."""


class Dual:
    """A number `x` and its derivatives `d`, one a direction."""

    __slots__ = ("d", "x")
    __array_ufunc__ = None  # ndarray * Dual comes to us, element by element

    def __init__(self, x: float, d: np.ndarray):
        self.x, self.d = x, d

    def __add__(self, other):
        if isinstance(other, np.ndarray):
            return _each(other, lambda e: self + e)
        if isinstance(other, Dual):
            return Dual(self.x + other.x, self.d + other.d)
        return Dual(self.x + float(other), self.d)

    def __neg__(self):
        return Dual(-self.x, -self.d)

    def __sub__(self, other):
        return self + (-other)

    def __rsub__(self, other):
        return -self + other

    def __mul__(self, other):
        if isinstance(other, np.ndarray):
            return _each(other, lambda e: self * e)
        if isinstance(other, Dual):
            return Dual(self.x * other.x, self.x * other.d + other.x * self.d)
        return 0 if _is(other, 0) else Dual(self.x * float(other), self.d * float(other))

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, other):
        if isinstance(other, Dual):
            y = self.x / other.x
            return Dual(y, (self.d - y * other.d) / other.x)
        return Dual(self.x / float(other), self.d / float(other))

    def __rtruediv__(self, other):
        return 0 if _is(other, 0) else Dual(float(other), 0 * self.d) / self

    def __pow__(self, n):
        if isinstance(n, Dual):
            y = self.x**n.x
            return Dual(y, n.x * self.x ** (n.x - 1) * self.d + y * math.log(self.x) * n.d)
        return Dual(self.x**n, n * self.x ** (n - 1) * self.d) if n else 1.0

    def __abs__(self):
        return -self if self.x < 0 else self

    def __lt__(self, other):
        return self.x < plain(other)

    def __le__(self, other):
        return self.x <= plain(other)

    def __gt__(self, other):
        return self.x > plain(other)

    def __ge__(self, other):
        return self.x >= plain(other)

    def __eq__(self, other):
        return self.x == plain(other)

    def __bool__(self):
        return self.x != 0

    __hash__ = None  # type: ignore[assignment]  # what is remembered by value forgets derivatives

    def __float__(self):
        raise TypeError("a plain number would forget the derivatives")

    def __repr__(self):
        return f"Dual({self.x}, {self.d.tolist()})"


def plain(x):
    """The value of a dual number without its derivatives."""
    if isinstance(x, Node):
        raise TypeError("a symbolic scalar is no number yet")
    return x.x if isinstance(x, Dual) else x


class Duals(Scalars):
    """Numbers with derivatives in so many directions.

    >>> K = Duals(1)
    >>> K.seeded(2.0, 0) ** 3 + 1
    Dual(9.0, [12.0])
    >>> K.sin(K.seeded(0.0, 0) * 4.0)
    Dual(0.0, [4.0])
    """

    can = frozenset({"divide", "root", "branch"})
    name = "numbers with derivatives"
    pi = math.pi

    def __init__(self, directions: int, parameters=None):
        super().__init__(parameters)
        self.directions = directions

    def seeded(self, x: float, *directions: int) -> Dual:
        """A number that changes by one in each of these directions."""
        d = np.zeros(self.directions)
        d[list(directions)] = 1
        return Dual(float(x), d)

    def given(self, x: float, d) -> Dual:
        """A number with these derivatives."""
        return Dual(float(x), np.asarray(d, dtype=float))

    def slopes(self, entries) -> np.ndarray:
        """Derivatives of numbers, (directions, n)."""
        none = np.zeros(self.directions)
        found = [x.d if isinstance(x, Dual) else none for x in entries]
        return np.array(found).reshape(-1, self.directions).T

    def exact(self, x):
        return x if isinstance(x, Dual) else float(x)

    def sin(self, x):
        return self.call("sin", x)

    def cos(self, x):
        return self.call("cos", x)

    def sqrt(self, x):
        return self.call("sqrt", x)

    def divide(self, x, y):
        return x / y

    def select(self, condition, x, y):
        return x if condition else y

    def less(self, x, y):
        return bool(x < y)

    def stairs(self, table, x):
        return vector(table.at(plain(x)))

    def call(self, name, *x):
        if not any(isinstance(e, Dual) for e in x):
            return float_call(name, *x)
        if name in ("min", "max"):
            return (min if name == "min" else max)(x, key=plain)
        if name == "atan2":
            (y, x), none = x, np.zeros(self.directions)
            a, b = plain(y), plain(x)
            dy, dx = (e.d if isinstance(e, Dual) else none for e in (y, x))
            return Dual(math.atan2(a, b), (b * dy - a * dx) / (a * a + b * b))
        (one,) = x
        return Dual(float_call(name, one.x), SLOPES[name](one.x) * one.d)
