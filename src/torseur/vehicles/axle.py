"""A car that rolls: both wheels of an axle against the inclined ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..joints import ComplexJoint
from ..scalars import arguments
from .assembly import mirror
from .design_table import DesignTable
from .wheel_kinematics import UP, Corner, linkage_of, swept, wheel_radius_of

ROLL_INPUT = "roll_report"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RollReport(DesignTable):
    """Curves over the roll, positive with the car's left side up; `_left` and `_right` of wheels.

    `travel`, `camber` against the ground (negative: top inward), `toe` (positive: toe-in),
    `roll_steer`: mean angle of both to the left; the roll center: `height` over the ground, and
    `offset` to the left of the car's middle plane; `track_change`: between both contacts.
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
    left = linkage_of(ROLL_INPUT, linkage, arguments.number(ROLL_INPUT, "rack", rack, "m"))
    right, radius = mirror(left), wheel_radius_of(ROLL_INPUT, wheel_radius)
    if left.point("wheel_center")[1] < 0:
        left, right = right, left
    angles = swept(ROLL_INPUT, "roll", roll, "rad", np.radians(4))
    if (most := float(abs(angles).max())) > 0.5:
        raise ArgumentError(
            f"{ROLL_INPUT}: roll: {np.degrees(most):g} deg is no roll of a car; "
            "write degrees as '2 deg'"
        )
    mean = arguments.number(ROLL_INPUT, "heave", heave, "m")
    here, there = (Corner(ROLL_INPUT, x, 0.0, radius) for x in (left, right))
    start = _apart(here, there, UP)
    rows = [_rolled(left, right, a, mean, radius, start) for a in angles.tolist()]
    return RollReport(*(np.degrees(angles), *np.array(rows).T))


def _apart(one: Corner, two: Corner, n) -> float:
    return float(np.linalg.norm(one.contact(n) - two.contact(n)))


def _rolled(left, right, roll, mean, radius, start):
    from scipy.optimize import newton

    n = np.array([0.0, np.sin(roll), np.cos(roll)])  # up, in axes of the car

    def pair(s: float) -> tuple[Corner, Corner]:
        sides = ((left, -s), (right, s))
        return tuple(Corner(ROLL_INPUT, x, mean + d, radius) for x, d in sides)  # type: ignore[return-value]

    def uneven(s: float) -> float:
        one, two = pair(s)
        return float(n @ (one.contact(n) - two.contact(n)))  # SU.9

    half = abs(left.point("wheel_center")[1])
    guess = half * np.tan(roll)
    s = float(newton(uneven, guess, x1=1.01 * guess + 1e-5, tol=1e-14))
    one, two = pair(s)
    height, offset = _roll_center(one, two, n)
    deg, mm = np.degrees, 1e3
    turned = one.steer(n), two.steer(n)
    return (mm * (mean - s), mm * (mean + s), deg(one.camber(n)), deg(two.camber(n)),
            deg(-turned[0]), deg(turned[1]), deg(sum(turned) / 2), mm * height, mm * offset,
            mm * (_apart(one, two, n) - start))  # fmt: skip


def _roll_center(one: Corner, two: Corner, n) -> tuple[float, float]:
    """Where the lines at right angles to both contacts' paths meet, seen from the front [m]."""
    t = np.array([0.0, n[2], -n[1]])  # to the left, along the ground
    rows, right = [], []
    for wheel in (one, two):
        path, at = wheel.path(n), wheel.contact(n)
        across = np.array([path @ t, path @ n])
        rows.append(across)
        right.append(across @ (at @ t, at @ n))
    try:
        y, z = np.linalg.solve(rows, right)
    except np.linalg.LinAlgError:
        return np.nan, np.nan
    ground = float(one.contact(n) @ n)
    return float(z - ground), float(y * t[1] + z * n[1])  # the place in axes of the car


# --------------------------------------------------------------------------------------------
# A car that steers: both front wheels over the displacement of the rack.


STEERING_INPUT = "steering_report"
STRAIGHT = 1e-9  # angle of wheels that do not steer [rad]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SteeringReport(DesignTable):
    """Curves over the rack's displacement, to the left.

    `left`, `right`: angles of the wheels to the left; `camber_left`, `camber_right` (negative: top
    inward); `ackermann`: 100 where both wheels turn about one place of the rear axle's line, 0
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
    left = linkage_of(STEERING_INPUT, linkage)
    if arguments.number(STEERING_INPUT, "the linkage's rack", float(left.rack)):
        raise ArgumentError(
            f"{STEERING_INPUT}: this linkage has a rack displaced already; give rack= here"
        )
    base = arguments.number(STEERING_INPUT, "wheelbase", wheelbase, "m", above=0)
    radius = wheel_radius_of(STEERING_INPUT, wheel_radius)
    s = arguments.number(STEERING_INPUT, "travel", travel, "m")
    racks = swept(STEERING_INPUT, "rack", rack, "m", 0.06)
    if left.point("wheel_center")[1] < 0:
        left = mirror(left)
    level = Corner(STEERING_INPUT, left, s, radius).contact()[2]
    rows = [_steered(left, r, s, radius, base, level) for r in racks.tolist()]
    return SteeringReport(1e3 * racks, *np.array(rows).T)


def _steered(left, rack, s, radius, base, level):
    sides = (left, mirror(left))
    one, two = (
        Corner(STEERING_INPUT, linkage_of(STEERING_INPUT, x, rack), s, radius) for x in sides
    )
    a, b = one.steer(), two.steer()
    low = (one.contact()[2] + two.contact()[2]) / 2
    track = abs(one.contact()[1] - two.contact()[1])
    deg = np.degrees
    return (deg(a), deg(b), deg(one.camber()), deg(two.camber()), *_turning(a, b, track, base),
            1e3 * (level - low))  # fmt: skip


def _turning(a: float, b: float, track: float, base: float) -> tuple[float, float]:
    """Share of Ackermann's geometry [%], and the outer wheel's circle [m].  SU.10"""
    inner, outer = (a, b) if a + b > 0 else (-b, -a)
    if inner <= STRAIGHT or outer <= STRAIGHT:
        return np.nan, np.nan
    meant = np.arctan2(1.0, 1 / np.tan(inner) + track / base)  # of the outer wheel  SU.10
    return 100 * (inner - outer) / (inner - meant), 2 * base / np.sin(outer)
