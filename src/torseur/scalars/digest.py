"""Digests of descriptions: from every field of every dataclass, so that none can be forgotten.

A field that decides no mathematics says so where it is declared: `field(metadata=IDLE)`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain
from math import gcd, isfinite
from pathlib import Path
from sys import modules
from types import CodeType, FunctionType, MappingProxyType
from typing import Any

import numpy as np

from .values.value import Value, exact

IDLE: Mapping = MappingProxyType({"digest": False})
"""Metadata of a field that decides no mathematics: a name to show, something derived."""
LONG = 64  # numbers or rows of them that are spelt together
LARGEST = 1e99  # well within the range of numbers of a model
PACKAGE = __name__.partition(".")[0]
_NUMBERS = (int, float, Fraction, np.integer, np.floating)


def digest(*parts) -> str:
    """Hash of values: numbers, texts, expressions, sequences, mappings, and dataclasses of them.

    Numbers that are equal have one spelling, whether Python's, NumPy's or exact.

    >>> digest(0.5, (1, 2.0)) == digest(np.float64(0.5), np.array([1, 2])) == digest(
    ...     Fraction(1, 2), [1, 2])
    True
    >>> digest(object())
    Traceback (most recent call last):
    TypeError: a object cannot be part of a digest: write a dataclass of numbers and texts
    """
    out: list[str] = []
    _spell(parts, out, {})
    return hashlib.sha256("\0".join(out).encode()).hexdigest()


def _spell(x: Any, out: list[str], known: dict[Value, str]) -> None:
    """Append the spelling of a value, in pieces."""
    kind: Any = type(x)
    if kind is int or kind is Fraction or (kind is float and -LARGEST < x < LARGEST):
        out.append(_decimal(x) if kind is float else str(x))
    elif kind is str or kind is bool or kind is bytes or x is None:
        out.append(repr(x))
    elif isinstance(x, _NUMBERS):
        out.append(_number(x))
    elif kind is tuple or isinstance(x, tuple | list | np.ndarray):
        if isinstance(x, np.ndarray):
            x = x.tolist()
            if not isinstance(x, list):
                return _spell(x, out, known)
        _sequence(x, out, known)
    elif kind is Value:
        _expression(x, out, known)
    elif is_dataclass(x) and not isinstance(x, type):
        out.append(f"{_class(kind)}(")
        for name, part in _decisive(x):
            out.append(name)
            _spell(part, out, known)
        out.append(")")
    elif isinstance(x, Mapping):
        out.append("{")
        for k, v in x.items():
            _spell(k, out, known)
            _spell(v, out, known)
        out.append("}")
    elif isinstance(x, slice):
        out.append(f"{x.start}:{x.stop}:{x.step}")
    elif isinstance(x, str | np.bool_):
        out.append(repr(bool(x) if isinstance(x, np.bool_) else str(x)))
    else:
        raise TypeError(
            f"a {kind.__name__} cannot be part of a digest: write a dataclass of numbers and texts"
        )


def _sequence(x, out: list[str], known: dict[Value, str]) -> None:
    if len(x) >= LONG and (found := _table(x)):
        out.append(found)
        return
    out.append("[")
    for e in x:
        _spell(e, out, known)
    out.append("]")


def _table(x) -> str:
    """Spelling of many rows of floats, or None where a row holds other numbers."""
    rows = x if isinstance(x[0], tuple | list) else [x]
    if {*map(type, rows)} - {tuple, list} or len({*map(len, rows)}) > 1:
        return ""
    kinds = {*map(type, chain.from_iterable(rows))}
    if not kinds or bool in kinds or not all(issubclass(k, _NUMBERS) for k in kinds):
        return ""
    try:
        numbers = np.array([[*map(float, row)] for row in rows]) + 0.0  # no zero with a sign
    except OverflowError:
        return ""
    told = (e for row in rows for e in row if type(e) is not float)
    if not (abs(numbers) < LARGEST).all() or any(exact(float(e)) != exact(e) for e in told):
        return ""
    size = f"{len(x)} {numbers.shape}" if rows is x else f"{len(x)}"
    return f"table {size} {hashlib.sha256(numbers.tobytes()).hexdigest()}"


def _decimal(x: float) -> str:
    """As `str(exact(x))`: the decimal that a float stands for, as a fraction."""
    text = repr(x)
    if "e" in text:
        return str(exact(x))
    digits, _, more = text.partition(".")
    n, d = int(digits + more), 10 ** len(more)
    g = gcd(n, d)
    return str(n // g) if g == d else f"{n // g}/{d // g}"


def _decisive(x) -> Iterator[tuple[str, object]]:
    """Names and values of the fields of a dataclass that determine the mathematics."""
    if hasattr(x, "decisive"):
        return x.decisive()
    kind: Any = type(x)
    return ((name, getattr(x, name)) for name in _fields(kind))


@lru_cache(maxsize=1024)
def _fields(cls: type) -> tuple[str, ...]:
    return tuple(f.name for f in fields(cls) if f.metadata.get("digest", True))


def _number(x) -> str:
    if isinstance(x, float | np.floating) and not isfinite(x):
        return repr(float(x))
    try:
        return str(exact(x))
    except ValueError:  # out of the range of numbers of a model
        return repr(x.item() if isinstance(x, np.generic) else x)


def _expression(x: Value, out: list[str], known: dict[Value, str]) -> None:
    """Each distinct part once, then its number: shared parts do not multiply."""
    for part in x.walk():
        if part not in known:
            known[part] = f"#{len(known)}"
            inner = (known[a] if isinstance(a, Value) else repr(a) for a in part.args)
            out.append(f"{known[part]} = {' '.join((part.op, *inner))}")
    out.append(known[x])


def is_ours(made: Any) -> bool:
    """Whether a class or function is of this package, whose text the cache of kernels knows."""
    return made.__module__.partition(".")[0] == PACKAGE


@lru_cache(maxsize=1024)
def _class(cls: type) -> str:
    """Name of a class.  A class outside the package adds its source text."""
    name = f"{cls.__module__}.{cls.__qualname__}"
    if is_ours(cls):
        return name
    return f"{name} {_text(cls)}"


def _text(cls: type) -> str:
    """Hash of the file that holds a class, or of its code where it has none."""
    file = getattr(modules.get(cls.__module__), "__file__", None)
    if file is not None:
        try:
            return hashlib.sha256(Path(file).read_bytes()).hexdigest()
        except OSError:
            pass
    own = [c for c in cls.__mro__ if c.__module__.partition(".")[0] not in (PACKAGE, "builtins")]
    return hashlib.sha256(
        repr([_code(v) for c in own for v in vars(c).items()]).encode()
    ).hexdigest()


def _code(x):
    """Content of a function, independent of its address."""
    match x:
        case (str() as name, value):
            return name, _code(value)
        case FunctionType():
            return _code(x.__code__), repr(x.__defaults__)
        case CodeType():
            return x.co_code, x.co_names, tuple(map(_code, x.co_consts))
        case property():
            return _code(x.fget)
        case staticmethod() | classmethod():
            return _code(x.__func__)
        case int() | float() | str() | bytes() | None | tuple():
            return repr(x)
    return type(x).__name__
