"""Parameter study (Monte Carlo, design of experiments): from distributions to a table of runs."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, needs, shown, unknown_name_message
from ..model import Model
from ..results import Trajectory
from ..scalars import arguments
from ..system import System
from ..views import tabled
from . import executors, sampling, statistics
from .distributions import Choice, Distribution, Grid
from .metrics import EventTime, Measure
from .plan import Plan, check_plan, make_plan, read_limit
from .response_surface import Surface
from .sensitivity_analysis import sensitivity_indices
from .storage import Memory, Zarr

if TYPE_CHECKING:
    import pandas


class Study:
    """Results of a study: `table` with one row per run, and arrays `study["pulse"]` by run.

    A run that failed has a message in `outcome` and NaN in the measures.
    """

    def __init__(self, store: Memory | Zarr, design: str = "", seed: int = 0):
        self.store, self.design, self.seed = store, design, seed

    @property
    def plan(self) -> Plan:
        """Plan of the computation."""
        return self.store.plan

    def __len__(self) -> int:
        return self.plan.members

    def __repr__(self):
        missing = sum(len(self.plan.rows(c)) for c in self.store.missing())
        names = ", ".join(self.plan.keep) or "nothing"
        return f"Study({len(self) - missing} of {len(self)} members, keeps {names})"

    def _repr_html_(self) -> str:
        names = [n for n in self.names if self[n].ndim == 1]
        rows = ((i, *(self[n][i] for n in names)) for i in range(min(len(self), 20)))
        note = f", the first 20 of {len(self)} members" if len(self) > 20 else ""
        return tabled(f"{self!r}{note}", ("member", *names), rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns: varied quantities, measures, outcome and completed."""
        return (*self._choices, *self.plan.values, *self.plan.keep, "outcome", "completed")

    @property
    def _choices(self) -> dict[str, str]:
        """Labels of the choices of the first branch, by name."""
        return self.plan.labels[0] if self.plan.labels else {}

    def __getitem__(self, name: str) -> np.ndarray:
        """Column of a varied quantity, choice or measure, runs first."""
        plan = self.plan
        if not isinstance(name, str):
            raise ArgumentError(unknown_name_message("column", name, self.names, "study"))
        if name in plan.values:
            return plan.values[name]
        if name in self._choices:
            return np.array([plan.labels[b][name] for b in plan.branch], dtype=object)
        if name not in self.names:
            raise ArgumentError(unknown_name_message("column", name, self.names, "study"))
        return self.store.get(name)

    @property
    def table(self) -> pandas.DataFrame:
        """All columns with one value a member, as a pandas table."""
        with needs("studies", "the table of a study"):
            import pandas

        return pandas.DataFrame(
            {n: x for n in self.names if (x := self[n]).ndim == 1},
            index=pandas.RangeIndex(len(self), name="member"),
        )

    def resume(
        self, engine: Any = "auto", workers: int | None = None, progress: bool | None = None
    ) -> Study:
        """Compute the missing chunks."""
        missing = self.store.missing()
        done = len(self) - sum(len(self.plan.rows(c)) for c in missing)
        with self.store.report_errors():
            results: Iterable[tuple[int, executors.Columns]] = ()
            if missing:
                results = executors.compute_chunks(self.plan, missing, engine, workers)
            executors.store_chunks(self.plan, results, self.store.put, progress, done)
        return self

    def run(self, member: int) -> Trajectory:
        """The whole run of one member, computed again."""
        if not isinstance(member, int | np.integer) or not 0 <= member < len(self):
            raise ArgumentError(f"study: member {shown(member)} of {len(self)}; they count from 0")
        with self.store.report_errors():
            bench = self.plan.benches[self.plan.branch[member]]
            return bench.run({n: float(x[member]) for n, x in self.plan.values.items()})

    def sensitivity(self, name: str) -> pandas.DataFrame:
        """Global sensitivity indices of a column: its variance by each varied quantity, by SALib.

        The designs "saltelli" and "morris" have their own analysis: first-order and total Sobol
        indices, or mean and standard deviation of elementary effects over the whole range.  A full
        grid has exact first-order and total indices.  Other samples are analyzed by RBD-FAST, first
        order only.
        """
        with needs("studies", "the table of a study"):
            import pandas

        y = self._numbers(name)
        if not np.isfinite(y).all():
            bad = int(np.argmax(~np.isfinite(y)))
            raise ArgumentError(
                f"study: {name!r} has no value in member {bad} ({self['outcome'][bad]}); a "
                "sensitivity needs every member"
            )
        columns = {**{n: self[n] for n in self._choices}, **self.plan.values}
        indices = sensitivity_indices(columns, y, self.seed, self.design)
        return pandas.DataFrame(indices, index=list(columns))

    def bands(
        self,
        name: str,
        percentiles: float | Sequence[float] = (5, 50, 95),
        confidence: float | None = None,
    ) -> np.ndarray:
        """Percentiles over the members of a stored signal, (percentiles, times).

        With a `confidence`, (percentiles, 3, times): each with its confidence interval.  Members
        that ended before a time do not count there.
        """
        x = self[name]
        if x.ndim != 2:
            raise ArgumentError(f"study: {name!r} is one number a member; bands are of signals")
        percents = arguments.numbers("bands", "percentiles", percentiles, "", (None,))
        if not ((percents >= 0) & (percents <= 100)).all():
            raise ArgumentError(
                f"bands: percentiles = {shown(percentiles)}; use numbers from 0 to 100"
            )
        if confidence is None:
            return np.nanpercentile(x, percentiles, axis=0)
        columns = [
            np.stack(
                [statistics.estimate_percentile(y[np.isfinite(y)], p, confidence) for p in percents]
            )
            for y in x.T
        ]
        return np.moveaxis(np.array(columns), 0, -1)

    def probability(
        self,
        name: str,
        *,
        above: Any = None,
        below: Any = None,
        confidence: float = 0.95,
        failed: str = "refuse",
    ) -> statistics.ProbabilityEstimate:
        """Probability that a number is above or below a limit, with its Clopper-Pearson interval.

        `above` or `below` is a number, or a text with its unit.  For an event time, `above=0` gives
        the probability that the event happens.  Members without a value raise an error, or count as
        failing with `failed="count"`, or do not count with `failed="leave out"`.  An event that did
        not happen is no failure.

        >>> import torseur as ts
        >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
        ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
        >>> study = ts.study(block, t_end=1.0, samples=64,
        ...                  vary={"x.speed": ts.studies.Uniform(0, 1)},
        ...                  keep={"end": ts.studies.Final("x.displacement")}, engine="lanes")
        >>> study.probability("end", above=0.75).value
        0.25
        """
        if (above is None) == (below is None):
            raise ArgumentError("probability: give above= or below=, one of them")
        if failed not in ("refuse", "count", "leave out"):
            raise ArgumentError(
                f"probability: failed = {failed!r}; use 'refuse', 'count' or 'leave out'"
            )
        y = self._numbers(name)
        limit = read_limit(self.plan, name, above if below is None else below, "probability")
        with np.errstate(invalid="ignore"):
            fails = y > limit if below is None else y < limit
        unknown = ~self["completed"]
        if not isinstance(self.plan.keep.get(name), EventTime):
            unknown |= ~np.isfinite(y)
        if unknown.any() and failed == "refuse":
            bad = int(np.argmax(unknown))
            raise ArgumentError(
                f"probability: {int(unknown.sum())} members have no {name!r}, the first is {bad} "
                f"({self['outcome'][bad]}); say failed='count' or failed='leave out'"
            )
        fails = fails | unknown if failed == "count" else fails[~unknown]
        return statistics.estimate_probability(fails, confidence)

    def worst(self, name: str, by: str = "max", count: int = 1) -> pandas.DataFrame:
        """Members with the largest ("max"), smallest ("min") or largest absolute ("abs") values."""
        y = self._numbers(name)
        sizes = {"max": y, "min": -y, "abs": np.abs(y)}
        if by not in sizes:
            raise ArgumentError(unknown_name_message("kind", by, tuple(sizes), "worst"))
        order = np.argsort(-np.where(np.isfinite(y), sizes[by], -np.inf), kind="stable")
        return self.table.iloc[order[:count]]

    def summary(
        self, percentiles: Sequence[float] = (5, 50, 95), confidence: float = 0.95
    ) -> pandas.DataFrame:
        """Mean, standard deviation and percentiles of every measure, with confidence intervals."""
        with needs("studies", "a table"):
            import pandas

        rows = {}
        for name in self.plan.keep:
            y = self[name]
            y = y[np.isfinite(y)] if y.ndim == 1 else y[:0]
            if y.ndim != 1 or not len(y):
                continue
            mean = statistics.estimate_mean(y, confidence)
            row = {"members": len(y), "mean": mean.value, "mean low": mean.low}
            row |= {"mean high": mean.high, "std": float(np.std(y, ddof=1))}
            for p in percentiles:
                x, low, high = statistics.estimate_percentile(y, p, confidence).tolist()
                row |= {f"{p:g} %": x, f"{p:g} % low": low, f"{p:g} % high": high}
            rows[name] = row
        return pandas.DataFrame(rows).T

    def surface(self, name: str, degree: int = 2) -> Surface:
        """Response surface: a polynomial of the varied numbers, see `Surface`."""
        if len(self.plan.branches) > 1:
            raise ArgumentError("surface: this study has branches; a polynomial has none")
        y = self._numbers(name)
        valid = np.isfinite(y) & self["completed"]
        return Surface({n: x[valid] for n, x in self.plan.values.items()}, y[valid], degree, name)

    def _numbers(self, name: str) -> np.ndarray:
        """A column of numbers, or an error for other columns."""
        y = self[name]
        if y.ndim != 1 or y.dtype == object:
            raise ArgumentError(f"study: {name!r} is not one number a member")
        return np.asarray(y, float)

    def plot(self, *names: str) -> Any:
        """Histograms of numbers, percentile bands of signals; a Matplotlib figure."""
        from .report import study_figure

        return study_figure(self, names or tuple(self.plan.keep))

    def report(self, path: str | Path, runs: int | Iterable[int] | None = None) -> Path:
        """Write a page: parallel coordinates, scatter matrix, bands, histograms, table.

        `runs`: the members whose motion is in the page (click a row to see it), or their number; by
        default a dozen, with the extremes and medians of the measures.
        """
        from .report import write_study_report

        return write_study_report(self, path, runs)


def study(
    model: Model | System,
    *,
    vary: Mapping[str, Any],
    keep: Mapping[str, Measure],
    t_end: float | None = None,
    samples: int | None = None,
    design: str | None = None,
    engine: Any = "auto",
    store: str | os.PathLike[str] | None = None,
    seed: int = 0,
    workers: int | None = None,
    progress: bool | None = None,
    **options: Any,
) -> Study:
    """Run a parameter study: many runs of one model, with varied quantities and stored measures.

    Parameters
    ----------
    vary : names (a parameter, a coordinate or speed at the start, an input, or the path of any
        number: "engine.mass", "front.points[3].force", "front.scale") with
        `Normal`, `Uniform`, `LogNormal` or `Grid` of `ts.studies`, or `ts.studies.Choice` of laws
        ("front.law") or models ("model"); lists of one length are rows as they are; or the path of
        a CSV file
    keep : names of measures: `Peak`, `SignalAt(name, at=times)`, `EventTime`, `Final`, `Mean`,
        `RMS` or `Metric(function)` of `ts.studies`
    design : "grid", "random", "latin", "sobol", "saltelli", "morris"; by default "grid" where only
        grids and choices vary, else "sobol"
    engine : "auto", "lanes" (this process), "processes", or a Dask client or its address; the
        numbers do not depend on it
    store : folder of a Zarr store; the same call on the same store continues where it stopped
    **options : of `ts.simulate`: rtol, method, initial, parameters, ...

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> result = study(pendulum, t_end=0.5, vary={"pivot.angle": ts.studies.Grid(0.1, 0.3, 3)},
    ...                keep={"fast": ts.studies.Peak("pivot.rate")}, engine="lanes")
    >>> result.table["fast"].round(4).tolist()
    [0.3131, 0.6254, 0.936]
    """
    seed = arguments.count("study", "seed", seed, 0)
    distributions, listed = _read_varied(vary)
    if listed:
        if samples is not None or design not in (None, "list"):
            option = f"samples={samples}" if samples is not None else f"design={design!r}"
            raise ArgumentError(
                f"study: {option}, but {', '.join(map(repr, listed))} lists its values, which are "
                "taken row by row; ts.studies.Uniform(low, high) varies between two, "
                "ts.studies.Grid([...]) has a list of values"
            )
        design, rows = "list", sampling.read_columns(listed)
    else:
        is_discrete = all(isinstance(s, Grid | Choice) for s in distributions.values())
        design = design or ("grid" if is_discrete else "sobol")
        rows = sampling.draw_samples(distributions, design, samples, seed)
    varied = distributions or dict.fromkeys(rows)
    plan = make_plan(model, varied, rows, keep, {"t_end": t_end, **options})
    expressions = {
        n: [str(x) for x in np.ravel(s) if isinstance(x, str)] for n, s in listed.items()
    }
    check_plan(
        plan, expressions | {n: s.expressions_with_units() for n, s in distributions.items()}
    )
    result = Study(Zarr(store, plan) if store is not None else Memory(plan), design, seed)
    return result.resume(engine, workers, progress)


def _read_varied(vary: Any) -> tuple[dict[str, Distribution], dict[str, Any]]:
    """Distributions, or listed values from the argument or a CSV file."""
    if isinstance(vary, str | Path):
        return {}, dict(sampling.read_csv(vary))
    vary = arguments.mapping("study", "vary", vary, "{'body.mass': ts.studies.Uniform(1, 2)}")
    distributions = {n: s for n, s in vary.items() if isinstance(s, Distribution)}
    listed = {n: s for n, s in vary.items() if n not in distributions}
    if distributions and listed:
        raise ArgumentError(
            f"study: {', '.join(map(repr, listed))} is a list, the others are distributions; use "
            "ts.studies.Grid([...]) for a list of values"
        )
    return distributions, listed


def open_study(path: str | os.PathLike[str]) -> Study:
    """Open a study from its store, complete or not: `.table`, `.resume()`.

    >>> open_study("nowhere.zarr")
    Traceback (most recent call last):
    torseur.errors.ArgumentError: nowhere.zarr: no study is stored there
    """
    return Study(Zarr(path))
