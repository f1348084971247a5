"""Kinematics of a wheel at one travel of its suspension, in chassis axes.  SU.1, SU.3."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from ..errors import ArgumentError, shown
from ..joints import Linkage
from ..scalars import Floats, arguments

UP = np.array([0.0, 0.0, 1.0])


def check_linkage(where: str, linkage: Any, rack: float = 0.0) -> Any:
    """The suspension with its rack displaced [m].  Raises ArgumentError for anything else."""
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
    steered: Any = linkage
    return replace(steered, rack=rack) if rack else steered


def check_wheel_radius(where: str, radius: Any) -> float:
    """The loaded radius [m], above zero."""
    return arguments.number(where, "wheel_radius", radius, "m", above=0)


def check_sweep(where: str, name: str, values: Any, unit: str, default_range: float) -> np.ndarray:
    """Values to sweep, in SI.  The default is 17 values within plus and minus `default_range`."""
    if values is None:
        return np.linspace(-default_range, default_range, 17)
    row = np.atleast_1d(arguments.numbers(where, name, values, unit))
    if row.ndim != 1 or not row.size:
        raise ArgumentError(f"{where}: {name}: expected a row of finite numbers [{unit}]")
    return row


class WheelPose:
    """Pose and velocity of a wheel at a travel [m].  Messages begin with `where`."""

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
        """Unit vector of the axle, to the left."""
        return self.R[:, 1]

    def hardpoint(self, name: str) -> np.ndarray:
        """Position of a hardpoint of the knuckle [m]."""
        return self.p + self.R @ (self.linkage.point(name) - self.start)

    def contact_arm(self, n=UP) -> np.ndarray:
        """Vector from the wheel center to the contact with ground of unit normal n [m].  SU.3"""
        downward = self.axle * (self.axle @ n) - n
        return self.radius * downward / np.linalg.norm(downward)

    def contact_point(self, n=UP) -> np.ndarray:
        """Position of the contact with the ground [m]."""
        return self.p + self.contact_arm(n)

    def contact_path(self, n=UP) -> np.ndarray:
        """Velocity of the knuckle's point at the contact, per unit of travel."""
        return self.u + np.cross(self.w, self.contact_arm(n))

    def camber_angle(self, n=UP) -> float:
        """Camber against the ground of normal n [rad], negative with the top inward.  SU.1"""
        return float(-self.side * np.arcsin(np.clip(self.axle @ n, -1, 1)))

    def steer_angle(self, n=UP) -> float:
        """Angle between the headings of wheel and car, positive to the left [rad].  SU.1"""
        heading, forward = np.cross(self.axle, n), np.array([1.0, 0.0, 0.0])
        return float(np.arctan2(heading @ np.cross(n, forward), heading @ forward))

    @property
    def kingpin_axis(self) -> tuple[np.ndarray, np.ndarray]:
        """Steering axis: lower ball joint [m], and the vector to its upper point [m]."""
        name, moves = self.linkage.kingpin
        low = self.hardpoint("lower_ball_at")
        return low, (self.hardpoint(name) if moves else self.linkage.point(name)) - low
