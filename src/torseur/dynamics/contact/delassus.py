"""Rows that switch, by loops over numbers instead of text: one block of a matrix and what it gives.

A kernel of many contacts on joined bodies would be text that grows with the cube of their number.
Here its text writes the mass matrix and the rows, and native loops (`dynamics/contact/native/delassus.py`) do the
rest, over rows that hold.  Theory: DF.14.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ...formalisms import composite_body
from ...scalars import NativeText, vector
from ..constraints.rows import Rows, constraint_rows
from ..sparse_factorization import filled, is_zero
from .tree_rows import walkable, walks


@dataclass(frozen=True, eq=False)
class RowBlock:
    """`G = J M^-1 J'` and `M^-1 J'` at one position, known to native text only."""

    K: Any
    words: tuple[int, ...]
    whole: Any

    @classmethod
    def of(
        cls, tree, q, c, r: Rows, M, force, gamma, wanted
    ) -> tuple[RowBlock, np.ndarray, np.ndarray]:
        """The block, `M^-1 force`, and its rate along each row beyond `gamma`.

        `wanted`, one a row, is zero where nobody asks.
        """
        K, n, m, own = tree.K, len(M), len(r), c.own(r)
        if r.walked:
            w = walks(tree, c.switched, r, q)
            entries, rows, numbers = w.mass, w.rows, vector((w.numbers(K, vector(wanted)),))
        else:
            entries = [(k, j) for k in range(n) for j in filled(M[k]) if j <= k]
            rows = [(i, j) for i in range(m) for j in filled(r.J[i])]
            numbers = vector([*(M[e] for e in entries), *(r.J[e] for e in rows)])
        places = [(n - 1 - k) * n + n - 1 - j for k, j in entries]  # tips come first
        of_rows = [x for i, j in rows for x in (i, n - 1 - j)]
        cones = []
        for gate, part in zip(c.gates, own[len(c.contacts) :], strict=True):
            cones += [part[0] if part else 0, len(part), -1 if gate is None else own[gate][0]]
        words = n, m, len(c.gates), len(places), len(rows), *places, *of_rows, *r.owners, *cones
        given = [*force[::-1], *gamma, *wanted]
        size = n + 2 * m + m * m + n * n + n + 1 + m + n * m + m
        text = NativeText("rows_respond", words, 0, n + m, size)
        shown, whole = K.native(text, [numbers, vector(given)])
        return cls(K, words, whole), shown[:n][::-1], shown[n:]

    def __len__(self) -> int:
        return self.words[1]

    @property
    def cones(self) -> int:
        """Frictions."""
        return self.words[2]

    def _call(self, name: str, index: int, given, shown: int, more: int = 0) -> np.ndarray:
        text = NativeText(name, self.words, index, shown, shown + more)
        return self.K.native(text, [vector((self.whole,)), vector(given)])[0]

    def answer(self, on, lack, rounds: int) -> np.ndarray:
        """Forces along rows that hold, from the rate each of them lacks."""
        m = len(self)
        return self._call("rows_answer", rounds, [*on, *lack], m, 4 * m + m * m)

    def along(self, x) -> np.ndarray:
        """What forces x along the rows change along each."""
        return self._call("rows_along", 0, x, len(self))

    def moved(self, x) -> np.ndarray:
        """What forces x along the rows change speeds by."""
        return self._call("rows_moved", 0, x, self.words[0])[::-1]

    def forces(self, on, along, free, target, low, rounds: int, shares):
        """Forces along the rows, the nearest to shares, and the sizes of frictions that slide."""
        m, c = len(self), self.cones
        ways = vector([0] * m)
        for k, d in enumerate(along):
            at = self._cone(k)
            for j, x in enumerate(d):
                ways[at + j] = x
        given = [*on, *ways, *free, *target, *low, *shares]
        more = 4 * m + 2 * c + c * m + c * c + m * m
        found = self._call("rows_forces", rounds, given, m + c, more)
        return found[:m], found[m:]

    def struck(self, role, speed, target, low, p, more: int) -> np.ndarray:
        """Impulses of an impact, and one if they are others than p: `impact_loops.rows_struck`."""
        m = len(self)
        given = [*role, *speed, *target, *low, *p]
        return self._call("rows_struck", 0, given, m + 1, 3 * m + more + 3 * m * (m + 3))

    def rested(self, on, lam, high, shares, asked) -> np.ndarray:
        """Shares of frictions at rest: `rest_loops.rows_rested`."""
        m = len(self)
        given = [*on, *lam, *high, *shares, *asked]
        return self._call("rows_rested", 0, given, 2 * m + self.cones, 6 * m + m * m)

    def loosened(self, on, lam, free, target, k: int, asked) -> np.ndarray:
        """Of friction k in a plane, what `row_loops.rows_loosened` says."""
        m = len(self)
        given = [*on, *lam, *free, *target, asked]
        return self._call("rows_loosened", k, given, 9, 6 * m + m * m)

    def _cone(self, k: int) -> int:
        """The first row of a friction."""
        return self.words[len(self.words) - 3 * self.cones + 3 * k]


def by_loops(K, c, M) -> bool:
    """Whether native loops can be called for the rows of a system."""
    law = [e.friction for e in c.frictions]
    known = all(x.normal is None or gate is not None for x, gate in zip(law, c.gates, strict=True))
    plain = known and not (c.system.held or any(e.stores for e in c.frictions))
    return K.loops and plain and c.way.solution == "multipliers" and _heavy(M)


def known_rows(c, tree, now) -> Rows:
    """Rows of a system; without J where walks find it."""
    some, walked = bool(c.switched), False
    if tree.K.loops and walkable(tree, c.switched):
        walked = by_loops(tree.K, c, composite_body.mass_matrix(tree, now.q))
    return constraint_rows(tree, c.system, now.t, now.q, now.v, switched=some, walked=walked)


def _heavy(M) -> bool:
    return not any(is_zero(M[j, j]) for j in range(len(M)))


class NativeSolver(NamedTuple):
    """As `Saddle`, of corrections alone."""

    block: RowBlock
    on: np.ndarray

    def correct(self, gamma) -> np.ndarray:
        """The least motion, by mass, with `J dv = gamma`."""
        return self.block.moved(self.block.answer(self.on, gamma, 3))


# --------------------------------------------------------------------------------------------
# Rows whose matrix is written out, as native text reads them.  Theory: DF.14.


def written(rows) -> tuple[tuple[int, ...], np.ndarray]:
    """Words and block, see `dynamics/contact/native/delassus.py`, of rows without unknowns: softness and G."""
    m, n = len(rows.G), len(rows.c.contacts)
    pressed = [[] if gate is None else rows.own[gate] for gate in rows.c.gates]
    cones = [
        (own[0], len(own), *gate) if own and gate else (0, 0, -1)
        for own, gate in zip(rows.own[n:], pressed, strict=True)
    ]
    words = 0, m, len(cones), 0, 0, *range(m), *(x for cone in cones for x in cone)
    return words, vector([*[0] * m, *rows.mu, *rows.G.ravel()])
