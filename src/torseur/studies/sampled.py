"""Where a curve of rows is read: at even times, as laboratories record, and beside its jumps.

Theory: SE.9.
"""

from __future__ import annotations

import numpy as np

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
