"""From vehicles and walls to a model with its start: `against` and `collide`.

The vehicle drives along x of the world; its foremost facing end touches at t = 0.  In one dimension
every body slides on a joint of its own name; in the plane and in space the main body moves freely
and carries the others on slides along its x axis.  Theory: CV.4 to CV.6.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import ArgumentError, ModelError, shown
from ...forces import JointForce
from ...joints import Weld
from ...model import Joint, Model
from ...scalars.values import value
from ..criteria.metric_value import positive, read_fraction, read_quantity, speed_of
from ..mass_properties import nominal_number
from ..shapes import wall_body
from .faces import STRUCK, Face, Facing, find_facing, struck_face
from .members import FACES
from .obstacles import SIDE_SIGNS, DeformableFace, MovingBarrier, Pole, Wall, placed
from .placement import TOUCH, SceneParts, add_meeting
from .vehicle import Vehicle

UNBOUNDED_LENGTH = 1e3  # where a wall ends that goes on [m]
CELL = 1.0  # mass [kg] of what two crushing fronts meet in, where they press on each other


def against(
    vehicle: Vehicle,
    wall: Any = None,
    speed: float | str | None = None,
    dimensions: int = 1,
    t_end: float | None = None,
    struck: str = "front",
    crab: float | str = 0.0,
) -> Model:
    """A vehicle against a wall, a pole, a deformable face or a moving barrier: a model with its
    start, so that `ts.simulate(scene)` runs it.

    Parameters
    ----------
    wall : `Wall()`, `Pole()`, `DeformableFace()` or `MovingBarrier()`
    speed : of the vehicle [m/s], a text such as "48.3 km/h", or a name of its parameters
    dimensions : 1, 2 (the plane) or 3
    t_end : end of the run [s], 0.15 unless said
    struck : the face that it drives ahead: "front", "rear", "left" or "right".  Members that point
        there meet the wall (`Member(direction=...)`)
    crab : by which its way is turned from where that face looks [rad], or "15 deg"; a side against
        a pole at 75 degrees has 15

    >>> import torseur as ts
    >>> front = ts.crash.Member("front", "car", law=ts.Crush(((0, 0), (0.1, 4e5), (1, 4e5)), 2e7))
    >>> car = ts.crash.Vehicle("car", bodies=(ts.Body("car", mass=1500.0),), members=(front,))
    >>> run = ts.simulate(against(car, ts.crash.Wall(), speed="36 km/h"))
    >>> round(float(run["car.displacement"].max()), 6)               # m v^2 / 2 = F (d - 0.05)
    0.2375
    """
    wall = Wall() if wall is None else wall
    _is_full_overlap(vehicle, dimensions)
    if struck not in tuple(FACES):
        raise ArgumentError(f"against: struck={struck!r}: expected {', '.join(map(repr, FACES))}")
    ahead = Face(vehicle, struck)
    velocity = _initial_velocity(vehicle, ahead, speed, crab, dimensions)
    if isinstance(wall, MovingBarrier):
        return _barrier_scene(ahead, wall, velocity, dimensions, t_end)
    face = wall if isinstance(wall, DeformableFace) else None
    wall = face.wall if face else wall
    if not isinstance(wall, Wall | Pole):
        raise ArgumentError(f"against: expected a wall such as ts.crash.Wall(), got {shown(wall)}")
    if dimensions == 1 and wall.angle:
        raise ArgumentError("against: an oblique wall turns the car; give dimensions=2 or 3")
    wall = wall.before(ahead) if isinstance(wall, Pole) else wall
    covered = wall.covered(ahead)
    facing = ahead.facing(covered, wall.name)
    e = -np.array(wall.normal)
    offset = [wall.depth(f.tip[1]) for f in facing]
    reach = max(e @ f.tip - d for f, d in zip(facing, offset, strict=True))  # CV.4
    parts = SceneParts(dimensions)
    parts.vehicle(vehicle, (0.0, 0.0), -ahead.angle, *velocity)
    placement: dict[str, Any] = {"at": tuple((reach * e).tolist()), "rpy": (0, 0, wall.angle)}
    parts.bodies.append(wall_body(wall, ahead))
    parts.joints.append(Joint(wall.name, "world", wall.name, Weld(), **placement))
    if face is not None:
        _honeycomb(parts, face, wall, facing, reach, covered, ahead)
    else:
        for f, d in zip(facing, offset, strict=True):
            if wall.friction == "stick":
                parts.stick(f, ahead, e, reach)
            else:
                lateral = e[0] * f.tip[1] - e[1] * f.tip[0]  # in axes of the wall
                span = _span(covered, e, reach)
                parts.press(f, wall.name, (d, lateral), "-x", wall.friction, span)
    return parts.model(f"{vehicle.name} against {wall.name}", t_end)


def collide(
    vehicle: Vehicle,
    other: Vehicle,
    speeds: Any,
    overlap: Any = 1.0,
    angle: Any = 0.0,
    dimensions: int = 1,
    friction: float | str = 0.0,
    cell_mass: float | str = CELL,
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
        side up to 135.  Its members that point there crush; without such it is rigid there

    >>> import torseur as ts
    >>> k3 = ts.crash.car("k3")
    >>> scene = collide(k3, k3, ("50 km/h", "20 km/h"), angle="90 deg", dimensions=2)
    >>> scene.frames[-1].name
    'b_body_side'
    """
    part = read_fraction("collide", "overlap", overlap)
    heading = read_quantity("collide", "angle", angle, "rad")
    if abs(heading) > 2 * np.pi:
        raise ArgumentError(
            f"collide: angle: {heading:g} rad is more than a revolution; write degrees as "
            f"'{heading:g} deg'"
        )
    cell = read_quantity("collide", "cell_mass", cell_mass, "kg")
    positive("collide", cell_mass=cell)
    for each in (vehicle, other):
        _is_full_overlap(each, dimensions)
    bare = [v for v in (vehicle, other) if not v.wheels]
    if dimensions == 3 and len(bare) == 1:
        why = "has no wheels, and the other one has: in its gravity it would fall"
        raise ModelError([f"vehicle {bare[0].name!r} {why}; give it wheels, or dimensions=2"])
    if dimensions == 1 and abs(np.sin(heading)) > 1e-9:
        raise ArgumentError("collide: at an angle the cars turn; give dimensions=2 or 3")
    if struck not in (None, *STRUCK):
        raise ArgumentError(f"collide: struck={struck!r}: expected {', '.join(map(repr, STRUCK))}")
    velocities = _speeds((vehicle, other), speeds)
    a = Face(vehicle.prefixed(prefixes[0]))
    b = Face(other.prefixed(prefixes[1]), struck_face(heading, struck))
    degrees = np.degrees(heading)
    if b.angle:
        heading = (heading + b.angle + np.pi) % (2 * np.pi) - np.pi  # of the face that is struck
    shift = (1 - part) * (a.width + b.width) / 2
    parts = SceneParts(dimensions)
    names = a.vehicle.name, b.vehicle.name
    if np.cos(heading) < 1e-6:
        raise ModelError([f"vehicle {names[1]!r}: at {degrees:g} deg its "
                          f"{b.name} looks away from {names[0]!r}"])  # fmt: skip
    facing = find_facing(a, b, shift, heading), find_facing(b, a, shift, heading)
    if not any(facing):
        raise ModelError([f"neither {names[0]!r} nor {names[1]!r} has a member with a free end "
                          "there"])  # fmt: skip
    _check_closing(a, b, velocities, heading)
    mu = read_quantity("collide", "friction", friction, "")
    add_meeting(parts, a, b, facing, velocities, shift, heading, mu, cell)
    return parts.model(" against ".join(names), t_end)


def _speeds(vehicles, speeds) -> list[tuple]:
    try:
        v, u = speeds
    except (TypeError, ValueError):
        raise ArgumentError(
            "collide: speeds: expected two speeds, such as ('50 km/h', '30 km/h'), "
            f"got {shown(speeds)}"
        ) from None
    return [(_speed("collide", x, s),) for x, s in zip(vehicles, (v, u), strict=True)]


def _check_closing(a: Face, b: Face, velocities, heading: float) -> None:
    """Check that two vehicles approach, with b's face rotated by `heading` against a's."""
    v, u = (
        nominal_number(w, f.vehicle.nominal_parameters)
        for f, (w, *_) in zip((a, b), velocities, strict=True)
    )
    if v * np.cos(heading) + u * np.cos(b.angle) < -1e-9:
        raise ArgumentError(
            f"collide: speeds: at {v:g} and {u:g} m/s, each forward, the vehicles part; at this "
            "angle they never meet"
        )


def _speed(where: str, vehicle: Vehicle, speed) -> Any:
    """A speed [m/s]: a number, a text with a unit, or an expression of the vehicle's parameters."""
    parameters = vehicle.nominal_parameters
    if isinstance(speed, str | value.Value) and value.filled(speed, parameters) is not speed:
        return speed
    return speed_of(where, speed)


def _initial_velocity(vehicle, face: Face, speed, crab, dimensions) -> tuple:
    """Speed and heading of a vehicle that drives one of its faces ahead."""
    v = _speed("against", vehicle, speed)
    if (number := nominal_number(v, vehicle.nominal_parameters)) < 0:
        raise ArgumentError(
            f"against: speed: {number:g} m/s drives away from what stands in the way"
        )
    crab_angle = read_quantity("against", "crab", crab, "rad")
    if not crab_angle:
        return v, face.normal
    if dimensions == 1 or abs(crab_angle) >= np.pi / 2:
        raise ArgumentError(
            "against: crab: a car that moves obliquely turns; give dimensions=2 or 3"
            if dimensions == 1
            else f"against: crab: at {np.degrees(crab_angle):g} deg it never meets the obstacle"
        )
    return v, tuple(face.to_vehicle_axes((np.cos(crab_angle), np.sin(crab_angle), 0)).tolist()[:2])


def _is_full_overlap(vehicle, dimensions):
    if not isinstance(vehicle, Vehicle):
        raise ArgumentError(f"expected a ts.crash.Vehicle, got {shown(vehicle)}")
    if loose := vehicle.unattached_bodies:
        raise ModelError([f"vehicle {vehicle.name!r}: no member leads from body {loose[0]!r} to "
                          "one with a free end, so that nothing would stop it; give it a member, "
                          "or lump it with another body"])  # fmt: skip
    if dimensions not in (1, 2, 3):
        raise ArgumentError(f"dimensions={dimensions!r}: expected 1, 2 (the plane) or 3")


def stations(
    facing, covered, face: Face, max_spacing: float, arrives=lambda y: y
) -> list[tuple[float, float, list[Any]]]:
    """Places across the face of an obstacle where it is pressed: y, the width it shares, who
    presses.  `arrives`: where on it what drives ahead at y across the car meets it.

    Neighbors share the face at the middle between them; outside it ends with the car or with what
    is covered, and is `max_spacing` [m] wide at the most.
    """
    positions: list[tuple[float, list[Any]]] = []
    for f in sorted(facing, key=lambda f: f.tip[1]):
        if positions and abs(positions[-1][0] - arrives(f.tip[1])) < TOUCH:
            positions[-1][1].append(f)
        else:
            positions.append((arrives(f.tip[1]), [f]))
    ys = [y for y, _ in positions]
    left, right = (arrives(face.middle + s * face.width / 2) for s in (-1, 1))
    low, high = (arrives(y) for y in covered)
    low, high = max(low, min(left, ys[0])), min(high, max(right, ys[-1]))
    if high - low > max_spacing:
        middle = (ys[0] + ys[-1]) / 2
        low, high = max(low, middle - max_spacing / 2), min(high, middle + max_spacing / 2)
    edges = [low, *((p + q) / 2 for p, q in pairwise(ys)), high]
    return [
        (y, max(edges[i + 1] - edges[i], 0.0), who) for i, (y, who) in enumerate(positions)
    ]  # CV.5


def _arrival(e, reach):
    """Position along a wall, in its own axes with e into it, met by a point at lateral position y
    [m].
    """
    return lambda y: (y - reach * e[1]) / e[0]  # CV.8


def _span(covered, e, reach) -> tuple[float, float] | None:
    """Extent of a wall in its own axes [m], with e into it.  None for an unbounded wall."""
    if np.isinf(covered).all():
        return None
    return tuple(_arrival(e, reach)(np.clip(covered, -UNBOUNDED_LENGTH, UNBOUNDED_LENGTH)).tolist())


def _face_span(covered, facing, width: float, middle: float, arrives) -> tuple[float, float]:
    """From where to where a face of a width goes along its wall [m]."""
    low, high = (arrives(y) for y in covered)
    if np.isinf(covered).all():
        ys, middle = [arrives(f.tip[1]) for f in facing], arrives(middle)
        return min(middle - width / 2, *ys), max(middle + width / 2, *ys)
    return (low, low + width) if np.isinf(high) else (high - width, high)


def _honeycomb(parts, face, wall, facing, reach, covered, approaching):
    """Cells of a face before a fixed wall, each supported by its part of the honeycomb."""
    e = -np.array(wall.normal)
    tangent, arrives = np.array([-e[1], e[0], 0.0]), _arrival(e, reach)
    cells = stations(facing, covered, approaching, float(face.width), arrives)
    width = sum(w for _, w, _ in cells)
    span = _face_span(covered, facing, float(face.width), approaching.middle, arrives)
    for i, (y, w, who) in enumerate(cells, 1):
        name = f"cell{i}"
        parts.cell(name, "world", reach * e + y * tangent, float(face.mass) * w / width, 0.0,
                   wall.angle)  # fmt: skip
        parts.forces.append(JointForce(f"face{i}", name, face.law(w * float(face.height))))
        for f in who:
            edges = span[0] - y, span[1] - y
            parts.press(f, name, (0.0, arrives(f.tip[1]) - y), "-x", wall.friction, edges)


def _barrier_scene(ahead: Face, barrier, velocity, dimensions, t_end):
    """A vehicle against a trolley.  The trolley is a vehicle made from its face, if it has one."""
    wall, face, vehicle = barrier.wall, barrier.face, ahead.vehicle
    middle = placed(f"barrier {barrier.name!r}", ahead, barrier.x)
    width = float(barrier.width if face is None else face.width)
    if ahead.is_lateral:
        covered, shift = (middle - width / 2, middle + width / 2), middle - ahead.middle
    else:
        covered = wall.covered(ahead)
        shift = (
            (1 - wall.overlap) * (ahead.width + float(barrier.width)) / 2 * SIDE_SIGNS[wall.side]
        )
    facing = ahead.facing(covered, barrier.name)
    stands = float(np.mean([f.tip[2] for f in facing])), bool(vehicle.wheels) and dimensions == 3
    parts, velocities = SceneParts(dimensions), (velocity, (speed_of("against", barrier.speed),))
    if (v := nominal_number(velocity[0], vehicle.nominal_parameters)) + barrier.speed < -1e-9:
        raise ArgumentError(f"against: speed: at {v:g} m/s it never meets {barrier.name!r}, which "
                            f"drives away at {-barrier.speed:g} m/s")  # fmt: skip
    name = f"{vehicle.name} against {barrier.name}"
    if face is None:
        other = Face(barrier.vehicle((), *stands))
        add_meeting(
            parts,
            ahead,
            other,
            (facing, []),
            velocities,
            shift if ahead.is_lateral else 0.0,
            0.0,
            wall.friction,
            0,
        )
        return parts.model(name, t_end)
    cells = stations(facing, covered, ahead, width)
    positions = [(ahead.middle + shift - y, f[0].tip[2], w) for y, w, f in cells]
    trolley = barrier.vehicle(positions, *stands)
    theirs = [Facing(m, 1.0, m.tip, m.tip) for m in trolley.members]
    mass = float(face.mass) / len(cells)
    add_meeting(
        parts,
        ahead,
        Face(trolley),
        (facing, theirs),
        velocities,
        shift,
        0.0,
        wall.friction,
        mass,
        wheels_carry=True,
    )
    return parts.model(name, t_end)
