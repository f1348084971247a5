"""A sparse symmetric factorization in parts of a few shapes, chosen by its pattern alone.

Indices that have the same neighbors left when they are eliminated are eliminated together: a
*front* is such a group with its neighbors, a small full matrix.  Fronts with as many pivots and
neighbors have one text, over any scalar, whatever the size of the whole.
Theory: CK.1, CK.2, CK.8.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..scalars import vector
from .sparse_factorization import elimination_order


class PivotGroup(NamedTuple):
    """Indices eliminated together, in order, and their neighbors that come later."""

    pivots: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.pivots), len(self.rows)


def fronts(
    pattern: list[set[int]], late: set[int], last: frozenset[int] | set[int] = frozenset()
) -> list[PivotGroup]:
    """The fronts of a matrix of this pattern, each after those that change it.

    An index in `late` waits for its neighbors outside `late`, as in `elimination_order`.  Those in
    `last` are neighbors only, and stay.
    """
    order = elimination_order(pattern, late, spread=True, last=last)
    place = {k: i for i, k in enumerate(order)}
    below: dict[int, set[int]] = {}  # neighbors left, of the last pivot of a group
    groups: dict[int, list[int]] = {}
    children: dict[int, list[int]] = {}
    for k in order[: len(order) - len(last)]:
        own = {j for j in pattern[k] if place[j] > place[k]}
        own.update(*(below[c] for c in children.get(k, ())))
        own.discard(k)
        below[k], groups[k] = own, [k]
        if own:
            children.setdefault(min(own, key=place.__getitem__), []).append(k)
        for c in children.get(k, ()):
            if len(below[c]) == len(groups[k]) + len(own):  # nothing in its columns is empty
                groups[k] = groups.pop(c) + groups[k]
    found = sorted(groups, key=place.__getitem__)
    return [
        PivotGroup(tuple(groups[k]), tuple(sorted(below[k], key=place.__getitem__))) for k in found
    ]


def packed(size: int) -> list[tuple[int, int]]:
    """Places (i, j), i >= j, of a lower triangle, column by column."""
    return [(i, j) for j in range(size) for i in range(j, size)]


def eliminate(K, shape: tuple[int, int], entries) -> tuple[list[Any], list[Any]]:
    """Columns of the factor and what is left for the neighbors, both packed.

    The factor has inverse pivots on its diagonal.
    """
    p, n = shape[0], sum(shape)
    A = dict(zip(packed(n), entries, strict=True))
    for k in range(p):
        own = {i: A[i, k] for i in range(k + 1, n)}
        A[k, k] = K.divide(1, A[k, k])
        for i, a in own.items():
            A[i, k] = a * A[k, k]  # CK.1
            for j in range(k + 1, i + 1):
                A[i, j] = A[i, j] - A[i, k] * own[j]
    return [A[x] for x in packed(n) if x[1] < p], [A[x] for x in packed(n) if x[1] >= p]


def forward(shape: tuple[int, int], factor, x) -> list[Any]:
    """Numbers of pivots and neighbors after this front, those of pivots by their inverses."""
    p, n, x = shape[0], sum(shape), list(x)
    L = dict(zip([at for at in packed(n) if at[1] < p], factor, strict=True))
    for k in range(p):
        for i in range(k + 1, n):
            x[i] = x[i] - L[i, k] * x[k]  # CK.2
    return [x[k] * L[k, k] if k < p else x[k] for k in range(n)]


def backward(shape: tuple[int, int], factor, x) -> list[Any]:
    """Numbers of the pivots, from those of the neighbors."""
    p, n, x = shape[0], sum(shape), list(x)
    L = dict(zip([at for at in packed(n) if at[1] < p], factor, strict=True))
    for k in reversed(range(p)):
        for i in range(k + 1, n):
            x[k] = x[k] - L[i, k] * x[i]
    return x[:p]


def solve(K, A, b, late: set[int]):
    """`A x = b` of a symmetric matrix whose exact zeros are its pattern; fronts one by one."""
    n = len(A)
    found = fronts([{j for j in range(n) if A[i][j] != 0} for i in range(n)], late)
    W = {(i, j): A[i][j] for i in range(n) for j in range(n)}
    x, factors = vector(b), []
    for f in found:
        own = [*f.pivots, *f.rows]
        places = [(own[i], own[j]) for i, j in packed(len(own))]
        factor, left = eliminate(K, f.shape, [W[at] for at in places])
        for (i, j), e in zip(places[len(factor) :], left, strict=True):
            W[i, j] = W[j, i] = e
        factors.append(factor)
        x[own] = vector(forward(f.shape, factor, x[own]))
    for f, factor in zip(reversed(found), reversed(factors), strict=True):
        x[list(f.pivots)] = vector(backward(f.shape, factor, x[[*f.pivots, *f.rows]]))
    return x


__all__ = ["PivotGroup", "backward", "eliminate", "forward", "fronts", "packed", "solve"]
