"""Nested tuples of numbers, as in descriptions."""

from __future__ import annotations

from itertools import chain
from typing import Any

import numpy as np

from ..scalars.values import value


def flatten_nested(x: Any) -> list[Any]:
    """Flatten nested lists."""
    return [e for part in x for e in flatten_nested(part)] if isinstance(x, tuple | list) else [x]


def float_table(table: Any) -> np.ndarray | None:
    """Array of a table of floats and exactly representable integers, or None for anything else.

    >>> float_table(((0, 1.5), (1, 2)))
    array([[0. , 1.5],
           [1. , 2. ]])
    >>> float_table(((0, "k"), (1, 2))), float_table(((0, 1), (2,)))
    (None, None)
    """
    if type(table) is not tuple or {*map(type, table)} != {tuple} or len({*map(len, table)}) > 1:
        return None
    kinds = {*map(type, chain.from_iterable(table))}
    if not kinds or not kinds <= {float, int}:
        return None
    try:
        rows = np.array(table, dtype=float) + 0.0  # without negative zeros
    except OverflowError:  # told by `exact`
        return None
    largest = MAX_EXACT_INTEGER if int in kinds else float(value.LARGEST)
    return rows if (abs(rows) <= largest).all() else None


MAX_EXACT_INTEGER = 2.0**53 - 1  # integers up to here are exact floats


def is_rectangular(table: Any) -> bool:
    """Whether a list holds only numbers or only rows of numbers.

    >>> [is_rectangular(x) for x in (((0, 1), (1, 2)), ((0, 1), (1, (2,))), (1, (2,)))]
    [True, False, False]
    """
    rows = [x for x in table if isinstance(x, tuple | list)] if isinstance(table, tuple) else []
    deep = any(isinstance(x, tuple | list) for row in rows for x in row)
    return not deep and (not rows or len(rows) == len(table))
