"""The saddle point `[[M, J'], [J, -mu]]` of a mechanism with many loops, in pieces."""

from __future__ import annotations

import numpy as np

from ...dynamics import ITERATIONS, PROXIMAL
from .frontal_factorization import Factored, Steps
from .writer import Writer


class SaddlePieces:
    """The equation of accelerations and multipliers: slots of its numbers, and its solution."""

    softness = PROXIMAL
    implicit = False

    def __init__(self, w: Writer):
        self.w, self.nv = w, w.system.nv
        self.n = self.nv + w.s.rows
        self.factored = Factored(w, w.s.strands, w.s.fronts)
        self.b, self.mu = (w.part(self.n, clear=True) for _ in range(2))
        self._known: dict[str, Steps] = {}

    def mass(self, i: int, j: int) -> int:
        """Slot of an entry of the mass matrix."""
        return self.factored.entry(i, j)

    def filled(self, row: int, j: int) -> int:
        """Slot of an entry of a row."""
        return self.factored.entry(self.nv + row, j)

    def soft(self, row: int) -> list[tuple[int, int]]:
        """Where the softness of a row goes, with signs."""
        i = self.nv + row
        return [(-1, self.factored.entry(i, i)), (1, self.mu + self.factored.place[i])]

    def force(self, i: int) -> int:
        """Slot of the effort of a speed."""
        return self.b + self.factored.place[i]

    def wanted(self, row: int) -> int:
        """Slot of what a row is to be."""
        return self.b + self.factored.place[self.nv + row]

    def moved(self, i: int) -> int:
        """Slot of an acceleration, or of a correction."""
        return self.factored.found(i)

    def shared(self) -> Steps:
        """Steps of the solution, the same in every kernel."""
        first = [self._round(k)[0] for k in range(2)]
        return [*self.factored.shared(), *first]

    def factor(self) -> None:
        self.w.steps.extend(self.factored.steps("eliminate"))

    def correct(self) -> None:
        """The solution of the factored equation, with its proximal rounds."""
        for k in range(ITERATIONS):
            self.w.steps.extend([*self._round(k), *self.factored.solved()])

    def _round(self, k: int) -> Steps:
        """The right-hand side of a round: CK.4."""
        if not self._known:
            b, mu, x = (np.arange(at, at + self.n) for at in (self.b, self.mu, self.factored.x))
            cleared = self.factored.cleared()
            again = self.w.each("again", lambda b, mu, x: b - mu * x, [b, mu, x], x)
            self._known["first"] = [self.w.each("first", lambda b: b, [b], x), *cleared]
            self._known["again"] = [again, *cleared]
        return self._known["again" if k else "first"]

    def solve(self) -> int:
        """The same with multipliers, whose first slot it gives."""
        self.correct()
        found = [self.factored.found(self.nv + i) for i in range(self.w.s.rows)]
        return self.w.shown("lam", lambda x: -x, found)
