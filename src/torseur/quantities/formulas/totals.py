"""Quantities of the whole mechanism: energies, momentum, center of mass."""

from __future__ import annotations

from ..register import quantity


@quantity("q v", "kinetic potential", shapes={"kinetic": (), "potential": ()})
def energy(s, q, v):
    """Kinetic and potential energy [J]."""
    from ...formalisms import lagrange

    return lagrange.energies(s.tree, q, v)


@quantity("q v", "h")
def momentum(s, q, v):
    """Angular (about the world's origin) and linear momentum, world axes."""
    from ... import dynamics

    return dynamics.momentum(s.tree, q, v)


@quantity("q", "c")
def center_of_mass(s, q):
    """Center of mass of the moving bodies, world axes [m]."""
    from ... import dynamics

    return dynamics.center_of_mass(s.tree, q)
