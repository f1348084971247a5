"""Periodic state resets along a measured motion, a relative of multiple shooting.

A run with wrong parameters leaves the measured motion, and the residuals become very nonlinear
(Bock 1983).  Here a controller resets the speeds of measured coordinates once a period, so that the
run returns to the measured motion.  The resets are subtracted from the compared signals: an error
of a force shows when it acts, and only then.  Equation ID.26.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...scalars.values import value
from ...signal_processing import noise_deviation

MAX_RESETS = 250  # of a run
MAX_SMOOTHING_VALUES = 1000  # of a measured position
MAX_INTERPOLATED_NOISE = 1e-4  # of the spread: more noise is smoothed
MAX_NOISE = 3e-3  # of the spread: a signal with more is not used
MIN_VALUES = 6  # of a measured signal


@dataclass(frozen=True, slots=True, eq=False)
class ResetCoordinate:
    """A coordinate with resets: indices in the state, position and speed at the reset times (NaN:
    unknown); `from_start` if positions count from the start of the run."""

    q: int
    v: int
    position: np.ndarray
    speed: np.ndarray
    from_start: bool


class MeasuredMotion:
    """Measured motion of a test: `coordinates` with resets every `period` seconds."""

    def __init__(self, trial: Any):
        experiment, system = trial.experiment, trial.system
        self.start, self.period = float(experiment.options.get("t_start", 0.0)), 0.0
        self.trial = trial
        self.signals: dict[str, tuple[int, bool]] = {}  # {name: (coordinate, is a position)}
        self.coordinates: list[ResetCoordinate] = []
        if system.held or system.switched or system.rheonomic:
            return  # constraints determine speeds there
        measured: list[tuple[Any, dict[int, tuple[np.ndarray, np.ndarray]], dict[str, int]]] = []
        for k in system.links:
            if k.q.stop - k.q.start == k.v.stop - k.v.start == 1:
                names = {system.coordinates[k.q.start]: 0, system.speeds[k.v.start]: 1}
                records = {}
                for n, kind in names.items():
                    record = None
                    if n in experiment.measured:
                        record = self._read_record(experiment, n)
                    if record is not None:
                        records[kind] = record
                measured.append((k, records, names))
        spacings = [np.median(np.diff(t)) for _, x, _ in measured for t, _ in x.values()]
        if not spacings:
            return
        self.period = max(*spacings, (experiment.t_end - self.start) / MAX_RESETS)
        for k, records, names in measured:
            coordinate = self._reset_coordinate(k, records, experiment.t_end)
            if coordinate is not None:
                index = len(self.coordinates)
                self.signals |= {n: (index, kind == 0) for n, kind in names.items()}
                self.coordinates.append(coordinate)

    def _read_record(self, experiment: Any, name: str) -> tuple[np.ndarray, np.ndarray] | None:
        """Filtered values from the start on; None if too few or too noisy, since stiff laws would
        amplify the noise."""
        t, y = experiment.measured[name]
        y = experiment.filter_signal(name, t, y)
        selected = (t >= self.start) & (t <= experiment.t_end)
        if selected.sum() < MIN_VALUES:
            return None
        if noise_deviation(y[selected]) > MAX_NOISE * np.std(y[selected]):
            return None
        return t[selected], y[selected]

    def _reset_coordinate(
        self, link: Any, records: dict[int, tuple[np.ndarray, np.ndarray]], end: float
    ) -> ResetCoordinate | None:
        """Splines of measured positions (0) and speeds (1), at the reset times."""
        from scipy.interpolate import CubicSpline, make_smoothing_spline

        times = self.start + self.period * np.arange(int((end - self.start) / self.period) + 2)
        position: Any = None
        speed: Any = None
        if 0 in records:
            t, x = _average_neighbors(*records[0])
            is_smooth = noise_deviation(x) < MAX_INTERPOLATED_NOISE * np.std(x)
            position = (CubicSpline if is_smooth else make_smoothing_spline)(t, x)
            speed = position.derivative()
        if 1 in records:
            t, v = records[1]
            if position is None and t[0] > self.start + 2.5 * np.median(np.diff(t)):
                return None  # the position at the first value is unknown
            speed = CubicSpline(*self._with_start(link, t, v))
        if speed is None:
            return None
        from_start = position is None
        position = speed.antiderivative() if from_start else position
        ends = [t[[0, -1]] for t, _ in records.values()]
        selected = (times >= max(a for a, _ in ends)) & (times <= min(b for _, b in ends))
        x = position(times) - (position(self.start) if from_start else 0.0)
        return ResetCoordinate(
            link.q.start, link.v.start, np.where(selected, x, np.nan), speed(times), from_start
        )

    def _with_start(self, link: Any, t: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Measured speeds, preceded by the initial speed of the model unless that is free."""
        name = self.trial.system.speeds[link.v.start]
        if t[0] <= self.start or name in self.trial.free_starts:
            return t, v
        parameters = {n: x for n, x in self.trial.system.parameters.items() if x is not None}
        initial = value.nominal(value.exact(self.trial.start.get(name, 0.0)), parameters)
        return np.append(self.start, t), np.append(initial, v)


def _average_neighbors(t: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of neighbors, if there are very many values."""
    k = -(-len(t) // MAX_SMOOTHING_VALUES)
    n = len(t) // k * k
    return t[:n].reshape(-1, k).mean(axis=1), y[:n].reshape(-1, k).mean(axis=1)


class StateResets:
    """Controller of one run with sensitivities: it resets speeds and records the changes.

    A reset sets the speed so that the run meets the measured position after one period.  The first
    call only reads the start.
    """

    def __init__(self, motion: MeasuredMotion, nq: int):
        self.motion = motion
        coordinates = motion.coordinates
        self.q = np.array([c.q for c in coordinates])
        self.v = nq + np.array([c.v for c in coordinates])
        self.position = np.array([c.position for c in coordinates]).T
        self.speed = np.array([c.speed for c in coordinates]).T
        self.from_start = np.array([c.from_start for c in coordinates])
        self.initial: Any = None
        self.changes: list[np.ndarray] = []  # of speeds at each reset, and below them of S

    def steer(self, t: float, y: np.ndarray, S: np.ndarray) -> None:
        """Reset speeds of a state and their sensitivities (directions, state), in place: ID.26."""
        state = np.vstack([y, S])
        if self.initial is None:
            self.initial = self.from_start * state[:, self.q]
            self.changes.append(np.zeros_like(self.initial))
            return
        k = len(self.changes)
        speeds = (self.initial - state[:, self.q]) / self.motion.period
        speeds[0] += self.speed[k] + self.position[k] / self.motion.period
        change = np.where(np.isfinite(speeds[0]), speeds - state[:, self.v], 0.0)
        self.changes.append(change)
        y[self.v] += change[0]
        S[:, self.v] += change[1:]

    def accumulated(self, name: str, times: np.ndarray) -> np.ndarray:
        """Change of a coordinate or speed by the resets before each time, and of its derivatives,
        (times, 1 + directions); zero for other signals."""
        changes = np.array(self.changes)
        if name not in self.motion.signals:
            return np.zeros((len(times), changes.shape[1]))
        index, is_position = self.motion.signals[name]
        reset_times = self.motion.start + self.motion.period * np.arange(len(changes))
        change, zero = changes[:, :, index], np.zeros((1, changes.shape[1]))
        before = np.searchsorted(reset_times, times, side="left")
        speed = np.vstack([zero, np.cumsum(change, axis=0)])[before]
        if not is_position:
            return speed
        weighted = np.cumsum(change * reset_times[:, None], axis=0)
        return speed * times[:, None] - np.vstack([zero, weighted])[before]
