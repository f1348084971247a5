"""From identified parameters back to a description that simulates."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..errors import TorseurError
from ..forces import CoordinateForce, JointForce, Spring
from ..model import paths
from ..numbers import values
from ..spatial import Inertia
from .friction import FRICTION
from .sought import written_name


def written_back(lin, p):
    """The model of `lin` with parameters p: masses, armatures, and friction as force elements."""
    loaded = [n for n in lin.friction if FRICTION[n].loaded]
    if loaded:
        raise TorseurError(
            f"identify: friction {loaded[0]!r} depends on the load, for which a "
            "model has no force element; predict(q, v, a) has it"
        )
    described = lin.system.model
    K = lin.system.floats().K
    inertias = {}
    for i, k in enumerate(lin.links):
        X_LB = lin.system.places[k.body].X_LB
        I = Inertia.of_parameters(p[10 * i : 10 * i + 10])
        X_BL = X_LB.inverse()
        X_BL = type(X_BL)(K.numbers(X_BL.R), K.numbers(X_BL.p))
        ten = [float(x) for x in I.moved(X_BL).parameters()]
        for name, place in lin.system.places.items():
            if place.link == k.index:
                inertias[name] = [0.0] * 10
        inertias[k.body] = ten
    bodies = tuple(
        b
        if b.name not in inertias
        else replace(
            b,
            mass=inertias[b.name][0],
            com=(0, 0, 0),
            first_moment=tuple(inertias[b.name][1:4]),
            inertia=tuple(inertias[b.name][4:]),
            about="origin",
        )
        for b in described.bodies
    )
    rotor: dict[Any, Any] = {}
    forces: list[Any] = []
    shafts: dict[str, dict[str, float]] = {}
    for c, (_, _, kind, i) in enumerate(lin.columns):
        if kind == "inertia":
            continue
        if kind == "shaft":
            own = lin.shafts[i]
            shafts.setdefault(own.element.name, {})[own.number] = max(0.0, float(p[c]))
            continue
        link = next(k for k in lin.system.links if k.v.start <= i < k.v.stop)
        if kind == "rotor":
            size = max(0.0, float(p[c]))  # zero, to rounding
            if link.auxiliary:
                shafts.setdefault(f"{link.name}.shaft", {})["rotor_inertia"] = size
            else:
                rotor.setdefault(link.name, []).append(size)
            continue
        size = float(p[c]) if FRICTION[kind].signed else max(0.0, float(p[c]))
        size /= lin.own.get(("gain", i), 1.0)  # the effort that acts, not what its sensor says
        law = FRICTION[kind]().law(size, lin.own_of(kind, i))
        name = written_name(link, i - link.v.start, kind)
        own = link.joint.coordinates[i - link.v.start][0]
        if link.auxiliary:
            forces.append(CoordinateForce(name, {f"{link.name}.{own}": 1}, law))
        else:
            forces.append(JointForce(name, link.name, law, own if link.joint.nv > 1 else None))
    for link in lin.system.links:
        if stiffness := lin.own.get(("spring", link.v.start), 0.0):
            law = Spring(stiffness / lin.own.get(("gain", link.v.start), 1.0))
            forces.append(JointForce(written_name(link, 0, "spring"), link.name, law))
    joints = tuple(
        _with_rotors(j, rotor[j.name], described.parameters) if j.name in rotor else j
        for j in described.joints
    )
    made = replace(
        described,
        bodies=bodies,
        joints=joints,
        forces=(*described.forces, *forces),
        name=f"{described.name}, identified",
    )
    for name, numbers in shafts.items():
        made = _shaft(made, name, numbers)
    return made


def _with_rotors(joint, sizes, parameters):
    """A joint with inertias of its own: of its motor, seen through the gear, where it has one."""
    drive = joint.drive
    if drive is None or drive.elastic:
        return replace(joint, armature=tuple(sizes) if len(sizes) > 1 else sizes[0])
    stages = tuple(replace(s, inertia=0) for s in drive.stages)
    motor = next(s for s in drive.chain() if s.name == drive.motor)
    ratio = float(values.exact(values.filled(motor.ratio, values.nominals(parameters))))
    rotor = sizes[0] / ratio**2  # DR.1
    if stages:
        stages = tuple(replace(s, inertia=rotor) if s.name == drive.motor else s for s in stages)
        return replace(joint, armature=0, drive=replace(drive, stages=stages))
    return replace(joint, armature=0, drive=replace(drive, rotor_inertia=rotor))


def _shaft(model, name, numbers):
    """The model with numbers of a shaft: of a drive, or of a force of its own."""
    rotors = {r.name for r in getattr(model, "rotors", ())}
    if name.removesuffix(".shaft") in rotors:
        return paths.replaced(
            model, f"{name.removesuffix('.shaft')}.inertia", numbers["rotor_inertia"]
        )
    if any(f.name == name for f in model.forces):
        for number, x in numbers.items():
            model = paths.replaced(model, f"{name}.{number}", x)
        return model
    joint, _, part = name.removesuffix(".shaft").rpartition(".")
    found = next((j for j in model.joints if j.name == joint and j.drive is not None), None)
    if found is None or found.drive.stages or found.drive.motor != part:
        raise TorseurError(
            f"identify: the shaft {name!r} is of a drive in stages, which is not written back; "
            "predict(q, v, a) has it"
        )
    if "rotor_inertia" in numbers:  # told at its own axis
        ratio = float(values.exact(found.drive.ratio))
        numbers = {**numbers, "rotor_inertia": numbers["rotor_inertia"] / ratio**2}
    made = replace(found, drive=replace(found.drive, **numbers))
    return replace(model, joints=tuple(made if j is found else j for j in model.joints))
