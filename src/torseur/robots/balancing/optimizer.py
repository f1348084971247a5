"""Static balancing: optimal design variables of balancing devices within bounds.

Equations BA.1 to BA.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ArgumentError, TorseurError, shown, unknown_name_message
from ...model import Model
from ...scalars import arguments
from ...system import System
from .bounded_minimization import CRITERION_UNITS, evaluate_criterion, minimize_criterion
from .device_models import apply_devices, evaluate_efforts
from .devices.base import Device, check_devices, model_of
from .gravity_efforts import PoseSet, refuse_switched_constraints
from .result import Balance


def balance(
    model: Model,
    devices: Iterable[Any],
    over: Any = None,
    criterion: str = "rms",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    *,
    joints: Iterable[str] | None = None,
    at: Mapping[str, float] | None = None,
    payloads: Mapping[str, Any] | None = None,
    together: bool = False,
) -> Balance:
    """Choose the variables of balancing devices so that joints need the least effort.

    Parameters
    ----------
    devices : one or more of `Counterweight`, `Redistribution`, `Spring`, `CamSpring`,
        `PulleySpring`, `Parallelogram`
    over : poses of the evaluation: {"joint2.angle": angles} (several coordinates make a grid, a
        single increasing one is an interval, refined at the largest efforts), a motion (laws of
        coordinates, inertia included), poses (n, nq), or "workspace" (the limits of the joints).  A
        list of these gives each the same weight.
    criterion : "rms", "peak" or "mean" of the efforts of the joints [N m], or "energy": the work of
        a motion without recuperation [J]
    bounds : {"spring.radius": (low, high)} of the free variables.  The others keep their numbers.
    joints : joints whose effort counts, by default those of the devices
    at : coordinates of the other joints [rad, m], by default neutral
    payloads : masses on a frame, {"tool": (0, 2, 5)} [kg], each with the same weight.  The
        resulting model has none of them.
    together : optimize all variables for all joints at once.  By default each joint is balanced by
        its own devices, from the tip to the base (BA.8).

    >>> import numpy as np
    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("arm", 10.0, (0.4, 0, 0)),),
    ...     joints=(ts.Joint("shoulder", "world", "arm", ts.Revolute((0, -1, 0))),))
    >>> done = balance(arm, [ts.robots.Counterweight("weight", "shoulder", mass=16.0)],
    ...     over={"shoulder.angle": np.linspace(0, 1.5, 31)}, bounds={"weight.distance": (0, 1)})
    >>> round(done.values["weight.distance"], 9), bool(abs(done.after).max() < 1e-9)
    (0.25, True)
    """
    model = model_of(model, "balance")
    devices = check_devices(model, devices)
    limits = _read_bounds(
        devices, arguments.mapping("balance", "bounds", bounds or {}, "{'w.mass': (1, 5)}")
    )
    if criterion not in tuple(CRITERION_UNITS):
        names = ", ".join(map(repr, CRITERION_UNITS))
        raise ArgumentError(f"balance: criterion={shown(criterion)}: expected {names}")
    joints = () if joints is None else arguments.texts("balance", "joints", joints, "['joint2']")
    joints = joints or tuple(_sort_tip_to_base(model, {d.joint for d in devices}))
    _check_open_chain(model.check(), joints)
    poses = PoseSet(model, over, at, payloads)
    if poses.span.any():
        refuse_switched_constraints(model.check(), "balance")
    if criterion == "energy" and not poses.span.any():
        raise ArgumentError(
            "balance: criterion='energy' is of motions; give over={coordinate: law}, or several"
        )
    values: dict[str, float] = {}
    if together or len(joints) == 1 or len({d.joint for d in devices}) == 1:
        values, value = minimize_criterion(model, devices, {}, limits, poses, criterion, joints)
    else:
        for joint in _sort_tip_to_base(model, {d.joint for d in devices}):  # BA.8
            joint_bounds = {
                n: b
                for n, b in limits.items()
                if any(n.startswith(f"{d.name}.") and d.joint == joint for d in devices)
            }
            if joint_bounds:
                start = values | {
                    n: sum(b) / 2
                    for n, b in limits.items()
                    if n not in joint_bounds and n not in values
                }
                joint_values, _ = minimize_criterion(
                    model, devices, start, joint_bounds, poses, criterion, (joint,)
                )
                values |= joint_values
        value = None
    return _make_result(model, devices, values, limits, poses, criterion, joints, value)


def _check_open_chain(system: System, joints: Sequence[str]):
    """Raise an error for joints in a loop or coupling: a pose does not determine their effort."""
    for e in system.held:
        coupled = [n for n in joints if any(system.links[k - 1].name == n for k in e.links)]
        if coupled:
            raise TorseurError(
                f"balance: joint {coupled[0]!r} is part of {e.name!r}, so a pose does not "
                "determine the effort of its motor; balance joints outside of loops and couplings"
            )


def _read_bounds(devices: Sequence[Device], bounds: Mapping[str, Any]):
    """Bounds (low, high) by variable in SI, with all errors in one message."""
    variables = {f"{d.name}.{v}": d for d in devices for v in d.variables}
    problems = [
        unknown_name_message("variable", n, variables, "balance, bounds")
        for n in bounds
        if n not in variables
    ]
    out = {}
    for n, pair in bounds.items():
        try:
            low, high = pair
        except (TypeError, ValueError):
            problems.append(f"balance, bounds of {n!r}: expected (low, high), got {shown(pair)}")
            continue
        if n not in variables:
            continue
        try:
            unit = variables[n].variables[n.rpartition(".")[2]]
            low, high = (
                arguments.number("balance", f"bounds of {n!r}", x, unit) for x in (low, high)
            )
        except ArgumentError as e:
            problems.append(str(e))
            continue
        if not low < high:
            problems.append(f"balance, bounds of {n!r}: {low:g} to {high:g} is no interval")
        out[n] = (low, high)
    for d in devices:
        problems += [
            f"device {d.name!r}: {n.split('.')[1]} has neither a value nor bounds; give it, or "
            f"bounds={{{n!r}: (low, high)}}"
            for n in d.unknown()
            if n not in bounds
        ]
    if problems:
        raise ArgumentError("\n".join(problems))
    return out


def _sort_tip_to_base(model: Model, names: Iterable[str]):
    """Joints from the tip to the base."""
    s = model.check()
    depth = {k.name: k.index for k in s.links}
    return sorted(names, key=lambda n: -depth[n])


def _make_result(
    model: Model,
    devices: tuple[Device, ...],
    values: dict[str, float],
    bounds: dict[str, tuple[float, float]],
    poses: PoseSet,
    criterion: str,
    joints: tuple[str, ...],
    reached: float | None,
) -> Balance:
    """The balanced design with efforts before and after."""
    balanced_model = apply_devices(model, devices, values)
    active = tuple(
        n
        for n, (low, high) in bounds.items()
        if min(values[n] - low, high - values[n]) <= 1e-9 * (high - low)
    )
    done = Balance(
        values,
        0.0,
        active,
        balanced_model,
        criterion,
        joints,
        np.zeros(0),
        np.zeros(0),
        bounds,
        model,
        poses,
        devices,
    )
    after = evaluate_efforts(done, balanced_model, poses)
    before = evaluate_efforts(done, model, poses)
    value = reached if reached is not None else evaluate_criterion(criterion, after, poses, joints)
    return replace(done, value=value, before=before, after=after)


def pareto(
    model: Model,
    devices: Iterable[Any],
    over: Any,
    criterion: str = "rms",
    bounds: Mapping[str, tuple[float, float]] | None = None,
    *,
    mass: str,
    points: int = 9,
    **options: Any,
) -> np.ndarray:
    """Pareto front of effort and added mass: points (mass [kg], criterion [N m]).

    `mass` is the variable that takes `points` values within its bounds, such as "weight.mass".
    """
    bounds = arguments.mapping("pareto", "bounds", bounds or {}, "{'w.mass': (1, 5)}")
    model = model_of(model, "pareto")
    checked: tuple[Any, ...] = check_devices(model, devices)
    if not isinstance(mass, str) or mass not in bounds:
        raise ArgumentError(f"pareto: mass: give bounds of {shown(mass)}")
    low, high = arguments.numbers("pareto", f"bounds of {mass!r}", bounds.pop(mass), "kg", (2,))
    device, variable = mass.rsplit(".", 1)
    rows = []
    for m in np.linspace(low, high, arguments.count("pareto", "points", points)):
        candidates = [
            replace(d, **{variable: float(m)}) if d.name == device else d for d in checked
        ]
        done = balance(model, candidates, over, criterion, bounds, **options)
        rows.append((done.added_mass, done.value))
    return np.array(rows)


__all__ = ["balance", "pareto"]
