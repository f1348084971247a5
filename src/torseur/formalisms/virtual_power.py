"""The principle of virtual power, as it reads: no energy, no curl, no recursion.

For every virtual speed the rates of momentum, less the weights, work as much as the efforts.
Derivatives of momenta and twists do the rest, so pseudo-velocities need nothing special.
Theory: LA.5 to LA.7.
"""

from __future__ import annotations

import numpy as np

from ..kinematics import rates, velocities
from ..scalars import vector
from ..spatial import cross
from .base import formalism
from .lagrange import slope

needs = frozenset({"derive"})


@formalism("virtual_power", needs)
def inverse_dynamics(tree, q, v, a) -> np.ndarray:
    """Efforts `tau` that give the accelerations `a` at the state `(q, v)`, shape (nv,)."""
    K = tree.K
    K.need("derive", "virtual_power")
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
