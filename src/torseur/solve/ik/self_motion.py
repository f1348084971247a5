"""Solutions at singular poses: a free motion of the arm is used to meet limits and wishes.

Where the tool stays while joints move (a wrist whose outer axes are one line, a hand above the
waist), any place of that motion is a solution; the one that is given is within the limits of the
joints where the motion has such a place, and the nearest to `near`.  Theory: IK.22.
"""

from __future__ import annotations

import numpy as np

from .damped_least_squares import polish
from .problem import FOUND, inside, into_limits, turning_angles

STEP = 0.08  # along the free motion [rad, m]
FLAT = 1e-6  # a smallest singular value below this is a singular pose


def free_way(task, q) -> tuple[np.ndarray, np.ndarray]:
    """Which poses are singular, and the direction of joints that leaves the tool, (n, free)."""
    J = task.jacobian(q)
    if J.shape[1] < J.shape[2]:
        return np.zeros(len(q), bool), np.zeros((len(q), J.shape[2]))
    flat = np.zeros(len(q), bool)
    way = np.zeros((len(q), J.shape[2]))
    square = np.swapaxes(J, 1, 2) @ J
    size = np.einsum("nii->n", square)[:, None, None] + 1e-300
    close = abs(np.linalg.det(square / size)) < 1e-9  # cheap; the values themselves decide
    if close.any():
        _, s, Vt = np.linalg.svd(J[close])
        flat[close], way[close] = s[:, -1] < FLAT, Vt[:, -1]
    return flat, way


def along_free_motion(p, q, target) -> np.ndarray:
    """Solutions (n, nq) of poses (n, 4, 4), those that can be moved along a free motion taken
    into limits, and towards `near`."""
    if p.closed or not p.plain or not len(q):
        return q
    task = p.task()
    asked = np.ones(len(q), bool) if p.near is not None else ~inside(p, q)
    rows = np.flatnonzero(asked)
    rows = rows[free_way(task, q[rows])[0]]
    if not len(rows):
        return q
    visited = np.concatenate([_walk(task, q[rows], target[rows], s) for s in (1.0, -1.0)])
    turning = turning_angles(p)
    visited = into_limits(p, visited, turning)
    goal = q[rows] if p.near is None else p.near
    with np.errstate(invalid="ignore"):
        far = abs(visited - goal)[..., p.free].sum(axis=-1)
        far = np.where(inside(p, visited), far, far + 1e6)
    best = np.nanargmin(far, axis=0)
    out = q.copy()
    out[rows] = visited[best, np.arange(len(rows))]
    if p.near is not None:
        out[rows] = _nearest(p, task, out[rows], target[rows])
    return out


def moves_freely(p, q, way) -> bool:
    """Whether joints can really move along `way` with the tool in place, not only begin to."""
    task = p.task()
    new = q[None].copy()
    new[:, task.free] += STEP * way
    new, left = polish(task, new, p.target[:1], 8)
    return bool(left[0] < FOUND and abs(new[0] - q).max() > STEP / 4)


def _walk(task, q, target, sign) -> np.ndarray:
    """Places along the free motion of each row, (places, n, nq); NaN where it ended.  # IK.22"""
    places = [q]
    before = None
    x, live = q.copy(), np.ones(len(q), bool)
    for _ in range(int(np.pi / STEP) + 1):
        flat, way = free_way(task, x)
        if before is None:
            way = way * sign
        else:
            way = way * np.where((way * before).sum(axis=1) < 0, -1.0, 1.0)[:, None]
        new = x.copy()
        new[:, task.free] += STEP * way
        new, left = polish(task, new, target, 4)
        live = live & flat & (left < FOUND) & (abs(new - x).max(axis=1) > STEP / 4)
        if not live.any():
            break
        x = np.where(live[:, None], new, x)
        before = way
        places.append(np.where(live[:, None], new, np.nan))
    return np.stack(places)


def _nearest(p, task, q, target) -> np.ndarray:
    """The place of the free motion nearest to `near`, as far as limits let it."""
    share = np.ones(len(q))
    for _ in range(40):
        flat, way = free_way(task, q)
        new = q.copy()
        pull = ((p.near - q)[:, task.free] * way).sum(axis=1)
        new[:, task.free] += (flat * share * pull)[:, None] * way
        new, left = polish(task, new, target, 4)
        good = (left < FOUND) & (inside(p, new) | ~inside(p, q))
        q = np.where(good[:, None], new, q)
        share = np.where(good, share, share / 2)
    return q


__all__ = ["along_free_motion", "free_way", "moves_freely"]
