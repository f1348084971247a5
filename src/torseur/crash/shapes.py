"""Default shapes of vehicles and walls, for views only."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..model import Body, Box, Cylinder
from .mass_properties import body_mass, center_of_mass, nominal_number
from .scene.vehicle import Vehicle

PAINT = (0.16, 0.38, 0.66, 1.0)
GLASS = (0.25, 0.33, 0.42, 0.75)
RUBBER = (0.13, 0.14, 0.16, 1.0)
METAL = (0.45, 0.47, 0.50, 1.0)
CONCRETE = (0.62, 0.60, 0.57, 1.0)
HONEYCOMB = (0.85, 0.70, 0.35, 0.9)


def dressed(vehicle: Vehicle) -> Vehicle:
    """The vehicle with shapes: what stays stiff behind the members of every face, and blocks for
    other bodies; as it is when any of its bodies has a shape.  Members are drawn by their line."""
    if any(b.shapes for b in vehicle.bodies):
        return vehicle
    shapes: dict[str, list] = {b.name: [] for b in vehicle.bodies}
    shapes[vehicle.main] += _car_shape(vehicle)
    for b in vehicle.bodies:
        if b.name != vehicle.main:
            shapes[b.name].append(_body_block(vehicle, b))
    return replace(
        vehicle, bodies=[replace(b, shapes=tuple(shapes[b.name])) for b in vehicle.bodies]
    )


def _members_to_draw(vehicle: Vehicle, face: str, body: str | None = None) -> float:
    """Folded length of members before the drawn parts of a vehicle or body [m]."""
    members = [m for m in vehicle.members
            if m.free and m.face == face and body in (None, m.body)]  # fmt: skip
    return max((folded_length(m.law, vehicle.nominal_parameters) for m in members), default=0.0)


def folded_length(law, parameters) -> float:
    """Crush at the last point of a curve with its gap [m], 0.3 m without a curve."""
    points: Any = getattr(law, "points", ())
    if points == ():
        return max((folded_length(x, parameters) for x in getattr(law, "laws", ())), default=0.3)
    return nominal_number(points[-1][0], parameters) + nominal_number(
        getattr(law, "gap", 0), parameters
    )


def _body_block(vehicle: Vehicle, b: Body) -> Box:
    """A body that moves before the main one: at its center of mass where it says it, else behind
    the members that end before it."""
    parameters = vehicle.nominal_parameters
    edge = 0.3 * (body_mass(b, parameters) / 150.0) ** (1 / 3)
    com = center_of_mass(b, parameters)
    if vehicle.slide(b.name) == "y":
        return Box(size=(3 * edge, 0.08, 2 * edge), at=tuple(com.tolist()), color=METAL)
    tips = [m.tip for m in vehicle.members if m.free and m.body == b.name and m.face == "front"]
    if not com.any():
        tip = max(tips, key=lambda p: p[0], default=np.array([vehicle.nose - 0.4, 0, 0]))
        back = tip[0] - _members_to_draw(vehicle, "front", b.name) - edge / 2
        com = np.array([back, 0, tip[2] + 0.1])
    elif tips:
        back = max(t[0] for t in tips) - _members_to_draw(vehicle, "front", b.name) - edge / 2
        com[0] = min(com[0], back)
    return Box(size=(edge, 2 * edge, edge), at=tuple(com.tolist()), color=METAL)


def seat(vehicle: Vehicle, m) -> np.ndarray:
    """Where the front root of a member between two bodies is, in axes of the vehicle [m].

    One that says no place is put behind the block that is drawn of its front body: moved along its
    direction it does the same.
    """
    at = np.array(m.at, dtype=float)
    if at.any() or m.axis[0] != 1:
        return at
    if m.to == vehicle.main:
        return at + (vehicle.nose - vehicle.size[0] / 2, 0, 0)
    block = _body_block(vehicle, vehicle.body(m.to))
    return at + (float(block.at[0]) - float(block.size[0]) / 2, 0, 0)


def _car_shape(vehicle: Vehicle) -> list:
    """Hull, greenhouse, hood and wheels: the parts that stay rigid behind the members."""
    length, width, height = vehicle.size
    members, nose = [m for m in vehicle.members if m.free], vehicle.nose
    low = min((float(m.tip[2]) for m in members), default=0.35) - 0.1
    front, rear, left, right = (
        _members_to_draw(vehicle, f) for f in ("front", "rear", "left", "right")
    )
    engine = min(max(0.32 * length, front + 0.3), 0.5 * length)  # before the cabin
    belt = 0.52 * (height - 0.25)  # from the sill to the windows
    tail = nose - length + min(rear, 0.2 * length)
    half_widths = [width / 2 - min(x, 0.3 * width) for x in (left, right)]
    middle, full_width = (half_widths[0] - half_widths[1]) / 2, half_widths[0] + half_widths[1]
    hull = nose - engine - tail
    glass, wheel = 0.62 * hull, 0.32

    def box(size, x, z, color):
        return Box(size=size, at=(x, middle, z), color=color)

    out: list = [
        box((hull, full_width, belt), tail + hull / 2, low + belt / 2, PAINT),
        box((glass, 0.86 * full_width, 0.44 * (height - 0.25)), tail + 0.12 * hull + glass / 2,
            low + belt + 0.22 * (height - 0.25), GLASS),
        box((0.9 * glass, 0.84 * full_width, 0.05), tail + 0.12 * hull + glass / 2,
            low + belt + 0.45 * (height - 0.25), PAINT),
    ]  # fmt: skip
    if (bonnet := engine - front) > 0.1:
        at = nose - front - bonnet / 2
        out.append(box((bonnet, full_width - 0.12, 0.05), at, low + belt, PAINT))
    if not any(float(w.mass) for w in vehicle.wheels):  # else they are bodies of their own
        hood_length = nose - max(0.8 * engine, front + wheel)
        out += [
            Cylinder(radius=wheel, length=0.2, at=(x, y, low - 0.02 + wheel / 4),
                     rpy=(np.pi / 2, 0, 0), color=RUBBER)
            for x in (nose - 0.8 * length, hood_length)
            for y in (-width / 2 + 0.06, width / 2 - 0.06)
        ]  # fmt: skip
    return out


def trolley_shapes(length: float, width: float, behind: float) -> tuple:
    """A barrier on wheels, whose face is `behind` [m] thick."""
    size = (length - behind, width, 0.5)
    chassis = Box(size=size, at=(-behind - size[0] / 2, 0, 0.45), color=CONCRETE)
    plate = Box(size=(0.1, width, 0.8), at=(-behind - 0.05, 0, 0.5), color=METAL)
    wheels = tuple(
        Cylinder(radius=0.3, length=0.2, at=(x, y, 0.2), rpy=(np.pi / 2, 0, 0), color=RUBBER)
        for x in (-behind - 0.6, 0.5 - length)
        for y in (-width / 2, width / 2)
    )
    return (chassis, plate, *wheels)


def wheel_shape(wheel) -> tuple:
    """Shape of a wheel with its own mass."""
    r = float(wheel.radius)
    return (Cylinder(radius=r, length=0.2, rpy=(np.pi / 2, 0, 0), color=RUBBER),)


def wall_body(wall, face) -> Body:
    """Body of the obstacle before a face, in its own axes (x into it)."""
    low, high = wall.covered(face)
    if hasattr(wall, "diameter"):
        r = wall.diameter / 2
        return Body(wall.name, shapes=(Cylinder(radius=r, length=2.5, at=(r, wall.y, 1.0),
                                                color=CONCRETE),))  # fmt: skip
    half = (1.0 if face.is_lateral else 1.2) * face.width
    low, high = max(low, face.middle - half), min(high, face.middle + half)
    c = float(np.cos(wall.angle))
    box = Box(size=(0.3, (high - low) / c, 1.6), at=(0.15, (low + high) / 2 / c, 0.6),
              color=CONCRETE)  # fmt: skip
    return Body(wall.name, shapes=(box,))


def cell_shape(width: float = 0.3, height: float = 0.5) -> tuple:
    return (Box(size=(0.03, width, height), at=(0, 0, 0.4), color=HONEYCOMB),)
