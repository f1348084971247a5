"""Zero-phase Butterworth filter and derivatives of sampled motions (Gautier 1997).

The low pass runs forward and backward, so it does not shift in time.  Equations ID.3, ID.29.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError

MAX_CUTOFF = 1 / 3  # of the sampling rate: differences do not follow higher frequencies
EXTENSION = 3.0  # periods of the cutoff by which both ends are extended
END_FITS = ((3, 5), (2, 3), (1, 1))  # periods fitted at an end, and degree of the polynomial
ORDER = 4  # of one pass


def low_pass(values: ArrayLike, step: float, cutoff: float, order: int = ORDER) -> np.ndarray:
    """Filter samples by a Butterworth low pass, forward and backward: no shift in time.

    Parameters
    ----------
    values : (n, ...) samples at even times, filtered along the first axis
    step : time between samples [s]
    cutoff : frequency [Hz] at which one pass leaves 0.71 of an amplitude; at most a third of the
        sampling rate
    order : order of one pass

    >>> t = np.arange(0, 2, 1e-3)
    >>> x = low_pass(np.sin(2 * np.pi * t)[:, None], 1e-3, 10.0)
    >>> bool(abs(x[500:1500, 0] - np.sin(2 * np.pi * t[500:1500])).max() < 1e-3)
    True
    """
    from scipy.signal import sosfilt

    if not 0 < cutoff * step <= MAX_CUTOFF:
        hint = "" if step < 1 else f"; stamps are {step:.3g} s apart: are they in seconds?"
        raise ArgumentError(
            f"cutoff={cutoff!r} Hz: expected between 0 and a third of the sampling rate, "
            f"{MAX_CUTOFF / step:.4g} Hz{hint}"
        )
    values = np.asarray(values, float)
    n, extension = len(values), max(1, round(EXTENSION / (cutoff * step)))
    before, after = (_extend(values[::k], extension, 1 / (cutoff * step)) for k in (-1, 1))
    x = np.concatenate([before[::-1], values, after])
    sections, steady_state = _butterworth_sections(order, 2 * step * cutoff)
    for _ in range(2):  # forward, then backward: the phases cancel
        start = steady_state[:, :, None] * x[0].reshape(1, 1, -1)
        shape = (*start.shape[:1], 2, *x.shape[1:])
        x = sosfilt(sections, x, axis=0, zi=start.reshape(shape))[0][::-1]
    return x[extension : extension + n]


@lru_cache(maxsize=64)
def _butterworth_sections(order: int, cutoff: float):
    """Second-order sections of a low pass, and their states after a constant input of one.

    `cutoff` is relative to half the sampling rate.
    """
    from scipy.signal import butter, sosfilt_zi

    sections = butter(order, cutoff, output="sos")
    return sections, sosfilt_zi(sections)


def _extend(values: np.ndarray, count: int, period: float) -> np.ndarray:
    """Extrapolate `count` rows by a polynomial through the last rows.

    A high degree diverges on few rows, so the degree follows from the number of periods.  Less than
    one period is extended by its mean.
    """
    fits = ((round(n * period), degree) for n, degree in END_FITS)
    usable = (fit for fit in fits if fit[1] + 2 <= fit[0] <= len(values))
    rows, degree = next(usable, (len(values), 0))
    return _extrapolation_matrix(rows, count, degree) @ values[-rows:]


@lru_cache(maxsize=64)
def _extrapolation_matrix(rows: int, count: int, degree: int) -> np.ndarray:
    """Matrix from the last rows to the next ones, through the least-squares polynomial."""
    V = np.vander(np.arange(1 - rows, count + 1) / rows, degree + 1)
    return V[rows:] @ np.linalg.pinv(V[:rows])


def differentiate(values: np.ndarray, step: float) -> np.ndarray:
    """Derivative by central differences along the first axis: order four, order two at the ends."""
    out = np.gradient(values, step, axis=0)
    out[2:-2] = (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12 * step)
    return out


def differentiation_gain(frequencies: ArrayLike, step: float) -> np.ndarray:
    """Amplitude gain of `differentiate` [rad/s] at frequencies [Hz]: nearly 2 pi f."""
    x = 2 * np.pi * np.asarray(frequencies, float) * step
    return (8 * np.sin(x) - np.sin(2 * x)) / (6 * step)


def zero_phase_gain(cutoff: float, frequencies: ArrayLike) -> np.ndarray:
    """Amplitude gain of `low_pass` at frequencies [Hz]: both passes together."""
    return 1 / (1 + (np.asarray(frequencies, float) / cutoff) ** (2 * ORDER))
