"""Lowering of forces: drives and dampers expanded, names resolved, slots assigned."""

from __future__ import annotations

from dataclasses import replace

from ...errors import misfits, unknown_name_message
from ...forces import (
    CoordinateForce,
    ForceElement,
    JointForce,
    Line,
    Seen,
    TableRows,
    TimeTable,
    Viscous,
    expanded,
)
from ...scalars import Graph, vector


def expand_drives(reader, model):
    """Expand drives and stops to rotors, armatures and forces.  Problems go to the reader."""
    problems: list[str] = []
    for j in model.joints:
        if j.drive is not None and not hasattr(j.drive, "problems"):
            problems.append(f"joint {j.name!r}: expected a ts.Drive, got {j.drive!r}")
        elif j.drive is not None:
            with misfits(f"joint {j.name!r}, drive", problems):
                problems += j.drive.problems(j, model)
    stops = [
        JointForce(f"{j.name}.limits", j.name, j.stops) for j in model.joints if j.stops is not None
    ]
    reader.problems += problems
    if problems:
        return model
    if stops:
        free = tuple(j if j.stops is None else replace(j, limits=None) for j in model.joints)
        model = replace(model, joints=free, forces=(*model.forces, *stops))
    return expanded(_add_motion_points(model))


def _add_motion_points(model):
    """Add the table points of driven motions as events, by forces of zero."""
    point_forces = []
    for c in model.constraints:
        if times := getattr(c, "times", ()):
            table = TimeTable(tuple((t, 0) for t in (*times, *(TIME_OF_NO_EVENT,) * c.rests)))
            point_forces.append(CoordinateForce(f"{c.name}.points", {c.coordinate: 1}, table))
    # told where the motion is read
    point_forces = [f for f in point_forces if not list(f.problems(model))]
    return replace(model, forces=(*model.forces, *point_forces)) if point_forces else model


def force_elements(system, problems: list[str]) -> tuple[ForceElement, ...]:
    """Every force element of a system, its joints' damping and limits included."""
    out, z, m, d = [], 0, 0, 0
    slots = system.layout.inputs
    for line in (*_joint_dampers(system), *system.strains, *system.forces):
        if not isinstance(line, Line):
            problems.append(
                f"force {getattr(line, 'name', line)!r}: expected a line of action such as "
                f"ts.PointForce, got {type(line).__name__}"
            )
            continue
        law = line.acting
        states, memory, read = (law.states, law.memory, law.inputs) if law else ((), (), ())
        u = tuple(i for n in (*read, *line.inputs) for i in range(slots[n].start, slots[n].stop))
        signals = (*(law.signals if law else ()), *line.signals)
        seen = tuple(_signal_source(system, n, line.name, problems) for n in signals)
        if any(place in ACCELERATION_DEPENDENT for place, _ in seen):
            problems += _nonlinearity_problems(system, line, seen)
        nz, nm = z + len(states), m + len(memory)
        resolved = line.resolved(system)
        lists = tuple(TableRows(m + i, rows) for i, rows in (law.lists() if law else ()))
        nd = d + sum(3 * len(x.rows[0]) for x in lists)
        fields = (slice(z, nz), slice(m, nm), u, seen, lists, range(d, nd), law)
        out.append(ForceElement(line.name, line, resolved, *fields))
        z, m, d = nz, nm, nd
    return tuple(out)


TIME_OF_NO_EVENT = 1e12  # [s], after the last point of a table that ends at rest
# what follows from the accelerations, not only from the state
ACCELERATION_DEPENDENT = ("lam", "reactions")  # arrays that depend on the accelerations


def _signal_source(system, name, who, problems) -> tuple[str, int]:
    at = system.layout
    for ports in (at.q, at.v):
        if name in ports.names:
            return ports.place, ports.slot(name)
    if name in at.inputs:
        return "u", at.inputs[name].start
    if name in at.lam.names:
        return "lam", at.lam.slot(name)
    joints = {k.name: k.index for k in system.links if not k.auxiliary}
    joint, _, component = name.partition(".reaction.")
    kind, _, c = component.partition(".")
    if joint in joints and kind in ("moment", "force") and c in tuple("xyz"):
        return "reactions", 6 * (joints[joint] - 1) + 3 * (kind == "force") + "xyz".index(c)
    names = (*at.q.names, *at.v.names, *at.inputs, *at.lam.names)
    names += tuple(f"{n}.reaction.force.x" for n in joints)
    kinds = "coordinate, speed, input, multiplier or reaction"
    problems.append(unknown_name_message(kinds, name, names, f"force {who!r}"))
    return "q", 0


def _nonlinearity_problems(system, line, seen):
    """Problems of a law that sees multipliers or reactions and is not linear in them."""
    where = f"force {line.name!r}"
    frictions = [e.name for e in system.switched if e.friction and e.friction.normal is not None]
    if frictions:
        yield (
            f"{where} sees a multiplier or a reaction, which the dry friction "
            f"{frictions[0]!r} changes by its own normal force; give the friction a force=, or "
            "write it as a law too"
        )
    slots = [i for i, (place, _) in enumerate(seen) if place == "lam"]
    for i in slots:
        row, first = seen[i][1], 0
        for e, rows in zip((*system.held, *system.switched), system.layout.rows, strict=True):
            if e.friction and first <= row < first + len(rows):
                yield f"{where} sees the force of the friction {e.name!r}; name a normal force"
            first += len(rows)
    if line.law is None:
        return
    K = Graph(dict.fromkeys(system.parameters, 1.0))
    u = K.symbols(f"u{i}" for i in range(len(line.law.inputs) + len(line.law.signals)))
    reactions = [
        u[len(line.law.inputs) + i]
        for i, (place, _) in enumerate(seen)
        if place in ACCELERATION_DEPENDENT
    ]
    x, rate, t = (K.symbol(n) for n in ("x", "rate", "t"))
    z, m = (tuple(K.symbols(f"{n}{i}" for i in range(len(of)))) for n, of in
            (("z", line.law.states), ("m", line.law.memory)))  # fmt: skip
    reaction_vector = K.sx(vector(reactions))
    derivative = K.lib.jacobian(
        K.sx(line.law.force(K, Seen(x, rate, t, z, m, tuple(u)))), reaction_vector
    )
    if K.lib.depends_on(derivative, reaction_vector) or not line.linear:
        yield (
            f"{where}: its force is not linear in the multiplier or reaction that it sees, so that "
            "no solution is certain; use it as a factor, without abs or powers; for Coulomb "
            "friction use ts.DryFriction(coefficient=..., normal=...)"
        )


def _joint_dampers(system):
    """Viscous damping of joints as forces on their coordinates or speeds."""
    for k in system.links:
        for i, c in enumerate(k.damping):
            if c != 0:
                entries = k.joint.coordinates if k.joint.holonomic else k.joint.speeds
                coordinate = entries[i][0]
                name = f"{k.name}.damping" if k.joint.nv == 1 else f"{k.name}.{coordinate}.damping"
                yield JointForce(name, k.name, Viscous(c), coordinate)
