"""The Lie group of displacements, after Mizzi (1992): intrinsic equations first, coordinates last.

A velocity, a momentum and a system of forces are all equiprojective fields, elements of one Lie
algebra: a vector n and the value at the origin.  They meet in the bracket and in the comoment.
`d` is the displacement of a body from its parent; v are Lagrangian velocities (read in the body),
u = Ad d v Eulerian ones (read in the world).  Theory: LG.1 to LG.11.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..kinematics import outward
from ..scalars import vector
from ..spatial import IDENTITY, NO_SCREWS, ZERO3, Pose, Wrench, cross, symmetric
from .base import formalism

needs: frozenset[str] = frozenset()
ZERO = vector((0,) * 6)


def bracket(X, Y) -> np.ndarray:
    """[X, Y]: vector n_X x n_Y, value at the origin n_X x Y(O) - n_Y x X(O)."""
    n, m = X[:3], Y[:3]
    return np.concatenate([cross(n, m), cross(n, Y[3:]) - cross(m, X[3:])])  # LG.1


def Ad(d: Pose, X) -> np.ndarray:
    """The field X carried by the displacement d."""
    n = d.rotate(X[:3])
    return np.concatenate([n, d.rotate(X[3:]) + cross(d.p, n)])  # LG.2


def comoment(X, Y):
    """X . Y = n_X . Y(O) + X(O) . n_Y: the power, when X is a velocity and Y a force."""
    return X[:3] @ Y[3:] + X[3:] @ Y[:3]  # LG.3


def H(inertia, X) -> np.ndarray:
    """The inertia operator: from a velocity to its momentum, resultant and moment at O."""
    n, x, h = X[:3], X[3:], inertia.h
    return np.concatenate(
        [inertia.mass * x - cross(h, n), symmetric(inertia.J) @ n + cross(h, x)]
    )  # LG.4


def field(F: Wrench) -> np.ndarray:
    """A wrench as a field: resultant, then moment at the origin."""
    return np.concatenate([F.force, F.moment])


def wrench(N) -> Wrench:
    """A field of forces as a wrench."""
    return Wrench(N[3:], N[:3])


class BodyMotion(NamedTuple):
    """Motion of one body."""

    d: Pose  # displacement from its parent
    D: Pose  # displacement from the world
    S: np.ndarray  # fields of the joint, in the body
    v: np.ndarray  # Lagrangian velocity
    dv: np.ndarray  # its derivative


def forward(tree, q, v, a) -> list[BodyMotion]:
    """Velocities by increasing connection degree, in the Lagrangian representation."""

    def out(K, link, up: BodyMotion, q, v, a):
        d, S = link.X_PF @ link.joint.pose(K, q), link.joint.subspace(K, q)
        x, dx = link.joint.twist(K, q, v), S @ a + link.joint.bias(K, q, v)
        carried, drift = Ad(d.inverse(), up.v), Ad(d.inverse(), up.dv)
        return BodyMotion(
            d,
            up.D @ d,
            S,
            carried + x,  # LG.5
            drift + dx + bracket(carried, x),
        )  # LG.6

    return outward(
        tree,
        out,
        BodyMotion(IDENTITY, IDENTITY, NO_SCREWS, ZERO, ZERO),
        (q, "q"),
        (v, "v"),
        (a, "v"),
    )


class Euler(NamedTuple):
    """Eulerian velocity of a body and its derivative, read in the world at its origin."""

    u: np.ndarray
    du: np.ndarray


def eulerian(tree, q, v, a) -> list[Euler]:
    """The same motion in the Eulerian representation, by its own recursion."""
    bodies = forward(tree, q, v, a)

    def out(K, link, up: Euler, q, v, a):
        here = bodies[link.index]
        x = Ad(here.D, link.joint.twist(K, q, v))  # Ad d_i u, in the world
        dx = Ad(here.D, here.S @ a + link.joint.bias(K, q, v))
        return Euler(up.u + x, up.du + dx + bracket(up.u, x))  # LG.7

    return outward(tree, out, Euler(ZERO, ZERO), (q, "q"), (v, "v"), (a, "v"))


class LieSolution(NamedTuple):
    """Efforts; action of each joint on its body (in the body); acceleration quantities A_i."""

    tau: np.ndarray
    reactions: list[Wrench]
    quantities: list[np.ndarray]


def solve(tree, q, v, a, wrenches=None) -> LieSolution:
    """Inverse dynamics by the recursion of reactions, by decreasing connection degree."""
    bodies = forward(tree, q, v, a)
    fall = np.concatenate([ZERO3, tree.gravity])  # the uniform field of gravity
    A, N = [], [ZERO]
    for link in tree.links:
        here, I = bodies[link.index], link.inertia
        A.append(H(I, here.dv) + bracket(here.v, H(I, here.v)))  # LG.8
        weight = H(I, Ad(here.D.inverse(), fall))  # LG.9
        N.append(A[-1] - weight)
    for i, external in (wrenches or {}).items():
        N[i] = N[i] - field(external)
    tau = vector([0] * tree.nv)
    for link in reversed(tree.links):
        i, here = link.index, bodies[link.index]
        N[link.parent] = N[link.parent] + Ad(here.d, N[i])  # LG.10
        for p, x in enumerate(here.S.T):
            k = link.v.start + p
            tau[k] = tau[k] + comoment(x, N[i]) + link.armature[p] * a[k]  # LG.11
    return LieSolution(tau, [wrench(n) for n in N[1:]], A)


@formalism("lie_group", needs)
def inverse_dynamics(tree, q, v, a, wrenches=None) -> np.ndarray:
    """Efforts `tau` that give the accelerations `a` at the state `(q, v)`, shape (nv,)."""
    return solve(tree, q, v, a, wrenches).tau
