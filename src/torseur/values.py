"""Numbers of a model: exact, or an expression of named parameters; either becomes any scalar.

`exact(0.35)` is the fraction 7/20: a decimal means what it says, arithmetic while lowering a model
is exact, and each scalar rounds (or not) once at the end.  A text such as "L/2" is read by a
parser that knows arithmetic and a few functions, and nothing else.
"""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from .scalar import Floats, exact_root

Number = int | Fraction
_FUNCTIONS = ("sin", "cos", "sqrt")
_CALLS = ("tan", "exp", "log", "tanh", "abs", "sign", "asin", "acos", "atan", "atan2", "min", "max")
_RANK = {"+": 1, "-": 1, "*": 2, "/": 2, "neg": 3, "**": 4}


@dataclass(frozen=True, slots=True)
class Value:
    """A frozen expression: `op` is an operation, a function name, "symbol" or "pi".

    >>> 2 * symbol("L") / 3
    2*L/3
    """

    op: str
    args: tuple = ()

    def __add__(self, o):
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if _zero(o) else _fold("+", self, o)

    def __radd__(self, o):
        return self if _zero(o) else _fold("+", exact(o), self)

    def __sub__(self, o):
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if _zero(o) else _fold("-", self, o)

    def __rsub__(self, o):
        return -self if _zero(o) else _fold("-", exact(o), self)

    def __mul__(self, o):
        if isinstance(o, np.ndarray):
            return NotImplemented
        if _zero(o):
            return 0
        if isinstance(o, Number) and abs(o) == 1:
            return self if o == 1 else -self
        return _fold("*", self, o)

    def __rmul__(self, o):
        o = exact(o)
        if _zero(o) or abs(o) == 1:
            return self * o
        return _fold("*", o, self)

    def __truediv__(self, o):
        if isinstance(o, np.ndarray):
            return NotImplemented
        return self if isinstance(o, Number) and o == 1 else _fold("/", self, o)

    def __rtruediv__(self, o):
        return _fold("/", exact(o), self)

    def __pow__(self, n):
        return self if n == 1 else 1 if n == 0 else Value("**", (self, n))

    def __neg__(self):
        return self.args[0] if self.op == "neg" else Value("neg", (self,))

    def over(self, K) -> Any:
        """This expression as a scalar of kind `K`, its parameters bound by `K.parameters`."""
        if self.op == "symbol":
            return K.parameter(self.args[0])
        if self.op == "pi":
            return K.pi
        x = [K.number(a) for a in self.args[:1 if self.op == "**" else None]]
        match self.op:
            case "+": return x[0] + x[1]
            case "-": return x[0] - x[1]
            case "*": return x[0] * x[1]
            case "/": return K.divide(x[0], x[1])
            case "neg": return -x[0]
            case "**": return K.power(x[0], self.args[1])
            case "sin": return K.sin(x[0])
            case "cos": return K.cos(x[0])
            case "sqrt": return K.sqrt(x[0])
        return K.call(self.op, *x)

    def leaves(self) -> Iterator[Value]:
        """Symbols and irrational constants of this expression, in order of appearance."""
        if self.op in ("symbol", "pi") or (self.op in _FUNCTIONS
                                           and isinstance(self.args[0], Number)):
            yield self
            return
        for a in self.args:
            if isinstance(a, Value):
                yield from a.leaves()

    def __repr__(self):
        return self._text(0)

    def _text(self, outer: int) -> str:
        if self.op in ("symbol",):
            return self.args[0]
        if self.op == "pi":
            return "pi"
        rank = _RANK.get(self.op)
        if rank is None:
            return f"{self.op}({', '.join(map(_number_text, self.args))})"
        def inner(a, r):
            return a._text(r) if isinstance(a, Value) else _number_text(a)
        if self.op == "neg":
            text = "-" + inner(self.args[0], rank)
        elif self.op == "**":
            text = f"{inner(self.args[0], rank + 1)}**{self.args[1]}"
        else:
            a, b = self.args
            gap = " " if rank == 1 else ""
            text = inner(a, rank) + gap + self.op + gap + inner(b, rank + (self.op in "-/"))
        return f"({text})" if rank < outer else text


def _number_text(x) -> str:
    """Decimal when that is exact and short, a fraction otherwise."""
    if isinstance(x, Fraction) and exact(float(x)) == x:
        return repr(float(x))
    return f"({x})" if isinstance(x, Fraction) else repr(x)


def _zero(x) -> bool:
    return isinstance(x, Number) and x == 0


def _fold(op: str, a, b):
    return Value(op, (a, b if isinstance(b, Value) else exact(b)))


def symbol(name: str) -> Value:
    """A named parameter."""
    return Value("symbol", (name,))


def exact(x) -> Number | Value:
    """A number of a model as an exact number or an expression; texts are parsed.

    >>> exact(0.35), exact("L/2"), exact(np.float64(2.0))
    (Fraction(7, 20), L/2, 2)
    """
    if isinstance(x, Value):
        return x
    if isinstance(x, bool | np.bool_):
        raise TypeError(f"expected a number, got {x!r}")
    if isinstance(x, int | np.integer):
        return int(x)
    if isinstance(x, str):
        return parse(x)
    if isinstance(x, Fraction):
        return x.numerator if x.denominator == 1 else x
    if isinstance(x, float | np.floating):
        if not math.isfinite(x):
            raise ValueError(f"expected a finite number, got {x!r}")
        return exact(Fraction(repr(float(x))))
    raise TypeError(f"expected a number or the text of an expression, got {x!r}")


def exacts(x, shape: tuple[int, ...]) -> np.ndarray:
    """A nested sequence of numbers as an exact object array of the given shape."""
    array = np.asarray(x, dtype=object)
    if array.shape != shape:
        raise ValueError(f"expected {_shape(shape)}, got {_shape(array.shape)}")
    out = np.empty(array.size, dtype=object)
    out[:] = [exact(e) for e in array.ravel()]
    return out.reshape(shape)


def _shape(shape: tuple[int, ...]) -> str:
    if len(shape) == 1:
        return f"{shape[0]} numbers"
    return " x ".join(map(str, shape)) + " numbers" if shape else "a single number"


_BINARY = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
           ast.Div: None, ast.Pow: None}


def parse(text: str) -> Number | Value:
    """Read arithmetic of numbers, names, `pi`, sin, cos, sqrt; anything else is an error.

    >>> parse("2*pi*f + 1"), parse("3/4")
    (2*pi*f + 1, Fraction(3, 4))
    """
    if len(text) > 10_000:
        raise ValueError(f"an expression of {len(text)} characters is too long")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
        return _read(tree, text)
    except (SyntaxError, RecursionError, MemoryError):
        raise ValueError(f"cannot read {text!r} as an expression; "
                         "write arithmetic such as 'L/2'") from None


def _read(node, text):
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return _bounded(_decimal(ast.get_source_segment(text.strip(), node))
                            if isinstance(node.value, float) else node.value, text)
        case ast.Name(id="pi"):
            return Value("pi")
        case ast.Name(id=name) if name.lower() not in ("nan", "inf", "infinity"):
            return symbol(name)
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
                    raise ValueError(f"cannot read {text!r}: powers must be whole numbers up to 64")
                if a == 0 and b < 0:
                    raise ValueError("division by zero")
                return _bounded(Fraction(a)**b, text) if isinstance(a, Number) else a**b
            return _bounded(_BINARY[type(op)](a, b), text)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
                name in _FUNCTIONS and len(args) == 1):
            return {"sin": sin, "cos": cos, "sqrt": sqrt}[name](_read(args[0], text))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in _CALLS:
            return Value(name, tuple(_read(a, text) for a in args))
    raise ValueError(f"cannot read {text!r}: only numbers, parameter names, + - * / ** and "
                     f"{', '.join(_FUNCTIONS + _CALLS)} are known")


def _decimal(digits: str) -> Fraction:
    """The exact number a decimal text says; exponents beyond a double's are refused unread."""
    exponent = digits.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > 330:
        raise ValueError(f"{digits} is out of the range of numbers, 1e-300 to 1e300")
    return Fraction(digits.replace("_", ""))


def _bounded(x, text):
    """A number small enough to compute with: a file must not make arithmetic endless."""
    if isinstance(x, Number) and max(x.numerator.bit_length(), x.denominator.bit_length()) > 4000 \
            or isinstance(x, Number) and x and not 1e-300 < abs(x) < 1e300:
        raise ValueError(f"{text[:40]!r} is out of the range of numbers, 1e-300 to 1e300")
    return exact(x)


def divide(a, b):
    """Exact quotient."""
    if isinstance(b, Number) and b == 0:
        raise ValueError("division by zero")
    if isinstance(a, Number) and isinstance(b, Number):
        return exact(Fraction(a) / b)
    return a / b


SNAP = 8 * np.finfo(float).eps          # a few ulp: closer to a right angle than that is one


def quarter(x) -> int | None:
    """How many quarter turns an angle is, to a few ulp; None when it is something else.

    >>> quarter(exact(math.pi / 2)), quarter(exact(1.5708)), quarter(exact("pi"))
    (1, None, 2)
    """
    if isinstance(x, Value):
        if any(leaf.op != "pi" for leaf in x.leaves()):
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
    found: dict[Value, None] = {}
    for e in (x.ravel() if isinstance(x, np.ndarray) else (x,)):
        if isinstance(e, Value):
            found.update(dict.fromkeys(e.leaves()))
    return tuple(found)
