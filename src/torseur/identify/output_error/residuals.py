"""What a fit is made of: runs of each test, residuals in standard deviations, derivatives.

Theory: ID.11, ID.12.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import ArgumentError, IntegrationError, ModelError, ModelWarning, unknown_name
from ...model import field_paths
from ...scalars import digest
from ...signals import signal_units
from ...simulation import Tally, obeyed, simulate
from ...system import start_of
from .experiment import Experiment, si
from .parameters import FreeNumbers, leveled, with_starts
from .state_resets import Lead, Steering

LOST = 1e3  # residual, in sigmas, of a run that did not reach its end
LEAST = 8  # times that a part of a run has
SETTLED = 0.9  # periods of a channel class's limit that a filter needs at a cut end


def model_of(experiment):
    """The model of an experiment, as a description."""
    return experiment.model.model if hasattr(experiment.model, "links") else experiment.model


def told(experiment, curves=()):
    """The model of an experiment with the start that was told, as it was told; last slopes of free
    curves do not fall."""
    model, initial = leveled(model_of(experiment), curves), experiment.initial
    return model if initial is None else replace(model, initial={**initial})


def started(experiment, curves):
    """The same with its start in SI, by the names of coordinates and speeds."""
    model = told(experiment, curves)
    return replace(model, initial=start_of(model.check())[0]) if model.initial else model


_SYSTEMS: dict[tuple[str, str], Any] = {}  # of the last fits, with the kernels they hold
KEPT = 8


def _alike(system, told: set[str]):
    """A system of an earlier fit that differs in parameters alone that every run is told: its
    kernels are compiled already; else this one."""
    blank = {n: 0.0 if n in told else x for n, x in system.parameters.items()}
    words = repr(replace(system.model, parameters=blank))
    found = _SYSTEMS.setdefault((digest(replace(system, parameters=blank)), words), system)
    while len(_SYSTEMS) > KEPT:
        _SYSTEMS.pop(next(iter(_SYSTEMS)))
    return found


class Trial:
    """One experiment with its free numbers as parameters of one compiled system."""

    def __init__(self, experiment: Experiment, free: FreeNumbers):
        self.experiment, names = experiment, free.names
        model = with_starts(started(experiment, free.curves), names)
        self.starts = [n for n in names if n in model.initial]
        self.start = dict(model.initial)
        inner = [n for n in names if n not in model.initial]
        model, self.parameter = field_paths.parametrized(model, inner)
        with warnings.catch_warnings(action="ignore", category=ModelWarning):
            bare = replace(model, initial={})  # runs are told their start: one system for all
            self.system = _alike(bare.check(), {*self.parameter.values()})
        own = signal_units(self.system)
        every = {one for n in experiment.measured for one in parts(n)}
        unknown = sorted(every - {*own, *self.system.coordinates, *self.system.speeds})
        where = f"fit, model {model.name!r}"
        problems = [unknown_name("signal", n, own, where) for n in unknown]
        self.sigma = {}
        for n, s in experiment.sigma.items():
            try:
                self.sigma[n] = si(s, own.get(parts(n)[0]), f"fit, sigma of {n!r}")
            except ArgumentError as e:
                problems.append(str(e))
        if problems:
            raise ArgumentError("\n".join(problems))
        self.names = tuple(names)
        self.asked: tuple[Any, ...] = tuple(self.parameter.get(n, n) for n in names)
        self.rows = {n: experiment.rows(n) for n in experiment.measured}
        kept = (
            self.rows[n][0] if experiment.channel_class(n) is None else experiment.record(n)[0]
            for n in experiment.measured
        )
        self.grid = np.unique(np.concatenate([*kept]))

    @cached_property
    def passed(self) -> dict[str, float]:
        """Squares of the noise of each signal that filters let through, in its variances: ID.13."""
        return {n: self.experiment.left_by_filter(n) for n in self.rows}

    @cached_property
    def lead(self) -> Lead:
        """What was measured of the motion, for runs that are led along it."""
        return Lead(self)

    def run(self, x, sensitive: bool, rtol: float, part: float = 1.0, led: Any = None):
        """The motion with numbers x, or its first part; led along the measured one, or free."""
        until = self.until(part)
        given = dict(zip(self.names, map(float, x), strict=True))
        start = {**self.start} | {n: given[n] for n in self.starts}
        options = {**self.experiment.options}
        run = simulate(
            self.system,
            until,
            initial=start or None,
            parameters={**options.pop("parameters", {})}
            | {p: given[n] for n, p in self.parameter.items()},
            output=self.wanted(part),
            rtol=rtol,
            progress=False,
            sensitivities=self.asked if sensitive else (),
            judge_sensitivities=False,  # the same motion with and without them
            control=led,
            period=led and self.lead.period,
            **options,
        )
        return obeyed(run)

    def until(self, part: float) -> float:
        """End of the first part of the run: at least `LEAST` wanted times."""
        if part >= 1:
            return self.experiment.end
        end = self.grid[0] + part * (self.grid[-1] - self.grid[0])
        return float(max(end, self.grid[min(LEAST, len(self.grid)) - 1]))

    def wanted(self, part: float) -> np.ndarray:
        """Times of the rows of the first part."""
        return self.grid if part >= 1 else self.grid[self.grid <= self.until(part)]

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

    def compared(self, run, name, part=1.0, led: Steering | None = None):
        """A signal and its derivatives at the compared times, what leading did taken away."""
        e, t = self.experiment, self.rows[name][0][self.times(name, part)]
        grid = self.wanted(part)
        at = np.searchsorted(run.time, grid, side="right") - 1
        whole: Any = sum(run[one] for one in parts(name))
        y, D = whole[at], None
        if run._slopes is not None:
            slopes: Any = (sum(run.sensitivity(x, n) for x in parts(name)) for n in self.asked)
            D = np.stack([x[at] for x in slopes], axis=1)
            if led is not None:
                taken: Any = sum(led.taken(x, grid) for x in parts(name))
                order = run._slopes.directions.order
                y = y - taken[:, 0]  # ID.26
                D = D - taken[:, [1 + order.index(n) for n in self.asked]]
        if e.channel_class(name) is not None:  # at the samples that were measured, all of them
            own = e.record(name)[0]
            own = own[own <= grid[-1]]
            there = np.searchsorted(grid, own)
            y, grid = e.filtered(name, own, y[there]), own
            D = None if D is None else e.filtered(name, own, D[there])
        keep = np.searchsorted(grid, t)
        return y[keep], None if D is None else D[keep]


def _arrived(run, wanted, led) -> bool:
    """Whether a run is whole; the books of one that is led cannot close."""
    return bool((led is not None or run.completed) and run.time[-1] >= wanted[-1])


def parts(name) -> list[str]:
    """Signals whose sum was measured."""
    return [part.strip() for part in name.split(" + ")]


class Problem:
    """Residuals in standard deviations, and their derivatives, over all experiments."""

    def __init__(self, experiments, free: FreeNumbers, rtol: float):
        self.experiments, self.free, self.rtol = experiments, free, rtol
        self.trials, problems = [], dict[str, None]()
        for e in experiments:
            try:
                self.trials.append(Trial(e, free))
            except ArgumentError as wrong:
                problems |= dict.fromkeys(str(wrong).split("\n"))
        if problems:
            raise ArgumentError("\n".join(problems))
        self.known = all(n in e.sigma for e in experiments for n in e.measured)
        self.scale, self.size = free.scale, free.size
        self.evaluations, self.part, self.led = 0.0, 1.0, False
        self.tally = Tally("fit: runs")
        self.precise = np.ones(sum(len(t.rows) for t in self.trials))
        self._last: tuple | None = None

    @property
    def signals(self) -> list[tuple[Trial, str]]:
        """Every measured signal, in the order of the residuals."""
        return [(t, n) for t in self.trials for n in t.rows]

    def weighted(self, precise) -> None:
        """From now on signals count by these too, beside sigmas and weights of tests."""
        self.precise, self._last = precise, None

    def weight(self, trial, name) -> float:
        """Of a signal's squares: that of its test, and how precise it has shown itself."""
        place = next(i for i, s in enumerate(self.signals) if s[0] is trial and s[1] == name)
        return trial.experiment.weight * float(self.precise[place])

    def sigma(self, trial, name) -> float:
        """Of a signal: as told, or its spread."""
        told = trial.sigma.get(name)
        spread = float(np.std(trial.rows[name][1])) or 1.0
        return (told or spread) / self.weight(trial, name) ** 0.5

    @property
    def weights(self) -> np.ndarray:
        """Of each measurement, in the order of the residuals: their variances where noise is as
        told."""
        return np.concatenate(
            [np.full(len(t.rows[n][0]), self.weight(t, n)) for t, n in self.signals]
        )

    def unweighted(self, residuals) -> np.ndarray:
        """Residuals in their own sigmas, whatever their tests weigh."""
        w = self.weights
        return np.append(residuals[: len(w)] / np.sqrt(w), residuals[len(w) :])

    @property
    def leads(self) -> bool:
        """Whether some coordinate of every test was measured, so that it can be led."""
        return all(t.lead.coordinates for t in self.trials)

    def _parts(self, x):
        """(residuals, derivatives) of measurements."""
        self.evaluations += self.share
        rs, Ds = [], []
        for trial in self.trials:
            led = Steering(trial.lead, trial.system.nq) if self.led else None
            try:
                run = trial.run(x, True, self.rtol, self.part, led)
            except ModelError:  # numbers that no such model may have: a search goes no further
                run = None
            if run is not None:
                run._slopes.forgiving = True  # `Fit.one_sided` tells where it ends
            self.tally.add()
            for name in trial.rows:
                s, measured = self.sigma(trial, name), trial.measured(name, self.part)
                y: Any = np.nan
                D: Any = np.nan
                if run is not None and _arrived(run, trial.wanted(self.part), led):
                    y, D = trial.compared(run, name, self.part, led)
                if not (np.isfinite(y).all() and np.isfinite(D).all()):
                    y, D = measured + LOST * s, np.zeros((len(measured), len(x)))
                rs.append((y - measured) / s)  # ID.11
                Ds.append(D / s)
        return np.concatenate(rs), np.concatenate(Ds)

    def as_told(self, x) -> np.ndarray:
        """Numbers with those that nothing feels as they were told, where that changes nothing."""
        r, D = self.at(x / self.scale)
        kept = self.free.level(np.where(D.any(axis=0), x, self.free.start))[0]
        same = self.at(kept / self.scale)[0]
        return kept if np.allclose(same, r, rtol=1e-6, atol=1e-9 * np.linalg.norm(r)) else x

    def check(self, residuals) -> None:
        """Complain where not even the best numbers have a run that reaches its end."""
        first = 0
        for i, trial in enumerate(self.trials, 1):
            rows = slice(first, first := first + sum(len(t) for t, _ in trial.rows.values()))
            if not np.allclose(residuals[rows], LOST):
                continue
            run = trial.run(self.free.start, True, self.rtol)
            early = "" if _arrived(run, trial.grid, None) else f": {run.outcome}"
            why = early or "; it is there, but has no derivatives by these numbers"
            raise IntegrationError(
                f"fit: no run of test {i} reached its end ({trial.experiment.end:g} s), the "
                f"model's own numbers among them{why}"
            )

    @property
    def share(self) -> float:
        """Of the whole runs, that the present part takes."""
        if self.part >= 1:
            return 1.0
        whole = [
            (t.until(1.0) - t.lead.start, t.until(self.part) - t.lead.start) for t in self.trials
        ]
        return sum(b for _, b in whole) / sum(a for a, _ in whole)

    def at(self, u):
        """Residuals and derivatives of everything at scaled numbers u, remembered once."""
        key = np.append(u, (self.part, self.led))
        if self._last is None or not np.array_equal(self._last[0], key):
            x = u * self.scale
            level, low = self.free.level(x)
            r, D = self._parts(level)
            for i, j in low:  # what is run there is the other's force, or a bound
                D[:, i] += D[:, j] * (level[j] == level[i])
                D[:, j] = 0.0
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
