"""Criteria of occupants.  Theory: CM.10, CM.11."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError
from .metric_value import G0, Measure, check_positive, check_resolution, check_samples


def hic(time: ArrayLike, a: ArrayLike, window: float | str = 0.015) -> Measure:
    """Head injury criterion of a resultant `a` [m/s^2], in its own unit (g^2.5 s).

    The largest `(t2 - t1) |mean of a in g|^2.5` over all pairs of samples, and of moments a whole
    window from one, at most `window` [s] apart: 0.015 (or "15 ms") for HIC15, 0.036
    for HIC36.  `.start` and `.end` say where.  Of one axis alone, whichever way it points.

    >>> t = np.arange(0, 0.1, 1e-4)
    >>> round(hic(t, np.full(t.size, 50 * G0)), 4)            # 0.015 * 50^2.5
    265.165
    """
    time, x = check_samples("hic", time, a)
    (window,) = check_positive("hic", window=window)
    if window >= 1:
        raise ArgumentError(
            f"hic: window: {window:g} s is no window of a blow; write milliseconds as '15 ms'"
        )
    check_resolution("hic", time, window=window)
    time, v = _cumulative_integral(time, x, window)
    v = v / G0
    best, pair = 0.0, (time[0], time[0])
    last = np.searchsorted(time, time + window * (1 + 1e-9), side="right") - 1
    for i, j in enumerate(last):
        if j > i:
            h = time[i + 1 : j + 1] - time[i]
            values = abs(v[i + 1 : j + 1] - v[i]) ** 2.5 / h**1.5  # CM.10
            k = int(values.argmax())
            if values[k] > best:
                best, pair = values[k], (time[i], time[i + 1 + k])
    return Measure(best, "g^2.5 s", None, start=float(pair[0]), end=float(pair[1]))


def _cumulative_integral(time, a, window) -> tuple[np.ndarray, np.ndarray]:
    """Moments at which a window may begin or end, and the integral of a broken line there."""
    shifted = np.concatenate([time - window, time + window])
    shifted = shifted[(shifted > time[0]) & (shifted < time[-1])]
    k = np.searchsorted(time, shifted)
    is_distinct = (
        np.minimum(shifted - time[k - 1], time[k] - shifted) > 1e-6 * np.ptp(time) / time.size
    )
    every = np.union1d(time, shifted[is_distinct])
    x = np.interp(every, time, a)
    return every, np.concatenate([[0], np.cumsum(np.diff(every) * (x[1:] + x[:-1]) / 2)])


def clip_3ms(
    time: ArrayLike, a: ArrayLike, duration: float | str = 0.003, cumulative: bool = False
) -> Measure:
    """The level [as `a`] that |a| exceeds for 3 ms: in one stretch, or in all when `cumulative`.

    >>> t = np.linspace(0, 0.02, 201)
    >>> tent = 1000.0 - 1e5 * abs(t - 0.01)
    >>> round(clip_3ms(t, tent), 6)                           # 1.5 ms on either side
    850.0
    """
    time, x = check_samples("clip_3ms", time, a)
    x = abs(x)
    (duration,) = check_positive("clip_3ms", duration=duration)
    check_resolution("clip_3ms", time, duration=duration)
    if time[-1] - time[0] < duration:
        raise ArgumentError(
            f"clip_3ms: the record lasts {time[-1] - time[0]:g} s, less than {duration:g} s"
        )
    low, high = x.min(), x.max()
    for _ in range(100):  # CM.11
        level = (low + high) / 2
        if level in (low, high):
            break
        longest = _longest_interval_above(time, x, level, cumulative)
        low, high = (level, high) if longest >= duration else (low, level)
    return Measure(low, "m/s^2")


def _longest_interval_above(time, x, level, cumulative) -> float:
    """How long a broken line is above a level: all of it, or its longest stretch."""
    h = np.diff(time)
    p, q = x[:-1] - level, x[1:] - level
    part = np.where((p >= 0) & (q >= 0), 1.0, 0.0)
    cross = (p < 0) != (q < 0)
    part[cross] = np.maximum(p, q)[cross] / abs(q - p)[cross]
    spent = part * h
    if cumulative:
        return float(spent.sum())
    breaks = np.flatnonzero((q < 0) | (part == 0))  # a stretch ends with these intervals
    total = np.concatenate([[0], np.cumsum(spent)])
    marks = np.concatenate([[0], breaks + 1, [spent.size]])
    return float(np.diff(total[marks]).max())
