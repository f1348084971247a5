"""Parser of arithmetic expressions with a few functions.  Nothing in a text is executed."""

from __future__ import annotations

import ast
import operator
from fractions import Fraction
from functools import lru_cache
from typing import Any

from ...errors import shown
from .expression import FUNCTIONS, LONGEST, Number, Value, symbol, whole
from .value import LARGEST, cos, divide, sin, sqrt

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
_AFTER = (ast.Gt, ast.GtE)  # the left side is the larger
_BEFORE = (ast.Lt, ast.LtE)
_SIMPLE: dict[type, Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}
_BINARY = (*_SIMPLE, ast.Div, ast.Pow)


@lru_cache(maxsize=4096)
def parse(text: str) -> Any:
    """Read arithmetic of numbers, names, `pi` and functions.  Anything else raises ValueError.

    `a > b` is 1 where it holds and 0 elsewhere, `step(x)` is `x > 0`, `where(a > b, x, y)` selects.


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


def _read(node, text: str) -> Any:
    match node:
        case ast.Constant(value=int() | float()) if not isinstance(node.value, bool):
            return _bounded(
                _decimal(_written(node, text)) if isinstance(node.value, float) else node.value,
                text,
            )
        case ast.Name(id="pi"):
            return Value("pi")
        case ast.Name(id=name) if name.lower() not in ("nan", "inf", "infinity"):
            # as written: Python's own reader turns a micro sign into a Greek letter
            return symbol(name if text.isascii() else _written(node, text))
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
            return _bounded(_SIMPLE[type(op)](a, b), text)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if (
            name in FUNCTIONS and len(args) == 1
        ):
            return {"sin": sin, "cos": cos, "sqrt": sqrt}[name](_read(args[0], text))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if _CALLS.get(name) == len(
            args
        ):
            return Value(name, tuple(_read(a, text) for a in args))
    return _chosen(node, text)


def _chosen(node, text: str) -> Any:
    """Comparisons, `step` and `where`."""
    match node:
        case ast.Call(func=ast.Name(id="step"), args=[x], keywords=[]):
            return _step(_read(x, text))
        case ast.Call(func=ast.Name(id="where"), args=[test, a, b], keywords=[]):
            a, b = _read(a, text), _read(b, text)
            return b + _read(test, text) * (a - b)
        case ast.Compare(left=a, ops=[op], comparators=[b]) if isinstance(op, _AFTER):
            return _step(_read(a, text) - _read(b, text))
        case ast.Compare(left=a, ops=[op], comparators=[b]) if isinstance(op, _BEFORE):
            return _step(_read(b, text) - _read(a, text))
        case ast.BinOp(op=ast.BitXor()):
            raise ValueError(f"cannot read {shown(text)}: a power is written **, not ^")
    raise ValueError(
        f"cannot read {shown(text)}: only numbers, parameter names, + - * / ** and "
        f"{', '.join((*FUNCTIONS, *_CALLS))}, step, where, < and > are known"
    )


def _step(x: Any) -> Any:
    """Step function of comparisons, 0 before and 1 after zero: `a > b` is `step(a - b)`."""
    return divide(1 + Value("sign", (x,)), 2)


def _decimal(digits: str) -> Fraction:
    """The exact number of a decimal text.  Exponents beyond those of a double raise ValueError."""
    exponent = digits.lower().partition("e")[2]
    if exponent and abs(int(exponent)) > 330:
        raise ValueError(f"{digits} is out of the range of numbers, up to 1e100")
    return Fraction(digits.replace("_", ""))


def _written(node: ast.expr, text: str) -> str:
    """The source text of a syntax node."""
    return ast.get_source_segment(text.strip(), node) or ""


def _bounded(x: Any, text: str) -> Any:
    """A number small enough to compute with: a file must not make arithmetic endless."""
    if not isinstance(x, Number):
        return x
    number = Fraction(x)
    longest = max(number.numerator.bit_length(), number.denominator.bit_length())
    if abs(number) > LARGEST or longest > 4000:
        raise ValueError(f"{shown(text)} is out of the range of numbers, up to 1e100")
    return whole(x)
