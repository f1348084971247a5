"""What is made once for a system and kept by it, as long as it lives and no longer."""

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
    """Decorator of `make(system, *more)`: the same answer for the same system and `more`.

    Answers hang on the system, so that they may hold it without keeping it alive; of each `make`
    a system keeps the latest `most`.

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
