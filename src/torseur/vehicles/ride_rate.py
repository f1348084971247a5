"""Wheel load, wheel rate and ride frequency of a suspension with its spring.  SU.8."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..joints import ComplexJoint
from ..scalars import arguments
from .design_table import DesignTable
from .suspension import check_spring, motion_ratio, spring_ends
from .wheel_kinematics import WheelPose, check_linkage, check_sweep

FUNCTION = "ride_report"
TRAVEL_STEP = 5e-4  # [m], step of central differences of the load


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RideReport(DesignTable):
    """Curves over the travel.

    `spring`: length. `force`: force of the spring. `load`: vertical force at the wheel center in
    balance with it. `rate`: derivative of the load. `frequency`: ride frequency, NaN without mass.
    """

    units: ClassVar = {"travel": "mm", "motion_ratio": "1", "spring": "mm", "force": "N",
                       "load": "N", "rate": "N/mm", "frequency": "Hz"}  # fmt: skip
    travel: np.ndarray
    motion_ratio: np.ndarray
    spring: np.ndarray
    force: np.ndarray
    load: np.ndarray
    rate: np.ndarray
    frequency: np.ndarray


def ride_report(
    linkage: ComplexJoint,
    spring: tuple[str, Any, Any],
    stiffness: float | str,
    load: float | str,
    travel: ArrayLike | str | None = None,
    sprung_mass: float | str | None = None,
    tire: float | str | None = None,
) -> RideReport:
    """Wheel load, wheel rate and ride frequency over the travel.

    Parameters
    ----------
    linkage : a `DoubleWishbone` or `MacPherson` joint
    spring : (carrier, point on it, point on the chassis), as in `suspension_report`
    stiffness : of the spring [N/m]
    load : at the wheel center in the design position [N], in balance with the spring
    travel : wheel travels [m], bump positive; by default 80 mm each way
    sprung_mass : on this wheel [kg], for the frequency
    tire : its stiffness [N/m], in series with the rate in the frequency

    Theory: SU.8.

    >>> from torseur.joints import MacPherson
    >>> strut = MacPherson((0.22, 0.52, -0.156), (-0.3, 0.507, -0.137), (-0.0217, 0.9406, -0.174),
    ...     (-0.115, 0.785, 0.579), (-0.074, 0.8533, 0.2484), (-0.3, 0.52, -0.059),
    ...     (-0.2374, 0.895, -0.016), (-0.04, 1.1, -0.026))
    >>> on, top = (-0.074, 0.8533, 0.2484), (-0.115, 0.785, 0.579)
    >>> found = ride_report(strut, ("knuckle", on, top), "25 N/mm", "4 kN", [0.0], 408.0)
    >>> float(found.load[0]), found.frequency.round(2).tolist()
    (4000.0, [1.23])
    """
    linkage = check_linkage(FUNCTION, linkage)
    checked_spring = check_spring(FUNCTION, linkage, spring)
    travels = check_sweep(FUNCTION, "travel", travel, "m", 0.08)
    k = arguments.number(FUNCTION, "stiffness", stiffness, "N/m", above=0)
    design_load = arguments.number(FUNCTION, "load", load, "N")
    mass = np.nan if sprung_mass is None else arguments.number(
        FUNCTION, "sprung_mass", sprung_mass, "kg", above=0)  # fmt: skip
    tire_compliance = (
        0.0 if tire is None else 1 / arguments.number(FUNCTION, "tire", tire, "N/m", above=0)
    )
    start = WheelPose(FUNCTION, linkage, 0.0, 1.0)
    design_length, design_ratio = (
        _spring_length(start, checked_spring),
        motion_ratio(start, checked_spring),
    )
    if not abs(design_ratio) > 1e-6:
        raise ArgumentError(
            f"{FUNCTION}: the spring does not shorten with the travel, so it carries no load; "
            "check its end points"
        )

    def wheel_load(s: float) -> tuple[float, float, float, float]:
        wheel = WheelPose(FUNCTION, linkage, s, 1.0)
        ratio, length = motion_ratio(wheel, checked_spring), _spring_length(wheel, checked_spring)
        force = design_load / design_ratio + k * (design_length - length)
        return ratio, length, force, force * ratio  # SU.8

    rows = np.array([wheel_load(s) for s in travels])
    loads_nearby = [[wheel_load(s + i * TRAVEL_STEP)[3] for s in travels] for i in (-2, -1, 1, 2)]
    a, b, c, d = np.array(loads_nearby)
    rate = (8 * (c - b) - (d - a)) / (12 * TRAVEL_STEP)
    with np.errstate(invalid="ignore"):
        frequency = np.sqrt(1 / ((1 / rate + tire_compliance) * mass)) / (2 * np.pi)
    ratio, length, force, load_ = rows.T
    return RideReport(1e3 * travels, ratio, 1e3 * length, force, load_, 1e-3 * rate, frequency)


def _spring_length(wheel: WheelPose, spring) -> float:
    end, fixed, _ = spring_ends(wheel, spring)
    return float(np.linalg.norm(fixed - end))
