"""Partial velocities, rates of coordinates, and steps on the configuration space."""

from __future__ import annotations

import numpy as np

from ..scalars import vector
from ..spatial import Twist, cross
from .motion import jacobian, poses, velocities


def per_joint(tree, method: str, *arrays) -> np.ndarray:
    """Call a joint's method on its slice of each (array, place) and join the answers."""
    out = [vector(())]
    for k in tree.owners:
        out.append(
            getattr(k.joint, method)(
                tree.K, *(x[k.q if place == "q" else k.v] for x, place in arrays)
            )
        )
    return np.concatenate(out)


def rates(tree, q, v) -> np.ndarray:
    """`qdot = N(q) v`."""
    return per_joint(tree, "rates", (q, "q"), (v, "v"))


def speeds_from(tree, q, qdot) -> np.ndarray:
    """`v = W(q) qdot`."""
    return per_joint(tree, "speeds_from", (q, "q"), (qdot, "q"))


def integrate(tree, q, dv) -> np.ndarray:
    """Coordinates reached from q by the small motion dv."""
    return per_joint(tree, "integrate", (q, "q"), (dv, "v"))


def difference(tree, q0, q1) -> np.ndarray:
    """The motion from q0 to q1: `integrate(q0, difference(q0, q1)) = q1`."""
    return per_joint(tree, "difference", (q0, "q"), (q1, "q"))


def lagrange_screws(tree, name: str, q, relative_to: str = "world") -> np.ndarray:
    """(6, nv): partial velocities of a body, also relative to another (Pontonnier's course).

    Column i is the twist of the body seen from `relative_to` when speed i is one and the others
    are zero, at the body's origin, in world axes.
    """
    J = jacobian(tree, name, q)
    if relative_to == "world":
        return J
    B, A = tree.place(name), tree.place(relative_to)
    X = poses(tree, q)
    p = (X[B.link] @ B.X_LB).p - (X[A.link] @ A.X_LB).p
    other = jacobian(tree, relative_to, q)
    carried = other.copy()
    for i, (w, v) in enumerate((c[:3], c[3:]) for c in other.T):
        carried[3:, i] = v - cross(p, w)
    return J - carried


def twists(tree, q, v) -> list[Twist]:
    """Twist of the world and of every link, in its own frame."""
    return [m.V for m in velocities(tree, q, v)]
