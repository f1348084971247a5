"""What placements that time moves give to the motion.  Theory: RP.5 to RP.7."""

from __future__ import annotations

from ..formalisms import lagrange, newton_euler
from ..spatial import HALF


def carrying(tree, q, v, a, wrenches):
    """Power [W] that moving placements supply, forces of constraint rows apart.

    The wrench of a joint on its link works on what time alone brings.
    """
    if not tree.rheonomic:
        return 0
    carried = newton_euler.solve(tree, q, v, a, wrenches).reactions
    power = 0
    for k, F in zip(tree.links, carried, strict=True):
        if k.joint.rheonomic:
            power = power + F.array @ k.joint.drift(tree.K, q[k.q])  # RP.5
    return power


def gained(tree, q, dv):
    """Energy [J] that moving placements supply while speeds jump by `dv`.

    Impulses of constraint rows apart: the part of the kinetic energy that is linear in speeds.
    """
    if not tree.rheonomic:
        return 0
    forth, back = (lagrange.energies(tree, q, x)[0] for x in (dv, -dv))
    return (forth - back) * HALF  # RP.6
