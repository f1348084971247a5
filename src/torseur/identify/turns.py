"""Dry friction after a turn of the motion: it builds up over a way, not at once.

Theory: ID.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

STARTS = 0.02  # width of speeds [rad/s or m/s] by which a row without a past is judged
ALONG = 0.3  # of a step: how far it may be off the speeds' direction
LATER = 5.0  # usual steps: a longer one is a gap
HALF = 0.5  # of the rows, at least, go on from the one above in a motion


class BuildUp(float):
    """The way [rad or m] over which dry friction builds up; a plain float is a width of speeds."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class CoordinatePath:
    """A coordinate through a motion, its speed, and whether each row goes on from the one above."""

    x: np.ndarray
    v: np.ndarray
    follows: np.ndarray
    step: float = 0.0  # usual time between two rows [s], by way and speed

    def built_up(self, way: float) -> np.ndarray:
        """From -1 to 1: `z' = (sign(v) - z) |v| / way` along the path, exactly between turns.

        >>> x = np.array([0.0, 1.0, 2.0, 1.9])
        >>> path = CoordinatePath(x, np.array([1.0, 1.0, 0.1, -1.0]), np.arange(4) > 0)
        >>> path.built_up(0.1).round(3)
        array([ 1.   ,  1.   ,  1.   , -0.264])
        """
        step = np.append(0.0, np.where(self.follows[1:], np.diff(self.x), 0.0))
        moved = np.flatnonzero(step)
        turns = moved[1:][np.diff(np.sign(step[moved])) != 0]  # the first row of each new sense
        begins = np.flatnonzero(~self.follows)
        cuts = np.unique(np.concatenate([[0], begins, turns, [len(step)]]))
        fresh, z, last = {0, *begins.tolist()}, np.empty(len(step)), 0.0
        for low, high in pairwise(cuts):
            if low in fresh:
                last = float(np.tanh(self.v[low] / STARTS))
            far = np.cumsum(step[low:high])
            sense = np.sign(far[-1])
            z[low:high] = sense + (last - sense) * np.exp(-np.abs(far) / way) if sense else last
            last = z[high - 1]
        return z


def paths(system, q, v) -> dict[int, CoordinatePath]:
    """{speed: its path} of the joints with one coordinate; rows that are no motion have no past."""
    plain = [k for k in system.links if k.joint.nv == 1 and k.joint.nq == 1]
    if not plain or len(q) < 2:
        return {}
    x = q[:, [k.q.start for k in plain]]
    rate = v[:, [k.v.start for k in plain]]
    step, middle = np.diff(x, axis=0), (rate[1:] + rate[:-1]) / 2
    size = np.linalg.norm(step, axis=1)
    pace = (step * middle).sum(axis=1) / np.maximum((middle**2).sum(axis=1), 1e-300)
    off = np.linalg.norm(step - pace[:, None] * middle, axis=1)
    still = size <= 1e-3 * np.linalg.norm(np.ptp(x, axis=0))
    along = (off <= ALONG * size) & (pace > 0)
    usual = float(np.median(pace[along])) if along.any() else 0.0
    follows = np.append(False, (along & (pace <= LATER * usual)) | still)
    follows &= follows.mean() > HALF  # else it is chance: rows in no order
    return {
        k.v.start: CoordinatePath(x[:, j], rate[:, j], follows, usual) for j, k in enumerate(plain)
    }
