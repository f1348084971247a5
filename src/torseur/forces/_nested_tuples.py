"""Lists within lists, as descriptions hold them."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from ..scalars.values import value


def leaves(x: Any) -> list[Any]:
    """What stands in nested lists, one after the other."""
    return [e for part in x for e in leaves(part)] if isinstance(x, tuple | list) else [x]


def plain(table: Any) -> np.ndarray | None:
    """Rows of a table whose numbers are all floats, or whole numbers that a float holds; else None.

    Such numbers compare as what they stand for does, so that nobody need read them one by one.

    >>> plain(((0, 1.5), (1, 2))), plain(((0, "k"), (1, 2))), plain(((0, 1), (2,)))
    (array([[0. , 1.5],
           [1. , 2. ]]), None, None)
    """
    if type(table) is not tuple or {*map(type, table)} != {tuple} or len({*map(len, table)}) > 1:
        return None
    kinds = {*map(type, chain.from_iterable(table))}
    if not kinds or not kinds <= {float, int}:
        return None
    try:
        rows = np.array(table, dtype=float) + 0.0  # no zero with a sign
    except OverflowError:  # told by `exact`
        return None
    most = WHOLE if int in kinds else float(value.LARGEST)
    return rows if (abs(rows) <= most).all() else None


WHOLE = 2.0**53 - 1  # every whole number up to here is a float


def even(table: Any) -> bool:
    """Whether a list holds numbers only, or rows of numbers only.

    >>> even(((0, 1), (1, 2))), even(((0, 1), (1, (2,)))), even((1, (2,)))
    (True, False, False)
    """
    rows = [x for x in table if isinstance(x, tuple | list)] if isinstance(table, tuple) else []
    deep = any(isinstance(x, tuple | list) for row in rows for x in row)
    return not deep and (not rows or len(rows) == len(table))
