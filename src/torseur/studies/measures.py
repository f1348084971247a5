"""What is kept of a member: numbers, times of events, signals at times."""

from __future__ import annotations

import abc
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from ..errors import ArgumentError, unknown_name
from ..register import Register
from ..results import Trajectory

MEASURES: Register = Register("measure")


class Measure(abc.ABC):
    """A function from a run to a number, or to one number a time of `at`."""

    def times(self) -> np.ndarray:
        """Times at which the run must have a row [s]."""
        return np.empty(0)

    def shape(self) -> tuple[int, ...]:
        """Shape of what is kept of one member."""
        return ()

    @abc.abstractmethod
    def of(self, run: Trajectory) -> Any:
        """The value; NaN where it does not exist."""

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

    def of(self, run):
        x = run[self.name]
        return {"abs": lambda: np.abs(x).max(), "max": x.max, "min": x.min}[self.by]()


@MEASURES
@dataclass(frozen=True)
class final(Measure):
    """Value of a signal at the end of the run."""

    name: str

    def of(self, run):
        return run[self.name][-1]


@MEASURES
@dataclass(frozen=True)
class mean(Measure):
    """Mean of a signal over the time of the run."""

    name: str

    def of(self, run):
        return np.trapezoid(run[self.name], run.time) / (run.time[-1] - run.time[0])


@MEASURES
@dataclass(frozen=True)
class rms(Measure):
    """Root of the mean square of a signal over the time of the run."""

    name: str

    def of(self, run):
        return np.sqrt(np.trapezoid(run[self.name] ** 2, run.time) / (run.time[-1] - run.time[0]))


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

    def of(self, run):
        rows = np.searchsorted(run.time, self.at, side="right") - 1
        x = run[self.name][np.clip(rows, 0, None)].astype(float)
        reached = np.array(self.at) <= run.time[-1] * (1 + 1e-12)
        return np.where(reached, x, np.nan)


@MEASURES
@dataclass(frozen=True)
class event(Measure):
    """Time of the first event of a name [s]; NaN where it did not happen."""

    name: str

    def of(self, run):
        return next((e.time for e in run.events if e.name == self.name), np.nan)


@MEASURES
@dataclass(frozen=True)
class metric(Measure):
    """A number that a function makes of the run, such as one of `ts.crash`; not kept in a store."""

    function: Callable[[Trajectory], float]

    def of(self, run):
        return float(self.function(run))

    def facts(self):
        raise ArgumentError(
            "study: a function of one's own cannot be written to a store; keep it without store=, "
            "or keep the signal and compute from study['...']"
        )
