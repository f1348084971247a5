"""A scene being put together: vehicles in their place, ends that press, cells that they meet in."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..errors import ModelError
from ..forces import MeetForce, PlaneForce, PointForce, Table
from ..joints import Free, Planar, Prismatic
from ..model import Body, Frame, Joint, Model
from .lumps import box_inertia, inertia_matrix, mass_of, scaled
from .measure import G0, quantity_of
from .pictures import cell_shape, dressed
from .vehicle import Vehicle

RUN = {"t_end": 0.15, "rtol": 1e-10, "atol": 1e-12, "output": 1501}
DRAWN = 1.0  # length of a member in views before it crushes [m]
FAR = 1e3  # how far a tyre may leave the ground [m]
TOUCH = 1e-9  # ends nearer than this across the car are at one place [m]


@dataclass(frozen=True, slots=True, eq=False)
class Facing:
    """A member that faces the obstacle: with how much of its law, and where it presses."""

    member: Any
    part: float
    tip: np.ndarray  # in axes of its vehicle


class Parts:
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
            law = Table(((-FAR, 0.0), (0.0, 0.0), (FAR, FAR * k)))
            point = (vehicle.main, (x, y, z - load / k))
            plane = ("ground", (0.0, 0.0, z))
            self.forces.append(PlaneForce(w.name, point, plane, law, "z", w.friction))

    def press(self, f: Facing, body: str, at, normal: str, friction, span=None) -> None:
        """A free end against a plane of a body, at the place `at` (x, y) of its axes; `span` is
        from where to where along y the plane goes."""
        law, tip = scaled(f.member.law, f.part), tuple(map(float, f.tip))
        root = (tip[0] - DRAWN, *tip[1:])
        plane = (body, (*map(float, at), tip[2]))
        edges = None
        if span is not None and self.dimensions > 1:
            edges = (span[0] - at[1] - TOUCH, span[1] - at[1] + TOUCH)  # CV.8
        self.forces.append(
            PlaneForce(f.member.name, (f.member.body, tip), plane, law, normal, friction, root=root,
                       edges=edges)
        )  # fmt: skip

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

    def between(self, name: str, mass) -> None:
        """Where between two vehicles their fronts meet: a coordinate, 0 half way, of small mass."""
        self.bodies.append(Body(name, float(mass)))
        self.joints.append(Joint(name, "world", name, Prismatic("x")))

    def meet(self, f: Facing, a, b, slide: str, side: str, friction) -> None:
        """A free end against the plane in which two vehicles meet."""
        law, tip = scaled(f.member.law, f.part), tuple(map(float, f.tip))
        root = (tip[0] - DRAWN, *tip[1:])
        first, other = ((n, tuple(map(float, at))) for n, at in (a, b))
        self.forces.append(
            MeetForce(f.member.name, (f.member.body, tip), first, other, slide, law, side,
                      friction, root=root)
        )  # fmt: skip

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
