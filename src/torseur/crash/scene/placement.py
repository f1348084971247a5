"""Placement of vehicles in a scene: contact of free ends with planes and with cells between
vehicles.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ...errors import ModelError
from ...forces import DirectedForce, Effort, MeetForce, Parallel, PlaneForce, PointForce, Table
from ...joints import Free, Planar, Prismatic, Weld
from ...model import Body, Frame, Joint, Model
from ..criteria.metric_value import G0, RATE, read_quantity
from ..mass_properties import box_inertia, inertia_matrix, multiply, scale_law
from ..shapes import cell_shape, dressed, seat, wheel_shape
from .faces import Face, Facing
from .vehicle import Vehicle, shared_parameters

RUN = {"t_end": 0.15, "rtol": 1e-10, "atol": 1e-12, "output": 1501}
MAX_ROWS = 20_000  # of a run that its t_end asks for
DRAWN = 1.0  # length of a member in views before it crushes [m]
TIRE_TRAVEL = 1e3  # how far a tire may leave the ground [m]
TOUCH = 1e-9  # ends nearer than this across the car are at one place [m]


class SceneParts:
    """A model being put together."""

    def __init__(self, dimensions: int):
        self.dimensions = dimensions
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.frames: list[Frame] = []
        self.forces: list[Any] = []
        self.initial: dict[str, Any] = {}
        self.gravity = (0.0, 0.0, 0.0)
        self.vehicles: list[Vehicle] = []

    def vehicle(self, vehicle: Vehicle, at, yaw: float, speed, heading=(1, 0)) -> None:
        """Bodies, joints, points and inner members of a vehicle at a place, driving along a
        `heading` (x, y) of its own axes; `speed` is a number or a name."""
        placement: dict[str, Any] = {
            "at": (float(at[0]), float(at[1]), 0.0),
            "rpy": (0.0, 0.0, yaw),
        }
        self.vehicles.append(vehicle)
        for b in dressed(vehicle).bodies:
            if self.dimensions == 1 and (
                b.name == vehicle.main or abs(heading["xy".index(vehicle.slide(b.name))]) == 1
            ):
                kind: Any = Prismatic("x" if heading == (1, 0) else (*heading, 0))
                self.joints.append(Joint(b.name, "world", b.name, kind, **placement))
                self.initial[f"{b.name}.speed"] = speed
            elif b.name == vehicle.main:
                self._free(vehicle, b, placement, speed, heading)
                if not np.any(inertia_matrix(b, vehicle.nominal_parameters)):
                    b = replace(b, inertia=box_inertia(b.mass, vehicle.size))
            else:
                kind = Weld() if self.dimensions == 1 else Prismatic(vehicle.slide(b.name))
                self.joints.append(Joint(b.name, vehicle.main, b.name, kind))
            self.bodies.append(b)
        for n, where in vehicle.points.items():
            body, p = (where, (0, 0, 0)) if isinstance(where, str) else where
            self.frames.append(Frame(n, body, tuple(p)))
        for m in vehicle.members:
            if not m.free:
                start, axis = seat(vehicle, m), m.axis
                origin = tuple(start.tolist())
                normal: Any = "-x" if axis[0] == 1 else tuple((-axis).tolist())
                back = tuple((start - DRAWN * axis).tolist())
                self.forces.append(
                    PlaneForce(m.name, (m.body, origin), (m.to, origin), m.law, normal, root=back)
                )
        self._wheels(vehicle)

    def _free(self, vehicle, b, placement, speed, heading):
        """The joint of a main body that moves freely, and its start."""
        plane = self.dimensions == 2
        kind = Planar("z", "translation_first") if plane else Free()
        self.joints.append(Joint(b.name, "world", b.name, kind, **placement))
        for h, name in zip(heading, ("speed_x", "speed_y") if plane else ("vx", "vy"), strict=True):
            if h:
                self.initial[f"{b.name}.{name}"] = multiply(speed, h)

    def _wheels(self, vehicle):
        """Tires that carry the weight where the car stands: a push each, never a pull.  CV.10"""
        space = bool(vehicle.wheels) and self.dimensions == 3
        if space:
            self.gravity = (0.0, 0.0, -G0)
            if not any(f.name == "ground" for f in self.frames):
                self.frames.append(Frame("ground", "world"))
        loads = vehicle.wheel_loads() if space else np.zeros(len(vehicle.wheels))
        for w, load in zip(vehicle.wheels, loads, strict=True):
            body, force = vehicle.main, w.name
            if float(w.mass):
                sprung = space and w.suspension is not None
                body, force = w.name, f"{w.name}_tire"
                kind = Prismatic("z") if sprung else Weld()
                center = w.body.com  # where its frame is
                self.bodies.append(replace(w.body, com=(0, 0, 0), shapes=wheel_shape(w)))
                self.joints.append(Joint(w.name, vehicle.main, w.name, kind, at=center))
                if sprung:
                    static_load = Effort(float(w.mass) * G0 - load)
                    strut = Parallel(w.suspension, static_load)
                    points = (vehicle.main, center), w.name
                    name = f"{w.name}_suspension"
                    self.forces.append(DirectedForce(name, *points, strut, "z", vehicle.main))
            if space:
                x, y, z = map(float, w.at)
                k = float(w.stiffness)
                law = Table(((-TIRE_TRAVEL, 0.0), (0.0, 0.0), (TIRE_TRAVEL, TIRE_TRAVEL * k)))
                foot = np.array([x, y, z - load / k])
                foot -= np.array(w.body.com, dtype=float) if float(w.mass) else 0.0
                point, plane = (body, tuple(foot.tolist())), ("ground", (0.0, 0.0, z))
                self.forces.append(PlaneForce(force, point, plane, law, "z", w.friction))

    def press(self, f: Facing, body: str, at, normal: str, friction, span=None) -> None:
        """A free end against a plane of a body at the position `at` (x, y); `span` is its extent
        along y.
        """
        law, tip = scale_law(f.member.law, f.part), tuple(map(float, f.at))
        plane = (body, (*map(float, at), tip[2]))
        edges = None
        if span is not None and self.dimensions > 1:
            edges = (span[0] - at[1] - TOUCH, span[1] - at[1] + TOUCH)  # CV.8
        self.forces.append(
            PlaneForce(f.member.name, (f.member.body, tip), plane, law, normal, friction,
                       root=_root(f), edges=edges)
        )  # fmt: skip

    def stick(self, f: Facing, face: Face, e, reach) -> None:
        """A free end that holds where it touches, straight ahead: a link to the wall."""
        m = f.member
        if not float(m.reach) > 0:
            raise ModelError([f"member {m.name!r}: ends that stick need a reach above zero"])
        root = np.array([float(face.to_face_axes(m.at)[0]), f.tip[1], f.tip[2]])
        end = root + ((reach - e @ root) / e[0], 0, 0)
        given: Any = scale_law(m.law, f.part)
        law = replace(given, sense="compression", free_length=float(m.reach))
        ends = (m.body, tuple(face.to_vehicle_axes(root).tolist())), ("world", tuple(end.tolist()))
        self.forces.append(PointForce(m.name, *ends, law))

    def cell(self, name, carrier, at, mass, speed, yaw=0.0) -> None:
        """A small body that slides along x of its carrier, between two ends."""
        self.bodies.append(Body(name, float(mass), shapes=cell_shape()))
        self.joints.append(
            Joint(name, carrier, name, Prismatic("x"), at=tuple(map(float, at)), rpy=(0, 0, yaw))
        )
        self.initial[f"{name}.speed"] = speed

    def add_meeting_plane(self, name: str, mass) -> None:
        """Coordinate of the plane between two fronts, 0 half way, with a small mass."""
        self.bodies.append(Body(name, float(mass)))
        self.joints.append(Joint(name, "world", name, Prismatic("x")))

    def meet(self, f: Facing, a, b, slide: str, side: str, friction) -> None:
        """A free end against the plane in which two vehicles meet."""
        law, tip = scale_law(f.member.law, f.part), tuple(map(float, f.at))
        first, other = ((n, tuple(map(float, at))) for n, at in (a, b))
        self.forces.append(
            MeetForce(f.member.name, (f.member.body, tip), first, other, slide, law, side,
                      friction, root=_root(f))
        )  # fmt: skip

    def model(self, name, t_end) -> Model:
        run = dict(RUN)
        if t_end is not None:
            end = read_quantity("against", "t_end", t_end, "s")
            rows = int(min(max(np.round(end * RATE), 1), MAX_ROWS)) + 1
            run |= {"t_end": end, "output": rows}
        return Model(
            name,
            gravity=self.gravity,
            bodies=self.bodies,
            joints=self.joints,
            frames=self.frames,
            forces=self.forces,
            initial=self.initial,
            simulation=run,
            parameters=shared_parameters(*self.vehicles),
        )


def _root(f: Facing) -> tuple:
    """From where a member is drawn, in axes of its vehicle."""
    return tuple((np.asarray(f.at, dtype=float) - DRAWN * f.member.axis).tolist())


# --------------------------------------------------------------------------------------------
# Two vehicles that meet, each with one of its faces.  Theory: CV.6, CV.7, CV.9.


def add_meeting(
    parts, a: Face, b: Face, facing, speeds, shift, heading, friction, cell_mass, wheels_carry=False
):
    """Put two vehicles face to face; b's face is turned by half a turn and `heading`.  CV.6

    The world's axes are those of a's face.  F is where the middle of b's face stands, at `shift`
    across from a's; the nearest ends touch.
    """
    mine, theirs = facing
    yaw = np.pi + heading
    c, s = (np.cos(yaw), np.sin(yaw)) if heading else (-1.0, 0.0)
    front = max((f.tip[0] for f in theirs), default=b.plane)
    y = a.middle + shift
    if mine:
        F = np.array([min(c * f.tip[0] + s * (f.tip[1] - y) for f in mine) / c, y])
    else:
        gap = min(c * (f.tip[0] - front) - s * (f.tip[1] - b.middle) for f in theirs)
        F = np.array([a.plane - gap, y])
    rotation = np.array([[c, -s], [s, c]])
    (v, u), origin = speeds, F - rotation @ (front, b.middle)
    both = bool(mine and theirs) and not wheels_carry
    if both:
        contact = np.array([F[0], a.middle + shift / 2])
        origin, middle = _closest_approach(mine, theirs, origin, contact, c, s)
    parts.vehicle(a.vehicle, (0.0, 0.0), -a.angle, *v)
    parts.vehicle(b.vehicle, origin, yaw - b.angle, *u)
    if not theirs:
        half, name = b.width / 2, b.frame(parts)
        edges = None if b.name == "front" else (b.middle - half, b.middle + half)
        for f in mine:
            lateral = -s * (f.tip[0] - F[0]) + c * (f.tip[1] - F[1]) + b.middle
            parts.press(f, name, (front, lateral), "x", friction, edges)
        return
    if not mine:
        name = a.frame(parts)
        for f in theirs:
            parts.press(
                f, name, (a.plane, float((origin + rotation @ f.tip[:2])[1])), "x", friction
            )
        return
    lateral = [-s * (f.tip[0] - F[0]) + c * (f.tip[1] - F[1]) + b.middle for f in mine]
    matches = _match_lateral(lateral, [f.tip[1] for f in theirs])
    for i, (ours, others) in enumerate(matches, 1):
        name, y = f"cell{i}", float(np.mean([theirs[k].tip[1] for k in others]))
        if both:
            parts.add_meeting_plane(name, cell_mass)
            frames = (a.frame(parts), (*middle[0], 0.0)), (b.frame(parts), (*middle[1], 0.0))
            for side, facing, who in (("a", mine, ours), ("b", theirs, others)):
                for k in who:
                    parts.meet(facing[k], *frames, name, side, friction)
            continue
        parts.cell(name, b.vehicle.main, (front, y, 0.0), cell_mass, 0.0)
        for k in ours:
            parts.press(mine[k], name, (0.0, lateral[k] - y), "x", friction)
        for k in others:
            parts.press(theirs[k], name, (0.0, theirs[k].tip[1] - y), "-x", friction)


def _closest_approach(mine, theirs, origin, contact, c, s):
    """Where b stands such that its ends and a's touch one plane, half way between both faces; and
    the place of that plane nearest to `contact`, in axes of a's face and of b's.  CV.7"""
    n = np.array([1 - c, -s])
    n /= np.linalg.norm(n)
    rotation = np.array([[c, -s], [s, c]])
    reach = max(n @ f.tip[:2] for f in mine)
    back = min(n @ (origin + rotation @ f.tip[:2]) for f in theirs)
    origin = origin + (reach - back) * n
    middle = contact + (reach - n @ contact) * n
    return origin, (middle, rotation.T @ (middle - origin))


def _match_lateral(ours, theirs) -> list[tuple[list[int], list[int]]]:
    """Groups of ends that meet in one cell: each end with the nearest ones of the other side.


    >>> _match_lateral([0.0, 0.5], [0.5, 0.0]), _match_lateral([0.4, 0.7], [0.2, 0.5])
    ([([0], [1]), ([1], [0])], [([0, 1], [0, 1])])
    """

    def nearest(y, others):
        distance = min(abs(z - y) for z in others)
        first = next(z for z in others if abs(z - y) == distance)
        return {k for k, z in enumerate(others) if abs(z - first) < TOUCH}

    groups = [({i}, nearest(y, theirs)) for i, y in enumerate(ours)]
    groups += [(nearest(y, ours), {j}) for j, y in enumerate(theirs)]
    out: list[tuple[set, set]] = []
    for a, b in groups:
        touched = [g for g in out if g[0] & a or g[1] & b]
        out = [g for g in out if g not in touched]
        out.append((a.union(*(g[0] for g in touched)), b.union(*(g[1] for g in touched))))
    return sorted((sorted(a), sorted(b)) for a, b in out)
