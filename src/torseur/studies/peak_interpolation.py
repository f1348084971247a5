"""Peak interpolation: local maxima of a signal between its rows.

A quartic polynomial runs through the five nearest rows of a candidate.  Its maximum counts if a
parabola through three rows agrees with it.  Theory: SE.13.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial.polynomial import polyder, polyval

POINTS = 5  # rows of a polynomial
MIN_GAP_RATIO = 0.2  # of the next gap: a row nearer to an event row is left out
MAX_DISAGREEMENT = 0.1  # of the second difference, between quartic and parabola
SEARCH_POINTS, NEWTON_STEPS = 17, 4  # of the search for the maximum of a polynomial


class InterpolatedPeaks:
    """Local maxima between rows, of all runs at once; `starts` are the first rows of the runs.

    Each peak has a `value` and the index `run` of its run.  With `absolute`, maxima of the absolute
    value.  There is no peak where the rows are too far apart.

    >>> t = np.linspace(0, 1, 31)
    >>> peaks = InterpolatedPeaks(t, np.sin(3 * t), np.array([0]))
    >>> [round(float(x), 6) for x in (*peaks.value, np.sin(3 * t).max())]
    [1.0, 0.999574]
    >>> round(peaks.derivative(0, np.sin(3 * t), 0 * t), 6)  # by a factor of the signal
    1.0
    """

    def __init__(self, time: np.ndarray, x: np.ndarray, starts: np.ndarray, absolute: bool = False):
        """Fit polynomials through the five samples around each local maximum."""
        with np.errstate(invalid="ignore"):
            used, run, k, rows, neighbors = _find_candidates(
                time, abs(x) if absolute else x, starts
            )
            x, t = x[used], time[used]
            sign = np.sign(x[k]) if absolute else np.ones(len(k))
            is_valid, height = self._fit_peaks(t, sign[:, None] * x[rows], k, rows, neighbors)
            self.value = (height + sign * x[k])[is_valid]
        self.sign, self.rows, self.run = sign[is_valid], used[rows[is_valid]], run[k[is_valid]]

    def _fit_peaks(
        self,
        t: np.ndarray,
        x: np.ndarray,
        k: np.ndarray,
        rows: np.ndarray,
        neighbors: tuple[np.ndarray, np.ndarray],
    ) -> tuple[np.ndarray, np.ndarray]:
        """Whether each polynomial is valid, and its height above the candidate row k."""
        index = np.arange(len(k))
        center = k - rows[:, 0]
        gap = (t[rows[:, -1]] - t[rows[:, 0]]) / (POINTS - 1)
        s = (t[rows] - t[k][:, None]) / gap[:, None]
        y = x - x[index, center][:, None]
        low, high = ((t[n] - t[k]) / gap for n in neighbors)
        quartic = _interpolate(s, y)
        grid = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, SEARCH_POINTS)
        best = grid[index, polyval(grid, quartic[:, :, None], tensor=False).argmax(axis=1)]
        first, second = polyder(quartic, axis=0), polyder(quartic, 2, axis=0)
        for _ in range(NEWTON_STEPS):
            d = polyval(best, second, tensor=False)
            step = np.where(d < 0, polyval(best, first, tensor=False) / np.where(d < 0, d, 1), 0)
            best = np.clip(best - step, low, high)
        height = polyval(best, quartic, tensor=False)
        three = np.clip(center - 1, 0, POINTS - 3)[:, None] + np.arange(3)
        parabola = _interpolate(s[index[:, None], three], y[index[:, None], three])
        disagreement = abs(height - polyval(best, parabola, tensor=False))
        is_valid = (height > 0) & (disagreement <= MAX_DISAGREEMENT * abs(parabola[2]))
        unit = np.broadcast_to(np.eye(POINTS), (len(k), POINTS, POINTS))
        basis = np.linalg.solve(_vandermonde(s), unit)  # coefficients of Lagrange polynomials
        self.weights = ((best[:, None] ** np.arange(POINTS))[:, None] @ basis)[:, 0][is_valid]
        self.rates = (polyval(s, first[:, :, None], tensor=False) / gap[:, None])[is_valid]
        return is_valid, height

    def derivative(self, i: int, dx: np.ndarray, dt: np.ndarray) -> float:
        """Derivative of a peak, from those of the rows (dx) and of their times (dt)."""
        rows = self.rows[i]
        return float(self.weights[i] @ (self.sign[i] * dx[rows] - self.rates[i] * dt[rows]))


def _find_candidates(
    time: np.ndarray, x: np.ndarray, starts: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """Rows that are used, the run of each, candidates for the largest value of their run, five rows
    around each candidate, and its two neighbors."""
    is_start = np.append([True], np.diff(time) <= 0)[: len(time)]
    is_start[starts] = True
    used = np.flatnonzero(_well_spaced(time, is_start))
    size, segment = x[used], np.cumsum(is_start)[used]
    first = np.searchsorted(segment, segment)
    last = np.searchsorted(segment, segment, side="right") - 1
    index = np.arange(len(used))
    before, after = np.maximum(index - 1, first), np.minimum(index + 1, last)
    drops = size - size[before], size - size[after]
    possible_rise = np.maximum(*drops)
    run = np.searchsorted(starts, used, side="right") - 1
    best = np.maximum.reduceat(x, starts)[run] if len(starts) else size
    is_candidate = (np.minimum(*drops) >= 0) & (possible_rise > 0) & (size + possible_rise >= best)
    k = np.flatnonzero(is_candidate & (last - first >= POINTS - 1))
    rows = np.clip(k - POINTS // 2, first[k], last[k] - POINTS + 1)[:, None] + np.arange(POINTS)
    return used, run, k, rows, (before[k], after[k])


def _well_spaced(time: np.ndarray, is_start: np.ndarray) -> np.ndarray:
    """Mask without the rows that are too near to the first or the last one of a segment."""
    is_end = np.append(is_start[1:], [True])
    gap, mask = np.diff(time), np.ones(len(time), bool)
    is_inner = ~(is_start | is_end)[1:-1]
    after_start = is_start[:-2] & (gap[:-1] < MIN_GAP_RATIO * gap[1:])
    before_end = is_end[2:] & (gap[1:] < MIN_GAP_RATIO * gap[:-1])
    mask[1:-1] = ~(is_inner & (after_start | before_end))
    return mask


def _vandermonde(s: np.ndarray) -> np.ndarray:
    return s[:, :, None] ** np.arange(s.shape[1])


def _interpolate(s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Coefficients of polynomials through points, (degree + 1, polynomials)."""
    return np.linalg.solve(_vandermonde(s), y[:, :, None])[:, :, 0].T
