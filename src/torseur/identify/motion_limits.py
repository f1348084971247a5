"""Limits of a motion that is looked for: positions, speeds, efforts, places; and its sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown, unknown_name
from ..numbers import asked, values
from ..solve import coordinate_limits


def checked_sizes(lin, duration, terms, samples) -> tuple[float, int, int]:
    """Duration, terms and samples of a motion, if they can be."""
    duration = asked.number("exciting", "duration", duration, "s", above=0.0)
    for name, n, least in (("terms", terms, 1), ("samples", samples, 8)):
        if not isinstance(n, int | np.integer) or n < least:
            raise ArgumentError(f"exciting: {name}={shown(n)}: expected a whole number >= {least}")
    return duration, int(terms), int(samples)


def motion_limits(lin, limits, max_speed, max_effort, around):
    """Low, high, speed and effort of every coordinate, and the middle."""
    n = lin.system.nv
    joints = {j.name: j for j in lin.system.model.joints}
    room, speed, effort = np.zeros((n, 2)), np.full(n, 1.5), np.full(n, np.inf)
    known = {n: x for n, x in lin.system.parameters.items() if x is not None}
    low, high = coordinate_limits(lin.system)
    for k in lin.system.links:
        joint: Any = joints.get(k.name)
        half = [np.pi / 2 if unit.startswith("rad") else 0.5 for _, unit in k.joint.speeds]
        room[k.v] = np.outer(half, (-1, 1))
        if joint is None:
            continue
        if joint.bounds is not None and k.joint.nq == k.joint.nv:
            room[k.v] = _room(low[k.q], high[k.q], np.array(half))
        if joint.max_speed is not None:
            speed[k.v] = values.nominal(values.exact(joint.max_speed), known)
        if joint.max_effort is not None:
            effort[k.v] = values.nominal(values.exact(joint.max_effort), known)
    _given(lin, room, limits, "limits")
    _given(lin, speed, max_speed, "max_speed")
    _given(lin, effort, max_effort, "max_effort")
    low, high = room.T
    middle = (low + high) / 2
    _given(lin, middle, around, "around")
    for i, name, _ in lin.speeds:
        if not low[i] < middle[i] < high[i] or not speed[i] > 0 or not effort[i] > 0:
            raise ArgumentError(
                f"exciting: limits leave no room around the middle of the motion of {name!r}: from "
                f"{low[i]:.4g} to {high[i]:.4g}, middle {middle[i]:.4g}, speed {speed[i]:.4g}, "
                f"effort {effort[i]:.4g}"
            )
    return low, high, speed, effort, middle


def _room(low, high, half) -> np.ndarray:
    """Low and high of coordinates, (n, 2): an open end leaves as much room as no limit does."""
    below = np.where(np.isfinite(high), np.minimum(-half, high - 2 * half), -half)
    low = np.where(np.isfinite(low), low, below)
    return np.stack([low, np.where(np.isfinite(high), high, np.maximum(half, low + 2 * half))], 1)


UNITS = {
    "limits": ("rad", "m"),
    "around": ("rad", "m"),
    "max_speed": ("rad/s", "m/s"),
    "max_effort": ("N m", "N"),
}
"""Of turning and of sliding."""


def _given(lin, numbers: np.ndarray, told: Any, what: str) -> None:
    """Put given numbers, one for all, one a coordinate or {joint: number}, in place."""
    if told is None:
        return
    places = {k.name: k.v for k in lin.system.links}
    for name in told if isinstance(told, Mapping) else ():
        if name not in places:
            raise ArgumentError(unknown_name("joint", name, sorted(places), f"exciting, {what}"))
    pairs = told.items() if isinstance(told, Mapping) else [(None, told)]
    units = [UNITS[what][not turns] for _, _, turns in lin.speeds]
    for name, x in pairs:
        part = slice(None) if name is None else places[name]
        try:
            numbers[part] = _in_si(f"{what} of {name!r}" if name else what, x, units[part])
        except (TypeError, ValueError) as e:
            if isinstance(e, ArgumentError):
                raise
            shape = " by ".join(map(str, numbers[part].shape))
            raise ArgumentError(
                f"exciting: {what}={shown(told)}: expected numbers ({shape}), one for all, or "
                "{joint: number}"
            ) from None


def _in_si(what: str, x: Any, units: list[str]) -> np.ndarray:
    """Numbers of some coordinates: one a coordinate, or what fits all of them; texts by units."""
    try:
        return np.asarray(x, float)  # some may be infinite: no limit
    except (TypeError, ValueError):
        pass
    if isinstance(x, list | tuple) and len(x) == len(units) and len(set(units)) > 1:
        each = [asked.numbers("exciting", what, e, u) for e, u in zip(x, units, strict=True)]
        return np.array(each, float)
    found = [asked.numbers("exciting", what, x, u) for u in dict.fromkeys(units)]
    return found[0]


def boxes(lin, workspace) -> dict[str, np.ndarray]:
    """Boxes that bodies and frames stay in."""
    known = {"world", *(b.name for b in lin.system.model.bodies)}
    known |= {f.name for f in lin.system.model.frames}
    out = {}
    for name, given in workspace.items():
        if name not in known:
            raise ArgumentError(
                unknown_name("body or frame", name, sorted(known), "exciting, workspace")
            )
        box = asked.numbers("exciting", f"workspace of {name!r}", given, "m")
        if box.shape != (3, 2) or not (box[:, 0] < box[:, 1]).all():
            raise ArgumentError(
                f"exciting: workspace of {name!r} is {shown(given)}: expected ((x low, x high), "
                "(y low, y high), (z low, z high)) [m]"
            )
        out[name] = box
    return out
