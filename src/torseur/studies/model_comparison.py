"""`compare_models`: models of different complexity against one test, side by side."""

from __future__ import annotations

import time as clock
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import crash
from ..errors import ArgumentError, NotInstalled, TorseurError, needs, system_of, unknown_name
from ..model import Model
from ..results import Trajectory
from ..scalars import arguments
from ..simulation import simulate

if TYPE_CHECKING:
    import pandas

TIMED = 3  # runs of which the quickest is told


@dataclass(frozen=True)
class Comparison:
    """Models against a test: `table` has a row a model, `runs` their motions, by label."""

    table: pandas.DataFrame
    runs: dict[str, Trajectory] = field(repr=False)
    test: dict[str, tuple[np.ndarray, np.ndarray]] = field(repr=False)
    names: dict[str, dict[str, str]] = field(repr=False)

    def plot(self):
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
    """What each model makes of one test, and what it costs.

    Parameters
    ----------
    models : labels with models; with a model, names of its signals by channel where they differ
    test : channels with (times [s], values [SI]), such as `test.mean(93, 94)` of a crash test, or
        (run.time, run["body.speed"]) of a run, whose rows at an event have one time
    score : also the ISO 18571 score of every channel, where `torseur[crash]` is installed
    **options : of `ts.simulate`

    The table says of each model its bodies, speeds and force elements, of each channel the root
    mean square of the difference over that of the test, the peak over that of the test less one,
    how much later it comes [s], and the CPU time of a run [s].

    >>> import torseur as ts
    >>> def car(k): return ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...     joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),), initial={"x.speed": 1.0},
    ...     forces=(ts.JointForce("f", "x", ts.Spring(k)),))
    >>> t = np.linspace(0, 1, 101)
    >>> found = compare_models({"soft": car(1.0), "right": car(4.0)},
    ...                        {"x.displacement": (t, np.sin(2 * t) / 2)}, t_end=1.0, score=False)
    >>> bool(found.table["rms x.displacement"]["right"] < 1e-6)
    True
    """
    with needs("studies", "a table"):
        import pandas

    test = arguments.mapping("compare_models", "test", test, "{'x.speed': (times, values)}")
    models = arguments.mapping("compare_models", "models", models, "{'soft': model}")
    measured = {c: _curve(c, given) for c, given in test.items()}
    if not measured or not models:
        raise ArgumentError("compare_models: give models and at least one channel of a test")
    last = max(t[-1] for t, _ in measured.values())
    rows: dict[str, dict[str, float]] = {}
    runs: dict[str, Trajectory] = {}
    names: dict[str, dict[str, str]] = {}
    for label, given in models.items():
        model, own = given if isinstance(given, tuple) else (given, {})
        names[label] = {c: own.get(c, c) for c in measured}
        system = system_of(model, "compare_models")
        chosen = {"progress": False, **options}
        if "t_end" not in chosen and "t_end" not in model.simulation:
            chosen["t_end"] = last
        run, spent = _timed(system, chosen)
        bad = [
            unknown_name("signal", n, run.signals, f"compare_models, {label!r}")
            for n in names[label].values()
            if n not in run.units
        ]
        if bad:
            raise ArgumentError("\n".join(bad))
        if not run.completed:
            raise TorseurError(f"compare_models: {label!r}: {run.outcome}")
        runs[label] = run
        rows[label] = {
            "bodies": len(model.bodies),
            "speeds": system.nv,
            "forces": len(model.forces),
        }
        for channel, (t, y) in measured.items():
            rows[label] |= _against(channel, t, y, run, names[label][channel], score)
        rows[label]["CPU time"] = spent
    return Comparison(pandas.DataFrame(rows).T, runs, measured, names)


def _curve(channel, given) -> tuple[np.ndarray, np.ndarray]:
    try:
        t, y = (np.asarray(x, float).ravel() for x in given)
    except (TypeError, ValueError):
        raise ArgumentError(f"compare_models: {channel!r}: expected (times, values)") from None
    grows = len(t) == len(y) > 1 and (np.diff(t) >= 0).all() and t[-1] > t[0]
    if not grows or not np.isfinite([t, y]).all():
        raise ArgumentError(
            f"compare_models: {channel!r}: expected as many finite values as growing times, at "
            "least two"
        )
    last = np.append(np.diff(t) > 0, True)  # of rows of one time, as runs have them at events
    return t[last], y[last]


def _timed(system, options) -> tuple[Trajectory, float]:
    spent, run = np.inf, None
    for _ in range(TIMED):
        before = clock.process_time()
        run = simulate(system, **options)
        spent = min(spent, clock.process_time() - before)
    assert run is not None
    return run, spent


def _against(channel, t, y, run, name, score) -> dict[str, float]:
    """How a channel of a run differs from the test, over the time that both have."""
    both = t[(t >= run.time[0]) & (t <= run.time[-1])]
    if len(both) < 2:
        raise ArgumentError(f"compare_models: {channel!r}: the run and the test share no time")
    seen = y[: len(t)][(t >= run.time[0]) & (t <= run.time[-1])]
    made = np.interp(both, run.time, run[name])
    size = float(np.sqrt((seen**2).mean())) or 1.0
    i, j = int(abs(seen).argmax()), int(abs(made).argmax())
    out = {
        f"rms {channel}": float(np.sqrt(((made - seen) ** 2).mean())) / size,
        f"peak {channel}": float(abs(made[j]) / (abs(seen[i]) or 1.0) - 1.0),
        f"later {channel}": float(both[j] - both[i]),
    }
    if score:
        try:
            out[f"score {channel}"] = float(crash.score(both, seen, made))
        except NotInstalled:
            pass
        except ArgumentError:
            out[f"score {channel}"] = np.nan
    return out
