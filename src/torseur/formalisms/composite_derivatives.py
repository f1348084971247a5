"""Derivatives of the inverse dynamics from composite inertias (Singh, Russell and Wensing 2022).

In link frames.  The composite Coriolis matrix consists of twelve numbers: the rate of the composite
inertia, and the composite momentum.  For joints whose subspace is constant in the link.  Equations
DE.1 to DE.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..kinematics import outward
from ..scalars import matrix, vector
from ..spatial import ZERO3, Inertia, Momentum, Pose, Twist, Wrench, cross, six, skew, symmetric
from . import newton_euler

if TYPE_CHECKING:
    from ..system import Tree

needs: frozenset[str] = frozenset()


def has_constant_subspaces(tree: Tree, q: np.ndarray) -> bool:
    """Whether the motion subspace of every joint is constant in its link."""

    def has_constant_subspace(k):
        rate = k.joint.subspace_rate(tree.K, q[k.q], vector(range(2, 2 + k.joint.nv)))
        return all(isinstance(x, int | float) and x == 0 for x in rate.ravel())

    return not (tree.rheonomic or tree.shared) and all(map(has_constant_subspace, tree.links))


class VariedLink(NamedTuple):
    """Motion of a link, and its changes by a change of the coordinates and speeds of its joint."""

    ne: newton_euler.LinkMotion
    V: Twist
    A: Twist  # spatial acceleration, minus gravity
    S: tuple[Twist, ...]  # columns of the subspace
    velocity_change: tuple[Twist, ...]  # change of the velocity, by q
    acceleration_change: tuple[Twist, ...]  # change of the acceleration, by q
    # change of the acceleration, by v, less that of Coriolis
    acceleration_change_by_v: tuple[Twist, ...]


def out(
    K: Any, link, parent: VariedLink, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> VariedLink:
    """Motion of one link and its changes, from the motion of its parent; DE.1 to DE.4."""
    ne = newton_euler.out(K, link, parent.ne, q, v, a)
    S = tuple(map(Twist.of, ne.S.T))
    V_P = ne.X_P.pull_twist(parent.V)
    V = Twist(ne.w, V_P.linear + ne.S[3:] @ v)
    A = Twist(ne.dw, ne.a - cross(V.angular, V.linear))  # DE.1
    if len(S) == 1:  # the joint's own motion drops out of both changes
        V_P, A_P = V, A
    else:
        A_P = ne.X_P.pull_twist(parent.A)
    velocity_change = tuple(V_P.cross(s) for s in S)  # DE.2
    # DE.3
    acceleration_change = tuple(
        A_P.cross(s) + V_P.cross(d) for s, d in zip(S, velocity_change, strict=True)
    )
    acceleration_change_by_v = (
        tuple(V.cross(s) + d for s, d in zip(S, velocity_change, strict=True))
        if len(S) > 1
        else tuple(d + d for d in velocity_change)
    )  # DE.4
    return VariedLink(ne, V, A, S, velocity_change, acceleration_change, acceleration_change_by_v)


@dataclass(frozen=True, slots=True, eq=False)
class CompositeCoriolis:
    """Twice the composite Coriolis matrix: `rate` of the inertia about the origin, and momentum."""

    rate: np.ndarray  # xx, yy, zz, xy, xz, yz
    momentum: Momentum

    @classmethod
    def of(cls, I: Inertia, V: Twist) -> CompositeCoriolis:
        """Coriolis matrix of one body, DE.5."""
        product = skew(V.angular) @ symmetric(I.J)
        return cls(six(product + product.T) + _inertia_rate_of_point(I.h, V.linear), I @ V)  # DE.5

    def __add__(self, other: CompositeCoriolis) -> CompositeCoriolis:
        return CompositeCoriolis(self.rate + other.rate, self.momentum + other.momentum)

    def in_parent(self, X: Pose) -> CompositeCoriolis:
        """The matrix about the origin and in the axes of A, for `X = X_AB`; DE.6."""
        P = X.rotate(self.momentum.force)
        return CompositeCoriolis(
            X.tensor(self.rate) + _inertia_rate_of_point(X.p, P),
            Momentum(X.rotate(self.momentum.moment) + cross(X.p, P), P),
        )  # DE.6

    def __matmul__(self, V: Twist) -> Wrench:
        w, P = V.angular, self.momentum.force
        return Wrench(
            symmetric(self.rate) @ w + cross(w, self.momentum.moment), cross(w, P + P)
        )  # DE.7

    def transposed_moment(self, V: Twist) -> np.ndarray:
        """Moment of the transposed matrix times a twist; its force is zero."""
        w, P = V.angular, self.momentum.force
        return symmetric(self.rate) @ w + cross(self.momentum.moment, w) + cross(P + P, V.linear)


def _inertia_rate_of_point(x, y) -> np.ndarray:
    """(6,): rate of the inertia `2 (x . y) 1 - x y^T - y x^T` of a point at x with momentum y."""
    a, b, c = x[0] * y[0], x[1] * y[1], x[2] * y[2]
    return vector(
        (
            b + c + b + c,
            a + c + a + c,
            a + b + a + b,
            -(x[0] * y[1] + x[1] * y[0]),
            -(x[0] * y[2] + x[2] * y[0]),
            -(x[1] * y[2] + x[2] * y[1]),
        )
    )


def derivatives(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives (nv, nv) of the efforts by q (tangent space), v and a; DE.8 and DE.9."""
    n, K = tree.nv, tree.K
    start = VariedLink(
        newton_euler.at_rest(tree.gravity), Twist(), Twist(ZERO3, -tree.gravity), (), (), (), ()
    )
    motions = outward(tree, out, start, (q, "q"), (v, "v"), (a, "v"))
    I = {k.index: k.inertia for k in tree.links}
    B = {k.index: CompositeCoriolis.of(k.inertia, motions[k.index].V) for k in tree.links}
    F = [m.ne.F for m in motions]
    dq, dv, M = (matrix(((0,) * n,) * n) for _ in range(3))
    for k in reversed(tree.links):
        motion, slots = motions[k.index], range(k.v.start, k.v.stop)
        _, parent_wrench = newton_euler.back(K, k, motion.ne, F[k.index], a[k.v])
        F[k.parent] = F[k.parent] + parent_wrench
        if k.parent:
            I[k.parent] = I[k.parent] + I[k.index].moved(motion.ne.X_P)
            B[k.parent] = B[k.parent] + B[k.index].in_parent(motion.ne.X_P)
        for c, s, velocity_change, acceleration_change, acceleration_change_by_v in zip(
            slots,
            motion.S,
            motion.velocity_change,
            motion.acceleration_change,
            motion.acceleration_change_by_v,
            strict=True,
        ):
            h = I[k.index] @ s
            by_q = B[k.index] @ velocity_change + _momentum_as_wrench(
                I[k.index] @ acceleration_change
            )
            by_v = B[k.index] @ s + _momentum_as_wrench(I[k.index] @ acceleration_change_by_v)
            for r, e in zip(slots, motion.S, strict=True):
                dq[r, c], dv[r, c], M[r, c] = e @ by_q, e @ by_v, e @ h  # DE.8
            M[c, c] = M[c, c] + k.armature[c - k.v.start]
            by_q = by_q + s.cross(F[k.index])
            moment, X = B[k.index].transposed_moment(s), motion.ne.X_P
            for inboard in tree.ancestors(k.parent):  # DE.9
                h, by_q, by_v = X.push_momentum(h), X.push_wrench(by_q), X.push_wrench(by_v)
                moment, inboard_motion = X.rotate(moment), motions[inboard.index]
                for j, e, dV, dA, dA_by_v in zip(
                    range(inboard.v.start, inboard.v.stop),
                    inboard_motion.S,
                    inboard_motion.velocity_change,
                    inboard_motion.acceleration_change,
                    inboard_motion.acceleration_change_by_v,
                    strict=True,
                ):
                    dq[j, c], dv[j, c], M[j, c] = e @ by_q, e @ by_v, e @ h
                    M[c, j] = M[j, c]
                    dq[c, j] = moment @ dV.angular + dA @ h
                    dv[c, j] = moment @ e.angular + dA_by_v @ h
                X = inboard_motion.ne.X_P
    return dq, dv, M


def _momentum_as_wrench(h: Momentum) -> Wrench:
    return Wrench(h.moment, h.force)
