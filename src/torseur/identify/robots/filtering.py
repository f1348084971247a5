"""Filters that do not shift, clocks, and derivatives of sampled motions.  Theory: ID.3, ID.21."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError
from .friction import CoordinatePath, paths

HIGHEST = 1 / 3  # of the sampling rate: beyond, differences do not follow what is left
REMEMBERS = 3.0  # periods of the cutoff
KNOWN = ((3, 5), (2, 3), (1, 1))  # periods by which an end is continued, degrees of polynomials
WHOLE = 0.05  # of a tick: how near to whole numbers the steps of a clock are (0.29: by chance)
SLOW = 0.01  # of the middle square of the speeds: slower rows do not judge whether there is a clock
SURE = 0.1  # of a tick: scatter with which a row's own number of ticks is taken


def resample(
    time: ArrayLike, values: ArrayLike, step: float | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Resample a record at even times, by linear interpolation.

    Parameters
    ----------
    time : (n,) increasing time stamps [s], even or not
    values : (n,) or (n, k) samples in any unit
    step : step of the even times [s]; by default the median of the steps of `time`

    Returns
    -------
    time : (m,) even times [s], from the first stamp on
    values : (m,) or (m, k)

    >>> t, x = resample([0, 1, 2, 3, 4, 6, 7, 8], [0, 1, 2, 3, 4, 6, 7, 8])
    >>> x.tolist()
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    """
    time, values = np.asarray(time, float), np.asarray(values, float)
    gaps = np.diff(time)
    if len(time) < 8 or not np.all(gaps > 0):
        raise ArgumentError(
            f"time: expected at least 8 increasing stamps [s], got {len(time)}"
            + (", not increasing" if len(gaps) and not np.all(gaps > 0) else "")
        )
    step = float(np.median(gaps)) if step is None else float(step)
    t = time[0] + step * np.arange(int(np.floor((time[-1] - time[0]) / step + 1e-9)) + 1)
    if values.ndim == 1:
        return t, np.interp(t, time, values)
    return t, np.stack([np.interp(t, time, x) for x in values.T], axis=1)


def clock(time, q, cutoff: float) -> np.ndarray:
    """The stamps, or the ticks of the robot's own clock where the motion shows them.

    A recorder's stamps say when a row arrived.  Where the rows were made by a clock of even ticks,
    some of them late, lost or read twice, the way from row to row over the speed is a whole number
    of ticks, whatever the stamps say; those numbers then are the times.  Rows read twice have the
    same time.  Stamps that say the same, or motions that show no ticks, are left as they are.

    >>> t = np.arange(0, 2, 1e-3)
    >>> late = t + 2e-4 * np.random.default_rng(0).uniform(size=len(t))
    >>> found = clock(late, np.sin(3 * t)[:, None], 10.0)
    >>> bool(abs(np.diff(found) - 1e-3).max() < 1e-4), bool(abs(np.diff(late) - 1e-3).max() < 1e-4)
    (True, False)
    """
    steps = np.diff(time)
    t, smooth = resample(time, q)
    v = derivative(low_pass(smooth, float(t[1] - t[0]), cutoff), float(t[1] - t[0]))
    middle = (time[1:] + time[:-1]) / 2
    speed = np.stack([np.interp(middle, t, x) for x in v.T], axis=1)
    square = (speed**2).sum(axis=1)
    clear = square > SLOW * float(np.median(square))
    if not clear.any():
        return time
    passed = (np.diff(q, axis=0) * speed).sum(axis=1) / np.maximum(square, 1e-300)  # ID.21
    moved = passed[clear & (passed > 0.3 * float(np.median(steps)))]
    if not len(moved):
        return time
    tick = float(np.median(moved))
    ticks = np.round(passed / tick)
    own = float(steps[clear].sum() / max(1.0, ticks[clear].sum()))  # as long as the stamps say
    off, late = passed / tick - ticks, steps / own - ticks
    noise, wrong = (np.sqrt((x[clear] ** 2).mean()) for x in (off, late))
    if noise > WHOLE or wrong < WHOLE or abs(own / tick - 1) > WHOLE or ticks[clear].min() < 0:
        return time
    way = float(np.median((np.abs(off) * np.sqrt(square))[clear]))  # scatter of the ways
    clear = (way < SURE * np.sqrt(square)) & (ticks >= 0)
    steps[clear] = ticks[clear] * own
    return time[0] + np.append(0.0, np.cumsum(steps))


def low_pass(values: ArrayLike, step: float, cutoff: float, order: int = 4) -> np.ndarray:
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

    if not 0 < cutoff * step <= HIGHEST:
        late = "" if step < 1 else f"; stamps are {step:.3g} s apart: are they in seconds?"
        raise ArgumentError(
            f"cutoff={cutoff!r} Hz: expected between 0 and a third of the sampling rate, "
            f"{HIGHEST / step:.4g} Hz{late}"
        )
    values = np.asarray(values, float)
    n, long = len(values), max(1, round(REMEMBERS / (cutoff * step)))
    before, after = (_continued(values[::k], long, 1 / (cutoff * step)) for k in (-1, 1))
    whole = np.concatenate([before[::-1], values, after])
    sos, rest = _butterworth(order, 2 * step * cutoff)
    for _ in range(2):  # backward from where it ends: no shift
        start = rest[:, :, None] * whole[0].reshape(1, 1, -1)
        shape = (*start.shape[:1], 2, *whole.shape[1:])
        whole = sosfilt(sos, whole, axis=0, zi=start.reshape(shape))[0][::-1]
    return whole[long : long + n]


@lru_cache(maxsize=64)
def _butterworth(order: int, share: float):
    """Sections of a low pass, and their states where the input has always been one."""
    from scipy.signal import butter, sosfilt_zi

    sos = butter(order, share, output="sos")
    return sos, sosfilt_zi(sos)


def _continued(values, more: int, period: float) -> np.ndarray:
    """So many more rows, by the polynomial nearest to the last ones: motions keep their bends.

    Of few rows a high degree would run away; of less than a period the mean is known.
    """
    ways = ((round(n * period), degree) for n, degree in KNOWN)
    own = (w for w in ways if w[1] + 2 <= w[0] <= len(values))
    rows, degree = next(own, (len(values), 0))
    return _ahead(rows, more, degree) @ values[-rows:]


@lru_cache(maxsize=64)
def _ahead(rows: int, more: int, degree: int) -> np.ndarray:
    """What rows before a polynomial's next ones give them."""
    V = np.vander(np.arange(1 - rows, more + 1) / rows, degree + 1)
    return V[rows:] @ np.linalg.pinv(V[:rows])


def derivative(values, step: float):
    """Central differences of order four along the first axis, of order two at its ends."""
    out = np.gradient(values, step, axis=0)
    out[2:-2] = (8 * (values[3:-1] - values[1:-3]) - (values[4:] - values[:-4])) / (12 * step)
    return out


def steepness(f, step: float) -> np.ndarray:
    """What `derivative` makes of an amplitude at frequencies f [Hz]: 2 pi f, nearly."""
    x = 2 * np.pi * np.asarray(f, float) * step
    return (8 * np.sin(x) - np.sin(2 * x)) / (6 * step)


# --------------------------------------------------------------------------------------------
# A motion at all its samples, and what a low pass leaves of its friction.  Theory: ID.27.


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
                x[low:high] = low_pass(x[low:high, None], step, self.cutoff)[:, 0]
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
