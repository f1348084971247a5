"""From vehicles and walls to a model with its start: `against` and `collide`.

The vehicle drives along x of the world; its foremost facing end touches at t = 0.  In one dimension
every body slides on a joint of its own name; in the plane and in space the main body moves freely
and carries the others on slides along its x axis.  Theory: CV.4 to CV.6.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError
from ..forces import JointForce
from ..joints import Weld
from ..model import Joint, Model
from .measure import fraction, quantity_of, speed_of
from .meeting import FACES, before, facing_of, meet, strike, struck_face
from .parts import TOUCH, Facing, Parts
from .pictures import wall_body
from .vehicle import Vehicle
from .walls import DeformableFace, MovingBarrier, Pole, Wall

FAR = 1e3  # where a wall ends that goes on [m]
CELL = 1.0  # mass [kg] of what two crushing fronts meet in, where they press on each other


def against(
    vehicle: Vehicle,
    wall: Any = None,
    speed: float | str | None = None,
    dimensions: int = 1,
    t_end: float | None = None,
) -> Model:
    """A vehicle against a wall, a pole, a deformable face or a moving barrier: a model with its
    start, so that `ts.simulate(scene)` runs it.

    Parameters
    ----------
    wall : `Wall()`, `Pole()`, `DeformableFace()` or `MovingBarrier()`
    speed : of the vehicle [m/s], or a text such as "48.3 km/h"
    dimensions : 1, 2 (the plane) or 3
    t_end : end of the run [s], 0.15 unless said

    >>> import torseur as ts
    >>> front = ts.crash.Member("front", "car", law=ts.Crush(((0, 0), (0.1, 4e5), (1, 4e5)), 2e7))
    >>> car = ts.crash.Vehicle("car", bodies=(ts.Body("car", mass=1500.0),), members=(front,))
    >>> run = ts.simulate(against(car, ts.crash.Wall(), speed="36 km/h"))
    >>> round(float(run["car.displacement"].max()), 6)               # m v^2 / 2 = F (d - 0.05)
    0.2375
    """
    wall = Wall() if wall is None else wall
    v = speed_of("against", speed)
    _whole(vehicle, dimensions)
    if v < 0:
        raise ArgumentError(f"against: speed: {v:g} m/s drives away from what stands in the way")
    if isinstance(wall, MovingBarrier):
        return _barrier(vehicle, wall, v, dimensions, t_end)
    face = wall if isinstance(wall, DeformableFace) else None
    wall = face.wall if face else wall
    if not isinstance(wall, Wall | Pole):
        raise ArgumentError(f"against: expected a wall such as ts.crash.Wall(), got {wall!r}")
    if dimensions == 1 and wall.angle:
        raise ArgumentError("against: an oblique wall turns the car; give dimensions=2 or 3")
    facing = facing_of(vehicle, wall.covered(vehicle), wall.name)
    e = -np.array(wall.normal)
    offset = [wall.depth(f.tip[1]) for f in facing]
    reach = max(e @ f.tip - d for f, d in zip(facing, offset, strict=True))  # CV.4
    parts = Parts(dimensions)
    parts.vehicle(vehicle, (0.0, 0.0), 0.0, v)
    place: dict[str, Any] = {"at": tuple((reach * e).tolist()), "rpy": (0, 0, wall.angle)}
    parts.bodies.append(wall_body(wall, vehicle))
    parts.joints.append(Joint(wall.name, "world", wall.name, Weld(), **place))
    if face is not None:
        _honeycomb(parts, face, wall, facing, reach, wall.covered(vehicle), vehicle.width / 2)
    else:
        for f, d in zip(facing, offset, strict=True):
            if wall.friction == "stick":
                parts.stick(f, e, reach)
            else:
                across = e[0] * f.tip[1] - e[1] * f.tip[0]  # in axes of the wall
                span = _span(wall.covered(vehicle), e, reach)
                parts.press(f, wall.name, (d, across), "-x", wall.friction, span)
    return parts.model(f"{vehicle.name} against {wall.name}", t_end)


def collide(
    vehicle: Vehicle,
    other: Vehicle,
    speeds: Any,
    overlap: Any = 1.0,
    angle: Any = 0.0,
    dimensions: int = 1,
    friction: float = 0.0,
    cell_mass: float = CELL,
    prefixes: Any = ("a_", "b_"),
    t_end: float | None = None,
    struck: str | None = None,
) -> Model:
    """Two vehicles head-on: a model with its start.  Names get the prefixes "a_" and "b_".

    Where both fronts crush, their ends meet in cells of `cell_mass` [kg] that slide along the
    other vehicle: each end with the nearest of the other side across, all that hang together in
    one cell.  A vehicle without free ends is rigid in front, at x = 0 of its axes.

    Parameters
    ----------
    speeds : of both, forward [m/s], or texts such as "50 km/h"
    overlap : part of their widths that meets, left on left (1, 0.5 or "50 %")
    angle : by which the other's way is turned from head-on [rad], or "30 deg"; at "90 deg" it is
        driven into on its side, at "180 deg" from behind
    friction : Coulomb's coefficient between the fronts
    struck : "front", "side" or "rear" of the other; unless said its front up to 75 degrees, its
        side up to 135, which are rigid but for the front

    >>> import torseur as ts
    >>> k3 = ts.crash.car("k3")
    >>> scene = collide(k3, k3, ("50 km/h", "20 km/h"), angle="90 deg", dimensions=2)
    >>> scene.frames[-1].name
    'b_body_side'
    """
    try:
        v, u = (speed_of("collide", s) for s in speeds)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"collide: speeds: expected two speeds: {e}") from None
    part = fraction("collide", "overlap", overlap)
    turn = quantity_of("collide", "angle", angle, "rad")
    for each in (vehicle, other):
        _whole(each, dimensions)
    if dimensions == 1 and abs(np.sin(turn)) > 1e-9:
        raise ArgumentError("collide: at an angle the cars turn; give dimensions=2 or 3")
    if struck not in (None, *FACES):
        raise ArgumentError(f"collide: struck={struck!r}: expected {', '.join(map(repr, FACES))}")
    a, b = vehicle.prefixed(prefixes[0]), other.prefixed(prefixes[1])
    face = struck_face(turn, struck)
    if face != "front":
        parts = Parts(dimensions)
        mu = quantity_of("collide", "friction", friction, "")
        strike(parts, a, b, face, part, (v, u), turn, mu)
        return parts.model(f"{a.name} against {b.name}", t_end)
    shift = (1 - part) * (a.width + b.width) / 2
    facing = before(a, b, shift, turn), before(b, a, shift, turn)
    if not any(facing):
        raise ModelError([f"neither {a.name!r} nor {b.name!r} has a member with a free end"])
    parts = Parts(dimensions)
    mu = quantity_of("collide", "friction", friction, "")
    meet(parts, a, b, facing, (v, u), shift, turn, mu, cell_mass)
    return parts.model(f"{a.name} against {b.name}", t_end)


def _whole(vehicle, dimensions):
    if not isinstance(vehicle, Vehicle):
        raise ArgumentError(f"expected a ts.crash.Vehicle, got {vehicle!r}")
    if dimensions not in (1, 2, 3):
        raise ArgumentError(f"dimensions={dimensions!r}: expected 1, 2 (the plane) or 3")


def stations(facing, covered, half: float, most: float) -> list[tuple[float, float, list[Any]]]:
    """Places across the car where a face is pressed: y, the width it shares, who presses.

    Neighbours share the face at the middle between them; outside it ends with the car or with what
    is covered, and is `most` [m] wide at the most.
    """
    places: list[tuple[float, list[Any]]] = []
    for f in sorted(facing, key=lambda f: f.tip[1]):
        if places and abs(places[-1][0] - f.tip[1]) < TOUCH:
            places[-1][1].append(f)
        else:
            places.append((f.tip[1], [f]))
    ys = [y for y, _ in places]
    low, high = max(covered[0], min(-half, ys[0])), min(covered[1], max(half, ys[-1]))
    if high - low > most:
        middle = (ys[0] + ys[-1]) / 2
        low, high = max(low, middle - most / 2), min(high, middle + most / 2)
    edges = [low, *((p + q) / 2 for p, q in pairwise(ys)), high]
    return [
        (y, max(edges[i + 1] - edges[i], 0.0), who) for i, (y, who) in enumerate(places)
    ]  # CV.5


def _span(covered, e, reach) -> tuple[float, float] | None:
    """From where to where a wall goes in its own axes [m], with e into it; None without an end."""
    if np.isinf(covered).all():
        return None
    ends = np.clip(covered, -FAR, FAR)
    return tuple(((ends - reach * e[1]) / e[0]).tolist())  # CV.8


def _face_span(covered, facing, width: float) -> tuple[float, float]:
    """From where to where a face of a width goes across the car [m]."""
    low, high = covered
    if np.isinf(covered).all():
        ys = [f.tip[1] for f in facing]
        return min(-width / 2, *ys), max(width / 2, *ys)
    return (low, low + width) if np.isinf(high) else (high - width, high)


def _honeycomb(parts, face, wall, facing, reach, covered, half):
    """Cells of a face before a fixed wall, each held by its part of the honeycomb."""
    e = -np.array(wall.normal)
    along = np.array([-e[1], e[0], 0.0])
    found = stations(facing, covered, half, float(face.width))
    width, span = sum(w for _, w, _ in found), _face_span(covered, facing, float(face.width))
    for i, (y, w, who) in enumerate(found, 1):
        name = f"cell{i}"
        parts.cell(name, "world", reach * e + y * along, float(face.mass) * w / width, 0.0,
                   wall.angle)  # fmt: skip
        parts.forces.append(JointForce(f"face{i}", name, face.law(w * float(face.height))))
        for f in who:
            ends = span[0] - y, span[1] - y
            parts.press(f, name, (0.0, f.tip[1] - y), "-x", wall.friction, ends)


def _barrier(vehicle, barrier, v, dimensions, t_end):
    """A vehicle against a trolley: the trolley is a vehicle made of its face, if it has one."""
    wall, face = barrier.wall, barrier.face
    covered = wall.covered(vehicle)
    facing = facing_of(vehicle, covered, barrier.name)
    parts = Parts(dimensions)
    speeds = v, speed_of("against", barrier.speed)
    if face is None:
        meet(parts, vehicle, barrier.vehicle(()), (facing, []), speeds, 0.0, 0.0, wall.friction, 0)
        return parts.model(f"{vehicle.name} against {barrier.name}", t_end)
    shift = (1 - wall.overlap) * (vehicle.width + float(barrier.width)) / 2
    shift *= 1 if wall.side == "left" else -1
    found = stations(facing, covered, vehicle.width / 2, float(face.width))
    trolley = barrier.vehicle([(shift - y, f[0].tip[2], w) for y, w, f in found])
    theirs = [Facing(m, 1.0, m.tip) for m in trolley.members]
    mass = float(face.mass) / len(found)
    meet(parts, vehicle, trolley, (facing, theirs), speeds, shift, 0.0, wall.friction, mass,
             carried=True)  # fmt: skip
    return parts.model(f"{vehicle.name} against {barrier.name}", t_end)
