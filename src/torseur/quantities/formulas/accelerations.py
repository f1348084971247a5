"""Accelerations under efforts, of trees and of mechanisms with loops; the mass matrix."""

from __future__ import annotations

from ..register import quantity


def beside(s, lanes):
    """Links and pairs of joints side by side, where that is shorter: DE.15."""
    from .. import beside

    return beside.accelerations(s, lanes) if beside.pays_alone(s, lanes) else None


@quantity("q v tau", "a", loaded=True, rolled=True, beside=beside)
def forward_dynamics(s, q, v, tau):
    """Accelerations under the efforts `tau`."""
    from ...dynamics import forward

    x, F = s.cheap(q)
    return forward.cheapest(s.lean, s.system.speeds)(s.lean, x, v, tau, F)


def mass_beside(s, lanes):
    """Columns side by side, where that is shorter: CB.4."""
    from .. import beside, momenta

    if not beside.pays(s, lanes) or beside.short(s, "mass_matrix"):
        return None
    return momenta.mass_matrix(s, lanes)


@quantity("q", "M", rolled=True, shapes={"M": ("nv", "nv")}, beside=mass_beside)
def mass_matrix(s, q):
    """Mass matrix."""
    from ...formalisms import composite_body

    return composite_body.mass_matrix(s.lean, s.coordinates(q))


@quantity("q v tau t", "a lam", loaded=True)
def constrained_dynamics(s, q, v, tau, t):
    """Accelerations and multipliers of a system with loops or constraints."""
    from ...dynamics.held import saddle

    solved = saddle.forward_dynamics(s.tree, s.system, t[0], q, v, tau, s.external(q))
    return solved.a, solved.lam
