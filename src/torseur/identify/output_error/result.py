"""Result of an output error fit: parameters, intervals, correlations, and undetermined parameters.

Equation ID.13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ...errors import ArgumentError
from ...model import Model, field_paths
from ...signals import signal_units
from ..row_table import RowTable
from .experiment import Experiment
from .residual_analysis import degrees_of_freedom, is_noise, noise_variances
from .residuals import FAILED_RESIDUAL, ResidualProblem, Trial, model_of_test

MIN_COLUMN_NORM = 1e-9  # of the largest: a parameter with less has no effect on any measurement
CONDITION_INDEX = 30.0  # from which columns of unit length are nearly dependent (Belsley 1980)
MIN_VARIANCE_SHARE = 0.5  # of a parameter's variance: then it takes part in a dependence
UNKNOWN_RATIO = 3.0  # standard deviations over the parameter: then it is not known at all
DETECTABLE = 1.96 + 1.645  # sigmas that a 5 % test separates from zero 19 times of 20
NORMAL_95 = 1.96  # standard deviations of a 95 % interval


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """Result of `fit`.

    `values`: {parameter: value}; `model`: the first experiment's model with them; `costs`: half the
    sum of squares at the end of each search; `outcome`: "converged", or that it did not.
    """

    problem: ResidualProblem
    x: np.ndarray
    costs: np.ndarray
    evaluations: int
    outcome: str

    # ---- parameters ----------------------------------------------------------------------------

    @property
    def names(self) -> tuple[str, ...]:
        return self.problem.free.names

    @property
    def values(self) -> dict[str, float]:
        return dict(zip(self.names, self.x.tolist(), strict=True))

    @cached_property
    def models(self) -> tuple[Model, ...]:
        """Each experiment's model with the fitted parameters."""
        models = []
        for trial in self.problem.trials:
            model = model_of_test(trial.experiment)
            for name, x in self.values.items():
                if name in trial.start:
                    model = replace(model, initial=dict(model.initial) | {name: x})
                elif name in model.parameters:
                    model = replace(model, parameters=dict(model.parameters) | {name: x})
                else:
                    model = field_paths.replaced(model, name, x)
            models.append(model)
        return tuple(models)

    @property
    def model(self) -> Model:
        """The first experiment's model with the fitted parameters."""
        return self.models[0]

    def unit_of(self, name: str) -> str:
        """Unit of a parameter, "" if it is not known."""
        trial = self.problem.trials[0]
        units = signal_units(trial.system)
        if name in trial.start:
            return units.get(name, "")
        is_angular = units.get(f"{name.partition('.')[0]}.deflection", "m") == "rad"
        return field_paths.unit(self.model, name, turning=is_angular)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Units of the parameters."""
        return tuple(map(self.unit_of, self.names))

    # ---- residuals -----------------------------------------------------------------------------

    @cached_property
    def _linearization(self) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and Jacobian at the fitted parameters."""
        return self.problem.evaluate(self.x / self.problem.scale)

    @property
    def _measurements(self) -> int:
        return sum(len(y) for t in self.problem.trials for _, y in t.rows.values())

    @property
    def chi2(self) -> float:
        """Sum of squares in sigmas over its degrees of freedom: 1 if the noise is as given."""
        r = self.problem.unweighted(self._linearization[0])
        freedom = degrees_of_freedom(self.problem, len(r)) + len(self.unreached)
        return float(r @ r) / freedom

    @cached_property
    def good(self) -> bool:
        """Whether the residuals are noise: not larger than given, and white (ID.14)."""
        return is_noise(self.problem, *self._linearization)

    @cached_property
    def residuals(self) -> dict[tuple[int, str], np.ndarray]:
        """{(experiment, signal): simulated less measured, in the signal's unit}."""
        residuals = {}
        for i, trial in enumerate(self.problem.trials):
            run = trial.run(self.x, False, self.problem.rtol).check()
            for name, (_, measured) in trial.rows.items():
                residuals[i, name] = trial.compared(run, name)[0] - measured
        return residuals

    def validate(self, experiment: Experiment) -> dict[str, float]:
        """{signal: root mean square error over spread} of a test that was not used."""
        trial = Trial(experiment, self.problem.free)
        run = trial.run(self.x, False, self.problem.rtol).check()
        return {
            name: float(
                np.sqrt(np.mean((trial.compared(run, name)[0] - y) ** 2)) / max(np.std(y), 1e-300)
            )
            for name, (_, y) in trial.rows.items()
        }

    # ---- covariance ----------------------------------------------------------------------------

    @cached_property
    def unreached(self) -> tuple[str, ...]:
        """Parameters without effect on any measurement, such as knots of larger deflections."""
        norms = np.linalg.norm(self._linearization[1][: self._measurements], axis=0)
        return tuple(
            n for n, s in zip(self.names, norms, strict=True) if s <= MIN_COLUMN_NORM * norms.max()
        )

    @property
    def _reached(self) -> list[int]:
        return [i for i, n in enumerate(self.names) if n not in self.unreached]

    @cached_property
    def covariance(self) -> np.ndarray:
        """Gauss-Newton covariance of the parameters; infinite for those without effect."""
        reached = self._reached
        covariance = np.full((len(self.x),) * 2, 0.0)
        np.fill_diagonal(covariance, np.inf)
        if reached:
            covariance[np.ix_(reached, reached)] = self._covariance_of(reached)
        return covariance

    def _covariance_of(self, indices: list[int]) -> np.ndarray:
        """Covariance of some parameters, the others fixed."""
        A = (self._linearization[1] / self.problem.scale)[:, indices]
        norms = np.linalg.norm(A, axis=0)
        U, s, V = np.linalg.svd(A / norms, full_matrices=False)
        s = np.where(s > 1e-12 * s[0], s, 1e-12)
        variances = self._residual_variances
        if not np.isfinite(variances).all():
            return np.full((len(indices),) * 2, np.inf)
        U[: len(variances)] *= np.sqrt(variances)[:, None]  # sandwich estimator
        P = U @ (V / s[:, None]) / norms
        return P.T @ P  # ID.13

    @cached_property
    def _residual_variances(self) -> np.ndarray:
        """Variances of the weighted residuals: as given by sigma, else as estimated."""
        p = self.problem
        variances = zip(p.signals, noise_variances(p, *self._linearization), strict=True)
        rows = [np.full(len(t.rows[n][0]), x) for (t, n), x in variances]
        return p.weights * np.concatenate(rows)

    @property
    def sigma(self) -> dict[str, float]:
        """{parameter: standard deviation}."""
        return dict(zip(self.names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    @cached_property
    def interval_factor(self) -> float:
        """Half width of a 95 % interval in standard deviations (normal, or Student's t)."""
        from scipy.stats import t

        if self.problem.has_sigmas:
            return NORMAL_95
        return float(t.ppf(0.975, degrees_of_freedom(self.problem, self._measurements)))

    @property
    def confidence(self) -> dict[str, tuple[float, float]]:
        """{parameter: (low, high)}, 95 %."""
        half = {n: self.interval_factor * s for n, s in self.sigma.items()}
        return {n: (x - half[n], x + half[n]) for n, x in self.values.items()}

    @cached_property
    def correlations(self) -> dict[tuple[str, str], float]:
        """{pair of parameters: correlation}, the largest first."""
        s = np.sqrt(np.diag(self.covariance))
        with np.errstate(invalid="ignore", divide="ignore"):
            R = self.covariance / np.outer(s, s)
        pairs = {
            (self.names[i], self.names[j]): float(R[i, j])
            for i in range(len(s))
            for j in range(i + 1, len(s))
            if np.isfinite(R[i, j]) and np.isfinite(s[[i, j]]).all()
        }
        return dict(sorted(pairs.items(), key=lambda p: -abs(p[1])))

    @cached_property
    def inseparable(self) -> tuple[tuple[str, ...], ...]:
        """Groups of parameters that the measurements do not separate (collinearity): ID.13.

        Columns are nearly dependent (condition index 30 and more), the variance of two or more
        parameters comes for more than half from that, and one of them is less than 3.6 standard
        deviations, so that a 5 % test separates it from zero in less than 19 of 20 cases.
        """
        reached = self._reached
        if len(reached) < 2:
            return ()
        A = self._linearization[1][:, reached]
        _, s, V = np.linalg.svd(A / np.linalg.norm(A, axis=0), full_matrices=False)
        share = (V / np.maximum(s, 1e-15 * s[0])[:, None]) ** 2
        share /= share.sum(axis=0)
        undetected = {n for n, e in self.sigma.items() if abs(self.values[n]) < DETECTABLE * e}
        groups = [
            tuple(self.names[reached[i]] for i in np.flatnonzero(row > MIN_VARIANCE_SHARE))
            for value, row in zip(s, share, strict=True)
            if value * CONDITION_INDEX <= s[0]
        ]
        return tuple(g for g in groups if len(g) > 1 and undetected & {*g})

    @cached_property
    def one_sided(self) -> dict[str, str]:
        """{parameter: reason} of derivatives, hence intervals, that hold to one side only: a start
        exactly on a stop, two events at one time, a grazing event."""
        reasons: dict[str, str] = {}
        for trial in self.problem.trials:
            slopes = trial.run(self.x, True, self.problem.rtol)._slopes
            directions = zip(self.names, trial.directions, strict=True)
            reasons = {n: why for n, d in directions if (why := slopes.why(d))} | reasons
        return reasons

    @property
    def active(self) -> tuple[str, ...]:
        """Parameters on one of their bounds."""
        free, tolerance = self.problem.free, 1e-6 * self.problem.scale
        rows = zip(self.names, self.x, free.low, free.high, tolerance, strict=True)
        return tuple(n for n, x, low, high, d in rows if x - low <= d or high - x <= d)

    def profile(self, name: str, values: float | Sequence[float] | np.ndarray) -> np.ndarray:
        """Profile likelihood: sum of squares [sigma^2] with one parameter fixed at each value and
        the others fitted; infinite if no run reaches its end."""
        if name not in self.names:
            raise ArgumentError(f"profile: {name!r} is not free; free: {', '.join(self.names)}")
        i, free, values = self.names.index(name), self.problem.free, np.atleast_1d(values)
        low, high = free.low[i], free.high[i]
        if outside := [f"{x:g}" for x in values if not low <= x <= high]:
            raise ArgumentError(
                f"profile: {name!r} = {', '.join(outside)} is outside its bounds "
                f"({low:g}, {high:g})"
            )
        residuals = [self._fit_with_fixed(i, value) for value in values]
        is_failed = [np.any(abs(r) > 0.999 * FAILED_RESIDUAL) for r in residuals]
        squares = [float(r @ r) for r in residuals]
        return np.where(is_failed, np.inf, squares)

    def _fit_with_fixed(self, i: int, value: float) -> np.ndarray:
        """Residuals with parameter i fixed at a value and the others fitted."""
        from scipy.optimize import least_squares

        p = self.problem
        rest = [j for j in range(len(self.x)) if j != i]

        def evaluate(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
            return p.evaluate(np.insert(w, i, value / p.scale[i]))

        if not rest:
            return evaluate(np.zeros(0))[0]
        bounds = (p.free.low[rest] / p.scale[rest], p.free.high[rest] / p.scale[rest])
        return least_squares(
            lambda w: evaluate(w)[0],
            (self.x / p.scale)[rest],
            jac=lambda w: evaluate(w)[1][:, rest],
            bounds=bounds,
        ).fun

    # ---- output --------------------------------------------------------------------------------

    def _describe_inseparability(self, name: str, group: tuple[str, ...]) -> str:
        """Note on a parameter of an inseparable group: its uncertainty as it is, and with the other
        parameters of the group fixed (ID.13)."""
        i, others = self.names.index(name), [self.names.index(o) for o in group if o != name]
        fixed = {*others, *map(self.names.index, self.unreached)}
        rest = [j for j in range(len(self.x)) if j not in fixed]
        x = abs(self.x[i]) if abs(self.x[i]) > 1e-6 * self.problem.scale[i] else 0.0
        row = rest.index(i)
        variances = [self.covariance[i, i], self._covariance_of(rest)[row, row]]
        alone, conditional = np.sqrt(variances) / (x or 1.0)
        texts = [f"{100 * s:.2g} %" if x else f"{s:.2g}" for s in (alone, conditional)]
        unknown = "not known at all" if alone >= UNKNOWN_RATIO and x else f"uncertain to {texts[0]}"
        names = ", ".join(self.names[o] for o in others)
        return f"not separable from {names}: {unknown}, to {texts[1]} if these were fixed"

    def table(self) -> RowTable:
        """Parameters with intervals and notes."""
        rows, confidence = [], self.confidence
        starts = self.problem.free.start
        for n, x, start, unit in zip(self.names, self.x, starts, self.units, strict=True):
            notes = ["not reached"] if n in self.unreached else []
            notes += ["on its bound"] if n in self.active else []
            notes += ["its interval holds to one side only"] if n in self.one_sided else []
            notes += [self._describe_inseparability(n, g) for g in self.inseparable if n in g]
            rows.append(
                {
                    "number": n,
                    "unit": unit,
                    "value": float(x),
                    "start": float(start),
                    "low 95 %": confidence[n][0],
                    "high 95 %": confidence[n][1],
                    "note": "; ".join(notes),
                }
            )
        return RowTable(rows)

    def report(self, path: str | Path) -> Path:
        """Write a page (.html): summary, signals, curves with intervals, parameters."""
        from ..report import write_fit_report

        return write_fit_report(self, path)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}</p>{self.table()._repr_html_()}"

    @property
    def counted(self) -> str:
        """Numbers of parameters, measurements, tests and evaluations, and chi2."""
        counts = {
            "number": len(self.names),
            "measurement": self._measurements,
            "test": len(self.problem.trials),
            "evaluation": self.evaluations,
        }
        a, b, c, d = (f"{n} {word}{'s' * (n != 1)}" for word, n in counts.items())
        return f"{a} from {b} of {c} in {d}, chi2 = {self.chi2:.4g}"

    @property
    def notes(self) -> list[str]:
        """Notes on the quality of the fit, without a full stop."""
        notes = [] if self.outcome == "converged" else [f"{self.outcome}: allow more"]
        notes += [] if self.good else ["the residuals exceed the noise"]
        notes += [f"not reached: {', '.join(self.unreached)}"] if self.unreached else []
        notes += [f"on a bound: {', '.join(self.active)}"] if self.active else []
        notes += [f"not separable: {', '.join(group)}" for group in self.inseparable]
        if not np.isfinite(self._residual_variances).all():
            notes += [
                "no more measurements than numbers: give their sigma, else there are no intervals"
            ]
        if self.one_sided:
            notes += [f"derivatives to one side only: {next(iter(self.one_sided.values()))}"]
        return notes

    def __str__(self):
        return "; ".join([self.counted, *self.notes])

    __repr__ = __str__
