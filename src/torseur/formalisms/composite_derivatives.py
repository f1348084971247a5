"""Composite derivatives: those of the inverse dynamics from what moves outboard of each joint.

After Singh, Russell and Wensing (2022), in link frames and with the composite Coriolis matrix in
twelve numbers: the rate of the composite inertia, and the composite momentum.  For joints whose
subspace is constant in the link.  Theory: DE.1 to DE.9.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ..kinematics import outward
from ..scalars import matrix, vector
from ..spatial import ZERO3, Inertia, Momentum, Pose, Twist, Wrench, cross, six, skew, symmetric
from . import newton_euler

needs: frozenset[str] = frozenset()


def applies(tree, q) -> bool:
    """Whether the subspace of every joint is constant in its link: its rate is a plain zero."""

    def constant(k):
        rate = k.joint.subspace_rate(tree.K, q[k.q], vector(range(2, 2 + k.joint.nv)))
        return all(isinstance(x, int | float) and x == 0 for x in rate.ravel())

    return not (tree.rheonomic or tree.shared) and all(map(constant, tree.links))


class VariedLink(NamedTuple):
    """Newton and Euler's motion of a link, and what a change of its joint does to it."""

    ne: newton_euler.Moving
    V: Twist
    A: Twist  # spatial acceleration, minus gravity
    S: tuple[Twist, ...]  # columns of the subspace
    first: tuple[Twist, ...]  # change of the velocity, by q
    second: tuple[Twist, ...]  # change of the acceleration, by q
    turned: tuple[Twist, ...]  # change of the acceleration, by v, less that of Coriolis


def out(K, link, up: VariedLink, q, v, a) -> VariedLink:
    """One link's motion and its changes from its parent's motion."""
    ne = newton_euler.out(K, link, up.ne, q, v, a)
    S = tuple(map(Twist.of, ne.S.T))
    V_P = ne.X_P.pull_twist(up.V)
    V = Twist(ne.w, V_P.linear + ne.S[3:] @ v)
    A = Twist(ne.dw, ne.a - cross(V.angular, V.linear))  # DE.1
    if len(S) == 1:  # the joint's own motion drops out of both changes
        V_P, A_P = V, A
    else:
        A_P = ne.X_P.pull_twist(up.A)
    first = tuple(V_P.cross(s) for s in S)  # DE.2
    second = tuple(A_P.cross(s) + V_P.cross(d) for s, d in zip(S, first, strict=True))  # DE.3
    turned = (
        tuple(V.cross(s) + d for s, d in zip(S, first, strict=True))
        if len(S) > 1
        else tuple(d + d for d in first)
    )  # DE.4
    return VariedLink(ne, V, A, S, first, second, turned)


@dataclass(frozen=True, slots=True, eq=False)
class Coriolis:
    """Twice the composite Coriolis matrix: `rate` of the inertia about the origin, and momentum."""

    rate: np.ndarray  # xx, yy, zz, xy, xz, yz
    momentum: Momentum

    @classmethod
    def of(cls, I: Inertia, V: Twist) -> Coriolis:
        """That of one body."""
        turned = skew(V.angular) @ symmetric(I.J)
        return cls(six(turned + turned.T) + _spread(I.h, V.linear), I @ V)  # DE.5

    def __add__(self, other: Coriolis) -> Coriolis:
        return Coriolis(self.rate + other.rate, self.momentum + other.momentum)

    def moved(self, X: Pose) -> Coriolis:
        """Written in A when given in B, for `X = X_AB`."""
        P = X.rotate(self.momentum.force)
        return Coriolis(
            X.tensor(self.rate) + _spread(X.p, P),
            Momentum(X.rotate(self.momentum.moment) + cross(X.p, P), P),
        )  # DE.6

    def __matmul__(self, V: Twist) -> Wrench:
        w, P = V.angular, self.momentum.force
        return Wrench(
            symmetric(self.rate) @ w + cross(w, self.momentum.moment), cross(w, P + P)
        )  # DE.7

    def transposed(self, V: Twist) -> np.ndarray:
        """The couple that the transpose gives: it has no force."""
        w, P = V.angular, self.momentum.force
        return symmetric(self.rate) @ w + cross(self.momentum.moment, w) + cross(P + P, V.linear)


def _spread(x, y) -> np.ndarray:
    """`2 (x . y) 1 - x y^T - y x^T`: what a point at x of momentum y adds to the rate."""
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


def derivatives(tree, q, v, a) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Derivatives of the efforts by q (tangent space), v and a, each of shape (nv, nv)."""
    n, K = tree.nv, tree.K
    start = VariedLink(
        newton_euler.at_rest(tree.gravity), Twist(), Twist(ZERO3, -tree.gravity), (), (), (), ()
    )
    motion = outward(tree, out, start, (q, "q"), (v, "v"), (a, "v"))
    I = {k.index: k.inertia for k in tree.links}
    B = {k.index: Coriolis.of(k.inertia, motion[k.index].V) for k in tree.links}
    F = [m.ne.F for m in motion]
    dq, dv, M = (matrix(((0,) * n,) * n) for _ in range(3))
    for k in reversed(tree.links):
        here, own = motion[k.index], range(k.v.start, k.v.stop)
        _, carried = newton_euler.back(K, k, here.ne, F[k.index], a[k.v])
        F[k.parent] = F[k.parent] + carried
        if k.parent:
            I[k.parent] = I[k.parent] + I[k.index].moved(here.ne.X_P)
            B[k.parent] = B[k.parent] + B[k.index].moved(here.ne.X_P)
        for c, s, first, second, turned in zip(
            own, here.S, here.first, here.second, here.turned, strict=True
        ):
            h = I[k.index] @ s
            by_q = B[k.index] @ first + _wrench(I[k.index] @ second)
            by_v = B[k.index] @ s + _wrench(I[k.index] @ turned)
            for r, e in zip(own, here.S, strict=True):
                dq[r, c], dv[r, c], M[r, c] = e @ by_q, e @ by_v, e @ h  # DE.8
            M[c, c] = M[c, c] + k.armature[c - k.v.start]
            by_q = by_q + s.cross(F[k.index])
            couple, X = B[k.index].transposed(s), here.ne.X_P
            for below in tree.ancestors(k.parent):  # DE.9
                h, by_q, by_v = X.push_momentum(h), X.push_wrench(by_q), X.push_wrench(by_v)
                couple, there = X.rotate(couple), motion[below.index]
                for j, e, one, two, three in zip(
                    range(below.v.start, below.v.stop),
                    there.S,
                    there.first,
                    there.second,
                    there.turned,
                    strict=True,
                ):
                    dq[j, c], dv[j, c], M[j, c] = e @ by_q, e @ by_v, e @ h
                    M[c, j] = M[j, c]
                    dq[c, j] = couple @ one.angular + two @ h
                    dv[c, j] = couple @ e.angular + three @ h
                X = there.ne.X_P
    return dq, dv, M


def _wrench(h: Momentum) -> Wrench:
    return Wrench(h.moment, h.force)
