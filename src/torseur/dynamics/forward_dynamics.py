"""Forward dynamics of trees: composite rigid bodies and branch-induced sparse LTDL factorization.

Long branches use the articulated body algorithm instead.  Equations FD.1 to FD.3 (Featherstone
2008, Rigid Body Dynamics Algorithms, chapter 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import TorseurError
from ..formalisms import articulated_body, composite_body, newton_euler
from ..scalars import matrix, vector
from .sparse_factorization import is_zero

if TYPE_CHECKING:
    from ..spatial import Wrench
    from ..system import Tree


def speed_parents(tree: Tree) -> list[int]:
    """Parent of each speed: the next speed towards the root (-1 at the root)."""
    if tree.shared:
        return _elimination_tree(tree)
    last = {0: -1}
    parents = []
    for k in tree.links:
        parent = last[k.parent]
        for i in range(k.v.start, k.v.stop):
            parents.append(parent)
            parent = i
        last[k.index] = parent
    return parents


def _elimination_tree(tree: Tree) -> list[int]:
    """Parent of each speed where links share speeds: elimination tree of the mass matrix, BE.9.

    Two speeds have an entry if a link is outboard of both.
    """
    below: list[set[int]] = [set() for _ in range(tree.nv)]
    for k in tree.links:
        path = {i for x in tree.ancestors(k.index) for i in range(x.v.start, x.v.stop)}
        for i in path:
            below[i] |= {j for j in path if j < i}
    parents = [-1] * tree.nv
    for i in reversed(range(tree.nv)):
        if below[i]:
            parents[i] = max(below[i])
            below[parents[i]] |= below[i] - {parents[i]}
    return parents


class Factors(NamedTuple):
    """Factorization `M = L^T D L`: L below the diagonal of `L`, and the inverse of D."""

    L: np.ndarray
    inverse: list
    parents: list[int]

    def numbers(self) -> np.ndarray:
        """Inverse of D, then the entries of L below its diagonal, row by row."""
        return vector([*self.inverse, *(self.L[k, i] for k, i in _pairs(self.parents))])

    @staticmethod
    def size(parents: list[int]) -> int:
        """Length of `numbers`."""
        return len(parents) + sum(1 for _ in _pairs(parents))

    @classmethod
    def of(cls, numbers, parents: list[int]) -> Factors:
        """Factors from their `numbers`."""
        n = len(parents)
        L = matrix([[0] * n for _ in range(n)])
        for x, (k, i) in zip(numbers[n:], _pairs(parents), strict=True):
            L[k, i] = x
        return cls(L, list(numbers[:n]), parents)

    def inverse_matrix(self) -> np.ndarray:
        """`M^-1`: each column down to the diagonal, then mirrored."""
        n = len(self.parents)
        inverse = matrix([[0] * n for _ in range(n)])
        for c in range(n):
            column = self.solve([int(i == c) for i in range(n)], c + 1)
            inverse[c, : c + 1] = inverse[: c + 1, c] = column[: c + 1]
        return inverse

    def solve(self, b, count: int | None = None) -> np.ndarray:
        """Solution x of `M x = b`; valid for the first `count` speeds if that is given."""
        x = self.out(b)
        n = len(x) if count is None else count
        scaled = [y * d for y, d in zip(x[:n], self.inverse, strict=False)]
        return self.back(vector([*scaled, *x[n:]]), n)

    def out(self, b) -> np.ndarray:
        """Solution y of `L^T y = b`, FD.2."""
        y = vector(b)
        for k in reversed(range(len(y))):
            for i in _up(self.parents, k):
                y[i] = y[i] - self.L[k, i] * y[k]  # FD.2
        return y

    def back(self, scaled, count: int | None = None) -> np.ndarray:
        """Solution x of `L x = scaled`, of the first `count` speeds; FD.3."""
        x = vector(scaled)
        for k in range(len(x) if count is None else count):
            for i in reversed(_up(self.parents, k)):  # in the order in which they are computed
                x[k] = x[k] - self.L[k, i] * x[i]  # FD.3
        return x


def _up(parents: list[int], k: int) -> list[int]:
    """Speeds between speed k and the root, the nearest first."""
    path = []
    while (k := parents[k]) >= 0:
        path.append(k)
    return path


def _pairs(parents: list[int]) -> Iterator[tuple[int, int]]:
    """Pairs of each speed with those between it and the root: entries of L."""
    return ((k, i) for k in range(len(parents)) for i in _up(parents, k))


def factorized(K: Any, M: np.ndarray, parents) -> Factors:
    """Factorization `M = L^T D L` from tips to root: no fill-in, FD.1."""
    n = len(parents)
    M, inverse = M.copy(), [None] * n
    for k in reversed(range(n)):
        inverse[k] = K.divide(1, M[k, k])
        i = parents[k]
        while i >= 0:
            a = M[k, i] * inverse[k]
            j = i
            while j >= 0:
                M[i, j] = M[i, j] - a * M[k, j]  # FD.1
                j = parents[j]
            M[k, i] = a
            i = parents[i]
    return Factors(M, inverse, parents)


def solve_tree(K: Any, M: np.ndarray, b, parents) -> np.ndarray:
    """Solution x of `M x = b` by the branch-induced sparse factorization."""
    return factorized(K, M, parents).solve(b)


def forward_dynamics(
    tree: Tree,
    q: np.ndarray,
    v: np.ndarray,
    tau: np.ndarray,
    wrenches: dict[int, Wrench] | None = None,
) -> np.ndarray:
    """(nv,): accelerations under the efforts `tau` at the state `(q, v)`."""
    rest = vector([0] * tree.nv)
    bias = newton_euler.inverse_dynamics(tree, q, v, rest, wrenches)
    return solve_tree(tree.K, composite_body.mass_matrix(tree, q), tau - bias, speed_parents(tree))


DEEP = 16  # speeds from root to tip, above which the articulated body algorithm costs less


def cheapest(tree: Tree, speeds: Sequence[str] = ()) -> Callable[..., np.ndarray]:
    """The forward dynamics with fewer operations: composite bodies for short branches, articulated
    bodies for long ones.

    Raises an error if a speed has no inertia.  `speeds` are names for its message.
    """
    massless = [all(is_zero(x) for x in (*k.inertia.parameters(), *k.armature)) for k in tree.links]
    for k in reversed(tree.links):  # a link with all links outboard of it
        if k.parent:
            massless[k.parent - 1] = massless[k.parent - 1] and massless[k.index - 1]
    heavy = {k.reads or k.index for k, none in zip(tree.links, massless, strict=True) if not none}
    for k in tree.owners:
        if k.index not in heavy and k.joint.nv:
            why = "is the parameter of a curve" if k.auxiliary else "moves massless bodies alone"
            name = speeds[k.v.start] if speeds else f"{k.name}.{k.joint.speeds[0][0]}"
            raise TorseurError(
                f"{name} has no inertia of its own, it {why}: the tree "
                "alone does not say how it moves; use constrained_dynamics, or ts.simulate"
            )
    if tree.shared:
        return forward_dynamics
    depths: list[int] = []
    for parent in speed_parents(tree):
        depths.append(depths[parent] + 1 if parent >= 0 else 1)
    return forward_dynamics if max(depths, default=0) <= DEEP else articulated_body.forward_dynamics
