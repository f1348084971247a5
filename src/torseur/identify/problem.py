"""What a fit is made of: runs of each test, residuals in standard deviations, derivatives.

Theory: ID.11, ID.12.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError, ModelWarning
from ..model import paths
from ..simulation import Tally, obeyed, simulate
from .experiment import Experiment, FreeNumbers

LOST = 1e3  # residual, in sigmas, of a run that did not reach its end
SETTLED = 0.9  # periods of a channel class's limit that a filter needs at a cut end


def model_of(experiment):
    """The model of an experiment, as a description."""
    return experiment.model.model if hasattr(experiment.model, "links") else experiment.model


class Trial:
    """One experiment with its free numbers as parameters of one compiled system."""

    def __init__(self, experiment: Experiment, free: FreeNumbers):
        self.experiment, names = experiment, free.names
        model = free.levelled(model_of(experiment))
        if experiment.initial is not None:
            model = replace(model, initial={**experiment.initial})
        self.starts = [n for n in names if n in model.initial]
        self.start = dict(model.initial)
        inner = [n for n in names if n not in model.initial]
        model, self.parameter = paths.parametrised(model, inner)
        with warnings.catch_warnings(action="ignore", category=ModelWarning):
            self.system = model.check()
        unknown = [n for n in experiment.measured if not _has(self.system, n)]
        if unknown:
            raise ArgumentError(
                f"fit: the model {model.name!r} has no signal {', '.join(map(repr, unknown))}"
            )
        self.names = tuple(names)
        self.asked: tuple[Any, ...] = tuple(self.parameter.get(n, n) for n in names)
        self.rows = {n: experiment.rows(n) for n in experiment.measured}
        times = [
            experiment.measured[n][0]
            if experiment.channel_class(n) is not None
            else self.rows[n][0]
            for n in experiment.measured
        ]
        start = float(experiment.options.get("t_start", 0.0))
        grid = np.unique(np.concatenate(times))
        self.grid = grid[(grid >= start) & (grid <= experiment.t_end)]
        if not len(self.grid):
            raise ArgumentError("fit: no measured time lies between start and end of the run")

    def run(self, x, sensitive: bool, rtol: float, part: float = 1.0):
        """The motion with numbers x, or its first part."""
        until = self.until(part)
        given = dict(zip(self.names, map(float, x), strict=True))
        start = {**self.start} | {n: given[n] for n in self.starts}
        run = simulate(
            self.system,
            until,
            initial=start or None,
            parameters={p: given[n] for n, p in self.parameter.items()},
            output=self.grid[self.grid <= until],
            rtol=rtol,
            progress=False,
            sensitivities=self.asked if sensitive else (),
            judge_sensitivities=False,  # the same motion with and without them
            **self.experiment.options,
        )
        return obeyed(run)

    def until(self, part: float) -> float:
        """End of the first part of the run: at least eight wanted times."""
        if part >= 1 and self.experiment.t_end is not None:
            return self.experiment.t_end
        end = self.grid[0] + part * (self.grid[-1] - self.grid[0])
        return float(max(end, self.grid[min(7, len(self.grid) - 1)]))

    def times(self, name, part: float) -> np.ndarray:
        """Which measured times are compared, of the first part: not those that a filter's cut end
        disturbs."""
        t, kind = self.rows[name][0], self.experiment.channel_class(name)
        if part >= 1:
            return np.ones(len(t), bool)
        return t <= self.until(part) - (0.0 if kind is None else SETTLED / kind)

    def measured(self, name, part: float = 1.0) -> np.ndarray:
        """Measured values that are compared, of the first part."""
        return self.rows[name][1][self.times(name, part)]

    def compared(self, run, name, part=1.0) -> tuple[np.ndarray, np.ndarray | None]:
        """A signal and its derivatives at the compared times."""
        e, t = self.experiment, self.rows[name][0][self.times(name, part)]
        grid = self.grid if part >= 1 else self.grid[self.grid <= self.until(part)]
        at = np.searchsorted(run.time, grid, side="right") - 1
        whole: Any = sum(run[one] for one in _parts(name))
        y, D = whole[at], None
        if run._slopes is not None:
            slopes: Any = (sum(run.sensitivity(x, n) for x in _parts(name)) for n in self.asked)
            D = np.stack([x[at] for x in slopes], axis=1)
        if e.channel_class(name) is not None:
            y = e.filtered(name, grid, y)
            D = None if D is None else e.filtered(name, grid, D)
        keep = np.searchsorted(grid, t)
        return y[keep], None if D is None else D[keep]


def _has(system, name) -> bool:
    from ..quantities import signal_units

    known = {*system.coordinates, *system.speeds, *signal_units(system)}
    return all(part in known for part in _parts(name))


def _parts(name) -> list[str]:
    """Signals whose sum was measured."""
    return [part.strip() for part in name.split(" + ")]


class Problem:
    """Residuals in standard deviations, and their derivatives, over all experiments."""

    def __init__(self, experiments, free: FreeNumbers, rtol: float):
        self.experiments, self.free, self.rtol = experiments, free, rtol
        self.trials = [Trial(e, free) for e in experiments]
        self.known = all(n in e.sigma for e in experiments for n in e.measured)
        self.scale = free.scale
        self.evaluations, self.part = 0, 1.0
        self.tally = Tally("fit: runs")
        self._last: tuple | None = None

    def sigma(self, trial, name) -> float:
        """Of a signal: as told, or its spread."""
        told = trial.experiment.sigma.get(name)
        spread = float(np.std(trial.rows[name][1])) or 1.0
        return (told or spread) / trial.experiment.weight**0.5

    def _parts(self, x):
        """(residuals, derivatives) of measurements."""
        self.evaluations += 1
        rs, Ds = [], []
        for trial in self.trials:
            try:
                run = trial.run(x, True, self.rtol, self.part)
            except ModelError:  # numbers that no such model may have: a search goes no further
                run = None
            if run is not None:
                run._slopes.forgiving = True  # `Fit.one_sided` tells where it ends
            self.tally.add()
            for name in trial.rows:
                s, measured = self.sigma(trial, name), trial.measured(name, self.part)
                y: Any = np.nan
                D: Any = np.nan
                if run is not None and run.completed:
                    y, D = trial.compared(run, name, self.part)
                if not (np.isfinite(y).all() and np.isfinite(D).all()):
                    y, D = measured + LOST * s, np.zeros((len(measured), len(x)))
                rs.append((y - measured) / s)  # ID.11
                Ds.append(D / s)
        return np.concatenate(rs), np.concatenate(Ds)

    def at(self, u):
        """Residuals and derivatives of everything at scaled numbers u, remembered once."""
        key = np.append(u, self.part)
        if self._last is None or not np.array_equal(self._last[0], key):
            x = u * self.scale
            r, D = self._parts(x)
            pr, pD = self.beliefs(x)
            r, D = np.concatenate([r, pr]), np.concatenate([D, pD])
            self._last = (key, r, D * self.scale)
        return self._last[1:]

    def beliefs(self, x) -> tuple[np.ndarray, np.ndarray]:
        """Rows of priors and smoothness."""
        n, r, D = len(x), [], []
        for i, value, sigma in self.free.priors:
            row = np.zeros(n)
            row[i] = 1 / sigma
            r.append((x[i] - value) / sigma)
            D.append(row)
        for (a, b, c), weight in self.free.smooth:
            mean = float(np.mean(abs(self.free.start[[a, b, c]]))) or 1.0
            row = np.zeros(n)
            row[[a, b, c]] = np.array([1.0, -2.0, 1.0]) * weight / mean
            r.append(float(row @ x))  # ID.12
            D.append(row)
        return np.array(r), np.array(D).reshape(len(r), n)
