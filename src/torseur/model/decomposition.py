"""A joint of several degrees of freedom as a chain of elementary ones.  Theory: JO.7."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ..errors import TorseurError, unknown_name_message
from ..joints import Prismatic, Revolute
from .description import Body, Joint, Model

FRAME_FIELDS = ("at", "rpy", "pose"), ("child_at", "child_rpy", "child_pose")


def decomposed(model: Model, joint: str) -> Model:
    """The same model with a joint as a chain of revolutes and slides on massless bodies.

    The joint "ball" with the coordinates `angle1`, ... becomes "ball_angle1", ..., with massless
    bodies "ball_1", ... between them: the motion is the same, and every reaction between the parts
    can be asked for.  Armature, damping, limits, forces, constraints and the start of the model go
    to the parts; names such as "ball.angle1" become "ball_angle1.angle".

    >>> import torseur as ts
    >>> top = ts.Body("top", mass=1.0, com=(0, 0, 0.2), inertia=(0.1, 0.1, 0.02, 0, 0, 0))
    >>> ball = ts.Joint("ball", "world", "top", ts.Spherical("zxz"))
    >>> split = ts.decomposed(ts.Model("top", bodies=(top,), joints=(ball,)), "ball")
    >>> split.check().coordinates
    ('ball_angle1.angle', 'ball_angle2.angle', 'ball_angle3.angle')
    """
    joints_by_name = {j.name: j for j in model.joints}
    if joint not in joints_by_name:
        raise TorseurError(unknown_name_message("joint", joint, joints_by_name, "decomposed"))
    source_joint = joints_by_name[joint]
    steps, kind = source_joint.kind.steps(), source_joint.kind
    if not steps or not kind.holonomic or len(steps) < 2:
        raise TorseurError(
            f"decomposed: joint {joint!r} is {kind!r}, which is no chain of elementary motions; "
            "choose coordinates such as angles with their rates"
        )
    if source_joint.drive is not None:
        raise TorseurError(f"decomposed: joint {joint!r} has a drive; put it on one of the parts")
    coordinate_names = [n for n, _ in kind.coordinates]
    names = [f"{joint}_{coordinate_names[s.index]}" for s in steps]
    between = [f"{joint}_{i + 1}" for i in range(len(steps) - 1)]
    chain = [source_joint.parent, *between, source_joint.child]
    joints = tuple(
        _elementary_joint(source_joint, s, names[i], chain, i, len(steps))
        for i, s in enumerate(steps)
    )
    renamed = _map_coordinate_names(joint, kind, steps, names)
    at = model.joints.index(source_joint)
    return replace(
        _rename_coordinates(
            model,
            renamed,
            joint,
            dict(zip((coordinate_names[s.index] for s in steps), names, strict=True)),
        ),
        bodies=(*model.bodies, *map(Body, between)),
        joints=(*model.joints[:at], *joints, *model.joints[at + 1 :]),
    )


def _elementary_joint(source_joint, step, name, chain, i, count) -> Joint:
    """Joint `i` of the chain: one elementary motion with the numbers of its coordinate."""
    kind = (Revolute if step.turn else Prismatic)(tuple(step.axis))
    fields_of_part = {n: getattr(source_joint, n) for n in (FRAME_FIELDS[0] if i == 0 else ())}
    fields_of_part |= {
        n: getattr(source_joint, n) for n in (FRAME_FIELDS[1] if i == count - 1 else ())
    }
    for n in ("armature", "damping"):
        value = getattr(source_joint, n)
        fields_of_part[n] = (
            value if np.ndim(np.asarray(value, dtype=object)) == 0 else value[step.index]
        )
    limits = source_joint.limits
    if isinstance(limits, tuple | list):
        flat = np.ndim(np.asarray(limits, dtype=object)) == 1
        fields_of_part["limits"] = limits if flat else limits[step.index]
    return Joint(name, chain[i], chain[i + 1], kind, **fields_of_part)


def _map_coordinate_names(joint, kind, steps, names) -> dict[str, str]:
    """Names of coordinates and speeds, old and new."""
    out = {}
    for s, name in zip(steps, names, strict=True):
        q, v = ("angle", "rate") if s.turn else ("displacement", "speed")
        out[f"{joint}.{kind.coordinates[s.index][0]}"] = f"{name}.{q}"
        out[f"{joint}.{kind.speeds[s.index][0]}"] = f"{name}.{v}"
    return out


def _rename_coordinates(model, renamed, joint, parts) -> Model:
    """The model with new coordinate names in forces, constraints, `initial` and `simulation`."""
    pattern = re.compile(
        r"(?<![\w.])("
        + "|".join(map(re.escape, sorted(renamed, key=len, reverse=True)))
        + r")(?!\w)"
    )

    def rename_in(x: Any) -> Any:
        """A value or element with renamed coordinates; the same object if none occurs."""
        if isinstance(x, str):
            return pattern.sub(lambda m: renamed[m[1]], x)
        if isinstance(x, tuple | list):
            return type(x)(rename_in(e) for e in x)
        if isinstance(x, Mapping):
            return {rename_in(k): rename_in(e) for k, e in x.items()}
        if not is_dataclass(x) or isinstance(x, type):
            return x
        coordinate = getattr(x, "coordinate", None)
        if getattr(x, "joint", None) == joint and coordinate in parts:
            x = replace(x, joint=parts[coordinate], coordinate=None)
        new = {f.name: rename_in(getattr(x, f.name)) for f in fields(x)}
        if all(new[n] is getattr(x, n) or new[n] == getattr(x, n) for n in new):
            return x
        copy = object.__new__(type(x))
        for n, value in new.items():
            object.__setattr__(copy, n, value)
        return copy

    return replace(
        model,
        forces=tuple(map(rename_in, model.forces)),
        constraints=tuple(map(rename_in, model.constraints)),
        initial=rename_in(model.initial),
        simulation=rename_in(model.simulation),
    )
