"""Quantities of one body or frame: pose, Jacobian, velocity, acceleration."""

from __future__ import annotations

from ..register import quantity


@quantity("q", "T", frame=True)
def pose(s, name, q):
    """Homogeneous matrix of a body or frame in the world."""
    from ... import kinematics

    return kinematics.pose(s.tree, name, q).matrix()


@quantity("q", "J", frame=True, shapes={"J": (6, "nv")})
def jacobian(s, name, q):
    """Twist (angular, linear) of a frame for unit speeds, world axes, at its origin."""
    from ... import kinematics

    return kinematics.jacobian(s.tree, name, q)


@quantity("q v", "J", frame=True, shapes={"J": (6, "nv")})
def jacobian_rate(s, name, q, v):
    """Time derivative of `jacobian`."""
    from ... import kinematics

    return kinematics.jacobian_rate(s.tree, name, q, v)


@quantity("q v", "V", frame=True)
def velocity(s, name, q, v):
    """Angular velocity and velocity of the origin of a frame, world axes."""
    from ... import kinematics

    return kinematics.velocity(s.tree, name, q, v)


@quantity("q v a", "A", frame=True)
def acceleration(s, name, q, v, a):
    """Angular acceleration and acceleration of the origin, world axes."""
    from ... import kinematics

    return kinematics.acceleration(s.tree, name, q, v, a)
