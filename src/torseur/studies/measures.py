"""What is kept of a member: numbers, times of events, signals at times."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..errors import ArgumentError, unknown_name
from ..register import Register
from ..results import Runs, Trajectory

MEASURES: Register = Register("measure")


class Measure(abc.ABC):
    """A function from runs to a number each, or to one number a time of `at`."""

    def times(self) -> np.ndarray:
        """Times at which the run must have a row [s]."""
        return np.empty(0)

    def reads(self) -> str:
        """The signal that it reads; none for some."""
        return getattr(self, "name", "")

    def shape(self) -> tuple[int, ...]:
        """Shape of what is kept of one member."""
        return ()

    @property
    def sloped(self) -> bool:
        """Whether it has a `slope`."""
        return type(self).slope is not Measure.slope

    def slope(self, run: Trajectory, name: str) -> float:
        """Its derivative by a number whose sensitivities the run carries."""
        raise ArgumentError(f"{type(self).__name__} has no exact slope")

    @abc.abstractmethod
    def over(self, runs: Runs) -> np.ndarray:
        """Values of all runs at once, (runs, *shape); NaN where one does not exist."""

    def facts(self) -> dict:
        """As data, for a store."""
        own = {f.name: getattr(self, f.name) for f in fields(self)}  # type: ignore[arg-type]
        return {"measure": type(self).__name__, **own}


def from_facts(facts: dict) -> Measure:
    """A measure from its data.

    >>> from_facts({"measure": "final", "name": "x.displacement"})
    final(name='x.displacement')
    """
    own = dict(facts)
    return MEASURES.element(own.pop("measure"), "study")(**own)


@MEASURES
@dataclass(frozen=True)
class peak(Measure):
    """Largest value of a signal: by size ("abs", the default), "max" or "min"."""

    name: str
    by: str = "abs"

    def __post_init__(self):
        if self.by not in ("abs", "max", "min"):
            raise ArgumentError(
                unknown_name("kind of peak", self.by, ("abs", "max", "min"), "peak")
            )

    def over(self, runs):
        x = runs[self.name]
        if self.by == "abs":
            x = np.abs(x)
        return runs.reduced(np.minimum if self.by == "min" else np.maximum, x)

    def slope(self, run, name):
        x = run[self.name]
        i = {"abs": np.abs(x), "max": x, "min": -x}[self.by].argmax()
        sign = np.sign(x[i]) if self.by == "abs" else 1.0
        return float(sign * run.sensitivity(self.name, name)[i])


@MEASURES
@dataclass(frozen=True)
class final(Measure):
    """Value of a signal at the end of the run."""

    name: str

    def over(self, runs):
        out = np.full(len(runs), np.nan)
        out[runs.there] = runs[self.name][runs.cuts[runs.there + 1] - 1]
        return out

    def slope(self, run, name):
        return float(run.sensitivity(self.name, name)[-1])


@MEASURES
@dataclass(frozen=True)
class mean(Measure):
    """Mean of a signal over the time of the run."""

    name: str

    def over(self, runs):
        return runs.mean(runs[self.name])

    def slope(self, run, name):
        return _mean(run.time, run.sensitivity(self.name, name))


@MEASURES
@dataclass(frozen=True)
class rms(Measure):
    """Root of the mean square of a signal over the time of the run."""

    name: str

    def over(self, runs):
        return np.sqrt(runs.mean(runs[self.name] ** 2))

    def slope(self, run, name):
        x = run[self.name]
        size = np.sqrt(_mean(run.time, x**2))
        return _mean(run.time, x * run.sensitivity(self.name, name)) / size if size else 0.0


def _mean(time, x) -> float:
    """Mean over time, by trapezoids."""
    return float(np.trapezoid(x, time) / (time[-1] - time[0]))


@MEASURES
@dataclass(frozen=True, init=False)
class signal(Measure):
    """A signal at given times [s]: rows of the run itself, nothing is interpolated."""

    name: str
    at: tuple

    def __init__(self, name, at):
        object.__setattr__(self, "name", name)
        object.__setattr__(self, "at", tuple(float(t) for t in np.ravel(at)))

    def times(self):
        return np.array(self.at)

    def shape(self):
        return (len(self.at),)

    def over(self, runs):
        return runs.at(runs[self.name], np.array(self.at))


@MEASURES
@dataclass(frozen=True)
class event(Measure):
    """Time of the first event of a name [s]; NaN where it did not happen."""

    name: str

    def reads(self):
        return ""

    def over(self, runs):
        return runs.first_event(self.name)


@MEASURES
@dataclass(frozen=True)
class metric(Measure):
    """A number that a function makes of the run, such as one of `ts.crash`; not kept in a store."""

    function: Callable[[Trajectory], float]

    def over(self, runs):
        out = np.full(len(runs), np.nan)
        alone: Any = runs.alone
        for i in runs.there:
            out[i] = float(self.function(alone(i)))
        return out

    def facts(self):
        raise ArgumentError(
            "study: a function of one's own cannot be written to a store; keep it without store=, "
            "or keep the signal and compute from study['...']"
        )
