"""Cam synthesis for spring balancing: pitch curve, profile, pressure angle, curvature.

A roller on a slide compresses the spring.  The cam rotates with the link.  Equations BA.9 to BA.12.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError, TorseurError
from ...scalars import arguments
from ...views import PrintedAnswer


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Cam(PrintedAnswer):
    """Cam profile, sampled over the angle of the link.

    `angle` [rad], `deflection` of the spring [m], `arm` of its force [m], `force` [N] and `moment`
    [N m] have one value per sample.  `pitch` (path of the roller center) and `profile` (surface to
    cut) are (n, 2) in the frame of the cam [m].  `pressure_angle` is in rad.  `curvature` is the
    radius of the pitch curve [m], negative where the curve is concave.
    """

    angle: np.ndarray
    deflection: np.ndarray
    arm: np.ndarray
    force: np.ndarray
    moment: np.ndarray
    pitch: np.ndarray
    profile: np.ndarray
    pressure_angle: np.ndarray
    curvature: np.ndarray

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the samples as CSV, with units in the header."""
        from ...files import write

        head = (
            "angle [rad],deflection [m],arm [m],force [N],moment [N m],pitch x [m],pitch y [m],"
            "profile x [m],profile y [m],pressure angle [rad],radius of curvature [m]"
        )
        rows = np.column_stack(
            [
                self.angle,
                self.deflection,
                self.arm,
                self.force,
                self.moment,
                self.pitch,
                self.profile,
                self.pressure_angle,
                self.curvature,
            ]
        )
        lines = [head, *(",".join(f"{x:.12g}" for x in row) for row in rows)]
        write(path, "\n".join(lines) + "\n")


def design_cam(
    moment: ArrayLike | Callable[[np.ndarray], ArrayLike],
    angles: ArrayLike,
    *,
    stiffness: float | str,
    deflection: float | str,
    at: float = np.pi / 2,
    base_radius: float = 0.1,
    roller_radius: float = 0.01,
    offset: float = 0.0,
    largest_pressure: float | None = None,
) -> Cam:
    """Design the cam by which a linear spring balances a moment.

    Parameters
    ----------
    moment : W of `W cos(angle)` [N m], a function of the angle, or values at `angles`
    angles : angles of the link [rad], increasing
    stiffness, deflection : stiffness of the spring [N/m], and its deflection [m] at the angle `at`
    base_radius : distance of the roller center from the axis at the least deflection [m]
    roller_radius : radius of the roller [m].  A pitch curve with a smaller radius raises an error
        (undercut).
    offset : offset of the slide from the axis [m]
    largest_pressure : largest allowed pressure angle [rad]

    >>> import numpy as np
    >>> made = design_cam(283.97007, np.radians([0, 30, 60]), stiffness=2e4, deflection=0.15)
    >>> made.deflection.round(10)
    array([0.22560365, 0.19156853, 0.16218655])
    >>> made.arm.round(10)
    array([0.06293561, 0.06418729, 0.04377214])
    """
    angles = np.atleast_1d(arguments.numbers("design_cam", "angles", angles, "rad"))
    stiffness = arguments.number("design_cam", "stiffness", stiffness, "N/m")
    deflection = arguments.number("design_cam", "deflection", deflection, "m")
    at = arguments.number("design_cam", "at", at, "rad")
    base_radius = arguments.number("design_cam", "base_radius", base_radius, "m")
    roller_radius = arguments.number("design_cam", "roller_radius", roller_radius, "m")
    offset = arguments.number("design_cam", "offset", offset, "m")
    if largest_pressure is not None:
        largest_pressure = arguments.number(
            "design_cam", "largest_pressure", largest_pressure, "rad"
        )
    if angles.ndim != 1 or not angles.size or (np.diff(angles) <= 0).any():
        raise ArgumentError("design_cam: angles= must grow [rad]")
    if np.ptp(angles) > 4 * np.pi:
        raise ArgumentError(
            f"design_cam: angles= go over {np.ptp(angles):g} rad, more than two turns; write "
            "np.radians(angles) for degrees"
        )
    for name, x in (("stiffness", stiffness), ("base_radius", base_radius)):
        if not x > 0:
            raise ArgumentError(f"design_cam: {name} = {x:g}: expected more than zero")
    M, slope, work = _moment_curves(moment, angles, at)
    square = deflection**2 + 2 * work(angles) / stiffness  # BA.9
    if (square <= 0).any():
        k = int(np.argmin(square))
        need = np.sqrt(deflection**2 - square[k])
        raise TorseurError(
            f"design_cam: at {angles[k]:.4g} rad the spring would have given more work than it "
            f"holds; press it by more than {need:.4g} m at {at:.4g} rad (now {deflection:g} m)"
        )
    x = np.sqrt(square)
    m = M(angles)
    dx = -m / (stiffness * x)  # BA.10
    ddx = -(slope(angles) + stiffness * dx**2) / (stiffness * x)
    deflections = x, dx, ddx
    radii = base_radius, roller_radius, offset
    return _cam_geometry(angles, deflections, m, stiffness, radii, largest_pressure)


def _moment_curves(
    moment: Any, angles: np.ndarray, at: float
) -> tuple[Callable, Callable, Callable]:
    """The moment [N m], its derivative by the angle, and its work from an angle to `at` [J]."""
    if not callable(moment):
        moment = arguments.numbers("design_cam", "moment", moment, "N m")
    if callable(moment) or moment.ndim:
        from scipy.interpolate import make_interp_spline

        low, high = min(angles[0], at), max(angles[-1], at)
        grid = np.linspace(low, high, 2001) if callable(moment) else angles
        if callable(moment):
            values = np.array([moment(a) for a in grid], dtype=float)
        else:
            values = moment
            if values.shape != angles.shape or len(angles) < 4:
                raise ArgumentError("design_cam: moment= needs one value an angle, four or more")
        f = make_interp_spline(grid, values, 3)
        F = f.antiderivative()
        return f, f.derivative(), lambda a: F(at) - F(a)
    W = float(moment)
    return (
        lambda a: W * np.cos(a),
        lambda a: -W * np.sin(a),
        lambda a: W * (np.sin(at) - np.sin(a)),
    )


def _cam_geometry(
    angles: np.ndarray,
    deflections: tuple[np.ndarray, np.ndarray, np.ndarray],
    moment: np.ndarray,
    stiffness: float,
    radii: tuple[float, float, float],
    largest: float | None,
) -> Cam:
    """Pitch curve, profile, pressure angle and radius of curvature.  # BA.11, BA.12

    `deflections` are those of the spring, with their first two derivatives by the angle.  `radii`
    are base circle, roller, and offset of the slide [m].
    """
    x, dx, ddx = deflections
    base, roller, offset = radii
    lift = x - x.min()
    reach = np.sqrt(base**2 - offset**2) + lift
    # the roller's center in the cam's frame: the slide is fixed, the cam rotates by `angle`
    c, s = np.cos(-angles), np.sin(-angles)

    def rotate(u: np.ndarray, v: np.ndarray):
        return np.column_stack([c * u - s * v, s * u + c * v])

    one = np.full_like(reach, offset)
    pitch = rotate(reach, one)
    d1 = rotate(dx + one, -reach)  # by the angle
    d2 = rotate(ddx - reach, -2 * dx - one)
    speed = np.linalg.norm(d1, axis=1)
    bend = -(d1[:, 0] * d2[:, 1] - d1[:, 1] * d2[:, 0])
    with np.errstate(divide="ignore"):
        radius = speed**3 / bend
    normal = np.column_stack([-d1[:, 1], d1[:, 0]]) / speed[:, None]  # left of the curve
    inward = normal * np.where((normal * pitch).sum(axis=1) < 0, 1, -1)[:, None]
    profile = pitch + roller * inward
    pressure = np.arctan((dx + offset) / reach)
    tight = (radius > 0) & (radius < roller)
    if tight.any():
        i = int(np.argmin(np.where(tight, radius, np.inf)))
        raise TorseurError(
            f"design_cam: undercut at {angles[i]:.4g} rad: the pitch curve bends with "
            f"{radius[i]:.4g} m, tighter than the roller's {roller:g} m "
            f"by {roller - radius[i]:.4g} m; use a smaller roller, a larger "
            f"base_radius (now {base:g} m) or a stiffer spring"
        )
    if largest is not None and abs(pressure).max() > largest:
        i = int(np.argmax(abs(pressure)))
        raise TorseurError(
            f"design_cam: the pressure angle is {np.degrees(abs(pressure[i])):.4g} deg at "
            f"{angles[i]:.4g} rad, {np.degrees(abs(pressure[i]) - largest):.3g} deg above the "
            f"largest allowed; use a larger base_radius (now {base:g} m)"
        )
    force = stiffness * x
    return Cam(angles, x, abs(dx), force, moment, pitch, profile, pressure, radius)


__all__ = ["Cam", "design_cam"]
