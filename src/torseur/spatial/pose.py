"""Poses: position and orientation of a frame B in a frame A."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..scalars import matrix, vector
from .rotation_types import NONE, GeneralRotation, PlanarRotation, RightAngleRotation, turn
from .screws import Twist, Wrench
from .vectors import ZERO3, cross, none


@dataclass(frozen=True, slots=True, eq=False, init=False)
class Pose:
    """`X_AB`, the pose of frame B in frame A; chains cancel: `X_AC = X_AB @ X_BC`.

    Parameters
    ----------
    R : 3 x 3 matrix, columns are B's axes in A; or a turn; or several turns, outermost first
    p : position of B's origin in A [m]

    >>> X = Pose(p=(1, 2, 3))
    >>> (X @ X.inverse()).p
    array([0, 0, 0], dtype=object)
    """

    turns: tuple
    p: np.ndarray

    def __init__(self, R: Any = NONE, p: Any = ZERO3):
        if not isinstance(R, tuple):
            R = (R if isinstance(R, GeneralRotation | PlanarRotation) else turn(R),)
        object.__setattr__(self, "turns", R)
        object.__setattr__(self, "p", p if isinstance(p, np.ndarray) else vector(p))

    @property
    def R(self) -> np.ndarray:
        """Rotation matrix: columns are B's axes in A."""
        R = self.turns[0].matrix
        for t in self.turns[1:]:
            R = R @ t.matrix
        return R

    def decisive(self):
        """Numbers for the digest, independent of the type of rotation."""
        return (("R", self.R), ("p", self.p))

    def matrix(self) -> np.ndarray:
        """Homogeneous 4 x 4 matrix."""
        T = matrix(((0, 0, 0, 0),) * 3 + ((0, 0, 0, 1),))
        T[:3, :3], T[:3, 3] = self.R, self.p
        return T

    def rotate(self, x):
        """Components in A of a free vector given in B."""
        for t in reversed(self.turns):
            x = t.rotate(x)
        return x

    def unrotate(self, x):
        """Components in B of a free vector given in A."""
        for t in self.turns:
            x = t.unrotate(x)
        return x

    def tensor(self, J6):
        """Components xx, yy, zz, xy, xz, yz in A of a symmetric tensor given in B."""
        for t in reversed(self.turns):
            J6 = t.tensor(J6)
        return J6

    def dyad(self, T):
        """Components in A of any 3 x 3 tensor given in B: `R T R^T`."""
        for t in reversed(self.turns):
            T = t.dyad(T)
        return T

    def __matmul__(self, other: Pose) -> Pose:
        p = self.p if none(other.p) else self.p + self.rotate(other.p)
        turns = tuple(t for t in self.turns + other.turns if t is not NONE)
        planar = sum(isinstance(t, PlanarRotation) for t in turns)
        if len(turns) < 2:
            return Pose(turns or NONE, p)
        if planar <= 3 and all(isinstance(t, PlanarRotation | RightAngleRotation) for t in turns):
            return Pose(turns, p)  # cheaper one after the other than as a product
        return Pose(turn(self.R @ other.R), p)

    def inverse(self) -> Pose:
        turns = tuple(t.inverse() for t in reversed(self.turns))
        return Pose(turns, ZERO3 if none(self.p) else -self.unrotate(self.p))

    def point(self, x):
        """Components in A of the point whose components in B are `x`."""
        return self.p + self.rotate(x)

    def pull_twist(self, V: Twist) -> Twist:
        """Twist given at A's origin in A, taken at B's in B: `V_B = X_AB.pull_twist(V_A)`."""
        return Twist(
            self.unrotate(V.angular), self.unrotate(V.linear + cross(V.angular, self.p))
        )  # SA.4

    def push_twist(self, V: Twist) -> Twist:
        """Inverse of `pull_twist`: `Ad(X_AB) V_B`."""
        w = self.rotate(V.angular)
        return Twist(w, self.rotate(V.linear) + cross(self.p, w))

    def push_wrench(self, F: Wrench) -> Wrench:
        """Wrench given at B's origin in B, taken at A's in A: `F_A = X_AB.push_wrench(F_B)`."""
        f = self.rotate(F.force)
        return type(F)(self.rotate(F.moment) + cross(self.p, f), f)  # SA.5

    def pull_wrench(self, F: Wrench) -> Wrench:
        """Inverse of `push_wrench`."""
        return type(F)(self.unrotate(F.moment - cross(self.p, F.force)), self.unrotate(F.force))

    push_momentum, pull_momentum = push_wrench, pull_wrench

    def adjoint(self) -> np.ndarray:
        """6 x 6 matrix of `push_twist`; its inverse transpose is that of `push_wrench`."""
        columns = [self.push_twist(Twist.of(e)).array for e in np.eye(6, dtype=int).astype(object)]
        return matrix(columns).T


IDENTITY = Pose()
