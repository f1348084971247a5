"""Numbers of a curve along the derivatives of the curve.

Theory: SE.9.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..errors import ArgumentError
from ..results import Event, Trajectory

PART = 1e-5  # of the sizes of signals: how far a curve is moved


def directional(f: Callable[[float], float], h: float) -> float:
    """The derivative of f at zero, by Richardson's rule with steps h and h/2.

    >>> round(float(directional(lambda x: np.exp(2 * x), 1e-3)), 12)
    2.0
    """
    if h == 0:  # nothing moves; what does not exist says so
        return 0.0 * f(0.0)
    a, b, c, d = (f(k * h) for k in (-1.0, -0.5, 0.5, 1.0))
    return (8 * (c - b) - (d - a)) / (6 * h)


def step_of(pairs) -> float:
    """A step by which no curve of (values, derivatives) moves further than a part of its size."""
    sizes = [(np.abs(x).max(initial=0.0), np.abs(d).max(initial=0.0)) for x, d in pairs]
    steps = [PART * max(x, 1e-12) / d for x, d in sizes if d > 0 and np.isfinite(d)]
    return min(steps, default=0.0)


def reach(run: Trajectory, name: str) -> float:
    """That step for the state of a run."""
    return step_of((run[n], run.sensitivity(n, name)) for n in run.provenance["state"])


class MovedRun:
    """A run as it would be with one number changed by `h`, to first order: time, signals, events.

    What a function of one's own reads to make its number.
    """

    def __init__(self, run: Trajectory, name: str, h: float):
        self._run, self._name, self._h = run, name, h
        self.time = run.time + h * run.sensitivity("time", name)
        self.units, self.signals = run.units, run.signals
        self.events = tuple(
            Event(e.time + h * d, e.name)
            for n in dict.fromkeys(e.name for e in run.events)
            for e, d in zip(
                [e for e in run.events if e.name == n], run.sensitivity(n, name), strict=True
            )
        )

    def __getitem__(self, signal: str) -> np.ndarray:
        if signal == "time":
            return self.time
        moved = self._run.sensitivity(signal, self._name, along_rows=True)
        return self._run[signal] + self._h * moved

    def __contains__(self, signal: object) -> bool:
        return signal in self._run

    def __getattr__(self, what):
        raise ArgumentError(
            f"metric: the slope of a function that reads run.{what} is not known; it may read "
            "run.time, run.events and signals, run['body.speed']"
        )
