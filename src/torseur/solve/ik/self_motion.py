"""Self-motion at singular poses: joints move while the frame does not.

Every position of the self-motion is a solution.  The one within the limits of the joints and
closest to `near` is taken.  Theory: IK.22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from .damped_least_squares import refine_newton
from .problem import POSE_TOLERANCE, is_within_limits, list_angles, shift_into_limits

if TYPE_CHECKING:
    from .damped_least_squares import PoseTask
    from .problem import PoseProblem

STEP_LENGTH = 0.08  # along the free motion [rad, m]
SINGULAR_VALUE_BOUND = 1e-6  # a smallest singular value below this is a singular pose


def find_self_motion(task: PoseTask, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which poses are singular, and the direction of joints that does not move the frame, (n,
    free).
    """
    J = task.jacobian(q)
    if J.shape[1] < J.shape[2]:
        return np.zeros(len(q), bool), np.zeros((len(q), J.shape[2]))
    is_singular = np.zeros(len(q), bool)
    direction = np.zeros((len(q), J.shape[2]))
    square = np.swapaxes(J, 1, 2) @ J
    size = np.einsum("nii->n", square)[:, None, None] + 1e-300
    is_close = abs(np.linalg.det(square / size)) < 1e-9  # cheap; the values themselves decide
    if is_close.any():
        _, s, Vt = np.linalg.svd(J[is_close])
        is_singular[is_close], direction[is_close] = s[:, -1] < SINGULAR_VALUE_BOUND, Vt[:, -1]
    return is_singular, direction


def improve_along_self_motion(p: PoseProblem, q: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Solutions (n, nq) of poses (n, 4, 4), moved along self-motions into limits and towards
    `near`.
    """
    if p.has_loops or not p.is_chain or not len(q):
        return q
    task = p.create_task()
    is_wanted = np.ones(len(q), bool) if p.near is not None else ~is_within_limits(p, q)
    rows = np.flatnonzero(is_wanted)
    rows = rows[find_self_motion(task, q[rows])[0]]
    if not len(rows):
        return q
    positions = np.concatenate(
        [_follow_self_motion(task, q[rows], target[rows], s) for s in (1.0, -1.0)]
    )
    angles = list_angles(p)
    positions = shift_into_limits(p, positions, angles)
    target_q = q[rows] if p.near is None else p.near
    with np.errstate(invalid="ignore"):
        distance = abs(positions - target_q)[..., p.free].sum(axis=-1)
        distance = np.where(is_within_limits(p, positions), distance, distance + 1e6)
    best = np.nanargmin(distance, axis=0)
    out = q.copy()
    out[rows] = positions[best, np.arange(len(rows))]
    if p.near is not None:
        out[rows] = _approach_preference(p, task, out[rows], target[rows])
    return out


def has_self_motion(p: PoseProblem, q: np.ndarray, direction: np.ndarray) -> bool:
    """Whether joints can move along a direction by a finite step without moving the frame."""
    task = p.create_task()
    new = q[None].copy()
    new[:, task.free] += STEP_LENGTH * direction
    new, residual = refine_newton(task, new, p.target[:1], 8)
    return bool(residual[0] < POSE_TOLERANCE and abs(new[0] - q).max() > STEP_LENGTH / 4)


def _follow_self_motion(
    task: PoseTask, q: np.ndarray, target: np.ndarray, sign: float
) -> np.ndarray:
    """Positions along self-motions, (positions, n, nq).  NaN where one ended (IK.22)."""
    positions = [q]
    previous = None
    x, is_active = q.copy(), np.ones(len(q), bool)
    for _ in range(int(np.pi / STEP_LENGTH) + 1):
        is_singular, direction = find_self_motion(task, x)
        if previous is None:
            direction = direction * sign
        else:
            direction = (
                direction * np.where((direction * previous).sum(axis=1) < 0, -1.0, 1.0)[:, None]
            )
        new = x.copy()
        new[:, task.free] += STEP_LENGTH * direction
        new, residual = refine_newton(task, new, target, 4)
        is_active = (
            is_active
            & is_singular
            & (residual < POSE_TOLERANCE)
            & (abs(new - x).max(axis=1) > STEP_LENGTH / 4)
        )
        if not is_active.any():
            break
        x = np.where(is_active[:, None], new, x)
        previous = direction
        positions.append(np.where(is_active[:, None], new, np.nan))
    return np.stack(positions)


def _approach_preference(
    p: PoseProblem, task: PoseTask, q: np.ndarray, target: np.ndarray
) -> np.ndarray:
    """Position of the self-motion closest to `near`, as far as limits allow."""
    fraction = np.ones(len(q))
    for _ in range(40):
        is_singular, direction = find_self_motion(task, q)
        new = q.copy()
        distance = ((p.near - q)[:, task.free] * direction).sum(axis=1)
        new[:, task.free] += (is_singular * fraction * distance)[:, None] * direction
        new, residual = refine_newton(task, new, target, 4)
        is_accepted = (residual < POSE_TOLERANCE) & (
            is_within_limits(p, new) | ~is_within_limits(p, q)
        )
        q = np.where(is_accepted[:, None], new, q)
        fraction = np.where(is_accepted, fraction, fraction / 2)
    return q


__all__ = ["find_self_motion", "has_self_motion", "improve_along_self_motion"]
