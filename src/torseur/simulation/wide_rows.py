"""Rows of a run with derivatives behind its state and its memory."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np


class WideRows(NamedTuple):
    """Times and states of rows; memory and inputs, which change at events alone, once each.

    >>> rows = WideRows(np.array([0.0, 1.0, 1.0]), np.zeros((3, 2)), np.array([[5.0, 7.0]]),
    ...                 np.zeros(3, int), 1)
    >>> rows.at(np.array([1.0])).memory.tolist(), rows.at(np.array([1.0, 1.0])).inputs.tolist()
    ([[5.0]], [[7.0], [7.0]])
    """

    time: np.ndarray
    Y: np.ndarray
    pasts: np.ndarray  # memory and inputs
    which: np.ndarray  # of them each row has
    nm: int  # numbers of a memory

    @property
    def memory(self) -> np.ndarray:
        return self.pasts[self.which, : self.nm]

    @property
    def inputs(self) -> np.ndarray:
        return self.pasts[self.which, self.nm :]

    def at(self, kept: np.ndarray) -> WideRows:
        """The rows of these times, in order: one of two at the same time is the first."""
        if len(kept) == len(self.time):
            return self
        place = np.searchsorted(self.time, kept)
        for i in np.flatnonzero(kept[1:] == kept[:-1]):
            place[i + 1] = place[i] + 1
        return self._taken(place)

    def before(self, when: np.ndarray) -> WideRows:
        """The rows at these times before anything acts there."""
        return self._taken(np.searchsorted(self.time, when))

    def _taken(self, place) -> WideRows:
        return self._replace(time=self.time[place], Y=self.Y[place], which=self.which[place])

    def ended(self, t: float, y: np.ndarray, past: np.ndarray) -> WideRows:
        """With one more row, of a run that failed."""
        pasts, which = np.vstack([self.pasts, past]), np.append(self.which, len(self.pasts))
        time, Y = np.append(self.time, t), np.vstack([self.Y, y])
        return WideRows(time, Y, pasts, which, self.nm)

    def copied(self) -> WideRows:
        time, Y, pasts, which = (x.copy() for x in (self.time, self.Y, self.pasts, self.which))
        return WideRows(time, Y, pasts, which, self.nm)
