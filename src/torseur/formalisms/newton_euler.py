"""Recursive Newton-Euler algorithm: inverse dynamics of trees in O(n), with joint reactions.

Vectors are in link frames.  `a` is the acceleration of the frame's origin.  The world accelerates
upwards, which replaces weights.  `U x` is the acceleration of the point at x relative to the
origin.  Equations NE.1 to NE.8 (Luh, Walker and Paul 1980).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..kinematics import outward
from ..scalars import matrix, vector
from ..spatial import NO_SCREWS, ZERO3, Pose, Wrench, cross
from .base import formalism

if TYPE_CHECKING:
    from ..system import Tree

needs: frozenset[str] = frozenset()


class LinkMotion(NamedTuple):
    """Motion of a link, and the wrench that its body needs."""

    X_P: Pose  # in the parent
    S: np.ndarray
    w: np.ndarray  # angular velocity
    U: np.ndarray  # skew(dw) + skew(w) skew(w)
    dw: np.ndarray  # angular acceleration
    a: np.ndarray  # acceleration of the origin, minus gravity
    F: Wrench  # wrench that the body needs for this motion


def at_rest(gravity) -> LinkMotion:
    """Motion of the world: it accelerates upwards, which replaces all weights."""
    return LinkMotion(Pose(), NO_SCREWS, ZERO3, matrix((ZERO3,) * 3), ZERO3, -gravity, Wrench())


def out(
    K: Any, link, parent: LinkMotion, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> LinkMotion:
    """Motion of one link from that of its parent, NE.1 to NE.6."""
    joint, J = link.joint, link.inertia.J
    X, S = link.X_PF @ joint.pose(K, q), joint.subspace(K, q)
    V_J, A_J = joint.twist(K, q, v), S @ a + joint.bias(K, q, v)
    w_P = X.unrotate(parent.w)
    w = w_P + V_J[:3]  # NE.1
    dw = X.unrotate(parent.dw) + A_J[:3] + cross(w_P, V_J[:3])  # NE.2
    acc = X.unrotate(parent.a + parent.U @ X.p) + A_J[3:] + cross(w + w_P, V_J[3:])  # NE.3
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
    # NE.6
    return LinkMotion(X, S, w, U, dw, acc, Wrench(moment + cross(link.inertia.h, acc), force))


def back(K: Any, link, motion: LinkMotion, F: Wrench, a: np.ndarray) -> tuple[np.ndarray, Wrench]:
    """Efforts of one joint, and the wrench on its parent, from the wrench F on the link."""
    # NE.7
    tau = motion.S.T @ F.array + vector(I * x for I, x in zip(link.armature, a, strict=True))
    return tau, motion.X_P.push_wrench(F)  # NE.8


class Solution(NamedTuple):
    """Efforts, wrench of every joint on its link (link frame), and wrench on the foundation."""

    tau: np.ndarray
    reactions: list[Wrench]
    foundation: Wrench


def solve(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    wrenches: dict[int, Wrench] | None = None,
) -> Solution:
    """Inverse dynamics with reactions.

    `wrenches` maps link indices to external wrenches on the link, at and in its frame.
    """
    motions = outward(tree, out, at_rest(tree.gravity), (q, "q"), (v, "v"), (a, "v"))
    F = [m.F for m in motions]
    for i, external in (wrenches or {}).items():
        F[i] = F[i] - external
    tau = vector([0] * tree.nv)
    for link in reversed(tree.links):
        i = link.index
        joint_tau, parent_wrench = back(tree.K, link, motions[i], F[i], a[link.v])
        tau[link.v] = tau[link.v] + joint_tau  # slices of a beam add up
        F[link.parent] = F[link.parent] + parent_wrench
    return Solution(tau, F[1:], F[0])


@formalism("newton_euler", needs)
def inverse_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    wrenches: dict[int, Wrench] | None = None,
) -> np.ndarray:
    """(nv,): efforts `tau` of the accelerations `a` at the state `(q, v)`."""
    return solve(tree, q, v, a, wrenches).tau
