"""Multifrontal factorization of a sparse symmetric matrix in slots of a kernel's memory (CK.8).

Fronts are dense parts of the matrix that an elimination step needs (Duff and Reid 1983).  Parts of
one pattern that do not meet are eliminated together, one in each SIMD lane.  Numbers that pass
between them and the rest have slots of their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from ...compiler import SIMD_LANES, OrderedBlocks, Piece, Program, SincosSlots
from ...dynamics import frontal_factorization
from ...scalars import Graph, vector
from .parallel_fronts import Strand

if TYPE_CHECKING:
    from .writer import BlockWriter

PivotGroup = frontal_factorization.PivotGroup  # a name that methods do not hide
Steps = list[Piece | OrderedBlocks | SincosSlots]
Slots = Callable[..., list[int]]


class FrontalFactorization:
    """Slots of a matrix, of its factors in the same slots, and of right-hand side and solution."""

    def __init__(self, writer: BlockWriter, strands: list[Strand], groups: list[PivotGroup]):
        self.writer, self.groups = writer, groups
        self.column: dict[int, int] = {}  # index of each unknown in columns, lanes side by side
        for x in strands:
            for k in x.indices[: x.pivots].ravel().tolist():
                self.column[k] = len(self.column)
        for k in (k for f in groups for k in f.pivots):
            self.column[k] = len(self.column)
        self.entry: dict[tuple[int, int], int] = {}  # index of an entry, by two unknowns
        for x in strands:
            for f in x.fronts:
                for i, j in _factor_entries(f):
                    for a, b in zip(x.indices[i].tolist(), x.indices[j].tolist(), strict=True):
                        self.entry[_sort_pair(a, b)] = len(self.entry)
        for f in groups:
            for i, j in _factor_entries(f):
                self.entry[_sort_pair(i, j)] = len(self.entry)
        self.A = writer.reserve(len(self.entry), clear=True)
        self.interfaces = [_StrandInterface(self, x) for x in strands]
        self.x = writer.reserve(len(self.column))
        self._steps: dict[str, Steps] = {}  # steps that several kernels share

    def entry_slot(self, i: int, j: int) -> int:
        """Slot of an entry of the matrix."""
        return self.A + self.entry[_sort_pair(i, j)]

    def solution_slot(self, i: int) -> int:
        """Slot of the right-hand side, then of the solution."""
        return self.x + self.column[i]

    def clear_solution(self) -> Steps:
        """Contributions of strands to the right-hand side start at zero."""
        if "cleared" not in self._steps:
            self._steps["cleared"] = [step for x in self.interfaces for step in x.clear_solution()]
        return self._steps["cleared"]

    def steps(self, phase: str) -> Steps:
        """Steps of a phase: "eliminate", or a sweep "forward" or "backward".

        Strands go before the other fronts, and after them in a backward sweep.
        """
        if phase not in self._steps:
            last = phase == "backward"
            rest = [self._remaining_fronts(phase)] if self.groups else []
            parts = [step for x in self.interfaces for step in x.steps(phase)]
            self._steps[phase] = [*rest, *parts] if last else [*parts, *rest]
        return self._steps[phase]

    def shared_steps(self) -> Steps:
        """Steps that are the same in every kernel."""
        return [*self.steps("eliminate"), *self.clear_solution(), *self.sweeps()]

    def sweeps(self) -> Steps:
        """Forward and backward substitution."""
        return [*self.steps("forward"), *self.steps("backward")]

    def _remaining_fronts(self, phase: str) -> OrderedBlocks:
        def slots(i: int, j: int | None = None) -> list[int]:
            return [self.solution_slot(i) if j is None else self.entry_slot(i, j)]

        return _combine_fronts(self.writer, phase, self.groups, slots)


class _StrandInterface:
    """Equal parts in SIMD lanes, with slots for their contributions to the unknowns after them."""

    def __init__(self, f: FrontalFactorization, x: Strand):
        self.f, self.x = f, x
        later = range(x.pivots, len(x.indices))
        self.pairs = [(i, j) for i in later for j in later if i >= j]
        self.matrix = f.writer.reserve(len(self.pairs) * SIMD_LANES, clear=True)
        self.solution = f.writer.reserve(len(later) * SIMD_LANES)

    def slots(self, i: int, j: int | None = None) -> list[int]:
        """Slots of an entry, or of the solution, in every lane."""
        f, x = self.f, self.x
        if j is None:
            if i < x.pivots:
                return [f.solution_slot(k) for k in x.indices[i].tolist()]
            return [*range(at := self.solution + (i - x.pivots) * SIMD_LANES, at + SIMD_LANES)]
        if min(i, j) < x.pivots:
            pairs = zip(x.indices[i].tolist(), x.indices[j].tolist(), strict=True)
            return [f.entry_slot(*pair) for pair in pairs]
        at = self.matrix + self.pairs.index((max(i, j), min(i, j))) * SIMD_LANES
        return [*range(at, at + SIMD_LANES)]

    def steps(self, phase: str) -> Steps:
        """A phase of the factorization, and what lanes exchange with the unknowns after them."""
        w, f, x = self.f.writer, self.f, self.x
        fronts = _combine_fronts(w, phase, x.fronts, self.slots, SIMD_LANES)
        later = x.indices[x.pivots :]
        if not len(later):
            return [fronts]
        slots = range(self.solution, self.solution + later.size)
        if phase == "eliminate":
            slots = range(self.matrix, self.matrix + len(self.pairs) * SIMD_LANES)
            ends = [x.indices[list(e)].T.tolist() for e in self.pairs]
            to = [f.entry_slot(*e) for row in ends for e in row]
            return [fronts, w.map_formula("left", lambda x: x, [slots], to, adds=(0,))]
        to = [f.solution_slot(k) for k in later.ravel().tolist()]
        if phase == "forward":
            return [fronts, w.map_formula("passed", lambda x: x, [slots], to, adds=(0,))]
        return [w.map_formula("taken", lambda x: x, [to], slots), fronts]

    def clear_solution(self) -> Steps:
        slots = range(self.solution, self.solution + self.x.indices[self.x.pivots :].size)
        return [self.f.writer.clear_slots(slots)] if slots else []


def _combine_fronts(
    w: BlockWriter, phase: str, groups: list[PivotGroup], slots: Slots, lanes: int = 1
) -> OrderedBlocks:
    """A phase of some fronts; `slots` are those of an entry, or of the solution, by lane."""
    tables: dict[tuple[int, int], tuple[list, list]] = {}
    order = []
    for f in reversed(groups) if phase == "backward" else groups:
        p, n = len(f.pivots), len(f.pivots) + len(f.rows)
        reads, writes = tables.setdefault(f.shape, ([], []))
        order.append((f.shape, len(reads) // lanes))
        unknowns = [*f.pivots, *f.rows]
        entries = frontal_factorization.packed(n)
        factor = [slots(unknowns[i], unknowns[j]) for i, j in entries if j < p]
        if phase == "eliminate":
            update = [slots(unknowns[i], unknowns[j]) for i, j in entries if j >= p]
            inputs = outputs = factor + update
        else:
            solution = [slots(i) for i in unknowns]
            inputs = factor + solution
            outputs = solution if phase == "forward" else solution[:p]
        reads += zip(*inputs, strict=True)
        writes += zip(*outputs, strict=True)
    shapes = list(tables)
    blocks = tuple(
        Piece(f"{phase}{shape}", _front_program(w, phase, shape), np.zeros((len(reads), 0)),
              slot_table(reads), slot_table(writes))
        for shape, (reads, writes) in tables.items()
    )  # fmt: skip
    return OrderedBlocks(blocks, slot_table([[shapes.index(s), i] for s, i in order]), lanes)


def _front_program(w: BlockWriter, phase: str, shape: tuple[int, int]) -> Program:
    """The program of one front of some shape (pivots, rows below them)."""
    if (phase, shape) not in w.programs:
        K, (p, d) = Graph(), shape
        n = p + d
        matrix_size, factor_size = n * (n + 1) // 2, p * (p + 1) // 2 + p * d
        count = matrix_size if phase == "eliminate" else factor_size + n
        x = K.symbols(f"x{i}" for i in range(count))
        if phase == "eliminate":
            factor, update = frontal_factorization.eliminate(K, shape, x)
            y = factor + update
        else:
            sweep = getattr(frontal_factorization, phase)
            y = sweep(shape, x[:factor_size], x[factor_size:])
        function = K.lib.Function("front", [K.lib.SX(0, 1), K.sx(x)], [K.sx(vector(y))])
        w.programs[phase, shape] = w.compile_function(function)
    return w.programs[phase, shape]


def slot_table(rows: list) -> np.ndarray:
    """Slots of members, a row each."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), -1)


def _sort_pair(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def _factor_entries(f: PivotGroup) -> list[tuple[int, int]]:
    """Entries of the columns of a front, by unknowns."""
    unknowns = [*f.pivots, *f.rows]
    entries = frontal_factorization.packed(len(unknowns))
    return [(unknowns[i], unknowns[j]) for i, j in entries if j < len(f.pivots)]
