"""The motion along switched rows at one state, and what forces along them change.

Theory: DF.9, FL.7.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np

from ..numbers import matrix, vector
from .balance import SwitchedRows
from .contact.cone import FLOOR, difference
from .contact.switching import ConstraintSolver
from .held.rows import constraint_rows
from .held.saddle import PROXIMAL, compliances, saddle, terms


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
