"""From identified parameters back to a description that simulates."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ModelError, ModelWarning, TorseurError, system_of
from ...forces import CoordinateForce, JointForce, Spring
from ...model import field_paths
from ...scalars.values import value
from ...spatial import Inertia
from ...system import System
from .friction import FRICTION

# --------------------------------------------------------------------------------------------
# What a model says of masses and friction is not known where it is looked for.


def without_friction(model: Any, names: tuple[str, ...]) -> System:
    """The system of a model without the friction of single coordinates that `names` look for.

    Forces of joints that are friction and nothing else, viscous damping of joints and drives, and
    what an earlier identification has written.  Masses that no body has are no fault here.
    """
    kinds = {FRICTION[n].kind for n in names}
    system = _lenient(model)
    described = system.model
    sought = (*names, "spring") if "offset" in names else names
    written = {
        written_name(k, i, n) for k in system.links for i in range(k.joint.nv) for n in sought
    }

    def known(force) -> bool:
        one = hasattr(force, "joint") or len(getattr(force, "weights", ())) == 1
        law = getattr(force, "law", None)
        if not one or law is None:
            return True
        return force.name not in written and not (law.friction and {*law.friction} <= kinds)

    forces, joints = tuple(f for f in described.forces if known(f)), described.joints
    if "viscous" in kinds:
        joints = tuple(map(_undamped, joints))
    if len(forces) == len(described.forces) and all(
        a is b for a, b in zip(joints, described.joints, strict=True)
    ):
        return system
    return _lenient(replace(described, forces=forces, joints=joints))


def unknown_forces(system: System) -> Iterator[str]:
    """Elements whose force does not follow from coordinates and speeds, and why."""
    for e in system.elements:
        if is_motor(e):
            continue
        if e.states or (e.law is not None and e.law.history):
            yield f"{e.name!r}, which remembers"
        elif e.law is not None and e.law.inputs and e.law.push is None:
            yield f"{e.name!r}, which reads the input {e.law.inputs[0]!r}"

    rest = without_motors(system)
    if rest.forces and _of_time(rest):
        for f in rest.model.forces:
            if _of_time(_lenient(replace(rest.model, forces=(f,)))):
                yield f"{f.name!r}, which depends on time"


def is_motor(element: Any) -> bool:
    """Whether it is what measured efforts are of: a motor at a joint."""
    return bool(element.weights) and element.law is not None and element.law.motor


def without_motors(system: System) -> System:
    """The system without motors at its joints: their efforts are measured, not known."""
    names = {e.name for e in system.elements if is_motor(e)}
    forces = tuple(f for f in system.model.forces if f.name not in names)
    same = len(forces) == len(system.model.forces)
    return system if same else _lenient(replace(system.model, forces=forces))


def _of_time(system: System) -> bool:
    """Whether a force of the system does."""
    from ...kernels import compile

    applied = compile(system).casadi("applied")
    return bool(applied.jac_sparsity(0, applied.name_in().index("t")).nnz())


def written_name(link: Any, i: int, friction: str) -> str:
    """Name of the force that friction on the i-th speed of a link is written back as."""
    name = f"{link.name}_{friction}".replace(".", "_")
    return name if link.joint.nv == 1 else f"{name}_{link.joint.speeds[i][0]}".replace(".", "_")


def _lenient(model: Any) -> System:
    """The checked system of a model, whatever masses it has."""
    if not hasattr(model, "check"):
        return system_of(model, "identify")
    with warnings.catch_warnings(action="ignore", category=ModelWarning):
        try:
            return model.check()
        except ModelError:
            return model.check(strict=False)


def _undamped(joint: Any) -> Any:
    drive, parts = joint.drive, getattr(joint.drive, "stages", ())
    rubs = (joint.damping, getattr(drive, "friction", 0), *(s.friction for s in parts))
    if not any(x != 0 for r in rubs for x in np.ravel(np.asarray(r, object))):
        return joint
    if drive is not None:
        stages = tuple(replace(s, friction=0) for s in parts)
        drive = replace(drive, friction=0, stages=stages)
    return replace(joint, damping=0, drive=drive)


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
    ratio = float(value.exact(value.filled(motor.ratio, value.nominals(parameters))))
    rotor = sizes[0] / ratio**2  # DR.1
    if stages:
        stages = tuple(replace(s, inertia=rotor) if s.name == drive.motor else s for s in stages)
        return replace(joint, armature=0, drive=replace(drive, stages=stages))
    return replace(joint, armature=0, drive=replace(drive, rotor_inertia=rotor))


def _shaft(model, name, numbers):
    """The model with numbers of a shaft: of a drive, or of a force of its own."""
    rotors = {r.name for r in getattr(model, "rotors", ())}
    if name.removesuffix(".shaft") in rotors:
        return field_paths.replaced(
            model, f"{name.removesuffix('.shaft')}.inertia", numbers["rotor_inertia"]
        )
    if any(f.name == name for f in model.forces):
        for number, x in numbers.items():
            model = field_paths.replaced(model, f"{name}.{number}", x)
        return model
    joint, _, part = name.removesuffix(".shaft").rpartition(".")
    found = next((j for j in model.joints if j.name == joint and j.drive is not None), None)
    if found is None or found.drive.stages or found.drive.motor != part:
        raise TorseurError(
            f"identify: the shaft {name!r} is of a drive in stages, which is not written back; "
            "predict(q, v, a) has it"
        )
    if "rotor_inertia" in numbers:  # told at its own axis
        ratio = float(value.exact(found.drive.ratio))
        numbers = {**numbers, "rotor_inertia": numbers["rotor_inertia"] / ratio**2}
    made = replace(found, drive=replace(found.drive, **numbers))
    return replace(model, joints=tuple(made if j is found else j for j in model.joints))
