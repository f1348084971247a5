"""Filters that do not shift, and derivatives of sampled motions.  Theory: ID.3."""

from __future__ import annotations

import numpy as np

from ..errors import ArgumentError

REMEMBERS = 3.0  # periods of the cutoff


def even(time, values, step: float | None = None):
    """Samples at even times: `(time, values)`, by straight lines between the given ones.

    Stamps may be irregular; `step` [s] is their median difference unless told.
    """
    time = np.asarray(time, float)
    gaps = np.diff(time)
    if len(time) < 8 or not np.all(gaps > 0):
        raise ArgumentError(
            f"time: expected at least 8 increasing stamps [s], got {len(time)}"
            + (", not increasing" if len(gaps) and not np.all(gaps > 0) else "")
        )
    step = float(np.median(gaps)) if step is None else float(step)
    t = time[0] + step * np.arange(int(np.floor((time[-1] - time[0]) / step + 1e-9)) + 1)
    return t, np.stack([np.interp(t, time, x) for x in np.asarray(values, float).T], axis=1)


def low_pass(values, step: float, cutoff: float, order: int = 4):
    """Butterworth forward and backward along the first axis: no shift in time.

    >>> t = np.arange(0, 2, 1e-3)
    >>> x = low_pass(np.sin(2 * np.pi * t)[:, None], 1e-3, 10.0)
    >>> bool(abs(x[500:1500, 0] - np.sin(2 * np.pi * t[500:1500])).max() < 1e-3)
    True
    """
    from scipy.signal import butter, sosfiltfilt

    if not 0 < cutoff < 0.5 / step:
        raise ArgumentError(
            f"cutoff={cutoff!r} Hz: expected between 0 and half the sampling rate, "
            f"{0.5 / step:.4g} Hz"
        )
    # constants and straight lines first, so that the ends do not ring
    n = len(values)
    line = values[0] + np.linspace(0, 1, n)[:, None] * (values[-1] - values[0])
    sos = butter(order, 2 * step * cutoff, output="sos")
    # both ends continued by their point reflection for as long as the filter remembers
    long = min(n - 1, max(1, round(REMEMBERS / (cutoff * step))))
    return line + sosfiltfilt(sos, values - line, axis=0, padlen=long)


def derivative(values, step: float):
    """Central differences along the first axis."""
    return np.gradient(values, step, axis=0)
