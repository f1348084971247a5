"""Experiments of an output error fit: a model as tested, and its measured signals."""

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
from ...signal_processing import check_record
from ...simulation import Options

FIT_OPTIONS = {"output", "rtol"}  # options of `simulate` that the fit sets
FILTER_RESPONSE_PERIODS = 0.5  # of a channel class's limit: that far the filter's ends reach


@dataclass(frozen=True, eq=False)
class Experiment:
    """One test: a model as it was tested, and what was measured.

    Parameters
    ----------
    model : with its masses, laws and start; the same names of free parameters as in other tests
    measured : {signal: (time [s], values)}, in SI units; a channel of a crash test will do; a sum
        of signals, "left.force + right.force", may have been measured too
    initial : coordinates and speeds at the start; by default the model's own
    t_end : end of the comparison [s]; by default the last measured time
    sigma : {signal: standard deviation of its noise, before a filter}, in SI or with units, as
        `initial` and `t_end`: "0.2 km/h".  Signals without one are weighted by their spread, and by
        their residuals as soon as these are noise
    weight : of this test among others
    cfc : {signal: channel class} or one class for all: measured and simulated signals go through
        the same filter, as sampled, from the start of the run to `t_end`
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
        records = {}
        for name, data in self.measured.items():
            with _collect_problems(problems):
                records[name] = _read_record(name, data)
        invalid = dict.fromkeys({*self.measured} - {*records})
        object.__setattr__(self, "measured", records | invalid)
        for check in (self._check_names, self._check_times, self._check_options):
            problems += check()
        for name in records if not problems else ():
            with _collect_problems(problems):
                self.rows(name)
        if problems:
            raise ArgumentError("\n".join(f"Experiment: {p}" for p in problems))

    def _check_names(self) -> Iterator[str]:
        """Problems of sigmas and classes: positive numbers of measured signals."""
        listed = ", ".join(self.measured)
        if not isinstance(self.sigma, Mapping):
            yield f"sigma = {shown(self.sigma)}; expected {{signal: standard deviation}}"
        elif bad := [
            n for n, s in self.sigma.items() if n not in self.measured or not _is_positive(s)
        ]:
            yield (
                f"sigma of {', '.join(map(repr, bad))}: expected a positive number for a measured "
                f"signal ({listed})"
            )
        classes = self.cfc if isinstance(self.cfc, Mapping) else {}
        if unknown := [n for n in classes if n not in self.measured]:
            yield (
                f"cfc of {', '.join(map(repr, unknown))}: expected the class of a measured signal "
                f"({listed})"
            )
        for_all = {} if self.cfc is None or classes else {"": self.cfc}
        all_classes = for_all | {n: c for n, c in classes.items() if c is not None}
        for name, channel_class in all_classes.items():
            if not (isinstance(channel_class, Real) and 0 < float(channel_class) < np.inf):
                where = f"cfc of {name!r}" if name else "cfc"
                yield (
                    f"{where} = {shown(channel_class)}; expected a channel class, 60, 180, 600 or "
                    "1000"
                )

    def _check_times(self) -> Iterator[str]:
        """Problems of weight, end and window."""
        last_times = [float(data[0][-1]) for data in self.measured.values() if data]
        problems: list[str] = []
        if self.t_end is None:
            object.__setattr__(self, "t_end", max(last_times, default=self.start + 1))
        elif units.has_unit(self.t_end):
            with _collect_problems(problems):
                object.__setattr__(self, "t_end", si_number(self.t_end, "s", "t_end"))
        weight: Any = self.weight
        end: Any = self.t_end
        start = self.start
        if not (isinstance(weight, Real) and 0 < float(weight) < np.inf):
            yield f"weight = {shown(weight)}; expected a number greater than zero"
        is_text = not units.has_unit(end)  # a wrong unit is a problem already
        if not start < float(end) < np.inf if isinstance(end, Real) else is_text:
            yield f"t_end = {shown(end)}; expected a time [s] after {start:g} s"
        if self.window is not None:
            with _collect_problems(problems):
                low, high = number_pair(self.window, "window", "times", "(from, to) [s]", "s")
                object.__setattr__(self, "window", (low, high))
                if not low < high:
                    problems.append(
                        f"window = {shown(self.window)}; expected (from, to) [s], increasing"
                    )
        yield from problems

    def _check_options(self) -> Iterator[str]:
        """Problems of the options of `simulate`."""
        options = self.options
        if not isinstance(options, Mapping):
            yield f"options = {shown(options)}; expected options of simulate, by name"
            return
        allowed = {f.name for f in fields(Options)} - FIT_OPTIONS
        yield from (
            f"options: {n!r} is not one that a test may have; it may have "
            f"{', '.join(sorted(allowed))}"
            for n in options
            if n not in allowed
        )

    @property
    def start(self) -> float:
        """Start of the run [s]."""
        t = self.options.get("t_start") if isinstance(self.options, Mapping) else None
        return float(t or 0.0)

    @property
    def end(self) -> float:
        """End of the comparison [s]."""
        assert isinstance(self.t_end, Real)  # since `__post_init__`
        return float(self.t_end)

    def channel_class(self, name: str) -> float | None:
        """Channel class of the filter of a signal [Hz]."""
        return self.cfc.get(name) if isinstance(self.cfc, Mapping) else self.cfc

    def record(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Measured times and values during the run, before the filter."""
        t, y = self.measured[name]
        selected = (t >= self.start) & (t <= self.end)
        return t[selected], y[selected]

    def rows(self, name: str) -> tuple[np.ndarray, np.ndarray]:
        """Times and filtered values that are compared."""
        t, y = self.record(name)
        low, high = self.window or (self.start, self.end)
        selected = (t >= low) & (t <= high)
        if not selected.any():
            raise ArgumentError(
                f"no measured time of {name!r} lies between start and end of the comparison, "
                f"{max(low, self.start):g} and {min(high, self.end):g} s"
            )
        return t[selected], self.filter_signal(name, t, y)[selected]

    def noise_degrees_of_freedom(self, name: str) -> float:
        """Expected sum of squares of the compared values for unit white noise before the filter.

        The filter passes more noise near the ends of a record (ID.13).
        """
        (t, _), channel_class = self.record(name), self.channel_class(name)
        low, high = self.window or (self.start, self.end)
        selected = (t >= low) & (t <= high)
        if channel_class is None:
            return float(selected.sum())
        gains = _filter_noise_gains(len(t), float(np.median(np.diff(t))), float(channel_class))
        return float(gains[selected].sum())

    def filter_signal(self, name: str, t: np.ndarray, y: np.ndarray) -> np.ndarray:
        """Values behind the signal's channel filter, along the first axis."""
        channel_class = self.channel_class(name)
        if channel_class is None:
            return y
        from ...crash import cfc

        try:
            if y.ndim == 1:
                return np.asarray(cfc(t, y, channel_class))
            return np.stack([np.asarray(cfc(t, x, channel_class)) for x in y.T], axis=1)
        except ArgumentError as e:
            raise ArgumentError(f"{name!r}: {e}") from None


@contextmanager
def _collect_problems(problems: list[str]) -> Iterator[None]:
    """Context that appends the lines of an argument error to the problems."""
    try:
        yield
    except ArgumentError as e:
        problems += str(e).split("\n")


@lru_cache(maxsize=16)
def _filter_noise_gains(n: int, step: float, channel_class: float) -> np.ndarray:
    """Variance of filtered unit white noise in each of n samples."""
    from ...crash import cfc

    def squared_responses(n: int, impulses: Any, rows: slice = slice(None)) -> Any:
        time = step * np.arange(n)
        return sum(np.square(cfc(time, x, channel_class)[rows]) for x in np.eye(n)[impulses])

    reach = min(n, int(np.ceil(FILTER_RESPONSE_PERIODS / (channel_class * step))))
    short = min(n, 4 * reach)  # record that has both ends of the filter
    gains = np.full(n, float(np.sum(squared_responses(n, [n // 2]))))
    gains[:reach] = squared_responses(short, range(min(short, 2 * reach)), slice(0, reach))
    last = range(max(0, short - 2 * reach), short)
    gains[n - reach :] = squared_responses(short, last, slice(short - reach, short))
    return gains


def _read_record(name: str, data: Any) -> tuple[np.ndarray, np.ndarray]:
    """Times and values of a measured signal."""
    is_channel = hasattr(data, "time") and hasattr(data, "values")
    try:
        time, values = (data.time, data.values) if is_channel else data
    except (TypeError, ValueError):
        raise ArgumentError(f"{name!r} is {shown(data)}; expected (time [s], values)") from None
    time, values = check_record(repr(name), time, values)
    return time, values


def _is_positive(x: Any) -> bool:
    """Whether x, a number or a text with any unit, is finite and greater than zero."""
    try:
        return 0 < (units.floating(x, None) if units.has_unit(x) else float(x)) < np.inf
    except (TypeError, ValueError):
        return False


def si_number(x: Any, unit: str | None, where: str) -> float:
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


def number_pair(
    pair: Any, where: str, name: str, expected: str, unit: str | None = None
) -> tuple[float, float]:
    """Two numbers, or texts with units: "5 mm"; of one unit, or of any."""
    try:
        low, high = (units.floating(x, unit) if units.has_unit(x) else float(x) for x in pair)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{where}: {name} = {shown(pair)}; expected two numbers {expected}, in SI or with "
            "units: ('5 mm', '80 mm')"
        ) from None
    return low, high
