"""`study`: one call from a model and its spreads to a table of members."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, needs, shown, unknown_name
from ..model import Model
from ..scalars import arguments
from ..system import System
from ..views import tabled
from . import executors, sampling, statistics
from .distributions import Choice, Distribution, Grid
from .metrics import EventTime, Measure
from .plan import Plan, limit, planned, told_at_once
from .response_surface import Surface
from .sensitivity_analysis import shares
from .storage import Memory, Zarr

if TYPE_CHECKING:
    import pandas


class Study:
    """Members of a study: `table`, one row a member; `study["pulse"]`, members first.

    A member that failed is a row with its sentence in `outcome` and NaN in what was kept.
    """

    def __init__(self, store: Memory | Zarr, design: str = "", seed: int = 0):
        self.store, self.design, self.seed = store, design, seed

    @property
    def plan(self) -> Plan:
        """What is computed."""
        return self.store.plan

    def __len__(self) -> int:
        return self.plan.members

    def __repr__(self):
        done = len(self) - sum(len(self.plan.rows(c)) for c in self.store.missing())
        return (
            f"Study({done} of {len(self)} members, keeps {', '.join(self.plan.keep) or 'nothing'})"
        )

    def _repr_html_(self) -> str:
        done = [n for n in self.names if self[n].ndim == 1]
        rows = ((i, *(self[n][i] for n in done)) for i in range(min(len(self), 20)))
        more = f", the first 20 of {len(self)} members" if len(self) > 20 else ""
        return tabled(f"{self!r}{more}", ("member", *done), rows)

    @property
    def names(self) -> tuple[str, ...]:
        """Columns: varied things, what was kept, outcome and completed."""
        chosen = self.plan.labels[0] if self.plan.labels else {}
        return (*chosen, *self.plan.values, *self.plan.keep, "outcome", "completed")

    def __getitem__(self, name: str) -> np.ndarray:
        plan = self.plan
        if not isinstance(name, str):
            raise ArgumentError(unknown_name("column", name, self.names, "study"))
        if name in plan.values:
            return plan.values[name]
        if name in (plan.labels[0] if plan.labels else {}):
            return np.array([plan.labels[b][name] for b in plan.branch], dtype=object)
        if name not in self.names:
            raise ArgumentError(unknown_name("column", name, self.names, "study"))
        return self.store.get(name)

    @property
    def table(self) -> pandas.DataFrame:
        """Everything that is one value a member, as a pandas table."""
        with needs("studies", "the table of a study"):
            import pandas

        return pandas.DataFrame(
            {n: x for n in self.names if (x := self[n]).ndim == 1},
            index=pandas.RangeIndex(len(self), name="member"),
        )

    def resume(self, engine: Any = "auto", workers: int | None = None, progress=None) -> Study:
        """Compute what is missing; what is there stays."""
        left = self.store.missing()
        done = len(self) - sum(len(self.plan.rows(c)) for c in left)
        with self.store.told():
            found = executors.run(self.plan, left, engine, workers) if left else ()
            executors.ordered(self.plan, found, self.store.put, progress, done)
        return self

    def run(self, member: int):
        """The whole run of one member, computed again."""
        if not isinstance(member, int | np.integer) or not 0 <= member < len(self):
            raise ArgumentError(f"study: member {shown(member)} of {len(self)}; they count from 0")
        with self.store.told():
            bench = self.plan.benches[self.plan.branch[member]]
            return bench.run({n: float(x[member]) for n, x in self.plan.values.items()})

    def sensitivity(self, name: str) -> pandas.DataFrame:
        """How much each varied number explains of a column's variance, through SALib.

        Rows of the designs "saltelli" and "morris" have their own analysis (first-order and total
        Sobol indices; mean and spread of elementary effects, over the whole range of each number).
        Of a full grid the shares are exact, first order and total; anything else is analyzed by
        RBD-FAST, first order only.
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
        chosen = {n: self[n] for n in (self.plan.labels[0] if self.plan.labels else {})}
        columns = {**chosen, **self.plan.values}
        return pandas.DataFrame(shares(columns, y, self.seed, self.design), index=list(columns))

    def bands(self, name: str, percentiles=(5, 50, 95), confidence: float | None = None):
        """Percentiles over the members of a kept signal, (percentiles, times).

        With a `confidence`, (percentiles, 3, times): each with the ends of its interval.  Members
        that ended before a time are not in its percentiles.
        """
        x = self[name]
        if x.ndim != 2:
            raise ArgumentError(f"study: {name!r} is one number a member; bands are of signals")
        asked_for = arguments.numbers("bands", "percentiles", percentiles, "", (None,))
        if not ((asked_for >= 0) & (asked_for <= 100)).all():
            raise ArgumentError(
                f"bands: percentiles = {shown(percentiles)}; use numbers from 0 to 100"
            )
        if confidence is None:
            return np.nanpercentile(x, percentiles, axis=0)
        columns = [
            np.stack([statistics.percentile(y[np.isfinite(y)], p, confidence) for p in percentiles])
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
        """Probability that a number lies above or below a limit, with its interval.

        `above` or `below` is a number, or a text with its unit; for a kept event, `above=0` asks
        whether it happened.  Members without a value are refused, or counted as failing with
        `failed="count"`, or left out with `failed="leave out"`.  An event that did not happen is no
        failure: it is not counted.

        >>> import torseur as ts
        >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
        ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
        >>> found = ts.study(block, t_end=1.0, samples=64,
        ...                  vary={"x.speed": ts.studies.Uniform(0, 1)},
        ...                  keep={"end": ts.studies.Final("x.displacement")}, engine="lanes")
        >>> found.probability("end", above=0.75).value
        0.25
        """
        if (above is None) == (below is None):
            raise ArgumentError("probability: give above= or below=, one of them")
        if failed not in ("refuse", "count", "leave out"):
            raise ArgumentError(
                f"probability: failed = {failed!r}; use 'refuse', 'count' or 'leave out'"
            )
        y = self._numbers(name)
        edge = limit(self.plan, name, above if below is None else below, "probability")
        with np.errstate(invalid="ignore"):
            fails = y > edge if below is None else y < edge
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
        return statistics.chance(fails, confidence)

    def worst(self, name: str, by: str = "max", count: int = 1) -> pandas.DataFrame:
        """Rows of the members with the largest ("max"), smallest ("min") or largest by size ("abs")
        values of a number.
        """
        y = self._numbers(name)
        sizes = {"max": y, "min": -y, "abs": np.abs(y)}
        if by not in sizes:
            raise ArgumentError(unknown_name("kind", by, tuple(sizes), "worst"))
        order = np.argsort(-np.where(np.isfinite(y), sizes[by], -np.inf), kind="stable")
        return self.table.iloc[order[:count]]

    def summary(self, percentiles=(5, 50, 95), confidence: float = 0.95) -> pandas.DataFrame:
        """Mean, spread and percentiles of every kept number, each with its interval."""
        with needs("studies", "a table"):
            import pandas

        rows = {}
        for name in self.plan.keep:
            y = self[name]
            y = y[np.isfinite(y)] if y.ndim == 1 else y[:0]
            if y.ndim != 1 or not len(y):
                continue
            row = {"members": len(y), "mean": (m := statistics.mean(y, confidence)).value}
            row |= {"mean low": m.low, "mean high": m.high, "std": float(np.std(y, ddof=1))}
            for p in percentiles:
                middle, low, high = statistics.percentile(y, p, confidence).tolist()
                row |= {f"{p:g} %": middle, f"{p:g} % low": low, f"{p:g} % high": high}
            rows[name] = row
        return pandas.DataFrame(rows).T

    def surface(self, name: str, degree: int = 2) -> Surface:
        """A polynomial of the varied numbers in place of runs, see `Surface`."""
        if len(self.plan.branches) > 1:
            raise ArgumentError("surface: this study has branches; a polynomial has none")
        y = self._numbers(name)
        good = np.isfinite(y) & self["completed"]
        return Surface({n: x[good] for n, x in self.plan.values.items()}, y[good], degree, name)

    def _numbers(self, name: str) -> np.ndarray:
        y = self[name]
        if y.ndim != 1 or y.dtype == object:
            raise ArgumentError(f"study: {name!r} is not one number a member")
        return np.asarray(y, float)

    def plot(self, *names: str):
        """Histograms of numbers, percentile bands of signals; a Matplotlib figure."""
        from .report import figure

        return figure(self, names or tuple(self.plan.keep))

    def report(self, path, runs: int | Iterable[int] | None = None) -> Path:
        """A page that stands alone: parallel coordinates, scatter matrix, bands, histograms, table.

        `runs`: the members whose motion travels with it (click a row to see it), or how many; by
        default a dozen, the extremes and middles of what was kept among them.
        """
        from .report import page

        return page(self, path, runs)


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
    """Many members of one model, each a run of its own: what varies, what is kept.

    Parameters
    ----------
    vary : names (a parameter, a coordinate or speed at the start, an input, or the path of any
        number: "engine.mass", "front.points[3].force", "front.scale") with
        `Normal`, `Uniform`, `LogNormal` or `Grid` of `ts.studies`, or `ts.studies.Choice` of laws
        ("front.law") or models ("model"); lists of one length are rows as they are; or the path of
        a CSV file
    keep : names with `Peak`, `SignalAt(name, at=times)`, `EventTime`, `Final`, `Mean`, `RMS` or
        `Metric(function)` of `ts.studies`
    design : "grid", "random", "latin", "sobol", "saltelli", "morris"; by default "grid" where only
        grids and choices vary, else "sobol"
    engine : "auto", "lanes" (this process), "processes", or a Dask client or its address; the
        numbers do not depend on it
    store : folder of a Zarr store; the same call on the same store goes on where it stopped
    **options : of `ts.simulate`: rtol, method, initial, parameters, ...

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=1.0, com=(0, 0, -1.0))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> found = study(pendulum, t_end=0.5, vary={"pivot.angle": ts.studies.Grid(0.1, 0.3, 3)},
    ...               keep={"fast": ts.studies.Peak("pivot.rate")}, engine="lanes")
    >>> found.table["fast"].round(4).tolist()
    [0.3131, 0.6254, 0.936]
    """
    seed = arguments.count("study", "seed", seed, 0)
    spreads: dict[str, Distribution] = {}
    if isinstance(vary, str | Path):
        listed: dict[str, Any] = dict(sampling.from_csv(vary))
    else:
        vary = arguments.mapping("study", "vary", vary, "{'body.mass': ts.studies.Uniform(1, 2)}")
        spreads = {n: s for n, s in vary.items() if isinstance(s, Distribution)}
        listed = {n: s for n, s in vary.items() if n not in spreads}
        if spreads and listed:
            raise ArgumentError(
                f"study: {', '.join(map(repr, listed))} is a list, the others are spreads; use "
                "ts.studies.Grid([...]) to go through values"
            )
    if listed:
        if samples is not None or design not in (None, "list"):
            own = f"samples={samples}" if samples is not None else f"design={design!r}"
            raise ArgumentError(
                f"study: {own}, but {', '.join(map(repr, listed))} lists its values, which are "
                "taken row by row; ts.studies.Uniform(low, high) varies between two, "
                "ts.studies.Grid([...]) goes through values"
            )
        design, rows = "list", sampling.listed(listed)
    else:
        through = all(isinstance(s, Grid | Choice) for s in spreads.values())
        design = design or ("grid" if through else "sobol")
        rows = sampling.rows(spreads, design, samples, seed)
    plan = planned(model, spreads or dict.fromkeys(rows), rows, keep, {"t_end": t_end, **options})
    texts = {n: [str(x) for x in np.ravel(s) if isinstance(x, str)] for n, s in listed.items()}
    told_at_once(plan, texts | {n: s.texts() for n, s in spreads.items()})
    found = Study(Zarr(store, plan) if store is not None else Memory(plan), design, seed)
    return found.resume(engine, workers, progress)


def open_study(path: str | os.PathLike[str]) -> Study:
    """A study from its store, whole or not: `.table`, `.resume()`.

    >>> open_study("nowhere.zarr")
    Traceback (most recent call last):
    torseur.errors.ArgumentError: nowhere.zarr: no study is stored there
    """
    return Study(Zarr(path))
