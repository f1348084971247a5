"""Resampling of records at even times, and recovery of a robot's clock from its motion (ID.21)."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from .butterworth import differentiate, low_pass

MAX_TICK_SCATTER = 0.05  # of a tick, root mean square, of a real clock (0.29 by chance)
MIN_SPEED_SQUARE = 0.01  # of the median: slower rows do not tell ticks
MAX_ROW_SCATTER = 0.1  # of a tick: a row with more keeps its stamp


def resample(
    time: ArrayLike, values: ArrayLike, step: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Resample a record at even times, by linear interpolation.

    Parameters
    ----------
    time : (n,) increasing time stamps [s], even or not
    values : (n,) or (n, k) samples in any unit
    step : step of the even times [s]; by default the median of the steps of `time`

    Returns
    -------
    time : (m,) even times [s], from the first stamp on
    values : (m,) or (m, k)

    >>> t, x = resample([0, 1, 2, 3, 4, 6, 7, 8], [0, 1, 2, 3, 4, 6, 7, 8])
    >>> x.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """
    time, values = np.asarray(time, float), np.asarray(values, float)
    steps = np.diff(time)
    if len(time) < 8 or not np.all(steps > 0):
        raise ArgumentError(
            f"time: expected at least 8 increasing stamps [s], got {len(time)}"
            + (", not increasing" if len(steps) and not np.all(steps > 0) else "")
        )
    step = float(np.median(steps)) if step is None else float(step)
    t = time[0] + step * np.arange(int(np.floor((time[-1] - time[0]) / step + 1e-9)) + 1)
    if values.ndim == 1:
        return t, np.interp(t, time, values)
    return t, np.stack([np.interp(t, time, x) for x in values.T], axis=1)


def recover_clock(time: np.ndarray, q: np.ndarray, cutoff: float) -> np.ndarray:
    """Time stamps [s], corrected to the ticks of the robot's own clock if the motion shows them.

    A recorder stamps a row when it arrives.  If a clock with even ticks made the rows, the distance
    from row to row over the speed is a whole number of ticks, even if rows arrive late, get lost or
    are read twice.  Those numbers then give the times.  Rows read twice have the same time.  Stamps
    that agree with the ticks stay, and so do those of a motion without ticks.

    >>> t = np.arange(0, 2, 1e-3)
    >>> late = t + 2e-4 * np.random.default_rng(0).uniform(size=len(t))
    >>> clock = recover_clock(late, np.sin(3 * t)[:, None], 10.0)
    >>> bool(abs(np.diff(clock) - 1e-3).max() < 1e-4), bool(abs(np.diff(late) - 1e-3).max() < 1e-4)
    (True, False)
    """
    steps = np.diff(time)
    t, smooth = resample(time, q)
    v = differentiate(low_pass(smooth, float(t[1] - t[0]), cutoff), float(t[1] - t[0]))
    middle = (time[1:] + time[:-1]) / 2
    speed = np.stack([np.interp(middle, t, x) for x in v.T], axis=1)
    square = (speed**2).sum(axis=1)
    clear = square > MIN_SPEED_SQUARE * float(np.median(square))
    if not clear.any():
        return time
    elapsed = (np.diff(q, axis=0) * speed).sum(axis=1) / np.maximum(square, 1e-300)  # ID.21
    forward = elapsed[clear & (elapsed > 0.3 * float(np.median(steps)))]
    if not len(forward):
        return time
    tick = float(np.median(forward))
    ticks = np.round(elapsed / tick)
    stamped_tick = float(steps[clear].sum() / max(1.0, ticks[clear].sum()))
    scatter, delay = elapsed / tick - ticks, steps / stamped_tick - ticks
    noise, error = (np.sqrt((x[clear] ** 2).mean()) for x in (scatter, delay))
    if (
        noise > MAX_TICK_SCATTER
        or error < MAX_TICK_SCATTER
        or abs(stamped_tick / tick - 1) > MAX_TICK_SCATTER
        or ticks[clear].min() < 0
    ):
        return time
    position_scatter = float(np.median((np.abs(scatter) * np.sqrt(square))[clear]))
    clear = (position_scatter < MAX_ROW_SCATTER * np.sqrt(square)) & (ticks >= 0)
    steps[clear] = ticks[clear] * stamped_tick
    return time[0] + np.append(0.0, np.cumsum(steps))
