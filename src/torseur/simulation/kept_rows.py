"""Rows of the runs of a batch, however they were made, as signals of (runs, rows)."""

from __future__ import annotations

import numpy as np

from .interrupt import STOPPED


class Pieces:
    """Signals of runs in lanes at some times, piece by piece."""

    def __init__(self, pieces, time):
        self.pieces, self.time = pieces, time

    def __call__(self, name) -> dict[str, np.ndarray]:
        """The signal of a name, (runs, rows)."""
        return {
            name: np.concatenate(
                [x[name] if isinstance(x, dict) else x.at(x[name], self.time) for x in self.pieces]
            )
        }

    def run(self, i: int):
        """One of the runs, as a trajectory; None where there is none."""
        for x in self.pieces:
            if i < len(x.outcomes):
                return x.alone(i) if x.completed[i] else None
            i -= len(x.outcomes)
        return None


class Unmade:
    """Runs that a Ctrl-C left undone: no rows, and a sentence."""

    method = ""

    def __init__(self, count, size):
        self.outcomes, self.completed = [STOPPED] * count, [False] * count
        self.events: list[tuple] = [()] * count
        self.none = np.full((count, size), np.nan)

    def __getitem__(self, name) -> np.ndarray:
        return self.none

    def at(self, values, time) -> np.ndarray:
        """No values at any time."""
        return values


class Sampled:
    """Signals of one run at some times; NaN beyond its end."""

    def __init__(self, run, time):
        self.run = run
        self.at = np.searchsorted(run.time, time, side="right") - 1
        self.beyond = time > run.time[-1]

    def __getitem__(self, name) -> np.ndarray:
        return np.where(self.beyond, np.nan, self.run[name][self.at])


class Each:
    """Signals of runs that were made one by one, from what was kept of each; NaN from no run."""

    def __init__(self, rows, size):
        self.rows, self.size = rows, size

    def __call__(self, name) -> dict[str, np.ndarray]:
        """The signal of a name, (runs, rows)."""
        none = np.full(self.size, np.nan)
        return {name: np.array([none if own is None else own[name] for own in self.rows])}

    def run(self, i: int):
        """One of the runs, as a trajectory; None where there is none."""
        own = self.rows[i]
        return None if own is None or not own.run.completed else own.run
