from .exponential import (
    exp as exp,
    exp_quaternion as exp_quaternion,
    exp_rotation as exp_rotation,
    log as log,
    log_quaternion as log_quaternion,
    log_rotation as log_rotation,
    slide as slide,
    unslide as unslide,
)
from .fixed_frame import WORLD as WORLD, FixedFrame as FixedFrame, evaluate_pose as evaluate_pose
from .inertia import Inertia as Inertia
from .moving_frames import (
    classical_acceleration as classical_acceleration,
    moving_derivative as moving_derivative,
    spatial_acceleration as spatial_acceleration,
)
from .pose import IDENTITY as IDENTITY, Pose as Pose
from .rotation_types import (
    GeneralRotation as GeneralRotation,
    PlanarRotation as PlanarRotation,
    RightAngleRotation as RightAngleRotation,
    turn as turn,
)
from .rotations import (
    SEQUENCES as SEQUENCES,
    angles_to_matrix as angles_to_matrix,
    angles_to_quaternion as angles_to_quaternion,
    axis_rotation as axis_rotation,
    continue_angles as continue_angles,
    direction_cosines as direction_cosines,
    is_rotation as is_rotation,
    matrix_to_angles as matrix_to_angles,
    matrix_to_quaternion as matrix_to_quaternion,
    quaternion_product as quaternion_product,
    quaternion_products as quaternion_products,
    quaternion_rates as quaternion_rates,
    quaternion_to_matrix as quaternion_to_matrix,
    rotation_matrices as rotation_matrices,
)
from .screws import Momentum as Momentum, Twist as Twist, Wrench as Wrench, comoment as comoment
from .vectors import (
    HALF as HALF,
    NO_SCREWS as NO_SCREWS,
    ONE3 as ONE3,
    ZERO3 as ZERO3,
    axial as axial,
    cross as cross,
    none as none,
    six as six,
    skew as skew,
    symmetric as symmetric,
)

__all__ = [
    "SEQUENCES",
    "Inertia",
    "Momentum",
    "Pose",
    "Twist",
    "Wrench",
    "exp_rotation",
    "log_rotation",
    "matrix_to_angles",
    "matrix_to_quaternion",
    "quaternion_product",
    "quaternion_rates",
    "quaternion_to_matrix",
]
