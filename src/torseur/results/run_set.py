"""Many finished runs of one model, rows of all of them one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import TorseurError, unknown_name_message
from .trajectory import Event, Trajectory


class Runs:
    """Rows of run i are `time[cuts[i]:cuts[i + 1]]`, and so are those of every signal.

    A run that could not start has none.  `events` are arrays: run, time [s] and name of each.

    >>> runs = Runs(np.array([0.0, 1.0, 0.0, 0.5, 1.0]), np.array([0, 2, 5]), {"x": "m"},
    ...             lambda names, rows: {"x": np.arange(5.0)[rows]}, ("done", "done"), [True, True])
    >>> runs["x"].tolist(), runs.reduced(np.maximum, runs["x"]).tolist(), len(runs)
    ([0.0, 1.0, 2.0, 3.0, 4.0], [1.0, 4.0], 2)
    >>> runs.end("x").tolist()
    [1.0, 4.0]
    """

    def __init__(
        self,
        time: np.ndarray,
        cuts: np.ndarray,
        units: Mapping[str, str],
        source: Callable[[tuple[str, ...], Any], Mapping[str, np.ndarray]],
        outcomes: Sequence[str],
        completed: Any,
        *,
        events: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None,
        alone: Callable[[int], Trajectory] | None = None,
        method: str = "",
    ):
        none: tuple[np.ndarray, np.ndarray, np.ndarray]
        none = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, object)
        self.time, self.cuts, self.units = time, cuts, dict(units)
        self.outcomes, self.completed = list(outcomes), np.array(completed, dtype=bool)
        self.event_run: np.ndarray
        self.event_time: np.ndarray
        self.event_name: np.ndarray
        self.event_run, self.event_time, self.event_name = none if events is None else events
        self.alone, self.method = alone, method
        self._source = source
        self._known: dict[str, np.ndarray] = {}
        self._ends: dict[str, np.ndarray] = {}
        self.notes: dict[int, list[str]] = {}  # of some runs: why a number was not made of them

    def __getstate__(self):
        return vars(self) | {"alone": None}  # single runs are made where the study is

    @classmethod
    def of(cls, made: Sequence[Trajectory | str]) -> Runs:
        """Runs computed one by one.  A text is the reason why a run is missing."""
        good = [x for x in made if not isinstance(x, str)]
        cuts = np.cumsum([0, *(0 if isinstance(x, str) else len(x.time) for x in made)])
        events = [
            (i, e.time, e.name)
            for i, x in enumerate(made)
            if not isinstance(x, str)
            for e in x.events
        ]
        run, when, names = zip(*events, strict=True) if events else ((), (), ())
        return cls(
            np.concatenate([np.zeros(0), *(x.time for x in good)]),
            cuts,
            good[0].units if good else {},
            lambda names, rows: {n: np.concatenate([x[n] for x in good])[rows] for n in names},
            [x if isinstance(x, str) else x.outcome for x in made],
            [not isinstance(x, str) and x.completed for x in made],
            events=(np.array(run, np.int64), np.array(when, float), np.array(names, dtype=object)),
            alone=lambda i: made[i],  # type: ignore[arg-type, return-value]
        )

    def __len__(self) -> int:
        return len(self.outcomes)

    def __contains__(self, name) -> bool:
        return name in self.units

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of every signal."""
        return tuple(self.units)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._known:
            self.ask((name,))
        return self._known[name]

    def ask(self, names: Iterable[str], ends: Iterable[str] = ()) -> None:
        """Compute some signals together, and for some only the last values."""
        self._ask(names, self._known, slice(None))
        self._ask((n for n in ends if n not in self._known), self._ends, self._last)

    @property
    def _last(self) -> np.ndarray:
        return self.cuts[self.there + 1] - 1

    def end(self, name: str) -> np.ndarray:
        """A signal at the last row of each run that has rows, see `there`."""
        if name in self._known:
            return self._known[name][self._last]
        self.ask((), (name,))
        return self._ends[name]

    def _ask(self, names: Iterable[str], known: dict[str, np.ndarray], rows: Any) -> None:
        wanted = tuple(dict.fromkeys(n for n in names if n not in known))
        bad = [
            unknown_name_message("signal", n, self.signals, "runs")
            for n in wanted
            if n not in self.units
        ]
        if bad:
            raise TorseurError("\n".join(bad))
        if wanted:
            known |= self._source(wanted, rows)

    @property
    def there(self) -> np.ndarray:
        """Which runs have rows."""
        return np.flatnonzero(np.diff(self.cuts) > 0)

    def reduced(self, by: np.ufunc, x: np.ndarray) -> np.ndarray:
        """Reduction of the rows of each run by a ufunc, NaN for a run without rows."""
        out = np.full(len(self), np.nan)
        if len(own := self.there):
            out[own] = by.reduceat(x, self.cuts[own])
        return out

    def mean(self, x: np.ndarray) -> np.ndarray:
        """Mean of x over the time of each run."""
        inside = np.diff(self.cuts) > 0
        area = np.zeros(len(x))
        area[1:] = 0.5 * (x[1:] + x[:-1]) * np.diff(self.time)
        area[self.cuts[:-1][inside]] = 0.0
        start, end = self.reduced(np.minimum, self.time), self.reduced(np.maximum, self.time)
        return self.reduced(np.add, area) / (end - start)

    def at(self, x: np.ndarray, times: np.ndarray) -> np.ndarray:
        """x at the last row of each run at or before each time, (runs, times), NaN beyond its end.

        No interpolation: rows exist at the requested times.
        """
        out = np.full((len(self), len(times)), np.nan)
        for i in self.there:
            own = self.time[self.cuts[i] : self.cuts[i + 1]]
            rows = np.clip(np.searchsorted(own, times, side="right") - 1, 0, None)
            reached = times <= own[-1] * (1 + 1e-12)
            out[i] = np.where(reached, x[self.cuts[i] + rows], np.nan)
        return out

    def first_event(self, name: str) -> np.ndarray:
        """Time of the first event of a name in each run [s], NaN where there was none."""
        out = np.full(len(self), np.nan)
        own = np.flatnonzero(self.event_name == name)[::-1]  # the earliest is written last
        out[self.event_run[own]] = self.event_time[own]
        return out

    @property
    def events(self) -> tuple[tuple[Event, ...], ...]:
        """Events of every run."""
        out: list[list[Event]] = [[] for _ in self.outcomes]
        for i, t, name in zip(self.event_run, self.event_time, self.event_name, strict=True):
            out[i].append(Event(float(t), str(name)))
        return tuple(map(tuple, out))
