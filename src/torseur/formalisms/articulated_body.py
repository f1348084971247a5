"""Articulated bodies: forward dynamics in O(n).  Theory: AB.1 to AB.8.

The articulated inertia is the symmetric 6 x 6 matrix [[A, B], [B^T, C]], kept as its 3 x 3 blocks.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import TorseurError
from ..kinematics import outward
from ..scalars import matrix, vector
from ..spatial import NO_SCREWS, Pose, Twist, Wrench, none, six, skew, symmetric

needs = frozenset({"divide"})


class Unloaded(NamedTuple):
    """Velocity-level quantities of a link."""

    X_P: Pose
    S: np.ndarray
    V: Twist
    c: Twist  # velocity product of the joint
    p: Wrench  # bias force of the body


def out(K, link, up: Unloaded, q, v) -> Unloaded:
    """Twist and bias of one link."""
    X, S = link.X_PF @ link.joint.pose(K, q), link.joint.subspace(K, q)
    own = Twist.of(link.joint.twist(K, q, v))
    V = X.pull_twist(up.V) + own  # AB.1
    c = Twist.of(link.joint.bias(K, q, v)) + V.cross(own)  # AB.2
    return Unloaded(X, S, V, c, V.cross(link.inertia @ V))  # AB.3


class Articulated(NamedTuple):
    """Symmetric 6 x 6 inertia by blocks, and bias wrench."""

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    p: Wrench

    def __add__(self, o):
        return Articulated(self.A + o.A, self.B + o.B, self.C + o.C, self.p + o.p)

    def times(self, x) -> np.ndarray:
        return np.concatenate([self.A @ x[:3] + self.B @ x[3:], self.B.T @ x[:3] + self.C @ x[3:]])

    def minus_outer(self, U, L, free: set[int]) -> Articulated:
        """`I - U L^T` for the symmetric product `U L^T`; its rows `free` are known to vanish."""
        I = matrix([*np.hstack([self.A, self.B]), *np.hstack([self.B.T, self.C])])
        left: list[list[Any]] = [[0] * 6 for _ in range(6)]
        for i in range(6):
            for j in range(i, 6):
                if i not in free and j not in free:
                    P = sum((U[i, k] * L[j, k] for k in range(U.shape[1])), start=0)
                    left[i][j] = left[j][i] = I[i, j] - P
        M = matrix(left)
        return Articulated(M[:3, :3], M[:3, 3:], M[3:, 3:], self.p)

    def pushed(self, X: Pose) -> Articulated:
        """Written in A when given in B, for `X = X_AB`."""
        A, C = (symmetric(X.tensor(six(T))) for T in (self.A, self.C))
        B, P = X.dyad(self.B), skew(X.p)
        B2 = B + P @ C  # AB.6
        A2 = symmetric(six(A + P @ B.T - B2 @ P))
        return Articulated(A2, B2, C, X.push_wrench(self.p))


def body(inertia, p: Wrench) -> Articulated:
    m = inertia.mass
    return Articulated(
        symmetric(inertia.J), skew(inertia.h), matrix(((m, 0, 0), (0, m, 0), (0, 0, m))), p
    )


class ReducedJoint(NamedTuple):
    """What the forward pass needs of one joint."""

    U: np.ndarray
    Dinv: np.ndarray
    u: np.ndarray


def back(K, link, here: Unloaded, I: Articulated, tau) -> tuple[ReducedJoint, Articulated | None]:
    """Reduce one joint and hand its articulated inertia to the parent."""
    S, nv = here.S, link.joint.nv
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
    left = I.minus_outer(U, L, released(S, link.armature))
    p = I.p.array + left.times(here.c.array) + L @ u  # AB.5
    return reduced, left._replace(p=Wrench.of(p)).pushed(here.X_P)


def released(S, armature) -> set[int]:
    """Axes along which a joint moves alone: nothing of the inertia there is left for the parent.

    `(I - U D^-1 U') S` is zero without armature (AB.10): exactly so, not but for rounding.
    """
    axes = [[i for i in range(6) if not none(s[i : i + 1])] for s in S.T]
    alone = none(armature) and all(len(a) == 1 for a in axes)
    return {a[0] for a in axes} if alone else set()


def forward_dynamics(tree, q, v, tau, wrenches=None) -> np.ndarray:
    """Accelerations `a` under the efforts `tau` at the state `(q, v)`, shape (nv,).

    In floats it loses as many digits as masses of the tree differ by, AB.9.
    """
    if tree.shared:
        raise TorseurError(
            "articulated bodies: slices of a beam share their coordinates, so that none moves "
            "alone; use composite bodies"
        )
    K = tree.K
    start = Unloaded(Pose(), NO_SCREWS, Twist(), Twist(), Wrench())
    motion = outward(tree, out, start, (q, "q"), (v, "v"))
    I = {k.index: body(k.inertia, motion[k.index].p) for k in tree.links}
    for i, external in (wrenches or {}).items():
        if i:
            I[i] = I[i]._replace(p=I[i].p - external)
    reduced = {}
    for k in reversed(tree.links):
        reduced[k.index], carried = back(K, k, motion[k.index], I[k.index], tau[k.v])
        if carried is not None:
            I[k.parent] = I[k.parent] + carried

    a = vector([0] * tree.nv)

    def forward(K, k, up, q):
        here, r = motion[k.index], reduced[k.index]
        A = here.X_P.pull_twist(up) + here.c  # AB.7
        a[k.v] = r.Dinv @ (r.u - r.U.T @ A.array)  # AB.8
        return A + Twist.of(here.S @ a[k.v])

    outward(tree, forward, Twist((0, 0, 0), -tree.gravity), (q, "q"))
    return a


def inverse_spd(K, D) -> np.ndarray:
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
