"""Forces of a model in a system: drives and dampers spelt out, names resolved, slots given."""

from __future__ import annotations

from dataclasses import replace

from ..errors import unknown_name
from ..forces import ForceElement, JointForce, Limits, Line, Listed, Viscous, expanded


def spelt_out(reader, model):
    """The model with drives and stops as rotors, armatures and forces; the reader gets problems."""
    problems = [
        p
        for j in model.joints
        if j.drive is not None
        for p in (
            j.drive.problems(j, model)
            if hasattr(j.drive, "problems")
            else (f"joint {j.name!r}: expected a ts.Drive, got {j.drive!r}",)
        )
    ]
    stops = [
        JointForce(f"{j.name}.limits", j.name, j.limits)
        for j in model.joints
        if isinstance(j.limits, Limits)
    ]
    reader.problems += problems
    if problems:
        return model
    if stops:
        free = tuple(
            replace(j, limits=None) if isinstance(j.limits, Limits) else j for j in model.joints
        )
        model = replace(model, joints=free, forces=(*model.forces, *stops))
    return expanded(model)


def force_elements(system, problems: list[str]) -> tuple[ForceElement, ...]:
    """Every force element of a system, its joints' damping and limits included."""
    out, z, m, d = [], 0, 0, 0
    slots = system.layout.inputs
    for line in (*_dampers(system), *system.forces):
        if not isinstance(line, Line):
            problems.append(
                f"force {getattr(line, 'name', line)!r}: expected a line of action such as "
                f"ts.PointForce, got {type(line).__name__}"
            )
            continue
        law = line.law
        states, memory, read = (law.states, law.memory, law.inputs) if law else ((), (), ())
        u = tuple(i for n in (*read, *line.inputs) for i in range(slots[n].start, slots[n].stop))
        seen = tuple(_signal(system, n, line.name, problems) for n in (law.signals if law else ()))
        nz, nm = z + len(states), m + len(memory)
        where = line.resolved(system)
        lists = tuple(Listed(m + i, rows) for i, rows in (law.lists() if law else ()))
        nd = d + sum(3 * len(x.rows[0]) for x in lists)
        own = (slice(z, nz), slice(m, nm), u, seen, lists, range(d, nd))
        out.append(ForceElement(line.name, line, where, *own))
        z, m, d = nz, nm, nd
    return tuple(out)


def _signal(system, name, who, problems) -> tuple[str, int]:
    at = system.layout
    for ports in (at.q, at.v):
        if name in ports.names:
            return ports.place, ports.slot(name)
    if name in at.inputs:
        return "u", at.inputs[name].start
    known = (*at.q.names, *at.v.names, *at.inputs)
    problems.append(unknown_name("coordinate, speed or input", name, known, f"force {who!r}"))
    return "q", 0


def _dampers(system):
    """Viscous friction of joints, as forces on their coordinates."""
    for k in system.links:
        for i, c in enumerate(k.damping):
            if c != 0 and k.joint.holonomic:
                coordinate = k.joint.coordinates[i][0]
                name = f"{k.name}.damping" if k.joint.nv == 1 else f"{k.name}.{coordinate}.damping"
                yield JointForce(name, k.name, Viscous(c), coordinate)
