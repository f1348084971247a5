"""Base inertial parameters: regrouping of parameters that act only in combination.

A part of a body's inertia that does not depend on the joint's position as seen from the parent
(about a hinge: mass, first moment along the axis, equal transverse inertias; on a slider: the whole
inertia tensor) is moved to the parent.  At the root it drops out.  The rank decides which parts
those are, for any joint.  Efforts, mass matrix and accelerations do not change.  Masses of single
bodies lose their meaning.  Equations RG.1 to RG.3 (Gautier and Khalil 1990).
`identify.robots.base_parameters` finds the base parameters of a measured robot.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from ..errors import TorseurError
from ..scalars import Floats, vector
from ..spatial import Inertia, Twist
from ..system import Tree

ELIMINATION_ORDER = (0, 1, 2, 3, 5, 4, 6, 7, 8, 9)  # of parameters: mass, first moment, Jyy, ...
GOLDEN_RATIO = 0.6180339887498949  # of an equidistributed sequence
SAMPLES = 4  # poses of a joint that stand for all of them


@lru_cache(maxsize=256)
def shared(joint) -> tuple[tuple[int, tuple], ...]:
    """Inertias (pivot, ten parameters) that can be moved across a joint.

    An inertia D can if `D S = 0` and `ad(S)' D + D ad(S) = 0` at every pose of the joint.
    """
    units = [Inertia.of_parameters(row).matrix().astype(float) for row in np.eye(10)]
    count = itertools.count(1)
    subspaces = _sample_subspaces(
        joint, lambda n: [0.3 + 0.9 * (next(count) * GOLDEN_RATIO % 1) for _ in range(n)]
    )
    if any((S != subspaces[0]).any() for S in subspaces):  # NumPy's generator takes 4 ms to load
        rng = np.random.default_rng(11)
        subspaces = _sample_subspaces(joint, lambda n: rng.uniform(0.3, 1.2, n))
    rows = []
    for s in (s for S in subspaces for s in S.T):
        ad = Twist.of(s).ad().astype(float)
        rows += [np.stack([D @ s for D in units], axis=1)]  # RG.1
        rows += [np.stack([(ad.T @ D + D @ ad).ravel() for D in units], axis=1)]  # RG.2
    if not rows:
        return ()
    _, sizes, right = np.linalg.svd(np.concatenate(rows), full_matrices=False)
    rank = int((sizes > 1e-10 * sizes[0]).sum())
    return _row_echelon(right[rank:])


def _sample_subspaces(joint, draw: Callable[[int], Any]) -> list[np.ndarray]:
    """Motion subspaces S of a joint at sampled poses; `draw(n)` gives n coordinates."""
    subspaces = []
    for _ in range(SAMPLES):
        q = np.array(draw(joint.nq), dtype=float)
        if (i := joint.quaternion) is not None:
            q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
        subspaces.append(np.array(joint.subspace(Floats(), q), dtype=float))
    return subspaces


def _row_echelon(basis: np.ndarray) -> tuple[tuple[int, tuple], ...]:
    """Reduced row echelon form: each row has a one at its pivot, where the others have zeros."""
    basis = basis.copy()
    pivots: list[int] = []
    for column in ELIMINATION_ORDER:
        k = len(pivots)
        if k == len(basis):
            break
        best = k + int(np.argmax(abs(basis[k:, column])))
        if abs(basis[best, column]) < 1e-9:
            continue
        basis[[k, best]] = basis[[best, k]]
        basis[k] /= basis[k, column]
        for i in range(len(basis)):
            if i != k:
                basis[i] -= basis[i, column] * basis[k]
        pivots.append(column)
    rounded = np.round(basis)
    clean = np.where(abs(basis - rounded) < 1e-9, rounded, basis).tolist()
    return tuple(
        (p, tuple(int(x) if x == int(x) else x for x in row))
        for p, row in zip(pivots, clean, strict=True)
    )


def hidden(joint, I: Inertia) -> Inertia | None:
    """Part of an inertia to move to the parent: the remaining inertia has zero pivots.  RG.3."""
    if joint.rheonomic:  # seen from the parent it depends on time
        return None
    ten = I.parameters()
    try:
        parts = shared(joint)
    except (TorseurError, TypeError, ValueError):  # symbols in the joint: leave it as it is
        return None
    if not parts:
        return None
    D = vector((0,) * 10)
    for pivot, row in parts:
        D = D + vector(x * ten[pivot] for x in row)  # RG.3
    return Inertia.of_parameters(D)


def regroup_inertias(tree: Tree) -> Tree:
    """A tree of the same dynamics with base inertial parameters."""
    inertias = {k.index: k.inertia for k in tree.links}
    for k in reversed(tree.links):
        I = inertias[k.index]
        D = hidden(k.joint, I)
        if D is None:
            continue
        inertias[k.index] = I + Inertia(-D.mass, -D.h, -D.J)
        if k.parent:
            inertias[k.parent] = inertias[k.parent] + D.moved(
                k.X_PF @ k.joint.pose(tree.K, vector(k.joint.neutral().tolist()))
            )
    links = tuple(replace(k, inertia=inertias[k.index]) for k in tree.links)
    return replace(tree, links=links)
