"""Inverse dynamics along a trajectory: efforts with their contributions.

Theory: LI.4, LI.5, LI.11, LI.12.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TorseurError, unknown_name_message
from ...kernels import StateRows
from ...results import Trajectory
from ...scalars.values import value as values
from ...system import read_initial_state
from ..operating_point import EvaluatedModel
from .actuator_distribution import compute_element_forces, distribute_efforts
from .closed_loops import follow_closed_loops, sample_tree
from .elastic_drives import (
    ElasticDrives,
    Shaft,
    find_shafts,
    integrate_elements,
    list_following_elements,
)
from .interpreted_efforts import Along
from .signals import TrajectorySignals
from .trajectory import course

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ...model import Model
    from ...system import System
    from .closed_loops import MechanismPath
    from .shaft_laws import ShaftTwist


def inverse(
    model: Model | System,
    motion: Mapping[str, Any],
    times: ArrayLike | None = None,
    *,
    actuators: Sequence[str] | str | None = None,
    near: Mapping[str, float] | None = None,
    parameters: Mapping[str, float] | None = None,
    inputs: Mapping[str, Any] | None = None,
    points: int = 1001,
) -> Trajectory:
    """Efforts along a given motion, with their contributions.

    Parameters
    ----------
    motion : coordinates by name.  Each is a motion profile (`law(t)` gives position, speed,
        acceleration, `law.derivative(t, n)` more), a text of the time such as "0.5*sin(2*t)", or an
        array beside "time", interpolated by splines.  Or a run, whose coordinates are taken.  In a
        tree the other coordinates stay neutral.  In a mechanism with loops they follow by assembly
    times : output times [s].  Default: `points` even ones over the longest law, with both sides of
        its breakpoints
    actuators : joints (or coordinates) that make the effort, or force elements driven by an input.
        Default: the independent joints.  More of them than degrees of freedom have the efforts of
        least norm.  Fewer are an error
    near : approximate other coordinates of a mechanism with loops at the start

    Returns
    -------
    Trajectory
        `elbow.effort`, and its contributions `elbow.effort.inertia`, `.coriolis`, `.centrifugal`,
        `.gravity`, and `elbow.effort.<element>` for each force element without inputs and dry
        friction: the effort of the actuator against each.  The complete motion, multipliers of
        loops, and inputs that would make the efforts.  Rotors on elastic shafts:
        `elbow.motor.angle`, `.rate`, `.acceleration`, `.effort`.  Where a joint exceeds its
        `max_effort`, `max_speed` or `limits`, `outcome` says by how much and when.  Computed when
        first read: `elbow.power` [W], reactions of joints and loops (`elbow.reaction.force.x`),
        `energy.kinetic`, `.potential`, `.dissipated`, `.supplied` (by all actuators) and their
        `.residual`, signals of force elements, and poses, speeds and accelerations of bodies and
        frames, as in a run.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> pendulum = ts.Model(bodies=(rod,),
    ...                     joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> run = inverse(pendulum, {"pivot.angle": "pi/2 + 0*t"}, times=[0.0, 1.0])
    >>> run["pivot.effort"].round(9)
    array([9.81, 9.81])
    >>> run["pivot.reaction.force.x"].round(9)      # in axes of the rod, which is level: z along it
    array([-19.62, -19.62])
    """
    evaluated = EvaluatedModel(model, parameters, inputs, "inverse", rubs=True)
    near = read_initial_state(evaluated.system, near, parameters)
    s = evaluated.system
    trajectory = course(s, motion, times, points, evaluated.parameters_by_name)
    skipped = [i for i, e in enumerate(s.elements) if e.law is not None and e.law.inputs]
    shafts = find_shafts(s, trajectory.laws, evaluated.parameters_by_name)
    _check_arguments(evaluated, shafts, actuators, near)
    efforts = Along(s, evaluated.parameters_by_name, (*skipped, *(x.index for x in shafts)))
    path = (
        sample_tree(s, trajectory)
        if evaluated.constraints is None
        else follow_closed_loops(evaluated, trajectory, near)
    )
    outcome = f"efforts along a motion of {trajectory.times[-1] - trajectory.times[0]:g} s"
    twists: list[tuple[Shaft, np.ndarray, ShaftTwist]] = []
    if shafts:
        drives = ElasticDrives(evaluated, efforts, trajectory, shafts)
        twists = drives.solve(path.q, path.v, path.a)
        outcome += drives.note_jumps()
    elements = integrate_elements(evaluated, trajectory.times, path.q, path.v)
    parts = _split_efforts(evaluated, efforts, path, trajectory.times, elements)
    total: Any = sum(parts.values())
    table = _SignalTable(s)
    lam = np.zeros((len(trajectory.times), len(s.layout.lam)))
    if shafts:
        for x, T, _ in twists:
            total[:, x.rotor[1]] += x.weights[0] * T
            total[:, x.link[1]] += x.weights[1] * T  # nothing is left for the link itself
        _record_efforts_with_elastic_drives(table, evaluated, parts, total, twists)
        loads = total
    else:
        loads, lam, note = distribute_efforts(
            table, evaluated, path, parts, total, actuators, trajectory
        )
        outcome += note
    for i, unit in _solve_inputs(evaluated, table, loads).items():
        table.signals[i], table.units[i] = unit
    table.add_motion(path)
    table.add_powers(path)
    outcome += "".join(
        f"; {text}" for text in _list_exceeded_limits(evaluated, table, trajectory.times)
    )
    if stateful := list_following_elements(s):
        outcome += f"; states of {', '.join(map(repr, stateful))} follow the motion from its start"
    for i, multiplier in efforts.friction_multipliers(trajectory.times, path.q, path.v).items():
        lam[:, i] = multiplier
    friction_power = sum((np.sum(parts[n] * path.v, axis=1) for n in efforts.frictions), 0.0)
    power = np.sum(total * path.v, axis=1), friction_power
    return _build_trajectory(
        evaluated, path, (trajectory.times, *elements), table, lam, power, outcome
    )


def _check_arguments(
    evaluated: EvaluatedModel, shafts: Sequence[Shaft], actuators: Any, near: Any
) -> None:
    """Raise an error for elastic shafts with loops or actuators, and for unknown names."""
    s = evaluated.system
    if shafts and evaluated.constraints is not None:
        raise TorseurError(
            f"inverse: {s.name!r} has loops and elastic shafts "
            f"({shafts[0].element.name!r}); stiffen them by flexible=False, or take"
            " the loops out"
        )
    if shafts and actuators is not None:
        raise TorseurError(
            f"inverse: the motors of {s.name!r} push through elastic shafts, so they"
            " are the actuators; leave actuators= out"
        )
    names = (*s.coordinates, *s.speeds)
    if bad := [
        unknown_name_message("coordinate", n, names, "inverse, near")
        for n in near or ()
        if n not in names
    ]:
        raise TorseurError("\n".join(bad))


def _build_trajectory(
    evaluated: EvaluatedModel,
    path: MechanismPath,
    rows: tuple[np.ndarray, ...],
    table: _SignalTable,
    lam: np.ndarray,
    powers: tuple,
    outcome: str,
) -> Trajectory:
    """The results.  `rows` are times, states, memories and inputs of the elements."""
    s, (times, z, m, u) = evaluated.system, rows
    signals = TrajectorySignals(
        s,
        StateRows(times, path.q, path.v, z, m, _input_rows(s, table, u)),
        evaluated.p,
        (path.a, lam),
        table.signals,
        powers,
    )
    return Trajectory(
        times,
        table.signals,
        table.units | {n: u for n, u in signals.units.items() if n not in table.units},
        outcome,
        provenance={
            "model": s.name,
            "digest": s.digest,
            "state": (*s.coordinates, *s.speeds),
            "coordinates": s.coordinates,
        },
        source=signals,
    )


def _input_rows(s: System, table: _SignalTable, u: np.ndarray):
    """Inputs at every row: those that make the efforts, zero for the others."""
    rows = np.zeros_like(u)
    for e in s.inputs:
        if e.name in table.signals:
            rows[:, s.layout.inputs[e.name].start] = table.signals[e.name]
    return rows


def _list_exceeded_limits(model: EvaluatedModel, table: _SignalTable, times: np.ndarray):
    """Sentences about efforts, speeds and coordinates beyond the limits of their joints (LI.13)."""
    s = model.system
    joints = {j.name: j for j in s.model.joints}
    for k in s.links:
        j = joints.get(k.name)
        if j is None or k.joint.nv != 1:
            continue
        limits = j.bounds
        ends = (None, None) if limits is None else np.ravel(np.asarray(limits, dtype=object))[:2]
        checks = (
            ("max_effort", table.effort_names[k.v.start], j.max_effort, True, 1),
            ("max_speed", s.speeds[k.v.start], j.max_speed, True, 1),
            ("its upper limit", s.coordinates[k.q.start], ends[1], False, 1),
            ("its lower limit", s.coordinates[k.q.start], ends[0], False, -1),
        )
        for limit_name, signal, limit, is_symmetric, sign in checks:
            if limit is None or signal not in table.signals:
                continue
            bound = values.nominal(values.exact(limit), model.parameters_by_name)
            x = np.asarray(table.signals[signal], float)
            excess = (abs(x) if is_symmetric else sign * x) - sign * bound
            i = int(np.argmax(excess))
            if excess[i] > 1e-9 * max(1.0, abs(bound)):
                unit = table.units[signal]
                yield (
                    f"{signal} goes beyond {limit_name} {bound:g} {unit} by {excess[i]:.4g} {unit} "
                    f"at t = {times[i]:.4g} s"
                )


class _SignalTable:
    """Signals with units, in the order of their addition."""

    def __init__(self, system: System):
        self.system = system
        self.signals: dict[str, Any] = {}
        self.units: dict[str, str] = {}
        speeds = [(k, n, u) for k in system.owners for n, u in k.joint.speeds]
        self.effort_names = [
            f"{k.name}.effort" + ("" if k.joint.nv == 1 else f".{n}") for k, n, _ in speeds
        ]
        self.effort_units = ["N m" if u.startswith("rad") else "N" for *_, u in speeds]

    def add(self, name: str, unit: str, x: np.ndarray):
        self.signals[name], self.units[name] = x, unit

    def add_efforts(self, j: int, total: np.ndarray, parts: dict[str, np.ndarray]):
        """Add an effort and its contributions."""
        self.add(self.effort_names[j], self.effort_units[j], total)
        for part, x in parts.items():
            self.add(f"{self.effort_names[j]}.{part}", self.effort_units[j], x)

    def add_powers(self, path: MechanismPath):
        """Add the power of every effort [W]."""
        for j, name in enumerate(self.effort_names):
            if name in self.signals:
                self.add(name.replace(".effort", ".power"), "W", self.signals[name] * path.v[:, j])

    def add_motion(self, path: MechanismPath):
        """Add coordinates, speeds and accelerations."""
        names = {p.name: p.unit for p in self.system.ports}
        for name, x in zip(self.system.coordinates, path.q.T, strict=True):
            self.add(name, names[name], x)
        for j, name in enumerate(self.system.speeds):
            self.add(name, names[name], path.v[:, j])
            self.add(
                self.effort_names[j].replace(".effort", ".acceleration"),
                f"{names[name]}2",
                path.a[:, j],
            )


def _split_efforts(
    model: EvaluatedModel, efforts: Along, path: MechanismPath, times: np.ndarray, elements: tuple
):
    """Contributions to the efforts, each (rows, nv) (LI.4)."""
    s = model.system
    q, v, a, drift = path.q, path.v, path.a, path.drift
    zero = np.zeros_like(v)

    def compute_efforts(v, a):
        return model.quantity("inverse_dynamics", q, v, a, t=times)

    at_rest = compute_efforts(zero, zero)
    centrifugal = zero.copy()
    for k in range(len(path.independent)):
        centrifugal += compute_efforts(*path.move_single(k)) - at_rest
    parts = {
        "inertia": compute_efforts(zero, a - drift) - at_rest,
        "centrifugal": centrifugal,
        "coriolis": compute_efforts(v, drift) - at_rest - centrifugal,
        "gravity": at_rest,
    }  # LI.4
    if s.rheonomic:
        parts["gravity"] = model.quantity("gravity_forces", q, t=times)
        parts["transport"] = at_rest - parts["gravity"]  # RP.9
    each = compute_element_forces(model, times, q, v, *elements)
    for i, e in enumerate(s.elements):
        if i not in efforts.skipped:
            parts[e.name] = -each[:, i]
    frictions = efforts.friction_forces(times, q, v)
    return parts | {n: -frictions[:, i] for i, n in enumerate(efforts.frictions)}


def _record_efforts_with_elastic_drives(
    table: _SignalTable,
    model: EvaluatedModel,
    parts: dict[str, np.ndarray],
    total: np.ndarray,
    twists: Any,
):
    """Record in the table the efforts with elastic drives: of links, motors and shafts."""
    rotors = {x.rotor[1] for x, *_ in twists}
    through = {x.link[1]: x for x, *_ in twists}
    for j in range(model.system.nv):
        if j not in rotors:
            contributions = {part: x[:, j] for part, x in parts.items()}
            effort: Any = sum(contributions.values()) if j in through else total[:, j]
            table.add_efforts(j, effort, contributions)
    for x, T, twist in twists:
        j, e = x.rotor[1], x.element
        if j not in through:  # the motor; others turn along
            table.add(table.effort_names[j], table.effort_units[j], total[:, j])
        unit = ("rad", "N m") if e.angular else ("m", "N")
        table.add(f"{e.name}.force", unit[1], T)
        table.add(f"{e.name}.deflection", unit[0], twist.x)


def _solve_inputs(model: EvaluatedModel, table: _SignalTable, loads: np.ndarray):
    """Inputs that would make the efforts, one for a coordinate: name -> (values, unit)."""
    s, out = model.system, {}
    pushes = [
        e
        for e in s.elements
        if len(e.weights) == 1 and e.law is not None and e.law.push is not None
    ]
    for e in pushes:
        (_, j, w), (name, *straight) = e.weights[0], e.law.push
        is_single = sum(f.weights[0][1] == j for f in pushes) == 1
        is_shared = sum(name in f.law.inputs for f in s.elements if f.law is not None) > 1
        if is_single and not is_shared and name not in table.signals:
            w, gain, value = (
                values.nominal(values.exact(x), model.parameters_by_name) for x in (w, *straight)
            )
            unit = next(x.unit for x in s.inputs if x.name == name)
            out[name] = ((loads[:, j] / w - value) / gain, unit)
    return out


__all__ = ["inverse"]
