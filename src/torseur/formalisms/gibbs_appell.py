"""Gibbs and Appell: one function of the accelerations, whose slopes are the efforts.

The energy of accelerations takes any speeds, rates of coordinates or not, as it takes any
constraint of speeds: nothing in it is a derivative by a coordinate of an energy.
Theory: GA.1 to GA.3.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..kinematics import rates, velocities
from ..scalars import vector
from ..spatial import HALF, Twist
from .base import formalism
from .lagrange import slope

needs = frozenset({"derive"})


def appellians(tree, q, v, a) -> Iterator[Any]:
    """Appell's function of each link, its weight and rotors included [W/s], less what has no a."""
    K, qdot = tree.K, rates(tree, q, v)

    def rate(x):
        """Derivative of a component along the motion."""
        return K.derive(x, q) @ qdot + K.derive(x, v) @ a + slope(tree, x)

    for link, moving in zip(tree.links, velocities(tree, q, v)[1:], strict=True):
        I, V, X = link.inertia, moving.V, moving.X_W
        A = Twist.of(vector(rate(x) for x in V.array))  # GA.1
        S = ((I @ A) @ A) * HALF + V.cross(I @ V) @ A  # GA.2
        g = X.unrotate(tree.gravity)
        S = S - (I @ Twist((0, 0, 0), g)) @ A
        for J, x in zip(link.armature, a[link.v], strict=True):
            S = S + J * x * x * HALF
        yield S


@formalism("gibbs_appell", needs)
def inverse_dynamics(tree, q, v, a) -> np.ndarray:
    """Efforts `tau` that give the accelerations `a` at the state `(q, v)`, shape (nv,)."""
    K = tree.K
    K.need("derive", "gibbs_appell")
    tau = vector([0] * tree.nv)
    for S in appellians(tree, q, v, a):
        tau = tau + K.derive(S, a)  # GA.3
    return tau
