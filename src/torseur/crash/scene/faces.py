"""Faces of a vehicle (front, left, rear, right) and the free member ends on them.  CV.4, CV.9"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...errors import ModelError
from ...model import Frame
from .members import AXES, FACES, Member
from .vehicle import Vehicle

ANGLES = dict(zip(FACES, (0.0, np.pi / 2, np.pi, -np.pi / 2), strict=True))
FACE_LABELS = {"left": "side", "right": "side"}


@dataclass(frozen=True, slots=True, eq=False)
class Facing:
    """A member that faces the obstacle: with how much of its law, and where it presses."""

    member: Member
    part: float
    tip: np.ndarray  # in axes of the face
    at: np.ndarray  # in axes of the vehicle


@dataclass(frozen=True, slots=True, eq=False)
class Face:
    """A face of a vehicle.  Its axes are the vehicle's, rotated about z so that x points outward.


    >>> from ...model import Body
    >>> car = Vehicle("car", [Body("car", mass=900.0)], size=(4.0, 1.8, 1.5))
    >>> left = Face(car, "left")
    >>> left.width, left.plane, left.middle                  # its length; the nose is at x = 0
    (4.0, 0.9, 2.0)
    """

    vehicle: Vehicle
    name: str = "front"

    @property
    def normal(self) -> tuple[int, int]:
        """Outward, in axes of the vehicle (x, y)."""
        return FACES[self.name]

    @property
    def angle(self) -> float:
        """Rotation of its axes from the vehicle's [rad]."""
        return ANGLES[self.name]

    @property
    def is_lateral(self) -> bool:
        """Whether it is the left or right face."""
        return bool(self.normal[1])

    def to_face_axes(self, p) -> np.ndarray:
        """A point of the vehicle in axes of the face."""
        (c, s), (x, y, z) = self.normal, (float(e) for e in p)
        return np.array([c * x + s * y, c * y - s * x, z])

    def to_vehicle_axes(self, p) -> np.ndarray:
        """A point in axes of the face in those of the vehicle."""
        (c, s), (x, y, z) = self.normal, (float(e) for e in p)
        return np.array([c * x - s * y, s * x + c * y, z])

    @property
    def free_ends(self) -> list[Member]:
        """Free ends that point out of it."""
        return [m for m in self.vehicle.members if m.free and m.face == self.name]

    @property
    def width(self) -> float:
        """From one of its ends to the other [m]."""
        return self.vehicle.size[0 if self.is_lateral else 1]

    @property
    def middle(self) -> float:
        """Lateral position of its middle in its own axes [m]."""
        return float(self.to_face_axes((self.vehicle.nose - self.vehicle.size[0] / 2, 0, 0))[1])

    @property
    def plane(self) -> float:
        """How far it is ahead of the vehicle's origin, where it is rigid [m].  CV.9"""
        length, width, _ = self.vehicle.size
        if self.is_lateral:
            return width / 2
        return 0.0 if self.name == "front" else length - self.vehicle.nose

    def facing(self, covered, name: str) -> list[Facing]:
        """Free ends that stand before something that covers ... to ... across it.  CV.4"""
        low, high = covered
        out, free = [], self.free_ends
        flat = not self.is_lateral and not any(m.tip[1] or float(m.width) for m in free)
        for m in free:
            tip, half = self.to_face_axes(m.tip), (self.width if flat else float(m.width)) / 2
            if half == 0 or (low == -np.inf and high == np.inf):
                if low <= tip[1] <= high:
                    out.append(Facing(m, 1.0, tip, m.tip))
                continue
            left, right = max(low, tip[1] - half), min(high, tip[1] + half)
            if right > left:
                at = np.array([tip[0], (left + right) / 2, tip[2]])
                out.append(Facing(m, (right - left) / (2 * half), at, self.to_vehicle_axes(at)))
        if not out:
            raise ModelError([self._missing_message(covered, name)])
        return out

    def _missing_message(self, covered, name) -> str:
        """The sentence about an obstacle that no free end stands before."""
        axis, i = ("x", 0) if self.is_lateral else ("y", 1)
        listed = ", ".join(f"{m.name} at {axis} = {m.tip[i]:g} m" for m in self.free_ends)
        sign = -self.normal[1] if self.is_lateral else self.normal[0]
        low, high = sorted(sign * x for x in covered)
        points = next(n for n, axis in AXES.items() if axis[:2] == self.normal)
        remedy = (
            "give members a width, or change overlap, side or place of what it meets"
            if listed
            else f"give it members with direction: {points!r}"
        )
        return (
            f"vehicle {self.vehicle.name!r}: no free end of its {self.name} meets {name!r}, which "
            f"covers {axis} from {low:.4g} to {high:.4g} m (free ends there: {listed or 'none'}); "
            f"{remedy}"
        )

    def frame(self, parts) -> str:
        """The name of its axes in a scene: the main body's, or those of a frame on it."""
        if not self.angle:
            return self.vehicle.main
        name = f"{self.vehicle.main}_{FACE_LABELS.get(self.name, self.name)}"
        if not any(f.name == name for f in parts.frames):
            parts.frames.append(Frame(name, self.vehicle.main, (0, 0, 0), (0, 0, self.angle)))
        return name


def find_facing(x: Face, other: Face, shift: float, heading: float) -> list[Facing]:
    """Free ends of a face that stand before another one."""
    if not x.free_ends:
        return []
    half, c = other.width / 2, np.cos(heading)
    full_overlap = not shift and other.width >= x.width
    covered = x.middle + np.array([shift - half, shift + half]) / c
    return x.facing(
        (-np.inf, np.inf) if full_overlap else tuple(covered.tolist()), other.vehicle.name
    )


LIMITS = np.radians((75.0, 135.0))  # angles from which the other is struck on its side, its rear
STRUCK = ("front", "side", "rear", "left", "right")


def struck_face(heading: float, face: str | None = None) -> str:
    """Which face of the other vehicle is struck at an angle, unless it is said.

    >>> struck_face(0.3), struck_face(-np.pi / 2), struck_face(np.pi)
    ('front', 'left', 'rear')
    """
    wrapped = abs((heading + np.pi) % (2 * np.pi) - np.pi)
    name: Any = face or ("front", "side", "rear")[int(np.searchsorted(LIMITS, wrapped - 1e-12))]
    return name if name != "side" else "right" if np.sin(heading) > 0 else "left"
