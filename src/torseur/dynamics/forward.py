"""Forward dynamics by composite bodies and a factorisation that keeps the tree's zeros.

Theory: FD.1 to FD.3.
"""

from __future__ import annotations

import numpy as np

from ..formalisms import composite_body, newton_euler
from ..scalar import vector


def dof_parents(tree) -> list[int]:
    """For every speed, the next speed towards the root (-1 at the root)."""
    last = {0: -1}
    parents = []
    for k in tree.links:
        before = last[k.parent]
        for i in range(k.v.start, k.v.stop):
            parents.append(before)
            before = i
        last[k.index] = before
    return parents


def solve_tree(K, M, b, parents) -> np.ndarray:
    """Solve `M x = b` with `M = L^T D L` from tips to root: no fill-in (Featherstone)."""
    n = len(b)
    M, x, inverse = M.copy(), vector(b), [None] * n
    for k in reversed(range(n)):
        inverse[k] = K.divide(1, M[k, k])
        i = parents[k]
        while i >= 0:
            a = M[k, i] * inverse[k]
            j = i
            while j >= 0:
                M[i, j] = M[i, j] - a * M[k, j]                                       # FD.1
                j = parents[j]
            M[k, i] = a
            i = parents[i]
    for k in reversed(range(n)):                                                      # L^T y = b
        i = parents[k]
        while i >= 0:
            x[i] = x[i] - M[k, i] * x[k]                                              # FD.2
            i = parents[i]
    for k in range(n):                                                                # D L x = y
        x[k] = x[k] * inverse[k]
        i = parents[k]
        while i >= 0:
            x[k] = x[k] - M[k, i] * x[i]                                              # FD.3
            i = parents[i]
    return x


def forward_dynamics(tree, q, v, tau, wrenches=None) -> np.ndarray:
    """Accelerations under the efforts `tau` at the state `(q, v)`, shape (nv,)."""
    rest = vector([0] * tree.nv)
    bias = newton_euler.inverse_dynamics(tree, q, v, rest, wrenches)
    return solve_tree(tree.K, composite_body.mass_matrix(tree, q), tau - bias, dof_parents(tree))
