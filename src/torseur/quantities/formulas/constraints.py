"""Constraint reactions: wrenches in loops and joints, and self-stress of redundant rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...scalars import matrix, vector
from ...spatial import Wrench
from ..register import quantity

if TYPE_CHECKING:
    from ...system import System
    from ..symbolic_system import SymbolicSystem


def bilateral_names(system: System) -> list[str]:
    """Names of bilateral loops and constraints between bodies."""
    from ...dynamics.constraints import rows as labels

    own = {e.name for e in system.held}
    return [n for n in labels.names(system) if n in own]


def constraint_wrenches(
    s: SymbolicSystem, rows: Any, q: np.ndarray, lam: np.ndarray
) -> tuple[list, list]:
    """Wrenches of multipliers: on the child of each loop, in its frame M; on each joined link."""
    from ...dynamics.constraints import reactions, rows as labels
    from ..symbolic_system import joined

    carried_wrenches = reactions.carried(s.tree, s.system, rows, q, lam, s.wrench_maps)
    loops = [carried_wrenches.on_child.get(n, Wrench()).array for n in labels.names(s.system)]
    return loops, [carried_wrenches.wrenches.get(i, Wrench()).array for i in joined(s.system)]


@quantity("t q v lam", "loops links")
def carried(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray, lam: np.ndarray):
    """Wrench of every loop and constraint on its child, and on every link that they join."""
    return constraint_wrenches(s, s.rows, q, lam)


@quantity("t q v every_lam", "loops links")
def carried_by_every_row(
    s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray, lam: np.ndarray
):
    """The same, of multipliers of every row, silent ones too."""
    return constraint_wrenches(s, s.every_row, q, lam)


@quantity("t q v", "J")
def every_row(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """Jacobian of every row, silent ones too."""
    return s.every_row.J


def link_wrenches(system: System, components: np.ndarray) -> dict[int, Wrench]:
    from ..symbolic_system import joined

    return {i: Wrench.of(F) for i, F in zip(joined(system), components.reshape(-1, 6), strict=True)}


@quantity("t q v z m u a links", "F")
def joint_wrenches(s: SymbolicSystem, *columns: np.ndarray):
    """Wrench of every joint on its link, at and in the link's frame, with all elements acting."""
    from ...dynamics.constraints import reactions
    from .motion import moment

    *state, a, links = columns
    state = moment(*state)
    wrenches = reactions.merged(s.motion.loads(state).wrenches, link_wrenches(s.system, links))
    return reactions.joint_wrenches(s.tree, state.q, state.v, a, wrenches)


@quantity("q links", "F")
def stressed_joints(s: SymbolicSystem, q: np.ndarray, links: np.ndarray):
    """Wrenches in joints by wrenches on the joined links alone, at rest and without weight."""
    from ...dynamics.constraints import reactions

    tree, rest = replace(s.tree.still(), gravity=0 * s.tree.gravity), vector([0] * s.system.nv)
    return reactions.joint_wrenches(tree, q, rest, rest, link_wrenches(s.system, links))


@quantity("t q v a held_lam", "loops joints tau")
def held_reactions(
    s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray, a: np.ndarray, lam: np.ndarray
):
    """Wrenches of loops on their children, of joints on theirs, and efforts; no elements act."""
    from ...dynamics.constraints import reactions, rows as labels

    held = reactions.carried(s.tree, s.system, s.held_rows, q, lam)
    joints = reactions.joint_wrenches(s.tree, q, v, a, held.wrenches)
    loops = [held.on_child[n].array for n in labels.names(s.system)]
    return loops, joints, held.tau


@quantity("t q every_held_lam", "J joints loops")
def self_stressed(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, lam: np.ndarray):
    """Jacobian of every row that always holds, silent ones too, and wrenches of its multipliers."""
    from ...dynamics.constraints import reactions

    held = reactions.carried(s.tree, s.system, s.every_held_row, q, lam)
    tree, rest = replace(s.tree.still(), gravity=0 * s.tree.gravity), 0 * s["v"]
    joints = reactions.joint_wrenches(tree, q, rest, rest, held.wrenches)
    return s.every_held_row.J, joints, [held.on_child[n].array for n in bilateral_names(s.system)]


@quantity("q v", "V")
def joint_twists(s: SymbolicSystem, q: np.ndarray, v: np.ndarray):
    """Twist of every joint's outboard frame in its inboard one, in the outboard one: 6 numbers."""
    return [x for k in s.tree.links for x in k.joint.twist(s.K, q[k.q], v[k.v])]


@quantity("q v a", "P")
def reaction_power(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, a: np.ndarray):
    """Power of every joint's wrench on its own motion [W]: that of what drives or brakes it."""
    from ...formalisms import newton_euler

    held = newton_euler.solve(s.tree, q, v, a).reactions
    return [
        F.array @ k.joint.twist(s.K, q[k.q], v[k.v])
        for F, k in zip(held, s.tree.links, strict=True)
    ]  # RE.20


@quantity("t q v lam", "P")
def row_powers(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray, lam: np.ndarray):
    """Power of every row's multiplier on its own motion [W]: of drives and sliding frictions."""
    from ...dynamics.constraints import reactions

    return lam * reactions.multiplier_rates(s.tree, s.system, s.rows, q, v)  # RE.22


# --------------------------------------------------------------------------------------------
# Rows of loops and constraints: residuals, Jacobians, and what the equation is made of.


@quantity("q t", "phi")
def constraint_residual(s: SymbolicSystem, q: np.ndarray, t: np.ndarray):
    """Residuals of loops and constraints of positions, zero when assembled."""
    return s.held_rows.phi


@quantity("q t", "J")
def constraint_jacobian(s: SymbolicSystem, q: np.ndarray, t: np.ndarray):
    """Rows of the constraints along the speeds; those of positions first."""
    return s.held_rows.J


@quantity("q v t", "gamma")
def constraint_gamma(s: SymbolicSystem, q: np.ndarray, v: np.ndarray, t: np.ndarray):
    """Right-hand side of `J a = gamma`, one number a row of the constraints."""
    return s.held_rows.gamma


@quantity("t q v", "phi J")
def closure(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """Residuals of positions, and the Jacobian of every row that always holds."""
    return s.held_rows.phi, s.held_rows.J


@quantity("t q v", "phi psi")
def openness(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """Residuals of positions and of speeds, for every run to be judged by."""
    return s.held_rows.phi, s.held_rows.psi


@quantity("t q", "each")
def turned(s: SymbolicSystem, t: np.ndarray, q: np.ndarray):
    """What tells of every loop and constraint whether it is met the wrong way round."""
    return tuple(e.turned(s.tree, q) for e in s.system.held)


@quantity("t q", "phi J")
def constraint_positions(s: SymbolicSystem, t: np.ndarray, q: np.ndarray):
    """Residuals of positions, and their Jacobian along the speeds."""
    return s.held_rows.phi, s.held_rows.J[: len(s.held_rows.phi)]


@quantity("t q v", "M h phi psi J gamma")
def constrained_terms(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """Mass matrix, bias, residuals of positions and speeds, Jacobian and right-hand side."""
    from ...dynamics.constraints import kkt

    r, (M, h) = s.held_rows, kkt.terms(s.tree, q, v)
    return M, h, r.phi, r.psi, r.J, r.gamma


@quantity("t q v", "q1 v1 far fast")
def projected(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """The state moved once towards the constraints, and how far its positions and speeds were."""
    from ...dynamics.constraints import kkt

    return tuple(kkt.project(s.tree, s.system, t[0], q, v))


@quantity("t q v", "S")
def constraint_slopes(s: SymbolicSystem, t: np.ndarray, q: np.ndarray, v: np.ndarray):
    """Change of every row's rate along small motions, the speeds held."""
    from ... import kinematics

    r = s.held_rows
    S = matrix([s.K.derive(x, q) for x in r.psi]) if len(r) else r.J[:, : len(q)]
    units = np.eye(s.system.nv, dtype=int).astype(object)
    return S @ np.stack([kinematics.rates(s.tree, q, e) for e in units], axis=1)
