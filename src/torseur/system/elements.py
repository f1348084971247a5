"""Force elements of a system: names resolved to links and slots; drives and dampers spelt out.

A `ForceElement` says where it acts (`kind`), by which law, and which slots of z, m, u are its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..errors import ModelError, unknown_name
from ..forces import (
    Bushing,
    CoordinateForce,
    JointForce,
    Law,
    Limits,
    PlaneForce,
    PointForce,
    Viscous,
    Wrench,
    expanded,
)
from ..numbers import values, vector
from ..spatial import Place, Pose


@dataclass(frozen=True, slots=True, eq=False)
class ForceElement:
    """One force element.

    `ends` are the places it joins; `weights` (index of a coordinate, of its speed, weight) the
    coordinates it acts on; `data` the description.
    """

    name: str
    kind: str  # points, plane, coordinates, wrench, bushing
    law: Law | None
    data: Any
    ends: tuple[Place, ...]
    weights: tuple[tuple[int, int, Any], ...]
    z: slice
    m: slice
    u: tuple[int, ...] = ()  # slots of the law's inputs
    seen: tuple[tuple[str, int], ...] = ()  # (place, slot) of the named signals it sees
    states: tuple[tuple[str, str], ...] = ()
    memory: tuple[tuple[str, str], ...] = ()

    @property
    def angular(self) -> bool:
        """Whether its deflection is an angle."""
        return self.kind == "coordinates" and self.data[1] == "rad"


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
    found = [*_dampers(system), *(_resolved(system, f) for f in system.forces)]
    out, z, m = [], 0, 0
    slots = system.layout.inputs
    for name, kind, law, data, ends, weights in found:
        states, memory = (law.states, law.memory) if law else ((), ())
        inputs = list(law.inputs) if law else []
        if kind == "wrench" and data.input is not None:
            inputs.append(data.input)
        u = tuple(i for n in inputs for i in range(slots[n].start, slots[n].stop))
        seen = tuple(_signal(system, n, name, problems) for n in (law.signals if law else ()))
        out.append(
            ForceElement(
                name,
                kind,
                law,
                data,
                ends,
                weights,
                slice(z, z + len(states)),
                slice(m, m + len(memory)),
                u,
                seen,
                states,
                memory,
            )
        )
        z, m = z + len(states), m + len(memory)
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
    for k in system.links:
        for i, c in enumerate(k.damping):
            if c != 0 and k.joint.holonomic:
                coordinate, unit = k.joint.coordinates[i]
                name = f"{k.name}.damping" if k.joint.nv == 1 else f"{k.name}.{coordinate}.damping"
                yield (
                    name,
                    "coordinates",
                    Viscous(c),
                    (name, unit),
                    (),
                    ((k.q.start + i, k.v.start + i, 1),),
                )


def _resolved(system, f):
    match f:
        case PointForce():
            return f.name, "points", f.law, f, (_place(system, f.a), _place(system, f.b)), ()
        case PlaneForce():
            return f.name, "plane", f.law, f, (_place(system, f.point), _place(system, f.plane)), ()
        case JointForce():
            k = system.link(f.joint)
            own = [n for n, _ in k.joint.coordinates]
            i = 0 if f.coordinate is None else own.index(f.coordinate)
            return (
                f.name,
                "coordinates",
                f.law,
                (f.name, k.joint.coordinates[i][1]),
                (),
                ((k.q.start + i, k.v.start + i, 1),),
            )
        case CoordinateForce():
            units = [unit for k in system.links for _, unit in k.joint.coordinates]
            where = {n: i for i, n in enumerate(system.coordinates)}
            speed = {
                k.q.start + i: k.v.start + i
                for k in system.links
                if k.joint.holonomic
                for i in range(k.joint.nv)
            }
            weights = tuple((where[n], speed[where[n]], values.exact(w)) for n, w in f.weights)
            return f.name, "coordinates", f.law, (f.name, units[weights[0][0]]), (), weights
        case Wrench():
            ends = (_place(system, f.frame), _place(system, f.reaction))
            return f.name, "wrench", f.law, f, ends, ()
        case Bushing():
            return f.name, "bushing", None, f, (_place(system, f.a), _place(system, f.b)), ()
    raise ModelError(
        [
            f"force {getattr(f, 'name', f)!r}: expected a line of action such as "
            f"ts.PointForce, got {type(f).__name__}"
        ]
    )


def _place(system, end) -> Place:
    name, point = (end, None) if isinstance(end, str) else end
    P = system.places[name]
    if point is None:
        return P
    return Place(P.link, P.X_LB @ Pose(p=vector(values.exact(x) for x in point)))
