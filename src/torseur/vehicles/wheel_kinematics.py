"""A wheel at one travel of its suspension, in chassis axes.  Theory: SU.1, SU.3."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown
from ..joints import Linkage
from ..scalars import Floats, arguments

UP = np.array([0.0, 0.0, 1.0])


def linkage_of(where: str, linkage: Any, rack: float = 0.0) -> Any:
    """A suspension whose rack is displaced by so many meters, or a sentence."""
    if not isinstance(linkage, Linkage):
        raise ArgumentError(
            f"{where}: expected a linkage such as ts.double_wishbone(...) "
            f"or ts.macpherson(...), got {shown(linkage)}"
        )
    points = np.array([linkage.point(n) for n in ("lower_front", "lower_ball_at", "wheel_center")])
    if (size := float(np.ptp(points, axis=0).max())) > 20:
        raise ArgumentError(
            f"{where}: this linkage is {size:.4g} m large; hardpoints are in meters, write "
            "millimeters as '770 mm'"
        )
    own: Any = linkage
    return replace(own, rack=rack) if rack else own


def wheel_radius_of(where: str, given: Any) -> float:
    """A radius [m] above zero."""
    return arguments.number(where, "wheel_radius", given, "m", above=0)


def swept(where: str, name: str, given: Any, unit: str, most: float) -> np.ndarray:
    """A row of numbers in SI; unless given, 17 of them up to `most` each way."""
    if given is None:
        return np.linspace(-most, most, 17)
    row = np.atleast_1d(arguments.numbers(where, name, given, unit))
    if row.ndim != 1 or not row.size:
        raise ArgumentError(f"{where}: {name}: expected a row of finite numbers [{unit}]")
    return row


class Corner:
    """Pose and motion of a wheel at a travel [m]; `where` is whose sentence it is told in."""

    def __init__(self, where: str, linkage: Any, travel: float, radius: float):
        self.linkage, self.travel, self.radius = linkage, travel, radius
        self.start = linkage.point("wheel_center")  # design position
        S = np.zeros(6)
        try:
            X, S = linkage.moved(Floats(), travel)
            reached = abs(float(X.p[2]) - self.start[2] - travel) < 1e-9
        except (ValueError, ZeroDivisionError):
            reached = False
        if not reached:
            raise ArgumentError(
                f"{where}: a travel of {1e3 * travel:g} mm is beyond the reach of "
                "the linkage; give less"
            )
        self.R, self.p, S = X.R.astype(float), X.p.astype(float), S.astype(float)
        self.w, self.u = self.R @ S[:3], self.R @ S[3:]  # per unit of travel

    @cached_property
    def side(self) -> float:
        """1 on the left, -1 on the right."""
        return 1.0 if self.start[1] > 0 else -1.0

    @property
    def axle(self) -> np.ndarray:
        """Its axle as a unit vector, to the left."""
        return self.R[:, 1]

    def carried(self, name: str) -> np.ndarray:
        """Where the knuckle has carried a hardpoint [m]."""
        return self.p + self.R @ (self.linkage.point(name) - self.start)

    def arm(self, n=UP) -> np.ndarray:
        """From the center to the contact with a ground of unit normal n [m].  SU.3"""
        down = self.axle * (self.axle @ n) - n
        return self.radius * down / np.linalg.norm(down)

    def contact(self, n=UP) -> np.ndarray:
        """The contact with the ground [m]."""
        return self.p + self.arm(n)

    def path(self, n=UP) -> np.ndarray:
        """Way of the knuckle's point in contact per unit of travel."""
        return self.u + np.cross(self.w, self.arm(n))

    def camber(self, n=UP) -> float:
        """Against a ground of normal n [rad]; negative: top inward.  SU.1"""
        return float(-self.side * np.arcsin(np.clip(self.axle @ n, -1, 1)))

    def steer(self, n=UP) -> float:
        """Angle of its heading to the car's, to the left [rad].  SU.1"""
        heading, ahead = np.cross(self.axle, n), np.array([1.0, 0.0, 0.0])
        return float(np.arctan2(heading @ np.cross(n, ahead), heading @ ahead))

    @property
    def kingpin(self) -> tuple[np.ndarray, np.ndarray]:
        """The steering axis: its lower ball joint, and the way from there to its upper point."""
        name, moves = self.linkage.kingpin
        low = self.carried("lower_ball_at")
        return low, (self.carried(name) if moves else self.linkage.point(name)) - low
