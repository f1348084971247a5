"""Articulated body algorithm: forward dynamics of trees in O(n).

The articulated inertia is the symmetric 6 x 6 matrix [[A, B], [B^T, C]], stored as 3 x 3 blocks.
Equations AB.1 to AB.10 (Featherstone 2008, Rigid Body Dynamics Algorithms, chapter 7).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import TorseurError
from ..kinematics import outward
from ..scalars import matrix, vector
from ..spatial import NO_SCREWS, Pose, Twist, Wrench, none, six, skew, symmetric

if TYPE_CHECKING:
    from ..system import Tree

needs = frozenset({"divide"})


class LinkVelocity(NamedTuple):
    """Quantities of a link that depend on positions and velocities."""

    X_P: Pose
    S: np.ndarray
    V: Twist
    c: Twist  # velocity product of the joint
    p: Wrench  # bias force of the body


def out(K: Any, link, parent: LinkVelocity, q: np.ndarray, v: np.ndarray) -> LinkVelocity:
    """Twist, velocity product and bias force of one link, from those of its parent."""
    X, S = link.X_PF @ link.joint.pose(K, q), link.joint.subspace(K, q)
    joint_twist = Twist.of(link.joint.twist(K, q, v))
    V = X.pull_twist(parent.V) + joint_twist  # AB.1
    c = Twist.of(link.joint.bias(K, q, v)) + V.cross(joint_twist)  # AB.2
    return LinkVelocity(X, S, V, c, V.cross(link.inertia @ V))  # AB.3


class ArticulatedInertia(NamedTuple):
    """Articulated inertia by blocks, and bias wrench."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    p: Wrench

    def __add__(self, o):
        return ArticulatedInertia(self.A + o.A, self.B + o.B, self.C + o.C, self.p + o.p)

    def times(self, x) -> np.ndarray:
        """Wrench (6) of the inertia for an acceleration x (6)."""
        return np.concatenate([self.A @ x[:3] + self.B @ x[3:], self.B.T @ x[:3] + self.C @ x[3:]])

    def subtract_product(self, U, L, free: set[int]) -> ArticulatedInertia:
        """`I - U L^T` for the symmetric product `U L^T`; rows `free` of the result are zero."""
        I = matrix([*np.hstack([self.A, self.B]), *np.hstack([self.B.T, self.C])])
        entries: list[list[Any]] = [[0] * 6 for _ in range(6)]
        for i in range(6):
            for j in range(i, 6):
                if i not in free and j not in free:
                    P = sum((U[i, k] * L[j, k] for k in range(U.shape[1])), start=0)
                    entries[i][j] = entries[j][i] = I[i, j] - P
        M = matrix(entries)
        return ArticulatedInertia(M[:3, :3], M[:3, 3:], M[3:, 3:], self.p)

    def in_parent(self, X: Pose) -> ArticulatedInertia:
        """The inertia about the origin and in the axes of A, for `X = X_AB`; AB.6."""
        A, C = (symmetric(X.tensor(six(T))) for T in (self.A, self.C))
        B, P = X.dyad(self.B), skew(X.p)
        B2 = B + P @ C  # AB.6
        A2 = symmetric(six(A + P @ B.T - B2 @ P))
        return ArticulatedInertia(A2, B2, C, X.push_wrench(self.p))


def body_inertia(inertia, p: Wrench) -> ArticulatedInertia:
    """Articulated inertia of a single body with the bias wrench p."""
    m = inertia.mass
    return ArticulatedInertia(
        symmetric(inertia.J), skew(inertia.h), matrix(((m, 0, 0), (0, m, 0), (0, 0, m))), p
    )


class ReducedJoint(NamedTuple):
    """Factors of one joint for the second outward pass."""

    U: np.ndarray
    Dinv: np.ndarray
    u: np.ndarray


def back(
    K: Any, link, motion: LinkVelocity, I: ArticulatedInertia, tau: np.ndarray
) -> tuple[ReducedJoint, ArticulatedInertia | None]:
    """Factors of one joint, and the inertia that its parent gets; AB.4 to AB.6."""
    S, nv = motion.S, link.joint.nv
    U = matrix([I.times(s) for s in S.T]).T if nv else matrix(((),) * 6)
    D = S.T @ U
    for i in range(nv):
        D[i, i] = D[i, i] + link.armature[i]
    Dinv = inverse_spd(K, D)  # AB.4
    u = tau - S.T @ I.p.array
    reduced = ReducedJoint(U, Dinv, u)
    if not link.parent:
        return reduced, None
    L = U @ Dinv
    projected = I.subtract_product(U, L, free_axes(S, link.armature))
    p = I.p.array + projected.times(motion.c.array) + L @ u  # AB.5
    return reduced, projected._replace(p=Wrench.of(p)).in_parent(motion.X_P)


def free_axes(S, armature) -> set[int]:
    """Axes along which the parent feels no inertia, as exact zeros.

    `(I - U D^-1 U') S` is zero without armature, AB.10.
    """
    axes = [[i for i in range(6) if not none(s[i : i + 1])] for s in S.T]
    moves_alone = none(armature) and all(len(a) == 1 for a in axes)
    return {a[0] for a in axes} if moves_alone else set()


def forward_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    wrenches: dict[int, Wrench] | None = None,
) -> np.ndarray:
    """Accelerations `a` under the efforts `tau` at the state `(q, v)`, shape (nv,).

    In floats it loses as many digits as the masses of the tree differ by, AB.9.
    """
    if tree.shared:
        raise TorseurError(
            "articulated bodies: slices of a beam share their coordinates, so that none moves "
            "alone; use composite bodies"
        )
    K = tree.K
    start = LinkVelocity(Pose(), NO_SCREWS, Twist(), Twist(), Wrench())
    motions = outward(tree, out, start, (q, "q"), (v, "v"))
    I = {k.index: body_inertia(k.inertia, motions[k.index].p) for k in tree.links}
    for i, external in (wrenches or {}).items():
        if i:
            I[i] = I[i]._replace(p=I[i].p - external)
    reduced = {}
    for k in reversed(tree.links):
        reduced[k.index], inertia = back(K, k, motions[k.index], I[k.index], tau[k.v])
        if inertia is not None:
            I[k.parent] = I[k.parent] + inertia

    a = vector([0] * tree.nv)

    def forward(K: Any, k, parent, q: np.ndarray):
        motion, joint = motions[k.index], reduced[k.index]
        A = motion.X_P.pull_twist(parent) + motion.c  # AB.7
        a[k.v] = joint.Dinv @ (joint.u - joint.U.T @ A.array)  # AB.8
        return A + Twist.of(motion.S @ a[k.v])

    outward(tree, forward, Twist((0, 0, 0), -tree.gravity), (q, "q"))
    return a


def inverse_spd(K: Any, D) -> np.ndarray:
    """Inverse of a small symmetric positive definite matrix by LDL^T, over any scalar.

    >>> from torseur.scalars import Floats
    >>> inverse_spd(Floats(), matrix([[2.0, 0.0], [0.0, 4.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.25]]
    """
    n = len(D)
    L: list[list[Any]] = [[0] * n for _ in range(n)]
    d: list[Any] = []
    for j in range(n):
        d.append(D[j, j] - sum((L[j][k] * L[j][k] * d[k] for k in range(j)), start=0))
        for i in range(j + 1, n):
            L[i][j] = K.divide(
                D[i, j] - sum((L[i][k] * L[j][k] * d[k] for k in range(j)), start=0), d[j]
            )
    out = matrix([[0] * n for _ in range(n)])
    for j in range(n):  # column j from the diagonal down, mirrored
        y = [0] * j + [1]
        for i in range(j + 1, n):
            y.append(0 - sum((L[i][k] * y[k] for k in range(j, i)), start=0))
        for i in reversed(range(j, n)):
            x = K.divide(y[i], d[i]) - sum((L[k][i] * out[k, j] for k in range(i + 1, n)), start=0)
            out[i, j] = out[j, i] = x
    return out
