"""Motions behind the low pass: all samples, the rows used after decimation, friction columns.

A low pass leaves about ten rows a period of its cutoff (decimation).  Dry friction changes faster
than that, so its columns are computed at all samples and filtered like the efforts.  Equation
ID.27.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ...signal_processing import low_pass
from .friction import CoordinatePath, coordinate_paths

MIN_FOLLOWING_FRACTION = 0.9  # of the rows of a motion continue the row above
MIN_SAMPLES = 8  # of a segment that is filtered
MIN_SAMPLES_PER_PERIOD = 4.0  # of the cutoff: with fewer, rows are no motion
SAMPLES_PER_PERIOD = 100.0  # of the cutoff, after linear interpolation between rows


@dataclass(frozen=True, slots=True, eq=False)
class SampledMotion:
    """Coordinates and speeds of a motion at all its samples, and which of them are rows."""

    q: np.ndarray  # (samples, nq)
    v: np.ndarray  # (samples, nv)
    segments: tuple[tuple[int, int, float], ...]  # without gaps: (first, last + 1, step [s])
    rows: np.ndarray  # indices of the samples that are rows
    cutoff: float  # of the low pass [Hz]

    def select_rows(self, which: Any) -> SampledMotion:
        """The same motion with some of its rows."""
        return replace(self, rows=self.rows[which])

    def interpolate_rows(self, x: np.ndarray) -> np.ndarray:
        """A smooth column of the rows at all samples, by linear interpolation."""
        return np.interp(np.arange(len(self.q)), self.rows, x)

    def filter_column(self, x: np.ndarray) -> np.ndarray:
        """A column of all samples behind the low pass, at the rows: ID.27."""
        x = np.array(x)
        for low, high, step in self.segments:
            if high - low > MIN_SAMPLES:
                x[low:high] = low_pass(x[low:high, None], step, self.cutoff)[:, 0]
        return x[self.rows]


def friction_paths(
    system: Any, q: np.ndarray, v: np.ndarray, motion: SampledMotion | None
) -> dict[int, CoordinatePath]:
    """{speed index: path} for friction: of all samples if there is a motion, else of the rows."""
    if motion is None:
        return coordinate_paths(system, q, v)
    paths = coordinate_paths(system, motion.q, motion.v)
    for path in paths.values():
        path.follows[[low for low, _, _ in motion.segments]] = False
    return paths


def densify_motion(
    system: Any, q: np.ndarray, v: np.ndarray, cutoff: float
) -> SampledMotion | None:
    """Interpolate rows to a motion that the low pass can filter, or None if they are no motion.

    The time between two rows is their distance over the speed.
    """
    path = next(iter(coordinate_paths(system, q, v).values()), None)
    if path is None or path.follows.mean() <= MIN_FOLLOWING_FRACTION:
        return None
    if path.step * cutoff * MIN_SAMPLES_PER_PERIOD > 1:
        return None
    factor = max(1, round(SAMPLES_PER_PERIOD * path.step * cutoff))  # reversals lie between rows
    cuts = [*np.flatnonzero(~path.follows).tolist(), len(q)]
    grids = [
        np.linspace(low, high - 1, factor * (high - 1 - low) + 1) for low, high in pairwise(cuts)
    ]
    bounds = np.cumsum([0, *map(len, grids)]).tolist()
    segments = tuple((low, high, path.step / factor) for low, high in pairwise(bounds))
    rows, grid = np.arange(len(q)), np.concatenate(grids)
    q, v = (np.stack([np.interp(grid, rows, c) for c in x.T], axis=1) for x in (q, v))
    kept = np.concatenate([np.arange(low, high, factor) for low, high in pairwise(bounds)])
    return SampledMotion(q, v, segments, kept, cutoff)
