"""Free translation without turning, in three sorts of coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..errors import ArgumentError
from ..register import derived
from ..scalars import matrix, vector
from ..spatial import Pose, axial
from . import _positions as positions
from .base import TURN, AbstractJoint, SimpleJoint, joint

SPEEDS = ("rates", "world")


@joint
@dataclass(frozen=True, slots=True)
class Translation(AbstractJoint):
    """M moves anywhere and keeps the axes of F.

    `position` says the coordinates of M's origin in F: "cartesian" (px, py, pz [m]), "cylindrical"
    (radius [m], azimuth [rad] about z, height [m]) or "spherical" (radius [m], azimuth [rad] about
    z, elevation [rad] above the plane of x and y).  `speeds`: their "rates" (default), or the
    velocity in axes of F, "world" [m/s].  Theory: JO.6.

    Coordinates other than Cartesian are singular at the radius 0 (and straight up or down, when
    spherical): a run has an event before.

    >>> Translation("spherical").coordinates
    (('radius', 'm'), ('azimuth', 'rad'), ('elevation', 'rad'))
    """

    picture: ClassVar = "gantry"

    position: str = "cartesian"
    speeds_in: str | None = None

    def __init__(self, position: str = "cartesian", speeds: str | None = None):
        object.__setattr__(self, "position", position)
        object.__setattr__(self, "speeds_in", speeds)
        _ = positions.named(position, "Translation")
        if speeds is not None and speeds not in SPEEDS:
            raise ArgumentError(f"Translation(speeds={speeds!r}): expected {', '.join(SPEEDS)}")

    @derived
    def coordinates(self):
        return positions.named(self.position, "Translation")

    @derived
    def speeds_are(self):
        own = self.position == "cartesian" or self.speeds_in in (None, "rates")
        return "rates" if own else "velocity"

    @derived
    def speeds(self):
        return positions.RATES[self.position if self.holonomic else "cartesian"]

    @derived
    def holonomic(self):
        return self.speeds_are == "rates"

    def pose(self, K, q):
        return Pose(p=positions.place(K, self.position, q))

    def steps(self):
        return positions.slides(self.position)

    def simple(self):
        return tuple(SimpleJoint(f"_{c}", "slide", c) for c in "xyz")

    def _linear(self, rows):
        return matrix([*((0, 0, 0),) * 3, *rows])

    def subspace(self, K, q):
        kind = self.position if self.holonomic else "cartesian"
        return self._linear(positions.slope(K, kind, q))

    def subspace_rate(self, K, q, v):
        kind = self.position if self.holonomic else "cartesian"
        return self._linear(positions.slope_rate(K, kind, q, v))

    def rates(self, K, q, v):
        return v if self.holonomic else positions.rates(K, self.position, q, vector(v))

    def speeds_from(self, K, q, qdot):
        return qdot if self.holonomic else positions.slope(K, self.position, q) @ qdot

    def closure(self, K, X_FM):
        return axial(X_FM.R)

    @derived
    def closing(self):
        return TURN

    def flipped(self, R):
        return bool(np.trace(R) < 2)

    def divisors(self, names):
        return () if self.holonomic else positions.divisors(self.position, names)

    def edges(self, K, q):
        return positions.edges(K, self.position, q)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls(),
            cls("cylindrical"),
            cls("spherical"),
            cls("cylindrical", "world"),
            cls("spherical", "world"),
        )
