"""A sparse symmetric matrix in slots of a kernel's memory, factored front by front.  Theory: CK.8.

Fronts of parts that have one pattern and do not meet go abreast; what passes between them and the
rest has places of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...compiler import ABREAST, Mixed, Piece, Turn
from ...dynamics import frontal_factorization
from ...scalars import Graph, vector
from .parallel_fronts import Strand

if TYPE_CHECKING:
    from .writer import Writer

PivotGroup = frontal_factorization.PivotGroup  # a name that methods do not hide
Steps = list[Piece | Mixed | Turn]


class Factored:
    """Slots of a matrix, of its factors in the same places, and of the numbers it is solved for."""

    def __init__(self, w: Writer, strands: list[Strand], rest: list[PivotGroup]):
        self.w, self.rest = w, rest
        self.place: dict[int, int] = {}  # of each unknown in columns; parts abreast side by side
        for x in strands:
            for k in x.indices[: x.own].ravel().tolist():
                self.place[k] = len(self.place)
        for k in (k for f in rest for k in f.pivots):
            self.place[k] = len(self.place)
        self.slot: dict[tuple[int, int], int] = {}  # of an entry, by two unknowns
        for x in strands:
            for f in x.fronts:
                for i, j in _factor(f):
                    for a, b in zip(x.indices[i].tolist(), x.indices[j].tolist(), strict=True):
                        self.slot[_pair(a, b)] = len(self.slot)
        for f in rest:
            for i, j in _factor(f):
                self.slot[_pair(i, j)] = len(self.slot)
        self.A = w.part(len(self.slot), clear=True)
        self.cuts = [_Cut(self, x) for x in strands]
        self.x = w.part(len(self.place))
        self._known: dict[str, Steps] = {}  # steps that come again

    def entry(self, i: int, j: int) -> int:
        """Slot of an entry of the matrix."""
        return self.A + self.slot[_pair(i, j)]

    def found(self, i: int) -> int:
        """Slot of the right-hand side, then of the solution."""
        return self.x + self.place[i]

    def cleared(self) -> Steps:
        """What parts leave to a solution starts at zero."""
        if "cleared" not in self._known:
            self._known["cleared"] = [step for cut in self.cuts for step in cut.cleared()]
        return self._known["cleared"]

    def emptied(self) -> Steps:
        """The matrix is to be filled anew."""
        parts = [(self.A, len(self.slot)), *((x.left, len(x.pairs) * ABREAST) for x in self.cuts)]
        return [self.w.zero(range(at, at + n)) for at, n in parts if n]

    def steps(self, what: str) -> Steps:
        """To "eliminate", or a sweep "forward" or "backward": parts abreast, then the rest."""
        if what not in self._known:
            last = what == "backward"
            rest = [self._rest(what)] if self.rest else []
            parts = [step for cut in self.cuts for step in cut.steps(what)]
            self._known[what] = [*rest, *parts] if last else [*parts, *rest]
        return self._known[what]

    def shared(self) -> Steps:
        """Steps that do not depend on what they serve."""
        return [*self.steps("eliminate"), *self.cleared(), *self.solved()]

    def solved(self) -> Steps:
        """Both sweeps."""
        return [*self.steps("forward"), *self.steps("backward")]

    def _rest(self, what: str) -> Mixed:
        def one(i: int, j: int | None = None) -> list[int]:
            return [self.found(i) if j is None else self.entry(i, j)]

        return mixed(self.w, what, self.rest, one)


class _Cut:
    """Parts abreast, with places of their own for what they leave to unknowns that wait."""

    def __init__(self, f: Factored, x: Strand):
        self.f, self.x = f, x
        wait = range(x.own, len(x.indices))
        self.pairs = [(i, j) for i in wait for j in wait if i >= j]
        self.left = f.w.part(len(self.pairs) * ABREAST, clear=True)
        self.found = f.w.part(len(wait) * ABREAST)

    def slots(self, i: int, j: int | None = None) -> list[int]:
        """Of an entry, or of the solution, in every part."""
        f, x = self.f, self.x
        if j is None:
            if i < x.own:
                return [f.found(k) for k in x.indices[i].tolist()]
            return [*range(at := self.found + (i - x.own) * ABREAST, at + ABREAST)]
        if min(i, j) < x.own:
            own = zip(x.indices[i].tolist(), x.indices[j].tolist(), strict=True)
            return [f.entry(*e) for e in own]
        at = self.left + self.pairs.index((max(i, j), min(i, j))) * ABREAST
        return [*range(at, at + ABREAST)]

    def steps(self, what: str) -> Steps:
        """A step of the factorization, and what passes between parts and those that wait."""
        f, x = self.f, self.x
        main, wait = mixed(f.w, what, x.fronts, self.slots, ABREAST), x.indices[x.own :]
        if not len(wait):
            return [main]
        own = range(self.found, self.found + wait.size)
        if what == "eliminate":
            own = range(self.left, self.left + len(self.pairs) * ABREAST)
            ends = [x.indices[list(e)].T.tolist() for e in self.pairs]
            to = [f.entry(*e) for row in ends for e in row]
            return [main, f.w.each("left", lambda x: x, [own], to, adds=(0,))]
        whole = [f.found(k) for k in wait.ravel().tolist()]
        if what == "forward":
            return [main, f.w.each("passed", lambda x: x, [own], whole, adds=(0,))]
        return [f.w.each("taken", lambda x: x, [whole], own), main]

    def cleared(self) -> Steps:
        """What parts leave to a solution starts at zero."""
        own = range(self.found, self.found + self.x.indices[self.x.own :].size)
        return [self.f.w.zero(own)] if own else []


def mixed(w: Writer, what: str, some: list[PivotGroup], slots, abreast: int = 1) -> Mixed:
    """A step of some fronts; `slots` are those of an entry, or of the solution, by part."""
    kinds: dict[tuple[int, int], tuple[list, list]] = {}
    order = []
    for f in reversed(some) if what == "backward" else some:
        p, n = len(f.pivots), len(f.pivots) + len(f.rows)
        reads, writes = kinds.setdefault(f.shape, ([], []))
        order.append((f.shape, len(reads) // abreast))
        own = [*f.pivots, *f.rows]
        factor = [slots(own[i], own[j]) for i, j in frontal_factorization.packed(n) if j < p]
        if what == "eliminate":
            left = [slots(own[i], own[j]) for i, j in frontal_factorization.packed(n) if j >= p]
            given = told = factor + left
        else:
            rest = [slots(i) for i in own]
            given, told = factor + rest, rest if what == "forward" else rest[:p]
        reads += zip(*given, strict=True)
        writes += zip(*told, strict=True)
    shapes = list(kinds)
    pieces = tuple(
        Piece(f"{what}{shape}", _front(w, what, shape), np.zeros((len(reads), 0)),
              table(reads), table(writes))
        for shape, (reads, writes) in kinds.items()
    )  # fmt: skip
    return Mixed(pieces, table([[shapes.index(s), i] for s, i in order]), abreast)


def _front(w: Writer, what: str, shape: tuple[int, int]):
    if (what, shape) not in w.programs:
        K, (p, d) = Graph(), shape
        n = p + d
        whole, factor = n * (n + 1) // 2, p * (p + 1) // 2 + p * d
        x = K.symbols(f"x{i}" for i in range(whole if what == "eliminate" else factor + n))
        if what == "eliminate":
            own, left = frontal_factorization.eliminate(K, shape, x)
            y = own + left
        else:
            y = getattr(frontal_factorization, what)(shape, x[:factor], x[factor:])
        function = K.lib.Function("front", [K.lib.SX(0, 1), K.sx(x)], [K.sx(vector(y))])
        w.programs[what, shape] = w.program(function)
    return w.programs[what, shape]


def table(rows: list) -> np.ndarray:
    """Slots of members, a row each."""
    return np.array(rows, dtype=np.int64).reshape(len(rows), -1)


def _pair(i: int, j: int) -> tuple[int, int]:
    return (i, j) if i < j else (j, i)


def _factor(f: PivotGroup) -> list[tuple[int, int]]:
    """Entries of the columns of a front, by unknowns."""
    own = [*f.pivots, *f.rows]
    return [
        (own[i], own[j]) for i, j in frontal_factorization.packed(len(own)) if j < len(f.pivots)
    ]
