"""Efforts that a motion asks for beyond the elements that act."""

from __future__ import annotations

from ...numbers import vector
from ..register import quantity
from .motion import moment

STILL = 1e-11  # rate [m/s, rad/s] of what is at rest, along a motion that is given


@quantity("t q v", "lam")
def sliding_multipliers(s, t, q, v):
    """Multiplier of every dry friction of given size while it slides."""
    K, first, out = s.K, len(s.system.held), []
    for i, e in enumerate(s.system.switched, first):
        size = K.number(e.friction.sliding) * K.number(e.friction.radius)
        rate = s.rows.psi[s.rows.owners.index(i)]
        still = K.less(rate * rate, STILL * STILL)  # rounding has a sign as well
        out.append(-(size * K.call("sign", K.select(still, 0.0, rate))))  # DF.1
    return out


@quantity("t q v", "Q")
def sliding_forces(s, t, q, v):
    """Generalized force of every dry friction of given size while it slides."""
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
