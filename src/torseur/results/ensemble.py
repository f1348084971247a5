"""Many finished runs of one model at the same times: signals, outcomes, events."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import Any

import numpy as np

from ..errors import IntegrationError, ModelWarning, TorseurError, needs, unknown_name_message
from .trajectory import Event

MAX_NAMED_RUNS = 5  # runs that a warning names


class Ensemble:
    """Signals of many runs, each an array (runs, time points), NaN after the end of a run.

    `outcomes` has a text, `completed` a bool and `events` the events of each run. Signals beyond
    the stored ones are computed on first access, unless the batch was limited by `keep=`.


    >>> many = Ensemble([0.0, 1.0], {"x": [[1.0, 2.0], [1.0, np.nan]]}, {"x": "m"},
    ...                 ("reached t = 1 s", "failed at t = 0.5 s"), [True, False])
    >>> many["x"][:, -1], len(many.outcomes), many.failed
    (array([ 2., nan]), 2, (1,))
    """

    def __init__(
        self,
        time: Any,
        signals: Mapping[str, Any],
        units: Mapping[str, str],
        outcomes: Any,
        completed: Any,
        *,
        events: tuple[tuple[Event, ...], ...] = (),
        method: str = "",
        coordinates: tuple[str, ...] = (),
        speeds: tuple[str, ...] = (),
        source: Callable[[str], Mapping[str, np.ndarray]] | None = None,
        sensitive: Any = None,
    ):
        self.time = np.array(time, dtype=float)
        self._known = {n: np.asarray(x, dtype=float) for n, x in signals.items()}
        self.units, self.method = dict(units), method
        self.outcomes, self.completed = tuple(outcomes), np.array(completed, dtype=bool)
        self.events = tuple(events) or ((),) * len(self.outcomes)
        self.coordinates, self.speeds = tuple(coordinates), tuple(speeds)
        self._source = source
        self._sensitive = sensitive
        self._runs: dict[int, Any] = {}

    @property
    def signals(self) -> tuple[str, ...]:
        """Names of every signal."""
        return tuple(self.units) if self._source is not None else tuple(self._known)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._known:
            if name not in self.units or self._source is None:
                raise TorseurError(
                    f"ensemble: the signal {name!r} was not kept; name it in keep= of the batch"
                    if name in self.units
                    else unknown_name_message("signal", name, self.signals, "ensemble")
                )
            self._known |= self._source(name)
        return self._known[name]

    def __getstate__(self):
        """Single runs hold the derivatives, so they are computed before pickling."""
        if self._sensitive is not None:
            for i in range(len(self)):
                self._single(i)
        return vars(self)

    def _single(self, i: int):
        """One run with its derivatives, or None."""
        if i not in self._runs:
            self._runs[i] = self._sensitive.run(i)
        return self._runs[i]

    def sensitivity(self, signal: Any, name: str) -> np.ndarray:
        """Derivative of a signal by a number named in `sensitivities=` of the batch, (runs, rows).

        Of a measure, such as `ts.studies.Peak("f.force")` or `ts.studies.EventTime("f: torn")`,
        one number a run.  NaN where a run did not come, and, with a warning, of runs whose
        derivative does not exist.
        """
        if self._sensitive is None:
            raise TorseurError(
                f"sensitivity of {signal!r}: this batch has no derivatives; ask for them with "
                f"batch(..., sensitivities=({name!r},))"
            )
        one = not isinstance(signal, str)
        out = np.full((len(self),) if one else (len(self), len(self.time)), np.nan)
        refused: dict[int, TorseurError] = {}
        there = 0
        for i in range(len(self)):
            run = self._single(i)
            if run is None:
                continue
            there += 1
            if not one and signal not in run:
                raise TorseurError(
                    unknown_name_message("signal", signal, run.signals, "sensitivity")
                    + "; of the times of an event: ts.studies.EventTime(name)"
                )
            try:
                found = run.sensitivity(signal, name)
            except TorseurError as e:
                refused[i] = e
                continue
            rows = np.searchsorted(run.time, self.time, side="right") - 1
            out[i] = found if one else np.where(self.time > run.time[-1], np.nan, found[rows])
        if refused:
            first = next(iter(refused.values()))
            if len(refused) == there:
                raise first
            names = ", ".join(map(str, [*refused][:MAX_NAMED_RUNS]))
            names += ", ..." * (len(refused) > MAX_NAMED_RUNS)
            warnings.warn(
                f"NaN for {len(refused)} of {len(self)} runs ({names}): {first}",
                ModelWarning,
                stacklevel=2,
            )
        return out

    def _ipython_key_completions_(self) -> list[str]:
        """Completions of `many["el<Tab>`."""
        return list(self.signals)

    def __contains__(self, name) -> bool:
        return name in self.signals

    def __len__(self) -> int:
        """How many runs."""
        return len(self.outcomes)

    def __repr__(self) -> str:
        failed = f", {len(self.failed)} of them not completed" if self.failed else ""
        return f"Ensemble({len(self)} runs of {len(self.time)} rows, {self.method}{failed})"

    def _repr_html_(self) -> str:
        """Minimum, median and maximum of the last values of the first signals, and the failures."""
        shown = [n for n in (*self.coordinates, *self.speeds, *self._known) if n in self._known]
        rows = []
        for n in list(dict.fromkeys(shown))[:12]:
            last = self[n][:, -1] if len(self.time) else np.zeros(0)
            last = last[np.isfinite(last)]
            if len(last):
                ends = "".join(f"<td>{x:.5g}</td>" for x in np.quantile(last, (0, 0.5, 1)))
                unit = escape(self.units[n])
                rows.append(f"<tr><th>{escape(n)}</th>{ends}<td>{unit}</td></tr>")
        heads = "".join(f"<th>{h}</th>" for h in ("at the end", "least", "middle", "largest", ""))
        wrong = [f"<li>run {i}: {escape(self.outcomes[i])}</li>" for i in self.failed[:5]]
        more = f"<li>and {len(self.failed) - 5} more</li>" if len(self.failed) > 5 else ""
        return (
            f"<p>{escape(repr(self))}</p><table><thead><tr>{heads}</tr></thead>"
            f"<tbody>{''.join(rows)}</tbody></table>"
            + (f"<ul>{''.join(wrong)}{more}</ul>" if wrong else "")
        )

    @property
    def q(self) -> np.ndarray:
        """Coordinates (runs, rows, nq)."""
        return self._stacked(self.coordinates)

    @property
    def v(self) -> np.ndarray:
        """Speeds (runs, rows, nv)."""
        return self._stacked(self.speeds)

    def _stacked(self, names) -> np.ndarray:
        shape = (len(self), len(self.time), 0)
        return np.stack([self[n] for n in names], axis=-1) if names else np.zeros(shape)

    @property
    def failed(self) -> tuple[int, ...]:
        """Runs that did not complete."""
        return tuple(np.flatnonzero(~self.completed).tolist())

    def check(self) -> Ensemble:
        """This ensemble, or `IntegrationError` when a run did not complete."""
        if self.failed:
            first = self.failed[0]
            more = f" ({len(self.failed)} such runs)" if len(self.failed) > 1 else ""
            raise IntegrationError(f"run {first} of the batch {self.outcomes[first]}{more}")
        return self

    def to_xarray(self, names: Iterable[str] | str | None = None) -> Any:
        """Dataset over `run` and `time`, with units as attributes."""
        with needs("tables", "to_xarray"):
            import xarray

        names = (names,) if isinstance(names, str) else self.signals if names is None else names
        data = {n: (("run", "time"), self[n], {"units": self.units[n]}) for n in names}
        index = {
            "time": ("time", self.time, {"units": "s"}),
            "outcome": ("run", list(self.outcomes)),
            "completed": ("run", self.completed),
        }
        return xarray.Dataset(data, index)
