"""Damped least squares (Levenberg-Marquardt) for inverse kinematics, many poses and starts at once.

Theory: IK.11 to IK.13.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...kernels import Dynamics

MAX_ITERATIONS = 60  # iterations of one start


def rotation_vector(R: np.ndarray) -> np.ndarray:
    """Axis times angle of rotation matrices, (..., 3).  Angles up to pi."""
    s = (
        np.stack(
            [R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]],
            -1,
        )
        / 2
    )
    c = (np.trace(R, axis1=-2, axis2=-1) - 1) / 2
    n = np.linalg.norm(s, axis=-1)
    angle = np.arctan2(n, c)
    is_small = n < 1e-6
    with np.errstate(invalid="ignore", divide="ignore"):
        v = s * np.where(is_small, 1.0, angle / n)[..., None]
    is_half_turn = is_small & (c < 0)
    if is_half_turn.any():  # half a turn: the axis is in R + 1
        S = R[is_half_turn] + np.eye(3)
        k = np.argmax(np.einsum("nii->ni", S), axis=-1)
        a = S[np.arange(len(S)), :, k]
        v[is_half_turn] = np.pi * a / np.linalg.norm(a, axis=-1, keepdims=True)
    return v


@dataclass(frozen=True, slots=True, eq=False)
class PoseTask:
    """Task of a frame: rows of error and Jacobian, lengths in units of `scale`."""

    dyn: Dynamics
    frame: str
    kind: str  # "pose" or "position"
    scale: float
    free: np.ndarray  # speeds that may move
    has_loops: bool = False  # the mechanism has loops: their residuals are rows too

    def pose(self, q: np.ndarray):
        """Pose of the frame, (n, 4, 4)."""
        return self.dyn.pose(self.frame, q)

    def compute_error(self, q: np.ndarray, target: np.ndarray, weight: float = 1.0):
        """Error in world axes, (n, rows): rotation [rad], position [1], residuals of loops."""
        T = self.pose(q)
        parts = []
        if self.kind == "pose":
            R = target[:, :3, :3] @ np.swapaxes(T[:, :3, :3], -1, -2)
            parts.append(rotation_vector(R))
        parts.append((target[:, :3, 3] - T[:, :3, 3]) * (weight / self.scale))
        if self.has_loops:
            parts.append(-self.dyn.constraint_residual(q))
        return np.concatenate(parts, -1)

    def jacobian(self, q: np.ndarray):
        """Derivative of the rows of the error by the movable speeds, with opposite sign."""
        J = self.dyn.jacobian(self.frame, q)[..., self.free].copy()
        J[:, 3:] /= self.scale
        J = J if self.kind == "pose" else J[:, 3:]
        if self.has_loops:
            loop_rows = self.dyn.constraint_jacobian(q)[..., self.free]
            rows = self.dyn.constraint_residual(q[:1]).shape[-1]
            J = np.concatenate([J, loop_rows[:, :rows]], 1)
        return J


def solve_damped(
    task: PoseTask,
    q: np.ndarray,
    target: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    tolerance: float,
    max_iterations: int = MAX_ITERATIONS,
):
    """Coordinates closest to the targets, from `q`: q (n, nq) and error (n,) (IK.11).

    Each row has its own damping.  A coordinate at a limit that is pushed outward is left out of the
    step.
    """
    q, n = q.copy(), len(q)
    rows = np.arange(n)
    is_chain = task.dyn.nq == task.dyn.nv
    damping = np.full(n, 1e-3)
    e = task.compute_error(q, target)
    cost = np.einsum("ni,ni->n", e, e)
    active = rows[cost > tolerance**2]
    for _ in range(max_iterations):
        if not len(active):
            break
        x, J, err = q[active], task.jacobian(q[active]), e[active]
        g = np.einsum("nij,ni->nj", J, err)
        if is_chain:
            free_q = x[:, task.free]
            is_blocked = ((free_q <= low[task.free]) & (g < 0)) | (
                (free_q >= high[task.free]) & (g > 0)
            )
            J = np.where(is_blocked[:, None], 0.0, J)
            g = np.where(is_blocked, 0.0, g)
        H = np.swapaxes(J, -1, -2) @ J
        d = damping[active] * np.einsum("nii->n", H) / H.shape[-1] + 1e-15
        H[:, np.arange(H.shape[-1]), np.arange(H.shape[-1])] += d[:, None]
        step = np.linalg.solve(H, g[..., None])[..., 0]
        size = np.linalg.norm(step, axis=-1, keepdims=True)
        step *= np.minimum(1, 2.0 / np.maximum(size, 1e-300))
        new = x.copy()
        if is_chain:
            new[:, task.free] += step
            new = np.clip(new, low, high)
        else:
            full = np.zeros((len(x), task.dyn.nv))
            full[:, task.free] = step
            new = task.dyn.integrate(x, full)
        new_error = task.compute_error(new, target[active])
        after = np.einsum("ni,ni->n", new_error, new_error)
        is_better = after < cost[active]
        damping[active] = np.where(is_better, damping[active] * 0.1, damping[active] * 6)
        accepted = active[is_better]
        q[accepted], e[accepted], cost[accepted] = (
            new[is_better],
            new_error[is_better],
            after[is_better],
        )
        active = active[(cost[active] > tolerance**2) & (damping[active] < 1e8)]
    return q, np.sqrt(cost)


def refine_newton(task: PoseTask, q: np.ndarray, target: np.ndarray, steps: int = 3):
    """Coordinates after a few Newton steps, and their errors.  Each row is its best (IK.12)."""
    e = task.compute_error(q, target)
    best = np.linalg.norm(e, axis=-1)
    active = np.arange(len(q))
    for _ in range(steps):
        active = active[best[active] > 2e-15]
        if not len(active):
            break
        J = task.jacobian(q[active])
        H = np.swapaxes(J, -1, -2) @ J
        k = np.arange(H.shape[-1])
        H[:, k, k] += 1e-13 * np.einsum("nii->n", H)[:, None] + 1e-300
        step = np.linalg.solve(H, np.einsum("nij,ni->nj", J, e[active])[..., None])[..., 0]
        new = q[active].copy()
        new[:, task.free] += step
        f = task.compute_error(new, target[active])
        after = np.linalg.norm(f, axis=-1)
        is_better = after < best[active]
        active = active[is_better]
        q[active], e[active], best[active] = new[is_better], f[is_better], after[is_better]
    return q, best


def move_to_preference(
    task: PoseTask,
    q: np.ndarray,
    target: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    slots: np.ndarray,
    preferred: np.ndarray,
    max_iterations: int = 200,
):
    """Solutions of redundant arms, moved along self-motions towards preferred coordinates (IK.13).

    `dq = J^+ e + (1 - J^+ J) (preferred - q)`.  Returns q (n, nq) and error (n,).
    """
    q = q.copy()
    zeros = np.zeros(task.dyn.nv)
    for _ in range(max_iterations):
        P = np.linalg.pinv(J := task.jacobian(q))
        offset = np.zeros((len(q), len(zeros)))
        offset[:, slots] = preferred - q[:, slots]
        offset = offset[:, task.free]
        free_step = offset - (P @ (J @ offset[..., None]))[..., 0]
        step = (P @ task.compute_error(q, target)[..., None])[..., 0] + 0.5 * free_step
        step *= np.minimum(1, 0.3 / np.maximum(abs(step).max(axis=-1, keepdims=True), 1e-300))
        q[:, task.free] += step
        q = np.clip(q, low, high)
        if abs(step).max(initial=0.0) < 1e-12:
            break
    return solve_damped(task, q, target, low, high, 1e-13)


def whole_turns(
    low: ArrayLike, high: ArrayLike, middle: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Limits whose open ends are a full turn away from the other end, or half a turn from the
    middle.

    >>> [float(x) for x in whole_turns(1.0, np.inf, 0.0)]
    [1.0, 7.283185307179586]
    """
    low, high, middle = (np.asarray(x, float) for x in (low, high, middle))
    lo = np.where(np.isfinite(high), high - 2 * np.pi, middle - np.pi)
    hi = np.where(np.isfinite(low), low + 2 * np.pi, middle + np.pi)
    return np.where(np.isfinite(low), low, lo), np.where(np.isfinite(high), high, hi)


def sample_starts(low: np.ndarray, high: np.ndarray, neutral: np.ndarray, count: int) -> np.ndarray:
    """Fixed random starting points within the limits, (count, nq)."""
    lo, hi = whole_turns(low, high, neutral)
    return np.random.default_rng(0).uniform(lo, hi, (count, len(neutral)))


def search_poses(
    task: PoseTask,
    target: np.ndarray,
    low: np.ndarray,
    high: np.ndarray,
    first: np.ndarray | None = None,
    tolerance: float = 1e-9,
    rounds: int = 16,
):
    """One solution of each pose, (n, nq), and its error (IK.12).

    Each row starts at `first`, or at the closest of many sampled poses.  Rows without success start
    again from the next ones.
    """
    n = len(target)
    samples, nearest = _sample_poses(task, low, high)
    q = samples[nearest(target, 1)] if first is None else first
    q, residual = solve_damped(task, q, target, low, high, tolerance, 30)
    half = max(rounds // 2, 2)
    for first_try, last in ((1, 2), (2, half), (half, rounds)):  # next nearest, more, then any
        unsolved = np.flatnonzero(residual > tolerance)
        count = last - first_try
        if not len(unsolved) or count < 1 or last > rounds:
            continue
        starts = (
            nearest(target[unsolved], last).reshape(len(unsolved), -1)[:, first_try:]
            if last <= half
            else (7 * np.arange(first_try, last) + np.arange(len(unsolved))[:, None]) % 97
        )
        targets, tries = (
            np.repeat(target[unsolved], count, axis=0),
            30 if last <= half else MAX_ITERATIONS,
        )
        x, e = solve_damped(task, samples[starts.ravel()], targets, low, high, tolerance, tries)
        e = e.reshape(len(unsolved), count)
        best = e.argmin(axis=1)
        x, e = x.reshape(len(unsolved), count, -1)[np.arange(len(unsolved)), best], e.min(axis=1)
        is_better = e < residual[unsolved]
        q[unsolved[is_better]], residual[unsolved[is_better]] = x[is_better], e[is_better]
    return q.reshape(n, -1), residual


def _sample_poses(task: PoseTask, low: np.ndarray, high: np.ndarray):
    """Samples of coordinates within the limits (m, nq), and a function to the closest of some
    poses.
    """
    from scipy.spatial import cKDTree

    neutral, slots = task.dyn.system.neutral(), list_moving_coordinates(task)
    samples = np.tile(np.clip(neutral, low, high), (4000, 1))
    samples[:, slots] = sample_starts(low, high, neutral, len(samples))[:, slots]

    def features(T):
        turned = T[:, :3, :2].reshape(-1, 6) * (0.7 * (task.kind == "pose"))
        return np.concatenate([T[:, :3, 3] / task.scale, turned], -1)

    tree = cKDTree(features(task.pose(samples)))
    return samples, lambda target, k: tree.query(features(target), k=k)[1]


def list_moving_coordinates(task: PoseTask):
    """Coordinates of the movable speeds."""
    if task.dyn.nq == task.dyn.nv:
        return task.free
    links = task.dyn.system.links
    free = set(map(int, task.free))
    return np.array(
        [
            i
            for k in links
            if free & set(range(k.v.start, k.v.stop))
            for i in range(k.q.start, k.q.stop)
        ],
        int,
    )


__all__ = [
    "PoseTask",
    "list_moving_coordinates",
    "move_to_preference",
    "refine_newton",
    "rotation_vector",
    "sample_starts",
    "search_poses",
    "solve_damped",
    "whole_turns",
]
