"""What a suspension does to its wheel over the travel: the report designers read.

Axes: x forward, y left, z up.  Angles in degrees here, because the whole trade uses them.
Theory: SU.1 to SU.7.
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
from .wheel_kinematics import Corner, linkage_of, swept, wheel_radius_of

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
        """Slopes at the design position: deg or mm per 100 mm of bump.  SU.7

        Those of the linkage there, whatever travels the report has.
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
    linkage = linkage_of(WHERE, linkage, arguments.number(WHERE, "rack", rack, "m"))
    radius = wheel_radius_of(WHERE, wheel_radius)
    travels = swept(WHERE, "travel", travel, "m", 0.08)
    read = None if spring is None else read_spring(WHERE, linkage, spring)
    rows = [_wheel(linkage, float(s), radius, read) for s in travels]
    near = [np.array(_wheel(linkage, s * STEP, radius, read)) for s in (-2, -1, 1, 2)]
    slopes = (8 * (near[2] - near[1]) - (near[3] - near[0])) / (12 * 1e3 * STEP)  # SU.7
    columns: Any = np.array(rows).reshape(len(travels), -1).T
    every: list[Any] = [1e3 * travels, *columns, tuple((100 * slopes).tolist())]
    return SuspensionReport(*every)


WHERE = "suspension_report"
STEP = 5e-4  # of travel, for slopes [m]: a polynomial of degree four through four of them


def _wheel(linkage, s, radius, spring):
    at = Corner(WHERE, linkage, s, radius)
    side, p, contact, path = at.side, at.p, at.contact(), at.path()
    low, k = at.kingpin
    caster, kingpin = np.arctan2(-k[0], k[2]), np.arctan2(-side * k[1], k[2])  # SU.2
    ground = low + k * (contact[2] - low[2]) / k[2]
    scrub, trail = side * (contact[1] - ground[1]), ground[0] - contact[0]
    roll = contact[1] * path[1] / path[2]  # SU.4
    dive = np.arctan2(path[0], path[2])  # SU.5
    start = at.start + np.array([0, 0, -radius])
    ratio = np.nan if spring is None else motion_ratio(at, spring)
    deg, mm = np.degrees, 1e3
    return (
        deg(at.camber()),
        deg(-side * at.steer()),
        deg(caster),
        deg(kingpin),
        mm * side * (p - at.start)[1],
        -mm * (p - at.start)[0],
        mm * side * (contact - start)[1],
        mm * scrub,
        mm * trail,
        mm * roll,
        deg(dive),
        ratio,
    )


ARMS = {"lower_arm": ("lower_front", "lower_rear", "lower_ball_at"),
        "upper_arm": ("upper_front", "upper_rear", "upper_ball")}  # fmt: skip
"""Carriers of springs beside the knuckle, by their two pivots and their ball joint."""


def read_spring(where: str, linkage: Any, spring: Any) -> tuple[str, np.ndarray, np.ndarray]:
    """Carrier of a spring and its two ends [m], or a sentence."""
    try:
        carrier, on, at = spring
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{where}(spring={shown(spring)}): expected (carrier, (x, y, "
            "z) on it, (x, y, z) on the chassis)"
        ) from None
    known = ["knuckle", *(a for a, names in ARMS.items() if names[2] in linkage.points)]
    if not (isinstance(carrier, str) and carrier in known):
        said = ", ".join(map(repr, known))
        raise ArgumentError(f"{where}: spring on {shown(carrier)}: expected one of {said}")
    on, at = (arguments.numbers(where, "a point of the spring", x, "m", (3,)) for x in (on, at))
    return carrier, on, at


def spring_ends(at: Corner, spring) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A spring's ends on its carrier and on the chassis [m], and the first's way by travel."""
    carrier, on, fixed = spring
    if carrier == "knuckle":
        arm = at.R @ (on - at.start)
        return at.p + arm, fixed, at.u + np.cross(at.w, arm)
    front, rear, ball = ARMS[carrier]
    a, b, first = (at.linkage.point(n) for n in (front, rear, ball))
    axis = (b - a) / np.linalg.norm(b - a)

    def across(x):
        return x - a - (axis @ (x - a)) * axis

    now = at.carried(ball)
    r0, r = across(first), across(now)
    turn = np.arctan2(axis @ np.cross(r0, r), r0 @ r)
    rate = axis @ np.cross(r, at.u + np.cross(at.w, now - at.p)) / (r @ r)
    out = across(on)
    end = on - out + np.cos(turn) * out + np.sin(turn) * np.cross(axis, out)
    return end, fixed, rate * np.cross(axis, end - a)


def motion_ratio(at: Corner, spring) -> float:
    """Shortening of a spring per wheel travel."""
    end, fixed, way = spring_ends(at, spring)
    return float((fixed - end) @ way / np.linalg.norm(fixed - end))  # SU.6
