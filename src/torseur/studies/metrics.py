"""What is kept of a member: numbers, times of events, signals at times."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from .. import crash, robots
from ..errors import ArgumentError, TorseurError, misfit, said, unknown_name
from ..register import Register
from ..results import Runs, Trajectory
from ..scalars import arguments as asked
from .impulses import lacking, unstruck, without_struck
from .metric_derivatives import PART, MovedRun, directional, reach, step_of
from .peak_interpolation import NEAR, SampledRows, Tops

# --------------------------------------------------------------------------------------------
# Metrics of crash and of robots as measures of a study: one number of a curve, by name.


LATER = 0.1 * NEAR / PART  # [s] so that no jump moves past a sample
METRICS: Register = Register("metric")


@dataclass(frozen=True)
class CurveMetric:
    """One number of a curve: `compute(time, values, **options)`; `speed` of its body if it asks.

    `even`: of samples at even times and beside jumps, else of the rows; `counted`: it is a number
    of samples, which has no derivative; `apart`: it takes each of its signals, such as ax, ay and
    az, and not the size of all.
    """

    compute: Callable[..., Any]
    unit: str = ""
    speed: bool = False
    even: bool = True
    counted: bool = False
    apart: bool = False
    needs: tuple[str, ...] = ()

    def check(self, asked: Metric) -> None:
        """Problems of what was asked for."""
        lacking = [n for n in self.needs if n not in asked.options]
        if not asked.name or lacking:
            needed = f"{lacking[0]}=" if lacking else "the name of a signal"
            raise ArgumentError(f"metric {asked.function!r}: give {needed}")

    def more(self, asked: Metric) -> tuple[str, ...]:
        """Further signals that it reads: velocities of the body whose pulse it is."""
        names = (asked.name,) if isinstance(asked.name, str) else asked.name
        owner = names[0].rsplit(".", 2)[0]
        before = "xyz" if self.speed and "speed" not in asked.options else ""
        return tuple(f"{owner}.velocity.{c}" for c in before)

    def __call__(self, asked: Metric, time: np.ndarray, columns: list[np.ndarray]) -> float:
        """Of the rows of a run."""
        return self._number(asked, time, columns, SampledRows(time, self._values(asked, columns)))

    def _values(self, asked: Metric, columns: list[np.ndarray]) -> list[np.ndarray]:
        own = columns[: self._own(asked)]
        return own if self.apart else [_size(own)]

    def _number(self, asked: Metric, time, columns, read: SampledRows) -> float:
        values = self._values(asked, columns)
        if self.even:
            time, values = read.times(time), [read.values(time, x) for x in values]
        options = dict(asked.options)
        if self.speed and "speed" not in options:
            first = self._own(asked)
            options["speed"] = float(np.linalg.norm([x[0] for x in columns[first : first + 3]]))
        try:
            return float(self.compute(time - time[0] * self.even, *values, **options))
        except TypeError as e:
            told = said(e, misfit(self.compute, options, 1 + len(values)))
            raise ArgumentError(f"metric {asked.function!r}: {told}") from None

    def _own(self, asked: Metric) -> int:
        return 1 if isinstance(asked.name, str) else len(asked.name)

    def slope(self, asked: Metric, run: Any, name: str) -> float:
        """Derivative along those of the rows: SE.9."""
        if self.counted:
            raise ArgumentError(
                f"metric {asked.function!r} is a number of samples, and has no derivative"
            )
        names = asked.signals()
        columns = [run[n] for n in names]
        for n in names[: self._own(asked)]:
            unstruck(run, n, f"metric {asked.function!r}")
        moved = [run.sensitivity(n, name, along_rows=True) for n in names]
        later, read = (
            run.sensitivity("time", name),
            SampledRows(run.time, self._values(asked, columns)),
        )

        def at(h):
            time = np.maximum.accumulate(run.time + h * later)
            there = [x + h * d for x, d in zip(columns, moved, strict=True)]
            return self._number(asked, time, there, read)

        near = (np.array([LATER]), later)
        return directional(at, step_of([*zip(columns, moved, strict=True), near]))


def _size(columns: list[np.ndarray]) -> np.ndarray:
    """One signal, or the size of several."""
    return columns[0] if len(columns) == 1 else np.sqrt(sum(x * x for x in columns))


def _step(what: str) -> Callable[..., float]:
    def compute(time, values, target, band=0.02):
        return getattr(robots.step_metrics(time, values, target, band=band), what)

    return compute


def _integral(time, values):
    return np.trapezoid(values, time)


for _name, _made in {
    "hic": CurveMetric(crash.hic, "g^2.5 s"),
    "clip_3ms": CurveMetric(crash.clip_3ms, "m/s^2"),
    "delta_v": CurveMetric(crash.delta_v, "m/s"),
    "vpi": CurveMetric(crash.vpi, "m/s^2"),
    "asi": CurveMetric(crash.asi, "1", apart=True),
    "thiv": CurveMetric(crash.thiv, "m/s", apart=True),
    "phd": CurveMetric(lambda *given, **told: crash.thiv(*given, **told).phd, "m/s^2", apart=True),
    "kw400": CurveMetric(
        lambda time, *given, **told: crash.kw400(*given, **told), "N/m", even=False, apart=True
    ),
    "pulse_duration": CurveMetric(crash.pulse_duration, "s", counted=True),
    "olc": CurveMetric(crash.olc, "m/s^2", speed=True),
    "crush": CurveMetric(crash.crush, "m", speed=True),
    "restitution": CurveMetric(crash.restitution, "1", speed=True),
    "rise_time": CurveMetric(_step("rise_time"), "s", even=False, needs=("target",)),
    "settling_time": CurveMetric(_step("settling_time"), "s", even=False, needs=("target",)),
    "overshoot": CurveMetric(_step("overshoot"), "1", even=False, needs=("target",)),
    "integral": CurveMetric(_integral, even=False),
}.items():
    METRICS.named(_name)(_made)


LEVEL, ALIKE = 1e-12, 1e-5  # of a signal: rows as large as each other; of its slopes: no change

MEASURES: Register = Register("measure")


class Measure(abc.ABC):
    """A function from runs to a number each, or to one number a time of `at`."""

    unit = ""  # of a measure whose unit is not that of its signal
    of_end = False  # whether it reads no row but the last

    def times(self) -> np.ndarray:
        """Times at which the run must have a row [s]."""
        return np.empty(0)

    def reads(self) -> str:
        """The signal that it reads; none for some."""
        return getattr(self, "name", "")

    def signals(self) -> tuple[str, ...]:
        """All signals that it reads."""
        return (self.reads(),) if self.reads() else ()

    def rows(self, even: np.ndarray) -> Measure:
        """The same, told the rows that every run has."""
        return self

    def shape(self) -> tuple[int, ...]:
        """Shape of what is kept of one member."""
        return ()

    @property
    def sloped(self) -> bool:
        """Whether it has a `slope`."""
        return type(self).slope is not Measure.slope

    def slope(self, run: Trajectory, name: str) -> Any:
        """Its derivative by a number whose sensitivities the run carries, of the same shape."""
        raise ArgumentError(f"{type(self).__name__} has no exact slope")

    @abc.abstractmethod
    def over(self, runs: Runs) -> np.ndarray:
        """Values of all runs at once, (runs, *shape); NaN where one does not exist."""

    def facts(self) -> dict[Any, Any]:
        """As data, for a store."""
        own = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"measure": type(self).__name__, **own}


def from_facts(facts: dict[Any, Any]) -> Measure:
    """A measure from its data.

    >>> from_facts({"measure": "Final", "name": "x.displacement"})
    Final(name='x.displacement')
    """
    own = dict(facts)
    return MEASURES.element(own.pop("measure"), "study")(**own)


@MEASURES
@dataclass(frozen=True)
class Peak(Measure):
    """Largest value of a signal: by size ("abs"), "max" or "min".

    Also between rows, by a curve through the nearest five; of rows too few for their curves to
    agree it is the largest row.
    """

    name: str
    by: str = "abs"

    def __post_init__(self):
        if self.by not in ("abs", "max", "min"):
            raise ArgumentError(
                unknown_name("kind of peak", self.by, ("abs", "max", "min"), "Peak")
            )

    def over(self, runs):
        sign, x = self._upwards(runs[self.name])
        found = runs.reduced(np.maximum, np.abs(x) if self.by == "abs" else x)
        tops = Tops(runs.time, x, runs.cuts[runs.there], self.by == "abs")
        np.maximum.at(found, runs.there[tops.run], tops.value)
        return without_struck(runs, self.name, "peak", sign * found)

    def slope(self, run, name):
        unstruck(run, self.name, "peak")
        sign, x = self._upwards(run[self.name])
        moved = run.sensitivity(self.name, name, along_rows=True)
        size = np.abs(x) if self.by == "abs" else x
        i = int(size.argmax())
        tops = Tops(run.time, x, np.zeros(1, int), self.by == "abs")
        if not len(tops.value) or tops.value.max() < size[i]:
            turned = (np.sign(x) if self.by == "abs" else sign) * moved
            alike = size >= size[i] - LEVEL * abs(size[i])
            if np.ptp(turned[alike]) > ALIKE * abs(moved).max():
                raise TorseurError(
                    f"sensitivity of the peak of {self.name!r} by {name!r}: {alike.sum()} rows are "
                    "as large as each other and change otherwise, so that its derivatives to one "
                    "side and to the other differ; ask for a row of the signal instead"
                )
            return float(turned[i])
        later = run.sensitivity("time", name)
        return sign * tops.moved(int(tops.value.argmax()), sign * moved, later)

    def _upwards(self, x):
        """The signal so that its largest value is asked for, and how it was turned."""
        return (-1.0, -x) if self.by == "min" else (1.0, x)


@MEASURES
@dataclass(frozen=True)
class Final(Measure):
    """Value of a signal at the end of the run."""

    name: str
    of_end = True

    def over(self, runs):
        out = np.full(len(runs), np.nan)
        out[runs.there] = runs.end(self.name)
        return out

    def slope(self, run, name):
        return float(run.sensitivity(self.name, name, along_rows=True)[-1])


@MEASURES
@dataclass(frozen=True)
class Mean(Measure):
    """Mean of a signal over the time of the run."""

    name: str

    def over(self, runs):
        return without_struck(runs, self.name, "mean", runs.mean(runs[self.name]))

    def slope(self, run, name):
        unstruck(run, self.name, "mean")
        moved = run.sensitivity(self.name, name, along_rows=True)
        return _mean_slope(run, name, run[self.name], moved)


@MEASURES
@dataclass(frozen=True)
class RMS(Measure):
    """Root of the mean square of a signal over the time of the run."""

    name: str

    def over(self, runs):
        size = np.sqrt(runs.mean(runs[self.name] ** 2))
        return without_struck(runs, self.name, "rms", size)

    def slope(self, run, name):
        unstruck(run, self.name, "rms")
        x = run[self.name]
        moved = run.sensitivity(self.name, name, along_rows=True)
        span = run.time[-1] - run.time[0]
        size = np.sqrt(np.trapezoid(x**2, run.time) / span)
        return _mean_slope(run, name, x**2, 2 * x * moved) / (2 * size) if size else 0.0


def _mean_slope(run, name, x, moved) -> float:
    """Of the mean over time by trapezoids: rows at events move, the last one of a stop too."""
    t, dt = run.time, run.sensitivity("time", name)
    span, area = t[-1] - t[0], np.trapezoid(x, t)
    change = np.trapezoid(moved, t) + 0.5 * ((x[1:] + x[:-1]) * np.diff(dt)).sum()
    return float((change - area / span * (dt[-1] - dt[0])) / span)


@MEASURES
@dataclass(frozen=True, init=False)
class SignalAt(Measure):
    """A signal at given times [s]: rows of the run itself, nothing is interpolated.

    Without times at all even rows of the run, `output=` of them.
    """

    name: str
    at: tuple[Any, ...]

    def __init__(self, name: str, at: Any = ()):
        object.__setattr__(self, "name", name)
        times = asked.numbers("SignalAt", "at", () if at is None else at, "s")
        object.__setattr__(self, "at", tuple(times.ravel().tolist()))

    def rows(self, even):
        return self if self.at else SignalAt(self.name, even)

    def times(self):
        return np.array(self.at)

    def shape(self):
        return (len(self.at),)

    def over(self, runs):
        return runs.at(runs[self.name], np.array(self.at))

    def slope(self, run, name):
        rows = np.searchsorted(run.time, self.at, side="right") - 1
        return run.sensitivity(self.name, name)[rows]


@MEASURES
@dataclass(frozen=True)
class EventTime(Measure):
    """Time of the first event of a name [s]; NaN where it did not happen."""

    name: str
    unit = "s"

    def reads(self):
        return ""

    def over(self, runs):
        return runs.first_event(self.name)

    def slope(self, run, name):
        there = any(e.name == self.name for e in run.events)
        return float(run.sensitivity(self.name, name)[0]) if there else np.nan


@MEASURES
@dataclass(frozen=True, init=False)
class Metric(Measure):
    """A number that a function makes of the run.

    By name, of a signal or of the size of several: `ts.studies.Metric("hic", "head.acceleration.x",
    window=0.036)`; names are those of `METRICS`, of crash and of robots.  Or any function of a
    `Trajectory`, which is not kept in a store.
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
        object.__setattr__(self, "function", function)
        if not isinstance(name, str):
            name = tuple(asked.listed("Metric", "name", name, "('head.acceleration.x',)"))
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "options", {**(options or {}), **more})
        if isinstance(function, str):
            METRICS.element(function, "metric").check(self)
        elif name or self.options:
            raise ArgumentError("Metric: a function of one's own takes the run alone")

    @property
    def unit(self):  # type: ignore[override]
        return METRICS[self.function].unit if isinstance(self.function, str) else ""

    def reads(self):
        return ""

    def signals(self):
        if not isinstance(self.function, str):
            return ()
        own = (self.name,) if isinstance(self.name, str) else self.name
        return (*own, *METRICS[self.function].more(self))

    def over(self, runs):
        out = np.full(len(runs), np.nan)
        one = self._one(runs)
        for i in runs.there:
            try:
                out[i] = one(i)
            except Exception as e:  # of one member: its row says so, the others have theirs
                told = str(e) if isinstance(e, TorseurError) else f"{type(e).__name__}: {e}"
                runs.notes.setdefault(int(i), []).append(told)
        return out

    def _one(self, runs: Runs) -> Callable[[int], float]:
        """The number of one of the runs."""
        function = self.function
        if not isinstance(function, str):
            alone: Any = runs.alone
            return lambda i: float(function(alone(i)))
        made, columns = METRICS[function], [runs[n] for n in self.signals()]
        names = (self.name,) if isinstance(self.name, str) else self.name

        def one(i: int) -> float:
            own = slice(runs.cuts[i], runs.cuts[i + 1])
            told = [t for n in names if (t := lacking(runs, i, n))]
            if told:
                raise ArgumentError(f"metric {function!r}: {told[0]}")
            return made(self, runs.time[own], [x[own] for x in columns])

        return one

    def slope(self, run, name):
        """Along the derivatives of the rows, by Richardson's rule: the curve itself is not run."""
        if not isinstance(self.function, str):
            own: Any = self.function
            return directional(lambda h: float(own(MovedRun(run, name, h))), reach(run, name))
        return METRICS[self.function].slope(self, run, name)

    def facts(self):
        if not isinstance(self.function, str):
            raise ArgumentError(
                "study: a function of one's own cannot be written to a store; use the name of one "
                f"({', '.join(METRICS)}), keep it without store=, or keep the signal and compute "
                "from study['...']"
            )
        return super().facts()
