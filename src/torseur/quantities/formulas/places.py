"""Motion of every body and frame, in the order of the system's places."""

from __future__ import annotations

from ...spatial import cross
from ..register import quantity


def _each(s, states, formula) -> list:
    """`formula(pose in its link, state of the link)` of every place."""
    places = (x for n, x in s.tree.places.items() if n != "world")
    return [formula(x.X_LB, states[x.link]) for x in places]


@quantity("q", "position")
def positions(s, q):
    """Of the origin of every body and frame, world axes [m]: 3 numbers each."""
    from ... import kinematics

    return _each(s, kinematics.poses(s.tree, q), lambda X_LB, X: X.point(X_LB.p))


@quantity("q", "R")
def orientations(s, q):
    """Rotation matrix of every body and frame, columns are its axes: 9 numbers each."""
    from ... import kinematics

    return _each(s, kinematics.poses(s.tree, q), lambda X_LB, X: (X @ X_LB).R)


@quantity("q v", "V")
def velocities(s, q, v):
    """Angular velocity, velocity of the origin, world axes: 6 numbers each."""
    from ... import kinematics

    def formula(X_LB, here):
        u = here.V.linear + cross(here.V.angular, X_LB.p)
        return (*here.X_W.rotate(here.V.angular), *here.X_W.rotate(u))

    return _each(s, kinematics.velocities(s.tree, q, v), formula)


@quantity("q v a", "A")
def accelerations(s, q, v, a):
    """Angular, of the origin (world axes), of the origin in body axes: 9 numbers each."""
    from ... import kinematics

    def formula(X_LB, state):
        here, A = state
        w, r = here.V.angular, X_LB.p
        u = here.V.linear + cross(w, r)
        point = A.linear + cross(A.angular, r) + cross(w, u)  # KI.4
        return (*here.X_W.rotate(A.angular), *here.X_W.rotate(point), *X_LB.unrotate(point))

    return _each(s, kinematics.accelerations(s.tree, q, v, a), formula)
