"""Efforts along a motion, with their contributions.  Theory: LI.4, LI.5, LI.11, LI.12."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import TorseurError, unknown_name
from ...kernels import StateRows
from ...results import Trajectory
from ...scalars.values import value as values
from ...system import read_start
from ..operating_point import Workbench
from .actuator_distribution import forces_along, shared_efforts
from .closed_loops import closed_path, open_path
from .elastic_drives import Motors, Shaft, elements_along, following, shafts
from .interpreted_efforts import Along
from .signals import CourseSignals
from .trajectory import course

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from ...model import Model
    from ...system import System
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
    motion : coordinates by name, each a motion law (`law(t)` gives position, speed, acceleration;
        `law.derivative(t, n)` more), a text of the time such as "0.5*sin(2*t)", or an array beside
        "time", splined; or a run, whose coordinates are taken.  In a tree the others stay neutral;
        in a mechanism with loops they follow by assembly.
    times : where to compute [s]; by default `points` even ones over the longest law, with both
        sides of its breakpoints
    actuators : joints (or coordinates) that make the effort, or force elements driven by an input;
        by default the joints that lead.  More of them than degrees of freedom share the effort with
        the least sum of squares; fewer are an error
    near : roughly where the other coordinates of a mechanism with loops start

    Returns
    -------
    Trajectory
        `elbow.effort`, and `elbow.effort.inertia`, `.coriolis`, `.centrifugal`, `.gravity`, and one
        of each force element without inputs and dry friction, `elbow.effort.<element>`: what the
        actuator must give against each; the whole motion; multipliers of loops; inputs that would
        make the efforts.  Rotors on elastic shafts: `elbow.motor.angle`, `.rate`, `.acceleration`,
        `.effort`.  Where a joint goes beyond its `max_effort`, `max_speed` or `limits`, `outcome`
        says by how much and when.  And, computed when first asked for, `elbow.power` [W],
        reactions of joints and loops (`elbow.reaction.force.x`), `energy.kinetic`, `.potential`,
        `.dissipated`, `.supplied` (by all actuators) and their `.residual`, what force elements
        do, and places, speeds and accelerations of bodies and frames, as in a run.

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
    bench = Workbench(model, parameters, inputs, "inverse", rubs=True)
    near = read_start(bench.system, near, parameters)
    s = bench.system
    way = course(s, motion, times, points, bench.bound)
    skipped = [i for i, e in enumerate(s.elements) if e.law is not None and e.law.inputs]
    elastic = shafts(s, way.laws, bench.bound)
    if elastic and bench.held is not None:
        raise TorseurError(
            f"inverse: {s.name!r} has loops and elastic shafts "
            f"({elastic[0].element.name!r}); stiffen them by flexible=False, or take"
            " the loops out"
        )
    if elastic and actuators is not None:
        raise TorseurError(
            f"inverse: the motors of {s.name!r} push through elastic shafts, so they"
            " are the actuators; leave actuators= out"
        )
    known = (*s.coordinates, *s.speeds)
    if bad := [
        unknown_name("coordinate", n, known, "inverse, near") for n in near or () if n not in known
    ]:
        raise TorseurError("\n".join(bad))
    along = Along(s, bench.bound, (*skipped, *(x.index for x in elastic)))
    path = open_path(s, way) if bench.held is None else closed_path(bench, way, near)
    outcome = f"efforts along a motion of {way.times[-1] - way.times[0]:g} s"
    bent: list[tuple[Shaft, np.ndarray, ShaftTwist]] = []
    if elastic:
        motors = Motors(bench, along, way, elastic)
        bent = motors.solve(path.q, path.v, path.a)
        outcome += motors.smooth()
    rest = elements_along(bench, way.times, path.q, path.v)
    parts = _parts(bench, along, path, way.times, rest)
    total: Any = sum(parts.values())
    book = _Book(s)
    lam = np.zeros((len(way.times), len(s.layout.lam)))
    if elastic:
        for x, T, _ in bent:
            total[:, x.rotor[1]] += x.weights[0] * T
            total[:, x.link[1]] += x.weights[1] * T  # nothing is left for the link itself
        _elastic_efforts(book, bench, path, parts, total, bent)
        loads = total
    else:
        loads, lam, told = shared_efforts(book, bench, path, parts, total, actuators, way)
        outcome += told
    for i, unit in _inputs_of(bench, book, loads).items():
        book.signals[i], book.units[i] = unit
    book.motion(path)
    book.powers(path)
    outcome += "".join(f"; {text}" for text in _beyond(bench, book, way.times))
    if stateful := following(s):
        outcome += f"; states of {', '.join(map(repr, stateful))} follow the motion from its start"
    for i, rubs in along.sliding(way.times, path.q, path.v).items():
        lam[:, i] = rubs
    rubbed = sum((np.sum(parts[n] * path.v, axis=1) for n in along.frictions), 0.0)
    signals = CourseSignals(
        s,
        StateRows(way.times, path.q, path.v, rest[0], rest[1], _given(s, book, rest[2])),
        bench.p,
        (path.a, lam),
        book.signals,
        (np.sum(total * path.v, axis=1), rubbed),
    )
    return Trajectory(
        way.times,
        book.signals,
        book.units | {n: u for n, u in signals.units.items() if n not in book.units},
        outcome,
        provenance={
            "model": s.name,
            "digest": s.digest,
            "state": (*s.coordinates, *s.speeds),
            "coordinates": s.coordinates,
        },
        source=signals,
    )


def _given(s, book, u):
    """Inputs at every row: those that make the efforts, zero for the others."""
    out = np.zeros_like(u)
    for e in s.inputs:
        if e.name in book.signals:
            out[:, s.layout.inputs[e.name].start] = book.signals[e.name]
    return out


def _beyond(bench, book, times):
    """Sentences for efforts, speeds and coordinates beyond the limits of their joints.  # LI.13"""
    s = bench.system
    own = {j.name: j for j in s.model.joints}
    for k in s.links:
        j = own.get(k.name)
        if j is None or k.joint.nv != 1:
            continue
        limits = j.bounds
        pair = (None, None) if limits is None else np.ravel(np.asarray(limits, dtype=object))[:2]
        watched = (
            ("max_effort", book.effort[k.v.start], j.max_effort, True, 1),
            ("max_speed", s.speeds[k.v.start], j.max_speed, True, 1),
            ("its upper limit", s.coordinates[k.q.start], pair[1], False, 1),
            ("its lower limit", s.coordinates[k.q.start], pair[0], False, -1),
        )
        for word, signal, limit, both, sign in watched:
            if limit is None or signal not in book.signals:
                continue
            bound = values.nominal(values.exact(limit), bench.bound)
            x = np.asarray(book.signals[signal], float)
            over = (abs(x) if both else sign * x) - sign * bound
            i = int(np.argmax(over))
            if over[i] > 1e-9 * max(1.0, abs(bound)):
                unit = book.units[signal]
                yield (
                    f"{signal} goes beyond {word} {bound:g} {unit} by {over[i]:.4g} {unit} at "
                    f"t = {times[i]:.4g} s"
                )


class _Book:
    """Signals with units, in the order they are written."""

    def __init__(self, system):
        self.system, self.signals, self.units = system, {}, {}
        speeds = [(k, n, u) for k in system.owners for n, u in k.joint.speeds]
        self.effort = [
            f"{k.name}.effort" + ("" if k.joint.nv == 1 else f".{n}") for k, n, _ in speeds
        ]
        self.unit = ["N m" if u.startswith("rad") else "N" for *_, u in speeds]

    def add(self, name, unit, x):
        self.signals[name], self.units[name] = x, unit

    def efforts(self, j, total, parts):
        """An effort and what it is made of."""
        self.add(self.effort[j], self.unit[j], total)
        for part, x in parts.items():
            self.add(f"{self.effort[j]}.{part}", self.unit[j], x)

    def powers(self, path):
        """Power of every effort [W]."""
        for j, name in enumerate(self.effort):
            if name in self.signals:
                self.add(name.replace(".effort", ".power"), "W", self.signals[name] * path.v[:, j])

    def motion(self, path):
        """Coordinates, speeds and accelerations."""
        names = {p.name: p.unit for p in self.system.ports}
        for name, x in zip(self.system.coordinates, path.q.T, strict=True):
            self.add(name, names[name], x)
        for j, name in enumerate(self.system.speeds):
            self.add(name, names[name], path.v[:, j])
            self.add(
                self.effort[j].replace(".effort", ".acceleration"), f"{names[name]}2", path.a[:, j]
            )


def _parts(bench, along, path, times, rest):
    """Contributions to the efforts, each (rows, nv)."""
    s = bench.system
    q, v, a, drift = path.q, path.v, path.a, path.drift
    zero = np.zeros_like(v)

    def needed(v, a):
        return bench.quantity("inverse_dynamics", q, v, a, t=times)

    still = needed(zero, zero)
    centrifugal = zero.copy()
    for k in range(len(path.lead)):
        centrifugal += needed(*path.alone(k)) - still
    parts = {
        "inertia": needed(zero, a - drift) - still,
        "centrifugal": centrifugal,
        "coriolis": needed(v, drift) - still - centrifugal,
        "gravity": still,
    }  # LI.4
    if s.rheonomic:
        parts["gravity"] = bench.quantity("gravity_forces", q, t=times)
        parts["transport"] = still - parts["gravity"]  # RP.9
    each = forces_along(bench, times, q, v, *rest)
    for i, e in enumerate(s.elements):
        if i not in along.skipped:
            parts[e.name] = -each[:, i]
    rubbing = along.rubbing(times, q, v)
    return parts | {n: -rubbing[:, i] for i, n in enumerate(along.frictions)}


def _elastic_efforts(book, bench, path, parts, total, bent):
    """Efforts of a tree with elastic shafts: at the links through the shafts, at the rotors."""
    rotors = {x.rotor[1] for x, *_ in bent}
    through = {x.link[1]: x for x, *_ in bent}
    for j in range(bench.system.nv):
        if j not in rotors:
            own = {part: x[:, j] for part, x in parts.items()}
            book.efforts(j, sum(own.values()) if j in through else total[:, j], own)
    for x, T, twist in bent:
        j, e = x.rotor[1], x.element
        if j not in through:  # the motor; others turn along
            book.add(book.effort[j], book.unit[j], total[:, j])
        unit = ("rad", "N m") if e.angular else ("m", "N")
        book.add(f"{e.name}.force", unit[1], T)
        book.add(f"{e.name}.deflection", unit[0], twist.x)


def _inputs_of(bench, book, loads):
    """Inputs that would give the efforts, one to a coordinate: name -> (values, unit)."""
    s, out = bench.system, {}
    pushes = [
        e
        for e in s.elements
        if len(e.weights) == 1 and e.law is not None and e.law.push is not None
    ]
    for e in pushes:
        (_, j, w), (name, *straight) = e.weights[0], e.law.push
        alone = sum(f.weights[0][1] == j for f in pushes) == 1
        shared = sum(name in f.law.inputs for f in s.elements if f.law is not None) > 1
        if alone and not shared and name not in book.signals:
            w, gain, value = (values.nominal(values.exact(x), bench.bound) for x in (w, *straight))
            unit = next(x.unit for x in s.inputs if x.name == name)
            out[name] = ((loads[:, j] / w - value) / gain, unit)
    return out


__all__ = ["inverse"]
