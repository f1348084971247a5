"""Tests that a model is compared with, and numbers of it that may change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown
from ..model import paths


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
    sigma : {signal: standard deviation of the noise}, in the signal's unit.  Where it is known for
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
    initial: Mapping[str, float] | None = None
    t_end: float | None = None
    sigma: Mapping[str, float] = field(default_factory=dict)
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
            if t.ndim != 1 or t.shape != y.shape or len(t) < 2 or not (np.diff(t) > 0).all():
                raise ArgumentError(
                    f"Experiment: {name!r} needs growing times and as many values, got shapes "
                    f"{t.shape} and {y.shape}"
                )
            if not (np.isfinite(t).all() and np.isfinite(y).all()):
                raise ArgumentError(f"Experiment: {name!r} has entries that are no numbers")
            tidy[name] = (t, y)
        object.__setattr__(self, "measured", tidy)
        bad = [n for n in self.sigma if n not in tidy or not self.sigma[n] > 0]
        if bad:
            raise ArgumentError(
                f"Experiment: sigma of {', '.join(map(repr, bad))}: expected a positive number for "
                f"a measured signal ({', '.join(tidy)})"
            )
        if self.t_end is None:
            object.__setattr__(self, "t_end", max(float(t[-1]) for t, _ in tidy.values()))
        self._check_numbers()

    def _check_numbers(self):
        """Weight, end and window are numbers that a comparison can have."""
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
            low, high = _two(self.window, "Experiment", "window", "(from, to) [s]")
            if not low < high:
                raise ArgumentError(
                    f"Experiment: window = {shown(self.window)}; expected (from, to) [s], growing"
                )
            object.__setattr__(self, "window", (low, high))

    def channel_class(self, name) -> float | None:
        """Of the filter of a signal."""
        return self.cfc.get(name) if isinstance(self.cfc, Mapping) else self.cfc

    def rows(self, name) -> tuple[np.ndarray, np.ndarray]:
        """Times and values that are compared, filtered."""
        t, y = self.measured[name]
        start = float(self.options.get("t_start", 0.0))
        assert self.t_end is not None  # known since `__post_init__`
        low, high = self.window or (start, self.t_end)
        keep = (t >= max(low, start)) & (t <= min(high, self.t_end))
        return t[keep], self.filtered(name, t, y)[keep]

    def filtered(self, name, t, y) -> np.ndarray:
        """Values through the signal's filter, along the first axis."""
        kind = self.channel_class(name)
        if kind is None:
            return y
        from ..crash import cfc

        if y.ndim == 1:
            return np.asarray(cfc(t, y, kind))
        return np.stack([np.asarray(cfc(t, x, kind)) for x in y.T], axis=1)


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a model that may change: between `bounds`, near `prior` (value, sigma)."""

    bounds: tuple[float, float] = (-np.inf, np.inf)
    prior: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class Knots:
    """Forces of a law's points, but the first; see `knots`."""

    bounds: tuple[float, float] = (0.0, np.inf)
    smooth: float = 0.0


def number(bounds: Any = (-np.inf, np.inf), prior: Any = None) -> Number:
    """A number that may change: `bounds` (low, high), `prior` (value, sigma), in SI or with units.

    >>> number((250, 350), prior=(300, 20)), number(("5 mm", "80 mm")).bounds
    (Number(bounds=(250.0, 350.0), prior=(300.0, 20.0)), (0.005, 0.08))
    """
    near = None if prior is None else _two(prior, "number", "prior", "(value, sigma)")
    if near is not None and not near[1] > 0:
        raise ArgumentError(f"number: prior = {shown(prior)}: its sigma is not greater than zero")
    return Number(_bounds(bounds, "number"), near)


def knots(bounds: Any = (0.0, np.inf), smooth: float = 0.0) -> Knots:
    """Forces of a law's points [N]: the first point and the abscissae stay.

    `bounds` (low, high) [N] of each; `smooth` is the weight of second differences of the forces
    over their mean: 0 leaves the curve alone, 1 makes a bend as large as the mean count as one
    standard deviation.  Of a law that goes on with its last slope, which must not fall, a last
    point that starts below the one before it starts level with it.

    >>> knots(bounds=(0, 5e5), smooth=0.1)
    Knots(bounds=(0.0, 500000.0), smooth=0.1)
    """
    return Knots(_bounds(bounds, "knots"), float(smooth))


def _bounds(given, where) -> tuple[float, float]:
    low, high = _two(given, where, "bounds", "(low, high)")
    if not low < high:
        raise ArgumentError(f"{where}: bounds = {shown(given)}: the lower is not below the higher")
    return low, high


def _two(given, where, what, expected) -> tuple[float, float]:
    """Two numbers, or texts with units: "5 mm"."""
    from ..numbers import units

    try:
        low, high = (units.floating(x, None) if units.has_unit(x) else float(x) for x in given)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{where}: {what} = {shown(given)}; expected two numbers {expected}, in SI or with "
            "units: ('5 mm', '80 mm')"
        ) from None
    return low, high


@dataclass(frozen=True, slots=True, eq=False)
class FreeNumbers:
    """Every free number: paths, bounds, priors, and rows of smoothness."""

    names: tuple[str, ...]
    low: np.ndarray
    high: np.ndarray
    start: np.ndarray
    priors: tuple[Any, ...]  # (place, value, sigma)
    smooth: tuple[Any, ...]  # (places of three neighbours, weight)
    groups: tuple[tuple[int, ...], ...] = ()  # places of the knots of each law
    rising: tuple[tuple[int, int], ...] = ()  # last two knots of laws that go on with their slope

    @property
    def scale(self) -> np.ndarray:
        """A usual size of each: its start, a part of what its bounds allow, or its unit."""
        span = np.where(np.isfinite(self.high - self.low), self.high - self.low, 10.0)
        return np.where(self.start != 0, abs(self.start), 0.1 * span)

    @property
    def size(self) -> np.ndarray:
        """How much of each a change is large: its start, or a half of what its bounds allow."""
        return np.where(self.start != 0, self.scale, 5 * self.scale)

    def level(self, x) -> tuple[np.ndarray, list[tuple[int, int]]]:
        """Numbers with last slopes that do not fall, and the pairs of places that were levelled."""
        low = [(i, j) for i, j in self.rising if x[j] < x[i]]
        x = np.array(x, float)
        for i, j in low:
            x[j] = x[i]
        return x, low

    def levelled(self, model):
        """A model whose last slopes do not fall, so that it may be a start."""
        for i, j in self.rising:
            least = _value(model, self.names[i])
            if _value(model, self.names[j]) < least:
                model = paths.replaced(model, self.names[j], least)
        return model


def free_of(model, free) -> FreeNumbers:
    """Free numbers of a model by the user's words."""
    if not isinstance(free, Mapping) or not free:
        raise ArgumentError(
            f"fit: free = {shown(free)}; expected {{'engine.mass': (250, 350), "
            "'front.points': ts.identify.knots()}"
        )
    names: list[str] = []
    low, high, priors, smooth, groups, rising = [], [], [], [], [], []
    for path, spec in free.items():
        if isinstance(spec, Knots):
            own = [n for n in paths.numbers(model) if n.startswith(f"{path}[")]
            forces = [n for n in own if n.endswith(".force") and f"{path}[0]" not in n]
            if not forces:
                raise ArgumentError(
                    f"fit: {path!r} has no points with forces; knots() are for a "
                    "law's points, 'front.points'"
                )
            first = len(names)
            names += forces
            groups.append(tuple(range(first, len(names))))
            if len(forces) > 1 and _goes_on(model, path):
                rising.append((len(names) - 2, len(names) - 1))
            low += [spec.bounds[0]] * len(forces)
            high += [spec.bounds[1]] * len(forces)
            if spec.smooth > 0:
                smooth += [
                    ((first + i - 1, first + i, first + i + 1), spec.smooth)
                    for i in range(1, len(forces) - 1)
                ]
            continue
        one = spec if isinstance(spec, Number) else number(spec)
        if one.prior is not None:
            priors.append((len(names), *map(float, one.prior)))
        names.append(path)
        low.append(one.bounds[0])
        high.append(one.bounds[1])
    model = with_starts(model, names)
    start = np.array([_value(model, n) for n in names])
    for i, j in rising:  # a start must be a model: a last slope that falls begins level
        start[j] = max(start[j], start[i])
    least, most = np.array(low, float), np.array(high, float)
    off = [
        f"{n} = {x:g} is outside ({a:g}, {b:g})"
        for n, x, a, b in zip(names, start, least, most, strict=True)
        if not a <= x <= b
    ]
    if off:
        raise ArgumentError(
            "fit: the model's own numbers start outside their bounds: " + "; ".join(off)
        )
    return FreeNumbers(
        tuple(names), least, most, start, tuple(priors), tuple(smooth), tuple(groups), tuple(rising)
    )


def with_starts(model, names):
    """The model, its start written out for free coordinates and speeds that it leaves at zero."""
    owners = {n.partition(".")[0] for n in names if n not in (*model.initial, *model.parameters)}
    if not owners & {j.name for j in model.joints}:
        return model
    system = model.check()
    state = {*system.coordinates, *system.speeds}
    bare = {n: 0.0 for n in names if n in state and n not in model.initial}
    return replace(model, initial={**model.initial, **bare}) if bare else model


def _goes_on(model, path) -> bool:
    """Whether the law of these points goes on with its last slope, which must not fall."""
    own = path.partition(".")[0]
    law = next((f.law for f in model.forces if f.name == own and hasattr(f, "law")), None)
    return getattr(law, "beyond", None) == "extend"


def _value(model, name) -> float:
    from ..numbers import values

    if name in model.parameters:
        return float(model.parameters[name])
    if name in model.initial:
        return values.nominal(values.exact(model.initial[name]), {})
    x = values.exact(paths.read(model, name))
    if isinstance(x, values.Value):
        raise ArgumentError(f"fit: {name!r} is the expression {x}; free the parameters in it")
    return float(x)
