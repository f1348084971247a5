"""Constraint forces (reactions) of loops, constraints and joints, and free-body cuts.

Equations RE.1 to RE.4, RE.22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...errors import TorseurError, unknown_name_message
from ...formalisms import newton_euler
from ...kinematics import outward, poses
from ...scalars import vector
from ...spatial import Wrench, evaluate_pose
from .rows import Rows, wrench_map

if TYPE_CHECKING:
    from ...system import System, Tree


class ConstraintWrenches(NamedTuple):
    """Wrenches and generalized forces of the constraints on a mechanism."""

    wrenches: dict[int, Wrench]  # on links, in their frames
    tau: np.ndarray  # generalized forces of rows that join no bodies
    on_child: dict[str, Wrench]  # of each element on its frame M, at and in M


def carried(
    tree: Tree, system: System, rows: Rows, q: np.ndarray, lam: np.ndarray, maps=None
) -> ConstraintWrenches:
    """Wrenches and generalized forces of the multipliers `lam`, over a graph.

    `rows` may include contacts and dry frictions.  Their forces then count as multipliers.  `maps`
    caches the wrench maps of the elements at this `q`, by number.
    """
    K, maps = tree.K, {} if maps is None else maps
    wrenches: dict[int, Wrench] = {}
    on_child: dict[str, Wrench] = {}
    tau = vector([0] * tree.nv)
    elements: tuple[Any, ...] = (*system.held, *system.switched)
    for i, e in enumerate(elements):
        slots = [j for j, o in enumerate(rows.owners) if o == i]
        if not slots:
            continue
        part = lam[slots]
        if not e.joins:
            tau = tau + rows.J[slots].T @ part  # RE.1
            continue
        active = [f"{e.name}.{label}" in rows.names for label in e.labels]
        if i not in maps:
            maps[i] = wrench_map(tree, e, q)
        F_M = Wrench.of(maps[i][active].T @ part)  # RE.2
        on_child[e.name] = on_child[e.name] + F_M if e.name in on_child else F_M
        X_FM = e.pose(tree, q)
        for frame, F in ((e.M, F_M), (e.F, -X_FM.push_wrench(F_M))):
            if frame.link:
                F_L = evaluate_pose(K, frame.X_LB).push_wrench(F)
                before = wrenches.get(frame.link)
                wrenches[frame.link] = F_L if before is None else before + F_L
    return ConstraintWrenches(wrenches, tau, on_child)


def multiplier_rates(
    tree: Tree, system: System, rows: Rows, q: np.ndarray, v: np.ndarray
) -> np.ndarray:
    """(rows,): rate that each multiplier works on.

    Of rows that join bodies it is the motion of M in F along the row, RE.22.
    """
    out = rows.J @ v
    elements: tuple[Any, ...] = (*system.held, *system.switched)
    for i, e in enumerate(elements):
        slots = [j for j, o in enumerate(rows.owners) if o == i]
        if slots and e.joins:
            active = [f"{e.name}.{label}" in rows.names for label in e.labels]
            out[slots] = wrench_map(tree, e, q)[active] @ e.twist(tree, q, v)[1].array  # RE.22
    return out


def merged(*several) -> dict[int, Wrench]:
    """Sum of wrenches by link."""
    out: dict[int, Wrench] = {}
    for wrenches in several:
        for i, F in (wrenches or {}).items():
            out[i] = out[i] + F if i in out else F
    return out


def joint_wrenches(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray, wrenches: dict[int, Wrench] | None
) -> np.ndarray:
    """(njoints, 6): wrench of every joint on its link, at and in the link's frame."""
    reactions = [F.array for F in newton_euler.solve(tree, q, v, a, wrenches).reactions]
    return np.stack(reactions) if reactions else np.empty((0, 6), dtype=object)


class Isolation(NamedTuple):
    """Free body: external wrench that a set of bodies needs for its motion, and its cuts."""

    dynamic: Wrench  # needed for the motion, without the weight
    joints: tuple[str, ...]  # joints that are cut
    loops: tuple[str, ...]  # loops and constraints that are cut
    across: dict[str, Wrench] = {}  # wrench of each cut joint, loop, constraint, force

    def __str__(self):
        """The external wrench, and the cuts by name."""
        F, N = (
            ", ".join(f"{float(x):.6g}" for x in part)
            for part in (self.dynamic.force, self.dynamic.moment)
        )
        return (
            f"force ({F}) N, moment ({N}) N m about the origin, world axes, weight taken off\n"
            f"cut: {', '.join((*self.joints, *self.loops)) or 'nothing'}"
        )


def isolate(
    tree: Tree, system: System, bodies, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> Isolation:
    """External wrench (without the weight) that a set of bodies needs for its motion, RE.3.

    In world axes at the world's origin.  `bodies` are names; welded bodies must be named together.
    """
    bodies = [bodies] if isinstance(bodies, str) else list(bodies)
    unknown = [
        unknown_name_message("body", b, system.bodies, "isolate")
        for b in bodies
        if b not in system.bodies
    ]
    if unknown:
        raise TorseurError("\n".join(unknown))
    links = {system.places[b].link for b in bodies}
    links |= {i for i in system.slices if system.links[i - 1].body in bodies}
    for b in system.bodies:
        if system.places[b].link in links - system.slices and b not in bodies:
            raise TorseurError(
                f"isolate: body {b!r} is welded to one of {', '.join(bodies)}; name it too"
            )
    motion = outward(
        tree, newton_euler.out, newton_euler.at_rest(tree.gravity), (q, "q"), (v, "v"), (a, "v")
    )
    X, total = poses(tree, q), Wrench()
    for i in links - {0}:
        total = total + X[i].push_wrench(motion[i].F)  # RE.3
    cut = tuple(k.name for k in tree.links if (k.index in links) != (k.parent in links))
    elements: tuple[Any, ...] = (*system.held, *system.switched)
    loops = tuple(
        dict.fromkeys(
            e.name for e in elements if e.joins and (e.F.link in links) != (e.M.link in links)
        )
    )
    return Isolation(total, cut, loops)  # RE.4
