"""Newton-Euler, out and back: inverse dynamics in O(n), with every reaction on the way.

Vectors are in link frames; `a` is the acceleration of the frame's origin, and the world
accelerates upwards instead of bodies having weight.  `U x` is the acceleration of the point at x
relative to the origin's, and serves the children as well as the body itself.  Theory: NE.1 to NE.8.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kinematics import outward
from ..scalars import matrix, vector
from ..spatial import NO_SCREWS, ZERO3, Pose, Wrench, cross
from .base import formalism

needs: frozenset[str] = frozenset()


class Moving(NamedTuple):
    """What a link hands to its children and needs on the way back."""

    X_P: Pose  # in the parent
    S: np.ndarray
    w: np.ndarray  # angular velocity
    U: np.ndarray  # skew(dw) + skew(w) skew(w)
    dw: np.ndarray  # angular acceleration
    a: np.ndarray  # acceleration of the origin, minus gravity
    F: Wrench  # wrench that the body needs for this motion


def at_rest(gravity) -> Moving:
    """The world: it accelerates upwards, which is the weight of everything."""
    return Moving(Pose(), NO_SCREWS, ZERO3, matrix((ZERO3,) * 3), ZERO3, -gravity, Wrench())


def out(K, link, up: Moving, q, v, a) -> Moving:
    """One link's motion from its parent's."""
    joint, J = link.joint, link.inertia.J
    X, S = link.X_PF @ joint.pose(K, q), joint.subspace(K, q)
    V_J, A_J = joint.twist(K, q, v), S @ a + joint.bias(K, q, v)
    w_P = X.unrotate(up.w)
    w = w_P + V_J[:3]  # NE.1
    dw = X.unrotate(up.dw) + A_J[:3] + cross(w_P, V_J[:3])  # NE.2
    acc = X.unrotate(up.a + up.U @ X.p) + A_J[3:] + cross(w + w_P, V_J[3:])  # NE.3
    (x, y, z), (dx, dy, dz) = w, dw
    xx, yy, zz, xy, xz, yz = x * x, y * y, z * z, x * y, x * z, y * z
    U = matrix(
        (
            (-(yy + zz), xy - dz, xz + dy),
            (xy + dz, -(xx + zz), yz - dx),
            (xz - dy, yz + dx, -(xx + yy)),
        )
    )  # NE.4
    force = link.inertia.mass * acc + U @ link.inertia.h  # NE.5
    moment = vector(
        (
            J[0] * dx + (J[2] - J[1]) * yz - J[3] * U[2, 0] + J[4] * U[1, 0] + J[5] * (yy - zz),
            J[1] * dy + (J[0] - J[2]) * xz - J[5] * U[0, 1] + J[3] * U[2, 1] + J[4] * (zz - xx),
            J[2] * dz + (J[1] - J[0]) * xy - J[4] * U[1, 2] + J[5] * U[0, 2] + J[3] * (xx - yy),
        )
    )
    return Moving(X, S, w, U, dw, acc, Wrench(moment + cross(link.inertia.h, acc), force))  # NE.6


def back(K, link, here: Moving, F: Wrench, a) -> tuple[np.ndarray, Wrench]:
    """Efforts of one joint, and what its parent must carry, from the wrench F on the link."""
    tau = here.S.T @ F.array + vector(I * x for I, x in zip(link.armature, a, strict=True))  # NE.7
    return tau, here.X_P.push_wrench(F)  # NE.8


class Solution(NamedTuple):
    """Efforts, the wrench of every joint on its link (link frame), and that on the foundation."""

    tau: np.ndarray
    reactions: list[Wrench]
    foundation: Wrench


def solve(tree, q, v, a, wrenches=None) -> Solution:
    """Inverse dynamics with reactions.

    `wrenches` maps link indices to external wrenches on the link, at and in its frame.
    """
    motion = outward(tree, out, at_rest(tree.gravity), (q, "q"), (v, "v"), (a, "v"))
    F = [m.F for m in motion]
    for i, external in (wrenches or {}).items():
        F[i] = F[i] - external
    tau = vector([0] * tree.nv)
    for link in reversed(tree.links):
        i = link.index
        own, carried = back(tree.K, link, motion[i], F[i], a[link.v])
        tau[link.v] = tau[link.v] + own  # slices of a beam add up
        F[link.parent] = F[link.parent] + carried
    return Solution(tau, F[1:], F[0])


@formalism("newton_euler", needs)
def inverse_dynamics(tree, q, v, a, wrenches=None) -> np.ndarray:
    """Efforts `tau` that give the accelerations `a` at the state `(q, v)`, shape (nv,)."""
    return solve(tree, q, v, a, wrenches).tau
