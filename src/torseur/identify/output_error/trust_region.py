"""Nonlinear least squares within bounds, each step a linear one in a box.

Theory: ID.14.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

BOX = 0.5  # of its usual size: how far a number goes in the first step
POOR, WELL = 0.25, 0.75  # of what was promised: the box shrinks below, grows above
EDGE = 1e-9  # of a usual size: room that linear least squares want between bounds


@dataclass(frozen=True, slots=True, eq=False)
class Descent:
    """Where a search ended: unknowns, residuals, derivatives; `settled` where no less is promised
    than its tolerance."""

    x: np.ndarray
    fun: np.ndarray
    jac: np.ndarray
    settled: bool

    @property
    def cost(self) -> float:
        """Half the sum of squares."""
        return float(self.fun @ self.fun) / 2


def promised(r, D, low, high) -> tuple[np.ndarray, float]:
    """Step within `low` and `high` to the least `|r + D d|^2`, and by how much that is less; what
    is not felt stays."""
    from scipy.optimize import lsq_linear

    felt, d = D.any(axis=0), np.zeros(D.shape[1])
    both = np.column_stack([D[:, felt], r])
    R: Any = np.linalg.qr(both, mode="r")  # the same squares in few rows
    A, b, room = R[:, :-1], R[:, -1], (low[felt], high[felt])
    if felt.any():
        d[felt] = np.clip(lsq_linear(A, -b, (room[0] - EDGE, room[1] + EDGE)).x, *room)
    return d, float(r @ r - np.sum((A @ d[felt] + b) ** 2))


def descended(rows: Callable, u, low, high, tolerance: float, most: int, gain: float) -> Descent:
    """From u down, `rows` giving residuals and derivatives, in at most so many evaluations,
    until steps are below `tolerance` of the numbers or promise less than `gain` of the squares.

    A box is kept around the unknowns in which derivatives are believed: it grows and shrinks by
    what a step brings of what it promised.
    """
    u = np.clip(u, low, high)
    r, D = rows(u)
    box = BOX
    while True:
        d, less = promised(r, D, np.maximum(low - u, -box), np.minimum(high - u, box))
        size, cost = float(abs(d).max()), float(r @ r)
        if size <= tolerance * max(1.0, abs(u).max()) or less <= gain * cost:
            return Descent(u, r, D, True)
        most -= 1
        if most <= 0:
            return Descent(u, r, D, False)
        tried = u + d
        new, slopes = rows(tried)
        share = (cost - float(new @ new)) / less
        if share < POOR:
            box = POOR * size
        elif share > WELL and size >= 0.95 * box:
            box = 2 * box
        if share > 0:
            u, r, D = tried, new, slopes
