"""What frictions at rest hold together, and how they share it.  Theory: DF.16."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...scalars import NativeText, vector
from .delassus import written


class Shared(NamedTuple):
    """A solver whose multipliers are the nearest to shares, not to nothing: DF.16."""

    solver: Any
    shares: np.ndarray
    push: np.ndarray  # what they are as generalized forces

    def solve(self, force, gamma) -> tuple[np.ndarray, np.ndarray]:
        a, lam = self.solver.solve(force + self.push, gamma)
        return a, lam + self.shares

    def solve_each(self, forces, gammas) -> list[tuple[np.ndarray, np.ndarray]]:
        """Shares are in the first alone; the others are what it is changed by."""
        first, *others = self.solver.solve_each([forces[0] + self.push, *forces[1:]], gammas)
        return [(first[0], first[1] + self.shares), *others]


def resting(rows, problem, closed, stuck, lam):
    """Shares that keep what one of several frictions cannot hold alone, where there are such:
    the problem with them, the forces, and one for each friction that goes on holding: DF.16."""
    K, own = rows.K, rows.c.sharing
    if not len(problem.shares) or not own or K.follows or getattr(K, "native", None) is None:
        return problem, lam, {}
    high, asked, on = [0] * len(stuck), [0] * len(stuck), rows.on(closed, stuck)
    for i in own:
        high[i], asked[i] = problem.high[i], rows.over(problem, i, lam, stuck[i])
    found = rows.rested(on, lam, high, problem.shares, asked)
    m = len(rows.G)
    rests = {i: found[2 * m + i] for i in own}
    return problem._replace(shares=list(found[:m])), found[m : 2 * m], rests


def rested(rows, on, lam, high, shares, asked) -> np.ndarray:
    """The same of rows whose matrix is written out."""
    m, (words, block) = len(rows.G), written(rows)
    given = vector([*on, *lam, *high, *shares, *asked])
    shown = 2 * m + len(rows.c.gates)
    text = NativeText("rows_rested", words, 0, shown, shown + 6 * m + m * m)
    return rows.K.native(text, [block, given])[0]
