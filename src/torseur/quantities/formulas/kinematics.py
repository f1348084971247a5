"""Motion of every body and frame, in the order of the system's places."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...spatial import cross
from ..register import quantity

if TYPE_CHECKING:
    import numpy as np

    from ..symbolic_system import SymbolicSystem

# --------------------------------------------------------------------------------------------
# Coordinates and speeds: rates, and motions from one position to another.


@quantity("q v", "qdot", timed=False)
def rates(s: SymbolicSystem, q: np.ndarray, v: np.ndarray):
    """`qdot = N(q) v`."""
    from ... import kinematics

    return kinematics.rates(s.tree, q, v)


@quantity("q qdot", "v", timed=False)
def speeds_from(s: SymbolicSystem, q: np.ndarray, qdot: np.ndarray):
    """`v = W(q) qdot`."""
    from ... import kinematics

    return kinematics.speeds_from(s.tree, q, qdot)


@quantity("q dv", "q1", timed=False)
def integrate(s: SymbolicSystem, q: np.ndarray, dv: np.ndarray):
    """Coordinates reached from `q` by the motion `dv`."""
    from ... import kinematics

    return kinematics.integrate(s.tree, q, dv)


@quantity("q q1", "dv", timed=False)
def difference(s: SymbolicSystem, q: np.ndarray, q1: np.ndarray):
    """The motion from `q` to `q1`."""
    from ... import kinematics

    return kinematics.difference(s.tree, q, q1)


# --------------------------------------------------------------------------------------------
# Quantities of one body or frame: pose, Jacobian, velocity, acceleration.


@quantity("q", "T", frame=True)
def pose(s: SymbolicSystem, name: str, q: np.ndarray):
    """Homogeneous matrix of a body or frame in the world."""
    from ... import kinematics

    return kinematics.pose(s.tree, name, q).matrix()


@quantity("q", "J", frame=True, shapes={"J": (6, "nv")})
def jacobian(s: SymbolicSystem, name: str, q: np.ndarray):
    """Twist (angular, linear) of a frame for unit speeds, world axes, at its origin."""
    from ... import kinematics

    return kinematics.jacobian(s.tree, name, q)


@quantity("q v", "J", frame=True, shapes={"J": (6, "nv")})
def jacobian_rate(s: SymbolicSystem, name: str, q: np.ndarray, v: np.ndarray):
    """Time derivative of `jacobian`."""
    from ... import kinematics

    return kinematics.jacobian_rate(s.tree, name, q, v)


@quantity("q v", "V", frame=True)
def velocity(s: SymbolicSystem, name: str, q: np.ndarray, v: np.ndarray):
    """Angular velocity and velocity of the origin of a frame, world axes."""
    from ... import kinematics

    return kinematics.velocity(s.tree, name, q, v)


@quantity("q v a", "A", frame=True)
def acceleration(s: SymbolicSystem, name: str, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """Angular acceleration and acceleration of the origin, world axes."""
    from ... import kinematics

    return kinematics.acceleration(s.tree, name, q, v, a)


def map_frames(s: SymbolicSystem, states: Any, formula: Any) -> list:
    """`formula(pose in its link, state of the link)` of every place."""
    places = (x for n, x in s.tree.places.items() if n != "world")
    return [formula(x.X_LB, states[x.link]) for x in places]


@quantity("q", "position")
def positions(s: SymbolicSystem, q: np.ndarray):
    """Of the origin of every body and frame, world axes [m]: 3 numbers each."""
    from ... import kinematics

    return map_frames(s, kinematics.poses(s.tree, q), lambda X_LB, X: X.point(X_LB.p))


@quantity("q", "R")
def orientations(s: SymbolicSystem, q: np.ndarray):
    """Rotation matrix of every body and frame, columns are its axes: 9 numbers each."""
    from ... import kinematics

    return map_frames(s, kinematics.poses(s.tree, q), lambda X_LB, X: (X @ X_LB).R)


@quantity("q v", "V")
def velocities(s: SymbolicSystem, q: np.ndarray, v: np.ndarray):
    """Angular velocity, velocity of the origin, world axes: 6 numbers each."""
    from ... import kinematics

    def formula(X_LB, moving):
        u = moving.V.linear + cross(moving.V.angular, X_LB.p)
        return (*moving.X_W.rotate(moving.V.angular), *moving.X_W.rotate(u))

    return map_frames(s, kinematics.velocities(s.tree, q, v), formula)


@quantity("q v a", "A")
def accelerations(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """Angular, of the origin (world axes), of the origin in body axes: 9 numbers each."""
    from ... import kinematics

    def formula(X_LB, state):
        moving, A = state
        w, r = moving.V.angular, X_LB.p
        u = moving.V.linear + cross(w, r)
        point = A.linear + cross(A.angular, r) + cross(w, u)  # KI.4
        return (*moving.X_W.rotate(A.angular), *moving.X_W.rotate(point), *X_LB.unrotate(point))

    return map_frames(s, kinematics.accelerations(s.tree, q, v, a), formula)


# --------------------------------------------------------------------------------------------
# Quantities of the whole mechanism: energies, momentum, center of mass.


@quantity("q v", "kinetic potential", shapes={"kinetic": (), "potential": ()})
def energy(s: SymbolicSystem, q: np.ndarray, v: np.ndarray):
    """Kinetic and potential energy [J]."""
    from ...formalisms import lagrange

    return lagrange.energies(s.tree, q, v)


@quantity("q v", "h")
def momentum(s: SymbolicSystem, q: np.ndarray, v: np.ndarray):
    """Angular (about the world's origin) and linear momentum, world axes."""
    from ... import dynamics

    return dynamics.momentum(s.tree, q, v)


@quantity("q", "c")
def center_of_mass(s: SymbolicSystem, q: np.ndarray):
    """Center of mass of the moving bodies, world axes [m]."""
    from ... import dynamics

    return dynamics.center_of_mass(s.tree, q)
