"""Numbers of a model: exact, or an expression of named parameters; either becomes any scalar.

`exact(0.35)` is the fraction 7/20: a decimal means what it says, arithmetic while lowering a model
is exact, and each scalar rounds (or not) once at the end.  A text such as "L/2" is read by a
parser that knows arithmetic and a few functions, and nothing else.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Container, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from ..errors import shown
from .floats import Floats
from .ring import exact_root

Number = int | Fraction
LARGEST = 10**100  # of the numbers of a model: their products still fit a double
LONGEST = 10_000  # characters of an expression
_FUNCTIONS = ("sin", "cos", "sqrt")
_CALLS = {
    "tan": 1,
    "exp": 1,
    "log": 1,
    "tanh": 1,
    "abs": 1,
    "sign": 1,
    "asin": 1,
    "acos": 1,
    "atan": 1,
    "atan2": 2,
    "min": 2,
    "max": 2,
}
_RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}


_KNOWN: WeakValueDictionary = WeakValueDictionary()


class Value:
    """A frozen expression: `op` is an operation, a function name, "symbol" or "pi".

    Equal expressions are one object, so that a shared part is stored, compared and evaluated once
    however often it occurs: nothing here grows with the size of the expression written out.

    >>> 2 * symbol("L") / 3
    2*L/3
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
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if _zero(o) else _fold("+", self, o)

    def __radd__(self, o):
        return self if _zero(o) else _fold("+", _own(o), self)

    def __sub__(self, o):
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if _zero(o) else _fold("-", self, o)

    def __rsub__(self, o):
        return -self if _zero(o) else _fold("-", _own(o), self)

    def __mul__(self, o):
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
        """Every distinct expression in this one that is not known, parts before the whole."""
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
        """This expression as a scalar of kind `K`, its parameters bound by `K.parameters`.

        `known` keeps what was found, for other expressions that share parts with this one.
        """
        known = {} if known is None else known
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
        return op in ("symbol", "pi") or (op in _FUNCTIONS and isinstance(self.args[0], Number))

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


def _number_text(x) -> str:
    """Decimal when that is exact and short, a fraction otherwise."""
    if isinstance(x, Fraction) and exact(float(x)) == x:
        return repr(float(x))
    return f"({x})" if isinstance(x, Fraction) else repr(x)


def _zero(x) -> bool:
    return isinstance(x, Number) and x == 0


def _fold(op: str, a, b):
    return Value(op, (a, _own(b)))


def _own(x):
    """An operand; products of a model's numbers may pass the bound that each of them keeps."""
    return _whole(x) if isinstance(x, Number) else exact(x)


def symbol(name: str) -> Value:
    """A named parameter."""
    return Value("symbol", (name,))


def exact(x) -> Number | Value:
    """A number of a model as an exact number or an expression; texts are parsed.

    >>> exact(0.35), exact("L/2"), exact(np.float64(2.0))
    (Fraction(7, 20), L/2, 2)
    """
    if (type(x) is int and -LARGEST <= x <= LARGEST) or isinstance(x, Value):
        return x
    if isinstance(x, str):
        return parse(x)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if (
        isinstance(x, bool | np.bool_)
        or not isinstance(x, int | float | Fraction | np.number)
        or isinstance(x, complex | np.complexfloating)
    ):
        raise TypeError(f"expected a number or the text of an expression, got {shown(x)}")
    x = int(x) if isinstance(x, np.integer) else float(x) if isinstance(x, np.floating) else x
    if x != x or x in (math.inf, -math.inf):
        raise ValueError(f"expected a finite number, got {float(x)!r}")
    if not -LARGEST <= x <= LARGEST:
        raise ValueError(f"{shown(x)} is out of the range of numbers, up to 1e100")
    return _whole(_said(x) if isinstance(x, float) else x)


@lru_cache(maxsize=4096)
def _said(x: float) -> Fraction:
    """The decimal that a float was written as."""
    return Fraction(repr(x))


def _whole(x: Number) -> Number:
    return x.numerator if x.denominator == 1 else x


def exacts(x, shape: tuple[int, ...]) -> np.ndarray:
    """A nested sequence of numbers as an exact object array of the given shape, read-only."""
    if (
        type(x) is tuple
        and len(shape) == 1
        and len(x) == shape[0]
        and all(type(e) in (int, float) for e in x)
    ):
        return _plain(x)  # the usual case: a few numbers, often the same
    array = np.asarray(x, dtype=object)
    if array.shape != shape:
        got = _shape(array.shape) if array.ndim else shown(x)
        raise ValueError(f"expected {_shape(shape)}, got {got}")
    out = np.empty(array.size, dtype=object)
    out[:] = [exact(e) for e in array.ravel()]
    return out.reshape(shape)


@lru_cache(maxsize=4096)
def _plain(x: tuple) -> np.ndarray:
    out = np.empty(len(x), dtype=object)
    out[:] = [exact(e) for e in x]
    out.flags.writeable = False
    return out


def _shape(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"{shape[0]} number{'s' * (shape[0] != 1)}"
    if len(shape) > 4:
        return f"numbers nested {len(shape)} deep"
    return " x ".join(map(str, shape)) + " numbers" if shape else "a single number"


_BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: None,
    ast.Pow: None,
}


@lru_cache(maxsize=4096)
def parse(text: str) -> Number | Value:
    """Read arithmetic of numbers, names, `pi`, sin, cos, sqrt; anything else is an error.

    >>> parse("2*pi*f + 1"), parse("3/4")
    (2*pi*f + 1, Fraction(3, 4))
    """
    if len(text) > LONGEST:
        raise ValueError(f"an expression of {len(text)} characters is too long")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _read(tree, text)
    except (SyntaxError, RecursionError, MemoryError, UnicodeError):
        raise ValueError(
            f"cannot read {shown(text)} as an expression; write arithmetic such as 'L/2'"
        ) from None


def _read(node, text):
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return _bounded(
                _decimal(ast.get_source_segment(text.strip(), node))
                if isinstance(node.value, float)
                else node.value,
                text,
            )
        case ast.Name(id="pi"):
            return Value("pi")
        case ast.Name(id=name) if name.lower() not in ("nan", "inf", "infinity"):
            # as written: Python's own reader turns a micro sign into a Greek letter
            return symbol(name if text.isascii() else ast.get_source_segment(text.strip(), node))
        case ast.Name(id=name):
            raise ValueError(f"expected a finite number, got {name!r}")
        case ast.UnaryOp(op=ast.USub(), operand=x):
            return -_read(x, text)
        case ast.UnaryOp(op=ast.UAdd(), operand=x):
            return _read(x, text)
        case ast.BinOp(left=a, op=op, right=b) if type(op) in _BINARY:
            a, b = _read(a, text), _read(b, text)
            if isinstance(op, ast.Div):
                return _bounded(divide(a, b), text)
            if isinstance(op, ast.Pow):
                if not isinstance(b, int) or abs(b) > 64:
                    raise ValueError(
                        f"cannot read {shown(text)}: powers must be whole numbers up to 64"
                    )
                if a == 0 and b < 0:
                    raise ValueError("division by zero")
                return _bounded(Fraction(a) ** b, text) if isinstance(a, Number) else a**b
            return _bounded(_BINARY[type(op)](a, b), text)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
            name in _FUNCTIONS and len(args) == 1
        ):
            return {"sin": sin, "cos": cos, "sqrt": sqrt}[name](_read(args[0], text))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if _CALLS.get(name) == len(
            args
        ):
            return Value(name, tuple(_read(a, text) for a in args))
        case ast.BinOp(op=ast.BitXor()):
            raise ValueError(f"cannot read {shown(text)}: a power is written **, not ^")
    raise ValueError(
        f"cannot read {shown(text)}: only numbers, parameter names, + - * / ** and "
        f"{', '.join((*_FUNCTIONS, *_CALLS))} are known"
    )


def _decimal(digits: str) -> Fraction:
    """The exact number a decimal text says; exponents beyond a double's are refused unread."""
    exponent = digits.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > 330:
        raise ValueError(f"{digits} is out of the range of numbers, up to 1e100")
    return Fraction(digits.replace("_", ""))


def _bounded(x, text):
    """A number small enough to compute with: a file must not make arithmetic endless."""
    if not isinstance(x, Number):
        return x
    if abs(x) > LARGEST or max(x.numerator.bit_length(), x.denominator.bit_length()) > 4000:
        raise ValueError(f"{shown(text)} is out of the range of numbers, up to 1e100")
    return _whole(x)


def divide(a, b):
    """Exact quotient."""
    if isinstance(b, Number) and b == 0:
        raise ValueError("division by zero")
    if isinstance(a, Number) and isinstance(b, Number):
        return _whole(Fraction(a) / b)
    return a / b


SNAP = 8 * np.finfo(float).eps  # a few ulp: closer to a right angle than that is one


def quarter(x) -> int | None:
    """How many quarter turns an angle is, to a few ulp; None when it is something else.

    >>> quarter(exact(math.pi / 2)), quarter(exact(1.5708)), quarter(exact("pi"))
    (1, None, 2)
    """
    if isinstance(x, Value):
        if any(leaf.op != "pi" for leaf in leaves(x)):
            return None
        x = nominal(x, {})
    turns = float(x) / (math.pi / 2)
    n = round(turns)
    return n if abs(turns - n) <= SNAP * max(1, abs(n)) else None


def cos(x):
    """Cosine of a value; exact at right angles."""
    n = quarter(x)
    return Value("cos", (x,)) if n is None else (1, 0, -1, 0)[n % 4]


def sin(x):
    """Sine of a value; exact at right angles."""
    n = quarter(x)
    return Value("sin", (x,)) if n is None else (0, 1, 0, -1)[n % 4]


def sqrt(x):
    """Square root of a value; exact when it is rational."""
    if isinstance(x, Number):
        if x < 0:
            raise ValueError(f"the square root of {x} is not real")
        root = exact_root(x)
        if root is not None:
            return root
    return Value("sqrt", (x,))


def nominal(x, parameters: Mapping[str, float]) -> float:
    """The number a value stands for, given its parameters."""
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
