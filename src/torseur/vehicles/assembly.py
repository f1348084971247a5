"""Assembly of a car from its left suspensions: mirror images and four corners.  CJ.10.

Axes: x forward, y left, z up.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ..errors import ArgumentError, shown
from ..forces import JointForce
from ..joints import ComplexJoint, Free, Revolute
from ..model import Body, Joint, Model
from ..scalars import exact, exacts

CORNERS = ("fl", "fr", "rl", "rr")
"""Front left, front right, rear left, rear right."""


def mirror(part: Any) -> Any:
    """Mirror a suspension or a body in the x-z plane, to the other side of the car.

    Parameters
    ----------
    part : a complex joint (`DoubleWishbone`, `MacPherson`, `Guided`, `Tabulated`), whose image has
        the mirrored pose at the same travel. Or a `Body`, whose shapes are dropped

    The rack is one bar, so both sides keep its displacement.

    >>> import torseur as ts
    >>> left = ts.Guided(("z/10", "0.7 - z**2", "z"), ("-z/3", 0, 0), coordinate="z")
    >>> ts.vehicles.mirror(left).position
    (z/10, -(0.7 - z**2), z)
    >>> ts.vehicles.mirror(ts.Body("hub", 12, com=(0, 0.1, 0))).com
    (0, Fraction(-1, 10), 0)
    """
    if isinstance(part, ComplexJoint):
        return part.mirrored()
    if isinstance(part, Body):
        return _mirror_body(part)
    raise ArgumentError(f"mirror: expected a complex joint or a body, got {shown(part)}")


def _mirror_body(body: Body) -> Body:
    """Body with center of mass, inertia and first moment mirrored in the x-z plane."""

    def reflect(vector):
        x, y, z = exacts(vector, (3,))
        return (x, -y, z)

    try:
        xx, yy, zz, xy, xz, yz = exacts(body.inertia, (6,))
    except ValueError:  # a 3 x 3 matrix
        J = exacts(body.inertia, (3, 3))
        xx, yy, zz, xy, xz, yz = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
    return replace(
        body,
        com=reflect(body.com),
        inertia=(xx, yy, zz, -xy, xz, -yz),  # CJ.10
        first_moment=None if body.first_moment is None else reflect(body.first_moment),
        shapes=(),
    )


def four_corners(
    chassis: Body,
    front: ComplexJoint,
    rear: ComplexJoint,
    knuckles: Body | Sequence[Body],
    wheels: Body | Sequence[Body] = (),
    *,
    front_at: Any = (0, 0, 0),
    rear_at: Any = (0, 0, 0),
    springs: Any = (),
    base: Any = None,
    name: str = "car",
    gravity: Any = (0, 0, -9.81),
    parameters: Any = None,
) -> Model:
    """Assemble a chassis on four suspensions, from those of the left side.

    Parameters
    ----------
    chassis : the body that carries them
    front, rear : suspensions of the left side, from the chassis to the knuckle
    knuckles, wheels : one body for all corners, or (front, rear), as they are on the left. Wheels
        turn about the y axis of their knuckle and may be omitted
    front_at, rear_at : origin of the suspensions' axes on the chassis [m], on its middle plane
    springs : a law along the travel of the wheels [m], or (front, rear): a wheel rate
    base : the joint from the world to the chassis; `Free("zyx", speeds="vehicle")` when left out,
        the pseudo-velocities of Fayet et al. (2005)
    gravity : [m/s2]

    Joints are `body`, `travel_fl`, `spin_fl`, ...; bodies `knuckle_fl`, `wheel_fl`, ...; forces
    `spring_fl`, ...

    >>> import torseur as ts
    >>> guide = ts.Guided((0, 0.7, "z"), ("-z/3", 0, 0), coordinate="z")
    >>> car = ts.vehicles.four_corners(
    ...     ts.Body("chassis", 1200, inertia=(450, 1900, 2100, 0, 0, 0)), guide, guide,
    ...     ts.Body("knuckle", 25, inertia=(0.6, 0.9, 0.6, 0, 0, 0)),
    ...     ts.Body("wheel", 20, inertia=(0.8, 1.4, 0.8, 0, 0, 0)),
    ...     front_at=(1.2, 0, -0.3), rear_at=(-1.4, 0, -0.3))
    >>> car.check().nv
    14
    """
    pairs = {
        "front and rear": _front_and_rear((front, rear), ComplexJoint, "suspensions"),
        "knuckles": _front_and_rear(knuckles, Body, "knuckles"),
        "wheels": _front_and_rear(wheels, Body, "wheels") if wheels else None,
    }
    origins = (front_at, rear_at)
    for label, origin in zip(("front_at", "rear_at"), origins, strict=True):
        if exact(origin[1]) != 0:
            raise ArgumentError(
                f"four_corners({label}={shown(origin)}): the axes of a mirrored suspension are on "
                "the middle plane; their y is 0"
            )
    laws = springs if isinstance(springs, tuple | list) else (springs, springs)
    if len(laws) not in (0, 2):
        raise ArgumentError("four_corners(springs=...): expected a law, or (front, rear)")
    bodies, forces = [chassis], []
    joints = [Joint("body", "world", chassis.name, base or Free("zyx", speeds="vehicle"))]
    for corner in CORNERS:
        axle, right = int(corner[0] == "r"), corner[1] == "r"
        parts: Iterator[Any] = (
            None if pair is None else mirror(pair[axle]) if right else pair[axle]
            for pair in pairs.values()
        )
        linkage: Any
        knuckle: Any
        linkage, knuckle, wheel = parts
        bodies.append(replace(knuckle, name=f"knuckle_{corner}"))
        joints.append(
            Joint(f"travel_{corner}", chassis.name, bodies[-1].name, linkage, at=origins[axle])
        )
        if wheel is not None:
            bodies.append(replace(wheel, name=f"wheel_{corner}"))
            joints.append(
                Joint(f"spin_{corner}", f"knuckle_{corner}", bodies[-1].name, Revolute("y"))
            )
        if laws:
            forces.append(JointForce(f"spring_{corner}", f"travel_{corner}", laws[axle]))
    return Model(
        name,
        gravity=gravity,
        bodies=bodies,
        joints=joints,
        forces=forces,
        **({} if parameters is None else {"parameters": parameters}),
    )


def _front_and_rear(parts: Any, kind: type, plural: str) -> tuple:
    """One part or two as (front, rear)."""
    pair = tuple(parts) if isinstance(parts, tuple | list) else (parts, parts)
    if len(pair) != 2 or not all(isinstance(x, kind) for x in pair):
        raise ArgumentError(
            f"four_corners: {plural}: expected one {kind.__name__}, or (front, rear); "
            f"got {shown(parts)}"
        )
    return pair
