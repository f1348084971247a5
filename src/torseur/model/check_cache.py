"""What a description remembers of its own `check()`, and whether it is still true.

A description is frozen, but a user's lists, arrays and dictionaries in it are not: their content is
noted with the answer and compared before the answer is used again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from fractions import Fraction
from functools import cache
from numbers import Number
from pathlib import PurePath
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..scalars import Value

BESIDE = ("source", "initial", "simulation", "outputs", "design", "row")
"""What `check()` does not read."""
_PLAIN = (str, bytes, Number, Value, PurePath, type(None))
_CLOSED = frozenset({str, int, float, bool, Fraction, type(None)})


T = TypeVar("T")


class Unsettled(Exception):
    """Something of which nobody can say whether it changed."""


class Kept(NamedTuple):
    """What was found, and the content of everything it was made from that can change."""

    found: Any
    noted: tuple[tuple[Any, Any], ...]

    @property
    def holds(self) -> bool:
        return all(content(part) == then for part, then in self.noted)


def open_parts(x: Any) -> Iterator[Any]:
    """Lists, arrays and dictionaries in a description, outermost first.

    >>> list(open_parts(((1, [2, 3]), "name")))
    [[2, 3]]
    """
    kind: Any = type(x)
    if isinstance(x, list | dict | np.ndarray):
        yield x
        return
    if isinstance(x, tuple | frozenset):
        parts: Iterable[Any] = x
    elif (names := _fields(kind)) is not None:
        parts = (getattr(x, name) for name in names)
    elif isinstance(x, Mapping):
        parts = x.values()
    elif isinstance(x, _PLAIN):
        return
    else:
        raise Unsettled
    for part in parts:
        if type(part) not in _CLOSED:  # most are numbers
            yield from open_parts(part)


@cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """Fields of a frozen description; None of anything else."""
    if not is_dataclass(kind) or not getattr(kind, "__dataclass_params__").frozen:  # noqa: B009
        return None
    return tuple(f.name for f in fields(kind) if f.name not in BESIDE)


def content(x: Any) -> Any:
    """A copy that later changes of `x` do not reach, and that compares by value.

    >>> given = [1, np.zeros(2)]
    >>> before = content(given)
    >>> given[1][0] = 5
    >>> before == content(given), before == content([1, np.zeros(2)])
    (False, True)
    """
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x.shape, x.dtype.str, x.tobytes()
    if isinstance(x, list | tuple | np.ndarray):
        return type(x), tuple(map(content, x))
    if isinstance(x, dict):
        return dict, tuple((content(k), content(v)) for k, v in x.items())
    return x, tuple((part, content(part)) for part in open_parts(x))


class Remembers:
    """Room for what `check()` found out, which is no part of the description."""

    __slots__ = ("__weakref__", "_answers", "_tables")
    _answers: dict[Any, Kept]
    _tables: dict[str, Any]

    def table(self, key: str, make: Callable[[], T]) -> T:
        """What follows from parts that no one can change, such as names, made once."""
        try:
            tables = self._tables
        except AttributeError:
            object.__setattr__(self, "_tables", tables := {})
        if key not in tables:
            tables[key] = make()
        return tables[key]

    def recall(self, key: Any) -> Any:
        """What was remembered under a key, if the description is still what it was; or None."""
        try:
            answer = self._answers[key]
        except (AttributeError, KeyError):
            return None
        return answer.found if answer.holds else None

    def remember(self, key: Any, found: Any) -> None:
        """Keep what was found, unless something in the description cannot be compared."""
        try:
            noted = tuple((part, content(part)) for part in open_parts(self))
        except Unsettled:
            return
        try:
            self._answers[key] = Kept(found, noted)
        except AttributeError:
            object.__setattr__(self, "_answers", {key: Kept(found, noted)})
