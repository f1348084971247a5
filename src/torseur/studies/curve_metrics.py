"""Curve metrics: one number of a curve by name, such as HIC or overshoot, and its derivative.

Some metrics read even samples, as laboratories record them, and both rows of each jump.
Derivatives follow from those of the rows by Richardson extrapolation, without another run.  Theory:
SE.9.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import crash, robots
from ..errors import ArgumentError, describe_call_mismatch, said
from ..register import Register
from ..results import Event, Trajectory
from .impulses import check_impulses

if TYPE_CHECKING:
    from .metrics import Metric

SAMPLING_RATE = 10_000  # [Hz] of even samples
MIN_JUMP = 1e-12  # of the largest value
JUMP_DISTANCE = 1e-6  # [s] of an even sample from a jump
JUMP_DURATION = 1e-12  # [s] between the two rows of a jump
RELATIVE_STEP = 1e-5  # of the sizes of signals, by which a curve changes
MAX_TIME_SIZE = 0.1 * JUMP_DISTANCE / RELATIVE_STEP  # [s] so that no jump crosses a sample
METRICS: Register = Register("metric")


# ---- derivatives -------------------------------------------------------------------------------


def richardson_derivative(f: Callable[[float], float], h: float) -> float:
    """Derivative of f at zero, by Richardson extrapolation of steps h and h/2.

    >>> round(float(richardson_derivative(lambda x: np.exp(2 * x), 1e-3)), 12)
    2.0
    """
    if h == 0:  # no change; a metric that does not exist raises
        return 0.0 * f(0.0)
    a, b, c, d = (f(k * h) for k in (-1.0, -0.5, 0.5, 1.0))
    return (8 * (c - b) - (d - a)) / (6 * h)


def difference_step(curves: Iterable[tuple[np.ndarray, np.ndarray]]) -> float:
    """Step by which no curve of (values, derivatives) changes by more than 1e-5 of its size."""
    sizes = [(np.abs(x).max(initial=0.0), np.abs(d).max(initial=0.0)) for x, d in curves]
    steps = [RELATIVE_STEP * max(x, 1e-12) / d for x, d in sizes if d > 0 and np.isfinite(d)]
    return min(steps, default=0.0)


def state_difference_step(run: Trajectory, name: str) -> float:
    """Difference step for the state of a run."""
    return difference_step((run[n], run.sensitivity(n, name)) for n in run.provenance["state"])


class PerturbedRun:
    """A run with one parameter changed by `h`, to first order: time, signals, events.

    A user's function reads it to compute its number.
    """

    def __init__(self, run: Trajectory, name: str, h: float):
        self._run, self._name, self._h = run, name, h
        self.time = run.time + h * run.sensitivity("time", name)
        self.units, self.signals = run.units, run.signals
        self.events = tuple(
            Event(e.time + h * d, e.name)
            for n in dict.fromkeys(e.name for e in run.events)
            for e, d in zip(
                [e for e in run.events if e.name == n], run.sensitivity(n, name), strict=True
            )
        )

    def __getitem__(self, signal: str) -> np.ndarray:
        if signal == "time":
            return self.time
        derivative = self._run.sensitivity(signal, self._name, along_rows=True)
        return self._run[signal] + self._h * derivative

    def __contains__(self, signal: object) -> bool:
        return signal in self._run

    def __getattr__(self, name: str):
        raise ArgumentError(
            f"metric: no derivative of a function that reads run.{name}; it may read "
            "run.time, run.events and signals, run['body.speed']"
        )


# ---- sampling ----------------------------------------------------------------------------------


class CurveSampling:
    """Even samples of rows, and both rows of each time at which one of the columns jumps.

    >>> time, a = np.array([0.0, 0.00015, 0.00015, 0.0003]), np.array([1.0, 1.0, 3.0, 3.0])
    >>> sampling = CurveSampling(time, [a])
    >>> sampling.times(time).round(7), sampling.values(time, a)
    (array([0.     , 0.0001 , 0.00015, 0.00015, 0.0002 , 0.0003 ]), array([1., 1., 1., 3., 3., 3.]))
    """

    def __init__(self, time: np.ndarray, columns: list[np.ndarray]):
        """Uniform time points without those near a jump, and the time points of jumps."""
        count = int(np.floor((time[-1] - time[0]) * SAMPLING_RATE + 1e-6)) + 1
        even = time[0] + np.arange(count) / SAMPLING_RATE
        first = np.searchsorted(time, time, side="left")
        last = np.searchsorted(time, time, side="right") - 1
        jumps = [abs(x[first] - x[last]) > MIN_JUMP * abs(x).max(initial=0) for x in columns]
        is_inner = (time > even[0] + JUMP_DISTANCE) & (time < even[-1] - JUMP_DISTANCE)
        rows = np.arange(len(time))
        is_jump = ((rows == first) | (rows == last)) & is_inner & np.any(jumps, axis=0)
        self.jump_rows = np.flatnonzero(is_jump)
        jump_times = np.concatenate([[-np.inf], time[self.jump_rows], [np.inf]])
        k = np.searchsorted(jump_times, even)
        distance = np.minimum(even - jump_times[k - 1], jump_times[k] - even)
        self.steps = (even - time[0])[distance > JUMP_DISTANCE]
        self.order = np.argsort(np.concatenate(self._unsorted_times(time)), kind="stable")

    def _unsorted_times(self, time: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Even times from the first row on, wherever that moves, and the times of jumps."""
        return time[0] + self.steps, time[self.jump_rows]

    def times(self, time: np.ndarray) -> np.ndarray:
        """Times of the samples; `time` are those of the rows, which may have changed a little."""
        times = np.concatenate(self._unsorted_times(time))[self.order]
        offset = JUMP_DURATION * np.arange(times.size)
        return np.maximum.accumulate(times - offset) + offset if self.jump_rows.size else times

    def values(self, time: np.ndarray, x: np.ndarray) -> np.ndarray:
        """Values of a column at the samples."""
        even, _ = self._unsorted_times(time)
        return np.concatenate([np.interp(even, time, x), x[self.jump_rows]])[self.order]


# ---- metrics -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class CurveMetric:
    """One number of a curve: `compute(time, values, **options)`, optionally with the speed of its
    body.

    With `even` it uses uniform samples and jumps, else the time points of the run.  `counted` marks
    a number of samples, which has no derivative.  With `apart` it takes each of its signals
    separately, such as ax, ay and az.
    """

    compute: Callable[..., Any]
    unit: str = ""
    speed: bool = False
    even: bool = True
    counted: bool = False
    apart: bool = False
    needs: tuple[str, ...] = ()

    def check(self, metric: Metric) -> None:
        """Raise if the signal or an option is missing."""
        missing = [n for n in self.needs if n not in metric.options]
        if not metric.name or missing:
            needed = f"{missing[0]}=" if missing else "the name of a signal"
            raise ArgumentError(f"metric {metric.function!r}: give {needed}")

    def speed_signals(self, metric: Metric) -> tuple[str, ...]:
        """Velocities of the body whose pulse the metric reads, if it needs its initial speed."""
        if not self.speed or "speed" in metric.options:
            return ()
        names = (metric.name,) if isinstance(metric.name, str) else metric.name
        owner = names[0].rsplit(".", 2)[0]
        return tuple(f"{owner}.velocity.{c}" for c in "xyz")

    def __call__(self, metric: Metric, time: np.ndarray, columns: list[np.ndarray]) -> float:
        """The number of the rows of a run."""
        sampling = CurveSampling(time, self._curves(metric, columns))
        return self._evaluate(metric, time, columns, sampling)

    def slope(self, metric: Metric, run: Any, name: str) -> float:
        """Derivative by a parameter, from those of the rows: SE.9."""
        if self.counted:
            raise ArgumentError(
                f"metric {metric.function!r} is a number of samples, and has no derivative"
            )
        signals = metric.signals()
        columns = [run[n] for n in signals]
        for n in signals[: _signal_count(metric)]:
            check_impulses(run, n, f"metric {metric.function!r}")
        derivatives = [run.sensitivity(n, name, along_rows=True) for n in signals]
        dt = run.sensitivity("time", name)
        sampling = CurveSampling(run.time, self._curves(metric, columns))

        def number_at(h: float) -> float:
            time = np.maximum.accumulate(run.time + h * dt)
            changed = [x + h * d for x, d in zip(columns, derivatives, strict=True)]
            return self._evaluate(metric, time, changed, sampling)

        time_curve = (np.array([MAX_TIME_SIZE]), dt)
        curves = [*zip(columns, derivatives, strict=True), time_curve]
        return richardson_derivative(number_at, difference_step(curves))

    def _curves(self, metric: Metric, columns: list[np.ndarray]) -> list[np.ndarray]:
        """The metric's signals, or their norm."""
        signals = columns[: _signal_count(metric)]
        if self.apart or len(signals) == 1:
            return signals
        return [np.sqrt(sum(x * x for x in signals))]

    def _evaluate(
        self, metric: Metric, time: np.ndarray, columns: list[np.ndarray], sampling: CurveSampling
    ) -> float:
        """The number of columns at times, at fixed samples."""
        values = self._curves(metric, columns)
        if self.even:
            time, values = sampling.times(time), [sampling.values(time, x) for x in values]
        options = dict(metric.options)
        if self.speed and "speed" not in options:
            first = _signal_count(metric)
            options["speed"] = float(np.linalg.norm([x[0] for x in columns[first : first + 3]]))
        try:
            return float(self.compute(time - time[0] * self.even, *values, **options))
        except TypeError as e:
            message = said(e, describe_call_mismatch(self.compute, options, 1 + len(values)))
            raise ArgumentError(f"metric {metric.function!r}: {message}") from None


def _signal_count(metric: Metric) -> int:
    return 1 if isinstance(metric.name, str) else len(metric.name)


def _step_response(name: str) -> Callable[..., float]:
    """One number of the step response of robots."""

    def compute(time: Any, values: Any, target: Any, band: float = 0.02):
        return getattr(robots.step_metrics(time, values, target, band=band), name)

    return compute


for _name, _metric in {
    "hic": CurveMetric(crash.hic, "g^2.5 s"),
    "clip_3ms": CurveMetric(crash.clip_3ms, "m/s^2"),
    "delta_v": CurveMetric(crash.delta_v, "m/s"),
    "vpi": CurveMetric(crash.vpi, "m/s^2"),
    "asi": CurveMetric(crash.asi, "1", apart=True),
    "thiv": CurveMetric(crash.thiv, "m/s", apart=True),
    "phd": CurveMetric(
        lambda *args, **options: crash.thiv(*args, **options).phd, "m/s^2", apart=True
    ),
    "kw400": CurveMetric(
        lambda time, *args, **options: crash.kw400(*args, **options), "N/m", even=False, apart=True
    ),
    "pulse_duration": CurveMetric(crash.pulse_duration, "s", counted=True),
    "olc": CurveMetric(crash.olc, "m/s^2", speed=True),
    "crush": CurveMetric(crash.crush, "m", speed=True),
    "restitution": CurveMetric(crash.restitution, "1", speed=True),
    "rise_time": CurveMetric(_step_response("rise_time"), "s", even=False, needs=("target",)),
    "settling_time": CurveMetric(
        _step_response("settling_time"), "s", even=False, needs=("target",)
    ),
    "overshoot": CurveMetric(_step_response("overshoot"), "1", even=False, needs=("target",)),
    "integral": CurveMetric(lambda time, values: np.trapezoid(values, time), even=False),
}.items():
    METRICS.named(_name)(_metric)
