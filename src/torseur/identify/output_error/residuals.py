"""Residuals of an output error fit, in standard deviations, and their Jacobian.

Each test is simulated with its sensitivities, which the integrator computes next to the motion
through every event.  Residuals are simulated less measured signals, priors and second differences
of curves.  Equations ID.11, ID.12.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ...errors import (
    ArgumentError,
    IntegrationError,
    ModelError,
    ModelWarning,
    unknown_name_message,
)
from ...model import Model, field_paths
from ...scalars import digest
from ...signals import signal_units
from ...simulation import Tally, obeyed, simulate
from ...system import start_of
from .experiment import Experiment, si_number
from .parameters import FreeParameters, with_initial_states, with_rising_curves
from .state_resets import MeasuredMotion, StateResets

FAILED_RESIDUAL = 1e3  # sigmas, of a run that did not reach its end
MIN_TIMES = 8  # of a part of a run
FILTER_SETTLING_PERIODS = 0.9  # of a channel class's limit, at a cut end
MAX_CACHED_SYSTEMS = 8

_SYSTEMS: dict[tuple[str, str], Any] = {}  # of the last fits, with their kernels


def signal_terms(name: str) -> list[str]:
    """Signals of a measured sum "left.force + right.force"."""
    return [part.strip() for part in name.split(" + ")]


def model_of_test(experiment: Experiment, curves: Iterable[str] = ()) -> Model:
    """Model of an experiment with its initial state; last slopes of free curves do not fall."""
    description = experiment.model.model if hasattr(experiment.model, "links") else experiment.model
    model, initial = with_rising_curves(description, curves), experiment.initial
    return model if initial is None else replace(model, initial={**initial})


def started_model(experiment: Experiment, curves: Iterable[str]) -> Model:
    """Model of an experiment with its initial state in SI, by names of coordinates and speeds."""
    model = model_of_test(experiment, curves)
    return replace(model, initial=start_of(model.check())[0]) if model.initial else model


def _reuse_system(system: Any, given: set[str]) -> Any:
    """A system of an earlier fit, with compiled kernels, that differs only in given parameters."""
    blank = {n: 0.0 if n in given else x for n, x in system.parameters.items()}
    text = repr(replace(system.model, parameters=blank))
    cached = _SYSTEMS.setdefault((digest(replace(system, parameters=blank)), text), system)
    while len(_SYSTEMS) > MAX_CACHED_SYSTEMS:
        _SYSTEMS.pop(next(iter(_SYSTEMS)))
    return cached


class Trial:
    """One experiment with its free parameters as parameters of one compiled system."""

    def __init__(self, experiment: Experiment, free: FreeParameters):
        self.experiment, names = experiment, free.names
        model = with_initial_states(started_model(experiment, free.curves), names)
        self.free_starts = [n for n in names if n in model.initial]
        self.start = dict(model.initial)
        inner = [n for n in names if n not in model.initial]
        model, self.parameter = field_paths.parametrize_paths(model, inner)
        with warnings.catch_warnings(action="ignore", category=ModelWarning):
            system = replace(model, initial={}).check()  # one system for all initial states
            self.system = _reuse_system(system, {*self.parameter.values()})
        self.sigma = self._read_sigmas(model.name)
        self.names = tuple(names)
        self.directions: tuple[Any, ...] = tuple(self.parameter.get(n, n) for n in names)
        self.rows = {n: experiment.rows(n) for n in experiment.measured}
        times = (
            self.rows[n][0] if experiment.channel_class(n) is None else experiment.record(n)[0]
            for n in experiment.measured
        )
        self.grid = np.unique(np.concatenate([*times]))

    def _read_sigmas(self, model_name: str) -> dict[str, float]:
        """{signal: standard deviation} in SI; raises for unknown signals and wrong units."""
        measured, sigmas = self.experiment.measured, self.experiment.sigma
        units = signal_units(self.system)
        available = {*units, *self.system.coordinates, *self.system.speeds}
        unknown = sorted({term for n in measured for term in signal_terms(n)} - available)
        problems = [
            unknown_name_message("signal", n, units, f"fit, model {model_name!r}") for n in unknown
        ]
        values = {}
        for n, s in sigmas.items():
            try:
                values[n] = si_number(s, units.get(signal_terms(n)[0]), f"fit, sigma of {n!r}")
            except ArgumentError as e:
                problems.append(str(e))
        if problems:
            raise ArgumentError("\n".join(problems))
        return values

    @cached_property
    def noise_freedom(self) -> dict[str, float]:
        """{signal: sum of squares of unit noise behind its filter}: ID.13."""
        return {n: self.experiment.noise_degrees_of_freedom(n) for n in self.rows}

    @cached_property
    def motion(self) -> MeasuredMotion:
        """Measured motion, for runs with state resets."""
        return MeasuredMotion(self)

    def run(
        self,
        x: np.ndarray,
        sensitive: bool,
        rtol: float,
        part: float = 1.0,
        resets: StateResets | None = None,
    ) -> Any:
        """The motion with parameters x, or its first part; with state resets, or free."""
        until = self.until(part)
        values = dict(zip(self.names, map(float, x), strict=True))
        controller: Any = resets  # a controller with sensitivities: `steer`
        start = {**self.start} | {n: values[n] for n in self.free_starts}
        options = {**self.experiment.options}
        run = simulate(
            self.system,
            until,
            initial=start or None,
            parameters={**options.pop("parameters", {})}
            | {p: values[n] for n, p in self.parameter.items()},
            output=self.times(part),
            rtol=rtol,
            progress=False,
            sensitivities=self.directions if sensitive else (),
            judge_sensitivities=False,  # the same steps with and without them
            control=controller,
            period=None if resets is None else self.motion.period,
            **options,
        )
        return obeyed(run)

    def until(self, part: float) -> float:
        """End of the first part of the run [s]: at least `MIN_TIMES` times."""
        if part >= 1:
            return self.experiment.end
        end = self.grid[0] + part * (self.grid[-1] - self.grid[0])
        return float(max(end, self.grid[min(MIN_TIMES, len(self.grid)) - 1]))

    def times(self, part: float) -> np.ndarray:
        """Times of the first part of the run."""
        return self.grid if part >= 1 else self.grid[self.grid <= self.until(part)]

    def is_compared(self, name: str, part: float) -> np.ndarray:
        """Mask of the measured times in the first part, without the cut end of a filter."""
        t, channel_class = self.rows[name][0], self.experiment.channel_class(name)
        if part >= 1:
            return np.ones(len(t), bool)
        settling = 0.0 if channel_class is None else FILTER_SETTLING_PERIODS / channel_class
        return t <= self.until(part) - settling

    def measured(self, name: str, part: float = 1.0) -> np.ndarray:
        """Measured values of the first part."""
        return self.rows[name][1][self.is_compared(name, part)]

    def compared(
        self, run: Any, name: str, part: float = 1.0, resets: StateResets | None = None
    ) -> tuple[np.ndarray, np.ndarray | None]:
        """A simulated signal and its derivatives at the compared times, without the resets."""
        experiment, t = self.experiment, self.rows[name][0][self.is_compared(name, part)]
        grid, terms = self.times(part), signal_terms(name)
        rows = np.searchsorted(run.time, grid, side="right") - 1
        signal: Any = sum(run[term] for term in terms)
        y, D = signal[rows], None
        if run._slopes is not None:
            slopes: Any = (sum(run.sensitivity(x, n) for x in terms) for n in self.directions)
            D = np.stack([x[rows] for x in slopes], axis=1)
            if resets is not None:
                change: Any = sum(resets.accumulated(x, grid) for x in terms)
                order = run._slopes.directions.order
                y = y - change[:, 0]  # ID.26
                D = D - change[:, [1 + order.index(n) for n in self.directions]]
        if experiment.channel_class(name) is not None:  # at all measured samples
            sampled = experiment.record(name)[0]
            sampled = sampled[sampled <= grid[-1]]
            rows = np.searchsorted(grid, sampled)
            y, grid = experiment.filter_signal(name, sampled, y[rows]), sampled
            D = None if D is None else experiment.filter_signal(name, sampled, D[rows])
        rows = np.searchsorted(grid, t)
        return y[rows], None if D is None else D[rows]


def _is_complete(run: Any, times: np.ndarray, resets: StateResets | None) -> bool:
    """Whether a run reached its end; resets break the energy balance, which then does not count."""
    return bool((resets is not None or run.completed) and run.time[-1] >= times[-1])


class ResidualProblem:
    """Residuals in standard deviations, and their Jacobian, over all experiments."""

    def __init__(self, experiments: list[Experiment], free: FreeParameters, rtol: float):
        self.experiments, self.free, self.rtol = experiments, free, rtol
        self.trials: list[Trial] = []
        problems = dict[str, None]()
        for experiment in experiments:
            try:
                self.trials.append(Trial(experiment, free))
            except ArgumentError as e:
                problems |= dict.fromkeys(str(e).split("\n"))
        if problems:
            raise ArgumentError("\n".join(problems))
        self.has_sigmas = all(n in e.sigma for e in experiments for n in e.measured)
        self.scale, self.large_change = free.scale, free.large_change
        self.evaluations, self.part, self.with_resets = 0.0, 1.0, False
        self.tally = Tally("fit: runs")
        self.weight_factors = np.ones(sum(len(t.rows) for t in self.trials))
        self._last: tuple | None = None

    # ---- weights -------------------------------------------------------------------------------

    @property
    def signals(self) -> list[tuple[Trial, str]]:
        """Every measured signal, in the order of the residuals."""
        return [(t, n) for t in self.trials for n in t.rows]

    def set_weights(self, factors: np.ndarray) -> None:
        """Weight signals by these factors too, next to sigmas and weights of tests."""
        self.weight_factors, self._last = factors, None

    def weight(self, trial: Trial, name: str) -> float:
        """Weight of a signal's squares: that of its test, times its factor."""
        index = next(i for i, s in enumerate(self.signals) if s[0] is trial and s[1] == name)
        return trial.experiment.weight * float(self.weight_factors[index])

    def sigma(self, trial: Trial, name: str) -> float:
        """Standard deviation of a signal, or its spread, over the root of its weight."""
        spread = float(np.std(trial.rows[name][1])) or 1.0
        return (trial.sigma.get(name) or spread) / self.weight(trial, name) ** 0.5

    @property
    def weights(self) -> np.ndarray:
        """Weight of each measurement; the variance of its residual if the noise is as given."""
        return np.concatenate(
            [np.full(len(t.rows[n][0]), self.weight(t, n)) for t, n in self.signals]
        )

    def unweighted(self, residuals: np.ndarray) -> np.ndarray:
        """Residuals in their own sigmas, without weights of tests."""
        w = self.weights
        return np.append(residuals[: len(w)] / np.sqrt(w), residuals[len(w) :])

    # ---- residuals -----------------------------------------------------------------------------

    @property
    def allows_resets(self) -> bool:
        """Whether every test measured some coordinate, so that state resets are possible."""
        return all(t.motion.coordinates for t in self.trials)

    def evaluate(self, u: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and Jacobian at scaled parameters u; the last result is cached."""
        key = np.append(u, (self.part, self.with_resets))
        if self._last is None or not np.array_equal(self._last[0], key):
            x = u * self.scale
            rising, changed = self.free.with_rising_slopes(x)
            r, D = self._simulate_tests(rising)
            for i, j in changed:  # the second one is the first one, or a bound
                D[:, i] += D[:, j] * (rising[j] == rising[i])
                D[:, j] = 0.0
            prior_r, prior_D = self._prior_rows(x)
            r, D = np.concatenate([r, prior_r]), np.concatenate([D, prior_D])
            self._last = (key, r, D * self.scale)
        return self._last[1], self._last[2]

    def _simulate_tests(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and Jacobian of the measurements at parameters x; constant for failed runs."""
        self.evaluations += self.part_share
        residuals, jacobians = [], []
        for trial in self.trials:
            resets = StateResets(trial.motion, trial.system.nq) if self.with_resets else None
            try:
                run = trial.run(x, True, self.rtol, self.part, resets)
            except ModelError:  # parameters that no such model may have
                run = None
            if run is not None:
                run._slopes.forgiving = True  # `Fit.one_sided` names one-sided derivatives
            self.tally.add()
            for name in trial.rows:
                sigma, measured = self.sigma(trial, name), trial.measured(name, self.part)
                y: Any = np.nan
                D: Any = np.nan
                if run is not None and _is_complete(run, trial.times(self.part), resets):
                    y, D = trial.compared(run, name, self.part, resets)
                if not (np.isfinite(y).all() and np.isfinite(D).all()):
                    y = measured + FAILED_RESIDUAL * sigma
                    D = np.zeros((len(measured), len(x)))
                residuals.append((y - measured) / sigma)  # ID.11
                jacobians.append(D / sigma)
        return np.concatenate(residuals), np.concatenate(jacobians)

    def _prior_rows(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Rows of priors and of second differences of curves."""
        n, r, D = len(x), [], []
        for i, mean, sigma in self.free.priors:
            row = np.zeros(n)
            row[i] = 1 / sigma
            r.append((x[i] - mean) / sigma)
            D.append(row)
        for (a, b, c), weight in self.free.smooth:
            mean = float(np.mean(abs(self.free.start[[a, b, c]]))) or 1.0
            row = np.zeros(n)
            row[[a, b, c]] = np.array([1.0, -2.0, 1.0]) * weight / mean
            r.append(float(row @ x))  # ID.12
            D.append(row)
        return np.array(r), np.array(D).reshape(len(r), n)

    @property
    def part_share(self) -> float:
        """Share of the present part in the duration of all runs."""
        if self.part >= 1:
            return 1.0
        starts = [t.motion.start for t in self.trials]
        parts = sum(t.until(self.part) - s for t, s in zip(self.trials, starts, strict=True))
        return parts / sum(t.until(1.0) - s for t, s in zip(self.trials, starts, strict=True))

    def restore_unfelt(self, x: np.ndarray) -> np.ndarray:
        """Parameters without effect at their start values, if the residuals stay the same."""
        r, D = self.evaluate(x / self.scale)
        restored = self.free.with_rising_slopes(np.where(D.any(axis=0), x, self.free.start))[0]
        new = self.evaluate(restored / self.scale)[0]
        is_same = np.allclose(new, r, rtol=1e-6, atol=1e-9 * np.linalg.norm(r))
        return restored if is_same else x

    def check_completion(self, residuals: np.ndarray) -> None:
        """Raise if not even the best parameters have a run that reaches its end."""
        first = 0
        for i, trial in enumerate(self.trials, 1):
            rows = slice(first, first := first + sum(len(t) for t, _ in trial.rows.values()))
            if not np.allclose(residuals[rows], FAILED_RESIDUAL):
                continue
            run = trial.run(self.free.start, True, self.rtol)
            reason = "; it is there, but has no derivatives by these numbers"
            if not _is_complete(run, trial.grid, None):
                reason = f": {run.outcome}"
            raise IntegrationError(
                f"fit: no run of test {i} reached its end ({trial.experiment.end:g} s), the "
                f"model's own numbers among them{reason}"
            )
