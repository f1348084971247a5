"""Parallel fronts: parts of a KKT system with one pattern that do not meet, one in each SIMD lane.

Equal mechanisms are such parts.  A long row of loops is cut by nested dissection into as many parts
as there are lanes, and the rows of the cuts are eliminated after the parts.  Theory: CK.8.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ...compiler import SIMD_LANES
from ...dynamics import frontal_factorization as fronts
from ...system import grouped

MIN_PART_LEVELS = 2  # trees along a row of loops that are worth a part
MAX_SEPARATOR_ROWS = 6  # constraint rows across a cut


class Strand(NamedTuple):
    """Equal parts in SIMD lanes: indices of their unknowns and of those after them, and fronts."""

    indices: np.ndarray  # (unknowns of a part and those after it, parts)
    pivots: int  # unknowns of a part
    fronts: list[fronts.PivotGroup]  # in local indices of a part


class _Part(NamedTuple):
    unknowns: list[int]
    later: list[int]


def strands(pattern: list[set[int]], trees: list[list[int]], rows: list[list[int]]) -> list[Strand]:
    """Parts that can be eliminated in lanes; `trees` and `rows` are unknowns that stay together."""
    constraint_rows = {i for rows_together in rows for i in rows_together}
    parts = [
        p
        for rows_together in _components(pattern, trees, rows)
        for p in _cut(pattern, rows_together)
    ]
    out = []
    for members in grouped(_shape(pattern, p) for p in parts).values():
        for first in range(0, len(members) - SIMD_LANES + 1, SIMD_LANES):
            chosen = [parts[i] for i in members[first : first + SIMD_LANES]]
            unknowns, later = chosen[0]
            local_index = {k: i for i, k in enumerate((*unknowns, *later))}
            local = [{local_index[j] for j in pattern[k] if j in local_index} for k in local_index]
            last = set(range(len(unknowns), len(local_index)))
            last_pivots = {local_index[k] for k in local_index if k in constraint_rows}
            indices = np.array([[*p.unknowns, *p.later] for p in chosen]).T
            out.append(Strand(indices, len(unknowns), fronts.fronts(local, last_pivots, last)))
    return out


def eliminate_strands(
    pattern: list[set[int]], strand_list: Iterable[Strand]
) -> tuple[list[int], list[set[int]]]:
    """Unknowns in no strand, and their pattern in local indices after the elimination."""
    eliminated: set[int] = set()
    filled = [set(own) for own in pattern]
    for s in strand_list:
        eliminated.update(s.indices[: s.pivots].ravel().tolist())
        for later in s.indices[s.pivots :].T.tolist():
            for i in later:
                filled[i].update(later)
    remaining = [i for i in range(len(pattern)) if i not in eliminated]
    local_index = {k: i for i, k in enumerate(remaining)}
    return remaining, [{local_index[j] for j in filled[k] if j in local_index} for k in remaining]


def remaining_fronts(
    pattern: list[set[int]], strand_list: list[Strand], late: int
) -> list[fronts.PivotGroup]:
    """Fronts of the unknowns in no strand; those from `late` on are eliminated last."""
    remaining, pattern = eliminate_strands(pattern, strand_list)
    last_pivots = {n for n, i in enumerate(remaining) if i >= late}
    return [
        fronts.PivotGroup(*(tuple(remaining[i] for i in own) for own in f))
        for f in fronts.fronts(pattern, last_pivots)
    ]


class _Component(NamedTuple):
    """Trees by their distance from one end, and the constraint rows between them."""

    levels: list[list[list[int]]]
    rows: list[tuple[int, int, list[int]]]  # nearest and farthest level, indices


def _components(pattern, trees, rows) -> list[_Component]:
    """Connected mechanisms: trees by distance from one end, and rows between them."""
    tree_of = {i: k for k, ends_of_row in enumerate(trees) for i in ends_of_row}
    ends = [
        sorted({tree_of[j] for i in ends_of_row for j in pattern[i] if j in tree_of})
        for ends_of_row in rows
    ]
    rows_of: list[list[int]] = [[] for _ in trees]  # rows of each tree
    for c, rows_between in enumerate(ends):
        for k in rows_between:
            rows_of[k].append(c)

    def distances(start: int) -> dict[int, int]:
        level, queue = {start: 0}, [start]
        for k in queue:
            for n in (n for c in rows_of[k] for n in ends[c]):
                if n not in level:
                    level[n] = level[k] + 1
                    queue.append(n)
        return level

    out: list[_Component] = []
    visited: set[int] = set()
    for start in range(len(trees)):
        if start in visited:
            continue
        farthest = [*distances(start)][-1]
        level = distances(farthest)
        visited.update(level)
        levels: list[list[list[int]]] = [[] for _ in range(1 + max(level.values()))]
        for k in sorted(level):
            levels[level[k]].append(trees[k])
        rows_between = sorted({c for k in level for c in rows_of[k]})
        spans = [
            (min(level[k] for k in ends[c]), max(level[k] for k in ends[c])) for c in rows_between
        ]
        out.append(
            _Component(levels, [(*x, rows[c]) for x, c in zip(spans, rows_between, strict=True)])
        )
    return out


def _cut(pattern, x: _Component) -> list[_Part]:
    """A mechanism as one part, or a long one as parts between two cuts each."""
    n = len(x.levels)
    steps = (n - 2) // SIMD_LANES
    if steps < MIN_PART_LEVELS:
        return [_part(x, 0, n)]
    first = (n - SIMD_LANES * steps) // 2
    cuts = [first + k * steps for k in range(SIMD_LANES + 1)]
    across = [[i for a, b, rows_across in x.rows if a < c <= b for i in rows_across] for c in cuts]
    if any(len(rows_across) > MAX_SEPARATOR_ROWS for rows_across in across):
        return []
    return [_part(x, a, b) for a, b in pairwise(cuts)]


def _part(x: _Component, start: int, end: int) -> _Part:
    unknowns = [i for level in x.levels[start:end] for tree in level for i in tree]
    inside = sorted((a, b, i) for a, b, rows in x.rows if start <= a and b < end for i in rows)
    before = [i for a, b, rows in x.rows if a < start <= b for i in rows]
    after = [i for a, b, rows in x.rows if a < end <= b for i in rows]
    return _Part([*unknowns, *(i for *_, i in inside)], [*before, *after])


def _shape(pattern, p: _Part) -> tuple:
    """The pattern of a part in local indices."""
    local_index = {k: i for i, k in enumerate((*p.unknowns, *p.later))}
    local_pattern = tuple(
        tuple(sorted(local_index[j] for j in pattern[k] if j in local_index)) for k in p.unknowns
    )
    return len(p.later), local_pattern
