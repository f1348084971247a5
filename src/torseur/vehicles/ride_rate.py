"""What a spring makes of a suspension: load and rate at the wheel, frequency of the ride."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError
from ..joints import ComplexJoint
from ..scalars import arguments
from .design_table import DesignTable
from .suspension import motion_ratio, read_spring, spring_ends
from .wheel_kinematics import Corner, linkage_of, swept

WHERE = "ride_report"
STEP = 5e-4  # of travel, for the slope of the load [m]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RideReport(DesignTable):
    """Curves over the travel: `spring` its length, `force` its push, `load` the vertical force at
    the wheel's center that it holds, `rate` the load's slope, `frequency` of the ride (NaN without
    a mass)."""

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
    """Load and rate of a wheel over its travel, from its spring.

    Parameters
    ----------
    linkage : a `DoubleWishbone` or `MacPherson` joint
    spring : (carrier, point on it, point on the chassis), as in `suspension_report`
    stiffness : of the spring [N/m]
    load : that the spring holds at the wheel's center in the design position [N]
    travel : wheel travels [m], bump positive; by default 80 mm each way
    sprung_mass : that rides on this wheel [kg], for the frequency
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
    linkage = linkage_of(WHERE, linkage)
    read = read_spring(WHERE, linkage, spring)
    travels = swept(WHERE, "travel", travel, "m", 0.08)
    k = arguments.number(WHERE, "stiffness", stiffness, "N/m", above=0)
    held = arguments.number(WHERE, "load", load, "N")
    mass = np.nan if sprung_mass is None else arguments.number(
        WHERE, "sprung_mass", sprung_mass, "kg", above=0)  # fmt: skip
    soft = 0.0 if tire is None else 1 / arguments.number(WHERE, "tire", tire, "N/m", above=0)
    start = Corner(WHERE, linkage, 0.0, 1.0)
    free, first = _length(start, read), motion_ratio(start, read)
    if not abs(first) > 1e-6:
        raise ArgumentError(f"{WHERE}: the spring does not shorten with the travel")

    def holds(s: float) -> tuple[float, float, float, float]:
        at = Corner(WHERE, linkage, s, 1.0)
        ratio, length = motion_ratio(at, read), _length(at, read)
        force = held / first + k * (free - length)
        return ratio, length, force, force * ratio  # SU.8

    rows = np.array([holds(s) for s in travels])
    near = [[holds(s + i * STEP)[3] for s in travels] for i in (-2, -1, 1, 2)]
    a, b, c, d = np.array(near)
    rate = (8 * (c - b) - (d - a)) / (12 * STEP)
    with np.errstate(invalid="ignore"):
        frequency = np.sqrt(1 / ((1 / rate + soft) * mass)) / (2 * np.pi)
    ratio, length, force, load_ = rows.T
    return RideReport(1e3 * travels, ratio, 1e3 * length, force, load_, 1e-3 * rate, frequency)


def _length(at: Corner, spring) -> float:
    end, fixed, _ = spring_ends(at, spring)
    return float(np.linalg.norm(fixed - end))
