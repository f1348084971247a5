"""What a model says of masses and friction is not known where it is looked for."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from ..errors import ModelError, ModelWarning, system_of
from ..system import System
from .friction import FRICTION


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
    from ..quantities import compile

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
