"""Cache of results for each system, with the lifetime of the system."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")
_NONE: Any = object()


def once(
    most: int = 64,
) -> Callable[[Callable[Concatenate[Any, P], T]], Callable[Concatenate[Any, P], T]]:
    """Decorate `make(system, *more)`: cache its results in the system.

    Results may refer to the system without keeping it alive. A system keeps the latest `most`
    results of each function.

    >>> from types import SimpleNamespace
    >>> @once(most=2)
    ... def double(system, x):
    ...     return [2 * x]
    >>> system = SimpleNamespace(made={})
    >>> double(system, 3) is double(system, 3), double(system, 4)
    (True, [8])
    """

    def keeping(make: Any) -> Any:
        @wraps(make)
        def kept(system: Any, *more: Any) -> Any:
            own = system.made.get(make)
            if own is None:
                own = system.made.setdefault(make, {})
            found = own.get(more, _NONE)
            if found is _NONE:
                found = own.setdefault(more, make(system, *more))
                while len(own) > most:
                    own.pop(next(iter(own), more), None)
            return found

        return kept

    return keeping
