"""The motion along switched rows at one state, and what forces along them change.

Theory: DF.9, FL.7.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np

from ...scalars import matrix, vector
from ..constraints.kkt import PROXIMAL, compliances, saddle, terms
from ..constraints.rows import constraint_rows
from .complementarity import STRUCK, SwitchedRows, SwitchProblem
from .delassus import RowBlock, by_loops, known_rows
from .friction_cone import FLOOR, difference, onset, pressed
from .switched_constraints import ConstraintSolver


class Rates(SwitchedRows):
    """The motion along the switched rows at one state, and what forces along them change."""

    def __init__(self, c: ConstraintSolver, tree, now, tau, wrenches):
        self.now = now
        r = self.rows = constraint_rows(tree, c.system, now.t, now.q, now.v, switched=True)
        own = c.own(r)
        index = [j for part in own for j in part]
        places = [[index.index(j) for j in part] for part in own]
        fixed = [j for j in range(len(r)) if j not in index]
        M, h = terms(tree, now.q, now.v, wrenches or None)
        s = saddle(tree.K, M, r.J[fixed], [r.owners[j] for j in fixed])
        a, lam = s.solve(tau - h, r.gamma[fixed])
        none = vector([0] * len(fixed))
        units = [s.solve(r.J[j], none) for j in index]
        self.moves = [x for x, _ in units]
        self.backs = [x for _, x in units]  # multipliers of rows that always hold
        half = [[r.J[j] @ x for x in self.moves[: i + 1]] for i, j in enumerate(index)]  # DF.9
        G = matrix([half[max(i, j)][min(i, j)] for j in range(len(half))] for i in range(len(half)))
        self.free = r.J[index] @ a - r.gamma[index]
        self.speed = self.power = r.psi[index]
        self.drift = r.J[fixed] @ now.v
        self.carried = self.speed - r.J[index] @ now.v  # what time alone brings
        self.gaps = [r.phi[r.places.index(j)] for (j,) in own[: len(c.contacts)]]
        # by the masses alone: at a dead point nothing is left of G but rounding, of any sign
        # shared by the rows of a friction, so that of two that say one thing each carries its part
        mu = compliances(tree.K, M, r.J[index], [r.owners[j] for j in index], PROXIMAL)

        def whole(x, at=None):
            full = vector([0] * len(r))
            full[fixed] = x
            if at is not None:
                full[at] = 1
            return full

        def pressing(a, lam):
            return c.pressing(tree, now, r, a, lam, wrenches)

        here = pressing(a, whole(lam))
        self.normal = [here.get(i) for i in range(len(c.frictions))]

        def changed(x, y, at=None) -> list:
            then = pressing(a + x, whole(lam + y, at))
            return [
                None if N is None else difference(then[i], N) for i, N in enumerate(self.normal)
            ]

        def along(row):
            x, y = s.solve(row, none)
            return x, y, changed(x, y)

        self._along = along
        then = [changed(x, y, j) for (x, y), j in zip(units, index, strict=True)]
        change: list[Any] = [  # None where the normal force is constant
            None if N is None else [x[i] for x in then] for i, N in enumerate(self.normal)
        ]
        super().__init__(tree.K, c, places, G, mu, change)
        n = len(c.contacts)
        self.slips = [self.speed[i] for i in self.own[n:]]
        self.offsets = [e.offset(tree, now.q) for e in c.frictions]

    def moved(self, p) -> np.ndarray:
        """What impulses along the rows change speeds by."""
        out = 0 * self.now.v
        for m, x in zip(self.moves, p, strict=True):
            out = out + m * x
        return out

    def pinned(self, row) -> tuple[Rates, np.ndarray, list]:
        """The same where an impulse along another row keeps the rate there as it is.

        With it that impulse for one of each along these rows, and what one of it changes normal
        forces by.  A row of zeros pins nothing.
        """
        K, out = self.K, copy(self)
        x, y, press = self._along(row)
        left = row @ x
        none = K.less(left, FLOOR)
        left = K.select(none, 1.0, left)
        share = vector(-K.select(none, 0.0, K.divide(row @ m, left)) for m in self.moves)  # FL.7
        out.moves = [m + x * k for m, k in zip(self.moves, share, strict=True)]
        out.backs = [b + y * k for b, k in zip(self.backs, share, strict=True)]
        out.G = matrix(
            [g + (row @ m) * k for g, k in zip(G, share, strict=True)]
            for G, m in zip(self.G, self.moves, strict=True)
        )
        out.power = self.speed + share * (row @ self.now.v)
        out._take(
            [
                None if own is None else [c + p * k for c, k in zip(own, share, strict=True)]
                for own, p in zip(self.change, press, strict=True)
            ]
        )
        return out, share, press


# --------------------------------------------------------------------------------------------
# Contacts and dry frictions at an event, by native loops over their rows.  Theory: DF.14.


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
