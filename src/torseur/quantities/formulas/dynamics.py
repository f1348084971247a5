"""Derivatives of efforts and accelerations, in the tangent space of the coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import KernelError
from ...scalars import matrix, vector
from ..register import quantity

if TYPE_CHECKING:
    from ..symbolic_system import SymbolicSystem

# --------------------------------------------------------------------------------------------
# Accelerations under efforts, of trees and of mechanisms with loops; the mass matrix.


@quantity("q v tau", "a", loaded=True)
def forward_dynamics(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, tau: np.ndarray):
    """Accelerations under the efforts `tau`."""
    from ...dynamics import forward_dynamics as forward

    x, F = s.reduced_inputs(q)
    return forward.cheapest(s.reduced, s.system.speeds)(s.reduced, x, v, tau, F)


@quantity("q", "M", shapes={"M": ("nv", "nv")})
def mass_matrix(s: SymbolicSystem, q: np.ndarray):
    """Mass matrix."""
    from ...formalisms import composite_body

    return composite_body.mass_matrix(s.reduced, s.reduced_coordinates(q))


@quantity("q v tau t", "a lam", loaded=True)
def constrained_dynamics(
    s: SymbolicSystem, q: np.ndarray, v: np.ndarray, tau: np.ndarray, t: np.ndarray
):
    """Accelerations and multipliers of a system with loops or constraints."""
    from ...dynamics.constraints import kkt

    solved = kkt.forward_dynamics(s.tree, s.system, t[0], q, v, tau, s.external(q))
    return solved.a, solved.lam


# --------------------------------------------------------------------------------------------
# Efforts of a motion, and reactions in its joints.


@quantity(
    "q v a",
    "tau",
    loaded=True,
)
def inverse_dynamics(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """Efforts that give the accelerations `a`."""
    from ...formalisms import newton_euler

    x, F = s.reduced_inputs(q)
    return newton_euler.inverse_dynamics(s.reduced, x, v, a, F)


@quantity("q v", "tau", loaded=True)
def bias(s: SymbolicSystem, q: np.ndarray, v: np.ndarray):
    """Efforts at zero acceleration: velocity products and gravity."""
    return inverse_dynamics(s, q, v, vector([0] * s.system.nv))


@quantity("q", "tau")
def gravity_forces(s: SymbolicSystem, q: np.ndarray):
    """Efforts that hold the mechanism still."""
    from ... import dynamics

    return dynamics.gravity_forces(s.reduced, s.reduced_coordinates(q))


@quantity("q v", "C", shapes={"C": ("nv", "nv")})
def coriolis_matrix(s: SymbolicSystem, q: np.ndarray, v: np.ndarray):
    """`C` with `bias = C v + gravity_forces`, `Mdot - 2 C` skew."""
    from ... import dynamics

    if s.system.rheonomic:
        raise KernelError(
            f"coriolis_matrix: time moves a placement of {s.system.name!r}, so the bias has parts "
            "that are no product of speeds; use bias"
        )

    return dynamics.coriolis_matrix(s.reduced, s.reduced_coordinates(q), v)


@quantity("q", "Gamma", shapes={"Gamma": ("nv", "nv", "nv")})
def christoffel(s: SymbolicSystem, q: np.ndarray):
    """`Gamma[i, j, k]` with `sum Gamma[i, j, k] v_j v_k` the velocity products of effort i."""
    from ...formalisms import christoffel

    return christoffel(s.tree, q)


@quantity("q v a", "F", loaded=True, shapes={"F": ("links", 6)})
def reactions(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """Wrench (moment, force) of the parent on the child at each joint, in the child's frame."""
    from ...formalisms import newton_euler

    found = newton_euler.solve(s.tree, q, v, a, s.external(q)).reactions
    return np.stack([F.array for F in found]) if found else np.zeros((0, 6), dtype=object)


SQUARE = ("nv", "nv")


def tangent(s: SymbolicSystem, expression: Any, port: str):
    """Jacobian of a column with respect to a port, in the tangent space for q."""
    from ... import kinematics

    K, x = s.K, s[port]
    J = K.lib.jacobian(K.sx(expression), K.sx(x))
    if port != "q" or all(k.joint.holonomic for k in s.tree.links):
        return J
    units = np.eye(s.system.nv, dtype=int).astype(object)
    N = K.lib.horzcat(*(K.sx(kinematics.rates(s.tree, x, e)) for e in units))
    return J @ N


def graph_derivatives(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """Derivatives of the efforts as the graph makes them by itself."""
    K, free = s.K, s["a"]
    tau = inverse_dynamics(s, q, v, free)
    dq, dv = (K.lib.substitute(tangent(s, tau, x), K.sx(free), K.sx(a)) for x in "qv")
    return dq, dv, mass_matrix(s, q)


@quantity(
    "q v a",
    "dq dv da",
    loaded=True,
    shapes={"dq": SQUARE, "dv": SQUARE, "da": SQUARE},
)
def inverse_dynamics_derivatives(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """By composite quantities where joints allow, else by the graph's own derivative."""
    from ...formalisms import composite_derivatives

    x = s.reduced_coordinates(q)
    if not s.wrenches and composite_derivatives.has_constant_subspaces(s.reduced, x):
        return composite_derivatives.derivatives(s.reduced, x, v, a)
    return graph_derivatives(s, q, v, a)


def factorized_derivatives(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, tau: np.ndarray):
    """Derivatives of the efforts at the accelerations reached, and the factors of M."""
    from ...dynamics import forward_dynamics as forward

    dq, dv, M = inverse_dynamics_derivatives(s, q, v, forward_dynamics(s, q, v, tau))
    return dq, dv, forward.factorized(s.K, M, forward.speed_parents(s.reduced))


@quantity(
    "q v tau",
    "dq dv dtau",
    loaded=True,
    shapes={"dq": SQUARE, "dv": SQUARE, "dtau": SQUARE},
)
def forward_dynamics_derivatives(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, tau: np.ndarray):
    """Through the inverse's: `da = -M^-1 d(tau(q, v, a))` at the accelerations reached."""
    dq, dv, factors = factorized_derivatives(s, q, v, tau)
    K, n = s.K, s.system.nv

    def solve(rhs):
        columns = rhs.T if isinstance(rhs, np.ndarray) else [K.unpack(rhs[:, i]) for i in range(n)]
        return matrix([factors.solve(c) for c in columns]).T.reshape(n, n)

    return -solve(dq), -solve(dv), factors.inverse_matrix()


@quantity("q v a", "dp")
def inverse_dynamics_parameters(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """Derivative of the efforts by the declared parameters."""
    return s.K.lib.jacobian(s.K.sx(inverse_dynamics(s, q, v, a)), s.K.sx(s["p"]))
