"""Comparison of models with one test: errors, peaks, ISO 18571 scores and CPU time."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import crash
from ..errors import (
    ArgumentError,
    NotInstalled,
    TorseurError,
    as_system,
    needs,
    unknown_name_message,
)
from ..model import Model
from ..results import Trajectory
from ..scalars import arguments
from ..signal_processing import check_record
from ..simulation import simulate
from ..system import System

if TYPE_CHECKING:
    import pandas

TIMING_RUNS = 3  # of which the fastest counts


@dataclass(frozen=True)
class Comparison:
    """Result of `compare_models`: `table` has one row a model, `runs` their motions, by label."""

    table: pandas.DataFrame
    runs: dict[str, Trajectory] = field(repr=False)
    test: dict[str, tuple[np.ndarray, np.ndarray]] = field(repr=False)
    names: dict[str, dict[str, str]] = field(repr=False)

    def plot(self) -> Any:
        """Measured (gray) and computed curves, one panel a channel; a Matplotlib figure."""
        with needs("plot", "a figure"):
            from matplotlib.figure import Figure

        fig = Figure(figsize=(6.8, 2.7 * len(self.test)), layout="constrained")
        axes = np.ravel(fig.subplots(len(self.test), 1, squeeze=False))
        for ax, (channel, (t, y)) in zip(axes, self.test.items(), strict=True):
            ax.plot(t, y, color="0.6", lw=3, label="test")
            for label, run in self.runs.items():
                ax.plot(run.time, run[self.names[label][channel]], label=label)
            ax.set_xlabel("time [s]")
            ax.set_ylabel(channel)
        axes[0].legend()
        return fig


def compare_models(
    models: Mapping[str, Model | tuple[Model, Mapping[str, str]]],
    test: Mapping[str, tuple[Any, Any]],
    *,
    score: bool = True,
    **options: Any,
) -> Comparison:
    """Compare models of different complexity with one test.

    Parameters
    ----------
    models : labels with models; with a model, names of its signals by channel where they differ
    test : channels with (times [s], values [SI]), such as `test.mean(93, 94)` of a crash test, or
        (run.time, run["body.speed"]) of a run, whose rows at an event have one time
    score : also the ISO 18571 score of every channel, where `torseur[crash]` is installed
    **options : of `ts.simulate`

    The table has bodies, speeds and force elements of each model.  For each channel it has the root
    mean square of the difference over that of the test, the peak over that of the test minus one,
    and the delay of the peak [s].  It also has the CPU time of a run [s].

    >>> import torseur as ts
    >>> def car(k): return ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...     joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),), initial={"x.speed": 1.0},
    ...     forces=(ts.JointForce("f", "x", ts.Spring(k)),))
    >>> t = np.linspace(0, 1, 101)
    >>> result = compare_models({"soft": car(1.0), "right": car(4.0)},
    ...                         {"x.displacement": (t, np.sin(2 * t) / 2)}, t_end=1.0, score=False)
    >>> bool(result.table["rms x.displacement"]["right"] < 1e-6)
    True
    """
    with needs("studies", "a table"):
        import pandas

    test = arguments.mapping("compare_models", "test", test, "{'x.speed': (times, values)}")
    models = arguments.mapping("compare_models", "models", models, "{'soft': model}")
    measured = {c: _read_channel(c, record) for c, record in test.items()}
    if not measured or not models:
        raise ArgumentError("compare_models: give models and at least one channel of a test")
    end = max(t[-1] for t, _ in measured.values())
    rows: dict[str, dict[str, float]] = {}
    runs: dict[str, Trajectory] = {}
    names: dict[str, dict[str, str]] = {}
    for label, entry in models.items():
        model, signals = entry if isinstance(entry, tuple) else (entry, {})
        names[label] = {c: signals.get(c, c) for c in measured}
        system = as_system(model, "compare_models")
        run_options = {"progress": False, **options}
        if "t_end" not in run_options and "t_end" not in model.simulation:
            run_options["t_end"] = end
        run, cpu_time = _measure_run(system, run_options)
        problems = [
            unknown_name_message("signal", n, run.signals, f"compare_models, {label!r}")
            for n in names[label].values()
            if n not in run.units
        ]
        if problems:
            raise ArgumentError("\n".join(problems))
        if not run.completed:
            raise TorseurError(f"compare_models: {label!r}: {run.outcome}")
        runs[label] = run
        rows[label] = {
            "bodies": len(model.bodies),
            "speeds": system.nv,
            "forces": len(model.forces),
        }
        for channel, (t, y) in measured.items():
            rows[label] |= _compare_channel(channel, t, y, run, names[label][channel], score)
        rows[label]["CPU time"] = cpu_time
    return Comparison(pandas.DataFrame(rows).T, runs, measured, names)


def _read_channel(channel: str, record: Any) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of a channel.  Of several time points at an event the last one is used."""
    try:
        time, values = (np.ravel(x) for x in record)
    except (TypeError, ValueError):
        raise ArgumentError(f"compare_models: {channel!r}: expected (times, values)") from None
    t, y = check_record(f"compare_models: {channel!r}", time, values, equal_times=True)
    is_last = np.append(np.diff(t) > 0, True)
    return t[is_last], y[is_last]


def _measure_run(system: System, options: Mapping[str, Any]) -> tuple[Trajectory, float]:
    """A run and its CPU time [s]."""
    cpu_time, run = np.inf, None
    for _ in range(TIMING_RUNS):
        before = clock.process_time()
        run = simulate(system, **options)
        cpu_time = min(cpu_time, clock.process_time() - before)
    assert run is not None
    return run, cpu_time


def _compare_channel(
    channel: str, t: np.ndarray, y: np.ndarray, run: Trajectory, name: str, score: bool
) -> dict[str, float]:
    """Differences of a channel from the test, over the time that both have."""
    shared = (t >= run.time[0]) & (t <= run.time[-1])
    if shared.sum() < 2:
        raise ArgumentError(f"compare_models: {channel!r}: the run and the test share no time")
    time, measured = t[shared], y[shared]
    computed = np.interp(time, run.time, run[name])
    size = float(np.sqrt((measured**2).mean())) or 1.0
    i, j = int(abs(measured).argmax()), int(abs(computed).argmax())
    result = {
        f"rms {channel}": float(np.sqrt(((computed - measured) ** 2).mean())) / size,
        f"peak {channel}": float(abs(computed[j]) / (abs(measured[i]) or 1.0) - 1.0),
        f"later {channel}": float(time[j] - time[i]),
    }
    if score:
        try:
            result[f"score {channel}"] = float(crash.score(time, measured, computed))
        except NotInstalled:
            pass
        except ArgumentError:
            result[f"score {channel}"] = np.nan
    return result
