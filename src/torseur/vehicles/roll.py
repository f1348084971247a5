"""A car that rolls: both wheels of an axle against the inclined ground."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..joints import ComplexJoint
from ..numbers import asked
from .corner import UP, Corner, linkage_of, swept, wheel_radius_of
from .corners import mirror
from .tables import DesignTable

WHERE = "roll_report"


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
    left = linkage_of(WHERE, linkage, asked.number(WHERE, "rack", rack, "m"))
    right, radius = mirror(left), wheel_radius_of(WHERE, wheel_radius)
    if left.point("wheel_center")[1] < 0:
        left, right = right, left
    angles = swept(WHERE, "roll", roll, "rad", np.radians(4))
    if (most := float(abs(angles).max())) > 0.5:
        raise ArgumentError(
            f"{WHERE}: roll: {np.degrees(most):g} deg is no roll of a car; write degrees as '2 deg'"
        )
    mean = asked.number(WHERE, "heave", heave, "m")
    here, there = (Corner(WHERE, x, 0.0, radius) for x in (left, right))
    start = _apart(here, there, UP)
    rows = [_rolled(left, right, a, mean, radius, start) for a in angles.tolist()]
    return RollReport(*(np.degrees(angles), *np.array(rows).T))


def _apart(one: Corner, two: Corner, n) -> float:
    return float(np.linalg.norm(one.contact(n) - two.contact(n)))


def _rolled(left, right, roll, mean, radius, start):
    from scipy.optimize import newton

    n = np.array([0.0, np.sin(roll), np.cos(roll)])  # up, in axes of the car

    def pair(s: float) -> tuple[Corner, Corner]:
        return tuple(Corner(WHERE, x, mean + d, radius) for x, d in ((left, -s), (right, s)))  # type: ignore[return-value]

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
