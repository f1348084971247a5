"""Shapes for vehicles that bring none, and for walls: for the viewer only."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..model import Body, Box, Cylinder
from .lumps import mass_of
from .vehicle import Vehicle

PAINT = (0.20, 0.42, 0.72, 0.55)
METAL = (0.45, 0.47, 0.50, 1.0)
CONCRETE = (0.62, 0.60, 0.57, 1.0)
HONEYCOMB = (0.85, 0.70, 0.35, 0.9)


def dressed(vehicle: Vehicle) -> Vehicle:
    """The vehicle with shapes: a cabin and a bonnet, blocks for what moves in front of it; as it is
    when any of its bodies has a shape.  Members are drawn by their line of action."""
    if any(b.shapes for b in vehicle.bodies):
        return vehicle
    length, width, height = vehicle.size
    ends = [m for m in vehicle.members if m.free]
    nose = max((float(m.tip[0]) for m in ends), default=0.0)
    low = min((float(m.tip[2]) for m in ends), default=0.35) - 0.1
    engine = 0.32 * length  # of a car's length is before its cabin
    shapes: dict[str, list] = {b.name: [] for b in vehicle.bodies}
    cabin = Box(
        size=(length - engine, width, height - 0.25),
        at=(nose - (length + engine) / 2, 0, low + (height - 0.25) / 2),
        color=PAINT,
    )
    bonnet = Box(
        size=(engine - 0.25, width - 0.1, 0.06),
        at=(nose - (engine + 0.25) / 2, 0, low + 0.5),
        color=PAINT,
    )
    shapes[vehicle.main] += [cabin, bonnet]
    others = [b for b in vehicle.bodies if b.name != vehicle.main]
    for k, b in enumerate(sorted(others, key=lambda b: -mass_of(b))):
        edge = 0.3 * (mass_of(b) / 150.0) ** (1 / 3)
        at = (nose - 0.75 + 0.5 * k, 0, low + 0.2)
        shapes[b.name].append(Box(size=(edge, 2 * edge, edge), at=at, color=METAL))
    return replace(
        vehicle, bodies=[replace(b, shapes=tuple(shapes[b.name])) for b in vehicle.bodies]
    )


def wall_body(wall, vehicle: Vehicle) -> Body:
    """What stands in the way, in its own axes (x into it)."""
    low, high = wall.covered(vehicle)
    if hasattr(wall, "diameter"):
        r = wall.diameter / 2
        return Body(wall.name, shapes=(Cylinder(radius=r, length=2.5, at=(r, wall.y, 1.0),
                                                color=CONCRETE),))  # fmt: skip
    half = 1.2 * vehicle.width
    low, high = max(low, -half), min(high, half)
    c = float(np.cos(wall.angle))
    box = Box(size=(0.3, (high - low) / c, 1.6), at=(0.15, (low + high) / 2 / c, 0.6),
              color=CONCRETE)  # fmt: skip
    return Body(wall.name, shapes=(box,))


def cell_shape(width: float = 0.3, height: float = 0.5) -> tuple:
    return (Box(size=(0.03, width, height), at=(0, 0, 0.4), color=HONEYCOMB),)
