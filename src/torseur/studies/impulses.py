"""Rigid impacts in the rows of runs: speeds jump at one time, and no row shows the impulse.

A force, a reaction or an acceleration lacks the impulse of a rigid impact, so metrics of such a
signal are refused.  Theory: SE.9.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import ArgumentError
from ..results import Runs, Trajectory

MIN_JUMP = 1e-9  # of the largest speed


def describe_missing_impulse(runs: Runs, i: int, signal: str) -> str:
    """Message about a rigid impact that is not contained in a signal of run i, or an empty text."""
    rows = slice(runs.cuts[i], runs.cuts[i + 1])
    time = runs.time[rows]
    repeated = np.flatnonzero(np.diff(time) == 0)
    if repeated.size and (element := _element_of(signal)):
        is_of_element = [n.startswith(f"{element}:") for n in runs.event_name]
        times = runs.event_time[np.array(is_of_element, dtype=bool) & (runs.event_run == i)]
        repeated = repeated[np.isin(time[repeated], times)]
    jumps = {}
    for n in _jumping_speeds(signal, runs.units) if repeated.size else ():
        v = runs[n][rows]
        jump = abs(np.diff(v)[repeated])
        if jump.max() > MIN_JUMP * abs(v).max():
            jumps[n] = jump.max(), time[repeated[jump.argmax()]]
    if not jumps:
        return ""
    n, (size, t) = max(jumps.items(), key=lambda x: x[1][0])
    return (
        f"a rigid impact changes {n!r} by {size:.4g} {runs.units[n]} at t = {t:.6g} s, and "
        f"{signal!r} does not contain its impulse; give the stop or the contact a stiffness"
    )


def check_impulses(run: Trajectory, signal: str, label: str) -> None:
    """Raise if a signal of a run lacks the impulse of a rigid impact."""
    if message := describe_missing_impulse(Runs.of([run]), 0, signal):
        raise ArgumentError(f"{label}: {message}")


def mask_missing_impulses(runs: Runs, signal: str, label: str, numbers: np.ndarray) -> np.ndarray:
    """Numbers of runs, NaN with a note where the signal lacks the impulse of a rigid impact."""
    if not (np.diff(runs.time) == 0).any() or not _jumping_speeds(signal, runs.units):
        return numbers
    for i in runs.there:
        if message := describe_missing_impulse(runs, i, signal):
            numbers[i] = np.nan
            runs.notes.setdefault(int(i), []).append(f"{label}: {message}")
    return numbers


def _element_of(signal: str) -> str:
    """Element whose force or power a signal is.  Impacts of other elements do not affect it."""
    for suffix in (".force", ".power.dissipated", ".power.supplied"):
        if signal.endswith(suffix) and ".reaction." not in signal:
            return signal.removesuffix(suffix)
    return ""


def _jumping_speeds(signal: str, units: Mapping[str, str]) -> list[str]:
    """Speeds whose jumps show an impulse that a signal lacks.

    >>> units = {"x.speed": "m/s", "x.acceleration": "m/s2", "s.force": "N", "b.velocity.x": "m/s"}
    >>> signals = ("x.acceleration", "s.force", "b.acceleration.x", "x.speed")
    >>> [_jumping_speeds(n, units) for n in signals]
    [['x.speed'], ['x.speed'], ['b.velocity.x'], []]
    """
    if _element_of(signal) or ".reaction." in signal or signal.endswith(".multiplier"):
        accelerations = [n for n in units if ".acceleration" in n]
        return list(dict.fromkeys(v for n in accelerations for v in _joint_speeds(n, units)))
    owner, quantity, axis = (*signal.rsplit(".", 2), "", "")[:3]
    if quantity.endswith("acceleration"):
        prefix = "angular_" * (quantity == "angular_acceleration")
        axes = "xyz" if quantity == "body_acceleration" else axis
        velocities = [f"{owner}.{prefix}velocity.{c}" for c in axes]
        if velocities and all(n in units for n in velocities):
            return velocities
    return _joint_speeds(signal, units)


def _joint_speeds(signal: str, units: Mapping[str, str]) -> list[str]:
    """Speed of the joint whose acceleration or effort a signal is."""
    for quantity in (".acceleration", ".effort"):
        owner, separator, component = signal.rpartition(quantity)
        if separator and not component:
            return [
                n for n in units if n.rpartition(".")[0] == owner and units[n] in ("m/s", "rad/s")
            ]
        if separator and units.get(owner + component) in ("m/s", "rad/s"):
            return [owner + component]
    return []
