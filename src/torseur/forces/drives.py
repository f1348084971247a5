"""Drives of joints: rotors, gears, elastic shafts (Spong 1987).  DR.1 to DR.4.

`check` expands them to armatures, rotors and forces.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ..errors import said, shown, unknown_name_message
from ..register import derived
from ..scalars import Value, exact
from ..scalars.values import value
from .base import Law
from .laws.effort import Effort
from .laws.parallel import Parallel
from .laws.spring import Spring
from .laws.viscous import Viscous
from .lines.coordinate_force import CoordinateForce


@dataclass(frozen=True, slots=True, eq=False)
class DriveStage:
    """One rotating part of a drive, and the shaft to the next part.

    `inertia` [kg m2], viscous `friction` [N m s/rad] to the ground, `stiffness` [N m/rad] and
    `damping` of the shaft. All are reduced to this part, which turns `ratio` times as fast as the
    joint.
    `stiffness` may be a law of the shaft's twist (x, in rad, at the joint's side).
    """

    name: str
    inertia: Any
    ratio: Any = 1
    stiffness: Any = None
    damping: Any = 0
    friction: Any = 0
    inside: ClassVar = {"ratio": "", "damping": "N m s/rad | N s/m"}


@dataclass(frozen=True, slots=True, eq=False)
class Drive:
    """A motor on a joint.

    Parameters
    ----------
    ratio : how many times faster the rotor turns than the joint
    rotor_inertia : of the rotor, about its own axis [kg m2]
    stiffness : of the gear and shaft, at the joint [N m/rad], or a law (a `Table` as in gear
        catalogs, a `Backlash`, a `BoucWen`); None for a rigid gear
    damping : of the shaft, at the joint [N m s/rad]
    friction : viscous, at the rotor [N m s/rad]
    input : name of the model's input with the rotor's torque [N m]
    stages : instead of the above, turning parts from the far end to the joint
    motor : name of the part that the input drives
    flexible : False stiffens every shaft: the same model, one degree of freedom

    The angles of parts are reduced to the joint: `elbow.motor.angle` is the rotor's over `ratio`.
    """

    ratio: Any = 1
    rotor_inertia: Any = 0
    stiffness: Any = None
    damping: Any = 0
    friction: Any = 0
    input: str | None = None
    stages: tuple[Any, ...] = ()
    motor: str = "motor"
    flexible: bool = True
    inside: ClassVar = {
        "ratio": "",
        "rotor_inertia": "kg m^2 | kg",
        "stiffness": "N m/rad | N/m",
        "damping": "N m s/rad | N s/m",
        "friction": "N m s/rad | N s/m",
    }

    def chain(self) -> tuple[DriveStage, ...]:
        """Turning parts from the far end to the joint, shafts seen at the parts."""
        if self.stages:
            return tuple(self.stages)
        N = exact(self.ratio)
        k = self.stiffness
        if k is not None and not isinstance(k, Law):
            k = exact(k) / N**2
        return (
            DriveStage(
                self.motor, self.rotor_inertia, N, k, exact(self.damping) / N**2, self.friction
            ),
        )

    @derived
    def elastic(self) -> bool:
        return self.flexible and any(s.stiffness is not None for s in self.chain())

    def parts(self) -> tuple[str, ...]:
        """Names of the parts that have a coordinate of their own."""
        return tuple(s.name for s in self.chain()) if self.elastic else ()

    def problems(self, joint, model):
        where = f"joint {joint.name!r}, drive"
        if getattr(joint.kind, "nv", 1) != 1:
            yield f"{where}: a drive turns one coordinate, but the joint has {joint.kind.nv}"
        names = {i.name for i in model.inputs}
        if self.input is not None and self.input not in names:
            yield unknown_name_message("input", self.input, names, where)
        values_of = value.nominals(model.parameters)
        broken = tuple(self._number_problems(where, values_of))
        yield from broken
        if broken:
            return
        stages = self.chain()
        if self.motor not in [s.name for s in stages]:
            yield unknown_name_message("stage", self.motor, [s.name for s in stages], where)
        for s in stages:
            x = exact(value.filled(s.inertia, values_of))
            if not isinstance(x, Value) and x == 0 and self.elastic:
                yield (
                    f"{where}: part {s.name!r} has no inertia on an elastic shaft; give it inertia="
                )
            if self.elastic and s.stiffness is None:
                yield f"{where}: part {s.name!r} needs stiffness=, as other parts have"
            if isinstance(s.stiffness, Law):
                yield from (
                    f"{where}: its {type(s.stiffness).__name__} {text}"
                    for text in s.stiffness.faults()
                    or s.stiffness.problems()
                    or s.stiffness.faults_at(values_of)
                )

    def _number_problems(self, where, named_values):
        """Numbers that are none, and ratios of zero; `named_values` are the values of names."""
        if not isinstance(self.stages, tuple | list):
            yield f"{where}: stages are a list of stages, got {shown(self.stages)}"
            return
        for part in self.stages or (self,):
            if not isinstance(part, DriveStage | Drive):
                yield f"{where}: expected a stage (type: drive_stage), got {shown(part)}"
                continue
            at = f"{where}, stage {part.name!r}" if isinstance(part, DriveStage) else where
            inertia = "inertia" if self.stages else "rotor_inertia"
            for name in (inertia, "ratio", "stiffness", "damping", "friction"):
                x = getattr(part, name)
                if name == "stiffness" and (x is None or isinstance(x, Law)):
                    continue
                try:
                    x = exact(value.filled(x, named_values))
                except (TypeError, ValueError) as e:
                    yield f"{at}, {name}: {said(e)}"
                    continue
                if isinstance(x, Value):
                    continue
                if name == "ratio" and x == 0:
                    yield f"{at}: the ratio is 0; use how many times faster the part turns"
                elif name != "ratio" and x < 0:
                    yield f"{at}, {name}: {float(x):g} is negative; use zero or more"


def _scalar(x):
    """The number x, or the entry of a list of one."""
    return exact(x[0] if isinstance(x, tuple | list) and len(x) == 1 else x)


def expanded(model: Any) -> Any:
    """The model with its drives expanded to armatures, rotors and forces."""
    if all(j.drive is None for j in model.joints):
        return model
    joints, rotors, forces = [], [], list(model.forces)
    for j in model.joints:
        d = j.drive
        if d is None:
            joints.append(j)
            continue
        stages = d.chain()
        N = {s.name: exact(s.ratio) for s in stages}
        reduced_inertia = {s.name: exact(s.inertia) * N[s.name] ** 2 for s in stages}  # DR.1
        drag = {s.name: exact(s.friction) * N[s.name] ** 2 for s in stages}
        joint_coordinate = f"{j.name}.{j.kind.coordinates[0][0]}"
        if not d.elastic:
            joints.append(
                replace(
                    j,
                    armature=_scalar(j.armature) + sum(reduced_inertia.values()),
                    damping=_scalar(j.damping) + sum(drag.values()),
                )
            )  # DR.2
            driven = joint_coordinate
        else:
            joints.append(j)
            angles = [f"{j.name}.{s.name}.angle" for s in stages] + [joint_coordinate]
            for s, angle, next_angle in zip(stages, angles[:-1], angles[1:], strict=True):
                rotors.append((f"{j.name}.{s.name}", reduced_inertia[s.name]))
                n2 = N[s.name] ** 2
                law = (
                    s.stiffness if isinstance(s.stiffness, Law) else Spring(exact(s.stiffness) * n2)
                )  # DR.3
                if exact(s.damping) != 0:
                    law = Parallel(law, Viscous(exact(s.damping) * n2))
                twist = {angle: 1, next_angle: -1}
                forces.append(CoordinateForce(f"{j.name}.{s.name}.shaft", twist, law))
                if drag[s.name] != 0:
                    forces.append(
                        CoordinateForce(
                            f"{j.name}.{s.name}.friction", {angle: 1}, Viscous(drag[s.name])
                        )
                    )
            driven = f"{j.name}.{d.motor}.angle"
        if d.input is not None:
            forces.append(
                CoordinateForce(
                    f"{j.name}.drive", {driven: 1}, Effort(input=d.input, gain=N[d.motor])
                )
            )  # DR.4
    return replace(model, joints=tuple(joints), forces=tuple(forces)).with_rotors(rotors)
