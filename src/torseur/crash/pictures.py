"""Shapes for vehicles that bring none, and for walls: for the viewer only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model import Body, Box, Cylinder
from .lumps import mass_of
from .vehicle import Vehicle

PAINT = (0.16, 0.38, 0.66, 1.0)
GLASS = (0.25, 0.33, 0.42, 0.75)
RUBBER = (0.13, 0.14, 0.16, 1.0)
METAL = (0.45, 0.47, 0.50, 1.0)
CONCRETE = (0.62, 0.60, 0.57, 1.0)
HONEYCOMB = (0.85, 0.70, 0.35, 0.9)


def dressed(vehicle: Vehicle) -> Vehicle:
    """The vehicle with shapes: a cabin and a bonnet, blocks for what moves in front of it; as it is
    when any of its bodies has a shape.  Members are drawn by their line of action."""
    if any(b.shapes for b in vehicle.bodies):
        return vehicle
    length, width, height = vehicle.size
    ends, nose = [m for m in vehicle.members if m.free], vehicle.nose
    low = min((float(m.tip[2]) for m in ends), default=0.35) - 0.1
    engine = 0.32 * length  # of a car's length is before its cabin
    shapes: dict[str, list] = {b.name: [] for b in vehicle.bodies}
    own = any(float(w.mass) for w in vehicle.wheels)  # wheels that are bodies of their own
    shapes[vehicle.main] += _car(length, width, height, nose, low, engine)[: 4 if own else None]
    others = [b for b in vehicle.bodies if b.name != vehicle.main]
    for k, b in enumerate(sorted(others, key=lambda b: -mass_of(b, vehicle.known))):
        edge = 0.3 * (mass_of(b, vehicle.known) / 150.0) ** (1 / 3)
        at = (nose - 0.75 + 0.5 * k, 0, low + 0.2)
        shapes[b.name].append(Box(size=(edge, 2 * edge, edge), at=at, color=METAL))
    return replace(
        vehicle, bodies=[replace(b, shapes=tuple(shapes[b.name])) for b in vehicle.bodies]
    )


def _car(length, width, height, nose, low, engine) -> list:
    """Hull, greenhouse, bonnet and wheels: what stays stiff behind the crumple zone."""
    belt = 0.52 * (height - 0.25)  # from the sill to the windows
    tail = nose - length
    hull = length - engine
    glass = 0.62 * hull
    wheel = 0.32

    def box(size, x, z, color):
        return Box(size=size, at=(x, 0, z), color=color)

    return [
        box((hull, width, belt), tail + hull / 2, low + belt / 2, PAINT),
        box((glass, 0.86 * width, 0.44 * (height - 0.25)), tail + 0.12 * hull + glass / 2,
            low + belt + 0.22 * (height - 0.25), GLASS),
        box((0.9 * glass, 0.84 * width, 0.05), tail + 0.12 * hull + glass / 2,
            low + belt + 0.45 * (height - 0.25), PAINT),
        box((engine - 0.25, width - 0.12, 0.05), nose - (engine + 0.25) / 2, low + belt, PAINT),
        *(
            Cylinder(radius=wheel, length=0.2, at=(x, y, low - 0.02 + wheel / 4),
                     rpy=(np.pi / 2, 0, 0), color=RUBBER)
            for x in (tail + 0.2 * length, nose - 0.8 * engine)
            for y in (-width / 2 + 0.06, width / 2 - 0.06)
        ),
    ]  # fmt: skip


def wheel_shape(wheel) -> tuple:
    """A wheel with a mass of its own."""
    x, y, z = map(float, wheel.at)
    r = float(wheel.radius)
    return (Cylinder(radius=r, length=0.2, at=(x, y, z + r), rpy=(np.pi / 2, 0, 0), color=RUBBER),)


def wall_body(wall, face) -> Body:
    """What stands in the way of a face, in its own axes (x into it)."""
    low, high = wall.covered(face)
    if hasattr(wall, "diameter"):
        r = wall.diameter / 2
        return Body(wall.name, shapes=(Cylinder(radius=r, length=2.5, at=(r, wall.y, 1.0),
                                                color=CONCRETE),))  # fmt: skip
    half = (1.0 if face.across else 1.2) * face.width
    low, high = max(low, face.middle - half), min(high, face.middle + half)
    c = float(np.cos(wall.angle))
    box = Box(size=(0.3, (high - low) / c, 1.6), at=(0.15, (low + high) / 2 / c, 0.6),
              color=CONCRETE)  # fmt: skip
    return Body(wall.name, shapes=(box,))


def cell_shape(width: float = 0.3, height: float = 0.5) -> tuple:
    return (Box(size=(0.03, width, height), at=(0, 0, 0.4), color=HONEYCOMB),)
