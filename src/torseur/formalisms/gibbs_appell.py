"""Gibbs-Appell equations: efforts as derivatives of the energy of accelerations.

The energy of accelerations (Appell's function) is differentiated by accelerations, so that speeds
need not be rates of coordinates.  Equations GA.1 to GA.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ..kinematics import rates, velocities
from ..scalars import vector
from ..spatial import HALF, Twist
from .base import formalism
from .lagrange import time_derivative

if TYPE_CHECKING:
    from ..system import Tree

needs = frozenset({"derive"})


def appellians(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> Iterator[Any]:
    """Appell's function [W/s] of each link, its weight and rotors, without terms free of `a`."""
    K, qdot = tree.K, rates(tree, q, v)

    def rate(x):
        """Time derivative of a component."""
        return K.derive(x, q) @ qdot + K.derive(x, v) @ a + time_derivative(tree, x)

    for link, motion in zip(tree.links, velocities(tree, q, v)[1:], strict=True):
        I, V, X = link.inertia, motion.V, motion.X_W
        A = Twist.of(vector(rate(x) for x in V.array))  # GA.1
        S = ((I @ A) @ A) * HALF + V.cross(I @ V) @ A  # GA.2
        g = X.unrotate(tree.gravity)
        S = S - (I @ Twist((0, 0, 0), g)) @ A
        for J, x in zip(link.armature, a[link.v], strict=True):
            S = S + J * x * x * HALF
        yield S


@formalism("gibbs_appell", needs)
def inverse_dynamics(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(nv,): efforts `tau` of the accelerations `a` at the state `(q, v)`."""
    K = tree.K
    K.need("derive", "gibbs_appell")
    tau = vector([0] * tree.nv)
    for S in appellians(tree, q, v, a):
        tau = tau + K.derive(S, a)  # GA.3
    return tau
