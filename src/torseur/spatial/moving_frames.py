"""Derivatives seen from moving frames, and the two accelerations of a rigid body.

Theory: SA.10, SA.11.
"""

from __future__ import annotations

from typing import TypeVar

from .screws import Twist, Wrench
from .vectors import cross

Screw = TypeVar("Screw", Twist, Wrench)


def moving_derivative(V: Twist, s: Screw, apparent: Screw | None = None) -> Screw:
    """Rate of a screw whose components are in a moving frame.

    `V` is the twist of the frame, `s` a twist, wrench or momentum, `apparent` the rate of its
    components (zero when left out: it is fixed in the frame); all with components in that frame, at
    its origin.  The answer has components there too: what an observer at rest sees.

    >>> V = Twist((0, 0, 2), (0, 0, 0))
    >>> moving_derivative(V, Twist((1, 0, 0), (0, 0, 0))).angular.tolist()
    [0, 2, 0]
    >>> F, grows = Wrench((0, 0, 0), (0, 3, 0)), Wrench((0, 0, 0), (1, 0, 0))
    >>> moving_derivative(V, F, grows).force.tolist()
    [-5, 0, 0]
    """
    carried = V.cross(s)
    moved = type(s)(*_parts(carried))
    return moved if apparent is None else moved + apparent  # SA.10


def classical_acceleration(A: Twist, V: Twist) -> Twist:
    """Angular acceleration, and acceleration of the point at the origin, from a spatial one.

    `A` is the rate of the twist (its linear part that of the velocity that streams through the
    origin), `V` the twist itself; components of both in one frame [rad/s2, m/s2].

    >>> V = Twist((0, 0, 3), (2, 0, 0))  # on a circle of 2/3 m
    >>> classical_acceleration(Twist((0, 0, 0), (0, 0, 0)), V).linear.tolist()
    [0, 6, 0]
    """
    return Twist(A.angular, A.linear + cross(V.angular, V.linear))  # SA.11


def spatial_acceleration(a: Twist, V: Twist) -> Twist:
    """The rate of the twist, from an angular acceleration and that of the point at the origin.

    >>> V = Twist((0, 0, 3), (2, 0, 0))
    >>> spatial_acceleration(Twist((0, 0, 0), (0, 6, 0)), V).linear.tolist()
    [0, 0, 0]
    """
    return Twist(a.angular, a.linear - cross(V.angular, V.linear))


def _parts(s):
    return (s.angular, s.linear) if isinstance(s, Twist) else (s.moment, s.force)
