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
from .rotations import (
    SEQUENCES,
    angles_to_matrix,
    axis_turn,
    direction_cosines,
    matrix_to_angles,
    matrix_to_quaternion,
    quaternion_product,
    quaternion_rates,
    quaternion_to_matrix,
)
from .screws import Momentum, Twist, Wrench, comoment
from .turns import General, PlaneTurn, Quarter, turn
from .vectors import HALF, NO_SCREWS, ONE3, ZERO3, axial, cross, six, skew, symmetric

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
    "axial",
    "axis_turn",
    "comoment",
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
    "pose_over",
    "quaternion_product",
    "quaternion_rates",
    "quaternion_to_matrix",
    "six",
    "skew",
    "slide",
    "symmetric",
    "turn",
    "unslide",
]
