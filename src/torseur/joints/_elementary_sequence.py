"""Joints as products of elementary rotations about and translations along axes."""

from __future__ import annotations

import abc
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ..scalars import matrix, vector
from ..scalars.values import value
from ..spatial import IDENTITY, ZERO3, Pose, Twist, axis_rotation
from ._axes import across, along, sides, unit_axis
from .base import AbstractJoint


@dataclass(frozen=True, slots=True, eq=False)
class ElementaryStep:
    """One elementary motion: rotation about (`turn`) or translation along `axis`, by coordinate
    `index`.
    """

    turn: bool
    axis: tuple
    index: int

    def pose(self, K, q) -> Pose:
        axis = K.numbers(self.axis)
        if self.turn:
            return Pose(axis_rotation(K, axis, q[self.index]))
        return Pose(p=along(axis, q[self.index]))

    def twist(self, K, rate) -> Twist:
        u = along(K.numbers(self.axis), rate)
        return Twist(u, ZERO3) if self.turn else Twist(ZERO3, u)


class SequenceJoint(AbstractJoint):
    """`X_FM` is the product of the steps' poses.  The rest follows from it.  JO.1 to JO.3."""

    __slots__ = ()

    @abc.abstractmethod
    def steps(self) -> tuple[ElementaryStep, ...]:
        """The elementary motions, from F to M."""

    def pose(self, K, q):
        X = IDENTITY
        for step in self.steps():
            X = X @ step.pose(K, q)  # JO.1
        return X

    def subspace(self, K, q):
        S = matrix(((0,) * self.nv,) * 6)
        X = IDENTITY  # from the step to M
        for step in reversed(self.steps()):
            S[:, step.index] = X.pull_twist(step.twist(K, 1)).array  # JO.2
            X = step.pose(K, q) @ X
        return S

    def subspace_rate(self, K, q, v):
        dS = matrix(((0,) * self.nv,) * 6)
        X, V = IDENTITY, Twist()  # of M, seen from the step; components in M
        for step in reversed(self.steps()):
            s = X.pull_twist(step.twist(K, 1))
            dS[:, step.index] = s.cross(V).array  # JO.3
            V = V + s * v[step.index]
            X = step.pose(K, q) @ X
        return dS

    def constants(self):
        return tuple(e for step in self.steps() for e in step.axis)


def misalignment(K, R, axis) -> np.ndarray:
    """Two residuals that vanish when R keeps the direction of `axis` (or reverses it).

    They are small rotations about the second perpendicular direction, then about the first.
    """
    turned = R @ K.numbers(unit_axis(axis))
    first, second = across(axis)
    return vector((K.numbers(first) @ turned, -(K.numbers(second) @ turned)))


def tilt_components(axis) -> tuple[tuple[str, str], ...]:
    """Labels and units of `misalignment`."""
    return tuple((f"about_{side}", "rad") for side in reversed(sides(axis)))


def rotate_back(axis, R) -> bool:
    """Whether a rotation reverses an axis (floats)."""
    u = _direction(axis if isinstance(axis, str) else tuple(axis))
    return bool(u @ R @ u < 0)


@lru_cache(maxsize=64)
def _direction(axis) -> np.ndarray:
    """An axis in plain numbers."""
    return np.array([float(value.nominal(e, {})) for e in unit_axis(axis)])
