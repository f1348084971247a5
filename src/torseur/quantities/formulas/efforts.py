"""Efforts of a motion, and reactions in its joints."""

from __future__ import annotations

import numpy as np

from ...errors import KernelError
from ...numbers import vector
from ..register import quantity


def beside(s, lanes):
    """Limbs side by side, where that is shorter: NE.9."""
    from .. import limbs

    return limbs.inverse_dynamics(s, lanes) if limbs.pays(s, lanes) else None


@quantity("q v a", "tau", loaded=True, rolled=True, beside=beside)
def inverse_dynamics(s, q, v, a):
    """Efforts that give the accelerations `a`."""
    from ...formalisms import newton_euler

    x, F = s.cheap(q)
    return newton_euler.inverse_dynamics(s.lean, x, v, a, F)


@quantity("q v", "tau", loaded=True)
def bias(s, q, v):
    """Efforts at zero acceleration: velocity products and gravity."""
    return inverse_dynamics(s, q, v, vector([0] * s.system.nv))


@quantity("q", "tau")
def gravity_forces(s, q):
    """Efforts that hold the mechanism still."""
    from ... import dynamics

    return dynamics.gravity_forces(s.lean, s.coordinates(q))


@quantity("q v", "C", shapes={"C": ("nv", "nv")})
def coriolis_matrix(s, q, v):
    """`C` with `bias = C v + gravity_forces`, `Mdot - 2 C` skew."""
    from ... import dynamics

    if s.system.rheonomic:
        raise KernelError(
            f"coriolis_matrix: time moves a placement of {s.system.name!r}, so the bias has parts "
            "that are no product of speeds; use bias"
        )

    return dynamics.coriolis_matrix(s.lean, s.coordinates(q), v)


@quantity("q", "Gamma", shapes={"Gamma": ("nv", "nv", "nv")})
def christoffel(s, q):
    """`Gamma[i, j, k]` with `sum Gamma[i, j, k] v_j v_k` the velocity products of effort i."""
    from ...formalisms import christoffel

    return christoffel(s.tree, q)


@quantity("q v a", "F", loaded=True, shapes={"F": ("links", 6)})
def reactions(s, q, v, a):
    """Wrench (moment, force) of the parent on the child at each joint, in the child's frame."""
    from ...formalisms import newton_euler

    found = newton_euler.solve(s.tree, q, v, a, s.external(q)).reactions
    return np.stack([F.array for F in found]) if found else np.zeros((0, 6), dtype=object)
