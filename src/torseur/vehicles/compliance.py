"""Compliance report: displacements of a wheel under loads, from its bushings.  SU.11."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..errors import ArgumentError, shown, unknown_name_message
from ..joints import ComplexJoint
from ..scalars import arguments
from .design_table import DesignTable
from .suspension import ARMS
from .wheel_kinematics import WheelPose, check_linkage, check_wheel_radius

FUNCTION = "compliance_report"
LOADS = ("lateral", "braking", "traction", "aligning")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComplianceReport(DesignTable):
    """Changes under each of the `loads`: `toe` (toe-in), `camber` (negative: top inward).

    Displacements `outward` and `rearward` of wheel center and contact.

    Loads: `lateral`, 1 kN at the contact towards the car's middle; `braking`, 1 kN rearwards at the
    contact, brakes on the knuckle; `traction`, 1 kN forwards at the wheel's center; `aligning`,
    100 N m about the vertical, towards toe-in.  The contact keeps its height.
    """

    units: ClassVar = {"toe": "deg", "camber": "deg", "center_outward": "mm",
                       "center_rearward": "mm", "contact_outward": "mm",
                       "contact_rearward": "mm"}  # fmt: skip
    toe: np.ndarray
    camber: np.ndarray
    center_outward: np.ndarray
    center_rearward: np.ndarray
    contact_outward: np.ndarray
    contact_rearward: np.ndarray
    loads: tuple[str, ...] = field(default=LOADS)

    def table(self) -> str:
        """One row for each load, columns under their names and units."""
        lines = DesignTable.table(self).split("\n")
        wide = max(map(len, self.loads))
        return "\n".join(
            f"{n:<{wide}}  {x}" for n, x in zip(("", "", *self.loads), lines, strict=True)
        )


def compliance_report(
    linkage: ComplexJoint,
    bushings: float | str | Mapping[str, float | str],
    wheel_radius: float | str = 0.3,
    travel: float | str = 0.0,
    rack: float | str = 0.0,
) -> ComplianceReport:
    """Toe, camber and displacements of a wheel under small loads, from the chassis bushings.

    Parameters
    ----------
    linkage : a `DoubleWishbone` or `MacPherson` joint
    bushings : stiffness [N/m] of each, the same along all axes and zero in rotation. Or by the
        names of hardpoints on the chassis, as in `{"lower_front": "9 kN/mm", "other": "4 kN/mm"}`
        with one for the others.  `tie_inner` acts along the tie rod
    wheel_radius : loaded radius [m]
    travel, rack : displacements [m] at which the loads act

    Arms, tie rod and knuckle are rigid, ball joints too.  Theory: SU.11.

    >>> from torseur.joints import DoubleWishbone
    >>> sedan = DoubleWishbone((-0.1, 0.47, 0.105), (-0.25, 0.51, 0.11), (-0.04, 0.695, 0.105),
    ...     (0.2, 0.42, -0.27), (-0.2, 0.47, -0.265), (0, 0.77, -0.32), (-0.2, 0.42, -0.12),
    ...     (-0.15, 0.77, -0.12), (0, 0.7979, -0.1199))
    >>> compliance_report(sedan, {"tie_inner": "20 kN/mm", "other": "5 kN/mm"}).toe.round(3)
    array([0.009, 0.026, 0.055, 0.045])
    """
    left = check_linkage(FUNCTION, linkage, arguments.number(FUNCTION, "rack", rack, "m"))
    wheel = WheelPose(FUNCTION, left, arguments.number(FUNCTION, "travel", travel, "m"),
               check_wheel_radius(FUNCTION, wheel_radius))  # fmt: skip
    find_twist = _knuckle_compliance(wheel, _bushing_stiffnesses(left, bushings))
    outward, forward, up = (
        np.array([0, wheel.side, 0]),
        np.array([1.0, 0, 0]),
        np.array([0, 0, 1.0]),
    )
    arm, center = wheel.contact_arm(), np.zeros(3)
    loads = (
        _wrench_at(arm, -1e3 * outward),
        _wrench_at(arm, -1e3 * forward),
        _wrench_at(center, 1e3 * forward),
        np.concatenate([-100 * wheel.side * up, center]),
    )
    rows = []
    for twist in map(find_twist, loads):
        rotation, displacement = twist[:3], twist[3:]
        contact_displacement = displacement + np.cross(rotation, arm)
        axle, axle_change = wheel.axle, np.cross(rotation, wheel.axle)
        camber = -wheel.side * axle_change[2] / np.hypot(axle[0], axle[1])
        toe = wheel.side * (axle[1] * axle_change[0] - axle[0] * axle_change[1])
        toe /= 1 - axle[2] ** 2
        millimeters = [
            1e3 * x for u in (displacement, contact_displacement) for x in (u @ outward, -u[0])
        ]
        rows.append((np.degrees(toe), np.degrees(camber), *millimeters))
    return ComplianceReport(*np.array(rows).T)


def _bushing_stiffnesses(linkage, bushings) -> dict[str, float]:
    """Stiffness of the bushing at each hardpoint on the chassis [N/m]."""
    names = [n for names in ARMS.values() for n in names[:2] if n in linkage.points]
    names += ["strut_top"] * ("strut_top" in linkage.points) + ["tie_inner"]
    if not isinstance(bushings, Mapping):
        bushings = {"other": bushings}
    if wrong := [n for n in bushings if n not in (*names, "other")]:
        names_allowed = (*names, "other")
        raise ArgumentError(unknown_name_message("bushing", str(wrong[0]), names_allowed, FUNCTION))
    if missing := [n for n in names if n not in bushings and "other" not in bushings]:
        raise ArgumentError(
            f"{FUNCTION}: bushings: {shown(dict(bushings))} has none for {', '.join(missing)}; "
            "give 'other' for all that are not named"
        )
    stiffness = {n: bushings.get(n, bushings.get("other")) for n in names}
    return {
        n: arguments.number(FUNCTION, f"bushing {n!r}", k, "N/m", above=0)
        for n, k in stiffness.items()
    }


def _wrench_at(arm, force) -> np.ndarray:
    """Wrench of a force with an arm from the wheel center: moment about the center, force."""
    return np.concatenate([np.cross(arm, force), force])


def _knuckle_compliance(wheel: WheelPose, stiffness: Mapping[str, float]):
    """Function from a wrench at the wheel center to the knuckle's twist there.  SU.11

    Theorem of least work: of all forces in equilibrium with the load, those with the smallest
    complementary energy act. The multipliers of the knuckle's equilibrium are its twist.
    """
    columns: list[np.ndarray] = []  # wrenches of unit forces on knuckle and arms
    compliances: list[float] = []  # compliance of each
    arms = [n for n, names in ARMS.items() if names[2] in wheel.linkage.points]
    size = 6 * (1 + len(arms))

    def add_unit_force(parts, compliance=0.0):
        """A unit force: (body, arm from its reference, direction) of each part that it acts on."""
        column = np.zeros(size)
        for body, arm, e in parts:
            column[6 * body : 6 * body + 6] += _wrench_at(arm, e)
        columns.append(column)
        compliances.append(compliance)

    for i, name in enumerate(arms, 1):
        front, rear, ball = ARMS[name]
        ball_position = wheel.hardpoint(ball)
        for e in np.eye(3):
            add_unit_force(((0, ball_position - wheel.p, e), (i, np.zeros(3), -e)))
            for end in (front, rear):
                add_unit_force(
                    ((i, wheel.linkage.point(end) - ball_position, e),), 1 / stiffness[end]
                )
    rod = wheel.linkage.point("tie_inner") + np.array([0, float(wheel.linkage.rack), 0])
    outer = wheel.hardpoint("tie_outer")
    direction = (rod - outer) / np.linalg.norm(rod - outer)
    add_unit_force(((0, outer - wheel.p, direction),), 1 / stiffness["tie_inner"])
    if "strut_top" in stiffness:
        top = wheel.linkage.point("strut_top")
        axis = wheel.R @ (top - wheel.linkage.point("strut_lower"))
        for e in np.linalg.svd(axis.reshape(1, 3))[2][1:]:
            add_unit_force(((0, top - wheel.p, e),), 1 / stiffness["strut_top"])
    add_unit_force(((0, wheel.contact_arm(), np.array([0, 0, 1.0])),))
    A, n = np.array(columns).T, len(columns)
    scale = max(compliances)
    K = np.block([[np.diag(compliances) / scale, A.T], [A, np.zeros((size, size))]])

    def solve(wrench: np.ndarray) -> np.ndarray:
        right_side = np.zeros(n + size)
        right_side[n : n + 6] = -wrench
        return scale * np.linalg.lstsq(K, right_side, rcond=1e-12)[0][n : n + 6]

    return solve
