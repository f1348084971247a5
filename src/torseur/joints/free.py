"""Any motion, in several coordinates and speeds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from ..errors import ArgumentError
from ..register import derived
from ..scalars import matrix, vector
from ..spatial import ONE3, ZERO3, Pose, skew, slide, unslide
from . import _positions as positions
from .base import AbstractJoint, SimpleJoint, joint
from .spherical import Spherical

SPEEDS = ("body", "world", "mixed", "rates", "vehicle")
ANGULAR = {"mixed": "body", "vehicle": "rates"}  # what the ball's own speeds are


@joint
@dataclass(frozen=True, slots=True)
class Free(AbstractJoint):
    """Six degrees of freedom: position of M in F, then its orientation.

    `orientation` and `angles` are as `kind` and `angles` of `Spherical`: "quaternion", a sequence
    such as "zyx", or "auto".  `position` is as in `Translation`: "cartesian" (components in F),
    "cylindrical" or "spherical".  `speeds` says what v is:

    - "body": angular velocity, then velocity of M's origin, both in M (default with a quaternion)
    - "world": both in F
    - "mixed": angular velocity in M, velocity in F
    - "rates": the coordinates' rates, position first (default with angles, only with angles)
    - "vehicle": rates of the angles, then velocity in M: pseudo-velocities of Fayet et al., 2005

    >>> Free().nq, Free().nv, Free("zyx").speeds[0]
    (7, 6, ('vx', 'm/s'))
    >>> Free("yxz", position="cylindrical").coordinates[:2]
    (('radius', 'm'), ('azimuth', 'rad'))
    """

    picture: ClassVar = "free"

    orientation: str = "quaternion"
    speeds_in: str | None = None
    read_as: str | None = None
    position: str = "cartesian"

    def __init__(
        self,
        orientation: str = "quaternion",
        speeds: str | None = None,
        angles: str | None = None,
        position: str = "cartesian",
    ):
        given = (orientation, speeds, angles, position)
        for name, x in zip(("orientation", "speeds_in", "read_as", "position"), given, strict=True):
            object.__setattr__(self, name, x)
        if self.speeds_are not in SPEEDS:
            raise ArgumentError(f"Free(speeds={speeds!r}): expected one of {', '.join(SPEEDS)}")
        turning = orientation in ("quaternion", "auto")
        if self.speeds_are in ("rates", "vehicle") and turning:
            raise ArgumentError(f"Free(speeds={speeds!r}) needs angles, such as orientation='zyx'")
        _ = self.coordinates

    @derived
    def speeds_are(self) -> str:
        turning = self.orientation in ("quaternion", "auto")
        return self.speeds_in or ("body" if turning else "rates")

    @derived
    def ball(self) -> Spherical:
        kind = self.speeds_are
        return Spherical(self.orientation, ANGULAR.get(kind, kind), self.read_as)

    @derived
    def coordinates(self):
        return positions.named(self.position, "Free") + self.ball.coordinates

    @derived
    def speeds(self):
        if self.holonomic:
            return positions.RATES[self.position] + self.ball.speeds
        return self.ball.speeds + positions.RATES["cartesian"]

    @derived
    def quaternion(self):
        return 3 if self.ball.quaternion is not None else None

    @derived
    def holonomic(self):
        return self.speeds_are == "rates"

    @derived
    def _own(self) -> bool:
        """Whether the velocity is that in M."""
        return self.speeds_are in ("body", "vehicle")

    def steps(self):
        slides = positions.slides(self.position) if self.quaternion is None else ()
        return slides and (*slides, *(replace(s, index=3 + s.index) for s in self.ball.steps()))

    def simple(self):
        return (SimpleJoint("", "free"),)

    def _rotation_joint(self, K, q):
        return self.ball.pose(K, q[3:])

    def pose(self, K, q):
        return Pose(self._rotation_joint(K, q).turns, positions.place(K, self.position, q[:3]))

    def _blocks(self, angular, linear):
        o = matrix((ZERO3,) * 3)
        rows = ([o, angular], [linear, o]) if self.holonomic else ([angular, o], [o, linear])
        return matrix([*np.hstack(rows[0]), *np.hstack(rows[1])])

    def subspace(self, K, q):
        turn = self._rotation_joint(K, q).R.T
        if self.holonomic and self.position != "cartesian":
            linear = turn @ positions.slope(K, self.position, q[:3])
        else:
            linear = ONE3 if self._own else turn
        return self._blocks(self.ball.subspace(K, q[3:])[:3], linear)

    def subspace_rate(self, K, q, v):
        angular, o = v[3:] if self.holonomic else v[:3], matrix((ZERO3,) * 3)
        turning = self.ball.subspace_rate(K, q[3:], angular)[:3]
        if self._own:
            return self._blocks(turning, o)
        turn = self._rotation_joint(K, q).R.T
        w = self.ball.subspace(K, q[3:])[:3] @ angular
        linear = -(skew(w) @ turn)  # JO.4
        if self.holonomic and self.position != "cartesian":
            c = q[:3], v[:3]
            linear = linear @ positions.slope(K, self.position, c[0]) + turn @ (
                positions.slope_rate(K, self.position, *c)
            )  # JO.6
        return self._blocks(turning, linear)

    def rates(self, K, q, v):
        if self.holonomic:
            return v
        u = self._rotation_joint(K, q).rotate(vector(v[3:])) if self._own else vector(v[3:])
        position = positions.rates(K, self.position, q[:3], u)
        return np.concatenate([position, self.ball.rates(K, q[3:], vector(v[:3]))])

    def speeds_from(self, K, q, qdot):
        if self.holonomic:
            return qdot
        u = positions.slope(K, self.position, q[:3]) @ qdot[:3]
        u = self._rotation_joint(K, q).unrotate(u) if self._own else u
        return np.concatenate([self.ball.speeds_from(K, q[3:], qdot[3:]), u])

    def closure(self, K, X_FM):
        return vector(())

    def neutral(self):
        return np.concatenate([np.zeros(3), self.ball.neutral()])

    def integrate(self, K, q, dv):
        if self.quaternion is None:
            return AbstractJoint.integrate(self, K, q, dv)
        turned, w, u = self.ball.integrate(K, q[3:], dv[:3]), vector(dv[:3]), vector(dv[3:])
        if self.position != "cartesian":
            u = self._rotation_joint(K, q).rotate(u) if self._own else u
            return np.concatenate([q[:3] + positions.rates(K, self.position, q[:3], u), turned])
        u = self._rotation_joint(K, q).rotate(slide(K, w, u)) if self._own else u  # EX.5
        return np.concatenate([q[:3] + u, turned])

    def difference(self, K, q0, q1):
        if self.quaternion is None:
            return AbstractJoint.difference(self, K, q0, q1)
        w = self.ball.difference(K, q0[3:], q1[3:])
        u = positions.slope(K, self.position, q0[:3]) @ (q1[:3] - q0[:3])
        if self._own:
            u = self._rotation_joint(K, q0).unrotate(u)
            u = unslide(K, w, u) if self.position == "cartesian" else u  # EX.6
        return np.concatenate([w, u])

    def divisors(self, names):
        own = () if self.holonomic else positions.divisors(self.position, names[:3])
        return (*own, *self.ball.divisors(names[3:]))

    def edges(self, K, q):
        return (*positions.edges(K, self.position, q[:3]), *self.ball.edges(K, q[3:]))

    @derived
    def readings(self):
        return self.ball.readings

    def read(self, q):
        return self.ball.read(q[:, 3:])

    def entered(self, readings):
        return self.ball.entered(readings)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls(),
            cls(speeds="world"),
            cls(speeds="mixed"),
            cls("zyx"),
            cls("xyz", "body"),
            cls("zxz", "world"),
            cls("zyx", "vehicle"),
            cls("yzx", "mixed"),
            cls("auto", angles="xzx", position="cylindrical"),
            cls("zyx", position="spherical"),
        )
