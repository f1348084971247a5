"""Distributions of varied quantities: normal, lognormal, uniform, grids of values, choices.

A design of experiments maps uniform variables to values by the quantile function (inverse CDF).
"""

from __future__ import annotations

import abc
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ArgumentError, said, shown
from ..scalars import arguments, units


def number(x: Any, name: str) -> float:
    """A number in SI, from a number or a text with its unit.

    >>> number("36 km/h", "speed")
    10.0
    """
    try:
        quantity: Any = units.quantity(x, None) if isinstance(x, str) else x
        value = float(quantity)
    except (TypeError, ValueError, OverflowError) as e:
        raise ArgumentError(f"{name} is {shown(x)}; expected a number ({said(e)})") from None
    if not np.isfinite(value):
        raise ArgumentError(f"{name} is {value}; expected a finite number")
    return value


def refuse_percentage(name: str, width: Any, mean: float) -> None:
    """Raise for a width in per cent, which as a number would be a hundredth.

    >>> refuse_percentage("Normal: sigma", "10 %", 40.0)
    Traceback (most recent call last):
    torseur.errors.ArgumentError: Normal: sigma = '10 %': ...; write 4 for 10 % of 40
    """
    if isinstance(width, str) and "%" in width:
        fraction = number(width, name)
        raise ArgumentError(
            f"{name} = {width!r}: a width is a number in the unit of the varied quantity; "
            f"write {fraction * abs(mean):g} for {width} of {mean:g}"
        )


class Distribution(abc.ABC):
    """Distribution of one varied quantity."""

    @abc.abstractmethod
    def quantile(self, u: np.ndarray) -> np.ndarray:
        """Values of the quantile function at `u`, between 0 and 1."""

    def expressions_with_units(self) -> tuple[str, ...]:
        """Arguments given as texts, whose units must be those of the varied quantity."""
        numbers = {n: x for n, x in vars(self).items() if n in ("mean", "low", "high", "median")}
        if isinstance(self, Normal):
            numbers["sigma"] = self.sigma  # that of a lognormal is of a logarithm
        return tuple(x for x in numbers.values() if isinstance(x, str))


@dataclass(frozen=True)
class Normal(Distribution):
    """Normal distribution.  `low` and `high` truncate it.

    >>> Normal(10, 2).quantile(np.array([0.5, 0.841344746])).round(6).tolist()
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
            refuse_percentage("Normal: sigma", self.sigma, number(self.mean, "mean"))

    def quantile(self, u: np.ndarray):
        """Inverse of the cumulative distribution function, truncated to `low` and `high`."""
        from scipy.special import ndtr, ndtri  # scipy.stats takes a second to import

        mean, sigma = number(self.mean, "mean"), number(self.sigma, "sigma")
        low, high = (
            default if x is None else ndtr((number(x, "bound") - mean) / sigma)
            for x, default in ((self.low, 0.0), (self.high, 1.0))
        )
        if not low < high:
            raise ArgumentError(f"Normal: low = {self.low} is not below high = {self.high}")
        tiny = np.finfo(float).tiny
        return mean + sigma * ndtri(np.clip(low + u * (high - low), tiny, 1 - 2**-53))


@dataclass(frozen=True)
class Uniform(Distribution):
    """Uniform distribution between two numbers.

    >>> Uniform("0 km/h", "36 km/h").quantile(np.array([0.25])).tolist()
    [2.5]
    """

    low: Any
    high: Any

    def __post_init__(self):
        if not number(self.low, "low") < number(self.high, "high"):
            raise ArgumentError(f"Uniform: low = {self.low} is not below high = {self.high}")

    def quantile(self, u: np.ndarray):
        low, high = number(self.low, "low"), number(self.high, "high")
        return low + u * (high - low)


@dataclass(frozen=True)
class LogNormal(Distribution):
    """Lognormal distribution: `median`, and `sigma` of the logarithm.

    >>> LogNormal(5, 0.1).quantile(np.array([0.5])).tolist()
    [5.0]
    """

    median: Any
    sigma: Any

    def __post_init__(self):
        if not (number(self.median, "median") > 0 and number(self.sigma, "sigma") > 0):
            raise ArgumentError("LogNormal: use a median and a sigma greater than zero")

    def quantile(self, u: np.ndarray):
        return number(self.median, "median") * np.exp(Normal(0, self.sigma).quantile(u))


@dataclass(frozen=True, init=False)
class Grid(Distribution):
    """Values in order: `Grid(0, 10, 5)`, both ends included, or `Grid([1, 2, 4])`.

    >>> Grid("30 km/h", "60 km/h", 3).values[1]
    12.5
    """

    values: tuple[Any, ...]
    _expressions: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def expressions_with_units(self):
        return self._expressions

    def __init__(self, *args: Any):
        """`start, end, count`, or one list of numbers.  Numbers may be texts with units."""
        if len(args) == 3:
            low, high = number(args[0], "start"), number(args[1], "end")
            n = arguments.count("Grid", "how many", args[2])
            values = np.linspace(low, high, n).tolist()
        elif len(args) == 1 and np.ndim(args[0]) == 1 and len(args[0]):
            values = [number(x, "Grid") for x in args[0]]
        else:
            raise ArgumentError("Grid: give start, end and how many, or a list of numbers")
        object.__setattr__(self, "values", tuple(values))
        numbers = args[:2] if len(args) == 3 else args[0]
        object.__setattr__(self, "_expressions", tuple(x for x in numbers if isinstance(x, str)))

    def quantile(self, u: np.ndarray):
        return np.array(self.values)[
            np.minimum((u * len(self.values)).astype(int), len(self.values) - 1)
        ]


@dataclass(frozen=True, init=False)
class Choice(Distribution):
    """One of several options: laws, models, or any value of a path.

    >>> len(Choice({"soft": 1, "hard": 2}).options)
    2
    """

    options: tuple[Any, ...]
    labels: tuple[Any, ...]

    def __init__(self, options: Any):
        """Options as a list, or by label in a dictionary."""
        if not isinstance(options, dict):
            options = arguments.listed("Choice", "options", options, "{'soft': 1, 'hard': 2}")
        labels = tuple(map(str, options)) if isinstance(options, dict) else None
        options = tuple(options.values() if isinstance(options, dict) else options)
        if not options:
            raise ArgumentError("Choice: no options; give a list or a dictionary of them")
        object.__setattr__(self, "options", options)
        object.__setattr__(self, "labels", labels or tuple(f"{i}" for i in range(len(options))))

    def quantile(self, u: np.ndarray):
        return np.minimum((u * len(self.options)).astype(int), len(self.options) - 1).astype(float)
