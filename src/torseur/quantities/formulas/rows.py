"""Rows of loops and constraints: residuals, Jacobians, and what the equation is made of."""

from __future__ import annotations

import numpy as np

from ...numbers import matrix
from ..register import quantity


@quantity("q t", "phi")
def constraint_residual(s, q, t):
    """Residuals of loops and constraints of positions, zero when assembled."""
    return s.held_rows.phi


@quantity("q t", "J")
def constraint_jacobian(s, q, t):
    """Rows of the constraints along the speeds; those of positions first."""
    return s.held_rows.J


@quantity("q v t", "gamma")
def constraint_gamma(s, q, v, t):
    """Right-hand side of `J a = gamma`, one number a row of the constraints."""
    return s.held_rows.gamma


@quantity("t q v", "phi J")
def closure(s, t, q, v):
    """Residuals of positions, and the Jacobian of every row that always holds."""
    return s.held_rows.phi, s.held_rows.J


@quantity("t q v", "phi psi")
def openness(s, t, q, v):
    """Residuals of positions and of speeds, for every run to be judged by."""
    return s.held_rows.phi, s.held_rows.psi


@quantity("t q", "each")
def turned(s, t, q):
    """What tells of every loop and constraint whether it is met the wrong way round."""
    return tuple(e.turned(s.tree, q) for e in s.system.held)


@quantity("t q", "phi J")
def constraint_positions(s, t, q):
    """Residuals of positions, and their Jacobian along the speeds."""
    return s.held_rows.phi, s.held_rows.J[: len(s.held_rows.phi)]


@quantity("t q v", "M h phi psi J gamma")
def constrained_terms(s, t, q, v):
    """Mass matrix, bias, residuals of positions and speeds, Jacobian and right-hand side."""
    from ...dynamics.held import saddle

    r, (M, h) = s.held_rows, saddle.terms(s.tree, q, v)
    return M, h, r.phi, r.psi, r.J, r.gamma


@quantity("t q v", "q1 v1 far fast")
def projected(s, t, q, v):
    """The state moved once towards the constraints, and how far its positions and speeds were."""
    from ...dynamics.held import saddle

    return tuple(saddle.project(s.tree, s.system, t[0], q, v))


@quantity("t q v", "S")
def constraint_slopes(s, t, q, v):
    """Change of every row's rate along small motions, the speeds held."""
    from ... import kinematics

    r = s.held_rows
    S = matrix([s.K.derive(x, q) for x in r.psi]) if len(r) else r.J[:, : len(q)]
    units = np.eye(s.system.nv, dtype=int).astype(object)
    return S @ np.stack([kinematics.rates(s.tree, q, e) for e in units], axis=1)
