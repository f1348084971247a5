"""Twists, wrenches and momenta as distinct types.

Angular part first, at the origin of the frame of their components. A twist and a wrench combine
only in `F @ V`, their power (comoment).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..scalars import matrix, vector
from .vectors import ZERO3, cross, skew


class _Screw:
    """A pair of three-vectors.  Sums stay within one type."""

    __slots__ = ("_first", "_second")
    __array_ufunc__ = None

    def __init__(self, first: Any = ZERO3, second: Any = ZERO3):
        first, second = (x if isinstance(x, np.ndarray) else vector(x) for x in (first, second))
        if first.shape != (3,) or second.shape != (3,):
            raise ValueError(
                f"a {self._kind()} takes two vectors of 3, "
                f"got shapes {first.shape} and {second.shape}"
            )
        self._first, self._second = first, second

    @classmethod
    def of(cls, six):
        """From six numbers, angular part first."""
        six = vector(six)
        return cls(six[:3], six[3:])

    @property
    def array(self) -> np.ndarray:
        """The six components, angular part first."""
        return np.concatenate([self._first, self._second])

    def _kind(self):
        return type(self).__name__.lower()

    def _same(self, other):
        if type(self) is not type(other):
            raise TypeError(
                f"cannot add a {self._kind()} and a "
                f"{getattr(other, '_kind', lambda: type(other).__name__)()}"
            )

    def __add__(self, other):
        self._same(other)
        return type(self)(self._first + other._first, self._second + other._second)

    def __sub__(self, other):
        self._same(other)
        return type(self)(self._first - other._first, self._second - other._second)

    def __neg__(self):
        return type(self)(-self._first, -self._second)

    def __mul__(self, k):
        if isinstance(k, _Screw | np.ndarray):
            raise TypeError(f"a {self._kind()} can be multiplied by a number only")
        return type(self)(self._first * k, self._second * k)

    __rmul__ = __mul__

    def __repr__(self):
        return f"{type(self).__name__}({list(self._first)}, {list(self._second)})"


class Twist(_Screw):
    """Velocity of a rigid body: angular velocity, and velocity of the point at the origin."""

    __slots__ = ()
    angular = property(lambda self: self._first)
    linear = property(lambda self: self._second)

    def __matmul__(self, F):
        """Power [W] of a wrench on this motion, or twice the energy of a momentum."""
        if not isinstance(F, Wrench):
            raise TypeError(
                f"a twist meets a wrench or a momentum, not a {type(F).__name__.lower()}"
            )
        return self.angular @ F.moment + self.linear @ F.force

    def cross(self, other: Any) -> Any:
        """Motion or force cross product: how a vector carried by this motion changes."""
        w, v = self.angular, self.linear
        if isinstance(other, Twist):
            return Twist(
                cross(w, other.angular), cross(w, other.linear) + cross(v, other.angular)
            )  # SA.6
        if isinstance(other, Wrench):
            return Wrench(
                cross(w, other.moment) + cross(v, other.force), cross(w, other.force)
            )  # SA.7
        raise TypeError(f"a twist has no cross product with a {type(other).__name__.lower()}")

    bracket = cross

    def ad(self) -> np.ndarray:
        """6 x 6 matrix of the motion cross product."""
        w, v, o = skew(self.angular), skew(self.linear), skew(ZERO3)
        return matrix([*np.hstack([w, o]), *np.hstack([v, w])])


class Wrench(_Screw):
    """Forces on a rigid body: moment about the origin, and resultant."""

    __slots__ = ()
    moment = property(lambda self: self._first)
    force = property(lambda self: self._second)

    def __matmul__(self, V):
        """Power [W] on a twist: the comoment."""
        if not isinstance(V, Twist):
            raise TypeError(f"a {self._kind()} meets a twist, not a {type(V).__name__.lower()}")
        return V @ self


class Momentum(Wrench):
    """Momentum of a rigid body: angular about the origin, and linear."""

    __slots__ = ()
    angular = property(lambda self: self._first)
    linear = property(lambda self: self._second)


def comoment(F: Wrench, V: Twist):
    """Power of a wrench on a twist, components of both at one point in one frame.

    >>> comoment(Wrench((0, 0, 2), (1, 0, 0)), Twist((0, 0, 3), (4, 0, 0)))
    10
    """
    return F @ V
