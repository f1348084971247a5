"""Expressions of named parameters: frozen, shared, over any scalar."""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..kinds.float import Floats

Number = int | Fraction
LONGEST = 10_000  # characters of an expression
FUNCTIONS = ("sin", "cos", "sqrt")
_RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}
_KNOWN: WeakValueDictionary = WeakValueDictionary()


class Value:
    """A frozen expression: `op` is an operation, a function name, "symbol" or "pi".

    Equal expressions are one object (hash consing), so that a shared part is stored, compared and
    evaluated once.


    >>> 2 * symbol("L") / 3
    2*L/3
    >>> from torseur.scalars import exact
    >>> symbol("L") / 2 is exact("L/2")
    True
    """

    __slots__ = ("__weakref__", "args", "op")
    __match_args__ = ("op", "args")
    op: str
    args: tuple

    def __new__(cls, op: str, args: tuple = ()):
        self = _KNOWN.get((op, args))
        if self is None:
            self = object.__new__(cls)
            object.__setattr__(self, "op", op)
            object.__setattr__(self, "args", args)
            _KNOWN[op, args] = self
        return self

    def __setattr__(self, name, value):
        raise AttributeError("an expression is frozen")

    def __reduce__(self):
        return Value, (self.op, self.args)

    def __add__(self, o):
        if type(o) is Value:
            return Value("+", (self, o))
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if _zero(o) else _fold("+", self, o)

    def __radd__(self, o):
        return self if _zero(o) else _fold("+", _own(o), self)

    def __sub__(self, o):
        if type(o) is Value:
            return Value("-", (self, o))
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if _zero(o) else _fold("-", self, o)

    def __rsub__(self, o):
        return -self if _zero(o) else _fold("-", _own(o), self)

    def __mul__(self, o):
        if type(o) is Value:
            return Value("*", (self, o))
        if isinstance(o, np.ndarray):
            return NotImplemented
        if _zero(o):
            return 0
        if isinstance(o, Number) and abs(o) == 1:
            return self if o == 1 else -self
        return _fold("*", self, o)

    def __rmul__(self, o):
        o = _own(o)
        if _zero(o) or abs(o) == 1:
            return self * o
        return _fold("*", o, self)

    def __truediv__(self, o):
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if isinstance(o, Number) and o == 1 else _fold("/", self, o)

    def __rtruediv__(self, o):
        return _fold("/", _own(o), self)

    def __pow__(self, n):
        return self if n == 1 else 1 if n == 0 else Value("**", (self, n))

    def __neg__(self):
        return self.args[0] if self.op == "neg" else Value("neg", (self,))

    def walk(self, known: Container[Value] = ()) -> Iterator[Value]:
        """Distinct expressions in this one that are not visited yet, operands first."""
        done: set[Value] = set()
        stack = [] if self in known else [self]
        while stack:
            x = stack[-1]
            ahead = [
                a
                for a in reversed(x.args)
                if isinstance(a, Value) and a not in done and a not in known
            ]
            if ahead:
                stack += ahead
                continue
            stack.pop()
            if x not in done:
                done.add(x)
                yield x

    def over(self, K, known: dict[Value, Any] | None = None) -> Any:
        """This expression as a scalar of kind `K`, with its parameters bound by `K.parameters`.

        `known` caches results for other expressions that share parts with this one.
        """
        known = {} if known is None else known
        if self in known:
            return known[self]
        for part in self.walk(known):
            known[part] = part._over(K, known)
        return known[self]

    def _over(self, K, known):
        if self.op == "symbol":
            return K.parameter(self.args[0])
        if self.op == "pi":
            return K.pi
        x = [
            known[a] if isinstance(a, Value) else K.exact(a)
            for a in self.args[: 1 if self.op == "**" else None]
        ]
        match self.op:
            case "+":
                return x[0] + x[1]
            case "-":
                return x[0] - x[1]
            case "*":
                return x[0] * x[1]
            case "/":
                return K.divide(x[0], x[1])
            case "neg":
                return -x[0]
            case "**":
                return K.power(x[0], self.args[1])
            case "sin":
                return K.sin(x[0])
            case "cos":
                return K.cos(x[0])
            case "sqrt":
                return K.sqrt(x[0])
        return K.call(self.op, *x)

    @property
    def is_leaf(self) -> bool:
        """Whether it is a symbol or an irrational constant."""
        op = self.op
        return op in ("symbol", "pi") or (op in FUNCTIONS and isinstance(self.args[0], Number))

    def __repr__(self):
        known: dict[Value, tuple[str, int]] = {}
        for x in self.walk():
            known[x] = x._text(known)
        return known[self][0]

    def _text(self, known) -> tuple[str, int]:
        """Text, and how tightly it binds."""
        if self.op in ("symbol", "pi"):
            return (self.args or ("pi",))[0], 9
        rank = _RANK.get(self.op, 9)

        def part(a, outer):
            text, own = known[a] if isinstance(a, Value) else (_number_text(a), 9)
            return f"({text})" if own < outer else text

        if self.op not in _RANK:
            text = f"{self.op}({', '.join(part(a, 0) for a in self.args)})"
        elif self.op == "neg":
            text = "-" + part(self.args[0], rank)
        elif self.op == "**":
            text = f"{part(self.args[0], rank + 1)}**{self.args[1]}"
        else:
            a, b = self.args
            gap = " " if rank == 1 else ""
            text = part(a, rank) + gap + self.op + gap + part(b, rank + (self.op in "-/"))
        if len(text) > 4 * LONGEST:
            text, rank = f"<expression of more than {4 * LONGEST} characters>", 9
        return text, rank


def symbol(name: str) -> Value:
    """A named parameter."""
    return Value("symbol", (name,))


def _number_text(x) -> str:
    """Decimal when that is exact and short, a fraction otherwise."""
    if isinstance(x, Fraction) and said(float(x)) == x:
        return repr(float(x))
    return f"({x})" if isinstance(x, Fraction) else repr(x)


def _zero(x) -> bool:
    return type(x) is not Value and isinstance(x, Number) and x == 0


def _fold(op: str, a, b):
    return Value(op, (a, _own(b)))


def _own(x):
    """An operand.  Products of numbers may exceed the bound of single numbers."""
    if type(x) in (Value, int):  # before abstract classes are asked
        return x
    from .value import exact

    return whole(x) if isinstance(x, Number) else exact(x)


@lru_cache(maxsize=4096)
def said(x: float) -> Fraction:
    """The decimal that a float was written as."""
    text = repr(x)
    if "e" in text or "n" in text:  # 1e-5, inf, nan
        return Fraction(text)
    digits, _, more = text.partition(".")
    return Fraction(int(digits + more), 10 ** len(more))


def whole(x: Number) -> Number:
    """A fraction with denominator one as an integer."""
    return x.numerator if x.denominator == 1 else x


def nominal(x, parameters: Mapping[str, float]) -> float:
    """The number of a value, with values of its parameters."""
    return x.over(Floats(parameters)) if isinstance(x, Value) else float(x)


def symbols(x) -> tuple[str, ...]:
    """Names of the parameters in a value or an array of values, in order of appearance."""
    return tuple(leaf.args[0] for leaf in leaves(x) if leaf.op == "symbol")


def leaves(x) -> tuple[Value, ...]:
    """Distinct symbols and irrational constants in a value or an array of values."""
    seen: dict[Value, None] = {}
    for e in x.ravel() if isinstance(x, np.ndarray) else (x,):
        if isinstance(e, Value):
            for part in e.walk(seen):
                seen[part] = None
    return tuple(part for part in seen if part.is_leaf)


@lru_cache(maxsize=1024)
def exact_root(x) -> int | Fraction | None:
    """The square root of an exact number when it is rational, else None.

    >>> exact_root(Fraction(9, 4))
    Fraction(3, 2)
    """
    x = Fraction(x)
    if x < 0:
        return None
    p, q = math.isqrt(x.numerator), math.isqrt(x.denominator)
    if p * p != x.numerator or q * q != x.denominator:
        return None
    return p if q == 1 else Fraction(p, q)
