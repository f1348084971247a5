"""Parts of a saddle point abreast: their steps, and what passes between them and the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..compiler import ABREAST, Mixed, Piece
from .piece_strands import Strand

if TYPE_CHECKING:
    from .piece_writer import Writer


class Cut:
    """Parts abreast, with places of their own for what they leave to unknowns that wait."""

    def __init__(self, w: Writer, x: Strand):
        self.w, self.x = w, x
        wait = range(x.own, len(x.indices))
        self.pairs = [(i, j) for i in wait for j in wait if i >= j]
        self.left = w.part(len(self.pairs) * ABREAST, clear=True)
        self.found = w.part(len(wait) * ABREAST)

    def slots(self, i: int, j: int | None = None) -> list[int]:
        """Of an entry, or of the solution, in every part."""
        w, x = self.w, self.x
        if j is None:
            if i < x.own:
                return [w.found(k) for k in x.indices[i].tolist()]
            return [*range(at := self.found + (i - x.own) * ABREAST, at + ABREAST)]
        if min(i, j) < x.own:
            own = zip(x.indices[i].tolist(), x.indices[j].tolist(), strict=True)
            return [w.entry(*e) for e in own]
        at = self.left + self.pairs.index((max(i, j), min(i, j))) * ABREAST
        return [*range(at, at + ABREAST)]

    def steps(self, what: str, reverse: bool) -> list[Piece | Mixed]:
        """A step of the factorisation, and what passes between parts and those that wait."""
        w, x = self.w, self.x
        order = [*reversed(x.fronts)] if reverse else x.fronts
        main, wait = w.mixed(what, order, self.slots, ABREAST), x.indices[x.own :]
        if not len(wait):
            return [main]
        own = range(self.found, self.found + wait.size)
        if what == "eliminate":
            own = range(self.left, self.left + len(self.pairs) * ABREAST)
            ends = [x.indices[list(e)].T.tolist() for e in self.pairs]
            to = [w.entry(*e) for row in ends for e in row]
            return [main, w.each("left", lambda x: x, [own], to, adds=(0,))]
        whole = [w.found(k) for k in wait.ravel().tolist()]
        if what == "forward":
            return [main, w.each("passed", lambda x: x, [own], whole, adds=(0,))]
        return [w.each("taken", lambda x: x, [whole], own), main]

    def cleared(self) -> list[Piece]:
        """What parts leave to a solution starts at zero."""
        own = range(self.found, self.found + self.x.indices[self.x.own :].size)
        return [self.w.each("cleared", lambda _: 0, [own], own)] if own else []
