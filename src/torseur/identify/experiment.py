"""Tests that a model is compared with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, said, shown
from ..numbers import units, values


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
        `initial` and `t_end`: "0.2 km/h".  Where known for
        every signal, intervals come from it; else signals count by their spread, and the noise is
        what is left over
    weight : of this test among others
    cfc : {signal: channel class} or one class for all: both sides go through the same filter
    window : (from, to) [s], the part of the time that is compared

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
        tidy = {}
        for name, data in self.measured.items():
            pair = (data.time, data.values) if hasattr(data, "values") else data
            try:
                t, y = (np.asarray(x, float) for x in pair)
            except (TypeError, ValueError):
                raise ArgumentError(
                    f"Experiment: {name!r} is {shown(data)}; expected (time [s], values)"
                ) from None
            if t.ndim != 1 or t.shape != y.shape or len(t) < 2:
                raise ArgumentError(
                    f"Experiment: {name!r} needs growing times and as many values, got shapes "
                    f"{t.shape} and {y.shape}"
                )
            lost = np.flatnonzero(~(np.isfinite(t) & np.isfinite(y)))
            if len(lost):
                raise ArgumentError(
                    f"Experiment: {name!r} has entries that are no numbers, {len(lost)} of "
                    f"{len(t)}, the first at place {lost[0]}; leave these rows out, gaps in time "
                    "are no fault"
                )
            back = np.flatnonzero(np.diff(t) <= 0)
            if len(back):
                k = back[0] + 1
                raise ArgumentError(
                    f"Experiment: {name!r} needs growing times; {t[k]:g} s at place {k} comes "
                    f"after {t[k - 1]:g} s"
                )
            tidy[name] = (t, y)
        object.__setattr__(self, "measured", tidy)
        bad = [n for n, s in self.sigma.items() if n not in tidy or not _positive(s)]
        if bad:
            raise ArgumentError(
                f"Experiment: sigma of {', '.join(map(repr, bad))}: expected a positive number for "
                f"a measured signal ({', '.join(tidy)})"
            )
        loose = [n for n in self.cfc if n not in tidy] if isinstance(self.cfc, Mapping) else []
        if loose:
            raise ArgumentError(
                f"Experiment: cfc of {', '.join(map(repr, loose))}: expected the class of a "
                f"measured signal ({', '.join(tidy)})"
            )
        if self.t_end is None:
            object.__setattr__(self, "t_end", max(float(t[-1]) for t, _ in tidy.values()))
        self._check_numbers()

    def _check_numbers(self):
        """Weight, end and window are numbers that a comparison can have."""
        if units.has_unit(self.t_end):
            object.__setattr__(self, "t_end", si(self.t_end, "s", "Experiment, t_end"))
        weight: Any = self.weight
        end: Any = self.t_end
        start = float(self.options.get("t_start", 0.0))
        if not (isinstance(weight, Real) and 0 < float(weight) < np.inf):
            raise ArgumentError(
                f"Experiment: weight = {shown(weight)}; expected a number greater than zero"
            )
        if not (isinstance(end, Real) and start < float(end) < np.inf):
            raise ArgumentError(
                f"Experiment: t_end = {shown(end)}; expected a time [s] after {start:g} s"
            )
        if self.window is not None:
            low, high = two(self.window, "Experiment", "window", "(from, to) [s]", "s")
            if not low < high:
                raise ArgumentError(
                    f"Experiment: window = {shown(self.window)}; expected (from, to) [s], growing"
                )
            object.__setattr__(self, "window", (low, high))

    @property
    def end(self) -> float:
        """Of the comparison [s]."""
        assert isinstance(self.t_end, Real)  # since `__post_init__`
        return float(self.t_end)

    def channel_class(self, name) -> float | None:
        """Of the filter of a signal."""
        return self.cfc.get(name) if isinstance(self.cfc, Mapping) else self.cfc

    def rows(self, name) -> tuple[np.ndarray, np.ndarray]:
        """Times and values that are compared, filtered."""
        t, y = self.measured[name]
        start = float(self.options.get("t_start", 0.0))
        low, high = self.window or (start, self.end)
        keep = (t >= max(low, start)) & (t <= min(high, self.end))
        return t[keep], self.filtered(name, t, y)[keep]

    def left_by_filter(self, name) -> float:
        """Share of the squares of white noise that a signal's filter lets through: ID.13."""
        t = self.measured[name][0]
        hit = np.zeros(len(t))
        hit[len(t) // 2] = 1.0
        return float(np.sum(np.square(self.filtered(name, t, hit))))

    def filtered(self, name, t, y) -> np.ndarray:
        """Values through the signal's filter, along the first axis."""
        kind = self.channel_class(name)
        if kind is None:
            return y
        from ..crash import cfc

        if y.ndim == 1:
            return np.asarray(cfc(t, y, kind))
        return np.stack([np.asarray(cfc(t, x, kind)) for x in y.T], axis=1)


def _positive(x) -> bool:
    """Whether x, a number or a text with any unit, is one above zero."""
    try:
        return 0 < (units.floating(x, None) if units.has_unit(x) else float(x)) < np.inf
    except (TypeError, ValueError):
        return False


def si(x, unit, where) -> float:
    """A number, or a text with a unit, in SI."""
    try:
        x = units.quantity(x, unit) if isinstance(x, str) else x
        return float(values.nominal(values.exact(x), {}))
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
