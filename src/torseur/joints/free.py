"""Any motion, in several coordinates and speeds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ArgumentError
from ..numbers import matrix, vector
from ..spatial import IDENTITY, ZERO3, Pose, cross, skew, slide, unslide
from .base import AbstractJoint, joint
from .spherical import Spherical

SPEEDS = ("body", "world", "mixed", "rates", "vehicle")
_XYZ = (("px", "m"), ("py", "m"), ("pz", "m"))


@joint
@dataclass(frozen=True, slots=True)
class Free(AbstractJoint):
    """Six degrees of freedom: position of M in F (components in F), then its orientation.

    `orientation` is as in `Spherical`.  `speeds` says what v is:

    - "body": angular velocity, then velocity of M's origin, both in M (default with a quaternion)
    - "world": both in F
    - "mixed": angular velocity in M, velocity in F
    - "rates": the coordinates' rates, position first (default with angles, only with angles)
    - "vehicle": rates of the angles, then velocity in M: the pseudo-velocities of document 000

    >>> Free().nq, Free().nv, Free("zyx").speeds[0]
    (7, 6, ('vx', 'm/s'))
    """

    orientation: str = "quaternion"
    speeds_in: str | None = None

    def __init__(self, orientation: str = "quaternion", speeds: str | None = None):
        object.__setattr__(self, "orientation", orientation)
        object.__setattr__(self, "speeds_in", speeds)
        ball = Spherical(orientation)
        if self.kind not in SPEEDS:
            raise ArgumentError(f"Free(speeds={speeds!r}): expected one of {', '.join(SPEEDS)}")
        if self.kind in ("rates", "vehicle") and not ball.holonomic:
            raise ArgumentError(f"Free(speeds={speeds!r}) needs angles, such as orientation='zyx'")

    @property
    def kind(self) -> str:
        return self.speeds_in or ("body" if self.orientation == "quaternion" else "rates")

    @property
    def ball(self) -> Spherical:
        return Spherical(self.orientation)

    @property
    def coordinates(self):
        return _XYZ + self.ball.coordinates

    @property
    def speeds(self):
        linear = (("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s"))
        angular = (("wx", "rad/s"), ("wy", "rad/s"), ("wz", "rad/s"))
        if self.kind == "rates":
            return linear + self.ball.speeds
        return (self.ball.speeds if self.kind == "vehicle" else angular) + linear

    @property
    def quaternion(self):
        return 3 if self.orientation == "quaternion" else None

    @property
    def holonomic(self):
        return self.kind == "rates"

    def _turns(self, K, q):
        return self.ball.pose(K, q[3:])

    def pose(self, K, q):
        return Pose(self._turns(K, q).turns, vector(q[:3]))

    def subspace(self, K, q):
        R, one, o = self._turns(K, q).R, IDENTITY.R, matrix((ZERO3,) * 3)
        if self.kind in ("rates", "vehicle"):
            E = self.ball.subspace(K, q[3:])[:3]
            rows = ([o, E], [R.T, o]) if self.kind == "rates" else ([E, o], [o, one])
        else:
            rows = (
                [one if self.kind != "world" else R.T, o],
                [o, one if self.kind == "body" else R.T],
            )
        return matrix([*np.hstack(rows[0]), *np.hstack(rows[1])])

    def subspace_rate(self, K, q, v):
        S = self.subspace(K, q)
        R, w = S[3:, :3] if self.kind == "rates" else S[3:, 3:], (S @ v)[:3]
        dE, dR, o = matrix((ZERO3,) * 3), -(skew(w) @ R), matrix((ZERO3,) * 3)  # JO.4
        if self.kind in ("rates", "vehicle"):
            angles = v[3:] if self.kind == "rates" else v[:3]
            dE = self.ball.subspace_rate(K, q[3:], angles)[:3]
        elif self.kind == "world":
            dE = dR
        if self.kind in ("body", "vehicle"):
            dR = o
        rows = ([o, dE], [dR, o]) if self.kind == "rates" else ([dE, o], [o, dR])
        return matrix([*np.hstack(rows[0]), *np.hstack(rows[1])])

    def rates(self, K, q, v):
        X, ball = self._turns(K, q), self.ball
        if self.kind == "rates":
            return v
        w, u = vector(v[:3]), vector(v[3:])
        position = X.rotate(u) if self.kind in ("body", "vehicle") else u
        if self.kind == "vehicle":
            return np.concatenate([position, w])
        w = X.unrotate(w) if self.kind == "world" else w
        if ball.quaternion is not None:
            return np.concatenate([position, ball.rates(K, q[3:], w)])
        K.need("divide", f"Free({self.orientation!r}, speeds={self.kind!r})")
        return np.concatenate([position, _solve3(K, ball.subspace(K, q[3:])[:3], w)])

    def speeds_from(self, K, q, qdot):
        if self.kind == "rates":
            return qdot
        X, ball = self._turns(K, q), self.ball
        linear = X.unrotate(qdot[:3]) if self.kind in ("body", "vehicle") else qdot[:3]
        if self.kind == "vehicle":
            return np.concatenate([qdot[3:], linear])
        w = (
            ball.speeds_from(K, q[3:], qdot[3:])
            if ball.quaternion is not None
            else ball.subspace(K, q[3:])[:3] @ qdot[3:]
        )
        return np.concatenate([X.rotate(w) if self.kind == "world" else w, linear])

    def closure(self, K, X_FM):
        return vector(())

    def neutral(self):
        return np.concatenate([np.zeros(3), self.ball.neutral()])

    def integrate(self, K, q, dv):
        if self.quaternion is None:
            return AbstractJoint.integrate(self, K, q, dv)
        X, w, u = self._turns(K, q), vector(dv[:3]), vector(dv[3:])
        w = X.unrotate(w) if self.kind == "world" else w
        u = X.rotate(slide(K, w, u)) if self.kind == "body" else u  # EX.5
        return np.concatenate([q[:3] + u, self.ball.integrate(K, q[3:], w)])

    def difference(self, K, q0, q1):
        if self.quaternion is None:
            return AbstractJoint.difference(self, K, q0, q1)
        X, u = self._turns(K, q0), q1[:3] - q0[:3]
        w = self.ball.difference(K, q0[3:], q1[3:])
        if self.kind == "body":
            return np.concatenate([w, unslide(K, w, X.unrotate(u))])  # EX.6
        return np.concatenate([X.rotate(w) if self.kind == "world" else w, u])

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (
            cls(),
            cls(speeds="world"),
            cls(speeds="mixed"),
            cls("zyx"),
            cls("xyz", "body"),
            cls("zxz", "world"),
            cls("zyx", "vehicle"),
            cls("xyz", "mixed"),
        )


def _solve3(K, E, w) -> np.ndarray:
    """Solve three equations by Cramer's rule."""
    a, b, c = E.T
    bc, ca, ab = cross(b, c), cross(c, a), cross(a, b)
    det = a @ bc
    return vector(K.divide(x @ w, det) for x in (bc, ca, ab))
