"""A joint with a time-dependent placement of its inboard frame (rheonomic).  RP.1 to RP.5.

The placement is a hidden joint whose coordinate is the time: its rate is one and its acceleration
zero, so nothing is solved for. The power of its wrench is supplied.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..register import derived
from ..scalars import Bound, Value, exact, symbol, symbols, vector
from ..spatial import Pose, Twist, angles_to_matrix
from .base import AbstractJoint
from .complex import ComplexJoint

TIME = "t"
"""The name of time in expressions, unless a parameter is declared under it."""


@dataclass(frozen=True, slots=True)
class MovingPlacement(ComplexJoint):
    """The pose of a moving frame F in its parent, as a function of time.

    `position` [m] and roll, pitch, yaw [rad] about fixed axes are exact numbers or expressions of
    `t` [s].  Its coordinate is the time, so its `subspace` is the twist of F and its `screw_slope`
    the rate of that twist, components in F.
    """

    position: tuple[Any, ...]
    rpy: tuple[Any, ...]

    def motion(self, K, s):
        at = Bound(K, {TIME: s}).number
        p = vector(at(x) for x in self.position)
        if not any(isinstance(x, Value) or x for x in self.rpy):
            return Pose(p=p)
        return Pose(angles_to_matrix(K, "zyx", [at(x) for x in self.rpy[::-1]]), p)

    @derived
    def expressions(self) -> tuple[Value, ...]:
        """Its numbers that depend on time."""
        return tuple(
            x for x in (*self.position, *self.rpy) if isinstance(x, Value) and TIME in symbols(x)
        )

    def constants(self):
        names = symbols(vector((*self.position, *self.rpy)))
        return tuple(symbol(n) for n in names if n != TIME)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (cls((0, exact("0.1*sin(t)"), 0), (exact("0.3*t"), 0, exact("t**2"))),)


@dataclass(frozen=True, slots=True)
class MovingBaseJoint(AbstractJoint):
    """A joint behind a moving frame, with the coordinates and speeds of the joint.

    `moves=False` fixes the placement at the current time, for gravity forces and self-stress.
    """

    inner: AbstractJoint
    carriage: MovingPlacement
    moves: bool = True

    rheonomic = True
    coordinates = derived(lambda self: self.inner.coordinates)
    speeds = derived(lambda self: self.inner.speeds)
    quaternion = derived(lambda self: self.inner.quaternion)
    holonomic = derived(lambda self: self.inner.holonomic)

    def __getattr__(self, name):
        """Attributes that only some joints have, such as `ball`."""
        if name.startswith("_") or name in ("screw_slope", "closed_form"):  # it is no function
            raise AttributeError(name)
        return getattr(self.inner, name)

    def still(self) -> MovingBaseJoint:
        """The placement stopped at its instant."""
        return replace(self, moves=False)

    def pose(self, K, q):
        return self.carriage.pose(K, _now(K)) @ self.inner.pose(K, q)  # RP.1

    def subspace(self, K, q):
        return self.inner.subspace(K, q)

    def subspace_rate(self, K, q, v):
        return self.inner.subspace_rate(K, q, v)

    def drift(self, K, q) -> np.ndarray:
        """Twist of F by time alone, seen from M, shape (6,)."""
        if not self.moves:
            return vector((0,) * 6)
        V = Twist.of(self.carriage.subspace(K, _now(K))[:, 0])
        return self.inner.pose(K, q).pull_twist(V).array  # RP.2

    def twist(self, K, q, v):
        return self.inner.subspace(K, q) @ v + self.drift(K, q)  # RP.3

    def bias(self, K, q, v):
        own = self.inner.bias(K, q, v)
        if not self.moves:
            return own
        A = self.inner.pose(K, q).pull_twist(Twist.of(self.carriage.screw_slope(K, _now(K))))
        turned = Twist.of(self.drift(K, q)).cross(Twist.of(self.inner.subspace(K, q) @ v))
        return own + A.array + turned.array  # RP.4

    def rates(self, K, q, v):
        return self.inner.rates(K, q, v)

    def speeds_from(self, K, q, qdot):
        return self.inner.speeds_from(K, q, qdot)

    def closure(self, K, X_FM):
        raise TypeError("a moving placement closes no loop")

    def neutral(self):
        return self.inner.neutral()

    def integrate(self, K, q, dv):
        return self.inner.integrate(K, q, dv)

    def difference(self, K, q0, q1):
        return self.inner.difference(K, q0, q1)

    def angles(self):
        return self.inner.angles()

    def turns(self):
        return self.inner.turns()

    def constants(self):
        return (*self.inner.constants(), *self.carriage.constants())

    def faults(self, K):
        return self.inner.faults(K)


def _now(K) -> Any:
    return [K.parameter(TIME)]
