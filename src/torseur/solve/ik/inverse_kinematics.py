"""Where the joints must be for a frame to be at a wanted pose: every way, or one way a pose.

Theory: IK.1 to IK.12, IK.22.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from ...errors import ArgumentError, TorseurError
from ...scalars import arguments
from .closed_form import Family
from .damped_least_squares import descend, drift, moving, polish, search, starts
from .product_of_exponentials import inverted
from .self_motion import along_free_motion

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...model import Model
    from ...system import System
from .problem import FOUND, SAME, PoseProblem, apart, inside, one_turn
from .results import (
    InverseKinematics,
    ManyPoses,
    beyond_limits,
    branch_labels,
    out_of_reach,
    singular_solutions,
    turned_otherwise,
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
    """Coordinates that bring a frame to a pose: all of them for most chains of up to six joints.

    Parameters
    ----------
    frame : name of the frame or body to bring
    pose : (4, 4) homogeneous matrix in the world, or (3,) position [m]; with more leading axes,
        many poses at once, answered together
    task : "pose", "position", or "auto": the position where a point is given or where the arm
        has three joints that move a point in space (its orientation follows), else the pose
    near : coordinates roughly wanted [rad, m]: solutions are sorted from there, coordinates that
        do not move the frame stay there, a search starts there, and where a singular pose leaves
        joints free they go there
    hold : coordinates that stay at a value, such as the elbow of an arm of seven joints
    prefer : where coordinates of a redundant arm should rather be: its free motion goes there as
        far as the pose lets it
    method : "auto", "closed" (a closed form where the geometry has one; six turning joints of any
        geometry by elimination to an eigenvalue problem, all real roots, compared with a search) or
        "numerical" (damped least squares within the limits)
    starts : starting points of a search

    Returns
    -------
    InverseKinematics
        `.q` (k, nq), `.labels`, `.within_limits`, `.singular`; for many poses `ManyPoses`, where
        a pose out of reach is NaN.  One pose out of reach is an error that says by how much.

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
    problem.wish(prefer)
    if method not in ("auto", "closed", "numerical"):
        raise ArgumentError(
            f"inverse_kinematics: method={method!r}: expected 'auto', 'closed' or 'numerical'"
        )
    starts = arguments.count("inverse_kinematics", "starts", starts)
    family = None if method == "numerical" else problem.family()
    if family is None and method == "closed":
        raise TorseurError(
            f"inverse_kinematics: no closed form is known for the "
            f"{len(problem.free)} joints that move {frame!r}; use method="
            "'numerical', or hold= a joint of a redundant arm"
        )
    if problem.single:
        return _one(problem, family, starts)
    return _many(problem, family, starts)


def _candidates(p: PoseProblem, family: Family):
    """Solutions of every pose by the closed form, polished and proved: q (n, k, nq), residual."""
    n = len(p.target)
    G = p.target @ inverted(p.home)
    if p.kind == "position":  # any motion that brings the tip there
        G = np.tile(np.eye(4), (n, 1, 1))
        G[:, :3, 3] = p.target[:, :3, 3] - p.home[:3, 3]
    with np.errstate(all="ignore"):
        x = family.solve(G)
    k = x.shape[1]
    q = np.broadcast_to(p.rest, (n, k, p.system.nq)).copy()
    q[..., p.free] = x
    there = np.isfinite(x).all(axis=-1)
    left = np.full((n, k), np.inf)
    rows, _ = np.nonzero(there)
    if len(rows):
        got, e = polish(p.task(), q[there], p.target[rows], 8)
        q[there], left[there] = got, e
    good = left < FOUND
    q = one_turn(p, q)
    if good.any():
        q[good] = along_free_motion(p, q[good], p.target[np.nonzero(good)[0]])
    same = apart(p, q[:, :, None], q[:, None]) < SAME
    before = np.tril(np.ones((k, k), bool), -1)
    good &= ~(same & before & good[:, None, :]).any(axis=-1)
    q[~good] = np.nan
    left[~good] = np.nan
    return q, left


def _one(p: PoseProblem, family, count):
    more = 0
    if family is not None:
        q, left = (x[0] for x in _candidates(p, family))
        keep = np.isfinite(left)
        q, left = q[keep], left[keep]
        if family.how != "closed form":  # a search of its own finds no other, or it is told
            q, left, more = _with_others(p, q, left, count)
        how = f"{family.how} ({family.name})"
    else:
        q, left = _distinct(p, count)
        how = "numerical, by damped least squares from several starts"
    if not len(q) and family is not None:  # geometry so special that it is missed
        q, left = _distinct(p, count)
        q, left = q[inside(p, q)], left[inside(p, q)]
    if not len(q):
        raise TorseurError(out_of_reach(p, family))
    complete = family is not None and not more
    order = (
        np.argsort(np.linalg.norm(q - p.near, axis=1))
        if p.near is not None
        else (np.argsort(~inside(p, q), kind="stable"))
    )
    q, left = p.unwound(q[order]), left[order]
    labels = branch_labels(family, q[:, p.free])
    singular, notes = singular_solutions(p, q)
    notes += turned_otherwise(p, q) + beyond_limits(p, q)
    return InverseKinematics(
        q, labels, inside(p, q), singular, left, how, complete, p.names, tuple(notes)
    )


def _with_others(p, q, left, count):
    """Solutions with those that a search finds besides, and how many those are."""
    x, e = _distinct(p, count)
    new = (apart(p, x[:, None], q[None]) > 1e-4).all(axis=1)
    return np.concatenate([q, x[new]]), np.concatenate([left, e[new]]), int(new.sum())


def _distinct(p, count):
    """Solutions of one pose that a search from many starts finds, each once."""
    low, high = (
        (p.low, p.high) if p.plain else (np.full_like(p.low, -np.inf), np.full_like(p.high, np.inf))
    )
    task = p.task()
    first = p.rest.copy()
    first[p.free] = np.clip(first, low, high)[p.free] if p.plain else first[p.free]
    q0 = np.tile(first, (count, 1))
    spread = starts(low, high, p.system.neutral(), count)
    q0[1:, moving(task)] = spread[1:, moving(task)]
    target = np.broadcast_to(p.target[0], (count, 4, 4))
    q, left = descend(task, q0, target, low, high, 1e-13)
    if p.prefer is not None:
        q, left = drift(task, q, target, low, high, *p.prefer)
    good = left < FOUND
    q, left = q[good], left[good]
    if p.plain and len(q):
        q = one_turn(p, q)
    if p.prefer is not None:
        far = np.linalg.norm(q[:, p.prefer[0]] - p.prefer[1], axis=1)
        q, left = q[np.argsort(far)], left[np.argsort(far)]
    redundant = not p.closed and p.spare > 0
    keep: list[int] = []
    for i in range(len(q)):
        if redundant and len(keep) >= 8:
            break
        far = apart(p, q[i], q[keep]) if p.plain else abs(q[i] - q[keep]).max(axis=-1, initial=0)
        if (far > 1e-5).all():
            keep.append(i)
    return q[keep], left[keep]


def _many(p: PoseProblem, family, rounds):
    n, nq = len(p.target), p.system.nq
    if family is not None:
        parts = []
        for i in range(0, n, 2000):
            part = _copy(p, p.target[i : i + 2000])
            parts.append(_candidates(part, family))
        k = max((x.shape[1] for x, _ in parts), default=0)
        q = np.concatenate([x for x, _ in parts]) if parts else np.zeros((0, k, nq))
        left = np.concatenate([x for _, x in parts]) if parts else np.zeros((0, k))
        order = np.argsort(
            ~(np.isfinite(left) & inside(p, q)) + 1.0 * ~np.isfinite(left), axis=1, kind="stable"
        )
        q, left = (
            np.take_along_axis(x, o, axis=1) for x, o in ((q, order[..., None]), (left, order))
        )
        none = np.flatnonzero(~np.isfinite(left).any(axis=1))
        if len(none):
            x, e = search(p.task(), p.target[none], p.low, p.high, None, FOUND, 2)
            q[none[e < FOUND], 0], left[none[e < FOUND], 0] = x[e < FOUND], e[e < FOUND]
        most = int(np.isfinite(left).sum(axis=1).max(initial=0))
        q, left = q[:, :most], left[:, :most]
        how, complete = f"{family.how} ({family.name})", True
    else:
        first = None if p.near is None else np.tile(np.clip(p.near, p.low, p.high), (n, 1))
        q, left = search(p.task(), p.target, p.low, p.high, first, FOUND, max(rounds // 4, 2))
        if p.prefer is not None:
            q, left = drift(p.task(), q, p.target, p.low, p.high, *p.prefer)
        q, left = q[:, None], left[:, None]
        q[left > FOUND] = np.nan
        how, complete = "numerical, by damped least squares", False
    q = p.unwound(q)
    with np.errstate(invalid="ignore"):
        within = inside(p, q)
    return ManyPoses(q, within, left, how, complete, p.names)


def _copy(p, target):
    from copy import copy

    other = copy(p)
    other.target = target
    return other


__all__ = ["inverse_kinematics"]
