"""Self-stress: reactions that balance by themselves, and so are not known from the motion.

Every constraint of the mechanism counts, rows that say nothing new included (the third dimension
of a planar loop).  A component that no self-stress state moves is the same whichever joint was cut.

Theory: RE.5 to RE.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...numbers import matrix, vector

if TYPE_CHECKING:
    from .rows import Rows

RANK = 1e-9  # singular values below: the rows depend on each other
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
    U, s, _ = np.linalg.svd(J * scale[:, :, None])
    known = np.zeros((n, rows))
    known[:, : min(rows, nv)] = s > RANK * np.maximum(1.0, s.max(axis=1, initial=0, keepdims=True))
    free = U * (1 - known)[:, None, :]  # RE.5
    return (scale[:, :, None] * free)[:, :, (known < 1).any(axis=0)]


def states_of(J, on, follow) -> np.ndarray:
    """(k, n, rows): the states of the rows that are `on`, (n, rows).

    `follow[i, j]`, (n,): multiplier i, of a friction that slides, over multiplier j.
    """
    n, rows, _ = J.shape
    E = np.zeros((n, rows, rows))
    E[:, range(rows), range(rows)] = on
    for (i, j), ratio in follow.items():
        E[:, i, j] = ratio
    J = np.einsum("nij,niv->njv", E, J)
    patterns, which = np.unique(on > 0.5, axis=0, return_inverse=True)
    which, found = np.ravel(which), []
    for i, holds in enumerate(patterns):
        here = np.flatnonzero(which == i)
        lam = E[here][:, :, holds] @ states(J[here][:, holds])
        found.append((here, np.moveaxis(lam, 2, 0)))
    out = np.zeros((max((len(x) for _, x in found), default=0), n, rows))
    for here, x in found:
        out[: len(x), here] = x
    return out


def parts(system, owners, follow) -> list[list[int]]:
    """Rows whose elements share a joint on their ways through the tree; a state is of one part."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    elements = (*system.held, *system.switched)
    size, ways = len(owners), [elements[i].links for i in owners]
    pairs = [(j, size + k) for j, way in enumerate(ways) for k in way] + [*follow]
    at = np.array(pairs, dtype=int).reshape(-1, 2).T
    whole = size + 1 + max((k for way in ways for k in way), default=0)
    graph = coo_array((np.ones(len(pairs)), (at[0], at[1])), shape=(whole, whole))
    _, label = connected_components(graph, directed=False)
    return [np.flatnonzero(label[:size] == x).tolist() for x in dict.fromkeys(label[:size])]


def together(J, on, follow, parts) -> np.ndarray:
    """(k, n, rows): states of all parts, the first of each in one, and so on; each as large."""
    found = []
    for own in parts:
        place = {j: i for i, j in enumerate(own)}
        ties = {(place[i], place[j]): x for (i, j), x in follow.items() if i in place}
        mine = J[:, own]
        lam = states_of(mine[:, :, (mine != 0).any(axis=(0, 1))], on[:, own], ties)
        size = abs(lam).max(axis=2, keepdims=True, initial=0.0)
        found.append(lam / np.where(size > 0, size, 1.0))
    out = np.zeros((max((len(x) for x in found), default=0), *on.shape))
    for own, lam in zip(parts, found, strict=True):
        out[: len(lam), :, own] = lam
    return out


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

    `parts` is (k, n, m); newtons and newton metres count alike, so that no cut matters.
    """
    A = np.moveaxis(np.asarray(parts, dtype=float), 0, 2)
    return -np.einsum("nkm,nm->nk", np.linalg.pinv(A, RANK), F)  # RE.7


__all__ = ["every_row", "least", "moved", "parts", "states", "states_of", "together"]
