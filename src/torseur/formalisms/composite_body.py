"""Composite rigid body algorithm: mass matrix from the inertia outboard of each joint.

Equations CB.1 to CB.3 (Walker and Orin 1982; Featherstone 2008, chapter 6).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..scalars import matrix
from ..spatial import Momentum, Twist

if TYPE_CHECKING:
    from ..system import Tree

needs: frozenset[str] = frozenset()


def momenta(tree: Tree, q: np.ndarray) -> list[Momentum]:
    """Momentum of all bodies outboard of each speed when it is one, in its link's frame; CB.2."""
    K, out = tree.K, []
    I = {k.index: k.inertia for k in tree.links}
    for k in reversed(tree.links):
        if k.parent:
            in_parent = I[k.index].moved(k.X_PF @ k.joint.pose(K, q[k.q]))
            I[k.parent] = I[k.parent] + in_parent  # CB.1
    for k in tree.links:
        out += [I[k.index] @ Twist.of(s) for s in k.joint.subspace(K, q[k.q]).T]  # CB.2
    return out


def mass_matrix(tree: Tree, q: np.ndarray) -> np.ndarray:
    """(nv, nv): mass matrix."""
    K = tree.K
    X = {k.index: k.X_PF @ k.joint.pose(K, q[k.q]) for k in tree.links}
    S = {k.index: k.joint.subspace(K, q[k.q]) for k in tree.links}
    I = {k.index: k.inertia for k in tree.links}
    M = matrix(((0,) * tree.nv,) * tree.nv)
    for k in reversed(tree.links):
        if k.parent:
            I[k.parent] = I[k.parent] + I[k.index].moved(X[k.index])  # CB.1
        for row, column in zip(range(k.v.start, k.v.stop), S[k.index].T, strict=True):
            h = I[k.index] @ Twist.of(column)  # CB.2
            for j in range(k.v.start, row + 1):
                M[row, j] = M[j, row] = M[row, j] + S[k.index][:, j - k.v.start] @ h.array
            M[row, row] = M[row, row] + k.armature[row - k.v.start]
            outboard = k
            for inboard in tree.ancestors(k.parent):
                h = X[outboard.index].push_momentum(h)
                entries = M[row, inboard.v] + S[inboard.index].T @ h.array  # CB.3
                M[row, inboard.v] = M[inboard.v, row] = entries
                outboard = inboard
    return M
