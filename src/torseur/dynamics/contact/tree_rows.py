"""The mass matrix and rows of elements between two frames as walks down the tree.

Kernels write axes, momenta and wrenches in the axes of the first link on the world, each at the
origin of its link; native text (`dynamics/contact/native/tree_traversal.py`) takes them down the tree, so that texts do
not grow with depth.
Theory: CB.2, CB.3, DF.14.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...constraints import between
from ...formalisms import composite_body
from ...kinematics import outward
from ...scalars import NativeText, vector
from ...spatial import IDENTITY, cross, pose_over
from ..constraints.rows import Rows, wrench_map

LONG = 9  # entries of M and J a speed and row, from which walks are less text, and as fast


class Walks(NamedTuple):
    """Where each number of the walks belongs, and what computes them."""

    mass: list[tuple[int, int]]  # unknowns of each entry of M
    rows: list[tuple[int, int]]  # row and unknown of each entry of J
    words: tuple[int, ...]
    given: np.ndarray

    def numbers(self, K, wanted):
        """All entries, known to native text only."""
        size = len(self.mass) + len(self.rows)
        return K.native(NativeText("rows_walked", self.words, 0, 0, size), [wanted, self.given])[1]


def walkable(tree, elements) -> bool:
    """Whether rows are all between two frames, and so deep in a tree that walks are less text."""
    if tree.rheonomic or tree.shared or not all(e.joins for e in elements):
        return False
    deep = {k.index: sum(x.joint.nv for x in tree.ancestors(k.index)) for k in tree.links}
    entries = sum(k.joint.nv * deep[k.index] for k in tree.links)
    entries += sum(e.size * sum(tree.links[i - 1].joint.nv for i in e.links) for e in elements)
    return entries > LONG * (tree.nv + sum(e.size for e in elements))


def walks(tree, elements, r: Rows, q) -> Walks:
    """The walks of a system: of each speed's momentum, and of each row."""
    K = tree.K
    X = outward(
        tree,
        lambda K, k, X, q: X @ k.X_PF @ k.joint.pose(K, q) if k.parent else IDENTITY,
        IDENTITY,
        (q, "q"),
    )
    axes: list[Any] = []
    table: list[Any] = []
    arms, starts = [], []
    mass: list[tuple[int, int]] = []
    rows: list[tuple[int, int]] = []

    def way(link: int, steps: int, row: int, end: int, start) -> list[int]:
        """A walk; the unknowns that it meets."""
        met, k = list(range(tree.links[link - 1].v.start, end)), tree.links[link - 1]
        for _ in range(steps - 1):
            k = tree.links[k.parent - 1]
            met += range(k.v.start, k.v.stop)
        table.extend((link - 1, steps, row, end, len(met)))
        starts.extend(start)
        return met

    momenta = composite_body.momenta(tree, q)
    for k in tree.links:
        here, step = X[k.index], k.X_PF @ k.joint.pose(K, q[k.q])
        arms.extend(X[k.parent].rotate(step.p))
        for i, s in enumerate(k.joint.subspace(K, q[k.q]).T, start=k.v.start):
            axes.extend((*here.rotate(s[:3]), *here.rotate(s[3:])))
            h = momenta[i].array
            start = (*here.rotate(h[:3]), *here.rotate(h[3:]))
            deep = len([*tree.ancestors(k.index)])
            mass += [(i, j) for j in way(k.index, deep, -1, i + 1, start)]
    for index in dict.fromkeys(r.owners):
        e = elements[index]
        A, X_FM = wrench_map(tree, e, q), e.pose(tree, q)
        for i in (i for i in range(len(r)) if r.owners[i] == index):
            a = A[e.labels.index(r.names[i].removeprefix(f"{e.name}."))]
            links = between(tree.links, e.F.link, e.M.link)
            for place, path, sign in ((e.M, links[1], 1), (e.F, links[0], -1)):
                if not path:
                    continue
                near = X[place.link] @ pose_over(K, place.X_LB)
                arm = X[place.link].rotate(pose_over(K, place.X_LB).p)
                if sign < 0:
                    arm, near = arm + near.rotate(X_FM.p), near @ X_FM
                n, f = near.rotate(a[:3]), near.rotate(a[3:])
                n = n + cross(arm, f)
                end = tree.links[place.link - 1].v.stop
                found = way(place.link, len(path), i, end, [sign * x for x in (*n, *f)])
                rows += [(i, j) for j in found]
    below = [k.parent - 1 for k in tree.links]
    ends = [[getattr(k.v, x) for k in tree.links] for x in ("start", "stop")]
    words = len(tree.links), len(table) // 5, tree.nv, *below, *ends[0], *ends[1], *table
    own = [x for k in tree.links for x in k.armature]
    given: list[Any] = [*axes, *arms, *own, *starts]
    return Walks(mass, rows, words, vector(given))
