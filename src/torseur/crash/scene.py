"""From vehicles and walls to a model with its start: `against` and `collide`.

The vehicle drives along x of the world; its foremost facing end touches at t = 0.  In one dimension
every body slides on a joint of its own name; in the plane and in space the main body moves freely
and carries the others on slides along its x axis.  Theory: CV.4 to CV.6.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError, ModelError
from ..forces import JointForce, PlaneForce, PointForce, Table
from ..joints import Free, Planar, Prismatic, Weld
from ..model import Body, Frame, Joint, Model
from .measure import G0, quantity_of, speed_of
from .pictures import cell_shape, dressed, wall_body
from .vehicle import Vehicle, box_inertia, fraction, inertia_matrix, mass_of, scaled
from .walls import DeformableFace, MovingBarrier, Pole, Wall

RUN = {"t_end": 0.15, "rtol": 1e-10, "atol": 1e-12, "output": 1501}
CELL = 1.0  # mass [kg] of what two crushing fronts meet in, where they press on each other
DRAWN = 1.0  # length of a member in views before it crushes [m]
TOUCH = 1e-9  # ends nearer than this across the car are at one place [m]


@dataclass(frozen=True, slots=True, eq=False)
class Facing:
    """A member that faces the obstacle: with how much of its law, and where it presses."""

    member: Any
    part: float
    tip: np.ndarray  # in axes of its vehicle


def against(vehicle: Vehicle, wall=None, speed=None, dimensions: int = 1, t_end=None) -> Model:
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
    if isinstance(wall, MovingBarrier):
        return _barrier(vehicle, wall, v, dimensions, t_end)
    face = wall if isinstance(wall, DeformableFace) else None
    wall = face.wall if face else wall
    if not isinstance(wall, Wall | Pole):
        raise ArgumentError(f"against: expected a wall such as ts.crash.Wall(), got {wall!r}")
    if dimensions == 1 and wall.angle:
        raise ArgumentError("against: an oblique wall turns the car; give dimensions=2 or 3")
    facing = _facing(vehicle, wall.covered(vehicle), wall.name)
    e = -np.array(wall.normal)
    offset = [wall.depth(f.tip[1]) for f in facing]
    reach = max(e @ f.tip - d for f, d in zip(facing, offset, strict=True))  # CV.4
    parts = _Parts(dimensions)
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
                parts.press(f, wall.name, (d, across), "-x", wall.friction)
    return parts.model(f"{vehicle.name} against {wall.name}", t_end)


def collide(
    vehicle: Vehicle,
    other: Vehicle,
    speeds,
    overlap=1.0,
    angle=0.0,
    dimensions: int = 1,
    friction: float = 0.0,
    cell_mass: float = CELL,
    prefixes=("a_", "b_"),
    t_end=None,
) -> Model:
    """Two vehicles head-on: a model with its start.  Names get the prefixes "a_" and "b_".

    Where both fronts crush, their ends meet in cells of `cell_mass` [kg] that slide along the
    other vehicle: each end with the nearest of the other side across, all that hang together in
    one cell.  A vehicle without free ends is rigid in front, at x = 0 of its axes.

    Parameters
    ----------
    speeds : of both, forward [m/s], or texts such as "50 km/h"
    overlap : part of their widths that meets, left on left (1, 0.5 or "50 %")
    angle : by which the other's way is turned from head-on [rad], or "30 deg"
    friction : Coulomb's coefficient between the fronts
    """
    try:
        v, u = (speed_of("collide", s) for s in speeds)
    except (TypeError, ValueError) as e:
        raise ArgumentError(f"collide: speeds: expected two speeds: {e}") from None
    part = fraction("collide", "overlap", overlap)
    turn = quantity_of("collide", "angle", angle, "rad")
    for each in (vehicle, other):
        _whole(each, dimensions)
    if dimensions == 1 and turn:
        raise ArgumentError("collide: at an angle the cars turn; give dimensions=2 or 3")
    a, b = vehicle.prefixed(prefixes[0]), other.prefixed(prefixes[1])
    shift = (1 - part) * (a.width + b.width) / 2
    facing = _before(a, b, shift, turn), _before(b, a, shift, turn)
    if not any(facing):
        raise ModelError([f"neither {a.name!r} nor {b.name!r} has a member with a free end"])
    parts = _Parts(dimensions)
    mu = quantity_of("collide", "friction", friction, "")
    _meeting(parts, a, b, facing, (v, u), shift, turn, mu, cell_mass)
    return parts.model(f"{a.name} against {b.name}", t_end)


def _whole(vehicle, dimensions):
    if not isinstance(vehicle, Vehicle):
        raise ArgumentError(f"expected a ts.crash.Vehicle, got {vehicle!r}")
    if dimensions not in (1, 2, 3):
        raise ArgumentError(f"dimensions={dimensions!r}: expected 1, 2 (the plane) or 3")


def _facing(vehicle, covered, name) -> list[Facing]:
    """Free ends that stand before something that covers y from ... to ... of the vehicle."""
    low, high = covered
    out = []
    for m in vehicle.members:
        if not m.free:
            continue
        tip, half = m.tip, float(m.width) / 2
        if half == 0 or (low == -np.inf and high == np.inf):
            if low <= tip[1] <= high:
                out.append(Facing(m, 1.0, tip))
            continue
        left, right = max(low, tip[1] - half), min(high, tip[1] + half)
        if right > left:
            at = np.array([tip[0], (left + right) / 2, tip[2]])
            out.append(Facing(m, (right - left) / (2 * half), at))
    if not out:
        ends = ", ".join(f"{m.name} at y = {m.tip[1]:g} m" for m in vehicle.members if m.free)
        raise ModelError(
            [
                f"vehicle {vehicle.name!r}: no free end meets {name!r}, which covers y from "
                f"{low:.4g} to {high:.4g} m (free ends: {ends or 'none'}); give members a width, "
                "or change overlap or side"
            ]
        )
    return out


class _Parts:
    """A model being put together."""

    def __init__(self, dimensions: int):
        self.dimensions = dimensions
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.frames: list[Frame] = []
        self.forces: list[Any] = []
        self.initial: dict[str, float] = {}
        self.gravity = (0.0, 0.0, 0.0)

    def vehicle(self, vehicle: Vehicle, at, yaw: float, speed: float) -> None:
        """Bodies, joints, points and inner members of a vehicle at a place, driving forward."""
        place: dict[str, Any] = {"at": (float(at[0]), float(at[1]), 0.0), "rpy": (0.0, 0.0, yaw)}
        for b in dressed(vehicle).bodies:
            main = b.name == vehicle.main
            if self.dimensions == 1:
                self.joints.append(Joint(b.name, "world", b.name, Prismatic("x"), **place))
                self.initial[f"{b.name}.speed"] = speed
            elif main:
                kind = Planar("z", "translation_first") if self.dimensions == 2 else Free()
                self.joints.append(Joint(b.name, "world", b.name, kind, **place))
                name = "speed_x" if self.dimensions == 2 else "vx"
                self.initial[f"{b.name}.{name}"] = speed
                if not np.any(inertia_matrix(b)):
                    b = replace(b, inertia=box_inertia(mass_of(b), vehicle.size))
            else:
                self.joints.append(Joint(b.name, vehicle.main, b.name, Prismatic("x")))
            self.bodies.append(b)
        for n, where in vehicle.points.items():
            body, p = (where, (0, 0, 0)) if isinstance(where, str) else where
            self.frames.append(Frame(n, body, tuple(p)))
        for m in vehicle.members:
            if not m.free:
                start = tuple(float(x) for x in m.at)
                back = (start[0] - DRAWN, *start[1:])
                self.forces.append(
                    PlaneForce(m.name, (m.body, start), (m.to, start), m.law, "-x", root=back)
                )
        if vehicle.wheels and self.dimensions == 3:
            self._wheels(vehicle)

    def _wheels(self, vehicle):
        """Tyres that carry the weight where the car stands: a push each, never a pull."""
        self.gravity = (0.0, 0.0, -G0)
        if not any(f.name == "ground" for f in self.frames):
            self.frames.append(Frame("ground", "world"))
        for w, load in zip(vehicle.wheels, vehicle.wheel_loads(), strict=True):
            x, y, z = map(float, w.at)
            k = float(w.stiffness)
            law = Table(((-1.0, 0.0), (0.0, 0.0), (1.0, k)))
            point = (vehicle.main, (x, y, z - load / k))
            plane = ("ground", (0.0, 0.0, z))
            self.forces.append(PlaneForce(w.name, point, plane, law, "z", w.friction))

    def press(self, f: Facing, body: str, at, normal: str, friction) -> None:
        """A free end against a plane of a body, at the place `at` (x, y) of its axes."""
        law, tip = scaled(f.member.law, f.part), tuple(map(float, f.tip))
        root = (tip[0] - DRAWN, *tip[1:])
        plane = (body, (*map(float, at), tip[2]))
        self.forces.append(
            PlaneForce(f.member.name, (f.member.body, tip), plane, law, normal, friction, root=root)
        )

    def stick(self, f: Facing, e, reach) -> None:
        """A free end that holds where it touches, straight ahead: a link to the wall."""
        m = f.member
        if not float(m.reach) > 0:
            raise ModelError([f"member {m.name!r}: ends that stick need a reach above zero"])
        root = np.array([float(m.at[0]), f.tip[1], f.tip[2]])
        end = root + ((reach - e @ root) / e[0], 0, 0)
        given: Any = scaled(m.law, f.part)
        law = replace(given, sense="compression", free_length=float(m.reach))
        places = (m.body, tuple(root.tolist())), ("world", tuple(end.tolist()))
        self.forces.append(PointForce(m.name, *places, law))

    def cell(self, name, carrier, at, mass, speed, yaw=0.0) -> None:
        """What ends meet in: a small body that slides along x of its carrier."""
        self.bodies.append(Body(name, float(mass), shapes=cell_shape()))
        self.joints.append(
            Joint(name, carrier, name, Prismatic("x"), at=tuple(map(float, at)), rpy=(0, 0, yaw))
        )
        self.initial[f"{name}.speed"] = speed

    def model(self, name, t_end) -> Model:
        run = RUN if t_end is None else RUN | {"t_end": quantity_of("against", "t_end", t_end, "s")}
        return Model(
            name,
            gravity=self.gravity,
            bodies=self.bodies,
            joints=self.joints,
            frames=self.frames,
            forces=self.forces,
            initial=self.initial,
            simulation=run,
        )


def stations(facing, covered, half: float, most: float) -> list[tuple[float, float, list]]:
    """Places across the car where a face is pressed: y, the width it shares, who presses.

    Neighbours share the face at the middle between them; outside it ends with the car or with what
    is covered, and is `most` [m] wide at the most.
    """
    places: list[tuple[float, list]] = []
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


def _honeycomb(parts, face, wall, facing, reach, covered, half):
    """Cells of a face before a fixed wall, each held by its part of the honeycomb."""
    e = -np.array(wall.normal)
    along = np.array([-e[1], e[0], 0.0])
    found = stations(facing, covered, half, float(face.width))
    width = sum(w for _, w, _ in found)
    for i, (y, w, who) in enumerate(found, 1):
        name = f"cell{i}"
        parts.cell(name, "world", reach * e + y * along, float(face.mass) * w / width, 0.0,
                   wall.angle)  # fmt: skip
        parts.forces.append(JointForce(f"face{i}", name, face.law(w * float(face.height))))
        for f in who:
            parts.press(f, name, (0.0, f.tip[1] - y), "-x", wall.friction)


def _barrier(vehicle, barrier, v, dimensions, t_end):
    """A vehicle against a trolley: the trolley is a vehicle made of its face."""
    wall = barrier.face.wall
    covered = wall.covered(vehicle)
    facing = _facing(vehicle, covered, barrier.name)
    shift = (1 - wall.overlap) * (vehicle.width + float(barrier.width)) / 2
    shift *= 1 if wall.side == "left" else -1
    found = stations(facing, covered, vehicle.width / 2, float(barrier.face.width))
    trolley = barrier.vehicle([(shift - y, f[0].tip[2], w) for y, w, f in found])
    parts = _Parts(dimensions)
    u, mass = speed_of("against", barrier.speed), float(barrier.face.mass) / len(found)
    theirs = [Facing(m, 1.0, m.tip) for m in trolley.members]
    _meeting(parts, vehicle, trolley, (facing, theirs), (v, u), shift, 0.0, wall.friction, mass,
             carried=True)  # fmt: skip
    return parts.model(f"{vehicle.name} against {barrier.name}", t_end)


def _before(x, other, shift, turn) -> list[Facing]:
    """Free ends of a vehicle that stand before the other one."""
    if not any(m.free for m in x.members):
        return []
    half, c = other.width / 2, np.cos(turn)
    whole = not shift and other.width >= x.width
    covered = (-np.inf, np.inf) if whole else ((shift - half) / c, (shift + half) / c)
    return _facing(x, covered, other.name)


def _meeting(parts, a, b, facing, speeds, shift, turn, friction, cell_mass, carried=False):
    """Put two vehicles nose to nose; `b` is turned by half a turn and `turn`.  CV.6

    F is where the middle of b's front stands, at `shift` across; the nearest ends touch.
    """
    mine, theirs = facing
    yaw = np.pi + turn
    c, s = (np.cos(yaw), np.sin(yaw)) if turn else (-1.0, 0.0)
    front = max((f.tip[0] for f in theirs), default=0.0)
    if mine:
        F = np.array([min(c * f.tip[0] + s * (f.tip[1] - shift) for f in mine) / c, shift])
    else:
        F = np.array([-min(c * (f.tip[0] - front) - s * f.tip[1] for f in theirs), shift])
    (v, u), origin = speeds, F - front * np.array([c, s])
    parts.vehicle(a, (0.0, 0.0), 0.0, v)
    parts.vehicle(b, origin, yaw, u)
    if not mine or not theirs:
        soft, rigid, at = (mine, b, front) if mine else (theirs, a, 0.0)
        for f in soft:
            y = c * (f.tip[1] - shift) if mine else shift + c * f.tip[1]
            parts.press(f, rigid.main, (at, y), "x", friction)
        return
    across = [-s * (f.tip[0] - F[0]) + c * (f.tip[1] - shift) for f in mine]  # in b's axes
    places = _met(across, [f.tip[1] for f in theirs])
    start = 0.0 if carried else (c * v - u) / 2
    for i, (ours, others) in enumerate(places, 1):
        name, y = f"cell{i}", float(np.mean([theirs[k].tip[1] for k in others]))
        parts.cell(name, b.main, (front, y, 0.0), cell_mass, start)
        for k in ours:
            parts.press(mine[k], name, (0.0, across[k] - y), "x", friction)
        for k in others:
            parts.press(theirs[k], name, (0.0, theirs[k].tip[1] - y), "-x", friction)


def _met(ours, theirs) -> list[tuple[list[int], list[int]]]:
    """Who meets in one cell: each end with the nearest of the other side, all that hang together.

    >>> _met([0.0, 0.5], [0.5, 0.0]), _met([0.4, 0.7], [0.2, 0.5])
    ([([0], [1]), ([1], [0])], [([0, 1], [0, 1])])
    """

    def nearest(y, others):
        least = min(abs(z - y) for z in others)
        first = next(z for z in others if abs(z - y) == least)
        return {k for k, z in enumerate(others) if abs(z - first) < TOUCH}

    groups = [({i}, nearest(y, theirs)) for i, y in enumerate(ours)]
    groups += [(nearest(y, ours), {j}) for j, y in enumerate(theirs)]
    out: list[tuple[set, set]] = []
    for a, b in groups:
        touched = [g for g in out if g[0] & a or g[1] & b]
        out = [g for g in out if g not in touched]
        out.append((a.union(*(g[0] for g in touched)), b.union(*(g[1] for g in touched))))
    return sorted((sorted(a), sorted(b)) for a, b in out)
