"""Numbers of the equation of independent speeds, and what kinds of trees and rows do with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ..compiler import Piece
from ..dynamics import PROXIMAL, VANISHED
from ..numbers import Graph, vector
from .piece_fronts import Factored, Steps, table
from .piece_kinds import ConstraintRows, Subtrees, there
from .piece_led import LedSpeeds
from .piece_writer import Writer


class ReducedTerms:
    """Slots of its numbers; those of a kind's members lie side by side."""

    softness = 1.0

    def __init__(self, w: Writer, led: LedSpeeds):
        self.w, self.led, self.rows = w, led, w.s.rows
        self.follow = Factored(w, led.strands, led.fronts)
        self.inner = Factored(w, [], led.inner)
        self._mass: dict[tuple[int, int], int] = {}
        self._filled: dict[tuple[int, int], int] = {}
        self._speed: dict[int, int] = {}  # place of a speed in columns
        self._row: dict[int, int] = {}
        for tree in w.s.trees:
            self._place_tree(tree)
        for kind in w.s.held:
            self._place_rows(kind)
        nv = w.system.nv
        self.f = w.part(nv, clear=True)
        self.X, self.a, self.g = (w.part(nv) for _ in range(3))
        self.T = [w.part(nv) for _ in range(led.turns)]
        self.gamma, self.B = (w.part(self.rows, clear=True) for _ in range(2))
        self.c, self.lam = (w.part(self.rows) for _ in range(2))
        self.none = w.part(1, clear=True)  # a zero
        self._idle = {j: w.part(1) for j in led.independent}  # written, never read

    def _place_tree(self, kind: Subtrees) -> None:
        for local in zip(*kind.v, strict=True):
            self._speed |= {j: len(self._speed) + k for k, j in enumerate(local)}
        for i, j in kind.pattern:
            at = self.w.part(len(kind.v))
            self._mass |= {(own[i], own[j]): at + k for k, own in enumerate(kind.v)}

    def _place_rows(self, kind: ConstraintRows) -> None:
        first = [int(x) for x in self.w.s.first[kind.members]]
        for i in range(kind.size):
            self._row |= {x + i: len(self._row) + k for k, x in enumerate(first)}
        for i, j in _entries(kind):
            at = self.w.part(len(kind.v))
            own = zip(first, kind.v, strict=True)
            self._filled |= {(x + i, v[j]): at + k for k, (x, v) in enumerate(own)}

    # slots ------------------------------------------------------------------------------------

    def mass(self, i: int, j: int) -> int:
        """Slot of an entry of the mass matrix."""
        return self._mass[i, j] if (i, j) in self._mass else self._mass[j, i]

    def filled(self, row: int, j: int) -> int:
        """Slot of an entry of a row."""
        return self._filled[row, j]

    def soft(self, row: int) -> list[tuple[int, int]]:
        """Where the compliance of a row goes, with signs."""
        return [(1, self.c + self._row[row])]

    def force(self, i: int) -> int:
        """Slot of the effort of a speed."""
        return self.f + self._speed[i]

    def wanted(self, row: int) -> int:
        """Slot of what a row is to be."""
        return self.gamma + self._row[row]

    def moved(self, i: int) -> int:
        """Slot of an acceleration, or of a correction."""
        return self.a + self._speed[i]

    def of_speeds(self, column: int, speeds) -> list[int]:
        return [column + self._speed[j] for j in speeds]

    def of_rows(self, column: int, rows) -> list[int]:
        return [column + self._row[i] for i in rows]

    def leaders(self, own: list[int], *turns: int) -> list[int]:
        """Independent speeds of the mechanism of some speeds; fewer where it has fewer."""
        at = self.led.mechanism[own[0]]
        return [self.led.leaders[at, k] for k in turns if (at, k) in self.led.leaders]

    # pieces over kinds ------------------------------------------------------------------------

    def _over(self, name: str, kinds, formula, slots, adds: bool = False) -> Steps:
        """A formula of each kind: `formula(K, kind, take)` gives what its members write, numbers
        that they read being taken by `take(n)`; `slots(kind, k)` are those of member k."""
        out: Steps = []
        for kind in kinds:
            K = Graph()
            x: list[Any] = []

            def take(count: int, K=K, x=x) -> np.ndarray:
                own = K.symbols(f"x{len(x) + i}" for i in range(count))
                x.extend(own)
                return own

            y = vector(formula(K, kind, take))
            f = K.lib.Function(name, [K.lib.SX(0, 1), K.sx(vector(x))], [K.lib.densify(K.sx(y))])
            reads, writes = zip(*(slots(kind, k) for k in range(len(kind.v))), strict=True)
            every = tuple(range(len(y))) if adds else ()
            own = np.zeros((len(reads), 0)), table([*reads]), table([*writes]), every
            out.append(Piece(name, self.w.program(f), *own))
        return out

    def _by_rows(self, name: str, formula, columns: tuple[int, ...], writes, **more) -> Steps:
        """Over constraints: `formula(K, J, numbers of own rows...)`, J by places of entries."""

        def made(K, kind: ConstraintRows, take):
            J = dict(zip(_entries(kind), take(len(_entries(kind))), strict=True))
            return formula(K, kind, J, *(take(kind.size) for _ in columns), take)

        def slots(kind: ConstraintRows, k: int):
            first, own = int(self.w.s.first[kind.members[k]]), kind.v[k]
            rows = range(first, first + kind.size)
            given = [self._filled[first + i, own[j]] for i, j in _entries(kind)]
            for column in columns:
                given += self.of_rows(column, rows)
            return writes(kind, rows, own, given)

        return self._over(name, self.w.s.held, made, slots, **more)

    def gaps(self) -> Steps:
        """What rows still ask for beyond the motion X."""

        def gap(K, kind: ConstraintRows, J, b, take):
            x = take(len(kind.v[0]))
            return [b[i] - sum((e * x[j] for (r, j), e in J.items() if r == i), 0)
                    for i in range(kind.size)]  # fmt: skip

        def slots(_kind, rows, own, given):
            return [*given, *self.of_speeds(self.X, own)], [*map(self.follow.found, rows)]

        return self._by_rows("gap", gap, (self.B,), slots)

    def pushes(self) -> Steps:
        """Efforts of the multipliers so far, taken from what dependent speeds still ask for."""

        def push(K, kind: ConstraintRows, J, lam, take):
            return [-sum((e * lam[i] for (i, c), e in J.items() if c == j), 0) for j in held(kind)]

        def slots(kind, _rows, own, given):
            return given, self._dependent(kind, own, self.follow.found)

        return self._by_rows("push", push, (self.lam,), slots, adds=True)

    def weights(self) -> Steps:
        """`-e`: of each dependent speed a small part of what its rows weigh."""

        def weight(K, kind: ConstraintRows, J, c, take):
            return [
                -PROXIMAL * sum((K.divide(e * e, c[i]) for (i, r), e in J.items() if r == j), 0)
                for j in held(kind)
            ]

        def slots(kind, _rows, own, given):
            return given, self._dependent(kind, own, lambda n: self.follow.entry(n, n))

        return self._by_rows("weight", weight, (self.c,), slots, adds=True)

    def squares(self) -> Steps:
        """Squares of the lengths of rows, where compliances go else."""

        def square(K, kind: ConstraintRows, J, take):
            own = (sum((e * e for (r, _), e in J.items() if r == i), 0) for i in range(kind.size))
            return [K.select(K.less(VANISHED, x), x, 1.0) for x in own]

        def slots(_kind, rows, _own, given):
            return given, [self.follow.entry(i, i) for i in rows]

        return self._by_rows("square", square, (), slots)

    def filling(self) -> Piece:
        """Entries of rows where dependent speeds follow them."""
        n = self.led.number
        own = [(i, j) for i, j in self._filled if j in n]
        to = [self.follow.entry(i, n[j]) for i, j in own]
        return self.w.each("filled", lambda x: x, [[self._filled[e] for e in own]], to)

    def _dependent(self, kind: ConstraintRows, own: list[int], slot: Callable) -> list[int]:
        """Slots of dependent speeds by their numbers; some that nobody reads for the others."""
        n = self.led.number
        return [slot(n[j]) if j in n else self._idle[j] for j in (own[j] for j in held(kind))]

    def products(self, name: str, formula, columns: list[int], writes, adds: bool = False) -> Steps:
        """A formula of `M`, as a product, and columns of speeds, over subtrees."""

        def product(K, kind: Subtrees, take):
            entries = dict(zip(kind.pattern, take(len(kind.pattern)), strict=True))
            parts = [take(kind.tree.nv) for _ in columns]

            def by_mass(x):
                return vector(
                    sum((entries[e] * x[j] for j in range(len(x))
                         if (e := (max(i, j), min(i, j))) in entries), 0)
                    for i in range(len(x))
                )  # fmt: skip

            return formula(by_mass, *parts)

        def slots(kind: Subtrees, k: int):
            own = kind.v[k]
            M = [self._mass[own[i], own[j]] for i, j in kind.pattern]
            return [*M, *(x for at in columns for x in self.of_speeds(at, own))], writes(own)

        return self._over(name, self.w.s.trees, product, slots, adds=adds)


def _entries(kind: ConstraintRows) -> list[tuple[int, int]]:
    """Places of the rows of a kind that are filled."""
    return [(i, j) for i, row in enumerate(kind.J) for j, x in enumerate(row) if there(x)]


def held(kind: ConstraintRows) -> list[int]:
    """Columns of a kind that are filled."""
    return sorted({j for _, j in _entries(kind)})
