"""Cache of the result of `Model.check()`, valid while the description is unchanged.

A description is frozen, but lists, arrays and dictionaries in it are not.  Their content is stored
with the result and compared before the result is used again.
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

UNCHECKED_FIELDS = ("source", "initial", "simulation", "outputs", "design", "row")
"""What `check()` does not read."""
_IMMUTABLE_TYPES = (str, bytes, Number, Value, PurePath, type(None))
_SCALAR_TYPES = frozenset({str, int, float, bool, Fraction, type(None)})


T = TypeVar("T")


class UncomparableContent(Exception):
    """A description holds an object whose changes cannot be detected."""


class CachedResult(NamedTuple):
    """A result, and the content of every mutable object that it was computed from."""

    value: Any
    contents: tuple[tuple[Any, Any], ...]

    @property
    def is_valid(self) -> bool:
        return all(snapshot_content(part) == then for part, then in self.contents)


def iter_mutable_parts(x: Any) -> Iterator[Any]:
    """Lists, arrays and dictionaries in a description, outermost first.

    >>> list(iter_mutable_parts(((1, [2, 3]), "name")))
    [[2, 3]]
    """
    kind: Any = type(x)
    if isinstance(x, list | dict | np.ndarray):
        yield x
        return
    if isinstance(x, tuple | frozenset):
        parts: Iterable[Any] = x
    elif (names := _frozen_fields(kind)) is not None:
        parts = (getattr(x, name) for name in names)
    elif isinstance(x, Mapping):
        parts = x.values()
    elif isinstance(x, _IMMUTABLE_TYPES):
        return
    else:
        raise UncomparableContent
    for part in parts:
        if type(part) not in _SCALAR_TYPES:  # most are numbers
            yield from iter_mutable_parts(part)


@cache
def _frozen_fields(kind: type) -> tuple[str, ...] | None:
    """Names of the fields of a frozen dataclass that `check()` reads, or None for other classes."""
    if not is_dataclass(kind) or not getattr(kind, "__dataclass_params__").frozen:  # noqa: B009
        return None
    return tuple(f.name for f in fields(kind) if f.name not in UNCHECKED_FIELDS)


def snapshot_content(x: Any) -> Any:
    """A copy that later changes of `x` do not reach, and that compares by value.

    >>> given = [1, np.zeros(2)]
    >>> before = snapshot_content(given)
    >>> given[1][0] = 5
    >>> before == snapshot_content(given), before == snapshot_content([1, np.zeros(2)])
    (False, True)
    """
    if isinstance(x, np.ndarray) and x.dtype != object:
        return x.shape, x.dtype.str, x.tobytes()
    if isinstance(x, list | tuple | np.ndarray):
        return type(x), tuple(map(snapshot_content, x))
    if isinstance(x, dict):
        return dict, tuple((snapshot_content(k), snapshot_content(v)) for k, v in x.items())
    return x, tuple((part, snapshot_content(part)) for part in iter_mutable_parts(x))


class CheckCache:
    """Base class of descriptions that store results outside of their fields."""

    __slots__ = ("__weakref__", "_results", "_tables")
    _results: dict[Any, CachedResult]
    _tables: dict[str, Any]

    def table(self, key: str, make: Callable[[], T]) -> T:
        """A table of immutable parts, such as names, computed by `make` at the first call."""
        try:
            tables = self._tables
        except AttributeError:
            object.__setattr__(self, "_tables", tables := {})
        if key not in tables:
            tables[key] = make()
        return tables[key]

    def recall(self, key: Any) -> Any:
        """The result stored under a key; None if missing or if the description has changed."""
        try:
            result = self._results[key]
        except (AttributeError, KeyError):
            return None
        return result.value if result.is_valid else None

    def store_result(self, key: Any, result: Any) -> None:
        """Store a result, unless the description holds objects that cannot be compared."""
        try:
            contents = tuple((part, snapshot_content(part)) for part in iter_mutable_parts(self))
        except UncomparableContent:
            return
        try:
            self._results[key] = CachedResult(result, contents)
        except AttributeError:
            object.__setattr__(self, "_results", {key: CachedResult(result, contents)})
