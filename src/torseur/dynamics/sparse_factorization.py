"""Sparse symmetric factorization over any scalar, in a fixed order.  Theory: CK.1 to CK.3."""

from __future__ import annotations

from collections.abc import Callable
from heapq import heapify, heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from ..scalars import vector


def is_zero(x) -> bool:
    """Whether a scalar is exactly zero by structure."""
    return isinstance(x, int | float) and x == 0


NUMBERS = frozenset({int, float, bool, np.float64})


def filled(row: np.ndarray) -> list[int]:
    """Where a row of scalars is not exactly zero by structure."""
    return [j for j, x in enumerate(row.tolist()) if not (x.__class__ in NUMBERS and x == 0)]


def times(A: np.ndarray, x) -> np.ndarray:
    """`A @ x` of a matrix with many zeros."""
    return vector(sum((row[j] * x[j] for j in filled(row)), start=0) for row in A)


def elimination_order(
    pattern: list[set[int]],
    late: set[int],
    spread: bool = False,
    last: frozenset[int] | set[int] = frozenset(),
) -> list[int]:
    """Greedy order of least degree; an index in `late` waits for its neighbors outside `late`.

    Of several the first is taken.  With `spread` all of `late` comes last, and of several the one
    whose neighbors were left alone for longest, so that what follows in the order seldom has to
    wait for what came just before.  Those in `last` come at the very end.
    In `[[M, J'], [J, -mu]]` a constraint row that waits for its speeds has a pivot of the size of
    `J M^-1 J'`, so no pivoting is needed.
    """
    graph = [set(p) - {i} for i, p in enumerate(pattern)]
    waits = {i: set(graph[i]) - late for i in late}
    waited: dict[int, list[int]] = {}  # who waits for each
    for i, own in waits.items():
        for j in own:
            waited.setdefault(j, []).append(i)
    gone, order = [False] * len(graph), []
    touched = [0] * len(graph)

    def entry(i):
        return i in last, spread and i in late, len(graph[i]), touched[i], i

    ready = [entry(i) for i in range(len(graph)) if not waits.get(i)]
    heapify(ready)
    while ready:
        k = (found := heappop(ready))[-1]
        if gone[k] or found != entry(k):  # it was another when it was put there
            continue
        gone[k] = True
        order.append(k)
        for i in graph[k]:
            graph[i] |= graph[k]
            graph[i] -= {i, k}
        for i in waited.get(k, ()):
            waits[i].discard(k)
        for i in {*graph[k], *waited.get(k, ())}:
            touched[i] = len(order) if spread else 0
            if not gone[i] and not waits.get(i):
                heappush(ready, entry(i))
    return order


def fill(pattern: list[set[int]], order: list[int]) -> list[list[int]]:
    """Where a factor has numbers below its diagonal, by index eliminated."""
    rows, gone = [set(x) for x in pattern], set[int]()
    for k in order:
        gone.add(k)
        rows[k] -= gone
        for i in rows[k]:
            rows[i] |= rows[k]
    return [sorted(x) for x in rows]


class Factor(NamedTuple):
    """`A = L D L'` with rows in a chosen order."""

    order: list[int]
    columns: list[dict[int, Any]]  # below the diagonal, by index eliminated
    inverse: list[Any]  # of the pivots

    @property
    def pattern(self) -> tuple:
        """The order, and where there are numbers below the diagonal."""
        return tuple(self.order), tuple(tuple(self.columns[k]) for k in self.order)

    @property
    def joined(self) -> int:
        """How many unknowns the largest part has that no other shares an equation with."""
        part = list(range(len(self.columns)))
        for k in reversed(self.order):  # later ones are below
            for i in self.columns[k]:
                part[k] = part[i]
                break
        return max((part.count(x) for x in {*part}), default=0)

    def flat(self) -> tuple[np.ndarray, np.ndarray]:
        """Its numbers below the diagonal, end to end, and inverse pivots."""
        return vector(x for k in self.order for x in self.columns[k].values()), vector(self.inverse)

    def of(self, below, inverse) -> Factor:
        """A factor of the same pattern with other numbers, as `flat` gives them."""
        left, columns = iter(below), [dict(x) for x in self.columns]
        for k in self.order:
            columns[k] = dict(zip(columns[k], left, strict=False))
        return Factor(self.order, columns, list(inverse))

    def solve(self, b) -> np.ndarray:
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


def factor(K, A, order) -> Factor:
    """Factorize a symmetric matrix, whose exact zeros are its pattern; no pivoting.

    It is an array, or a list of rows as mappings of what is not zero.
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


def solver(K, F: Factor) -> Callable[[np.ndarray], np.ndarray]:
    """The solution of a factorized equation; of one that is full, written once."""
    n, (below, inverse) = len(F.order), F.flat()
    if 4 * len(below) < n * n:  # its zeros are worth more
        return F.solve

    def of(_, given):
        return F.of(*given[:2]).solve(given[2])

    key = ("solve", F.pattern)
    return lambda b: K.routine(key, of, [], [below, inverse, vector(b)])
