"""Choices between tuples of scalars."""

from __future__ import annotations

from ..scalars import Stairs


def where(K, condition, x, y):
    """`x` where the condition holds, else `y`, entry by entry of two tuples."""
    return tuple(a if a is b else K.select(condition, a, b) for a, b in zip(x, y, strict=True))


FEW = 8  # rows that are as well chosen one by one


def pick(K, index, table):
    """Row `index` of a table of scalars, by comparisons; rows are tuples of one length.

    Many rows of plain numbers are data.
    """
    if len(table) > FEW and all(isinstance(x, int | float) for row in table for x in row):
        return tuple(K.stairs(Stairs([i + 0.5 for i in range(len(table) - 1)], table), index))
    row = table[-1]
    for i in reversed(range(len(table) - 1)):
        row = where(K, K.less(index, i + 0.5), table[i], row)
    return row
