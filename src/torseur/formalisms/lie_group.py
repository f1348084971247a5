"""Lie group formulation of the inverse dynamics (Mizzi 1992).

Velocities, momenta and systems of forces are elements of one Lie algebra (equiprojective fields): a
vector n and the value at the origin, with Lie bracket and comoment.  `d` is the displacement of a
body from its parent, v are Lagrangian velocities (in body axes), `u = Ad d v` Eulerian velocities
(in world axes).  Equations LG.1 to LG.11.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..kinematics import outward
from ..scalars import vector
from ..spatial import IDENTITY, NO_SCREWS, ZERO3, Pose, Wrench, cross, symmetric
from .base import formalism

if TYPE_CHECKING:
    from ..system import Tree

needs: frozenset[str] = frozenset()
ZERO = vector((0,) * 6)


def bracket(X, Y) -> np.ndarray:
    """Lie bracket [X, Y]: vector n_X x n_Y, value at the origin n_X x Y(O) - n_Y x X(O)."""
    n, m = X[:3], Y[:3]
    return np.concatenate([cross(n, m), cross(n, Y[3:]) - cross(m, X[3:])])  # LG.1


def Ad(d: Pose, X) -> np.ndarray:
    """Adjoint action of the displacement d on the field X."""
    n = d.rotate(X[:3])
    return np.concatenate([n, d.rotate(X[3:]) + cross(d.p, n)])  # LG.2


def comoment(X, Y):
    """X . Y = n_X . Y(O) + X(O) . n_Y: the power, when X is a velocity and Y a force."""
    return X[:3] @ Y[3:] + X[3:] @ Y[:3]  # LG.3


def H(inertia, X) -> np.ndarray:
    """Inertia operator: from a velocity to the momentum (resultant, moment at O)."""
    n, x, h = X[:3], X[3:], inertia.h
    return np.concatenate(
        [inertia.mass * x - cross(h, n), symmetric(inertia.J) @ n + cross(h, x)]
    )  # LG.4


def field(F: Wrench) -> np.ndarray:
    """A wrench as a field: resultant, then moment at the origin."""
    return np.concatenate([F.force, F.moment])


def wrench(N) -> Wrench:
    """A field of forces (resultant, moment) as a wrench."""
    return Wrench(N[3:], N[:3])


class BodyMotion(NamedTuple):
    """Motion of one body."""

    d: Pose  # displacement from its parent
    D: Pose  # displacement from the world
    S: np.ndarray  # fields of the joint, in the body
    v: np.ndarray  # Lagrangian velocity
    dv: np.ndarray  # its derivative


def body_motions(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> list[BodyMotion]:
    """Motion of all bodies from root to tips, in the Lagrangian representation; LG.5 and LG.6."""

    def step(K: Any, link, parent: BodyMotion, q: np.ndarray, v: np.ndarray, a: np.ndarray):
        """Motion of one body from that of its parent."""
        d, S = link.X_PF @ link.joint.pose(K, q), link.joint.subspace(K, q)
        x, dx = link.joint.twist(K, q, v), S @ a + link.joint.bias(K, q, v)
        parent_velocity, parent_rate = Ad(d.inverse(), parent.v), Ad(d.inverse(), parent.dv)
        return BodyMotion(
            d,
            parent.D @ d,
            S,
            parent_velocity + x,  # LG.5
            parent_rate + dx + bracket(parent_velocity, x),
        )  # LG.6

    return outward(
        tree,
        step,
        BodyMotion(IDENTITY, IDENTITY, NO_SCREWS, ZERO, ZERO),
        (q, "q"),
        (v, "v"),
        (a, "v"),
    )


class EulerianMotion(NamedTuple):
    """Eulerian velocity of a body and its derivative, in world axes at the world's origin."""

    u: np.ndarray
    du: np.ndarray


def eulerian_motions(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> list[EulerianMotion]:
    """Motion of all bodies in the Eulerian representation, LG.7."""
    bodies = body_motions(tree, q, v, a)

    def step(K: Any, link, parent: EulerianMotion, q: np.ndarray, v: np.ndarray, a: np.ndarray):
        body = bodies[link.index]
        x = Ad(body.D, link.joint.twist(K, q, v))  # Ad d_i u, in the world
        dx = Ad(body.D, body.S @ a + link.joint.bias(K, q, v))
        return EulerianMotion(parent.u + x, parent.du + dx + bracket(parent.u, x))  # LG.7

    return outward(tree, step, EulerianMotion(ZERO, ZERO), (q, "q"), (v, "v"), (a, "v"))


class LieSolution(NamedTuple):
    """Efforts, wrench of each joint on its body (in the body), acceleration quantities A_i."""

    tau: np.ndarray
    reactions: list[Wrench]
    quantities: list[np.ndarray]


def solve(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    wrenches: dict[int, Wrench] | None = None,
) -> LieSolution:
    """Inverse dynamics by the recursion of reactions from tips to root, LG.8 to LG.11."""
    bodies = body_motions(tree, q, v, a)
    gravity_field = np.concatenate([ZERO3, tree.gravity])  # uniform
    A, N = [], [ZERO]
    for link in tree.links:
        body, I = bodies[link.index], link.inertia
        A.append(H(I, body.dv) + bracket(body.v, H(I, body.v)))  # LG.8
        weight = H(I, Ad(body.D.inverse(), gravity_field))  # LG.9
        N.append(A[-1] - weight)
    for i, external in (wrenches or {}).items():
        N[i] = N[i] - field(external)
    tau = vector([0] * tree.nv)
    for link in reversed(tree.links):
        i, body = link.index, bodies[link.index]
        N[link.parent] = N[link.parent] + Ad(body.d, N[i])  # LG.10
        for p, x in enumerate(body.S.T):
            k = link.v.start + p
            tau[k] = tau[k] + comoment(x, N[i]) + link.armature[p] * a[k]  # LG.11
    return LieSolution(tau, [wrench(n) for n in N[1:]], A)


@formalism("lie_group", needs)
def inverse_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    a: np.ndarray,
    wrenches: dict[int, Wrench] | None = None,
) -> np.ndarray:
    """(nv,): efforts `tau` of the accelerations `a` at the state `(q, v)`."""
    return solve(tree, q, v, a, wrenches).tau
