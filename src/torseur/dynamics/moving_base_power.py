"""Power and energy supplied by placements that depend on time (moving bases).  RP.5, RP.6."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..formalisms import lagrange, newton_euler
from ..spatial import HALF

if TYPE_CHECKING:
    from ..spatial import Wrench
    from ..system import Tree


def carrying(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrenches: dict[int, Wrench] | None
):
    """Power [W] that moving placements supply, without forces of constraint rows; RP.5.

    It is the power of each joint's wrench on the part of the velocity that depends on time alone.
    """
    if not tree.rheonomic:
        return 0
    reactions = newton_euler.solve(tree, q, v, a, wrenches).reactions
    power = 0
    for k, F in zip(tree.links, reactions, strict=True):
        if k.joint.rheonomic:
            power = power + F.array @ k.joint.drift(tree.K, q[k.q])  # RP.5
    return power


def gained(tree: Tree, q: np.ndarray, dv: np.ndarray):
    """Energy [J] that moving placements supply while speeds jump by `dv`, RP.6.

    It is the part of the kinetic energy that is linear in the speeds.  Impulses of constraint rows
    are not included.
    """
    if not tree.rheonomic:
        return 0
    plus, minus = (lagrange.energies(tree, q, x)[0] for x in (dv, -dv))
    return (plus - minus) * HALF  # RP.6
