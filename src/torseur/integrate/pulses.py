"""How long steps may be, so that no pulse of a formula of time lies between two of them.

Theory: IN.21.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

TIMES = 2048  # parts of the span at whose ends rates are looked at
FEW, MEMBERS = 512, 16  # the same, and runs looked at, of many runs
QUIET = 1e-3  # of the largest change from one time to the next: nothing happens
STILL = 1e-9  # of a rate, 1e-12 of the largest: a change that is rounding
ROUNDED = 2e-14  # of the largest rate: what rounding changes from one time to the next


def members_seen(count: int) -> tuple[np.ndarray, int]:
    """Which of some runs are looked at, and in how many parts of the span."""
    few = np.unique(np.linspace(0, count - 1, MEMBERS).astype(int))
    return few, TIMES if count == 1 else FEW


def longest_step(
    flow: Callable[..., np.ndarray], t0: float, t1: float, Y: np.ndarray, parts: int = TIMES
) -> float:
    """Half of the shortest pulse that begins after a rest [s]; infinite where there is none.

    `flow(t, Y)` gives the rates of states (rows, n) at times (rows,); row r is of run r modulo the
    number of runs.  The states Y (runs, n) are held, and once more somewhat beside.

    >>> def push(t, Y):
    ...     return np.exp(-(((t - 0.6) / 0.01) ** 2))[:, None] + 0 * Y
    >>> round(float(longest_step(push, 0.0, 1.0, np.zeros((1, 1)))), 3)
    0.03
    """
    if not t1 > t0:
        return np.inf
    times = np.repeat(np.linspace(t0, t1, parts + 1), len(Y))
    with np.errstate(all="ignore"):
        both = [flow(times, np.tile(Y + d, (parts + 1, 1))) for d in (0.0, 0.1)]
    F = np.concatenate([f.reshape(parts + 1, -1) for f in both], axis=1)
    F = F[:, np.isfinite(F).all(axis=0)]
    size = abs(F).max(axis=0)
    largest = size.max(initial=0.0)
    still = np.maximum(STILL * size, 1e-3 * STILL * largest)
    F = F[:, np.ptp(F, axis=0) > still]
    change = abs(np.diff(F, axis=0))
    quiet = QUIET * change.max(axis=0, initial=0.0)
    told = quiet > ROUNDED * largest  # else rounding begins and ends many times
    moves = change[:, told] > quiet[told]
    ends = np.diff(np.pad(moves, ((1, 1), (0, 0))).astype(int), axis=0).T
    first, last = np.nonzero(ends == 1)[1], np.nonzero(ends == -1)[1]
    widths = (last - first)[first > 0]
    return (t1 - t0) / parts * max(1, widths.min()) / 2 if widths.size else np.inf
