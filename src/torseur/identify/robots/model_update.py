"""Model update: removes modeled friction before an identification, writes parameters back after.

Known forces of a model must follow from its coordinates and speeds.  Identified masses, rotor
inertias and friction become a model that can be simulated.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ModelError, ModelWarning, TorseurError, as_system
from ...forces import CoordinateForce, JointForce, Spring
from ...model import Model, field_paths
from ...scalars.values import value
from ...spatial import Inertia
from ...system import System
from .friction import FRICTION

# ---- before the identification -----------------------------------------------------------------


def without_friction(model: Any, names: tuple[str, ...]) -> System:
    """System of a model without the friction of single coordinates that `names` will identify.

    Removed are forces of joints that are friction only, viscous damping of joints and drives, and
    forces that an earlier identification wrote.  Masses may be invalid.
    """
    kinds = {FRICTION[n].kind for n in names}
    system = _check_leniently(model)
    description = system.model
    identified = (*names, "spring") if "offset" in names else names
    written = {
        force_name(k, i, n) for k in system.links for i in range(k.joint.nv) for n in identified
    }

    def is_known(force: Any) -> bool:
        of_one_coordinate = hasattr(force, "joint") or len(getattr(force, "weights", ())) == 1
        law = getattr(force, "law", None)
        if not of_one_coordinate or law is None:
            return True
        return force.name not in written and not (law.friction and {*law.friction} <= kinds)

    forces, joints = tuple(f for f in description.forces if is_known(f)), description.joints
    if "viscous" in kinds:
        joints = tuple(map(_without_damping, joints))
    if len(forces) == len(description.forces) and all(
        a is b for a, b in zip(joints, description.joints, strict=True)
    ):
        return system
    return _check_leniently(replace(description, forces=forces, joints=joints))


def find_unknown_forces(system: System) -> Iterator[str]:
    """Elements whose force does not follow from coordinates and speeds, each with the reason."""
    for e in system.elements:
        if is_motor(e):
            continue
        if e.states or (e.law is not None and e.law.history):
            yield f"{e.name!r}, which has history"
        elif e.law is not None and e.law.inputs and e.law.push is None:
            yield f"{e.name!r}, which reads the input {e.law.inputs[0]!r}"

    passive = without_motors(system)
    if passive.forces and _depends_on_time(passive):
        for f in passive.model.forces:
            if _depends_on_time(_check_leniently(replace(passive.model, forces=(f,)))):
                yield f"{f.name!r}, which depends on time"


def is_motor(element: Any) -> bool:
    """Whether an element is a motor at a joint, whose effort is measured."""
    return bool(element.weights) and element.law is not None and element.law.motor


def without_motors(system: System) -> System:
    """The system without the motors at its joints: their efforts are measured."""
    names = {e.name for e in system.elements if is_motor(e)}
    forces = tuple(f for f in system.model.forces if f.name not in names)
    if len(forces) == len(system.model.forces):
        return system
    return _check_leniently(replace(system.model, forces=forces))


def _depends_on_time(system: System) -> bool:
    """Whether an applied force of the system has a derivative by time."""
    from ...kernels import compile

    applied = compile(system).casadi("applied")
    return bool(applied.jac_sparsity(0, applied.name_in().index("t")).nnz())


def force_name(link: Any, i: int, friction: str) -> str:
    """Name of the force element for identified friction at the i-th speed of a link."""
    name = f"{link.name}_{friction}".replace(".", "_")
    return name if link.joint.nv == 1 else f"{name}_{link.joint.speeds[i][0]}".replace(".", "_")


def _check_leniently(model: Any) -> System:
    """Checked system of a model, whatever its masses are."""
    if not hasattr(model, "check"):
        return as_system(model, "identify")
    with warnings.catch_warnings(action="ignore", category=ModelWarning):
        try:
            return model.check()
        except ModelError:
            return model.check(strict=False)


def _without_damping(joint: Any) -> Any:
    """A joint without viscous damping, also of its drive."""
    drive, stages = joint.drive, getattr(joint.drive, "stages", ())
    damping = (joint.damping, getattr(drive, "friction", 0), *(s.friction for s in stages))
    if not any(x != 0 for r in damping for x in np.ravel(np.asarray(r, object))):
        return joint
    if drive is not None:
        drive = replace(drive, friction=0, stages=tuple(replace(s, friction=0) for s in stages))
    return replace(joint, damping=0, drive=drive)


# ---- after the identification ------------------------------------------------------------------


def update_model(lin: Any, p: np.ndarray) -> Model:
    """Model with parameters p of the linear model `lin`: masses, rotors, friction as forces."""
    loads = [n for n in lin.friction if FRICTION[n].load_dependent]
    if loads:
        raise TorseurError(
            f"identify: friction {loads[0]!r} depends on the load, and no force element does; "
            "use predict(q, v, a) instead of a model"
        )
    description = lin.system.model
    rotors, shafts, forces = _identified_elements(lin, p)
    model = replace(
        description,
        bodies=_identified_bodies(lin, p),
        joints=tuple(
            _with_rotors(j, rotors[j.name], description.parameters) if j.name in rotors else j
            for j in description.joints
        ),
        forces=(*description.forces, *forces),
        name=f"{description.name}, identified",
    )
    for name, numbers in shafts.items():
        model = _with_shaft(model, name, numbers)
    return model


def _identified_bodies(lin: Any, p: np.ndarray) -> tuple[Any, ...]:
    """Bodies with the identified inertias; the first body of a link has all of it."""
    K = lin.system.floats().K
    inertias: dict[str, list[float]] = {}
    for i, k in enumerate(lin.links):
        X_BL = lin.system.places[k.body].X_LB.inverse()
        X_BL = type(X_BL)(K.numbers(X_BL.R), K.numbers(X_BL.p))
        inertia = Inertia.of_parameters(p[10 * i : 10 * i + 10]).moved(X_BL)
        for name, frame in lin.system.places.items():
            if frame.link == k.index:
                inertias[name] = [0.0] * 10
        inertias[k.body] = [float(x) for x in inertia.parameters()]
    return tuple(
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
        for b in lin.system.model.bodies
    )


def _identified_elements(
    lin: Any, p: np.ndarray
) -> tuple[dict[str, list[float]], dict[str, dict[str, float]], list[Any]]:
    """{joint: rotor inertias}, {shaft: {number: value}}, and force elements of friction."""
    rotors: dict[str, list[float]] = {}
    shafts: dict[str, dict[str, float]] = {}
    forces: list[Any] = []
    for c, (_, _, kind, i) in enumerate(lin.columns):
        if kind == "inertia":
            continue
        if kind == "shaft":
            shaft = lin.shafts[i]
            shafts.setdefault(shaft.element.name, {})[shaft.number] = max(0.0, float(p[c]))
            continue
        link = next(k for k in lin.system.links if k.v.start <= i < k.v.stop)
        if kind == "rotor":
            inertia = max(0.0, float(p[c]))  # rounding may leave less than zero
            if link.auxiliary:
                shafts.setdefault(f"{link.name}.shaft", {})["rotor_inertia"] = inertia
            else:
                rotors.setdefault(link.name, []).append(inertia)
            continue
        coefficient = float(p[c]) if FRICTION[kind].signed else max(0.0, float(p[c]))
        coefficient /= lin.nonlinear.get(("gain", i), 1.0)  # effort that acts, not the reading
        law = FRICTION[kind]().law(coefficient, lin.friction_parameter(kind, i))
        name = force_name(link, i - link.v.start, kind)
        coordinate = link.joint.coordinates[i - link.v.start][0]
        if link.auxiliary:
            forces.append(CoordinateForce(name, {f"{link.name}.{coordinate}": 1}, law))
        else:
            several = link.joint.nv > 1
            forces.append(JointForce(name, link.name, law, coordinate if several else None))
    for link in lin.system.links:
        if stiffness := lin.nonlinear.get(("spring", link.v.start), 0.0):
            law = Spring(stiffness / lin.nonlinear.get(("gain", link.v.start), 1.0))
            forces.append(JointForce(force_name(link, 0, "spring"), link.name, law))
    return rotors, shafts, forces


def _with_rotors(joint: Any, inertias: list[float], parameters: Any) -> Any:
    """A joint with rotor inertias; those of a drive's motor are divided by the ratio squared."""
    drive = joint.drive
    if drive is None or drive.elastic:
        return replace(joint, armature=tuple(inertias) if len(inertias) > 1 else inertias[0])
    stages = tuple(replace(s, inertia=0) for s in drive.stages)
    motor = next(s for s in drive.chain() if s.name == drive.motor)
    ratio = float(value.exact(value.filled(motor.ratio, value.nominals(parameters))))
    rotor = inertias[0] / ratio**2  # DR.1
    if stages:
        stages = tuple(replace(s, inertia=rotor) if s.name == drive.motor else s for s in stages)
        return replace(joint, armature=0, drive=replace(drive, stages=stages))
    return replace(joint, armature=0, drive=replace(drive, rotor_inertia=rotor))


def _with_shaft(model: Any, name: str, numbers: dict[str, float]) -> Any:
    """The model with identified numbers of a shaft: of a rotor, a force or a drive."""
    rotors = {r.name for r in getattr(model, "rotors", ())}
    if name.removesuffix(".shaft") in rotors:
        return field_paths.replaced(
            model, f"{name.removesuffix('.shaft')}.inertia", numbers["rotor_inertia"]
        )
    if any(f.name == name for f in model.forces):
        for number, x in numbers.items():
            model = field_paths.replaced(model, f"{name}.{number}", x)
        return model
    joint_name, _, part = name.removesuffix(".shaft").rpartition(".")
    joint = next((j for j in model.joints if j.name == joint_name and j.drive is not None), None)
    if joint is None or joint.drive.stages or joint.drive.motor != part:
        raise TorseurError(
            f"identify: the shaft {name!r} is of a drive in stages, which is not written back; "
            "use predict(q, v, a) instead of a model"
        )
    if "rotor_inertia" in numbers:  # of its own axis in the model
        ratio = float(value.exact(joint.drive.ratio))
        numbers = {**numbers, "rotor_inertia": numbers["rotor_inertia"] / ratio**2}
    changed = replace(joint, drive=replace(joint.drive, **numbers))
    return replace(model, joints=tuple(changed if j is joint else j for j in model.joints))
