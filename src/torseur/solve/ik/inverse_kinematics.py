"""Inverse kinematics: all solutions in closed form, or a search by damped least squares.

Theory: IK.1 to IK.12, IK.22.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ArgumentError, TorseurError
from ...scalars import arguments
from .closed_form import ClosedForm
from .damped_least_squares import (
    list_moving_coordinates,
    move_to_preference,
    refine_newton,
    sample_starts,
    search_poses,
    solve_damped,
)
from .product_of_exponentials import invert_pose
from .self_motion import improve_along_self_motion

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...model import Model
    from ...system import System
from .problem import (
    POSE_TOLERANCE,
    SOLUTION_DISTANCE,
    PoseProblem,
    coordinate_distance,
    is_within_limits,
    normalize_angles,
)
from .results import (
    InverseKinematics,
    ManyPoses,
    describe_unreachable,
    find_singular_solutions,
    label_branches,
    note_limits,
    note_orientations,
)


def inverse_kinematics(
    model: Model | System,
    frame: str,
    pose: ArrayLike,
    *,
    task: str = "auto",
    near: Mapping[str, float] | None = None,
    hold: Mapping[str, float] | None = None,
    prefer: Mapping[str, float] | None = None,
    method: str = "auto",
    starts: int = 64,
) -> InverseKinematics | ManyPoses:
    """Coordinates that bring a frame to a pose: all solutions for most chains of up to six joints.

    Parameters
    ----------
    frame : name of the frame or body to bring
    pose : (4, 4) homogeneous matrix in the world, or (3,) position [m].  With more leading axes,
        many poses at once
    task : "pose", "position", or "auto": the position for a point, or where the arm has three
        joints that move a point in space; else the pose
    near : approximate coordinates [rad, m].  Solutions are sorted by distance, a search starts
        there, coordinates that do not move the frame stay there, and self-motions of singular poses
        go there
    hold : coordinates with a fixed value, such as the elbow of an arm of seven joints
    prefer : values to which the self-motion of a redundant arm moves coordinates
    method : "auto", "closed" (a closed form where the geometry has one, else the eigenvalue problem
        of six revolute joints, compared with a search) or "numerical" (damped least squares within
        the limits)
    starts : starting points of a search

    Returns
    -------
    InverseKinematics
        `.q` (k, nq), `.labels`, `.within_limits`, `.singular`.  For many poses `ManyPoses`, where
        an unreachable pose is NaN.  A single unreachable pose is an error that tells the gap.

    >>> import torseur as ts
    >>> arm = ts.Model(bodies=(ts.Body("a", 1, (0.2, 0, 0)), ts.Body("b", 1, (0.2, 0, 0))),
    ...     joints=(ts.Joint("j1", "world", "a", ts.Revolute("z")),
    ...             ts.Joint("j2", "a", "b", ts.Revolute("z"), at=(0.5, 0, 0))),
    ...     frames=(ts.Frame("tool", "b", at=(0.5, 0, 0)),))
    >>> print(inverse_kinematics(arm, "tool", (0.5, 0.5, 0)))
    2 solutions, closed form (two joints of a plane)
      elbow up: j1.angle = 0, j2.angle = 1.5708
      elbow down: j1.angle = 1.5708, j2.angle = -1.5708
    """
    problem = PoseProblem(model, frame, pose, task, near, hold)
    problem.set_preference(prefer)
    if method not in ("auto", "closed", "numerical"):
        raise ArgumentError(
            f"inverse_kinematics: method={method!r}: expected 'auto', 'closed' or 'numerical'"
        )
    starts = arguments.count("inverse_kinematics", "starts", starts)
    family = None if method == "numerical" else problem.find_closed_form()
    if family is None and method == "closed":
        raise TorseurError(
            f"inverse_kinematics: no closed form is known for the "
            f"{len(problem.free)} joints that move {frame!r}; use method="
            "'numerical', or hold= a joint of a redundant arm"
        )
    if problem.is_single:
        return _solve_single(problem, family, starts)
    return _solve_many(problem, family, starts)


def _solve_closed_form(p: PoseProblem, family: ClosedForm):
    """Refined and checked solutions by the closed form: q (n, k, nq), error (n, k)."""
    n = len(p.target)
    G = p.target @ invert_pose(p.zero_pose)
    if p.kind == "position":  # any motion that brings the tip there
        G = np.tile(np.eye(4), (n, 1, 1))
        G[:, :3, 3] = p.target[:, :3, 3] - p.zero_pose[:3, 3]
    with np.errstate(all="ignore"):
        x = family.solve(G)
    k = x.shape[1]
    q = np.broadcast_to(p.initial_q, (n, k, p.system.nq)).copy()
    q[..., p.free] = x
    exists = np.isfinite(x).all(axis=-1)
    residual = np.full((n, k), np.inf)
    rows, _ = np.nonzero(exists)
    if len(rows):
        refined, e = refine_newton(p.create_task(), q[exists], p.target[rows], 8)
        q[exists], residual[exists] = refined, e
    is_solution = residual < POSE_TOLERANCE
    q = normalize_angles(p, q)
    if is_solution.any():
        q[is_solution] = improve_along_self_motion(
            p, q[is_solution], p.target[np.nonzero(is_solution)[0]]
        )
    is_equal = coordinate_distance(p, q[:, :, None], q[:, None]) < SOLUTION_DISTANCE
    is_earlier = np.tril(np.ones((k, k), bool), -1)
    is_solution &= ~(is_equal & is_earlier & is_solution[:, None, :]).any(axis=-1)
    q[~is_solution] = np.nan
    residual[~is_solution] = np.nan
    return q, residual


def _solve_single(p: PoseProblem, family: ClosedForm | None, count: int):
    """Solutions of one pose, sorted, with branches and notes."""
    other_count = 0
    if family is not None:
        q, residual = (x[0] for x in _solve_closed_form(p, family))
        keep = np.isfinite(residual)
        q, residual = q[keep], residual[keep]
        if family.method != "closed form":  # a search of its own finds no other, or it is told
            q, residual, other_count = _add_searched(p, q, residual, count)
        method = f"{family.method} ({family.name})"
    else:
        q, residual = _search_distinct(p, count)
        method = "numerical, by damped least squares from several starts"
    if not len(q) and family is not None:  # geometry so special that it is missed
        q, residual = _search_distinct(p, count)
        q, residual = q[is_within_limits(p, q)], residual[is_within_limits(p, q)]
    if not len(q):
        raise TorseurError(describe_unreachable(p, family))
    complete = family is not None and not other_count
    order = (
        np.argsort(np.linalg.norm(q - p.near, axis=1))
        if p.near is not None
        else (np.argsort(~is_within_limits(p, q), kind="stable"))
    )
    q, residual = p.reset_other_coordinates(q[order]), residual[order]
    labels = label_branches(family, q[:, p.free])
    singular, notes = find_singular_solutions(p, q)
    notes += note_orientations(p, q) + note_limits(p, q)
    return InverseKinematics(
        q,
        labels,
        is_within_limits(p, q),
        singular,
        residual,
        method,
        complete,
        p.names,
        tuple(notes),
    )


def _add_searched(p: PoseProblem, q: np.ndarray, residual: np.ndarray, count: int):
    """Solutions with further ones that a search finds, and the number of those."""
    x, e = _search_distinct(p, count)
    is_new = (coordinate_distance(p, x[:, None], q[None]) > 1e-4).all(axis=1)
    return np.concatenate([q, x[is_new]]), np.concatenate([residual, e[is_new]]), int(is_new.sum())


def _search_distinct(p: PoseProblem, count: int):
    """Distinct solutions of one pose that a search from many starts finds."""
    low, high = (
        (p.low, p.high)
        if p.is_chain
        else (np.full_like(p.low, -np.inf), np.full_like(p.high, np.inf))
    )
    task = p.create_task()
    q_first = p.initial_q.copy()
    q_first[p.free] = np.clip(q_first, low, high)[p.free] if p.is_chain else q_first[p.free]
    q0 = np.tile(q_first, (count, 1))
    samples = sample_starts(low, high, p.system.neutral(), count)
    q0[1:, list_moving_coordinates(task)] = samples[1:, list_moving_coordinates(task)]
    target = np.broadcast_to(p.target[0], (count, 4, 4))
    q, residual = solve_damped(task, q0, target, low, high, 1e-13)
    if p.prefer is not None:
        q, residual = move_to_preference(task, q, target, low, high, *p.prefer)
    is_solution = residual < POSE_TOLERANCE
    q, residual = q[is_solution], residual[is_solution]
    if p.is_chain and len(q):
        q = normalize_angles(p, q)
    if p.prefer is not None:
        distance = np.linalg.norm(q[:, p.prefer[0]] - p.prefer[1], axis=1)
        q, residual = q[np.argsort(distance)], residual[np.argsort(distance)]
    redundant = not p.has_loops and p.redundancy > 0
    kept_rows: list[int] = []
    for i in range(len(q)):
        if redundant and len(kept_rows) >= 8:
            break
        distance = (
            coordinate_distance(p, q[i], q[kept_rows])
            if p.is_chain
            else abs(q[i] - q[kept_rows]).max(axis=-1, initial=0)
        )
        if (distance > 1e-5).all():
            kept_rows.append(i)
    return q[kept_rows], residual[kept_rows]


def _solve_many(p: PoseProblem, family: ClosedForm | None, rounds: int):
    """Solutions of many poses."""
    n, nq = len(p.target), p.system.nq
    if family is not None:
        parts = []
        for i in range(0, n, 2000):
            part = _select_targets(p, p.target[i : i + 2000])
            parts.append(_solve_closed_form(part, family))
        k = max((x.shape[1] for x, _ in parts), default=0)
        q = np.concatenate([x for x, _ in parts]) if parts else np.zeros((0, k, nq))
        residual = np.concatenate([x for _, x in parts]) if parts else np.zeros((0, k))
        order = np.argsort(
            ~(np.isfinite(residual) & is_within_limits(p, q)) + 1.0 * ~np.isfinite(residual),
            axis=1,
            kind="stable",
        )
        q, residual = (
            np.take_along_axis(x, o, axis=1) for x, o in ((q, order[..., None]), (residual, order))
        )
        unsolved = np.flatnonzero(~np.isfinite(residual).any(axis=1))
        if len(unsolved):
            x, e = search_poses(
                p.create_task(), p.target[unsolved], p.low, p.high, None, POSE_TOLERANCE, 2
            )
            q[unsolved[e < POSE_TOLERANCE], 0], residual[unsolved[e < POSE_TOLERANCE], 0] = (
                x[e < POSE_TOLERANCE],
                e[e < POSE_TOLERANCE],
            )
        count = int(np.isfinite(residual).sum(axis=1).max(initial=0))
        q, residual = q[:, :count], residual[:, :count]
        method, complete = f"{family.method} ({family.name})", True
    else:
        first = None if p.near is None else np.tile(np.clip(p.near, p.low, p.high), (n, 1))
        q, residual = search_poses(
            p.create_task(), p.target, p.low, p.high, first, POSE_TOLERANCE, max(rounds // 4, 2)
        )
        if p.prefer is not None:
            q, residual = move_to_preference(p.create_task(), q, p.target, p.low, p.high, *p.prefer)
        q, residual = q[:, None], residual[:, None]
        q[residual > POSE_TOLERANCE] = np.nan
        method, complete = "numerical, by damped least squares", False
    q = p.reset_other_coordinates(q)
    with np.errstate(invalid="ignore"):
        within_limits = is_within_limits(p, q)
    return ManyPoses(q, within_limits, residual, method, complete, p.names)


def _select_targets(p: PoseProblem, target: np.ndarray):
    """The problem with other targets."""
    from copy import copy

    other = copy(p)
    other.target = target
    return other


__all__ = ["inverse_kinematics"]
