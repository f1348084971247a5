"""Any turn about a point, in four parametrisations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..errors import ArgumentError
from ..numbers import vector
from ..spatial import (
    SEQUENCES,
    Pose,
    exp_quaternion,
    log_quaternion,
    quaternion_product,
    quaternion_rates,
    quaternion_to_matrix,
)
from ._sequence import SequenceJoint, Step
from .base import PLACE, AbstractJoint, joint

E3 = ((1, 0, 0), (0, 1, 0), (0, 0, 1))


@joint
@dataclass(frozen=True, slots=True)
class Spherical(SequenceJoint):
    """Ball joint.

    `kind` is "quaternion" (unit, scalar first; the speeds are the angular velocity of M in F,
    components in M [rad/s]) or an intrinsic sequence of angles, "zxz" (Euler), "xyz" (Bryant),
    "zyx" (yaw, pitch, roll), whose speeds are the angles' rates.

    >>> Spherical().nq, Spherical("zxz").nq
    (4, 3)
    """

    kind: str = "quaternion"

    def __post_init__(self):
        if self.kind != "quaternion" and self.kind not in SEQUENCES:
            raise ArgumentError(
                f"Spherical({self.kind!r}): expected 'quaternion', "
                + ", ".join(map(repr, SEQUENCES))
            )

    @property
    def coordinates(self):
        if self.kind == "quaternion":
            return (("qw", "1"), ("qx", "1"), ("qy", "1"), ("qz", "1"))
        return (("angle1", "rad"), ("angle2", "rad"), ("angle3", "rad"))

    @property
    def speeds(self):
        return (("rate1", "rad/s"), ("rate2", "rad/s"), ("rate3", "rad/s"))

    @property
    def quaternion(self):
        return 0 if self.kind == "quaternion" else None

    @property
    def holonomic(self):
        return self.kind != "quaternion"

    def steps(self):
        return tuple(Step(True, E3[k], i) for i, k in enumerate(SEQUENCES[self.kind]))

    def pose(self, K, q):
        if self.kind == "quaternion":
            return Pose(quaternion_to_matrix(q))
        return SequenceJoint.pose(self, K, q)

    def subspace(self, K, q):
        if self.kind == "quaternion":
            return vector(int(i == j) for i in range(6) for j in range(3)).reshape(6, 3)
        return SequenceJoint.subspace(self, K, q)

    def subspace_rate(self, K, q, v):
        if self.kind == "quaternion":
            return AbstractJoint.subspace_rate(self, K, q, v)
        return SequenceJoint.subspace_rate(self, K, q, v)

    def rates(self, K, q, v):
        return quaternion_rates(q) @ v if self.kind == "quaternion" else v

    def speeds_from(self, K, q, qdot):
        return 4 * (quaternion_rates(q).T @ qdot) if self.kind == "quaternion" else qdot

    def closure(self, K, X_FM):
        return X_FM.p

    @property
    def closing(self):
        return PLACE

    @property
    def meets(self):
        return True

    def neutral(self):
        return np.eye(4)[0] if self.kind == "quaternion" else np.zeros(3)

    def integrate(self, K, q, dv):
        if self.kind == "quaternion":
            return quaternion_product(q, exp_quaternion(K, dv))
        return q + dv

    def difference(self, K, q0, q1):
        if self.kind == "quaternion":
            return log_quaternion(K, quaternion_product(vector((q0[0], *(-q0[1:]))), q1))
        return q1 - q0

    def constants(self):
        return ()

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        return (*map(cls, ("quaternion", "zxz", "xyz", "zyx")),)
