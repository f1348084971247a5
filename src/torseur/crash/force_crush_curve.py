"""The direct force-crush curve of a test, and the law that a model of it starts with."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError
from .criteria.cfc import cfc
from .criteria.metric_value import convert_to_si, positive, read_quantity
from .criteria.pulse import PulseMotion


@dataclass(frozen=True, slots=True, eq=False)
class ForceCrush:
    """Force [N] against crush [m] in the order of time [s]; `mass` [kg], `speed` [m/s] before."""

    time: np.ndarray = field(repr=False)
    crush: np.ndarray = field(repr=False)
    force: np.ndarray = field(repr=False)
    mass: float
    speed: float
    channels: tuple[Any, ...] = ()  # the accelerometers it comes from

    @property
    def max_crush_index(self) -> int:
        """Index of the largest crush."""
        return int(self.crush.argmax())

    @property
    def work(self) -> float:
        """Work up to the largest crush [J]."""
        x, F = self.crush[: self.max_crush_index + 1], self.force[: self.max_crush_index + 1]
        return float(np.sum(np.diff(x) * (F[1:] + F[:-1]) / 2))

    def points(self, spacing: float | str = 0.025) -> tuple[tuple[float, float], ...]:
        """Points (crush [m], force [N]) every `spacing` [m] up to the largest crush.

        The forces are a least-squares polyline, so that the work between two points is that of the
        curve.
        """
        spacing = read_quantity("points", "spacing", spacing, "m")
        positive("points", spacing=spacing)
        x, F = (
            np.maximum.accumulate(self.crush[: self.max_crush_index + 1]),
            self.force[: self.max_crush_index + 1],
        )
        grows = np.concatenate([[True], np.diff(x) > 0])
        x, F = x[grows], F[grows]
        knots = np.append(np.arange(0, x[-1] - spacing / 2, spacing), x[-1])
        even = np.linspace(0, x[-1], max(20 * knots.size, 2))
        hats = np.array([np.interp(even, knots, e) for e in np.eye(knots.size)[1:]]).T
        forces = np.linalg.lstsq(hats, np.interp(even, x, F), rcond=None)[0]
        return (
            (0.0, 0.0),
            *((float(d), max(float(f), 0.0)) for d, f in zip(knots[1:], forces, strict=True)),
        )

    def unloading(self) -> float:
        """Slope [N/m] that gives back the kinetic energy of the rebound from the last force."""
        end = self.points()[-1][1]
        path = self.crush[self.max_crush_index :]
        speeds = (
            np.gradient(path, self.time[self.max_crush_index :]) if path.size > 2 else np.zeros(1)
        )
        back = max(-speeds.min(), 1e-3 * self.speed)
        return float(end**2 / (self.mass * back**2))

    def law(self, spacing: float | str = 0.025, unloading=None, **options) -> Any:
        """A `ts.Crush` of this curve.  The default of `unloading` [N/m] follows from the rebound.

        It is steeper than every segment of the curve, as the law requires.
        """
        from ..forces import Crush

        points = self.points(spacing)
        steepest = max((b[1] - a[1]) / (b[0] - a[0]) for a, b in pairwise(points))
        slope = max(
            convert_to_si("law", unloading=unloading or self.unloading())[0], 1.05 * steepest
        )
        return Crush(points, slope, **options)


def force_crush(test, channels, mass, speed, channel_class, force) -> ForceCrush:
    """See `Test.force_crush`."""
    mass, speed = test.required_number("mass", mass), test.required_number("speed", speed)
    positive("force_crush", mass=mass, speed=speed)
    channels = tuple(channels or test.cabin())
    time, a = test.mean(*channels)
    path = PulseMotion(time, cfc(time, a, 180), speed)
    if force == "inertia":
        F = -mass * np.interp(path.time, time, cfc(time, a, channel_class))
    elif force == "barrier":
        F = np.interp(path.time, *test.barrier_force(channel_class))
    else:
        raise ArgumentError(f"force_crush: force={force!r}: expected 'inertia' or 'barrier'")
    if path.v.min() > 0:
        raise ArgumentError(
            f"force_crush: the car still drives at {path.v.min():.3g} m/s; the record is too short"
        )
    return ForceCrush(path.time, path.x, F, mass, speed, channels)


def front_of(test: Any, **options: Any) -> Any:
    """A vehicle of one mass, `car`, whose member `front` has the test's own force-crush curve.

    `options` are those of `test.force_crush`; the width of the front is that of the whole car.
    """
    from ..model import Body
    from .scene.members import Member
    from .scene.vehicle import SIZE, Vehicle

    curve = test.force_crush(**options)
    front = Member("front", "car", law=curve.law(), width=SIZE[1])
    return Vehicle(str(test.name), (Body("car", mass=float(curve.mass)),), (front,))
