"""Largest step that cannot pass over a pulse of an explicit function of time.

An error estimate sees f at the stages of a step only.  A pulse between two stages of a long step
would go unnoticed.  The right-hand side is therefore sampled over the whole run, at a fixed state,
before the run starts.  Theory: IN.21.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

N_INTERVALS = 2048  # intervals of the run between two samples
N_INTERVALS_BATCH, MAX_PROBED_RUNS = 512, 16  # the same, and runs that are sampled, in a batch
QUIET_RTOL = 1e-3  # of the largest change of a rate from one sample to the next: nothing happens
CONSTANT_RTOL = 1e-9  # of a rate: a smaller range is rounding (1e-12 of the largest rate as well)
ROUNDING_RTOL = 2e-14  # of the largest rate: rounding from one sample to the next
STATE_OFFSET = 0.1  # [SI] of the second state at which f is sampled


def choose_probed_runs(count: int) -> tuple[np.ndarray, int]:
    """Runs of a batch that are sampled, and the number of intervals."""
    runs = np.unique(np.linspace(0, count - 1, MAX_PROBED_RUNS).astype(int))
    return runs, N_INTERVALS if count == 1 else N_INTERVALS_BATCH


def find_max_step(
    flow: Callable[..., np.ndarray],
    t0: float,
    t1: float,
    Y: np.ndarray,
    intervals: int = N_INTERVALS,
) -> float:
    """Half of the shortest pulse that starts after a rest [s], or infinity if there is none.

    Parameters
    ----------
    flow : (t, Y) -> f of states (rows, n) at times (rows,).  Row r belongs to run r modulo the
        number of runs.
    t0, t1 : start and end of the run [s]
    Y : states (runs, n).  f is sampled at them, and once more at an offset.
    intervals : number of intervals between two samples

    Examples
    --------
    >>> def push(t, Y):
    ...     return np.exp(-(((t - 0.6) / 0.01) ** 2))[:, None] + 0 * Y
    >>> round(float(find_max_step(push, 0.0, 1.0, np.zeros((1, 1)))), 3)
    0.03
    """
    if not t1 > t0:
        return np.inf
    times = np.repeat(np.linspace(t0, t1, intervals + 1), len(Y))
    with np.errstate(all="ignore"):
        samples = [flow(times, np.tile(Y + d, (intervals + 1, 1))) for d in (0.0, STATE_OFFSET)]
    F = np.concatenate([f.reshape(intervals + 1, -1) for f in samples], axis=1)
    F = F[:, np.isfinite(F).all(axis=0)]
    size = abs(F).max(axis=0)
    largest = size.max(initial=0.0)
    constant = np.maximum(CONSTANT_RTOL * size, 1e-3 * CONSTANT_RTOL * largest)
    F = F[:, np.ptp(F, axis=0) > constant]
    change = abs(np.diff(F, axis=0))
    quiet = QUIET_RTOL * change.max(axis=0, initial=0.0)
    clear = quiet > ROUNDING_RTOL * largest  # otherwise rounding starts and ends many pulses
    moves = change[:, clear] > quiet[clear]
    edges = np.diff(np.pad(moves, ((1, 1), (0, 0))).astype(int), axis=0).T
    first, last = np.nonzero(edges == 1)[1], np.nonzero(edges == -1)[1]
    widths = (last - first)[first > 0]
    return (t1 - t0) / intervals * max(1, widths.min()) / 2 if widths.size else np.inf
