# ruff: noqa: RUF009  (`quantity` makes a field, as `dataclasses.field` does)
"""Obstacles: rigid walls, poles, deformable faces, moving barriers.

A wall stands across the path at x = 0 of its own axes, with its normal towards the vehicle.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...errors import ModelError, shown
from ...forces import Crush
from ...model import Body, description
from ..criteria.metric_value import positive, read_fraction, read_quantity
from ..shapes import trolley_shapes
from .members import Member, Wheel
from .vehicle import Vehicle

quantity = description.quantity
SIDE_SIGNS = {"left": 1, "right": -1}
LOW = 0.5  # how far under its center of mass a trolley stands [m]: a placeholder
TIRE = 2e5  # of a trolley without springs [N/m]: a placeholder


def placed(who: str, face, x: float | None, y: float = 0.0) -> float:
    """Lateral position of an obstacle before a face [m], from x along or y across the vehicle."""
    if not face.is_lateral:
        if x is not None:
            raise ModelError([f"{who}: x is a place along the vehicle, for its sides; "
                              f"its {face.name} is struck: give y"])  # fmt: skip
        return float(face.to_face_axes((0, y, 0))[1])
    if y:
        raise ModelError([f"{who}: y is a place across the vehicle; its {face.name} side is "
                          "struck: give x, a place along it"])  # fmt: skip
    return face.middle if x is None else float(face.to_face_axes((x, 0, 0))[1])


@dataclass(frozen=True, slots=True, eq=False)
class Wall:
    """A rigid wall, fixed to the ground.

    Parameters
    ----------
    angle : between the wall's normal and the way of the vehicle [rad], or a text such as "30 deg";
        positive when the wall's left end (of the driver) is nearer
    overlap : the part of the vehicle's width that meets it (1, 0.4 or "40 %"); of its length where
        a side is struck
    side : the side of the vehicle that does: "left" or "right", of who looks out of the face that
        is struck
    friction : Coulomb's coefficient along the wall, or "stick": ends hold where they touch
    name : of the wall in signals

    >>> Wall(angle="30 deg", overlap="40 %").overlap
    0.4
    """

    angle: Any = quantity(0.0, "rad")
    overlap: Any = quantity(1.0, "")
    side: str = "left"
    friction: Any = quantity(0.0, "")
    name: str = "wall"
    words: ClassVar = {"friction": ("stick",)}

    def __post_init__(self):
        who = f"wall {self.name!r}"
        object.__setattr__(self, "angle", read_quantity(who, "angle", self.angle, "rad"))
        if abs(self.angle) >= np.pi / 2:
            meant = f"; write '{self.angle:g} deg' for degrees" if self.angle >= 2 else ""
            message = f"{np.degrees(self.angle):g} deg never meets a car{meant}"
            raise ModelError([f"{who}: angle: {message}"])
        object.__setattr__(self, "overlap", read_fraction(who, "overlap", self.overlap))
        if self.side not in tuple(SIDE_SIGNS):
            raise ModelError([f"{who}: side={shown(self.side)}: expected 'left' or 'right'"])
        if self.friction != "stick":
            mu = read_quantity(who, "friction", self.friction, "")
            if mu < 0:
                raise ModelError([f"{who}: friction: expected zero or more, got {mu:g}"])
            object.__setattr__(self, "friction", mu)

    @property
    def normal(self) -> tuple[float, float, float]:
        """Towards the vehicle, in its axes."""
        return (-float(np.cos(self.angle)), -float(np.sin(self.angle)), 0.0)

    def covered(self, face) -> tuple[float, float]:
        """Interval of a face that the obstacle covers [m], along y of the face."""
        if self.overlap == 1:
            return (-np.inf, np.inf)
        half, s = face.width / 2, SIDE_SIGNS[self.side]
        edge = face.middle + s * (half - self.overlap * face.width)
        return (edge, np.inf) if s > 0 else (-np.inf, edge)

    def depth(self, y: float) -> float:
        """Distance of the wall behind its front at lateral position y [m]."""
        return 0.0


@dataclass(frozen=True, slots=True, eq=False)
class Pole:
    """A rigid pole: `diameter` [m], at the place `y` across the vehicle [m] (left is positive).

    Where a side is struck, it stands at the place `x` along the vehicle instead; at the middle of
    its length unless said.

    >>> Pole(diameter=0.25).covered(None)
    (-0.125, 0.125)
    """

    diameter: Any = quantity(0.254, "m")  # 10 in: UN R135, Euro NCAP
    y: Any = quantity(0.0, "m")
    friction: Any = quantity(0.0, "")
    name: str = "pole"
    x: Any = quantity(None, "m")
    normal = (-1.0, 0.0, 0.0)
    angle = 0.0

    def __post_init__(self):
        for n in ("diameter", "y", *(["x"] if self.x is not None else [])):
            x = read_quantity(f"pole {self.name!r}", n, getattr(self, n), "m")
            object.__setattr__(self, n, x)
        if self.diameter <= 0:
            raise ModelError([f"pole {self.name!r}: diameter: {self.diameter:g} m; use more"])
        mu = read_quantity(f"pole {self.name!r}", "friction", self.friction, "")
        if mu < 0:
            raise ModelError([f"pole {self.name!r}: friction: expected 0 or more, got {mu:g}"])
        object.__setattr__(self, "friction", mu)

    def before(self, face) -> Pole:
        """The same pole, with `y` in axes of the face that it stands before."""
        return replace(self, y=placed(f"pole {self.name!r}", face, self.x, self.y), x=None)

    def covered(self, face) -> tuple[float, float]:
        r = self.diameter / 2
        return (self.y - r, self.y + r)

    def depth(self, y: float) -> float:
        r = self.diameter / 2
        return float(r - np.sqrt(max(r * r - (y - self.y) ** 2, 0.0)))


@dataclass(frozen=True, slots=True, eq=False)
class DeformableFace:
    """Honeycomb before a wall or on a barrier: it crushes at a plateau, then bottoms out.

    Parameters
    ----------
    pressure : of the plateau [Pa]; or pairs (crush [m], pressure [Pa]) that start with none
    thickness : how far it crushes [m]
    height : of the face [m]; its width is that of the overlap, at most `width` [m]
    mass : of the honeycomb [kg], shared by its cells
    wall : what stands behind it, which also says angle, overlap, side and friction
    """

    pressure: Any = quantity(0.342e6, "Pa")  # UN R94 annex 9, main block
    thickness: Any = quantity(0.45, "m")
    width: Any = quantity(1.0, "m")
    height: Any = quantity(0.65, "m")
    mass: Any = quantity(30.0, "kg")  # a placeholder
    wall: Wall = field(default_factory=lambda: Wall(overlap=0.4))
    tables: ClassVar = {"pressure": "m, Pa"}

    def __post_init__(self):
        who = "deformable face"
        description.convert_fields_to_si(self)
        positive(who, thickness=self.thickness, width=self.width, height=self.height,
                 mass=self.mass)  # fmt: skip
        if np.ndim(self.pressure) == 0:
            positive(who, pressure=self.pressure)
        else:
            self._table(who)
        if not isinstance(self.wall, Wall):
            raise ModelError([f"{who}: wall: expected ts.crash.Wall(...), got {shown(self.wall)}"])
        if self.wall.friction == "stick":
            raise ModelError([f"{who}: friction: 'stick' is for rigid walls; give a coefficient"])

    def _table(self, who):
        """Pairs of crush and pressure for a law.  Raises an error for anything else."""
        try:
            rows = np.asarray(self.pressure, dtype=float)
        except (TypeError, ValueError):
            rows = np.empty(0)
        fine = rows.ndim == 2 and rows.shape[1:] == (2,) and len(rows) > 1
        if not (fine and np.isfinite(rows).all() and not rows[0].any()
                and (np.diff(rows[:, 0]) > 0).all() and (rows[1:, 1] > 0).all()):  # fmt: skip
            raise ModelError([f"{who}: pressure: expected pairs (crush [m], pressure [Pa]) from "
                              "(0, 0) on, of growing crush and pressures above zero, got "
                              f"{shown(self.pressure)}"])  # fmt: skip

    def law(self, area: float) -> Crush:
        """Force against crush of a part of the face of an area [m2]."""
        if np.ndim(self.pressure):
            points = [(float(d), float(p) * area) for d, p in self.pressure]
        else:
            F = float(self.pressure) * area
            points = [(0.0, 0.0), (0.01 * float(self.thickness), F), (float(self.thickness), F)]
        d, F = points[-1]
        points.append((1.02 * d, 12 * F))  # bottomed out
        steepest = max((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points))
        return Crush(tuple(points), 2 * steepest, beyond=steepest)


@dataclass(frozen=True, slots=True, eq=False)
class MovingBarrier:
    """A trolley with a deformable face: `mass` [kg], `inertia` about its vertical axis [kg m2].

    Euro NCAP's mobile progressive deformable barrier weighs 1400 kg and comes at 50 km/h.  With
    `face=None` it is a rigid wall on wheels, over the full width; `friction` is along it.  Where a
    side is struck, its middle comes at the place `x` along the vehicle [m] (at the middle of its
    length unless said), and the overlap is that.  Its center of mass is as high as the ends that it
    meets are in the mean (a placeholder); it stands on wheels where the vehicle does.

    >>> MovingBarrier(mass=1814, face=None, speed=0.0).wall.overlap
    1.0
    """

    mass: Any = quantity(1400.0, "kg")
    inertia: Any = quantity(2600.0, "kg m^2")  # a placeholder
    face: DeformableFace | None = field(
        default_factory=lambda: DeformableFace(
            # progressive: a placeholder between the two pressures of the PDB's blocks
            pressure=((0.0, 0.0), (0.01, 0.34e6), (0.25, 0.34e6), (0.7, 1.7e6)),
            thickness=0.7,
            wall=Wall(overlap=0.5),
        )
    )
    speed: Any = quantity("50 km/h", "m/s")
    width: Any = quantity(1.7, "m")
    friction: Any = quantity(0.0, "")
    name: str = "trolley"
    x: Any = quantity(None, "m")

    def __post_init__(self):
        who = f"barrier {self.name!r}"
        description.convert_fields_to_si(self)
        if self.x is not None:
            object.__setattr__(self, "x", read_quantity(who, "x", self.x, "m"))
        positive(who, mass=self.mass, inertia=self.inertia, width=self.width)
        object.__setattr__(self, "speed", read_quantity(who, "speed", self.speed, "m/s"))
        if not isinstance(self.face, DeformableFace | None):
            rule = "expected ts.crash.DeformableFace(...) or None"
            raise ModelError([f"{who}: face: {rule}, got {shown(self.face)}"])
        mu = read_quantity(who, "friction", self.friction, "")
        if self.face is not None and mu:
            raise ModelError([f"{who}: friction: the wall of its face says it; here it is for "
                              "face=None"])  # fmt: skip
        object.__setattr__(self, "friction", self.wall.friction if self.face is None else 0.0)
        if self.wall.angle:
            rule = "the face of a trolley looks where it drives; two vehicles meet at an angle"
            raise ModelError([f"{who}: angle: {rule}: collide(car, other, speeds, angle=)"])

    @property
    def wall(self) -> Wall:
        """Rigid wall behind the face, with its angle, overlap, side and friction."""
        return Wall(friction=self.friction) if self.face is None else self.face.wall

    def vehicle(self, stations, height: float = 0.0, wheels_carry: bool = False) -> Vehicle:
        """The barrier as a vehicle whose members are parts of its face at (y, z, width), its center
        of mass at a height [m]; on wheels where something must carry its weight."""
        face = self.face
        members = [
            Member(
                f"face{i}", self.name, (0.0, y, z), law=face.law(w * float(face.height)), width=w
            )
            for i, (y, z, w) in enumerate(stations, 1)
            if face is not None
        ]
        thick = 0.0 if face is None else float(face.thickness)
        shapes = trolley_shapes(4.0, float(self.width), thick)
        body = Body(self.name, float(self.mass), (-2.0, 0, height),
                    (float(self.inertia),) * 3 + (0, 0, 0), shapes=shapes)  # fmt: skip
        track = float(self.width) / 2
        corners = [(x, y) for x in (-0.8, -3.2) for y in (track, -track)]
        wheels = [
            Wheel(f"{self.name}_wheel{i}", (x, y, height - LOW), TIRE)
            for i, (x, y) in enumerate(corners, 1)
            if wheels_carry
        ]
        return Vehicle(self.name, (body,), members, size=(4.0, float(self.width), 1.0),
                       wheels=wheels)  # fmt: skip
