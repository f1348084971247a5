"""Inverse kinematics by damped least squares on compiled kernels, many poses and starts at once.

Theory: IK.11, IK.12.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from ...kernels import Dynamics

TRIES = 60  # iterations of one start


def rotation_vector(R) -> np.ndarray:
    """Axis times angle of rotation matrices, (..., 3); angles up to pi."""
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
    small = n < 1e-6
    with np.errstate(invalid="ignore", divide="ignore"):
        v = s * np.where(small, 1.0, angle / n)[..., None]
    turned = small & (c < 0)
    if turned.any():  # half a turn: the axis is in R + 1
        S = R[turned] + np.eye(3)
        k = np.argmax(np.einsum("nii->ni", S), axis=-1)
        a = S[np.arange(len(S)), :, k]
        v[turned] = np.pi * a / np.linalg.norm(a, axis=-1, keepdims=True)
    return v


@dataclass(frozen=True, slots=True, eq=False)
class Task:
    """What a frame shall do: rows of error and Jacobian, lengths in units of `scale`."""

    dyn: Dynamics
    frame: str
    kind: str  # "pose" or "position"
    scale: float
    free: np.ndarray  # speeds that may move
    closed: bool = False  # the mechanism has loops: their residuals are rows too

    def pose(self, q):
        return self.dyn.pose(self.frame, q)

    def error(self, q, target, weight=1.0):
        """What is missing, world axes, (n, rows): turn [rad] first, place [1] after, then loops."""
        T = self.pose(q)
        parts = []
        if self.kind == "pose":
            R = target[:, :3, :3] @ np.swapaxes(T[:, :3, :3], -1, -2)
            parts.append(rotation_vector(R))
        parts.append((target[:, :3, 3] - T[:, :3, 3]) * (weight / self.scale))
        if self.closed:
            parts.append(-self.dyn.constraint_residual(q))
        return np.concatenate(parts, -1)

    def jacobian(self, q):
        J = self.dyn.jacobian(self.frame, q)[..., self.free].copy()
        J[:, 3:] /= self.scale
        J = J if self.kind == "pose" else J[:, 3:]
        if self.closed:
            own = self.dyn.constraint_jacobian(q)[..., self.free]
            rows = self.dyn.constraint_residual(q[:1]).shape[-1]
            J = np.concatenate([J, own[:, :rows]], 1)
        return J


def descend(task: Task, q, target, low, high, tolerance: float, tries: int = TRIES):
    """Coordinates nearest the targets, from `q`, and what is left: q (n, nq), error (n,).  # IK.11

    Levenberg-Marquardt, each row with its own damping; a coordinate at a limit that is pushed
    outward is left out of the step.
    """
    q, n = q.copy(), len(q)
    every = np.arange(n)
    plain = task.dyn.nq == task.dyn.nv
    damping = np.full(n, 1e-3)
    e = task.error(q, target)
    cost = np.einsum("ni,ni->n", e, e)
    live = every[cost > tolerance**2]
    for _ in range(tries):
        if not len(live):
            break
        x, J, err = q[live], task.jacobian(q[live]), e[live]
        g = np.einsum("nij,ni->nj", J, err)
        if plain:
            at = x[:, task.free]
            out = ((at <= low[task.free]) & (g < 0)) | ((at >= high[task.free]) & (g > 0))
            J = np.where(out[:, None], 0.0, J)
            g = np.where(out, 0.0, g)
        H = np.swapaxes(J, -1, -2) @ J
        d = damping[live] * np.einsum("nii->n", H) / H.shape[-1] + 1e-15
        H[:, np.arange(H.shape[-1]), np.arange(H.shape[-1])] += d[:, None]
        step = np.linalg.solve(H, g[..., None])[..., 0]
        size = np.linalg.norm(step, axis=-1, keepdims=True)
        step *= np.minimum(1, 2.0 / np.maximum(size, 1e-300))
        new = x.copy()
        if plain:
            new[:, task.free] += step
            new = np.clip(new, low, high)
        else:
            full = np.zeros((len(x), task.dyn.nv))
            full[:, task.free] = step
            new = task.dyn.integrate(x, full)
        f = task.error(new, target[live])
        after = np.einsum("ni,ni->n", f, f)
        good = after < cost[live]
        damping[live] = np.where(good, damping[live] * 0.1, damping[live] * 6)
        yes = live[good]
        q[yes], e[yes], cost[yes] = new[good], f[good], after[good]
        live = live[(cost[live] > tolerance**2) & (damping[live] < 1e8)]
    return q, np.sqrt(cost)


def polish(task: Task, q, target, steps: int = 3):
    """A few Newton steps; a row keeps its best.  # IK.12"""
    e = task.error(q, target)
    best = np.linalg.norm(e, axis=-1)
    live = np.arange(len(q))
    for _ in range(steps):
        live = live[best[live] > 2e-15]
        if not len(live):
            break
        J = task.jacobian(q[live])
        H = np.swapaxes(J, -1, -2) @ J
        k = np.arange(H.shape[-1])
        H[:, k, k] += 1e-13 * np.einsum("nii->n", H)[:, None] + 1e-300
        step = np.linalg.solve(H, np.einsum("nij,ni->nj", J, e[live])[..., None])[..., 0]
        new = q[live].copy()
        new[:, task.free] += step
        f = task.error(new, target[live])
        after = np.linalg.norm(f, axis=-1)
        good = after < best[live]
        live = live[good]
        q[live], e[live], best[live] = new[good], f[good], after[good]
    return q, best


def drift(task: Task, q, target, low, high, which, wanted, tries: int = 200):
    """Solutions of redundant arms moved along their free motion towards wanted coordinates.

    `dq = J^+ e + (1 - J^+ J) (wanted - q)`; q (n, nq) and what is left (n,).  # IK.13
    """
    q = q.copy()
    into = np.zeros(task.dyn.nv)
    for _ in range(tries):
        P = np.linalg.pinv(J := task.jacobian(q))
        pull = np.zeros((len(q), len(into)))
        pull[:, which] = wanted - q[:, which]
        pull = pull[:, task.free]
        along = pull - (P @ (J @ pull[..., None]))[..., 0]
        step = (P @ task.error(q, target)[..., None])[..., 0] + 0.5 * along
        step *= np.minimum(1, 0.3 / np.maximum(abs(step).max(axis=-1, keepdims=True), 1e-300))
        q[:, task.free] += step
        q = np.clip(q, low, high)
        if abs(step).max(initial=0.0) < 1e-12:
            break
    return descend(task, q, target, low, high, 1e-13)


def whole_turns(
    low: ArrayLike, high: ArrayLike, middle: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Limits whose open ends are a whole turn away: from the other end, or about the middle.

    >>> [float(x) for x in whole_turns(1.0, np.inf, 0.0)]
    [1.0, 7.283185307179586]
    """
    low, high, middle = (np.asarray(x, float) for x in (low, high, middle))
    lo = np.where(np.isfinite(high), high - 2 * np.pi, middle - np.pi)
    hi = np.where(np.isfinite(low), low + 2 * np.pi, middle + np.pi)
    return np.where(np.isfinite(low), low, lo), np.where(np.isfinite(high), high, hi)


def starts(low, high, neutral, count: int) -> np.ndarray:
    """Starting points spread over the limits, always the same, (count, nq)."""
    lo, hi = whole_turns(low, high, neutral)
    return np.random.default_rng(0).uniform(lo, hi, (count, len(neutral)))


def search(task: Task, target, low, high, first=None, tolerance=1e-9, rounds: int = 16):
    """One solution a pose, (n, nq), and what is left.  # IK.12

    Each row starts at `first`, or at the nearest of many known poses; rows that stay far start
    again from the next nearest.
    """
    n = len(target)
    spread, near = _nearest(task, low, high)
    q = spread[near(target, 1)] if first is None else first
    q, left = descend(task, q, target, low, high, tolerance, 30)
    half = max(rounds // 2, 2)
    for first_of, to in ((1, 2), (2, half), (half, rounds)):  # next nearest, more, then any
        bad = np.flatnonzero(left > tolerance)
        count = to - first_of
        if not len(bad) or count < 1 or to > rounds:
            continue
        which = (
            near(target[bad], to).reshape(len(bad), -1)[:, first_of:]
            if to <= half
            else (7 * np.arange(first_of, to) + np.arange(len(bad))[:, None]) % 97
        )
        many, tries = np.repeat(target[bad], count, axis=0), 30 if to <= half else TRIES
        x, e = descend(task, spread[which.ravel()], many, low, high, tolerance, tries)
        e = e.reshape(len(bad), count)
        best = e.argmin(axis=1)
        x, e = x.reshape(len(bad), count, -1)[np.arange(len(bad)), best], e.min(axis=1)
        better = e < left[bad]
        q[bad[better]], left[bad[better]] = x[better], e[better]
    return q.reshape(n, -1), left


def _nearest(task, low, high):
    """Coordinates spread over the limits (m, nq), and which of them are nearest given poses."""
    from scipy.spatial import cKDTree

    rest, own = task.dyn.system.neutral(), moving(task)
    spread = np.tile(np.clip(rest, low, high), (4000, 1))
    spread[:, own] = starts(low, high, rest, len(spread))[:, own]

    def seen(T):
        turned = T[:, :3, :2].reshape(-1, 6) * (0.7 * (task.kind == "pose"))
        return np.concatenate([T[:, :3, 3] / task.scale, turned], -1)

    tree = cKDTree(seen(task.pose(spread)))
    return spread, lambda target, k: tree.query(seen(target), k=k)[1]


def moving(task):
    """Coordinates of the speeds that may move."""
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
    "Task",
    "descend",
    "drift",
    "moving",
    "polish",
    "rotation_vector",
    "search",
    "starts",
    "whole_turns",
]
