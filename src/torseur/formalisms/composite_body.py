"""Composite bodies: the mass matrix from the inertia of everything outboard of each joint.

Theory: CB.1 to CB.3.
"""

from __future__ import annotations

import numpy as np

from ..scalars import matrix
from ..spatial import Momentum, Twist

needs: frozenset[str] = frozenset()


def momenta(tree, q) -> list[Momentum]:
    """Momentum of all that is outboard of each speed, at one of it, in its link's frame."""
    K, out = tree.K, []
    I = {k.index: k.inertia for k in tree.links}
    for k in reversed(tree.links):
        if k.parent:
            moved = I[k.index].moved(k.X_PF @ k.joint.pose(K, q[k.q]))
            I[k.parent] = I[k.parent] + moved  # CB.1
    for k in tree.links:
        out += [I[k.index] @ Twist.of(s) for s in k.joint.subspace(K, q[k.q]).T]  # CB.2
    return out


def mass_matrix(tree, q) -> np.ndarray:
    """Mass matrix, shape (nv, nv), symmetric."""
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
            outer = k
            for below in tree.ancestors(k.parent):
                h = X[outer.index].push_momentum(h)
                own = M[row, below.v] + S[below.index].T @ h.array  # CB.3
                M[row, below.v] = M[below.v, row] = own
                outer = below
    return M
