"""Efforts of a motion as functions of time: what a feed-forward gives, ready for `simulate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import TorseurError
from ..model import Model
from ..solve import inverse


@dataclass(frozen=True, slots=True, eq=False)
class EffortInTime:
    """Effort of one joint along a motion: `effort(t)` [N m or N], kinks at `breakpoints` [s]."""

    model: Any
    motion: Any
    signal: str
    breakpoints: tuple[float, ...]

    def __call__(self, t):
        """Values at times of any order, right limits at kinks."""
        times = np.atleast_1d(np.asarray(t, float))
        order = np.argsort(times, kind="stable")
        run = inverse(self.model, self.motion, times=times[order])
        out = np.empty(len(times))
        out[order] = run[self.signal]
        return out.reshape(np.shape(t))


def feedforward(model: Model, motion: Mapping[str, Any]) -> dict[str, EffortInTime]:
    """Efforts along a motion by joint, as functions of time that `ts.simulate(inputs=...)` takes.

    With elastic drives these are the efforts of the motors (`elbow.motor`), which follow the motion
    exactly.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0.5, 0, 0))
    >>> arm = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("j", "world", "rod", ts.Revolute((0, -1, 0))),))
    >>> float(feedforward(arm, {"j.angle": ts.Quintic(0, 1, 2.0)})["j"](0.0).round(6))
    9.81
    """
    laws = motion.values() if hasattr(motion, "values") else ()
    kinks = tuple(sorted({float(x) for law in laws for x in getattr(law, "breakpoints", ())}))
    if len(kinks) < 2:
        raise TorseurError(
            "feedforward: give a motion of laws with breakpoints, such as ts.Quintic(0, 1, 2.0)"
        )
    run = inverse(model, motion, times=[kinks[0]])
    names = [n for n in run.signals if n.endswith(".effort")]
    return {n.removesuffix(".effort"): EffortInTime(model, motion, n, kinks) for n in names}


__all__ = ["EffortInTime", "feedforward"]
