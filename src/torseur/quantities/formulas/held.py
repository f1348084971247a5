"""Forces of constraint: wrenches in loops and joints, and those that no motion tells."""

from __future__ import annotations

from dataclasses import replace

from ...numbers import vector
from ...spatial import Wrench
from ..register import quantity


def always_joined(system) -> list[str]:
    """Loops and constraints between bodies that always hold."""
    from ...dynamics.held import labels

    own = {e.name for e in system.held}
    return [n for n in labels.names(system) if n in own]


def _on_both(s, rows, q, lam) -> tuple[list, list]:
    """Wrenches of multipliers: on the child of each loop, in its frame M; on each joined link."""
    from ...dynamics.held import labels, reactions
    from ..scene import joined

    held = reactions.carried(s.tree, s.system, rows, q, lam, s.wrench_maps)
    loops = [held.on_child.get(n, Wrench()).array for n in labels.names(s.system)]
    return loops, [held.wrenches.get(i, Wrench()).array for i in joined(s.system)]


@quantity("t q v lam", "loops links")
def carried(s, t, q, v, lam):
    """Wrench of every loop and constraint on its child, and on every link that they join."""
    return _on_both(s, s.rows, q, lam)


@quantity("t q v every_lam", "loops links")
def carried_by_every_row(s, t, q, v, lam):
    """The same, of multipliers of every row, silent ones too."""
    return _on_both(s, s.every_row, q, lam)


@quantity("t q v", "J")
def every_row(s, t, q, v):
    """Jacobian of every row, silent ones too."""
    return s.every_row.J


def _wrenches(system, six) -> dict[int, Wrench]:
    from ..scene import joined

    return {i: Wrench.of(F) for i, F in zip(joined(system), six.reshape(-1, 6), strict=True)}


@quantity("t q v z m u a links", "F")
def joint_wrenches(s, *given):
    """Wrench of every joint on its link, at and in the link's frame, with all elements acting."""
    from ...dynamics.held import reactions
    from .motion import moment

    *now, a, links = given
    now = moment(*now)
    wrenches = reactions.merged(s.motion.loads(now).wrenches, _wrenches(s.system, links))
    return reactions.joint_wrenches(s.tree, now.q, now.v, a, wrenches)


@quantity("q links", "F")
def stressed_joints(s, q, links):
    """Wrenches in joints by wrenches on the joined links alone, at rest and without weight."""
    from ...dynamics.held import reactions

    tree, rest = replace(s.tree.still(), gravity=0 * s.tree.gravity), vector([0] * s.system.nv)
    return reactions.joint_wrenches(tree, q, rest, rest, _wrenches(s.system, links))


@quantity("t q v a held_lam", "loops joints tau")
def held_reactions(s, t, q, v, a, lam):
    """Wrenches of loops on their children, of joints on theirs, and efforts; no elements act."""
    from ...dynamics.held import labels, reactions

    held = reactions.carried(s.tree, s.system, s.held_rows, q, lam)
    joints = reactions.joint_wrenches(s.tree, q, v, a, held.wrenches)
    loops = [held.on_child[n].array for n in labels.names(s.system)]
    return loops, joints, held.tau


@quantity("t q every_held_lam", "J joints loops")
def self_stressed(s, t, q, lam):
    """Jacobian of every row that always holds, silent ones too, and wrenches of its multipliers."""
    from ...dynamics.held import reactions

    held = reactions.carried(s.tree, s.system, s.every_held_row, q, lam)
    tree, rest = replace(s.tree.still(), gravity=0 * s.tree.gravity), 0 * s["v"]
    joints = reactions.joint_wrenches(tree, q, rest, rest, held.wrenches)
    return s.every_held_row.J, joints, [held.on_child[n].array for n in always_joined(s.system)]


@quantity("q v", "V")
def joint_twists(s, q, v):
    """Twist of every joint's outboard frame in its inboard one, in the outboard one: 6 numbers."""
    return [x for k in s.tree.links for x in k.joint.twist(s.K, q[k.q], v[k.v])]


@quantity("q v a", "P")
def reaction_power(s, q, v, a):
    """Power of every joint's wrench on its own motion [W]: that of what drives or brakes it."""
    from ...formalisms import newton_euler

    held = newton_euler.solve(s.tree, q, v, a).reactions
    return [
        F.array @ k.joint.twist(s.K, q[k.q], v[k.v])
        for F, k in zip(held, s.tree.links, strict=True)
    ]  # RE.20


@quantity("t q v lam", "P")
def row_powers(s, t, q, v, lam):
    """Power of every row's multiplier on its own motion [W]: of drives and sliding frictions."""
    from ...dynamics.held import reactions

    return lam * reactions.row_speeds(s.tree, s.system, s.rows, q, v)  # RE.22
