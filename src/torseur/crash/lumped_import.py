"""A model of bodies that slide along x, read as a vehicle."""

from __future__ import annotations

from ..errors import ModelError
from ..forces import CoordinateForce, JointForce
from ..joints import Prismatic
from ..model import Model
from .scene.members import Member
from .scene.vehicle import SIZE, Vehicle

RULE = ("a vehicle file has 'members'; a model can stand for one when its bodies slide along x of "
        "the world and its forces act on these slides or on differences of two")  # fmt: skip


def vehicle_from_model(model: Model) -> Vehicle:
    """The vehicle described by a one-dimensional model.

    Laws on a slide are members with a free end over the whole width. Laws on the difference of two
    slides are members between them.


    >>> import torseur as ts
    >>> law = ts.Crush(((0, 0), (0.1, 4e5)), 2e7)
    >>> car = ts.Model("car", bodies=[ts.Body("car", mass=1200.0)],
    ...                joints=[ts.Joint("x", "world", "car", ts.Prismatic("x"))],
    ...                forces=[ts.JointForce("front", "x", law)])
    >>> vehicle_from_model(car).members[0].name, vehicle_from_model(car).members[0].width
    ('front', 1.8)
    """
    problems, slides = [], {}
    for j in model.joints:
        if j.parent == "world" and isinstance(j.kind, Prismatic) and _is_x_slide(j.kind.axis):
            slides[j.name] = j.child
        else:
            problems.append(f"joint {j.name!r} is no slide along x from the world")
    members = []
    for f in model.forces:
        pair = _force_ends(f, slides)
        if pair is None:
            problems.append(f"force {f.name!r} acts neither on a slide nor on a difference of two")
        else:
            body, to = pair
            members.append(Member(f.name, body, to=to, law=f.law, width=0.0 if to else SIZE[1]))
    if model.loops or model.constraints:
        problems.append("it has loops or constraints")
    if problems:
        raise ModelError([f"model {model.name!r} is no vehicle: {w}; {RULE}" for w in problems])
    points = {f.name: (f.body, tuple(f.at)) for f in model.frames}
    return Vehicle(model.name, model.bodies, members, points, parameters=dict(model.parameters))


def _is_x_slide(axis) -> bool:
    return axis == "x" or (not isinstance(axis, str) and tuple(map(float, axis)) == (1, 0, 0))


def _force_ends(f, slides):
    """Rear and front body of a force, with None for a free end.  None for any other force."""
    if isinstance(f, JointForce):
        return (slides[f.joint], None) if f.joint in slides else None
    if not isinstance(f, CoordinateForce):
        return None
    names = [(n.removesuffix(".displacement"), float(w)) for n, w in f.weights]
    if any(n not in slides for n, _ in names):
        return None
    match sorted(names, key=lambda pair: -pair[1]):
        case [(rear, 1.0)]:
            return slides[rear], None
        case [(rear, 1.0), (front, -1.0)]:
            return slides[rear], slides[front]
    return None
