"""Roll and steering reports of an axle: both wheels on the ground.  SU.9, SU.10."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..joints import ComplexJoint
from ..scalars import arguments
from .assembly import mirror
from .design_table import DesignTable
from .wheel_kinematics import UP, WheelPose, check_linkage, check_sweep, check_wheel_radius

ROLL_FUNCTION = "roll_report"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RollReport(DesignTable):
    """Curves over the roll, positive with the car's left side up; `_left` and `_right` of wheels.

    `travel`, `camber` against the ground (negative: top inward), `toe` (positive: toe-in),
    `roll_steer`: mean angle of both to the left; `roll_center_height` over the ground;
    `roll_center_offset` to the left of the middle plane; `track_change`: between both contacts.
    """

    units: ClassVar = {"roll": "deg", "travel_left": "mm", "travel_right": "mm",
                       "camber_left": "deg", "camber_right": "deg", "toe_left": "deg",
                       "toe_right": "deg", "roll_steer": "deg", "roll_center_height": "mm",
                       "roll_center_offset": "mm", "track_change": "mm"}  # fmt: skip
    roll: np.ndarray
    travel_left: np.ndarray
    travel_right: np.ndarray
    camber_left: np.ndarray
    camber_right: np.ndarray
    toe_left: np.ndarray
    toe_right: np.ndarray
    roll_steer: np.ndarray
    roll_center_height: np.ndarray
    roll_center_offset: np.ndarray
    track_change: np.ndarray


def roll_report(
    linkage: ComplexJoint,
    roll: ArrayLike | str | None = None,
    wheel_radius: float | str = 0.3,
    rack: float | str = 0.0,
    heave: float | str = 0.0,
) -> RollReport:
    """Kinematics of an axle while its car rolls, both wheels on the ground.

    Parameters
    ----------
    linkage : the left suspension, a `DoubleWishbone` or `MacPherson`; the right one is its image
    roll : angles [rad], positive with the left side up, or "2 deg"; by default 4 degrees each way
    wheel_radius : loaded radius [m]
    rack : displacement [m] of the rack along y, to the left
    heave : mean travel of both wheels [m], bump positive; they differ by what the roll asks for

    Theory: SU.9.

    >>> from torseur.joints import DoubleWishbone
    >>> sedan = DoubleWishbone((-0.1, 0.47, 0.105), (-0.25, 0.51, 0.11), (-0.04, 0.695, 0.105),
    ...     (0.2, 0.42, -0.27), (-0.2, 0.47, -0.265), (0, 0.77, -0.32), (-0.2, 0.42, -0.12),
    ...     (-0.15, 0.77, -0.12), (0, 0.7979, -0.1199))
    >>> rolled = roll_report(sedan, ["2 deg"])
    >>> rolled.travel_left.round(1).tolist(), rolled.camber_right.round(2).tolist()
    ([-27.8], [1.41])
    """
    left = check_linkage(ROLL_FUNCTION, linkage, arguments.number(ROLL_FUNCTION, "rack", rack, "m"))
    right, radius = mirror(left), check_wheel_radius(ROLL_FUNCTION, wheel_radius)
    if left.point("wheel_center")[1] < 0:
        left, right = right, left
    angles = check_sweep(ROLL_FUNCTION, "roll", roll, "rad", np.radians(4))
    if (largest := float(abs(angles).max())) > 0.5:
        raise ArgumentError(
            f"{ROLL_FUNCTION}: roll: {np.degrees(largest):g} deg exceeds 0.5 rad (29 deg); "
            "write degrees as '2 deg'"
        )
    mean = arguments.number(ROLL_FUNCTION, "heave", heave, "m")
    left_wheel, right_wheel = (WheelPose(ROLL_FUNCTION, x, 0.0, radius) for x in (left, right))
    start = _contact_distance(left_wheel, right_wheel, UP)
    rows = [_roll_row(left, right, a, mean, radius, start) for a in angles.tolist()]
    return RollReport(*(np.degrees(angles), *np.array(rows).T))


def _contact_distance(one: WheelPose, two: WheelPose, n: np.ndarray) -> float:
    return float(np.linalg.norm(one.contact_point(n) - two.contact_point(n)))


def _roll_row(
    left: Any, right: Any, roll: float, mean: float, radius: float, start: float
) -> tuple[float, ...]:
    """One row of the roll report: both wheels on the inclined ground, by the secant method."""
    from scipy.optimize import newton

    n = np.array([0.0, np.sin(roll), np.cos(roll)])  # up, in axes of the car

    def wheel_poses(s: float) -> tuple[WheelPose, WheelPose]:
        one = WheelPose(ROLL_FUNCTION, left, mean - s, radius)
        return one, WheelPose(ROLL_FUNCTION, right, mean + s, radius)

    def height_difference(s: float) -> float:
        one, two = wheel_poses(s)
        return float(n @ (one.contact_point(n) - two.contact_point(n)))  # SU.9

    half = abs(left.point("wheel_center")[1])
    guess = half * np.tan(roll)
    s = float(newton(height_difference, guess, x1=1.01 * guess + 1e-5, tol=1e-14))
    one, two = wheel_poses(s)
    height, offset = _roll_center(one, two, n)
    deg, mm = np.degrees, 1e3
    left_steer, right_steer = one.steer_angle(n), two.steer_angle(n)
    return (
        mm * (mean - s),
        mm * (mean + s),
        deg(one.camber_angle(n)),
        deg(two.camber_angle(n)),
        deg(-left_steer),
        deg(right_steer),
        deg((left_steer + right_steer) / 2),
        mm * height,
        mm * offset,
        mm * (_contact_distance(one, two, n) - start),
    )


def _roll_center(one: WheelPose, two: WheelPose, n: np.ndarray) -> tuple[float, float]:
    """Height and offset [m] of the intersection of the normals to both contact velocities.

    Front view.
    """
    t = np.array([0.0, n[2], -n[1]])  # to the left, along the ground
    rows, offsets = [], []
    for wheel in (one, two):
        velocity, contact = wheel.contact_path(n), wheel.contact_point(n)
        normal = np.array([velocity @ t, velocity @ n])
        rows.append(normal)
        offsets.append(normal @ (contact @ t, contact @ n))
    try:
        y, z = np.linalg.solve(rows, offsets)
    except np.linalg.LinAlgError:
        return np.nan, np.nan
    ground = float(one.contact_point(n) @ n)
    return float(z - ground), float(y * t[1] + z * n[1])  # in car axes


STEERING_FUNCTION = "steering_report"
MIN_STEER_ANGLE = 1e-9  # [rad], smaller angles count as straight ahead


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SteeringReport(DesignTable):
    """Curves over the rack's displacement, to the left.

    `left`, `right`: angles of the wheels to the left; `camber_left`, `camber_right` (negative: top
    inward); `ackermann`: 100 where both wheels turn about one point of the rear axle's line, 0
    where they are parallel; `circle`: diameter of the outer wheel's turning circle at walking pace
    (both NaN straight ahead); `jacking`: by which the axle rises, with both travels held.
    """

    units: ClassVar = {"rack": "mm", "left": "deg", "right": "deg", "camber_left": "deg",
                       "camber_right": "deg", "ackermann": "%", "circle": "m",
                       "jacking": "mm"}  # fmt: skip
    rack: np.ndarray
    left: np.ndarray
    right: np.ndarray
    camber_left: np.ndarray
    camber_right: np.ndarray
    ackermann: np.ndarray
    circle: np.ndarray
    jacking: np.ndarray


def steering_report(
    linkage: ComplexJoint,
    wheelbase: float | str,
    rack: ArrayLike | str | None = None,
    wheel_radius: float | str = 0.3,
    travel: float | str = 0.0,
) -> SteeringReport:
    """Kinematics of a steered axle over the displacement of its rack.

    Parameters
    ----------
    linkage : the left suspension, a `DoubleWishbone` or `MacPherson`; the right one is its image
    wheelbase : to the rear axle [m]
    rack : displacements [m] to the left; by default 60 mm each way
    wheel_radius : loaded radius [m]
    travel : of both wheels [m], bump positive

    Theory: SU.10.

    >>> from torseur.joints import DoubleWishbone
    >>> sedan = DoubleWishbone((-0.1, 0.47, 0.105), (-0.25, 0.51, 0.11), (-0.04, 0.695, 0.105),
    ...     (0.2, 0.42, -0.27), (-0.2, 0.47, -0.265), (0, 0.77, -0.32), (-0.2, 0.42, -0.12),
    ...     (-0.15, 0.77, -0.12), (0, 0.7979, -0.1199))
    >>> steered = steering_report(sedan, 2.7, ["-40 mm"])
    >>> steered.left.round(2).tolist(), steered.right.round(2).tolist()
    ([16.78], [17.28])
    """
    left = check_linkage(STEERING_FUNCTION, linkage)
    if arguments.number(STEERING_FUNCTION, "the linkage's rack", float(left.rack)):
        raise ArgumentError(
            f"{STEERING_FUNCTION}: this linkage has a rack displaced already; give rack= here"
        )
    base = arguments.number(STEERING_FUNCTION, "wheelbase", wheelbase, "m", above=0)
    radius = check_wheel_radius(STEERING_FUNCTION, wheel_radius)
    s = arguments.number(STEERING_FUNCTION, "travel", travel, "m")
    racks = check_sweep(STEERING_FUNCTION, "rack", rack, "m", 0.06)
    if left.point("wheel_center")[1] < 0:
        left = mirror(left)
    level = WheelPose(STEERING_FUNCTION, left, s, radius).contact_point()[2]
    rows = [_steering_row(left, r, s, radius, base, level) for r in racks.tolist()]
    return SteeringReport(1e3 * racks, *np.array(rows).T)


def _steering_row(
    left: Any, rack: float, s: float, radius: float, base: float, level: float
) -> tuple[float, ...]:
    """One row of the steering report at a displacement of the rack [m]."""
    sides = (left, mirror(left))
    one, two = (
        WheelPose(STEERING_FUNCTION, check_linkage(STEERING_FUNCTION, x, rack), s, radius)
        for x in sides
    )
    a, b = one.steer_angle(), two.steer_angle()
    low = (one.contact_point()[2] + two.contact_point()[2]) / 2
    track = abs(one.contact_point()[1] - two.contact_point()[1])
    deg = np.degrees
    ackermann, circle = _ackermann_and_circle(a, b, track, base)
    camber = deg(one.camber_angle()), deg(two.camber_angle())
    return (deg(a), deg(b), *camber, ackermann, circle, 1e3 * (level - low))


def _ackermann_and_circle(a: float, b: float, track: float, base: float) -> tuple[float, float]:
    """Ackermann percentage [%] and diameter of the outer turning circle [m].  SU.10"""
    inner, outer = (a, b) if a + b > 0 else (-b, -a)
    if inner <= MIN_STEER_ANGLE or outer <= MIN_STEER_ANGLE:
        return np.nan, np.nan
    ackermann_angle = np.arctan2(1.0, 1 / np.tan(inner) + track / base)  # of the outer wheel  SU.10
    return 100 * (inner - outer) / (inner - ackermann_angle), 2 * base / np.sin(outer)
