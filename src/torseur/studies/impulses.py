"""Rigid blows in the rows of runs: speeds change within no time, and no row shows the impulse.

Theory: SE.9.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ..errors import ArgumentError
from ..results import Runs, Trajectory

BLOW = 1e-9  # of the largest speed


def lacking(runs: Runs, i: int, name: str) -> str:
    """The rigid blow that a signal of run i does not show, in a sentence; "" where none."""
    own = slice(runs.cuts[i], runs.cuts[i + 1])
    time = runs.time[own]
    twice = np.flatnonzero(np.diff(time) == 0)
    if twice.size and (mine := _owner(name)):
        of = [n.startswith(f"{mine}:") for n in runs.event_name]
        at = runs.event_time[np.array(of, dtype=bool) & (runs.event_run == i)]
        twice = twice[np.isin(time[twice], at)]
    leaps = {}
    for n in _changed(name, runs.units) if twice.size else ():
        v = runs[n][own]
        leap = abs(np.diff(v)[twice])
        if leap.max() > BLOW * abs(v).max():
            leaps[n] = leap.max(), time[twice[leap.argmax()]]
    if not leaps:
        return ""
    n, (size, when) = max(leaps.items(), key=lambda x: x[1][0])
    return (
        f"a rigid blow changes {n!r} by {size:.4g} {runs.units[n]} at t = {when:.6g} s within no "
        f"time, and {name!r} does not show it; give the stop or the contact a stiffness"
    )


def unstruck(run: Trajectory, name: str, label: str) -> None:
    """Refuse a signal of a run that lacks a rigid blow."""
    if told := lacking(Runs.of([run]), 0, name):
        raise ArgumentError(f"{label}: {told}")


def without_struck(runs: Runs, name: str, label: str, numbers: np.ndarray) -> np.ndarray:
    """Numbers of runs, NaN with a note of those whose signal lacks a rigid blow."""
    if not (np.diff(runs.time) == 0).any() or not _changed(name, runs.units):
        return numbers
    for i in runs.there:
        if told := lacking(runs, i, name):
            numbers[i] = np.nan
            runs.notes.setdefault(int(i), []).append(f"{label}: {told}")
    return numbers


def _owner(name: str) -> str:
    """The element whose own force or power a signal is: other elements' blows are none of its."""
    for end in (".force", ".power.dissipated", ".power.supplied"):
        if name.endswith(end) and ".reaction." not in name:
            return name.removesuffix(end)
    return ""


def _changed(name: str, units: Mapping[str, str]) -> list[str]:
    """Speeds by whose leaps a blow shows that a signal lacks.

    >>> units = {"x.speed": "m/s", "x.acceleration": "m/s2", "s.force": "N", "b.velocity.x": "m/s"}
    >>> [_changed(n, units) for n in ("x.acceleration", "s.force", "b.acceleration.x", "x.speed")]
    [['x.speed'], ['x.speed'], ['b.velocity.x'], []]
    """
    if _owner(name) or ".reaction." in name or name.endswith(".multiplier"):
        joints = [n for n in units if ".acceleration" in n]
        return list(dict.fromkeys(v for n in joints for v in _speeds(n, units)))
    owner, what, axis = (*name.rsplit(".", 2), "", "")[:3]
    if what.endswith("acceleration"):
        turns = "angular_" * (what == "angular_acceleration")
        axes = "xyz" if what == "body_acceleration" else axis
        place = [f"{owner}.{turns}velocity.{c}" for c in axes]
        if place and all(n in units for n in place):
            return place
    return _speeds(name, units)


def _speeds(name: str, units: Mapping[str, str]) -> list[str]:
    """The speed of a joint whose acceleration or effort a signal is."""
    for kind in (".acceleration", ".effort"):
        owner, found, which = name.rpartition(kind)
        if found and not which:
            return [
                n for n in units if n.rpartition(".")[0] == owner and units[n] in ("m/s", "rad/s")
            ]
        if found and units.get(owner + which) in ("m/s", "rad/s"):
            return [owner + which]
    return []
