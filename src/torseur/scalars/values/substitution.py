"""Substitution of numbers or expressions for names in expressions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .value import Number, Value, cos, divide, sin, sqrt, symbols

_AT_ZERO = {"exp": 1} | dict.fromkeys(("tan", "tanh", "abs", "sign", "asin", "atan"), 0)


def substituted(x: Any, known: Mapping[str, Any]) -> Any:
    """An expression with names replaced and vanishing terms omitted.


    >>> from .parser import parse
    >>> substituted(parse("(1 + b*t)*(100*x + 3*rate)"), {"rate": 0})
    (1 + b*t)*100*x

    A division by zero, or a logarithm of it, is a ValueError.
    """
    if not isinstance(x, Value) or not {*known} & {*symbols(x)}:
        return x
    return x.over(_SubstitutionScalars(known))


class _SubstitutionScalars:
    """Scalars whose operations build expressions, with values for some names."""

    pi = Value("pi")

    def __init__(self, known):
        self.known = known

    def parameter(self, name):
        return self.known[name] if name in self.known else Value("symbol", (name,))

    def exact(self, x):
        return x

    def divide(self, a, b):
        if isinstance(b, Number) and b == 0:
            raise ValueError("division by zero")
        return 0 if isinstance(a, Number) and a == 0 else divide(a, b)

    def power(self, a, n):
        if isinstance(a, Number) and a == 0 and n < 0:
            raise ValueError("division by zero")
        return a**n

    sin, cos, sqrt = staticmethod(sin), staticmethod(cos), staticmethod(sqrt)

    def call(self, op, *args):
        if all(isinstance(a, Number) and a == 0 for a in args):
            if op in _AT_ZERO:
                return _AT_ZERO[op]
            if op in ("log", "atan2"):
                raise ValueError(f"{op} of zero")
        return Value(op, args)
