"""Motion of frames, Jacobians, partial velocities; one text for every scalar."""

from .assembly import nearest_assembly
from .motion import (
    Velocity,
    acceleration,
    accelerations,
    jacobian,
    jacobian_rate,
    outward,
    point_motion,
    pose,
    poses,
    velocities,
    velocity,
    world_twist,
)
from .quantities import difference, integrate, lagrange_screws, rates, speeds_from, twists

__all__ = [
    "Velocity",
    "acceleration",
    "accelerations",
    "difference",
    "integrate",
    "jacobian",
    "jacobian_rate",
    "lagrange_screws",
    "nearest_assembly",
    "outward",
    "point_motion",
    "pose",
    "poses",
    "rates",
    "speeds_from",
    "twists",
    "velocities",
    "velocity",
    "world_twist",
]
