"""Contacts and dry frictions at an event, by native loops over their rows.  Theory: DF.14."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..numbers import matrix, vector
from .balance import STRUCK, SwitchedRows, SwitchProblem
from .contact.cone import onset, pressed
from .held.saddle import terms
from .row_block import RowBlock, by_loops, known_rows
from .row_rates import Rates


class NativeRows(SwitchedRows):
    """Switched rows whose matrix is a block."""

    G: Any  # a `RowBlock`

    def along(self, x) -> np.ndarray:
        return self.G.along(x)

    def answer(self, on, iterations=1):
        return lambda lack: self.G.answer(on, lack, iterations)

    def forces(self, on, along, problem: SwitchProblem, iterations=1, decided=False):
        free, target = problem.free, problem.target
        some = len(problem.shares) > 0
        shares = on * vector(problem.shares) if some else [0] * len(self.G)
        return self.G.forces(on, along, free, target, problem.low, iterations, shares)[0]

    _forces = forces

    def _struck(self, role, speed, target, low, p) -> np.ndarray:
        return self.G.struck(role, speed, target, low, p, STRUCK)

    def rested(self, on, lam, high, shares, asked) -> np.ndarray:
        return self.G.rested(on, lam, high, shares, asked)

    def _fixed(self) -> list[np.ndarray]:
        return [vector((self.G.whole,))]

    def _like(self, fixed) -> NativeRows:
        block = replace(self.G, whole=fixed[0][0])
        return NativeRows(self.K, self.c, self.own, block, self.mu, self.change)

    def starting(self, on, lam, problem: SwitchProblem, i, d, started):
        if len(self.own[len(self.c.contacts) + i]) < 2:
            return d
        K, given = self.K, problem.normal[i] is None
        found = self.G.loosened(on, lam, problem.free, problem.target, i, started)

        def of(_, given_):
            x, (low,), d = given_
            y, W, N, change = x[:2], matrix([x[2:4], x[4:6]]), x[6:7], x[7:]

            def friction(d):
                return low if given else pressed(K, N, -vector((change @ d,)), low)

            return onset(K, y, W, friction, d)

        return K.routine(("onset", given), of, [], [found, vector((problem.low[i],)), d])


class NativeRates(NativeRows, Rates):
    """As `Rates`, of a system whose rows all switch."""

    def __init__(self, c, tree, now, tau, wrenches):
        self.now = now
        r = self.rows = known_rows(c, tree, now)
        M, h = terms(tree, now.q, now.v, wrenches or None)
        every = vector([1] * len(r))
        block, _, self.free = RowBlock.of(tree, now.q, c, r, M, tau - h, r.gamma, every)
        own, none = c.own(r), vector((0,))
        self.speed = self.power = r.psi
        self.drift = vector(())  # no row always holds
        self.carried = r.psi - r.J @ now.v if tree.rheonomic else 0 * r.psi
        self.gaps = [r.phi[r.places.index(j)] for (j,) in own[: len(c.contacts)]]
        self.normal = [None if gate is None else none for gate in c.gates]
        change = [
            None if gate is None else [vector((int(own[gate] == [j]),)) for j in range(len(r))]
            for gate in c.gates
        ]
        SwitchedRows.__init__(self, tree.K, c, own, block, vector(()), change)
        self.slips = [self.speed[i] for i in own[len(c.contacts) :]]

    def moved(self, p) -> np.ndarray:
        """What impulses along the rows change speeds by."""
        return self.G.moved(p)


def rates(c, tree, now, tau, wrenches, struck: bool) -> Rates:
    """The motion along switched rows, by loops where they can: not where a rigid stop pins it."""
    M = terms(tree, now.q, now.v)[0] if tree.K.loops else ()
    made = NativeRates if not struck and by_loops(tree.K, c, M) else Rates
    return made(c, tree, now, tau, wrenches)
