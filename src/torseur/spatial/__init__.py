"""Poses, twists, wrenches, inertias, rotations: spatial algebra over any scalar."""

from .exponential import (
    exp,
    exp_quaternion,
    exp_rotation,
    log,
    log_quaternion,
    log_rotation,
    slide,
    unslide,
)
from .inertia import Inertia
from .place import WORLD, Place, pose_over
from .pose import IDENTITY, Pose
from .rates import classical_acceleration, moving_derivative, spatial_acceleration
from .rotations import (
    SEQUENCES,
    angles_to_matrix,
    angles_to_quaternion,
    axis_turn,
    continuing_angles,
    direction_cosines,
    matrix_to_angles,
    matrix_to_quaternion,
    proper,
    quaternion_product,
    quaternion_rates,
    quaternion_to_matrix,
)
from .screws import Momentum, Twist, Wrench, comoment
from .turns import General, PlaneTurn, Quarter, turn
from .vectors import HALF, NO_SCREWS, ONE3, ZERO3, axial, cross, none, six, skew, symmetric

__all__ = [
    "HALF",
    "IDENTITY",
    "NO_SCREWS",
    "ONE3",
    "SEQUENCES",
    "WORLD",
    "ZERO3",
    "General",
    "Inertia",
    "Momentum",
    "Place",
    "PlaneTurn",
    "Pose",
    "Quarter",
    "Twist",
    "Wrench",
    "angles_to_matrix",
    "angles_to_quaternion",
    "axial",
    "axis_turn",
    "classical_acceleration",
    "comoment",
    "continuing_angles",
    "cross",
    "direction_cosines",
    "exp",
    "exp_quaternion",
    "exp_rotation",
    "log",
    "log_quaternion",
    "log_rotation",
    "matrix_to_angles",
    "matrix_to_quaternion",
    "moving_derivative",
    "none",
    "pose_over",
    "proper",
    "quaternion_product",
    "quaternion_rates",
    "quaternion_to_matrix",
    "six",
    "skew",
    "slide",
    "spatial_acceleration",
    "symmetric",
    "turn",
    "unslide",
]
