"""Fits of models to tests: nonlinear least squares on derivatives that run beside the motion.

Theory: ID.11 to ID.14.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from ..errors import ArgumentError, ModelWarning
from ..model import paths
from ..simulation import simulate
from .experiment import Experiment, Free, free_of
from .tables import Table

NOTHING = 1e-9  # of the largest column: a number that no measurement feels
ALIKE = 1e-3  # singular value over the largest, of columns of unit length: not separable
STAGES = ((0.15, 1e-2, 3), (0.35, 1e-2, 3), (0.65, 1e-2, 4))
"""Parts of the time that are fitted first, how well, and in how many evaluations."""
SLOWLY = tuple((part / 12, 1e-3, 6) for part in range(1, 12))
"""The same in small parts, for a start from which the first way did not arrive."""
NOISY, SMALL = 1.5, 1e-6  # mean square of residuals, in sigmas or in spreads, of a good fit
LOST = 1e3  # residual, in sigmas, of a run that did not reach its end


def fit(
    experiments,
    free,
    *,
    starts: int = 3,
    seed: int = 0,
    tolerance: float = 1e-8,
    max_evaluations: int = 60,
    rtol: float = 1e-9,
) -> Fit:
    """Numbers of a model from tests.

    Parameters
    ----------
    experiments : `Experiment`s, all fitted at once
    free : {path: bounds}: "engine.mass": (250, 350), a `number(...)` with a prior, and
        "front.points": `knots(...)` for the forces of a law; names of initial values and declared
        parameters too
    starts : at most so many: the model's own numbers, then, while what is left over is more than
        noise, others within half and twice of them and their bounds; the best is kept
    seed : of the other starts
    tolerance : relative change of cost and numbers at which a fit ends
    max_evaluations : of all runs together, at most for each start
    rtol : of the runs

    >>> import torseur as ts
    >>> model = ts.Model(bodies=(ts.Body("b", 2.0),), parameters={"k": 150.0}, gravity=(0, 0, 0),
    ...     joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),), initial={"x.speed": 1.0},
    ...     forces=(ts.JointForce("f", "x", ts.Spring("k")),))
    >>> t = np.linspace(0, 1, 50)
    >>> found = fit([Experiment(model, {"x.displacement": (t, 0.1 * np.sin(10 * t))})],
    ...             free={"k": (50, 400)})
    >>> round(found.values["k"], 6), found.unreached
    (200.0, ())
    """
    experiments = [experiments] if isinstance(experiments, Experiment) else list(experiments)
    if not experiments or not all(isinstance(e, Experiment) for e in experiments):
        raise ArgumentError("fit: expected a list of ts.identify.Experiment")
    numbers = free_of(_model(experiments[0]), free)
    problem = Problem(experiments, numbers, rtol)
    return _best(problem, starts, seed, tolerance, max_evaluations)


def _model(experiment):
    return experiment.model.model if hasattr(experiment.model, "links") else experiment.model


class Trial:
    """One experiment with its free numbers as parameters of one compiled system."""

    def __init__(self, experiment: Experiment, names):
        self.experiment = experiment
        model = _model(experiment)
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
        self.asked = tuple(self.parameter.get(n, n) for n in names)
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
        return simulate(
            self.system,
            until,
            initial=start or None,
            parameters={p: given[n] for n, p in self.parameter.items()},
            output=self.grid[self.grid <= until],
            rtol=rtol,
            progress=False,
            sensitivities=self.asked if sensitive else (),
            **self.experiment.options,
        )

    def until(self, part: float) -> float:
        """End of the first part of the run: at least eight wanted times."""
        if part >= 1 and self.experiment.t_end is not None:
            return self.experiment.t_end
        end = self.grid[0] + part * (self.grid[-1] - self.grid[0])
        return float(max(end, self.grid[min(7, len(self.grid) - 1)]))

    def measured(self, name, part: float = 1.0) -> np.ndarray:
        """Measured values that are compared, of the first part."""
        t, y = self.rows[name]
        return y if part >= 1 else y[t <= self.until(part)]

    def compared(self, run, name, part=1.0) -> tuple[np.ndarray, np.ndarray | None]:
        """A signal and its derivatives at the compared times."""
        e, (t, _) = self.experiment, self.rows[name]
        if part < 1:
            t = t[t <= self.until(part)]
        grid = self.grid if part >= 1 else self.grid[self.grid <= self.until(part)]
        at = np.searchsorted(run.time, grid, side="right") - 1
        y, D = sum(run[part] for part in _parts(name))[at], None
        if run._slopes is not None:
            slopes = (sum(run.sensitivity(x, n) for x in _parts(name)) for n in self.asked)
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

    def __init__(self, experiments, free: Free, rtol: float):
        self.experiments, self.free, self.rtol = experiments, free, rtol
        self.trials = [Trial(e, free.names) for e in experiments]
        self.known = all(n in e.sigma for e in experiments for n in e.measured)
        self.scale = free.scale
        self.evaluations, self.part = 0, 1.0
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
            run = trial.run(x, True, self.rtol, self.part)
            for name in trial.rows:
                s, measured = self.sigma(trial, name), trial.measured(name, self.part)
                if not run.completed:
                    rs.append(np.full(len(measured), LOST))
                    Ds.append(np.zeros((len(measured), len(x))))
                    continue
                y, D = trial.compared(run, name, self.part)
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

    def solve(self, x0, tolerance, most, stages=STAGES):
        """From a start: first the beginning of the tests, then more of them, then all."""
        filtered = any(e.channel_class(n) is not None for e in self.experiments for n in e.measured)
        u = x0 / self.scale
        for part, loose, few in () if filtered else stages:
            self.part = part
            u = self._solve(u, loose, few).x
        self.part = 1.0
        return self._solve(u, tolerance, most)

    def _solve(self, u0, tolerance, most):
        from scipy.optimize import least_squares

        low, high = self.free.low / self.scale, self.free.high / self.scale
        room = 1e-9 * np.maximum(1.0, abs(u0))
        u0 = np.clip(
            u0,
            np.where(np.isfinite(low), low + room, -np.inf),
            np.where(np.isfinite(high), high - room, np.inf),
        )
        return least_squares(
            lambda u: self.at(u)[0],
            u0,
            jac=lambda u: self.at(u)[1],
            bounds=(low, high),
            method="dogbox",
            x_scale=1.0,
            ftol=tolerance,
            xtol=tolerance,
            gtol=None,
            max_nfev=most,
        )


def _best(problem, starts, seed, tolerance, most) -> Fit:
    from scipy.stats import qmc

    free, found = problem.free, [problem.solve(problem.free.start, tolerance, most)]
    a, b = np.sort([0.5 * free.start, 2 * free.start], axis=0)
    low, high = np.maximum(a, free.low), np.minimum(b, free.high)
    others = qmc.LatinHypercube(len(free.names), rng=seed)
    if starts > 1 and not _good(problem, found):
        found.append(problem.solve(free.start, tolerance, most, SLOWLY))
    while len(found) < starts and not _good(problem, found):
        u = others.random(1)[0]
        found.append(problem.solve(low + u * (high - low), tolerance, most))
    best = min(found, key=lambda s: s.cost)
    costs = np.array([s.cost for s in found])
    return Fit(problem, best.x * problem.scale, costs, problem.evaluations, str(best.message))


def _good(problem, found) -> bool:
    """Whether the best so far leaves no more than noise: ID.14."""
    best = min(found, key=lambda s: s.cost)
    mean = 2 * best.cost / max(1, len(best.fun) - len(best.x))
    return mean < (NOISY if problem.known else SMALL)


@dataclass(frozen=True, eq=False)
class Fit:
    """What `fit` found.

    `values`: {number: value}; `model`: the first experiment's model with them; `costs`: half the
    sum of squares each start ended with.
    """

    problem: Problem = field(repr=False)
    x: np.ndarray
    costs: np.ndarray
    evaluations: int
    outcome: str

    @property
    def names(self) -> tuple[str, ...]:
        return self.problem.free.names

    @property
    def values(self) -> dict[str, float]:
        return dict(zip(self.names, self.x.tolist(), strict=True))

    @cached_property
    def _here(self) -> tuple[np.ndarray, np.ndarray]:
        return self.problem.at(self.x / self.problem.scale)

    @property
    def _measured(self) -> int:
        return sum(len(y) for t in self.problem.trials for _, y in t.rows.values())

    @cached_property
    def models(self) -> tuple:
        """Each experiment's model with the numbers found."""
        out = []
        for trial in self.problem.trials:
            model = _model(trial.experiment)
            if trial.experiment.initial is not None:
                model = replace(model, initial={**trial.experiment.initial})
            for name, x in self.values.items():
                if name in model.initial:
                    model = replace(model, initial={**model.initial, name: x})
                elif name in model.parameters:
                    model = replace(model, parameters={**model.parameters, name: x})
                else:
                    model = paths.replaced(model, name, x)
            out.append(model)
        return tuple(out)

    @property
    def model(self):
        """The first experiment's model with the numbers found."""
        return self.models[0]

    @property
    def chi2(self) -> float:
        """Sum of squares in sigmas over its degrees of freedom: 1 where noise is as told."""
        r = self._here[0]
        return float(r @ r) / max(1, len(r) - len(self.x) + len(self.unreached))

    @cached_property
    def unreached(self) -> tuple[str, ...]:
        """Numbers that no measurement feels: knots past the largest deflection, say."""
        sizes = np.linalg.norm(self._here[1][: self._measured], axis=0)
        return tuple(
            n for n, s in zip(self.names, sizes, strict=True) if s <= NOTHING * sizes.max()
        )

    @cached_property
    def covariance(self) -> np.ndarray:
        """Of the numbers, Gauss-Newton; infinite where nothing is felt or told apart."""
        D = self._here[1] / self.problem.scale
        felt = [i for i, n in enumerate(self.names) if n not in self.unreached]
        out = np.full((len(self.x),) * 2, 0.0)
        np.fill_diagonal(out, np.inf)
        if felt:
            A = D[:, felt]
            size = np.linalg.norm(A, axis=0)
            _, s, V = np.linalg.svd(A / size, full_matrices=False)
            with np.errstate(divide="ignore"):
                spread = np.where(s > 1e-12 * s[0], s, np.nan) ** -2.0
            C = (V.T * np.where(np.isfinite(spread), spread, 1e24)) @ V / np.outer(size, size)
            noise = 1.0 if self.problem.known else self.chi2
            out[np.ix_(felt, felt)] = C * noise  # ID.13
        return out

    @property
    def sigma(self) -> dict[str, float]:
        """{number: standard deviation}."""
        return dict(zip(self.names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    @property
    def confidence(self) -> dict[str, tuple[float, float]]:
        """{number: (low, high)}, 95 %."""
        from scipy.stats import t

        wide = (
            1.96
            if self.problem.known
            else float(t.ppf(0.975, max(1, self._measured - len(self.x))))
        )
        return {
            n: (x - wide * s, x + wide * s)
            for (n, x), s in zip(self.values.items(), self.sigma.values(), strict=True)
        }

    @cached_property
    def correlations(self) -> dict[tuple[str, str], float]:
        """{pair of numbers: correlation}, the largest first."""
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
        """Groups of numbers that the measurements cannot tell apart."""
        felt = [i for i, n in enumerate(self.names) if n not in self.unreached]
        if len(felt) < 2:
            return ()
        A = self._here[1][:, felt]
        _, s, V = np.linalg.svd(A / np.linalg.norm(A, axis=0), full_matrices=False)
        groups = []
        for value, row in zip(s, V, strict=True):
            if value <= ALIKE * s[0]:
                groups.append(
                    tuple(
                        self.names[felt[i]] for i in np.flatnonzero(abs(row) > 0.3 * abs(row).max())
                    )
                )
        return tuple(dict.fromkeys(groups))

    @property
    def active(self) -> tuple[str, ...]:
        """Numbers that stand on one of their bounds."""
        free, near = self.problem.free, 1e-6 * self.problem.scale
        return tuple(
            n
            for n, x, a, b, d in zip(self.names, self.x, free.low, free.high, near, strict=True)
            if x - a <= d or b - x <= d
        )

    @cached_property
    def residuals(self) -> dict[tuple[int, str], np.ndarray]:
        """{(experiment, signal): simulated less measured, in the signal's unit}."""
        out = {}
        for i, trial in enumerate(self.problem.trials):
            run = trial.run(self.x, False, self.problem.rtol).check()
            for name, (_, measured) in trial.rows.items():
                out[i, name] = trial.compared(run, name)[0] - measured
        return out

    def validate(self, experiment: Experiment) -> dict[str, float]:
        """Root mean square error over spread of each signal of a test that was not used."""
        trial = Trial(experiment, self.names)
        run = trial.run(self.x, False, self.problem.rtol).check()
        return {
            name: float(
                np.sqrt(np.mean((trial.compared(run, name)[0] - y) ** 2)) / max(np.std(y), 1e-300)
            )
            for name, (_, y) in trial.rows.items()
        }

    def profile(self, name: str, values) -> np.ndarray:
        """Sum of squares [sigma^2] with one number held at each value and the others fitted."""
        if name not in self.names:
            raise ArgumentError(f"profile: {name!r} is not free; free: {', '.join(self.names)}")
        from scipy.optimize import least_squares

        i, p = self.names.index(name), self.problem
        rest = [j for j in range(len(self.x)) if j != i]
        out, u = [], self.x / p.scale
        for value in values:

            def at(w, value=value):
                whole = np.insert(w, i, value / p.scale[i])
                return p.at(whole)

            if rest:
                bounds = (p.free.low[rest] / p.scale[rest], p.free.high[rest] / p.scale[rest])
                s = least_squares(
                    lambda w, at=at: at(w)[0],
                    u[rest],
                    jac=lambda w, at=at: at(w)[1][:, rest],
                    bounds=bounds,
                )
                out.append(2 * s.cost)
            else:
                r = at(np.zeros(0))[0]
                out.append(float(r @ r))
        return np.array(out)

    def table(self) -> Table:
        """Numbers with interval and what is to be said of them."""
        rows, wide = [], self.confidence
        for n, x, x0 in zip(self.names, self.x, self.problem.free.start, strict=True):
            said = ["not reached"] if n in self.unreached else []
            said += ["on its bound"] if n in self.active else []
            said += [
                f"not separable from {', '.join(o for o in g if o != n)}"
                for g in self.inseparable
                if n in g
            ]
            rows.append(
                {
                    "number": n,
                    "value": float(x),
                    "start": float(x0),
                    "low 95 %": wide[n][0],
                    "high 95 %": wide[n][1],
                    "note": "; ".join(said),
                }
            )
        return Table(rows)

    def report(self, path):
        """Write a page (.html) with measured and fitted signals, residuals and the table."""
        from .report import fit_report

        return fit_report(self, path)

    def __str__(self):
        told = f"; not reached: {', '.join(self.unreached)}" if self.unreached else ""
        return (
            f"{len(self.names)} numbers from {self._measured} measurements of "
            f"{len(self.problem.trials)} tests in {self.evaluations} evaluations, "
            f"chi2 = {self.chi2:.4g}{told}"
        )
