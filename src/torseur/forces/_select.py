"""Selections between tuples of scalars."""

from __future__ import annotations

from ..scalars import Stairs


def select_tuple(K, condition, x, y):
    """`x` where the condition holds, else `y`, entry by entry."""
    return tuple(a if a is b else K.select(condition, a, b) for a, b in zip(x, y, strict=True))


MAX_SELECTED_ROWS = 8  # longer tables of plain numbers are looked up as data


def select_row(K, index, table):
    """Row `index` of a table of scalars, by comparisons or, for many plain numbers, as data."""
    if len(table) > MAX_SELECTED_ROWS and all(
        isinstance(x, int | float) for row in table for x in row
    ):
        return tuple(K.stairs(Stairs([i + 0.5 for i in range(len(table) - 1)], table), index))
    row = table[-1]
    for i in reversed(range(len(table) - 1)):
        row = select_tuple(K, K.less(index, i + 0.5), table[i], row)
    return row
