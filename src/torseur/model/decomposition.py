"""A joint of several degrees of freedom as a chain of elementary ones.  Theory: JO.7."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np

from ..errors import TorseurError, unknown_name
from ..joints import Prismatic, Revolute
from .description import Body, Joint, Model

ENDS = ("at", "rpy", "pose"), ("child_at", "child_rpy", "child_pose")


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
    found = {j.name: j for j in model.joints}
    if joint not in found:
        raise TorseurError(unknown_name("joint", joint, found, "decomposed"))
    whole = found[joint]
    steps, kind = whole.kind.steps(), whole.kind
    if not steps or not kind.holonomic or len(steps) < 2:
        raise TorseurError(
            f"decomposed: joint {joint!r} is {kind!r}, which is no chain of elementary motions; "
            "choose coordinates such as angles with their rates"
        )
    if whole.drive is not None:
        raise TorseurError(f"decomposed: joint {joint!r} has a drive; put it on one of the parts")
    own = [n for n, _ in kind.coordinates]
    names = [f"{joint}_{own[s.index]}" for s in steps]
    between = [f"{joint}_{i + 1}" for i in range(len(steps) - 1)]
    chain = [whole.parent, *between, whole.child]
    joints = tuple(_part(whole, s, names[i], chain, i, len(steps)) for i, s in enumerate(steps))
    renamed = _renamed(joint, kind, steps, names)
    at = model.joints.index(whole)
    return replace(
        _spelt(model, renamed, joint, dict(zip((own[s.index] for s in steps), names, strict=True))),
        bodies=(*model.bodies, *map(Body, between)),
        joints=(*model.joints[:at], *joints, *model.joints[at + 1 :]),
    )


def _part(whole, step, name, chain, i, count) -> Joint:
    kind = (Revolute if step.turn else Prismatic)(tuple(step.axis))
    ends = {n: getattr(whole, n) for n in (ENDS[0] if i == 0 else ())}
    ends |= {n: getattr(whole, n) for n in (ENDS[1] if i == count - 1 else ())}
    for n in ("armature", "damping"):
        given = getattr(whole, n)
        ends[n] = given if np.ndim(np.asarray(given, dtype=object)) == 0 else given[step.index]
    limits = whole.limits
    if isinstance(limits, tuple | list):
        flat = np.ndim(np.asarray(limits, dtype=object)) == 1
        ends["limits"] = limits if flat else limits[step.index]
    return Joint(name, chain[i], chain[i + 1], kind, **ends)


def _renamed(joint, kind, steps, names) -> dict[str, str]:
    """Names of coordinates and speeds, old and new."""
    out = {}
    for s, name in zip(steps, names, strict=True):
        q, v = ("angle", "rate") if s.turn else ("displacement", "speed")
        out[f"{joint}.{kind.coordinates[s.index][0]}"] = f"{name}.{q}"
        out[f"{joint}.{kind.speeds[s.index][0]}"] = f"{name}.{v}"
    return out


def _spelt(model, renamed, joint, parts) -> Model:
    """The model with these names in its forces, constraints and start."""
    word = re.compile(
        r"(?<![\w.])("
        + "|".join(map(re.escape, sorted(renamed, key=len, reverse=True)))
        + r")(?!\w)"
    )

    def changed(x: Any) -> Any:
        if isinstance(x, str):
            return word.sub(lambda m: renamed[m[1]], x)
        if isinstance(x, tuple | list):
            return type(x)(changed(e) for e in x)
        if isinstance(x, Mapping):
            return {changed(k): changed(e) for k, e in x.items()}
        if not is_dataclass(x) or isinstance(x, type):
            return x
        own = getattr(x, "coordinate", None)
        if getattr(x, "joint", None) == joint and own in parts:
            x = replace(x, joint=parts[own], coordinate=None)
        new = {f.name: changed(getattr(x, f.name)) for f in fields(x)}
        if all(new[n] is getattr(x, n) or new[n] == getattr(x, n) for n in new):
            return x
        copy = object.__new__(type(x))
        for n, value in new.items():
            object.__setattr__(copy, n, value)
        return copy

    return replace(
        model,
        forces=tuple(map(changed, model.forces)),
        constraints=tuple(map(changed, model.constraints)),
        initial=changed(model.initial),
        simulation=changed(model.simulation),
    )
