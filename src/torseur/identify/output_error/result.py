"""What a fit found: numbers, intervals, and what the tests cannot tell.

Theory: ID.13.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from ...errors import ArgumentError
from ...model import field_paths
from ...signals import signal_units
from ..row_table import RowTable
from .experiment import Experiment
from .residual_analysis import freedom, only_noise, variances
from .residuals import LOST, Problem, Trial, told

NOTHING = 1e-9  # of the largest column: a number that no measurement feels
ALIKE = 30.0  # condition index from which columns of unit length nearly depend on each other
HALF = 0.5  # of a number's variance: it takes part in such a dependence
UNKNOWN = 3.0  # standard deviations over the number: nothing is known of it
TOLD = 1.96 + 1.645  # sigmas of a number that a test at 5 % tells from zero 19 times of 20


@dataclass(frozen=True, eq=False, repr=False)
class Fit:
    """What `fit` found.

    `values`: {number: value}; `model`: the first experiment's model with them; `costs`: half the
    sum of squares each start ended with; `outcome`: "settled", or that it was not.
    """

    problem: Problem
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
            model = told(trial.experiment)
            for name, x in self.values.items():
                if name in trial.start:
                    model = replace(model, initial={**model.initial, name: x})
                elif name in model.parameters:
                    model = replace(model, parameters={**model.parameters, name: x})
                else:
                    model = field_paths.replaced(model, name, x)
            out.append(model)
        return tuple(out)

    @property
    def model(self):
        """The first experiment's model with the numbers found."""
        return self.models[0]

    @property
    def chi2(self) -> float:
        """Sum of squares in sigmas over its degrees of freedom: 1 where noise is as told."""
        r = self.problem.unweighted(self._here[0])
        return float(r @ r) / (freedom(self.problem, len(r)) + len(self.unreached))

    @cached_property
    def good(self) -> bool:
        """Whether what is left over is noise: not more than was told, and without order (ID.14)."""
        return only_noise(self.problem, *self._here)

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
        felt = [i for i, n in enumerate(self.names) if n not in self.unreached]
        out = np.full((len(self.x),) * 2, 0.0)
        np.fill_diagonal(out, np.inf)
        if felt:
            out[np.ix_(felt, felt)] = self._covariance(felt)
        return out

    def _covariance(self, free: list[int]) -> np.ndarray:
        """Of some numbers, the others held."""
        A = (self._here[1] / self.problem.scale)[:, free]
        size = np.linalg.norm(A, axis=0)
        U, s, V = np.linalg.svd(A / size, full_matrices=False)
        s = np.where(s > 1e-12 * s[0], s, 1e-12)
        own = self._noise
        if not np.isfinite(own).all():
            return np.full((len(free),) * 2, np.inf)
        U[: len(own)] *= np.sqrt(own)[:, None]  # how noise comes through
        P = U @ (V / s[:, None]) / size
        return P.T @ P  # ID.13

    @cached_property
    def _noise(self) -> np.ndarray:
        """Variances of residuals, weighted as they are: of signals whose sigma was told as it says,
        of others what is left over."""
        p = self.problem
        found = zip(p.signals, variances(p, *self._here), strict=True)
        return p.weights * np.concatenate([np.full(len(t.rows[n][0]), x) for (t, n), x in found])

    @property
    def sigma(self) -> dict[str, float]:
        """{number: standard deviation}."""
        return dict(zip(self.names, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))

    @cached_property
    def wide(self) -> float:
        """Of an interval of 95 %: standard deviations to each side."""
        from scipy.stats import t

        known = self.problem.known
        return 1.96 if known else float(t.ppf(0.975, freedom(self.problem, self._measured)))

    @property
    def confidence(self) -> dict[str, tuple[float, float]]:
        """{number: (low, high)}, 95 %."""
        both = zip(self.values.items(), self.sigma.values(), strict=True)
        return {n: (x - self.wide * s, x + self.wide * s) for (n, x), s in both}

    def unit_of(self, name: str) -> str:
        """Of a number, "" where it is not known."""
        trial = self.problem.trials[0]
        own = signal_units(trial.system)
        if name in trial.start:
            return own.get(name, "")
        angle = own.get(f"{name.partition('.')[0]}.deflection", "m") == "rad"
        return field_paths.unit(self.model, name, turning=angle)

    @cached_property
    def units(self) -> tuple[str, ...]:
        """Of the numbers."""
        return tuple(map(self.unit_of, self.names))

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
        """Groups of numbers that the measurements cannot tell apart: ID.13.

        Columns nearly depend on each other (condition index 30 and more), the variance of two and
        more of the numbers comes for more than half from that, and one of them is not told from
        zero: less than 3.6 standard deviations, where a test at 5 % misses one in twenty.
        """
        felt = [i for i, n in enumerate(self.names) if n not in self.unreached]
        if len(felt) < 2:
            return ()
        A = self._here[1][:, felt]
        _, s, V = np.linalg.svd(A / np.linalg.norm(A, axis=0), full_matrices=False)
        share = (V / np.maximum(s, 1e-15 * s[0])[:, None]) ** 2
        share /= share.sum(axis=0)
        weak = {n for n, e in self.sigma.items() if abs(self.values[n]) < TOLD * e}
        groups = [
            tuple(self.names[felt[i]] for i in np.flatnonzero(row > HALF))
            for value, row in zip(s, share, strict=True)
            if value * ALIKE <= s[0]
        ]
        return tuple(g for g in groups if len(g) > 1 and weak & {*g})

    @cached_property
    def one_sided(self) -> dict[str, str]:
        """{number: why}: derivatives, hence intervals, that hold to one side only: a start exactly
        on a stop, two events of one instant, an event that is only grazed."""
        found: dict[str, str] = {}
        for trial in self.problem.trials:
            slopes = trial.run(self.x, True, self.problem.rtol)._slopes
            asked = zip(self.names, trial.asked, strict=True)
            found = {n: why for n, own in asked if (why := slopes.why(own))} | found
        return found

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
        trial = Trial(experiment, self.problem.free)
        run = trial.run(self.x, False, self.problem.rtol).check()
        return {
            name: float(
                np.sqrt(np.mean((trial.compared(run, name)[0] - y) ** 2)) / max(np.std(y), 1e-300)
            )
            for name, (_, y) in trial.rows.items()
        }

    def profile(self, name: str, values) -> np.ndarray:
        """Sum of squares [sigma^2] with one number held at each value and the others fitted;
        infinite where no run reaches its end."""
        if name not in self.names:
            raise ArgumentError(f"profile: {name!r} is not free; free: {', '.join(self.names)}")
        from scipy.optimize import least_squares

        i, p, values = self.names.index(name), self.problem, np.atleast_1d(values)
        low, high = p.free.low[i], p.free.high[i]
        if bad := [f"{x:g}" for x in values if not low <= x <= high]:
            raise ArgumentError(
                f"profile: {name!r} = {', '.join(bad)} is outside its bounds ({low:g}, {high:g})"
            )
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
                r = s.fun
            else:
                r = at(np.zeros(0))[0]
            out.append(np.inf if np.any(abs(r) > 0.999 * LOST) else float(r @ r))
        return np.array(out)

    def _told(self, name: str, group: tuple[str, ...]) -> str:
        """With whom a number is not separable, and by how much: how well it is known as it is, and
        how well it would be if the others were (ID.13)."""
        i, others = self.names.index(name), [self.names.index(o) for o in group if o != name]
        away = {*others, *map(self.names.index, self.unreached)}
        kept = [j for j in range(len(self.x)) if j not in away]
        x = abs(self.x[i]) if abs(self.x[i]) > 1e-6 * self.problem.scale[i] else 0.0
        where = kept.index(i)
        held = self._covariance(kept)[where, where]
        alone, held = np.sqrt([self.covariance[i, i], held]) / (x or 1.0)
        one, other = (f"{100 * s:.2g} %" if x else f"{s:.2g}" for s in (alone, held))
        known = f"known within {one}" if alone < UNKNOWN or not x else "not known at all"
        who = ", ".join(self.names[o] for o in others)
        return f"not separable from {who}: {known}, within {other} if they were known"

    def table(self) -> RowTable:
        """Numbers with interval and what is to be said of them."""
        rows, wide = [], self.confidence
        start = self.problem.free.start
        for n, x, x0, unit in zip(self.names, self.x, start, self.units, strict=True):
            said = ["not reached"] if n in self.unreached else []
            said += ["on its bound"] if n in self.active else []
            said += ["its interval holds to one side only"] if n in self.one_sided else []
            said += [self._told(n, g) for g in self.inseparable if n in g]
            rows.append(
                {
                    "number": n,
                    "unit": unit,
                    "value": float(x),
                    "start": float(x0),
                    "low 95 %": wide[n][0],
                    "high 95 %": wide[n][1],
                    "note": "; ".join(said),
                }
            )
        return RowTable(rows)

    def report(self, path):
        """Write a page (.html): what is to be said, signals, curves with intervals, numbers."""
        from ..report import fit_page

        return fit_page(self, path)

    def _repr_html_(self) -> str:
        from html import escape

        return f"<p>{escape(str(self))}</p>{self.table()._repr_html_()}"

    @property
    def counted(self) -> str:
        """How many numbers came from what, and chi2."""
        counts = {
            "number": len(self.names),
            "measurement": self._measured,
            "test": len(self.problem.trials),
            "evaluation": self.evaluations,
        }
        a, b, c, d = (f"{n} {what}{'s' * (n != 1)}" for what, n in counts.items())
        return f"{a} from {b} of {c} in {d}, chi2 = {self.chi2:.4g}"

    @property
    def notes(self) -> list[str]:
        """What is to be said of a fit, in sentences without a stop."""
        said = [] if self.outcome == "settled" else [f"{self.outcome}: let it have more"]
        said += [] if self.good else ["more than noise is left over"]
        said += [f"not reached: {', '.join(self.unreached)}"] if self.unreached else []
        said += [f"on a bound: {', '.join(self.active)}"] if self.active else []
        said += [f"not separable: {', '.join(group)}" for group in self.inseparable]
        if not np.isfinite(self._noise).all():
            said += [
                "no more measurements than numbers: tell their sigma, else no interval is known"
            ]
        if self.one_sided:
            said += [f"derivatives to one side only: {next(iter(self.one_sided.values()))}"]
        return said

    def __str__(self):
        return "; ".join([self.counted, *self.notes])

    __repr__ = __str__
