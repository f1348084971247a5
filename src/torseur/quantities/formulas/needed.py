"""Efforts that a motion asks for beyond the elements that act."""

from __future__ import annotations

from ...numbers import vector
from ..register import quantity
from .motion import moment


@quantity("t q v", "lam")
def sliding_multipliers(s, t, q, v):
    """Multiplier of every dry friction of given size while it slides."""
    first, out = len(s.system.held), []
    for i, e in enumerate(s.system.switched, first):
        size = s.K.number(e.friction.sliding) * s.K.number(e.friction.radius)
        out.append(-(size * s.K.call("sign", s.rows.psi[s.rows.owners.index(i)])))  # DF.1
    return out


@quantity("t q v", "Q")
def sliding_forces(s, t, q, v):
    """Generalised force of every dry friction of given size while it slides."""
    first = len(s.system.held)
    return [
        s.rows.J[s.rows.owners.index(i)] * lam
        for i, lam in enumerate(sliding_multipliers(s, t, q, v), first)
    ]


@quantity("t q v z m u a", "tau")
def needed_efforts(s, t, q, v, z, m, u, a):
    """Efforts of the motion less those of elements that act and of frictions that slide."""
    from ...formalisms import newton_euler

    tau = newton_euler.inverse_dynamics(s.tree, q, v, a)
    for i, Q in enumerate(s.motion.applied_each(moment(t, q, v, z, m, u))):
        if i not in s.skipped:
            tau = tau - Q
    return sum((-Q for Q in sliding_forces(s, t, q, v)), start=vector(tau))
