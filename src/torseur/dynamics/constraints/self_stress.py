"""Self-stress: reactions that balance by themselves, and so are not known from the motion.

Every constraint of the mechanism counts, rows that say nothing new included (the third dimension
of a planar loop).  A component that no self-stress state moves is the same whichever joint was cut.

Theory: RE.5 to RE.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ...scalars import matrix, vector

if TYPE_CHECKING:
    from .rows import Rows

RANK = 1e-9  # singular values below: the rows depend on each other
SURE = 1e-8  # squares of singular values above: they surely do not, whatever rounding did
MOVED = 1e-7  # share of a self-stress state that a component must have to be one of it


def every_row(tree, system, r: Rows) -> Rows:
    """Rows in the order of their elements, those whose residual vanishes anywhere as zeros."""
    elements = (*system.held, *system.switched)
    place = {n: j for j, n in enumerate(r.names)}
    names, owners, J = [], [], []
    for i, e in enumerate(elements):
        if e.contact or e.friction:
            found = [n for n, o in zip(r.names, r.owners, strict=True) if o == i]
        else:
            found = [f"{e.name}.{label}" for label in e.labels]
        names += found
        owners += [i] * len(found)
        J += [r.J[place[n]] if n in place else vector([0] * tree.nv) for n in found]
    none = vector([0] * len(names))
    whole = matrix(J) if J else np.empty((0, tree.nv), dtype=object)
    return type(r)(none, none, whole, none, tuple(names), tuple(owners), ())


def states(J) -> np.ndarray:
    """(n, rows, k): multipliers with `J' lam = 0`, at each of n positions; J is (n, rows, nv).

    Where fewer states than at other positions exist, the others are zero.
    """
    J = np.asarray(J, dtype=float)
    n, rows, nv = J.shape
    if not rows:
        return np.zeros((n, 0, 0))
    size = np.linalg.norm(J, axis=2)
    scale = 1 / np.where(size > 1e-12, size, 1.0)
    J = J * scale[:, :, None]
    unsure = np.flatnonzero(~independent(J))
    if not len(unsure):
        return np.zeros((n, rows, 0))
    U, s, _ = np.linalg.svd(J[unsure])
    known = np.zeros((len(unsure), rows))
    known[:, : min(rows, nv)] = s > RANK * np.maximum(1.0, s.max(axis=1, initial=0, keepdims=True))
    free = (known < 1).any(axis=0)
    out = np.zeros((n, rows, int(free.sum())))
    out[unsure] = (scale[unsure, :, None] * (U * (1 - known)[:, None, :]))[:, :, free]  # RE.5
    return out


def independent(J) -> np.ndarray:
    """(n,): where rows of length one are surely independent; J is (n, rows, nv).

    There `J J' - SURE` has the positive pivots of Cholesky; only rows that meet are looked at.
    """
    n, rows, nv = J.shape
    sure = np.full(n, rows <= nv)
    if rows > nv:
        return sure
    G = J @ np.moveaxis(J, 1, 2)
    G[:, range(rows), range(rows)] -= SURE
    for j in range(rows):
        sure &= G[:, j, j] > 0
        met = j + 1 + np.flatnonzero((G[:, j, j + 1 :] != 0).any(axis=0))
        part = G[:, j, met]
        step = part / np.where(sure, G[:, j, j], 1.0)[:, None]
        G[:, met[:, None], met] -= step[:, :, None] * part[:, None, :]
    return sure


def states_of(J, on, follow) -> np.ndarray:
    """(k, n, rows): the states of the rows that are `on`, (n, rows).

    `follow[i, j]`, (n,): multiplier i, of a friction that slides, over multiplier j.
    """
    n, rows, _ = J.shape
    own = J * on[:, :, None]
    for (i, j), ratio in follow.items():
        own[:, j] += ratio[:, None] * J[:, i]
    patterns, which = np.unique(on > 0.5, axis=0, return_inverse=True)
    which, found = np.ravel(which), []
    for i, holds in enumerate(patterns):
        here = np.flatnonzero(which == i)
        lam = states(own[here][:, holds])
        whole = np.zeros((lam.shape[2], len(here), rows))
        whole[:, :, holds] = np.moveaxis(lam, 2, 0)
        for (i, j), ratio in follow.items():
            whole[:, :, i] += ratio[here] * whole[:, :, j]
        found.append((here, whole))
    out = np.zeros((max((len(x) for _, x in found), default=0), n, rows))
    for here, x in found:
        out[: len(x), here] = x
    return out


class Part(NamedTuple):
    """Rows that may share a state of self-stress, and the joints on their ways through the tree."""

    rows: list[int]
    links: frozenset[int]


def parts(system, owners, follow, J) -> list[Part]:
    """Rows whose elements share a joint on their ways; one that says nothing is alone."""
    elements = (*system.held, *system.switched)
    ways = [frozenset(elements[i].links) for i in owners]
    tied = {j for pair in follow for j in pair}
    says = (J != 0).any(axis=(0, 2))
    alone = [j for j in range(len(owners)) if not (says[j] or j in tied)]
    found: list[Part] = []
    for j in sorted({*range(len(owners))} - {*alone}):
        tie = {x for pair in follow if j in pair for x in pair}
        near = [x for x in found if x.links & ways[j] or tie & {*x.rows}]
        rows = sorted([j, *(i for x in near for i in x.rows)])
        found = [x for x in found if x not in near]
        found.append(Part(rows, ways[j].union(*(x.links for x in near))))
    return [*(Part([j], ways[j]) for j in alone), *found]


def together(J, on, follow, parts, apart: bool = False) -> np.ndarray:
    """(k, n, rows): states of all parts, each as large.

    Unless all are asked `apart`, those of parts that share no joint are one.
    """
    looks: list[np.ndarray] = []
    taken: list[set[int]] = []  # joints that each of these has a part at
    for own, links in parts:
        place = {j: i for i, j in enumerate(own)}
        ties = {(place[i], place[j]): x for (i, j), x in follow.items() if i in place}
        mine = J[:, own]
        lam = states_of(mine[:, :, (mine != 0).any(axis=(0, 1))], on[:, own], ties)
        size = abs(lam).max(axis=2, keepdims=True, initial=0.0)
        free = iter([] if apart else [i for i, x in enumerate(taken) if not x & links])
        for state in lam / np.where(size > 0, size, 1.0):
            i = next(free, len(looks))
            if i == len(looks):
                looks.append(np.zeros(on.shape))
                taken.append(set())
            looks[i][:, own] = state
            taken[i] |= links
    return np.array(looks).reshape(-1, *on.shape)


def moved(lam, *parts) -> list[np.ndarray]:
    """(n, ...): which multipliers, and which numbers of each part, some self-stress state moves.

    `lam` is (k, n, rows), each part (k, n, ...).
    """
    every = [abs(np.asarray(x, dtype=float)) for x in (lam, *parts)]
    k, n = np.shape(lam)[:2]
    axes = (tuple(range(2, x.ndim)) for x in every)
    most = np.max([x.max(axis=a, initial=0.0) for x, a in zip(every, axes, strict=True)], axis=0)
    most = np.where(most > 0, most, 1.0)
    flags = (x > MOVED * most.reshape(k, n, *(1,) * (x.ndim - 2)) for x in every)
    return [np.asarray(x.any(axis=0)) for x in flags]  # RE.6


def least(F, parts) -> np.ndarray:
    """(n, k): how much of each state to add to `F` (n, m) for the least sum of squares.

    `parts` is (k, n, m); newtons and newton meters count alike, so that no cut matters.
    """
    A = np.moveaxis(np.asarray(parts, dtype=float), 0, 2)
    return -np.einsum("nkm,nm->nk", np.linalg.pinv(A, RANK), F)  # RE.7


__all__ = ["every_row", "independent", "least", "moved", "parts", "states", "states_of", "together"]
