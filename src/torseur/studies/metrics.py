"""Measures of a study: numbers, event times and signals that are stored of each run."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, unknown_name_message
from ..register import Register
from ..results import Runs, Trajectory
from ..scalars import arguments
from .curve_metrics import (
    METRICS,
    PerturbedRun,
    richardson_derivative,
    state_difference_step,
)
from .impulses import check_impulses, describe_missing_impulse, mask_missing_impulses
from .peak_interpolation import InterpolatedPeaks

EQUAL_SIZE = 1e-12  # of a signal: rows that are equally large
EQUAL_SLOPE = 1e-5  # of the derivatives of a signal: equal changes

MEASURES: Register = Register("measure")


class Measure(abc.ABC):
    """A function from runs to one number each, or to one number for each time of `at`."""

    unit = ""  # of a measure whose unit is not that of its signal
    reads_end_only = False  # whether it reads only the last row

    def times(self) -> np.ndarray:
        """Times at which the run must have a row [s]."""
        return np.empty(0)

    def signal(self) -> str:
        """The signal whose unit the measure has, or an empty text."""
        return getattr(self, "name", "")

    def signals(self) -> tuple[str, ...]:
        """All signals that it reads."""
        return (self.signal(),) if self.signal() else ()

    def with_default_times(self, times: np.ndarray) -> Measure:
        """The measure with these times, if it has none."""
        return self

    def shape(self) -> tuple[int, ...]:
        """Shape of its value for one run."""
        return ()

    @property
    def has_slope(self) -> bool:
        return type(self).slope is not Measure.slope

    def slope(self, run: Trajectory, name: str) -> Any:
        """Derivative by a parameter whose sensitivities the run has, of the same shape."""
        raise ArgumentError(f"{type(self).__name__} has no exact slope")

    @abc.abstractmethod
    def evaluate_runs(self, runs: Runs) -> np.ndarray:
        """Values of all runs, (runs, *shape).  Values that do not exist are NaN."""

    def to_data(self) -> dict[Any, Any]:
        """Fields as data, for a store."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"measure": type(self).__name__, **values}


def measure_from_data(data: dict[Any, Any]) -> Measure:
    """A measure from its data.

    >>> measure_from_data({"measure": "Final", "name": "x.displacement"})
    Final(name='x.displacement')
    """
    values = dict(data)
    return MEASURES.element(values.pop("measure"), "study")(**values)


@MEASURES
@dataclass(frozen=True)
class Peak(Measure):
    """Largest value of a signal: by size ("abs"), "max" or "min".

    Peaks between rows are interpolated through the nearest five.  If the rows are too far apart for
    that, the peak is the largest row.
    """

    name: str
    by: str = "abs"

    def __post_init__(self):
        if self.by not in ("abs", "max", "min"):
            raise ArgumentError(
                unknown_name_message("kind of peak", self.by, ("abs", "max", "min"), "Peak")
            )

    def evaluate_runs(self, runs: Runs):
        sign, x = self._maximized(runs[self.name])
        largest = runs.reduced(np.maximum, np.abs(x) if self.by == "abs" else x)
        peaks = InterpolatedPeaks(runs.time, x, runs.cuts[runs.there], self.by == "abs")
        np.maximum.at(largest, runs.there[peaks.run], peaks.value)
        return mask_missing_impulses(runs, self.name, "peak", sign * largest)

    def slope(self, run: Any, name: str):
        """Derivative of the peak by a parameter: at the interpolated maximum, or at the largest
        sample.
        """
        check_impulses(run, self.name, "peak")
        sign, x = self._maximized(run[self.name])
        dx = run.sensitivity(self.name, name, along_rows=True)
        size = np.abs(x) if self.by == "abs" else x
        i = int(size.argmax())
        peaks = InterpolatedPeaks(run.time, x, np.zeros(1, int), self.by == "abs")
        if not len(peaks.value) or peaks.value.max() < size[i]:
            d_size = (np.sign(x) if self.by == "abs" else sign) * dx
            is_largest = size >= size[i] - EQUAL_SIZE * abs(size[i])
            if np.ptp(d_size[is_largest]) > EQUAL_SLOPE * abs(dx).max():
                raise TorseurError(
                    f"sensitivity of the peak of {self.name!r} by {name!r}: {is_largest.sum()} "
                    "rows are equally large and change differently, so that its one-sided "
                    "derivatives differ; use a row of the signal instead"
                )
            return float(d_size[i])
        dt = run.sensitivity("time", name)
        return sign * peaks.derivative(int(peaks.value.argmax()), sign * dx, dt)

    def _maximized(self, x: np.ndarray):
        """A sign, and the signal times it, whose largest value is the peak."""
        return (-1.0, -x) if self.by == "min" else (1.0, x)


@MEASURES
@dataclass(frozen=True)
class Final(Measure):
    """Value of a signal at the end of the run."""

    name: str
    reads_end_only = True

    def evaluate_runs(self, runs: Runs):
        values = np.full(len(runs), np.nan)
        values[runs.there] = runs.end(self.name)
        return values

    def slope(self, run: Any, name: str):
        return float(run.sensitivity(self.name, name, along_rows=True)[-1])


@MEASURES
@dataclass(frozen=True)
class Mean(Measure):
    """Mean of a signal over the time of the run."""

    name: str

    def evaluate_runs(self, runs: Runs):
        return mask_missing_impulses(runs, self.name, "mean", runs.mean(runs[self.name]))

    def slope(self, run: Any, name: str):
        check_impulses(run, self.name, "mean")
        dx = run.sensitivity(self.name, name, along_rows=True)
        return _mean_derivative(run, name, run[self.name], dx)


@MEASURES
@dataclass(frozen=True)
class RMS(Measure):
    """Root mean square of a signal over the time of the run."""

    name: str

    def evaluate_runs(self, runs: Runs):
        rms = np.sqrt(runs.mean(runs[self.name] ** 2))
        return mask_missing_impulses(runs, self.name, "rms", rms)

    def slope(self, run: Any, name: str):
        check_impulses(run, self.name, "rms")
        x = run[self.name]
        dx = run.sensitivity(self.name, name, along_rows=True)
        span = run.time[-1] - run.time[0]
        rms = np.sqrt(np.trapezoid(x**2, run.time) / span)
        return _mean_derivative(run, name, x**2, 2 * x * dx) / (2 * rms) if rms else 0.0


def _mean_derivative(run: Trajectory, name: str, x: np.ndarray, dx: np.ndarray) -> float:
    """Derivative of the mean over time by the trapezoidal rule, with moving times of events."""
    t, dt = run.time, run.sensitivity("time", name)
    span, area = t[-1] - t[0], np.trapezoid(x, t)
    change = np.trapezoid(dx, t) + 0.5 * ((x[1:] + x[:-1]) * np.diff(dt)).sum()
    return float((change - area / span * (dt[-1] - dt[0])) / span)


@MEASURES
@dataclass(frozen=True, init=False)
class SignalAt(Measure):
    """A signal at given times [s]: rows of the run itself, without interpolation.

    Without times, at all even rows of the run, `output=` of them.
    """

    name: str
    at: tuple[Any, ...]

    def __init__(self, name: str, at: Any = ()):
        object.__setattr__(self, "name", name)
        times = arguments.numbers("SignalAt", "at", () if at is None else at, "s")
        object.__setattr__(self, "at", tuple(times.ravel().tolist()))

    def with_default_times(self, times: np.ndarray):
        return self if self.at else SignalAt(self.name, times)

    def times(self):
        return np.array(self.at)

    def shape(self):
        return (len(self.at),)

    def evaluate_runs(self, runs: Runs):
        return runs.at(runs[self.name], np.array(self.at))

    def slope(self, run: Any, name: str):
        rows = np.searchsorted(run.time, self.at, side="right") - 1
        return run.sensitivity(self.name, name)[rows]


@MEASURES
@dataclass(frozen=True)
class EventTime(Measure):
    """Time of the first event of a name [s], or NaN without one."""

    name: str
    unit = "s"

    def signal(self):
        return ""

    def evaluate_runs(self, runs: Runs):
        return runs.first_event(self.name)

    def slope(self, run: Any, name: str):
        happened = any(e.name == self.name for e in run.events)
        return float(run.sensitivity(self.name, name)[0]) if happened else np.nan


@MEASURES
@dataclass(frozen=True, init=False)
class Metric(Measure):
    """A number that a function computes from the run.

    By name, of a signal or of the norm of several: `ts.studies.Metric("hic",
    "head.acceleration.x", window=0.036)`; names are those of `METRICS`, of crash and of robots.  Or
    any function of a `Trajectory`, which a store cannot hold.
    """

    function: Callable[[Trajectory], float] | str
    name: str | tuple[str, ...] = ""
    options: dict = field(default_factory=dict)

    def __init__(
        self,
        function: Any,
        name: Any = "",
        options: Mapping[str, Any] | None = None,
        **more: Any,
    ):
        """Check the name and options of the metric."""
        object.__setattr__(self, "function", function)
        if not isinstance(name, str):
            name = tuple(arguments.listed("Metric", "name", name, "('head.acceleration.x',)"))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", {**(options or {}), **more})
        if isinstance(function, str):
            METRICS.element(function, "metric").check(self)
        elif name or self.options:
            raise ArgumentError("Metric: a function takes the run alone; give a name of METRICS")

    @property
    def unit(self):  # type: ignore[override]
        return METRICS[self.function].unit if isinstance(self.function, str) else ""

    def signal(self):
        return ""

    def signals(self):
        if not isinstance(self.function, str):
            return ()
        names = (self.name,) if isinstance(self.name, str) else self.name
        return (*names, *METRICS[self.function].speed_signals(self))

    def evaluate_runs(self, runs: Runs):
        """Values of all runs.  A run that fails gets NaN and a note."""
        values = np.full(len(runs), np.nan)
        compute = self._number_function(runs)
        for i in runs.there:
            try:
                values[i] = compute(i)
            except Exception as e:  # of one run: the others have their numbers
                message = str(e) if isinstance(e, TorseurError) else f"{type(e).__name__}: {e}"
                runs.notes.setdefault(int(i), []).append(message)
        return values

    def _number_function(self, runs: Runs) -> Callable[[int], float]:
        """Function from the index of a run to its number."""
        function = self.function
        if not isinstance(function, str):
            single_run: Any = runs.alone
            return lambda i: float(function(single_run(i)))
        metric, columns = METRICS[function], [runs[n] for n in self.signals()]
        names = (self.name,) if isinstance(self.name, str) else self.name

        def compute(i: int) -> float:
            rows = slice(runs.cuts[i], runs.cuts[i + 1])
            messages = (describe_missing_impulse(runs, i, n) for n in names)
            if message := next(filter(None, messages), ""):
                raise ArgumentError(f"metric {function!r}: {message}")
            return metric(self, runs.time[rows], [x[rows] for x in columns])

        return compute

    def slope(self, run: Any, name: str):
        """Derivative from those of the rows, by Richardson extrapolation, without another run."""
        if not isinstance(self.function, str):
            function: Any = self.function
            return richardson_derivative(
                lambda h: float(function(PerturbedRun(run, name, h))),
                state_difference_step(run, name),
            )
        return METRICS[self.function].slope(self, run, name)

    def to_data(self):
        if not isinstance(self.function, str):
            raise ArgumentError(
                "study: a store cannot hold a function; use the name of a metric "
                f"({', '.join(METRICS)}), leave out store=, or keep the signal and compute "
                "from study['...']"
            )
        return super().to_data()
