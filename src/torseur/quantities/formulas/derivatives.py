"""Derivatives of efforts and accelerations, in the tangent space of the coordinates."""

from __future__ import annotations

import numpy as np

from ...numbers import matrix
from ..register import quantity
from .accelerations import forward_dynamics, mass_matrix
from .efforts import inverse_dynamics

SQUARE = ("nv", "nv")


def tangent(s, expression, port):
    """Jacobian of a column with respect to a port, in the tangent space for q."""
    from ... import kinematics

    K, x = s.K, s[port]
    J = K.lib.jacobian(K.sx(expression), K.sx(x))
    if port != "q" or all(k.joint.holonomic for k in s.tree.links):
        return J
    units = np.eye(s.system.nv, dtype=int).astype(object)
    N = K.lib.horzcat(*(K.sx(kinematics.rates(s.tree, x, e)) for e in units))
    return J @ N


def graph_derivatives(s, q, v, a):
    """Derivatives of the efforts as the graph makes them by itself."""
    K, free = s.K, s["a"]
    tau = inverse_dynamics(s, q, v, free)
    dq, dv = (K.lib.substitute(tangent(s, tau, x), K.sx(free), K.sx(a)) for x in "qv")
    return dq, dv, mass_matrix(s, q)


def inverse_beside(s, lanes):
    """Links and pairs of joints side by side, where that is shorter: DE.10 to DE.14."""
    from .. import beside

    if not beside.pays(s, lanes) or beside.short(s, "inverse_dynamics_derivatives"):
        return None
    return beside.inverse_dynamics(s, lanes)


def forward_beside(s, lanes):
    """The same, at the accelerations reached: DE.15."""
    from .. import beside

    return beside.forward_dynamics(s, lanes) if beside.pays(s, lanes) else None


@quantity(
    "q v a",
    "dq dv da",
    loaded=True,
    shapes={"dq": SQUARE, "dv": SQUARE, "da": SQUARE},
    beside=inverse_beside,
)
def inverse_dynamics_derivatives(s, q, v, a):
    """By composite quantities where joints allow, else by the graph's own derivative."""
    from ...formalisms import composite_derivatives

    x = s.coordinates(q)
    if not s.wrenches and composite_derivatives.applies(s.lean, x):
        return composite_derivatives.derivatives(s.lean, x, v, a)
    return graph_derivatives(s, q, v, a)


def factored(s, q, v, tau):
    """Derivatives of the efforts at the accelerations reached, and the factors of M."""
    from ...dynamics import forward

    dq, dv, M = inverse_dynamics_derivatives(s, q, v, forward_dynamics(s, q, v, tau))
    return dq, dv, forward.factorized(s.K, M, forward.dof_parents(s.lean))


def before(s, q, v, tau):
    """The same, the factors as one array."""
    dq, dv, factors = factored(s, q, v, tau)
    return dq, dv, factors.numbers()


def count(s) -> int:
    """Numbers of the factors."""
    from ...dynamics import forward

    return forward.Factors.size(forward.dof_parents(s.lean))


def column(s, numbers, x):
    """Accelerations that a column of efforts takes away: FD.4."""
    from ...dynamics import forward

    return -forward.Factors.of(numbers, forward.dof_parents(s.lean)).solve(x)


@quantity(
    "q v tau",
    "dq dv dtau",
    loaded=True,
    shapes={"dq": SQUARE, "dv": SQUARE, "dtau": SQUARE},
    staged=(before, column, count),
    beside=forward_beside,
)
def forward_dynamics_derivatives(s, q, v, tau):
    """Through the inverse's: `da = -M^-1 d(tau(q, v, a))` at the accelerations reached."""
    dq, dv, factors = factored(s, q, v, tau)
    K, n = s.K, s.system.nv

    def solve(rhs):
        columns = rhs.T if isinstance(rhs, np.ndarray) else [K.unpack(rhs[:, i]) for i in range(n)]
        return matrix([factors.solve(c) for c in columns]).T.reshape(n, n)

    return -solve(dq), -solve(dv), factors.inverse_matrix()


@quantity("q v a", "dp")
def inverse_dynamics_parameters(s, q, v, a):
    """Derivative of the efforts by the declared parameters."""
    return s.K.lib.jacobian(s.K.sx(inverse_dynamics(s, q, v, a)), s.K.sx(s["p"]))
