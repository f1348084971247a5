"""What bushings let a wheel do under loads: the compliance half of kinematics and compliance."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from ..errors import ArgumentError, shown, unknown_name
from ..joints import ComplexJoint
from ..scalars import arguments
from .design_table import DesignTable
from .suspension import ARMS
from .wheel_kinematics import Corner, linkage_of, wheel_radius_of

WHERE = "compliance_report"
LOADS = ("lateral", "braking", "traction", "aligning")


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComplianceReport(DesignTable):
    """What each of the `loads` does to the wheel: changes of `toe` (toe-in), `camber` (negative:
    top inward), of the wheel center's and the contact's place: `outward`, `rearward`.

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
        """Rows by load, columns under their names and units."""
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
    """Toe, camber and places of a wheel under loads, small, by the bushings on the chassis.

    Parameters
    ----------
    linkage : a `DoubleWishbone` or `MacPherson` joint
    bushings : stiffness [N/m] of every one, the same along all axes and soft in turning; or by the
        names of hardpoints on the chassis, as in `{"lower_front": "9 kN/mm", "other": "4 kN/mm"}`
        with one for the others.  `tie_inner` is that of the rack along the tie rod
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
    left = linkage_of(WHERE, linkage, arguments.number(WHERE, "rack", rack, "m"))
    at = Corner(WHERE, left, arguments.number(WHERE, "travel", travel, "m"),
               wheel_radius_of(WHERE, wheel_radius))  # fmt: skip
    solve = _held(at, _stiffnesses(left, bushings))
    out, ahead, up = np.array([0, at.side, 0]), np.array([1.0, 0, 0]), np.array([0, 0, 1.0])
    arm, none = at.arm(), np.zeros(3)
    loads = (_at(arm, -1e3 * out), _at(arm, -1e3 * ahead), _at(none, 1e3 * ahead),
             np.concatenate([-100 * at.side * up, none]))  # fmt: skip
    twists = [solve(load) for load in loads]
    rows = []
    for turn, way in ((x[:3], x[3:]) for x in twists):
        moved = way + np.cross(turn, arm)
        tipped = np.cross(turn, at.axle)
        camber = -at.side * tipped[2] / np.hypot(at.axle[0], at.axle[1])
        toe = at.side * (at.axle[1] * tipped[0] - at.axle[0] * tipped[1]) / (1 - at.axle[2] ** 2)
        rows.append((np.degrees(toe), np.degrees(camber), *(1e3 * x for x in (
            way @ out, -way[0], moved @ out, -moved[0]))))  # fmt: skip
    return ComplianceReport(*np.array(rows).T)


def _stiffnesses(linkage, given) -> dict[str, float]:
    """Stiffness of the bushing at each hardpoint on the chassis [N/m]."""
    names = [n for names in ARMS.values() for n in names[:2] if n in linkage.points]
    names += ["strut_top"] * ("strut_top" in linkage.points) + ["tie_inner"]
    if not isinstance(given, Mapping):
        given = {"other": given}
    if wrong := [n for n in given if n not in (*names, "other")]:
        known = (*names, "other")
        raise ArgumentError(unknown_name("bushing", str(wrong[0]), known, WHERE))
    if missing := [n for n in names if n not in given and "other" not in given]:
        raise ArgumentError(
            f"{WHERE}: bushings: {shown(dict(given))} has none for {', '.join(missing)}; "
            "give 'other' for all that are not named"
        )
    return {n: arguments.number(WHERE, f"bushing {n!r}", given.get(n, given.get("other")), "N/m",
                            above=0) for n in names}  # fmt: skip


def _at(arm, force) -> np.ndarray:
    """A force at a place from the wheel's center: moment about the center, force."""
    return np.concatenate([np.cross(arm, force), force])


def _held(at: Corner, stiffness: Mapping[str, float]):
    """Twist of the knuckle at the wheel's center (turn, way) by a wrench there.  SU.11

    Of all forces that hold the parts in equilibrium those of the least energy act; the multiplier
    of the knuckle's own equilibrium is its twist.
    """
    columns: list[np.ndarray] = []  # unit forces, by what they do to knuckle and arms
    soft: list[float] = []  # compliance of each
    arms = [n for n, names in ARMS.items() if names[2] in at.linkage.points]
    size = 6 * (1 + len(arms))

    def put(places, compliance=0.0):
        """A unit force: (body, arm from its reference, direction) of each part that it acts on."""
        column = np.zeros(size)
        for body, arm, e in places:
            column[6 * body : 6 * body + 6] += _at(arm, e)
        columns.append(column)
        soft.append(compliance)

    for i, name in enumerate(arms, 1):
        front, rear, ball = ARMS[name]
        place = at.carried(ball)
        for e in np.eye(3):
            put(((0, place - at.p, e), (i, np.zeros(3), -e)))
            for end in (front, rear):
                put(((i, at.linkage.point(end) - place, e),), 1 / stiffness[end])
    rod = at.linkage.point("tie_inner") + np.array([0, float(at.linkage.rack), 0])
    outer = at.carried("tie_outer")
    along = (rod - outer) / np.linalg.norm(rod - outer)
    put(((0, outer - at.p, along),), 1 / stiffness["tie_inner"])
    if "strut_top" in stiffness:
        top = at.linkage.point("strut_top")
        axis = at.R @ (top - at.linkage.point("strut_lower"))
        for e in np.linalg.svd(axis.reshape(1, 3))[2][1:]:
            put(((0, top - at.p, e),), 1 / stiffness["strut_top"])
    put(((0, at.arm(), np.array([0, 0, 1.0])),))
    A, n = np.array(columns).T, len(columns)
    scale = max(soft)
    K = np.block([[np.diag(soft) / scale, A.T], [A, np.zeros((size, size))]])

    def solve(wrench: np.ndarray) -> np.ndarray:
        right = np.zeros(n + size)
        right[n : n + 6] = -wrench
        return scale * np.linalg.lstsq(K, right, rcond=1e-12)[0][n : n + 6]

    return solve
