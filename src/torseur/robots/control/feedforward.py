"""Feedforward control: efforts of a motion as functions of time for `simulate`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import TorseurError
from ...model import Model
from ...solve import inverse


@dataclass(frozen=True, slots=True, eq=False)
class FeedforwardEffort:
    """Effort `effort(t)` [N m or N] of one joint along a motion, divided by `gain`.

    `breakpoints` [s] are the times of its kinks.
    """

    model: Any
    motion: Any
    signal: str
    breakpoints: tuple[float, ...]
    gain: float = 1.0

    def __call__(self, t: ArrayLike):
        """Values at times in any order, right limits at kinks."""
        times = np.atleast_1d(np.asarray(t, float))
        all_times = np.append(times, self.breakpoints)  # shafts that damp remember how it began
        order = np.argsort(all_times, kind="stable")
        run = inverse(self.model, self.motion, times=all_times[order])
        out = np.empty(len(all_times))
        out[order] = run[self.signal] / self.gain
        return out[: len(times)].reshape(np.shape(t))


def feedforward(
    model: Model, motion: Mapping[str, Any], inputs: bool = False
) -> dict[str, FeedforwardEffort]:
    """Efforts along a motion, as functions of time for `ts.simulate(inputs=...)`.

    By default they are joint efforts [N m or N] by joint.  With `inputs=True` they are inputs of
    the model in their units: the torque of a rotor behind a gear of ratio N is the joint torque
    over N. With elastic drives they are the efforts of the motors (`elbow.motor`), which follow the
    motion exactly.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0.5, 0, 0))
    >>> arm = ts.Model(bodies=(rod,), joints=(
    ...     ts.Joint("j", "world", "rod", ts.Revolute((0, -1, 0)), drive=ts.Drive(ratio=10)),))
    >>> motion = {"j.angle": ts.robots.Quintic(0, 1, 2.0)}
    >>> float(feedforward(arm, motion)["j"](0.0).round(6))
    9.81
    >>> float(feedforward(ts.actuated(arm), motion, inputs=True)["u_j"](0.0).round(6))
    0.981
    """
    laws = motion.values() if hasattr(motion, "values") else ()
    kinks = tuple(sorted({float(x) for law in laws for x in getattr(law, "breakpoints", ())}))
    if len(kinks) < 2:
        raise TorseurError(
            "feedforward: give a motion of laws with breakpoints, such as "
            "ts.robots.Quintic(0, 1, 2.0)"
        )
    run = inverse(model, motion, times=[kinks[0]])
    if inputs:
        return {
            u: FeedforwardEffort(model, motion, f"{part}.effort", kinks, gain)
            for u, (part, gain) in _motor_inputs(model).items()
        }
    names = [n for n in run.signals if n.endswith(".effort")]
    return {n.removesuffix(".effort"): FeedforwardEffort(model, motion, n, kinks) for n in names}


def _motor_inputs(model: Model) -> dict[str, tuple[str, float]]:
    """Joint or motor of each input, and its effort per unit of the input."""
    inputs = {
        push.input: (f.joint, float(push.gain))
        for f in model.forces
        if f.law is not None and f.key == "joint" and (push := f.law.push) is not None
    }
    for j in model.joints:
        if (d := j.drive) is not None and d.input is not None:
            N = float(next(s.ratio for s in d.chain() if s.name == d.motor))
            inputs[d.input] = (f"{j.name}.{d.motor}" if d.elastic else j.name, N)
    if not inputs:
        raise TorseurError(
            f"feedforward: no joint of {model.name!r} has an input; load it with actuate=True, or "
            "leave out inputs=True"
        )
    return inputs


__all__ = ["FeedforwardEffort", "feedforward"]
