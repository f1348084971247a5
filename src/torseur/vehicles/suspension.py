"""Kinematics report of a suspension over the wheel travel.  SU.1 to SU.7.

Axes: x forward, y left, z up.  Angles are in degrees, as is usual for suspensions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, shown
from ..joints import ComplexJoint
from ..scalars import arguments
from .design_table import DesignTable
from .wheel_kinematics import WheelPose, check_linkage, check_sweep, check_wheel_radius

UNITS = {
    "travel": "mm",
    "camber": "deg",
    "toe": "deg",
    "caster": "deg",
    "kingpin": "deg",
    "track_change": "mm",
    "recession": "mm",
    "contact_change": "mm",
    "scrub_radius": "mm",
    "trail": "mm",
    "roll_center": "mm",
    "anti_dive_angle": "deg",
    "motion_ratio": "1",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SuspensionReport(DesignTable):
    """Curves over the travel; every array has the length of `travel`.  Units in `UNITS`.

    `camber` negative: top inward; `toe` positive: toe-in; `track_change`, `recession`: outward and
    rearward motion of the wheel center; `contact_change`: outward motion of the contact point;
    `scrub_radius`, `trail`: contact outside of and behind the steering axis on the ground;
    `roll_center`: height over the ground; `anti_dive_angle`: of the contact's path, brakes on the
    knuckle; `motion_ratio`: spring compression per wheel travel (NaN without a spring).
    """

    units: ClassVar = UNITS
    travel: np.ndarray
    camber: np.ndarray
    toe: np.ndarray
    caster: np.ndarray
    kingpin: np.ndarray
    track_change: np.ndarray
    recession: np.ndarray
    contact_change: np.ndarray
    scrub_radius: np.ndarray
    trail: np.ndarray
    roll_center: np.ndarray
    anti_dive_angle: np.ndarray
    motion_ratio: np.ndarray
    slopes: tuple[float, ...] = field(default=(), repr=False)

    def gradients(self) -> dict[str, float]:
        """Gradients at the design position, in deg or mm per 100 mm of bump.  SU.7

        They do not depend on the travels of the report.
        """
        return dict(zip(list(UNITS)[1:], self.slopes, strict=True))


def suspension_report(
    linkage: ComplexJoint,
    travel: ArrayLike | str | None = None,
    wheel_radius: float | str = 0.3,
    rack: float | str = 0.0,
    spring: tuple[str, Any, Any] | None = None,
) -> SuspensionReport:
    """Kinematics of a wheel suspension over its travel.

    Parameters
    ----------
    linkage : a `DoubleWishbone` or `MacPherson` joint
    travel : wheel travels [m], bump positive; by default 80 mm each way
    wheel_radius : loaded radius [m]
    rack : displacement [m] of the tie rod's inner end along y
    spring : (carrier, point on it, point on the chassis): the carrier is "lower_arm",
        "upper_arm" or "knuckle", points in chassis axes at the design position [m]

    >>> from torseur.joints import DoubleWishbone
    >>> sedan = DoubleWishbone((-0.1, 0.47, 0.105), (-0.25, 0.51, 0.11), (-0.04, 0.695, 0.105),
    ...     (0.2, 0.42, -0.27), (-0.2, 0.47, -0.265), (0, 0.77, -0.32), (-0.2, 0.42, -0.12),
    ...     (-0.15, 0.77, -0.12), (0, 0.7979, -0.1199))
    >>> suspension_report(sedan, [0.04]).camber.round(4).tolist()
    [-0.8755]
    """
    linkage = check_linkage(FUNCTION, linkage, arguments.number(FUNCTION, "rack", rack, "m"))
    radius = check_wheel_radius(FUNCTION, wheel_radius)
    travels = check_sweep(FUNCTION, "travel", travel, "m", 0.08)
    checked_spring = None if spring is None else check_spring(FUNCTION, linkage, spring)
    rows = [_report_row(linkage, float(s), radius, checked_spring) for s in travels]
    neighbors = [
        np.array(_report_row(linkage, s * TRAVEL_STEP, radius, checked_spring))
        for s in (-2, -1, 1, 2)
    ]
    # SU.7
    gradients = (8 * (neighbors[2] - neighbors[1]) - (neighbors[3] - neighbors[0])) / (
        12 * 1e3 * TRAVEL_STEP
    )
    columns: Any = np.array(rows).reshape(len(travels), -1).T
    values: list[Any] = [1e3 * travels, *columns, tuple((100 * gradients).tolist())]
    return SuspensionReport(*values)


FUNCTION = "suspension_report"
TRAVEL_STEP = 5e-4  # [m], step of central differences of fourth order


def _report_row(linkage, s, radius, spring):
    wheel = WheelPose(FUNCTION, linkage, s, radius)
    side, p, contact, path = wheel.side, wheel.p, wheel.contact_point(), wheel.contact_path()
    low, k = wheel.kingpin_axis
    caster, kingpin = np.arctan2(-k[0], k[2]), np.arctan2(-side * k[1], k[2])  # SU.2
    ground = low + k * (contact[2] - low[2]) / k[2]
    scrub, trail = side * (contact[1] - ground[1]), ground[0] - contact[0]
    roll = contact[1] * path[1] / path[2]  # SU.4
    dive = np.arctan2(path[0], path[2])  # SU.5
    start = wheel.start + np.array([0, 0, -radius])
    ratio = np.nan if spring is None else motion_ratio(wheel, spring)
    deg, mm = np.degrees, 1e3
    return (
        deg(wheel.camber_angle()),
        deg(-side * wheel.steer_angle()),
        deg(caster),
        deg(kingpin),
        mm * side * (p - wheel.start)[1],
        -mm * (p - wheel.start)[0],
        mm * side * (contact - start)[1],
        mm * scrub,
        mm * trail,
        mm * roll,
        deg(dive),
        ratio,
    )


ARMS = {"lower_arm": ("lower_front", "lower_rear", "lower_ball_at"),
        "upper_arm": ("upper_front", "upper_rear", "upper_ball")}  # fmt: skip
"""Arms that may carry a spring: two pivots and the ball joint."""


def check_spring(where: str, linkage: Any, spring: Any) -> tuple[str, np.ndarray, np.ndarray]:
    """Carrier of a spring and its two ends [m]."""
    try:
        carrier, end_on_carrier, end_on_chassis = spring
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{where}(spring={shown(spring)}): expected (carrier, (x, y, "
            "z) on it, (x, y, z) on the chassis)"
        ) from None
    carriers = ["knuckle", *(a for a, names in ARMS.items() if names[2] in linkage.points)]
    if not (isinstance(carrier, str) and carrier in carriers):
        expected = ", ".join(map(repr, carriers))
        raise ArgumentError(f"{where}: spring on {shown(carrier)}: expected one of {expected}")
    end_on_carrier, end_on_chassis = (
        arguments.numbers(where, "a point of the spring", x, "m", (3,))
        for x in (end_on_carrier, end_on_chassis)
    )
    return carrier, end_on_carrier, end_on_chassis


def spring_ends(wheel: WheelPose, spring) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ends of a spring on its carrier and on the chassis [m], and the velocity of the first.

    The velocity is per unit of travel.
    """
    carrier, on, fixed = spring
    if carrier == "knuckle":
        arm = wheel.R @ (on - wheel.start)
        return wheel.p + arm, fixed, wheel.u + np.cross(wheel.w, arm)
    front, rear, ball = ARMS[carrier]
    a, b, first = (wheel.linkage.point(n) for n in (front, rear, ball))
    axis = (b - a) / np.linalg.norm(b - a)

    def radial_part(x):
        return x - a - (axis @ (x - a)) * axis

    ball_position = wheel.hardpoint(ball)
    r0, r = radial_part(first), radial_part(ball_position)
    angle = np.arctan2(axis @ np.cross(r0, r), r0 @ r)
    rate = axis @ np.cross(r, wheel.u + np.cross(wheel.w, ball_position - wheel.p)) / (r @ r)
    out = radial_part(on)
    end = on - out + np.cos(angle) * out + np.sin(angle) * np.cross(axis, out)
    return end, fixed, rate * np.cross(axis, end - a)


def motion_ratio(wheel: WheelPose, spring) -> float:
    """Spring compression per wheel travel.  SU.6"""
    end, fixed, velocity = spring_ends(wheel, spring)
    return float((fixed - end) @ velocity / np.linalg.norm(fixed - end))  # SU.6
