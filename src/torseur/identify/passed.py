"""A motion at all its samples, and what a low pass leaves of its friction.  Theory: ID.27."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from . import filters
from .turns import CoordinatePath, paths

EVEN = 0.9  # of the rows go on from the one above
SHORT = 8  # samples: of fewer no motion is known
FINE = 4.0  # samples in a period of the cutoff, at least
SAMPLES = 100.0  # in a period, by straight lines between the rows


@dataclass(frozen=True, slots=True, eq=False)
class Passed:
    """Coordinates and speeds of a motion in pieces without gaps; `at` are the rows that are used.

    `pieces` are (low, high, step [s]); friction that changes faster than the low pass lets through
    is seen as the efforts beside it are, smoothed.
    """

    q: np.ndarray
    v: np.ndarray
    pieces: tuple[tuple[int, int, float], ...]
    at: np.ndarray
    cutoff: float  # [Hz]

    def rows(self, which) -> Passed:
        """Some of the rows that are used, of the same motion."""
        return replace(self, at=self.at[which])

    def spread(self, x) -> np.ndarray:
        """A smooth column of the rows at all samples, by straight lines between them."""
        return np.interp(np.arange(len(self.q)), self.at, x)

    def seen(self, x) -> np.ndarray:
        """A column of all samples through the low pass, at the rows that are used: ID.27."""
        x = np.array(x)
        for low, high, step in self.pieces:
            if high - low > SHORT:
                x[low:high] = filters.low_pass(x[low:high, None], step, self.cutoff)[:, 0]
        return x[self.at]


def past(system, q, v, passed: Passed | None) -> dict[int, CoordinatePath]:
    """{speed: its path}, along which friction builds up: of all samples, else of the rows."""
    if passed is None:
        return paths(system, q, v)
    found = paths(system, passed.q, passed.v)
    for path in found.values():
        path.follows[[low for low, _, _ in passed.pieces]] = False
    return found


def even_motion(system, q, v, cutoff: float) -> Passed | None:
    """Rows as a motion that goes through the low pass; None where they are none, or too far apart.

    The time between two rows is the way over the speed.
    """
    path = next(iter(paths(system, q, v).values()), None)
    if path is None or path.follows.mean() <= EVEN or path.step * cutoff * FINE > 1:
        return None
    more = max(1, round(SAMPLES * path.step * cutoff))  # a reversal lies between two rows
    cuts = [*np.flatnonzero(~path.follows).tolist(), len(q)]
    grids = [
        np.linspace(low, high - 1, more * (high - 1 - low) + 1) for low, high in pairwise(cuts)
    ]
    ends = np.cumsum([0, *map(len, grids)]).tolist()
    pieces = tuple((low, high, path.step / more) for low, high in pairwise(ends))
    rows, fine = np.arange(len(q)), np.concatenate(grids)
    q, v = (np.stack([np.interp(fine, rows, c) for c in x.T], axis=1) for x in (q, v))
    at = [np.arange(low, high, more) for low, high in pairwise(ends)]
    return Passed(q, v, pieces, np.concatenate(at), cutoff)
