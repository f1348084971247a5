"""Partial velocities, rates of coordinates, and steps on the configuration manifold."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..scalars import vector
from ..spatial import Twist, cross
from .motion import jacobian, poses, velocities

if TYPE_CHECKING:
    from ..system import Tree


def call_joints(tree: Tree, method: str, *arrays) -> np.ndarray:
    """Call a method of every joint with its slices of pairs (array, "q" or "v"), concatenate."""
    out = [vector(())]
    for k in tree.owners:
        out.append(
            getattr(k.joint, method)(
                tree.K, *(x[k.q if array_kind == "q" else k.v] for x, array_kind in arrays)
            )
        )
    return np.concatenate(out)


def rates(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(nq,): `qdot = N(q) v`."""
    return call_joints(tree, "rates", (q, "q"), (v, "v"))


def speeds_from(tree: Tree, q: np.ndarray, qdot: np.ndarray) -> np.ndarray:
    """(nv,): `v = W(q) qdot`."""
    return call_joints(tree, "speeds_from", (q, "q"), (qdot, "q"))


def integrate(tree: Tree, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
    """(nq,): coordinates after a step dv (nv) from q on the configuration manifold."""
    return call_joints(tree, "integrate", (q, "q"), (dv, "v"))


def difference(tree: Tree, q0: np.ndarray, q1: np.ndarray) -> np.ndarray:
    """(nv,): step from q0 to q1: `integrate(q0, difference(q0, q1)) = q1`."""
    return call_joints(tree, "difference", (q0, "q"), (q1, "q"))


def lagrange_screws(tree: Tree, name: str, q: np.ndarray, relative_to: str = "world") -> np.ndarray:
    """(6, nv): partial velocities of a body relative to another (Lagrange screws; Pontonnier).

    Column i is the twist of the body relative to `relative_to` for speed i of one, others zero, at
    the body's origin, in world axes.
    """
    J = jacobian(tree, name, q)
    if relative_to == "world":
        return J
    B, A = tree.place(name), tree.place(relative_to)
    X = poses(tree, q)
    p = (X[B.link] @ B.X_LB).p - (X[A.link] @ A.X_LB).p
    reference = jacobian(tree, relative_to, q)
    transport = reference.copy()
    for i, (w, v) in enumerate((c[:3], c[3:]) for c in reference.T):
        transport[3:, i] = v - cross(p, w)
    return J - transport


def twists(tree: Tree, q: np.ndarray, v: np.ndarray) -> list[Twist]:
    """Twist of the world and of every link, each in its own frame."""
    return [m.V for m in velocities(tree, q, v)]
