"""How a number varies: spreads that a design draws from, values that it goes through, choices."""

from __future__ import annotations

import abc
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ArgumentError, said, shown
from ..scalars import arguments, units


def number(x: Any, what: str) -> float:
    """A number in SI: plain, or a text with its unit.

    >>> number("36 km/h", "speed")
    10.0
    """
    try:
        given: Any = units.quantity(x, None) if isinstance(x, str) else x
        found = float(given)
    except (TypeError, ValueError, OverflowError) as e:
        raise ArgumentError(f"{what} is {shown(x)}; expected a number ({said(e)})") from None
    if not np.isfinite(found):
        raise ArgumentError(f"{what} is {found}; expected a finite number")
    return found


def refuse_share(what: str, given: Any, of: float) -> None:
    """A width in per cent says not of what: as a plain number it would be a hundredth.

    >>> refuse_share("Normal: sigma", "10 %", 40.0)
    Traceback (most recent call last):
    torseur.errors.ArgumentError: Normal: sigma = '10 %': ...; write 4 for 10 % of 40
    """
    if isinstance(given, str) and "%" in given:
        share = number(given, what)
        raise ArgumentError(
            f"{what} = {given!r}: a width is a number in the unit of what varies; "
            f"write {share * abs(of):g} for {given} of {of:g}"
        )


class Distribution(abc.ABC):
    """How one varied thing varies."""

    @abc.abstractmethod
    def at(self, u: np.ndarray) -> np.ndarray:
        """Values where the uniform variable has the values `u`, between 0 and 1."""

    def texts(self) -> tuple[str, ...]:
        """What it was told as texts, whose units are to be those of what varies."""
        own = {n: x for n, x in vars(self).items() if n in ("mean", "low", "high", "median")}
        if isinstance(self, Normal):
            own["sigma"] = self.sigma  # that of a lognormal is of a logarithm
        return tuple(x for x in own.values() if isinstance(x, str))


@dataclass(frozen=True)
class Normal(Distribution):
    """Normal spread of a number; `low` and `high` cut it off (a truncated normal).

    >>> Normal(10, 2).at(np.array([0.5, 0.841344746])).round(6).tolist()
    [10.0, 12.0]
    """

    mean: Any
    sigma: Any
    low: Any = None
    high: Any = None

    def __post_init__(self):
        if not number(self.sigma, "sigma") > 0:
            raise ArgumentError(f"Normal: sigma = {self.sigma}; use a number greater than zero")
        if "%" not in str(self.mean):
            refuse_share("Normal: sigma", self.sigma, number(self.mean, "mean"))

    def at(self, u):
        from scipy.special import ndtr, ndtri  # scipy.stats takes a second to import

        mean, sigma = number(self.mean, "mean"), number(self.sigma, "sigma")
        ends = [
            default if x is None else ndtr((number(x, "bound") - mean) / sigma)
            for x, default in ((self.low, 0.0), (self.high, 1.0))
        ]
        if not ends[0] < ends[1]:
            raise ArgumentError(f"Normal: low = {self.low} is not below high = {self.high}")
        tiny = np.finfo(float).tiny
        return mean + sigma * ndtri(np.clip(ends[0] + u * (ends[1] - ends[0]), tiny, 1 - 2**-53))


@dataclass(frozen=True)
class Uniform(Distribution):
    """Every number between two is as likely.

    >>> Uniform("0 km/h", "36 km/h").at(np.array([0.25])).tolist()
    [2.5]
    """

    low: Any
    high: Any

    def __post_init__(self):
        if not number(self.low, "low") < number(self.high, "high"):
            raise ArgumentError(f"Uniform: low = {self.low} is not below high = {self.high}")

    def at(self, u):
        low, high = number(self.low, "low"), number(self.high, "high")
        return low + u * (high - low)


@dataclass(frozen=True)
class LogNormal(Distribution):
    """A positive number whose logarithm is normal: `median`, and the standard deviation of it.

    >>> LogNormal(5, 0.1).at(np.array([0.5])).tolist()
    [5.0]
    """

    median: Any
    sigma: Any

    def __post_init__(self):
        if not (number(self.median, "median") > 0 and number(self.sigma, "sigma") > 0):
            raise ArgumentError("LogNormal: use a median and a sigma greater than zero")

    def at(self, u):
        return number(self.median, "median") * np.exp(Normal(0, self.sigma).at(u))


@dataclass(frozen=True, init=False)
class Grid(Distribution):
    """Numbers one after the other: `Grid(0, 10, 5)`, both ends included, or `Grid([1, 2, 4])`.

    >>> Grid("30 km/h", "60 km/h", 3).values[1]
    12.5
    """

    values: tuple[Any, ...]
    _texts: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def texts(self):
        return self._texts

    def __init__(self, *given: Any):
        if len(given) == 3:
            low, high = number(given[0], "start"), number(given[1], "end")
            n = arguments.count("Grid", "how many", given[2])
            values = np.linspace(low, high, n).tolist()
        elif len(given) == 1 and np.ndim(given[0]) == 1 and len(given[0]):
            values = [number(x, "Grid") for x in given[0]]
        else:
            raise ArgumentError("Grid: give start, end and how many, or a list of numbers")
        object.__setattr__(self, "values", tuple(values))
        ends = given[:2] if len(given) == 3 else given[0]
        object.__setattr__(self, "_texts", tuple(x for x in ends if isinstance(x, str)))

    def at(self, u):
        return np.array(self.values)[
            np.minimum((u * len(self.values)).astype(int), len(self.values) - 1)
        ]


@dataclass(frozen=True, init=False)
class Choice(Distribution):
    """One of several things: laws, models, or anything that a path may hold.

    >>> len(Choice({"soft": 1, "hard": 2}).options)
    2
    """

    options: tuple[Any, ...]
    labels: tuple[Any, ...]

    def __init__(self, options: Any):
        if not isinstance(options, dict):
            options = arguments.listed("Choice", "options", options, "{'soft': 1, 'hard': 2}")
        labels = tuple(map(str, options)) if isinstance(options, dict) else None
        options = tuple(options.values() if isinstance(options, dict) else options)
        if not options:
            raise ArgumentError("Choice: nothing to choose from")
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "labels", labels or tuple(f"{i}" for i in range(len(options))))

    def at(self, u):
        return np.minimum((u * len(self.options)).astype(int), len(self.options) - 1).astype(float)
