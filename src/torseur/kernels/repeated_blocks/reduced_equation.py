"""Numbers of the equation of independent speeds, and what kinds of trees and rows do with them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...compiler import Piece
from ...dynamics import ITERATIONS, PROXIMAL, VANISHED
from ...scalars import Graph, vector
from .block_classes import ConstraintRows, Subtrees, there
from .frontal_factorization import Factored, Steps, table
from .independent_speeds import LedSpeeds
from .writer import Writer


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


# --------------------------------------------------------------------------------------------
# The equation of independent speeds of a mechanism with many loops, in pieces.
#
# `a = T y + c`, `J T = 0`, `J c = gamma`, `T' M T y = T' (f - M c)`; columns of T, `c` and
# multipliers come from one factored matrix `[[c, J_D], [J_D', -e]]`.
# Theory: CS.1, CS.2, CS.5 to CS.8.


class ReducedPieces(ReducedTerms):
    """The equation of independent speeds: its solution."""

    def __init__(self, w: Writer, led: LedSpeeds, implicit: bool = False):
        super().__init__(w, led)
        self.implicit = implicit
        self._known: dict[str, Steps] = {}
        self._full = self._leads = False

    def shared(self) -> Steps:
        """Steps of the solution, the same in every kernel."""
        every = [*self.follow.shared(), *self._motion()]
        return [*{id(x): x for x in every}.values()]

    def factor(self) -> None:
        """What dependent speeds follow by."""
        w, rows = self.w, range(self.rows)
        if self._full:
            w.steps += [*self.follow.emptied(), *self.inner.emptied()]
        self._full, self._leads = True, False
        own = [self.follow.entry(i, i) for i in rows]
        soft = w.each("soft", lambda x: x, [self.of_rows(self.c, rows)], own)
        w.steps += [self.filling(), soft, *self.weights(), *self.follow.steps("eliminate")]

    def _leading(self) -> None:
        """Motions that the rows allow, one for each independent speed, and their inertias."""
        w, nv = self.w, self.w.system.nv
        if self._leads or not self.T:
            return
        self._leads = True
        for k, T in enumerate(self.T):
            speeds = range(nv)
            own = self.of_speeds(self.X, speeds)
            start = [float(self.led.turn.get(j) == k) for j in speeds]
            w.steps.append(w.each("leads", lambda c, _: c, [own], own, constants=start))
            w.steps.append(w.zero(range(self.B, self.B + self.rows)))
            w.steps += [*self._motion(), self._copy(self.X, T, nv)]  # CS.2
        w.steps += [*self._inertias(), *self.inner.steps("eliminate")]

    def _copy(self, of: int, to: int, n: int) -> Piece:
        return self.w.each("copied", lambda x: x, [range(of, of + n)], range(to, to + n))

    def _motion(self) -> Steps:
        """Dependent speeds added to X so that rows are B: CS.5."""
        if "motion" not in self._known:
            n = self.led.number
            found = [self.follow.found(k) for k in n.values()]
            own = self.of_speeds(self.X, n)
            follows = self.w.each("follows", lambda x: x, [found], own, adds=(0,))
            before = [*self.gaps(), self.w.zero(found), *self.follow.cleared()]
            self._known["motion"] = [*before, *self.follow.solved(), follows] * ITERATIONS
        return self._known["motion"]

    def _inertias(self) -> Steps:
        """`T' M T`, mechanism by mechanism."""
        pairs = [(a, b) for a in range(len(self.T)) for b in range(a + 1)]

        def dots(by_mass, *T):
            moved = [by_mass(x) for x in T]
            return vector(T[a] @ moved[b] for a, b in pairs)

        def slots(own: list[int]) -> list[int]:
            ends = [self.leaders(own, a, b) for a, b in pairs]
            return [self.inner.entry(*e) if len(e) == 2 else self.w.part(1) for e in ends]

        return self.products("inertia", dots, self.T, slots, adds=True)

    def _particular(self) -> Steps:
        """The motion of dependent speeds alone with rows as wanted, in X."""
        X = range(self.X, self.X + self.w.system.nv)
        return [self._copy(self.gamma, self.B, self.rows), self.w.zero(X), *self._motion()]

    def correct(self) -> None:
        """A motion with rows as wanted: of the dependent speeds alone, or the least by mass."""
        if not self.implicit:
            self._leading()
        if "correct" not in self._known:
            self._known["correct"] = [*self._particular(), *self._led(self.implicit)]
        self.w.steps += self._known["correct"]

    def _led(self, alone: bool = False) -> Steps:
        """`a = T y + c` from c in X: CS.1; `alone` without T y: CS.6."""
        w, speeds = self.w, range(self.w.system.nv)
        if alone or not self.T:
            return [self._copy(self.X, self.a, len(speeds))]

        def force(by_mass, f, c, *T):
            left = f - by_mass(c)
            return vector(x @ left for x in T)

        def slots(own: list[int]) -> list[int]:
            ends = [self.leaders(own, k) for k in range(len(self.T))]
            return [self.inner.found(*e) if e else w.part(1) for e in ends]

        reads = [self.of_speeds(self.X, speeds)]
        for k, T in enumerate(self.T):
            ends = [self.leaders([j], k) for j in speeds]
            reads.append(self.of_speeds(T, speeds))
            reads.append([self.inner.found(*e) if e else self.none for e in ends])

        def whole(c, *Ty):
            return c + sum((a * b for a, b in zip(Ty[::2], Ty[1::2], strict=True)), 0)

        return [
            w.zero([self.inner.found(j) for j in self.led.independent]),
            *self.products("led", force, [self.f, self.X, *self.T], slots, adds=True),
            *self.inner.solved(),
            w.each("moved", whole, reads, self.of_speeds(self.a, speeds)),
        ]

    def solve(self) -> int:
        """Accelerations, and multipliers, whose first slot it gives."""
        w, n, rows = self.w, self.led.number, range(self.rows)
        self._leading()
        w.steps += [*self._particular(), *self._led()]
        w.steps += self.products(
            "left", lambda by_mass, a, f: by_mass(a) - f, [self.a, self.f],
            lambda own: self.of_speeds(self.g, own),
        )  # fmt: skip
        w.steps.append(w.zero(range(self.lam, self.lam + self.rows)))
        found = [self.follow.found(i) for i in rows]
        asked = [self.follow.found(k) for k in n.values()]
        lam = self.of_rows(self.lam, rows)
        once = [
            w.zero(found),
            w.each("asked", lambda x: x, [self.of_speeds(self.g, n)], asked),
            *self.pushes(),
            *self.follow.cleared(),
            *self.follow.solved(),
            w.each("pushed", lambda x: x, [found], lam, adds=(0,)),
        ]
        w.steps += once * ITERATIONS  # CS.5
        return w.shown("lam", lambda x: x, lam)

    def firmness(self) -> int:
        """Slot of how firmly dependent speeds follow: CS.7."""
        w, n = self.w, self.led.number
        K = Graph()
        w.steps += [self.filling(), *self.squares()]
        w.steps += self.follow.steps("eliminate")  # -sum J_D' J_D over scaled rows is left
        x, roots, y = (range(at, at + len(n)) for at in (w.part(len(n)) for _ in range(3)))
        start = [1.0 / (1 + i) for i in range(len(n))]
        w.steps.append(w.each("root", K.sqrt, [[self.mass(j, j) for j in n]], roots))
        w.steps.append(w.each("start", lambda c, _: c, [x], x, constants=start))
        found = [self.follow.found(k) for k in n.values()]
        once = [
            w.each("weighed", lambda a, b: a * b, [x, roots], found),
            w.zero([self.follow.found(i) for i in range(self.rows)]),
            *self.follow.cleared(),
            *self.follow.solved(),
            w.each("told", lambda a, b: -a * b, [roots, found], y),
        ]
        again = self._copy(y.start, x.start, len(n))
        w.steps += [*once, again] * (ITERATIONS - 1) + once
        sums = w.part(2, clear=True)
        for at, of in ((sums, x), (sums + 1, y)):
            w.steps.append(w.each("sum", lambda a: a * a, [of], [at] * len(n), adds=(0,)))
        return w.shown("firm", lambda a, b: K.sqrt(K.divide(a, b)), [sums], [sums + 1])
