"""Numbers of a model: exact numbers, or expressions of named parameters.

`exact(0.35)` is the fraction 7/20: a decimal stands for itself. Arithmetic in lowering is exact,
and each scalar kind rounds once at the end. A text such as "L/2" is parsed, never executed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from ...errors import TorseurError, shown
from .expression import Number, Value, exact_root, leaves, nominal, said, symbol, symbols, whole

LARGEST = 10**100  # of the numbers of a model: their products still fit a double


def exact(x: Any) -> Any:
    """A number of a model as an exact number or an expression.  Texts are parsed.


    >>> exact(0.35), exact("L/2"), exact(np.float64(2.0))
    (Fraction(7, 20), L/2, 2)
    """
    if type(x) is float:
        return _said(x)
    if (type(x) is int and -LARGEST <= x <= LARGEST) or isinstance(x, Value):
        return x
    if isinstance(x, str):
        from .parser import parse

        return parse(x)
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x.item()
    if (
        isinstance(x, bool | np.bool_)
        or not isinstance(x, int | float | Fraction | np.number)
        or isinstance(x, complex | np.complexfloating)
    ):
        raise TypeError(f"expected a number or the text of an expression, got {shown(x)}")
    if isinstance(x, float | np.floating):
        return _said(float(x))
    return whole(_bounded(int(x) if isinstance(x, np.integer) else x))


@lru_cache(maxsize=1 << 16)
def _said(x: float) -> Number:
    """The short decimal that a float stands for."""
    if x != x or x in (math.inf, -math.inf):
        raise ValueError(f"expected a finite number, got {x!r}")
    return whole(said(_bounded(x)))


def _bounded(x: Any) -> Any:
    if not -LARGEST <= x <= LARGEST:
        raise ValueError(f"{shown(x)} is out of the range of numbers, up to 1e100")
    return x


def exacts(x, shape: tuple[int, ...]) -> np.ndarray:
    """A nested sequence of numbers as a read-only exact object array of this shape."""
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


def divide(a, b) -> Any:
    """Exact quotient."""
    if isinstance(b, Number) and b == 0:
        raise ValueError("division by zero")
    if isinstance(a, Number) and isinstance(b, Number):
        return whole(Fraction(a) / b)
    return a / b


SNAP = 8 * np.finfo(float).eps  # a few ulp: closer to a right angle than that is one


def quarter(x) -> int | None:
    """Number of quarter turns of an angle, to a few ulp, or None.


    >>> quarter(exact(math.pi / 2)), quarter(exact(1.5708)), quarter(exact("pi"))
    (1, None, 2)
    """
    if isinstance(x, Value):
        if any(leaf.op != "pi" for leaf in leaves(x)):
            return None
        try:
            x = nominal(x, {})
        except (ArithmeticError, ValueError):  # exp(1000): told by who reads it
            return None
    turns = float(x) / (math.pi / 2)
    n = round(turns)
    return n if abs(turns - n) <= SNAP * max(1, abs(n)) else None


def cos(x):
    """Cosine of a value, exact at right angles."""
    n = quarter(x)
    return Value("cos", (x,)) if n is None else (1, 0, -1, 0)[n % 4]


def sin(x):
    """Sine of a value, exact at right angles."""
    n = quarter(x)
    return Value("sin", (x,)) if n is None else (0, 1, 0, -1)[n % 4]


def sqrt(x):
    """Square root of a value, exact when rational."""
    if isinstance(x, Number):
        if x < 0:
            raise ValueError(f"the square root of {x} is not real")
        root = exact_root(x)
        if root is not None:
            return root
    return Value("sqrt", (x,))


def nominals(parameters: Mapping[str, Any]) -> dict[str, float]:
    """Numbers of parameters, some of which are expressions of those before; others left out."""
    out: dict[str, float] = {}
    for name, x in parameters.items():
        try:
            out[name] = nominal(exact(x), out)
        except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError, TorseurError):
            continue  # told by `check`
    return out


def filled(x: Any, numbers: Mapping[str, float]) -> Any:
    """The number of an expression whose names are all known; anything else as it is.

    >>> filled("2*k", {"k": 50.0}), filled("2*k + c", {"k": 50.0}), filled(3, {})
    (100.0, '2*k + c', 3)
    """
    if not isinstance(x, str | Value):
        return x
    try:
        names = symbols(tree := exact(x))
        return nominal(tree, numbers) if names and numbers.keys() >= {*names} else x
    except (TypeError, ValueError, ArithmeticError):  # told by `check`
        return x


__all__ = [
    "LARGEST",
    "SNAP",
    "Number",
    "Value",
    "cos",
    "divide",
    "exact",
    "exacts",
    "filled",
    "leaves",
    "nominal",
    "nominals",
    "quarter",
    "sin",
    "sqrt",
    "symbol",
    "symbols",
]
