"""Multifrontal LDL' factorization of a sparse symmetric matrix over any scalar.

Indices with the same remaining neighbors are eliminated together.  Such a group with its neighbors
is a *front*, a small full matrix.  Fronts of one shape share one text, whatever the size of the
matrix.  Equations CK.1, CK.2, CK.8 (Duff and Reid 1983; Davis, Direct Methods for Sparse Linear
Systems).
"""

from __future__ import annotations

from typing import Any, NamedTuple

from ..scalars import vector
from .sparse_factorization import elimination_order


class PivotGroup(NamedTuple):
    """A front: indices eliminated together, in order, and their later neighbors."""

    pivots: tuple[int, ...]
    rows: tuple[int, ...]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of pivots and of neighbors."""
        return len(self.pivots), len(self.rows)


def fronts(
    pattern: list[set[int]], late: set[int], last: frozenset[int] | set[int] = frozenset()
) -> list[PivotGroup]:
    """Fronts of a matrix with this pattern, each after those that contribute to it.

    An index in `late` waits for its neighbors outside `late`, as in `elimination_order`.  Indices
    in `last` are neighbors only and are not eliminated.
    """
    order = elimination_order(pattern, late, spread=True, last=last)
    position = {k: i for i, k in enumerate(order)}
    below: dict[int, set[int]] = {}  # remaining neighbors of the last pivot of a group
    groups: dict[int, list[int]] = {}
    children: dict[int, list[int]] = {}
    for k in order[: len(order) - len(last)]:
        neighbors = {j for j in pattern[k] if position[j] > position[k]}
        neighbors.update(*(below[c] for c in children.get(k, ())))
        neighbors.discard(k)
        below[k], groups[k] = neighbors, [k]
        if neighbors:
            children.setdefault(min(neighbors, key=position.__getitem__), []).append(k)
        for c in children.get(k, ()):
            if len(below[c]) == len(groups[k]) + len(neighbors):  # its columns become full
                groups[k] = groups.pop(c) + groups[k]
    return [
        PivotGroup(tuple(groups[k]), tuple(sorted(below[k], key=position.__getitem__)))
        for k in sorted(groups, key=position.__getitem__)
    ]


def packed(size: int) -> list[tuple[int, int]]:
    """Entries (i, j), i >= j, of a lower triangle, column by column."""
    return [(i, j) for j in range(size) for i in range(j, size)]


def eliminate(K: Any, shape: tuple[int, int], entries) -> tuple[list[Any], list[Any]]:
    """Columns of the factor, and the Schur complement of the neighbors, both packed; CK.1.

    The factor has inverse pivots on its diagonal.
    """
    p, n = shape[0], sum(shape)
    A = dict(zip(packed(n), entries, strict=True))
    for k in range(p):
        column = {i: A[i, k] for i in range(k + 1, n)}
        A[k, k] = K.divide(1, A[k, k])
        for i, a in column.items():
            A[i, k] = a * A[k, k]  # CK.1
            for j in range(k + 1, i + 1):
                A[i, j] = A[i, j] - A[i, k] * column[j]
    return [A[x] for x in packed(n) if x[1] < p], [A[x] for x in packed(n) if x[1] >= p]


def forward(shape: tuple[int, int], factor, x) -> list[Any]:
    """Right-hand side of pivots and neighbors after this front; pivots are scaled.  CK.2."""
    p, n, x = shape[0], sum(shape), list(x)
    L = dict(zip([at for at in packed(n) if at[1] < p], factor, strict=True))
    for k in range(p):
        for i in range(k + 1, n):
            x[i] = x[i] - L[i, k] * x[k]  # CK.2
    return [x[k] * L[k, k] if k < p else x[k] for k in range(n)]


def backward(shape: tuple[int, int], factor, x) -> list[Any]:
    """Solution of the pivots from that of the neighbors, CK.2."""
    p, n, x = shape[0], sum(shape), list(x)
    L = dict(zip([at for at in packed(n) if at[1] < p], factor, strict=True))
    for k in reversed(range(p)):
        for i in range(k + 1, n):
            x[k] = x[k] - L[i, k] * x[i]
    return x[:p]


def solve(K: Any, A, b, late: set[int]):
    """Solution of `A x = b` front by front; structural zeros of A are its pattern."""
    n = len(A)
    groups = fronts([{j for j in range(n) if A[i][j] != 0} for i in range(n)], late)
    W = {(i, j): A[i][j] for i in range(n) for j in range(n)}
    x, factors = vector(b), []
    for f in groups:
        indices = [*f.pivots, *f.rows]
        entries = [(indices[i], indices[j]) for i, j in packed(len(indices))]
        factor, complement = eliminate(K, f.shape, [W[entry] for entry in entries])
        for (i, j), e in zip(entries[len(factor) :], complement, strict=True):
            W[i, j] = W[j, i] = e
        factors.append(factor)
        x[indices] = vector(forward(f.shape, factor, x[indices]))
    for f, factor in zip(reversed(groups), reversed(factors), strict=True):
        x[list(f.pivots)] = vector(backward(f.shape, factor, x[[*f.pivots, *f.rows]]))
    return x
