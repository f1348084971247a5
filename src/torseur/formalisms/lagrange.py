"""Lagrange, from energies alone: the independent check of every other formalism.

With pseudo-velocities the equations are those of Boltzmann and Hamel: `v = W(q) qdot` brings the
terms of dW.  Nothing here is shared with the recursions but poses and twists.
Theory: LA.1 to LA.7.
"""

from __future__ import annotations

import numpy as np

from ..joints import TIME
from ..kinematics import rates, velocities
from ..numbers import vector
from ..spatial import HALF, cross
from .base import formalism

needs = frozenset({"derive"})


def energies(tree, q, v):
    """Kinetic and potential energy [J]; the potential is zero where the world's origin is."""
    T = U = 0
    for link, moving in zip(tree.links, velocities(tree, q, v)[1:], strict=True):
        I, V = link.inertia, moving.V
        T = T + (I @ V) @ V  # LA.1
        U = U - tree.gravity @ (I.mass * moving.X_W.p + moving.X_W.rotate(I.h))  # LA.2
        for J, rate in zip(link.armature, v[link.v], strict=True):
            T = T + J * rate * rate
    return T * HALF, U


def slope(tree, x):
    """Partial derivative by time, where that moves a placement."""
    return tree.K.derive(x, tree.K.parameters[TIME]) if tree.rheonomic else 0  # LA.7


def virtual_power(tree, q, v, a) -> np.ndarray:
    """The same efforts by the raw principle of virtual power: no energy, no curl of W.

    The rate of each link's momentum about the world's origin, less its weight, works on the
    partial velocities; derivatives do the rest.
    """
    K = tree.K
    K.need("derive", "virtual power")
    qdot = rates(tree, q, v)
    tau = vector([0] * tree.nv)
    for link, moving in zip(tree.links, velocities(tree, q, v)[1:], strict=True):
        I, X = link.inertia, moving.X_W
        h, V = X.push_momentum(I @ moving.V).array, X.push_twist(moving.V).array
        rate = (K.derive(e, q) @ qdot + K.derive(e, v) @ a + slope(tree, e) for e in h)
        force = vector(rate)  # LA.5
        weight = I.mass * tree.gravity
        force = force - np.concatenate([cross(I.mass * X.p + X.rotate(I.h), tree.gravity), weight])
        partial = np.stack([K.derive(e, v) for e in V])
        tau = tau + partial.T @ force  # LA.6
        tau[link.v] = tau[link.v] + link.armature * a[link.v]
    return tau


@formalism("lagrange", needs)
def inverse_dynamics(tree, q, v, a) -> np.ndarray:
    """Efforts `tau` that give the accelerations `a` at the state `(q, v)`, shape (nv,)."""
    K = tree.K
    K.need("derive", "lagrange")
    T, U = energies(tree, q, v)
    p, dT, dU = (K.derive(e, x) for e, x in ((T, v), (T, q), (U, q)))
    qdot = rates(tree, q, v)
    tau = vector(K.derive(e, q) @ qdot + K.derive(e, v) @ a + slope(tree, e) for e in p)  # LA.3
    for link in tree.links:
        joint, n = link.joint, link.joint.nv
        push = (dU - dT)[link.q]
        if joint.holonomic:
            tau[link.v] = tau[link.v] + push
            continue
        q_J, units = q[link.q], np.eye(joint.nq, dtype=int).astype(object)
        W = np.stack([joint.speeds_from(K, q_J, e) for e in units], axis=1)
        N = np.stack([joint.rates(K, q_J, e) for e in np.eye(n, dtype=int).astype(object)], axis=1)
        dW = np.stack([[K.derive(e, q_J) for e in row] for row in W])  # [i, a, b] = dW_ia/dq_b
        curl = dW - dW.transpose(0, 2, 1)
        turn = sum((curl[i] @ qdot[link.q] * p[link.v][i] for i in range(n)), start=0 * push)
        tau[link.v] = tau[link.v] + N.T @ (push + turn)  # LA.4
    return tau
