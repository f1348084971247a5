"""Lists within lists, as descriptions hold them."""

from __future__ import annotations

from typing import Any


def leaves(x: Any) -> list[Any]:
    """What stands in nested lists, one after the other."""
    return [e for part in x for e in leaves(part)] if isinstance(x, tuple | list) else [x]


def even(table: Any) -> bool:
    """Whether a list holds numbers only, or rows of numbers only.

    >>> even(((0, 1), (1, 2))), even(((0, 1), (1, (2,)))), even((1, (2,)))
    (True, False, False)
    """
    rows = [x for x in table if isinstance(x, tuple | list)] if isinstance(table, tuple) else []
    deep = any(isinstance(x, tuple | list) for row in rows for x in row)
    return not deep and (not rows or len(rows) == len(table))


def frozen(x: Any) -> Any:
    """Nested sequences (lists, arrays) as tuples of plain numbers, texts and values."""
    if hasattr(x, "tolist"):
        x = x.tolist()
    return tuple(map(frozen, x)) if isinstance(x, tuple | list) else x
