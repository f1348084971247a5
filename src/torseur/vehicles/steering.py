"""A car that steers: both front wheels over the displacement of the rack."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..joints import ComplexJoint
from ..numbers import asked
from .corner import Corner, linkage_of, swept, wheel_radius_of
from .corners import mirror
from .tables import DesignTable

WHERE = "steering_report"
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
    left = linkage_of(WHERE, linkage)
    if asked.number(WHERE, "the linkage's rack", float(left.rack)):
        raise ArgumentError(f"{WHERE}: this linkage has a rack displaced already; give rack= here")
    base = asked.number(WHERE, "wheelbase", wheelbase, "m", above=0)
    radius = wheel_radius_of(WHERE, wheel_radius)
    s = asked.number(WHERE, "travel", travel, "m")
    racks = swept(WHERE, "rack", rack, "m", 0.06)
    if left.point("wheel_center")[1] < 0:
        left = mirror(left)
    level = Corner(WHERE, left, s, radius).contact()[2]
    rows = [_steered(left, r, s, radius, base, level) for r in racks.tolist()]
    return SteeringReport(1e3 * racks, *np.array(rows).T)


def _steered(left, rack, s, radius, base, level):
    sides = (left, mirror(left))
    one, two = (Corner(WHERE, linkage_of(WHERE, x, rack), s, radius) for x in sides)
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
