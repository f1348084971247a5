"""What a suspension does to its wheel over the travel: the report designers read.

Axes: x forward, y left, z up.  Angles in degrees here, because the whole trade uses them.
Theory: SU.1 to SU.7.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, shown
from ..files import whole
from ..joints import ComplexJoint, Linkage
from ..numbers import Floats, asked
from ..views import PrintedAnswer

if TYPE_CHECKING:
    import os

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
    "roll_centre": "mm",
    "anti_dive_angle": "deg",
    "motion_ratio": "1",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SuspensionReport(PrintedAnswer):
    """Curves over the travel; every array has the length of `travel`.  Units in `UNITS`.

    `camber` negative: top inward; `toe` positive: toe-in; `track_change`, `recession`: outward and
    rearward motion of the wheel centre; `contact_change`: outward motion of the contact point;
    `scrub_radius`, `trail`: contact outside of and behind the steering axis on the ground;
    `roll_centre`: height over the ground; `anti_dive_angle`: of the contact's path, brakes on the
    knuckle; `motion_ratio`: spring compression per wheel travel (NaN without a spring).
    """

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
    roll_centre: np.ndarray
    anti_dive_angle: np.ndarray
    motion_ratio: np.ndarray
    slopes: tuple[float, ...] = field(default=(), repr=False)

    def gradients(self) -> dict[str, float]:
        """Slopes at the design position: deg or mm per 100 mm of bump.  SU.7

        Those of the linkage there, whatever travels the report has.
        """
        return dict(zip(list(UNITS)[1:], self.slopes, strict=True))

    def __str__(self):
        return self.table()

    def table(self) -> str:
        """Columns as text, names over units; one without a number is left out."""
        names = [n for n in UNITS if not np.isnan(getattr(self, n)).all()]
        columns = [
            [n, f"[{UNITS[n]}]", *(f"{x:.4f}" for x in np.ravel(getattr(self, n)))] for n in names
        ]
        wide = [max(map(len, c)) for c in columns]
        rows = zip(*columns, strict=True)
        return "\n".join(
            "  ".join(f"{x:>{w}}" for x, w in zip(row, wide, strict=True)) for row in rows
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the columns as CSV, units in the header, whole or not at all."""
        head = ",".join(f"{n} [{unit}]" for n, unit in UNITS.items())
        table = np.column_stack([getattr(self, n) for n in UNITS])
        with whole(path) as partial:
            np.savetxt(partial, table, delimiter=",", header=head, comments="", fmt="%.10g")


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
    spring : (carrier, point on it, point on the chassis): the carrier is "lower_arm" or "knuckle",
        points in chassis axes at the design position [m]

    >>> from torseur.joints import DoubleWishbone
    >>> sedan = DoubleWishbone((-0.1, 0.47, 0.105), (-0.25, 0.51, 0.11), (-0.04, 0.695, 0.105),
    ...     (0.2, 0.42, -0.27), (-0.2, 0.47, -0.265), (0, 0.77, -0.32), (-0.2, 0.42, -0.12),
    ...     (-0.15, 0.77, -0.12), (0, 0.7979, -0.1199))
    >>> suspension_report(sedan, [0.04]).camber.round(4).tolist()
    [-0.8755]
    """
    if not isinstance(linkage, Linkage):
        raise ArgumentError(
            "suspension_report: expected a linkage such as ts.double_wishbone(...) "
            f"or ts.macpherson(...), got {shown(linkage)}"
        )
    _in_metres(linkage)
    if moved := asked.number(WHERE, "rack", rack, "m"):
        linkage = replace(cast(Any, linkage), rack=moved)
    radius = asked.number(WHERE, "wheel_radius", wheel_radius, "m", above=0)
    travels = np.linspace(-0.08, 0.08, 17)
    if travel is not None:
        travels = np.atleast_1d(asked.numbers(WHERE, "travel", travel, "m"))
    if travels.ndim != 1 or not travels.size:
        raise ArgumentError("suspension_report(travel=...): expected finite wheel travels [m]")
    read = None if spring is None else _read(spring)
    rows = [_wheel(linkage, float(s), radius, read) for s in travels]
    near = [np.array(_wheel(linkage, s * STEP, radius, read)) for s in (-2, -1, 1, 2)]
    slopes = (8 * (near[2] - near[1]) - (near[3] - near[0])) / (12 * 1e3 * STEP)  # SU.7
    columns: Any = np.array(rows).reshape(len(travels), -1).T
    every: list[Any] = [1e3 * travels, *columns, tuple((100 * slopes).tolist())]
    return SuspensionReport(*every)


WHERE = "suspension_report"
STEP = 5e-4  # of travel, for slopes [m]: a polynomial of degree four through four of them


def _in_metres(linkage) -> None:
    points = np.array([linkage.point(n) for n in ("lower_front", "lower_ball_at", "wheel_centre")])
    if (size := float(np.ptp(points, axis=0).max())) > 20:
        raise ArgumentError(
            f"{WHERE}: this linkage is {size:.4g} m large; hardpoints are in metres, write "
            "millimetres as '770 mm'"
        )


def _wheel(linkage, s, radius, spring):
    K, W0 = Floats(), linkage.point("wheel_centre")
    side = 1.0 if W0[1] > 0 else -1.0
    try:
        X = linkage.pose(K, [s])
        reached = abs(float(X.p[2]) - W0[2] - s) < 1e-9
    except (ValueError, ZeroDivisionError):
        reached = False
    if not reached:
        raise ArgumentError(
            f"suspension_report: a travel of {1e3 * s:g} mm is beyond the reach of "
            "the linkage; give less"
        )
    R, p = X.R.astype(float), X.p.astype(float)
    S = linkage.subspace(K, [s]).astype(float).ravel()
    w, u = R @ S[:3], R @ S[3:]  # per unit of travel, chassis axes

    def carried(name):
        return p + R @ (linkage.point(name) - W0)

    axle = R[:, 1]
    camber = -side * np.arcsin(axle[2])  # SU.1
    toe = side * np.arctan2(axle[0], axle[1])
    low = carried("lower_ball_at")
    upper, moves = linkage.kingpin
    high = carried(upper) if moves else linkage.point(upper)
    k = high - low
    caster, kingpin = np.arctan2(-k[0], k[2]), np.arctan2(-side * k[1], k[2])  # SU.2
    down = axle * axle[2] - np.array([0, 0, 1.0])
    arm = radius * down / np.linalg.norm(down)
    contact = p + arm  # SU.3
    ground = low + k * (contact[2] - low[2]) / k[2]
    scrub, trail = side * (contact[1] - ground[1]), ground[0] - contact[0]
    path = u + np.cross(w, arm)  # of the knuckle's point in contact
    roll = contact[1] * path[1] / path[2]  # SU.4
    dive = np.arctan2(path[0], path[2])  # SU.5
    start = W0 + np.array([0, 0, -radius])
    ratio = np.nan if spring is None else _motion_ratio(linkage, spring, s, X, w, u)
    deg, mm = np.degrees, 1e3
    return (
        deg(camber),
        deg(toe),
        deg(caster),
        deg(kingpin),
        mm * side * (p - W0)[1],
        -mm * (p - W0)[0],
        mm * side * (contact - start)[1],
        mm * scrub,
        mm * trail,
        mm * roll,
        deg(dive),
        ratio,
    )


def _read(spring):
    try:
        carrier, on, at = spring
    except (TypeError, ValueError):
        raise ArgumentError(
            f"suspension_report(spring={shown(spring)}): expected (carrier, (x, y, "
            "z) on it, (x, y, z) on the chassis)"
        ) from None
    if not (isinstance(carrier, str) and carrier in ("lower_arm", "knuckle")):
        raise ArgumentError(f"spring on {shown(carrier)}: expected 'lower_arm' or 'knuckle'")
    on, at = (asked.numbers(WHERE, "a point of the spring", x, "m", (3,)) for x in (on, at))
    return carrier, on, at


def _motion_ratio(linkage, spring, s, X, w, u):
    carrier, on, at = spring
    if carrier == "knuckle":
        arm = X.R.astype(float) @ (on - linkage.point("wheel_centre"))
        end, speed = X.p.astype(float) + arm, u + np.cross(w, arm)
    else:
        K = Floats()
        turn, height = linkage.turn(K, s)
        a, b = linkage.point("lower_front"), linkage.point("lower_rear")
        axis = (b - a) / np.linalg.norm(b - a)
        r = on - a
        along, out = (axis @ r) * axis, r - (axis @ r) * axis
        end = a + along + np.cos(turn) * out + np.sin(turn) * np.cross(axis, out)
        speed = np.cross(axis, end - a) / height.d
    line = at - end
    return float(line @ speed / np.linalg.norm(line))  # SU.6
