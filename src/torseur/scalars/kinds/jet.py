"""Numbers with a first and a second derivative, over any scalar.  Theory: CJ.1.

A pose written once as a function of one coordinate gives its screw and the screw's rate exactly,
whatever is inside: polynomials, tables, square roots, a linkage solved by iteration.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from ...errors import ArgumentError
from ...register import derived
from .base import Exact, Node, vector

SMOOTH = ("tan", "exp", "log", "tanh", "atan", "asin", "acos")


def _zero(x) -> bool:
    return isinstance(x, (*Exact, float)) and x == 0


class Jet:
    """Value, first and second derivative with respect to one parameter."""

    __slots__ = ("K", "d", "e", "x")
    __array_ufunc__ = None

    def __init__(self, K: Any, x: Any, d: Any = 0, e: Any = 0):
        self.K, self.x, self.d, self.e = K, x, d, e

    def _jet(self, o) -> Jet:
        return o if isinstance(o, Jet) else Jet(self.K, o)

    def __add__(self, o):
        if isinstance(o, np.ndarray):
            return vector(self + e for e in o)
        o = self._jet(o)
        return Jet(self.K, self.x + o.x, self.d + o.d, self.e + o.e)

    def __neg__(self):
        return Jet(self.K, -self.x, -self.d, -self.e)

    def __sub__(self, o):
        return self + -o

    def __rsub__(self, o):
        return -self + o

    def __mul__(self, o):
        if isinstance(o, np.ndarray):
            return vector(self * e for e in o)
        if _zero(o):
            return 0
        o = self._jet(o)
        cross = self.d * o.d
        return Jet(
            self.K,
            self.x * o.x,
            self.x * o.d + self.d * o.x,
            self.x * o.e + self.e * o.x + cross + cross,
        )  # CJ.1

    __radd__, __rmul__ = __add__, __mul__

    def __truediv__(self, o):
        return Jets(self.K).divide(self, o)

    def __rtruediv__(self, o):
        return Jets(self.K).divide(o, self)

    def __pow__(self, n: int):
        if n == 0:
            return 1
        out = self
        for _ in range(n - 1):
            out = out * self
        return out

    def through(self, f, df, ddf) -> Jet:
        """A function of this number, from its value and derivatives there."""
        return Jet(self.K, f, df * self.d, df * self.e + ddf * (self.d * self.d))

    def __repr__(self):
        return f"Jet({self.x}, {self.d}, {self.e})"


class Jets:
    """The scalars of a kind `K`, with derivatives carried along."""

    def __init__(self, K: Any, names: dict[str, Any] | None = None):
        self.base, self.names = K, names or {}

    def __getattr__(self, name):
        return getattr(self.base, name)

    def kept(self, owner, what, x, make):
        return make()

    def number(self, value):
        if hasattr(value, "over"):
            return value.over(self)
        return self.plain(self.base.exact(value))

    @derived
    def pi(self):
        return self.plain(self.base.pi)

    def plain(self, x):
        """A scalar that does not change: elements of graphs and rings as jets."""
        return Jet(self.base, x) if isinstance(x, Node) else x

    def numbers(self, values) -> np.ndarray:
        values = np.asarray(values, dtype=object)
        return vector(self.number(x) for x in values.ravel()).reshape(values.shape)

    def parameter(self, name):
        if name in self.names:
            return self.names[name]
        return Jet(self.base, self.base.parameter(name))

    def power(self, x, n: int):
        return x**n if n >= 0 else self.divide(1, x**-n)

    def divide(self, x, y):
        K = self.base
        if not isinstance(y, Jet):
            if not isinstance(x, Jet):
                return (
                    x / y
                    if isinstance(x, float) or isinstance(y, float)
                    else K.exact(Fraction(x) / y)
                )
            return x * self.divide(1, y)
        r = K.divide(1, y.x)
        square = r * r
        inverse = y.through(r, -square, 2 * r * square)
        return 0 if _zero(x) else inverse * x

    def sqrt(self, x):
        K = self.base
        if not isinstance(x, Jet):
            return self.plain(K.sqrt(x))
        r = K.sqrt(x.x)
        half = K.divide(1, 2 * r)
        return x.through(r, half, -half * K.divide(1, 2 * x.x))

    def sin(self, x):
        K = self.base
        if not isinstance(x, Jet):
            return self.plain(K.sin(x))
        s, c = K.sin(x.x), K.cos(x.x)
        return x.through(s, c, -s)

    def cos(self, x):
        K = self.base
        if not isinstance(x, Jet):
            return self.plain(K.cos(x))
        s, c = K.sin(x.x), K.cos(x.x)
        return x.through(c, -s, -c)

    def call(self, name, *args):
        K, x = self.base, args[0]
        if not any(isinstance(e, Jet) for e in args):
            return K.call(name, *args)
        if name in ("sin", "cos", "sqrt"):
            return getattr(self, name)(x)
        if name not in SMOOTH:
            raise ArgumentError(
                f"{name}() has no second derivative here; use sin, cos, sqrt, {', '.join(SMOOTH)}"
            )
        f = K.call(name, x.x)
        match name:
            case "exp":
                return x.through(f, f, f)
            case "log":
                r = K.divide(1, x.x)
                return x.through(f, r, -r * r)
            case "tan":
                return x.through(f, 1 + f * f, 2 * f * (1 + f * f))
            case "tanh":
                return x.through(f, 1 - f * f, -2 * f * (1 - f * f))
            case "atan":
                r = K.divide(1, 1 + x.x * x.x)
                return x.through(f, r, -2 * x.x * r * r)
        r, sign = K.divide(1, K.sqrt(1 - x.x * x.x)), 1 if name == "asin" else -1
        return x.through(f, sign * r, sign * x.x * r * r * r)

    def less(self, x, y):
        return self.base.less(*(e.x if isinstance(e, Jet) else e for e in (x, y)))

    def stairs(self, table, x):
        row = self.base.stairs(table, x.x if isinstance(x, Jet) else x)
        return vector(self.plain(e) for e in row)

    def select(self, condition, x, y):
        if not isinstance(condition, Node):
            return x if condition else y
        x, y = (e if isinstance(e, Jet) else Jet(self.base, e) for e in (x, y))
        return Jet(
            self.base,
            *(self.base.select(condition, a, b) for a, b in ((x.x, y.x), (x.d, y.d), (x.e, y.e))),
        )


def part(array: np.ndarray, which: str) -> np.ndarray:
    """One part (`x`, `d` or `e`) of an array of jets and plain numbers."""
    flat = vector(
        getattr(a, which) if isinstance(a, Jet) else (a if which == "x" else 0)
        for a in array.ravel()
    )
    return flat.reshape(array.shape)
