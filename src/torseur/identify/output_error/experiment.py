"""Tests that a model is compared with."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, said, shown
from ...scalars import units
from ...scalars.values import value
from ...simulation import Options

TAKEN = {"output", "rtol"}  # options of a run that a fit gives
HALF_PERIOD = 0.5  # of a channel class's limit: so far a filter feels an end


@dataclass(frozen=True, eq=False)
class Experiment:
    """One test: a model as it was tested, and what was measured.

    Parameters
    ----------
    model : with its masses, laws and start; the same names of free numbers as in other tests
    measured : {signal: (time [s], values)}, in SI units; a channel of a crash test will do; a sum
        of signals, "left.force + right.force", may have been measured too
    initial : coordinates and speeds at the start; by default the model's own
    t_end : end of the comparison [s]; by default the last measured time
    sigma : {signal: standard deviation of its noise, before a filter}, in SI or with units, as
        `initial` and `t_end`: "0.2 km/h".  Signals without one count by their spread first, and by
        the noise that is left over of each once only noise is left
    weight : of this test among others
    cfc : {signal: channel class} or one class for all: both sides go through the same filter, as
        sampled, from the start of the run to `t_end`
    window : (from, to) [s], the part of the time that is compared
    options : of `simulate`, for this test: {"inputs": {...}, "t_start": 0.1, "method": "rodas5p"}

    >>> t = np.linspace(0, 1, 5)
    >>> Experiment(None, {"x.speed": (t, 2 * t)}).t_end
    1.0
    """

    model: Any
    measured: Mapping[str, Any]
    initial: Mapping[str, float | str] | None = None
    t_end: float | str | None = None
    sigma: Mapping[str, float | str] = field(default_factory=dict)
    weight: float = 1.0
    cfc: Any = None
    window: tuple[float, float] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self):
        if not isinstance(self.measured, Mapping) or not self.measured:
            raise ArgumentError(
                f"Experiment: measured = {shown(self.measured)}; expected "
                "{signal: (time, values)}"
            )
        problems: list[str] = []
        tidy = {}
        for name, data in self.measured.items():
            with _told(problems):
                tidy[name] = _channel(name, data)
        object.__setattr__(self, "measured", tidy | dict.fromkeys({*self.measured} - {*tidy}))
        for check in (self._check_names, self._check_times, self._check_options):
            problems += check()
        for name in tidy if not problems else ():
            with _told(problems):
                self.rows(name)
        if problems:
            raise ArgumentError("\n".join(f"Experiment: {p}" for p in problems))

    def _check_names(self) -> Iterator[str]:
        """Sigmas and classes are positive numbers, of signals that were measured."""
        listed = ", ".join(self.measured)
        if not isinstance(self.sigma, Mapping):
            yield f"sigma = {shown(self.sigma)}; expected {{signal: standard deviation}}"
        elif bad := [
            n for n, s in self.sigma.items() if n not in self.measured or not _positive(s)
        ]:
            yield (
                f"sigma of {', '.join(map(repr, bad))}: expected a positive number for a measured "
                f"signal ({listed})"
            )
        classes = self.cfc if isinstance(self.cfc, Mapping) else {}
        if loose := [n for n in classes if n not in self.measured]:
            yield (
                f"cfc of {', '.join(map(repr, loose))}: expected the class of a measured signal "
                f"({listed})"
            )
        one = {} if self.cfc is None or classes else {"": self.cfc}
        for name, kind in (one | {n: k for n, k in classes.items() if k is not None}).items():
            if not (isinstance(kind, Real) and 0 < float(kind) < np.inf):
                where = f"cfc of {name!r}" if name else "cfc"
                yield f"{where} = {shown(kind)}; expected a channel class, 60, 180, 600 or 1000"

    def _check_times(self) -> Iterator[str]:
        """Weight, end and window are numbers that a comparison can have."""
        last = [float(data[0][-1]) for data in self.measured.values() if data]
        problems: list[str] = []
        if self.t_end is None:
            object.__setattr__(self, "t_end", max(last, default=self.start + 1))
        elif units.has_unit(self.t_end):
            with _told(problems):
                object.__setattr__(self, "t_end", si(self.t_end, "s", "t_end"))
        weight: Any = self.weight
        end: Any = self.t_end
        start = self.start
        if not (isinstance(weight, Real) and 0 < float(weight) < np.inf):
            yield f"weight = {shown(weight)}; expected a number greater than zero"
        wrong = not units.has_unit(end)  # one whose unit is wrong was told
        if not start < float(end) < np.inf if isinstance(end, Real) else wrong:
            yield f"t_end = {shown(end)}; expected a time [s] after {start:g} s"
        if self.window is not None:
            with _told(problems):
                low, high = two(self.window, "window", "times", "(from, to) [s]", "s")
                object.__setattr__(self, "window", (low, high))
                if not low < high:
                    problems.append(
                        f"window = {shown(self.window)}; expected (from, to) [s], growing"
                    )
        yield from problems

    def _check_options(self) -> Iterator[str]:
        """Options of `simulate` that a fit does not give itself."""
        given = self.options
        if not isinstance(given, Mapping):
            yield f"options = {shown(given)}; expected options of simulate, by name"
            return
        known = {f.name for f in fields(Options)} - TAKEN
        yield from (
            f"options: {n!r} is not one that a test may have; it may have "
            f"{', '.join(sorted(known))}"
            for n in given
            if n not in known
        )

    @property
    def start(self) -> float:
        """Of the run [s]."""
        given = self.options.get("t_start") if isinstance(self.options, Mapping) else None
        return float(given or 0.0)

    @property
    def end(self) -> float:
        """Of the comparison [s]."""
        assert isinstance(self.t_end, Real)  # since `__post_init__`
        return float(self.t_end)

    def channel_class(self, name) -> float | None:
        """Of the filter of a signal."""
        return self.cfc.get(name) if isinstance(self.cfc, Mapping) else self.cfc

    def record(self, name) -> tuple[np.ndarray, np.ndarray]:
        """What was measured while the run lasts: what goes through a filter, as the run does."""
        t, y = self.measured[name]
        keep = (t >= self.start) & (t <= self.end)
        return t[keep], y[keep]

    def rows(self, name) -> tuple[np.ndarray, np.ndarray]:
        """Times and values that are compared, filtered."""
        t, y = self.record(name)
        low, high = self.window or (self.start, self.end)
        keep = (t >= low) & (t <= high)
        if not keep.any():
            raise ArgumentError(
                f"no measured time of {name!r} lies between start and end of the comparison, "
                f"{max(low, self.start):g} and {min(high, self.end):g} s"
            )
        return t[keep], self.filtered(name, t, y)[keep]

    def left_by_filter(self, name) -> float:
        """Squares of white noise of one that a signal's filter lets through, over all compared
        values: more at the ends of a record, where a filter has less to go by (ID.13)."""
        (t, _), kind = self.record(name), self.channel_class(name)
        low, high = self.window or (self.start, self.end)
        kept = (t >= low) & (t <= high)
        if kind is None:
            return float(kept.sum())
        return float(_shares(len(t), float(np.median(np.diff(t))), float(kind))[kept].sum())

    def filtered(self, name, t, y) -> np.ndarray:
        """Values through the signal's filter, along the first axis."""
        kind = self.channel_class(name)
        if kind is None:
            return y
        from ...crash import cfc

        try:
            if y.ndim == 1:
                return np.asarray(cfc(t, y, kind))
            return np.stack([np.asarray(cfc(t, x, kind)) for x in y.T], axis=1)
        except ArgumentError as e:
            raise ArgumentError(f"{name!r}: {e}") from None


@contextmanager
def _told(problems: list[str]) -> Iterator[None]:
    """Around a check: what is wrong is told with the rest."""
    try:
        yield
    except ArgumentError as e:
        problems += str(e).split("\n")


@lru_cache(maxsize=16)
def _shares(n: int, step: float, kind: float) -> np.ndarray:
    """Of the variance of white noise, what a channel filter leaves of it in each of n samples."""
    from ...crash import cfc

    def answers(n, columns, rows=slice(None)):  # to one sample each
        hits = np.eye(n)[columns]
        return sum(np.square(cfc(step * np.arange(n), x, kind)[rows]) for x in hits)

    reach = min(n, int(np.ceil(HALF_PERIOD / (kind * step))))
    few = min(n, 4 * reach)
    out = np.full(n, float(np.sum(answers(n, [n // 2]))))
    out[:reach] = answers(few, range(min(few, 2 * reach)), slice(0, reach))
    out[n - reach :] = answers(few, range(max(0, few - 2 * reach), few), slice(few - reach, few))
    return out


def _channel(name, data) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of a measured signal."""
    own = hasattr(data, "time") and hasattr(data, "values")
    try:
        t, y = (np.asarray(x, float) for x in ((data.time, data.values) if own else data))
    except (TypeError, ValueError):
        raise ArgumentError(f"{name!r} is {shown(data)}; expected (time [s], values)") from None
    if t.ndim != 1 or t.shape != y.shape or len(t) < 2:
        raise ArgumentError(
            f"{name!r} needs growing times and as many values, got shapes {t.shape} and {y.shape}"
        )
    lost = np.flatnonzero(~(np.isfinite(t) & np.isfinite(y)))
    if len(lost):
        raise ArgumentError(
            f"{name!r} has entries that are no numbers, {len(lost)} of {len(t)}, the first at "
            f"place {lost[0]}; leave these rows out, gaps in time are no fault"
        )
    back = np.flatnonzero(np.diff(t) <= 0)
    if len(back):
        k = back[0] + 1
        twice = (
            "; a run has two rows at an event, keep one: t, k = np.unique(time, return_index=True)"
        )
        raise ArgumentError(
            f"{name!r} needs growing times; {t[k]:g} s at place {k} comes after {t[k - 1]:g} s"
            + twice * bool(t[k] == t[k - 1])
        )
    return t, y


def _positive(x) -> bool:
    """Whether x, a number or a text with any unit, is one above zero."""
    try:
        return 0 < (units.floating(x, None) if units.has_unit(x) else float(x)) < np.inf
    except (TypeError, ValueError):
        return False


def si(x, unit, where) -> float:
    """A number, or a text with a unit, in SI."""
    try:
        number = value.exact(units.quantity(x, unit) if isinstance(x, str) else x)
        if isinstance(number, value.Value) and value.symbols(number):
            raise ArgumentError(
                f"expected a number{f' or a text with a unit [{unit}]' * bool(unit)}"
            )
        return float(value.nominal(number, {}))
    except (TypeError, ValueError, ArithmeticError, TorseurError) as e:
        raise ArgumentError(f"{where}: {shown(x)}: {said(e)}") from None


def two(given, where, what, expected, unit=None) -> tuple[float, float]:
    """Two numbers, or texts with units: "5 mm"; of one unit, or of any."""
    try:
        low, high = (units.floating(x, unit) if units.has_unit(x) else float(x) for x in given)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{where}: {what} = {shown(given)}; expected two numbers {expected}, in SI or with "
            "units: ('5 mm', '80 mm')"
        ) from None
    return low, high
