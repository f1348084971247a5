"""Lagrange's equations from energies: the independent check of the other formalisms.

With pseudo-velocities `v = W(q) qdot` they are the Boltzmann-Hamel equations, with the terms of dW.
Only poses and twists are shared with the recursions.  Equations LA.1 to LA.4, LA.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..joints import TIME
from ..kinematics import rates, velocities
from ..scalars import vector
from ..spatial import HALF
from .base import formalism

if TYPE_CHECKING:
    from ..system import Tree

needs = frozenset({"derive"})


def energies(tree: Tree, q: np.ndarray, v: np.ndarray):
    """Kinetic and potential energy [J]; the potential is zero at the origin of the world."""
    T = U = 0
    for kinetic, potential in energies_by_link(tree, q, v):
        T, U = T + kinetic, U + potential
    return T * HALF, U


def energies_by_link(tree: Tree, q: np.ndarray, v: np.ndarray):
    """Twice the kinetic energy, and the potential energy of gravity, of each link [J]."""
    for link, motion in zip(tree.links, velocities(tree, q, v)[1:], strict=True):
        I, V = link.inertia, motion.V
        T = (I @ V) @ V  # LA.1
        for J, rate in zip(link.armature, v[link.v], strict=True):
            T = T + J * rate * rate
        yield T, -(tree.gravity @ (I.mass * motion.X_W.p + motion.X_W.rotate(I.h)))  # LA.2


def time_derivative(tree: Tree, x):
    """Partial derivative by time, zero if no placement depends on time; LA.7."""
    return tree.K.derive(x, tree.K.parameters[TIME]) if tree.rheonomic else 0  # LA.7


@formalism("lagrange", needs)
def inverse_dynamics(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(nv,): efforts `tau` of the accelerations `a` at the state `(q, v)`; LA.3 and LA.4."""
    K = tree.K
    K.need("derive", "lagrange")
    T, U = energies(tree, q, v)
    p, dT, dU = (K.derive(e, x) for e, x in ((T, v), (T, q), (U, q)))
    qdot = rates(tree, q, v)
    # LA.3
    tau = vector(K.derive(e, q) @ qdot + K.derive(e, v) @ a + time_derivative(tree, e) for e in p)
    for link in tree.owners:
        joint, n = link.joint, link.joint.nv
        force = (dU - dT)[link.q]
        if joint.holonomic:
            tau[link.v] = tau[link.v] + force
            continue
        q_J, units = q[link.q], np.eye(joint.nq, dtype=int).astype(object)
        W = np.stack([joint.speeds_from(K, q_J, e) for e in units], axis=1)
        N = np.stack([joint.rates(K, q_J, e) for e in np.eye(n, dtype=int).astype(object)], axis=1)
        dW = np.stack([[K.derive(e, q_J) for e in row] for row in W])  # [i, a, b] = dW_ia/dq_b
        curl = dW - dW.transpose(0, 2, 1)
        hamel_terms = sum(
            (curl[i] @ qdot[link.q] * p[link.v][i] for i in range(n)), start=0 * force
        )
        tau[link.v] = tau[link.v] + N.T @ (force + hamel_terms)  # LA.4
    return tau
