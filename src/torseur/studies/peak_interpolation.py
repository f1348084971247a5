"""Tops of a signal between its rows.

Theory: SE.13.
"""

from __future__ import annotations

import numpy as np
from numpy.polynomial.polynomial import polyder, polyval

FEW = 5  # rows that a curve goes through
CLOSE = 0.2  # of the gap beside it: a row so near to an event's is left out
TRUST = 0.1  # of how far the signal bends from row to row: curves through five and three agree
LOOKS, STEPS = 17, 4  # places where a curve is looked at, and Newton's steps from the best


class Tops:
    """Local maxima of a signal between rows, of all runs at once; `starts` are their first rows.

    Each has its `value` and the `run` it is of.  With `sizes` the signal counts by its size.  Where
    rows do not tell the curve there is none.

    >>> t = np.linspace(0, 1, 31)
    >>> top = Tops(t, np.sin(3 * t), np.array([0]))
    >>> [round(float(x), 6) for x in (*top.value, np.sin(3 * t).max())]
    [1.0, 0.999574]
    >>> round(top.moved(0, np.sin(3 * t), 0 * t), 6)  # by a factor of the signal
    1.0
    """

    def __init__(self, time: np.ndarray, x: np.ndarray, starts: np.ndarray, sizes: bool = False):
        with np.errstate(invalid="ignore"):
            kept, run, k, near, beside = _candidates(time, abs(x) if sizes else x, starts)
            x, t = x[kept], time[kept]
            sign = np.sign(x[k]) if sizes else np.ones(len(k))
            told, rise = self._rise(t, sign[:, None] * x[near], k, near, beside)
            self.value = (rise + sign * x[k])[told]
        self.sign, self.near, self.run = sign[told], kept[near[told]], run[k[told]]

    def _rise(self, t, x, k, near, beside):
        """The highest point of each curve between the rows beside its own, above its own; which of
        them rows tell, and how much above."""
        row = np.arange(len(k))
        own = k - near[:, 0]
        gap = (t[near[:, -1]] - t[near[:, 0]]) / (FEW - 1)
        s = (t[near] - t[k][:, None]) / gap[:, None]
        y = x - x[row, own][:, None]
        low, high = ((t[b] - t[k]) / gap for b in beside)
        curve = _through(s, y)
        looks = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, LOOKS)
        at = looks[row, polyval(looks, curve[:, :, None], tensor=False).argmax(axis=1)]
        slope, bend = polyder(curve, axis=0), polyder(curve, 2, axis=0)
        for _ in range(STEPS):
            d = polyval(at, bend, tensor=False)
            way = np.where(d < 0, polyval(at, slope, tensor=False) / np.where(d < 0, d, 1), 0)
            at = np.clip(at - way, low, high)
        rise = polyval(at, curve, tensor=False)
        three = np.clip(own - 1, 0, FEW - 3)[:, None] + np.arange(3)
        bow = _through(s[row[:, None], three], y[row[:, None], three])
        apart = abs(rise - polyval(at, bow, tensor=False))
        told = (rise > 0) & (apart <= TRUST * abs(bow[2]))
        unit = np.broadcast_to(np.eye(FEW), (len(k), FEW, FEW))
        basis = np.linalg.solve(_powers(s), unit)  # coefficients of what is one at one row
        self.weights = ((at[:, None] ** np.arange(FEW))[:, None] @ basis)[:, 0][told]
        self.rates = (polyval(s, slope[:, :, None], tensor=False) / gap[:, None])[told]
        return told, rise

    def moved(self, i: int, moved: np.ndarray, later: np.ndarray) -> float:
        """Derivative of a top: rows change by `moved`, and their times by `later`."""
        own = self.near[i]
        return float(self.weights[i] @ (self.sign[i] * moved[own] - self.rates[i] * later[own]))


def _candidates(time, x, starts):
    """Rows that are taken, the run of each; those that none beside exceeds, and that may rise to
    the largest of their run; five rows about each, and the two beside it."""
    new = np.append([True], np.diff(time) <= 0)[: len(time)]
    new[starts] = True
    kept = np.flatnonzero(_apart(time, new))
    size, piece = x[kept], np.cumsum(new)[kept]
    first, last = np.searchsorted(piece, piece), np.searchsorted(piece, piece, side="right") - 1
    here = np.arange(len(kept))
    back, ahead = np.maximum(here - 1, first), np.minimum(here + 1, last)
    drops = size - size[back], size - size[ahead]
    reach = np.maximum(*drops)
    run = np.searchsorted(starts, kept, side="right") - 1
    best = np.maximum.reduceat(x, starts)[run] if len(starts) else size
    tall = (np.minimum(*drops) >= 0) & (reach > 0) & (size + reach >= best)
    k = np.flatnonzero(tall & (last - first >= FEW - 1))
    near = np.clip(k - FEW // 2, first[k], last[k] - FEW + 1)[:, None] + np.arange(FEW)
    return kept, run, k, near, (back[k], ahead[k])


def _apart(time: np.ndarray, new: np.ndarray) -> np.ndarray:
    """Which rows are taken: those beside the first and the last of a piece may be too near."""
    end, gap, kept = np.append(new[1:], [True]), np.diff(time), np.ones(len(time), bool)
    inner = ~(new | end)[1:-1]
    early = new[:-2] & (gap[:-1] < CLOSE * gap[1:])
    late = end[2:] & (gap[1:] < CLOSE * gap[:-1])
    kept[1:-1] = ~(inner & (early | late))
    return kept


def _powers(s: np.ndarray) -> np.ndarray:
    return s[:, :, None] ** np.arange(s.shape[1])


def _through(s: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Polynomials through points, coefficients first."""
    return np.linalg.solve(_powers(s), y[:, :, None])[:, :, 0].T


# --------------------------------------------------------------------------------------------
# Where a curve of rows is read: at even times, as laboratories record, and beside its jumps.
#
# Theory: SE.9.


RATE = 10_000  # samples a second
LEAP = 1e-12  # of the largest value: a jump
NEAR = 1e-6  # [s] no sample stands so near to a jump
THEN = 1e-12  # [s] the time of a jump


class SampledRows:
    """Even samples of rows, and both rows of each instant at which one of the columns jumps.

    >>> time, a = np.array([0.0, 0.00015, 0.00015, 0.0003]), np.array([1.0, 1.0, 3.0, 3.0])
    >>> read = SampledRows(time, [a])
    >>> read.times(time).round(7), read.values(time, a)
    (array([0.     , 0.0001 , 0.00015, 0.00015, 0.0002 , 0.0003 ]), array([1., 1., 1., 3., 3., 3.]))
    """

    def __init__(self, time: np.ndarray, columns: list[np.ndarray]):
        count = int(np.floor((time[-1] - time[0]) * RATE + 1e-6)) + 1
        even = time[0] + np.arange(count) / RATE
        first = np.searchsorted(time, time, side="left")
        last = np.searchsorted(time, time, side="right") - 1
        leaps = [abs(x[first] - x[last]) > LEAP * abs(x).max(initial=0) for x in columns]
        inside = (time > even[0] + NEAR) & (time < even[-1] - NEAR)
        rows = np.arange(len(time))
        side = ((rows == first) | (rows == last)) & inside & np.any(leaps, axis=0)
        self.sides = np.flatnonzero(side)
        beside = np.concatenate([[-np.inf], time[self.sides], [np.inf]])
        k = np.searchsorted(beside, even)
        self.steps = (even - time[0])[np.minimum(even - beside[k - 1], beside[k] - even) > NEAR]
        self.order = np.argsort(np.concatenate(self._apart(time)), kind="stable")

    def _apart(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Even moments, which begin with the first row wherever that moves, and those of jumps."""
        return time[0] + self.steps, time[self.sides]

    def times(self, time: np.ndarray) -> np.ndarray:
        """Moments of what is read; `time` are those of the rows, which may have moved a little."""
        found = np.concatenate(self._apart(time))[self.order]
        grown = THEN * np.arange(found.size)
        return np.maximum.accumulate(found - grown) + grown if self.sides.size else found

    def values(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """A column there."""
        return np.concatenate([np.interp(self._apart(time)[0], time, x), x[self.sides]])[self.order]
