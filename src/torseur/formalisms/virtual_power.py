"""Principle of virtual power (Jourdain): efforts from rates of momentum and partial velocities.

For every virtual speed the rates of momentum minus the weights have the power of the efforts.
Pseudo-velocities need no further terms.  Equations LA.5 to LA.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..kinematics import rates, velocities
from ..scalars import vector
from ..spatial import cross
from .base import formalism
from .lagrange import time_derivative

if TYPE_CHECKING:
    from ..system import Tree

needs = frozenset({"derive"})


@formalism("virtual_power", needs)
def inverse_dynamics(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(nv,): efforts `tau` of the accelerations `a` at the state `(q, v)`."""
    K = tree.K
    K.need("derive", "virtual_power")
    qdot = rates(tree, q, v)
    tau = vector([0] * tree.nv)
    for link, motion in zip(tree.links, velocities(tree, q, v)[1:], strict=True):
        I, X = link.inertia, motion.X_W
        h, V = X.push_momentum(I @ motion.V).array, X.push_twist(motion.V).array
        rate = (K.derive(e, q) @ qdot + K.derive(e, v) @ a + time_derivative(tree, e) for e in h)
        momentum_rate = vector(rate)  # LA.5
        weight = I.mass * tree.gravity
        momentum_rate = momentum_rate - np.concatenate(
            [cross(I.mass * X.p + X.rotate(I.h), tree.gravity), weight]
        )
        partial = np.stack([K.derive(e, v) for e in V])
        tau = tau + partial.T @ momentum_rate  # LA.6
        tau[link.v] = tau[link.v] + link.armature * a[link.v]
    return tau
