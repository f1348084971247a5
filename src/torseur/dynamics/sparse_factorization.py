"""Sparse LDL' factorization over any scalar, in a fixed minimum degree order.

Equations CK.1 and CK.2 (Davis, Direct Methods for Sparse Linear Systems).
"""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from ..scalars import vector


def is_zero(x) -> bool:
    """Whether a scalar is a structural zero: the number 0, not an expression."""
    return isinstance(x, int | float) and x == 0


NUMBERS = frozenset({int, float, bool, np.float64})


def filled(row: np.ndarray) -> list[int]:
    """Columns of a row that are no structural zeros."""
    return [j for j, x in enumerate(row.tolist()) if not (x.__class__ in NUMBERS and x == 0)]


def times(A: np.ndarray, x) -> np.ndarray:
    """`A @ x` of a matrix with many structural zeros."""
    return vector(sum((row[j] * x[j] for j in filled(row)), start=0) for row in A)


def elimination_order(
    pattern: list[set[int]],
    late: set[int],
    spread: bool = False,
    last: frozenset[int] | set[int] = frozenset(),
) -> list[int]:
    """Minimum degree order; an index in `late` waits for its neighbors outside `late`.

    In the KKT matrix `[[M, J'], [J, -mu]]` a constraint row that waits for its speeds has a pivot
    of the size of `J M^-1 J'`, so no pivoting is needed.  Ties go to the lowest index.  With
    `spread` all of `late` comes last, and ties go to the index whose neighbors were changed the
    longest ago, so that consecutive eliminations seldom depend on each other.  Indices in `last`
    come at the very end.
    """
    graph = [set(p) - {i} for i, p in enumerate(pattern)]
    waits = {i: set(graph[i]) - late for i in late}
    waiting: dict[int, list[int]] = {}  # indices that wait for each
    for i, neighbors in waits.items():
        for j in neighbors:
            waiting.setdefault(j, []).append(i)
    eliminated, order = [False] * len(graph), []
    changed = [0] * len(graph)  # step of the last change of each index

    def priority(i):
        return i in last, spread and i in late, len(graph[i]), changed[i], i

    ready = [priority(i) for i in range(len(graph)) if not waits.get(i)]
    heapify(ready)
    while ready:
        k = (entry := heappop(ready))[-1]
        if eliminated[k] or entry != priority(k):  # outdated
            continue
        eliminated[k] = True
        order.append(k)
        for i in graph[k]:
            graph[i] |= graph[k]
            graph[i] -= {i, k}
        for i in waiting.get(k, ()):
            waits[i].discard(k)
        for i in {*graph[k], *waiting.get(k, ())}:
            changed[i] = len(order) if spread else 0
            if not eliminated[i] and not waits.get(i):
                heappush(ready, priority(i))
    return order


def fill(pattern: list[set[int]], order: list[int]) -> list[list[int]]:
    """Rows below the diagonal of each column of a factor (symbolic factorization)."""
    rows, eliminated = [set(x) for x in pattern], set[int]()
    for k in order:
        eliminated.add(k)
        rows[k] -= eliminated
        for i in rows[k]:
            rows[i] |= rows[k]
    return [sorted(x) for x in rows]


class Factor(NamedTuple):
    """Factorization `A = L D L'` with rows in a chosen order."""

    order: list[int]
    columns: list[dict[int, Any]]  # of L below the diagonal, by eliminated index
    inverse: list[Any]  # of the pivots

    @property
    def pattern(self) -> tuple:
        """The order, and the rows below the diagonal of each column."""
        return tuple(self.order), tuple(tuple(self.columns[k]) for k in self.order)

    @property
    def joined(self) -> int:
        """Number of unknowns in the largest connected part of the system."""
        part = list(range(len(self.columns)))
        for k in reversed(self.order):
            for i in self.columns[k]:
                part[k] = part[i]
                break
        return max((part.count(x) for x in {*part}), default=0)

    def flat(self) -> tuple[np.ndarray, np.ndarray]:
        """Entries below the diagonal, concatenated, and inverse pivots."""
        return vector(x for k in self.order for x in self.columns[k].values()), vector(self.inverse)

    def of(self, below, inverse) -> Factor:
        """A factor of the same pattern with other numbers, in the form of `flat`."""
        entries, columns = iter(below), [dict(x) for x in self.columns]
        for k in self.order:
            columns[k] = dict(zip(columns[k], entries, strict=False))
        return Factor(self.order, columns, list(inverse))

    def solve(self, b) -> np.ndarray:
        """Solution x of `A x = b` by two triangular sweeps, CK.2."""
        x = vector(b)
        for k in self.order:
            for i, l in self.columns[k].items():
                x[i] = x[i] - l * x[k]  # CK.2
        for k in range(len(x)):
            x[k] = x[k] * self.inverse[k]
        for k in reversed(self.order):
            for i, l in self.columns[k].items():
                x[k] = x[k] - l * x[i]
        return x


def factor(K: Any, A, order) -> Factor:
    """Factorize a symmetric matrix without pivoting, CK.1; structural zeros are its pattern.

    The matrix is an array, or a list of rows as mappings from columns to entries.
    """
    n = len(A)
    work = [dict(row) if isinstance(row, dict) else {j: row[j] for j in filled(row)} for row in A]
    columns: list[dict[int, Any]] = [{} for _ in range(n)]
    inverse: list[Any] = [None] * n
    for k in order:
        row = work[k]
        inverse[k] = K.divide(1, row.pop(k))
        columns[k] = {i: a * inverse[k] for i, a in row.items()}  # CK.1
        for i, l in columns[k].items():
            del work[i][k]
            for j, a in row.items():
                if j <= i:
                    work[i][j] = work[j][i] = work[i].get(j, 0) - l * a
    return Factor(order, columns, inverse)


def solver(K: Any, F: Factor) -> Callable[[np.ndarray], np.ndarray]:
    """A function that solves the factorized system: a routine if the factor is nearly full."""
    n, (below, inverse) = len(F.order), F.flat()
    if 4 * len(below) < n * n:  # sparse: expressions are shorter than a routine
        return F.solve

    def solve_inputs(_, inputs):
        return F.of(*inputs[:2]).solve(inputs[2])

    key = ("solve", F.pattern)
    return lambda b: K.routine(key, solve_inputs, [], [below, inverse, vector(b)])
