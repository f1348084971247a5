"""Self-stress states: hyperstatic reactions in equilibrium, which the motion does not determine.

They are the left null space of the constraint Jacobian.  Redundant rows are included (the third
dimension of a planar loop).  A component of a reaction that no self-stress state changes does not
depend on the joint that was cut.  Equations RE.5 to RE.7 (Pellegrino and Calladine 1986).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...scalars import matrix, vector

if TYPE_CHECKING:
    from .rows import Rows

RANK = 1e-9  # singular values of scaled rows, below which they are dependent
INDEPENDENT_SQUARE = 1e-8  # squares of singular values, above which rounding cannot hide a rank
MIN_COMPONENT_RATIO = 1e-7  # of a component in a self-stress state, to its largest one


def every_row(tree, system, r: Rows) -> Rows:
    """Rows in the order of their elements, those without a residual included as zeros."""
    elements = (*system.held, *system.switched)
    slots = {n: j for j, n in enumerate(r.names)}
    names, owners, J = [], [], []
    for i, e in enumerate(elements):
        if e.contact or e.friction:
            row_names = [n for n, o in zip(r.names, r.owners, strict=True) if o == i]
        else:
            row_names = [f"{e.name}.{label}" for label in e.labels]
        names += row_names
        owners += [i] * len(row_names)
        J += [r.J[slots[n]] if n in slots else vector([0] * tree.nv) for n in row_names]
    null = vector([0] * len(names))
    jacobian = matrix(J) if J else np.empty((0, tree.nv), dtype=object)
    return type(r)(null, null, jacobian, null, tuple(names), tuple(owners), ())


def states(J) -> np.ndarray:
    """(n, rows, k): self-stress states at n positions, multipliers with `J' lam = 0`, RE.5.

    J is (n, rows, nv).  Where fewer states than at other positions exist, the others are zero.
    """
    J = np.asarray(J, dtype=float)
    n, rows, nv = J.shape
    if not rows:
        return np.zeros((n, 0, 0))
    size = np.linalg.norm(J, axis=2)
    scale = 1 / np.where(size > 1e-12, size, 1.0)
    J = J * scale[:, :, None]
    candidates = np.flatnonzero(~independent(J))
    if not len(candidates):
        return np.zeros((n, rows, 0))
    U, s, _ = np.linalg.svd(J[candidates])
    spanned = np.zeros((len(candidates), rows))
    limit = RANK * np.maximum(1.0, s.max(axis=1, initial=0, keepdims=True))
    spanned[:, : min(rows, nv)] = s > limit
    free = (spanned < 1).any(axis=0)
    out = np.zeros((n, rows, int(free.sum())))
    null_space = (U * (1 - spanned)[:, None, :])[:, :, free]
    out[candidates] = scale[candidates, :, None] * null_space  # RE.5
    return out


def independent(J) -> np.ndarray:
    """(n,): where rows of length one are certainly independent; J is (n, rows, nv).

    There `J J' - INDEPENDENT_SQUARE` has positive pivots (Cholesky).
    """
    n, rows, nv = J.shape
    certain = np.full(n, rows <= nv)
    if rows > nv:
        return certain
    G = J @ np.moveaxis(J, 1, 2)
    G[:, range(rows), range(rows)] -= INDEPENDENT_SQUARE
    for j in range(rows):
        certain &= G[:, j, j] > 0
        coupled = j + 1 + np.flatnonzero((G[:, j, j + 1 :] != 0).any(axis=0))
        part = G[:, j, coupled]
        step = part / np.where(certain, G[:, j, j], 1.0)[:, None]
        G[:, coupled[:, None], coupled] -= step[:, :, None] * part[:, None, :]
    return certain


def active_self_stress_states(J, on, follow) -> np.ndarray:
    """(k, n, rows): self-stress states of the active rows `on` (n, rows).

    `follow[i, j]`, (n,): multiplier i, of a sliding friction, over multiplier j.
    """
    n, rows, _ = J.shape
    active = J * on[:, :, None]
    for (i, j), ratio in follow.items():
        active[:, j] += ratio[:, None] * J[:, i]
    patterns, which = np.unique(on > 0.5, axis=0, return_inverse=True)
    which, groups = np.ravel(which), []
    for i, is_active in enumerate(patterns):
        positions = np.flatnonzero(which == i)
        lam = states(active[positions][:, is_active])
        full = np.zeros((lam.shape[2], len(positions), rows))
        full[:, :, is_active] = np.moveaxis(lam, 2, 0)
        for (i, j), ratio in follow.items():
            full[:, :, i] += ratio[positions] * full[:, :, j]
        groups.append((positions, full))
    out = np.zeros((max((len(x) for _, x in groups), default=0), n, rows))
    for positions, x in groups:
        out[: len(x), positions] = x
    return out


class RowGroup(NamedTuple):
    """Rows that may share a self-stress state, and the joints between their bodies."""

    rows: list[int]
    links: frozenset[int]


def parts(system, owners, follow, J) -> list[RowGroup]:
    """Groups of rows whose elements share a joint; a row without entries is alone."""
    elements = (*system.held, *system.switched)
    paths = [frozenset(elements[i].links) for i in owners]
    followed = {j for pair in follow for j in pair}
    has_entries = (J != 0).any(axis=(0, 2))
    single = [j for j in range(len(owners)) if not (has_entries[j] or j in followed)]
    groups: list[RowGroup] = []
    for j in sorted({*range(len(owners))} - {*single}):
        coupled = {x for pair in follow if j in pair for x in pair}
        joined = [x for x in groups if x.links & paths[j] or coupled & {*x.rows}]
        rows = sorted([j, *(i for x in joined for i in x.rows)])
        groups = [x for x in groups if x not in joined]
        groups.append(RowGroup(rows, paths[j].union(*(x.links for x in joined))))
    return [*(RowGroup([j], paths[j]) for j in single), *groups]


def together(J, on, follow, parts, apart: bool = False) -> np.ndarray:
    """(k, n, rows): self-stress states of all parts, scaled to one size.

    States of parts that share no joint are added to one, unless `apart`.
    """
    combined: list[np.ndarray] = []
    joints: list[set[int]] = []  # of the parts in each combined state
    for rows, links in parts:
        slots = {j: i for i, j in enumerate(rows)}
        follow_part = {(slots[i], slots[j]): x for (i, j), x in follow.items() if i in slots}
        J_part = J[:, rows]
        has_entries = (J_part != 0).any(axis=(0, 1))
        lam = active_self_stress_states(J_part[:, :, has_entries], on[:, rows], follow_part)
        size = abs(lam).max(axis=2, keepdims=True, initial=0.0)
        free = iter([] if apart else [i for i, x in enumerate(joints) if not x & links])
        for state in lam / np.where(size > 0, size, 1.0):
            i = next(free, len(combined))
            if i == len(combined):
                combined.append(np.zeros(on.shape))
                joints.append(set())
            combined[i][:, rows] = state
            joints[i] |= links
    return np.array(combined).reshape(-1, *on.shape)


def moved(lam, *parts) -> list[np.ndarray]:
    """(n, ...): which multipliers, and which components of each part, a self-stress state changes.

    `lam` is (k, n, rows), each part (k, n, ...).  RE.6.
    """
    every = [abs(np.asarray(x, dtype=float)) for x in (lam, *parts)]
    k, n = np.shape(lam)[:2]
    axes = (tuple(range(2, x.ndim)) for x in every)
    largest = np.max([x.max(axis=a, initial=0.0) for x, a in zip(every, axes, strict=True)], axis=0)
    largest = np.where(largest > 0, largest, 1.0)
    limits = (MIN_COMPONENT_RATIO * largest.reshape(k, n, *(1,) * (x.ndim - 2)) for x in every)
    return [
        np.asarray((x > limit).any(axis=0)) for x, limit in zip(every, limits, strict=True)
    ]  # RE.6


def least(F, parts) -> np.ndarray:
    """(n, k): factors of the states to add to `F` (n, m) for the least sum of squares, RE.7.

    `parts` is (k, n, m).  Newtons and newton meters count alike, so that the cut does not matter.
    """
    A = np.moveaxis(np.asarray(parts, dtype=float), 0, 2)
    return -np.einsum("nkm,nm->nk", np.linalg.pinv(A, RANK), F)  # RE.7
