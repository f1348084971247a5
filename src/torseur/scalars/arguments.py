"""Validation of arguments: numbers with units to SI, or an error that names the argument."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelWarning, said, shown
from . import units
from .values import value
from .values.value import Number

MAX_EXACT_INTEGER = 2**53  # of a float


def number(where: str, name: str, given: Any, unit: str = "", above: float | None = None) -> float:
    """A finite number in SI, from a number or a text with a unit.  With `above` it must be larger.


    >>> number("drive", "speed", "36 km/h", "m/s"), number("drive", "gain", 3)
    (10.0, 3.0)
    >>> number("drive", "gain", "3 kg")
    Traceback (most recent call last):
    torseur.errors.ArgumentError: drive: gain: expected a plain number, got '3 kg' (...)
    """
    try:
        x: Any = units.quantity(given, unit) if isinstance(given, str) else given
        exact = isinstance(x, str | value.Value)  # 90 deg is pi/2 exactly
        x = float(value.nominal(x, {}) if exact else x)
    except (TypeError, ValueError, ArithmeticError) as e:
        why = said(e, "-") if isinstance(given, str) else "-"
        why = "" if why == "-" else f" ({why})"
        expected = f"{_kind(unit)} or a text such as {units.example(unit)!r}" if unit else _kind("")
        raise ArgumentError(
            f"{where}: {name}: expected {expected}, got {shown(given)}{why}"
        ) from None
    if not np.isfinite(x):
        raise ArgumentError(f"{where}: {name}: expected a finite number, got {x}")
    if above is not None and x <= above:
        expected = "above zero" if above == 0 else f"above {above:g}"
        raise ArgumentError(f"{where}: {name}: expected a number {expected}, got {shown(given)}")
    return x


def degrees(x: Any) -> str:
    """Remark on an angle beyond one revolution, which was probably meant in degrees.


    >>> degrees(90), degrees(1.5)
    ("90 rad are 14.3 turns; write '90 deg' if degrees are meant", '')
    """
    if not isinstance(x, Number) or abs(float(x)) <= 2 * np.pi * (1 + 1e-9):
        return ""
    turns = abs(float(x)) / (2 * np.pi)
    return f"{float(x):g} rad are {turns:.3g} turns; write '{float(x):g} deg' if degrees are meant"


def describe_integer_degrees(x: Any) -> str:
    """Remark on an angle that may exceed a revolution: only integers up to ten revolutions in
    degrees.


    >>> describe_integer_degrees(30.0), describe_integer_degrees(20 * np.pi)
    ("30 rad are 4.77 turns; write '30 deg' if degrees are meant", '')
    """
    plain = isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= 3600
    return degrees(int(x)) if plain and x == int(x) else ""


def tell_degrees(where: str, unit: str, *given: Any) -> None:
    """Warn of the first of some values of an angle [rad] that was meant in degrees."""
    if unit == "rad" and (told := next(filter(None, map(describe_integer_degrees, given)), "")):
        warnings.warn(f"{where}: {told}", ModelWarning, stacklevel=4)


def _kind(unit: str) -> str:
    return f"a number in {unit}" if unit else "a plain number"


def numbers(
    where: str, name: str, given: Any, unit: str = "", shape: tuple[int | None, ...] | None = None
) -> np.ndarray:
    """Finite numbers in SI as an array, each a number or a text with a unit.

    `shape` is the required shape. None stands for any length of one or more.


    >>> numbers("path", "times", [0, "200 ms"], "s", (None,))
    array([0. , 0.2])
    >>> numbers("path", "times", [0, float("nan")], "s")
    Traceback (most recent call last):
    torseur.errors.ArgumentError: path: times: number 1 is nan; expected finite numbers
    """
    try:
        if np.iscomplexobj(given):
            raise TypeError
        x = np.asarray(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        x = _each(where, name, given, unit)
    if shape is not None and not _has_shape(x.shape, shape):
        each = " x ".join("n" if n is None else str(n) for n in shape) or "one"
        got = shown(given) if x.ndim == 0 else f"an array of shape {x.shape}"
        raise ArgumentError(f"{where}: {name}: expected {each} numbers, got {got}")
    if not np.isfinite(x).all():
        at = int(np.flatnonzero(~np.isfinite(x))[0])
        which = f"number {at} is {x.flat[at]}" if x.ndim else f"{x}"
        raise ArgumentError(f"{where}: {name}: {which}; expected finite numbers")
    return x


def _has_shape(own: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    return len(own) == len(wanted) and all(
        n > 0 if w is None else n == w for n, w in zip(own, wanted, strict=True)
    )


def _each(where: str, name: str, given: Any, unit: str) -> np.ndarray:
    """An array of nested sequences that contain texts with units."""

    def read(x):
        if isinstance(x, list | tuple):
            return [read(e) for e in x]
        return number(where, name, x, unit)

    plain = given.tolist() if hasattr(given, "tolist") else given
    try:
        return np.asarray(read(plain), dtype=float)
    except ArgumentError:
        raise
    except ValueError:
        raise ArgumentError(
            f"{where}: {name}: expected rows of one length, got {shown(given)}"
        ) from None


def count(where: str, name: str, given: Any, least: int = 1) -> int:
    """An integer of at least `least`.


    >>> count("study", "samples", 8.0)
    8
    >>> count("study", "samples", 2.5)
    Traceback (most recent call last):
    torseur.errors.ArgumentError: study: samples: expected a whole number, 1 or more, got 2.5
    """
    if not is_count(given, least):
        raise ArgumentError(
            f"{where}: {name}: expected a whole number, {least} or more, got {shown(given)}"
        )
    return int(given)


def is_count(x: Any, least: int = 1) -> bool:
    """Whether a value is an integer of at least `least` that a float holds exactly.


    >>> is_count(8.0), is_count(2.5), is_count(True), is_count("8"), is_count(1e300)
    (True, False, False, False, False)
    """
    if isinstance(x, bool | np.bool_ | str):
        return False
    try:
        return least <= float(x) == int(x) < MAX_EXACT_INTEGER
    except (TypeError, ValueError, OverflowError):
        return False


def texts(where: str, name: str, given: Any, example: str) -> tuple[str, ...]:
    """Names: a list of texts, or one text.


    >>> texts("size", "joints", "elbow", "['elbow']")
    ('elbow',)
    """
    out = [given] if isinstance(given, str) else listed(where, name, given, example)
    if wrong := [x for x in out if not isinstance(x, str)]:
        raise ArgumentError(f"{where}: {name}: expected names, got {shown(wrong[0])}")
    return tuple(out)


def mapping(where: str, name: str, given: Any, example: str) -> dict[str, Any]:
    """A dictionary of values by name.  The error contains an example."""
    if not (hasattr(given, "keys") and hasattr(given, "__getitem__")):
        raise ArgumentError(
            f"{where}: {name}: expected a dictionary such as {example}, got {shown(given)}"
        )
    return dict(given)


def named(given: Any) -> Any:
    """A mapping or pandas Series as a mapping, None as an empty one.  Other values pass unchanged.


    >>> named(None), named({"k": 2.0}), named(3)
    ({}, {'k': 2.0}, 3)
    """
    if given is None or isinstance(given, Mapping):
        return {} if given is None else given
    kind = type(given)
    return dict(given) if hasattr(kind, "keys") and hasattr(kind, "__getitem__") else given


def listed(where: str, name: str, given: Any, example: str) -> list[Any]:
    """A list.  The error contains an example."""
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise ArgumentError(
            f"{where}: {name}: expected a list such as {example}, got {shown(given)}"
        )
    return list(given)
