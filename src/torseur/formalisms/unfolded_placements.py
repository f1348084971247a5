"""Placements that time moves as joints of their own, for formalisms that count speeds.

A moving frame is slides along x, y, z and turns about z, y, x whose coordinates, speeds and
accelerations are functions of time: they enter as numbers, and their efforts are left out.
Theory: RP.8.
"""

from __future__ import annotations

from dataclasses import replace
from functools import wraps
from typing import Any, NamedTuple

import numpy as np

from ..joints import TIME, Prismatic, Revolute
from ..scalars import Jet, Jets, Value, vector
from ..spatial import IDENTITY, Inertia
from ..system import Link, Tree

STEPS = (
    (Prismatic("x"), 0),
    (Prismatic("y"), 1),
    (Prismatic("z"), 2),
    (Revolute("z"), 5),
    (Revolute("y"), 4),
    (Revolute("x"), 3),
)
"""Joint and place in (position, roll pitch yaw) of each step of a placement, in their order."""


class Unfolded(NamedTuple):
    """A tree with a joint for each step of a moving placement, and its whole motion."""

    tree: Tree
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    own: list[int]  # the speeds that are no functions of time
    speeds: list[int]  # what each of these is in the tree itself

    def folded(self, tau, nv: int) -> np.ndarray:
        """Efforts of the tree itself: those of a speed that several links read are added."""
        out = vector([0] * nv)
        for i, j in zip(self.own, self.speeds, strict=True):
            out[j] = out[j] + tau[i]
        return out


def unfolded(tree: Tree, q, v, a) -> Unfolded:
    """The same motion, moving placements as joints, and every link with coordinates of its own."""
    links: list[Link] = []
    at: list[list] = [[], [], []]
    last = {0: 0}
    own: list[int] = []
    speeds: list[int] = []

    def add(link, joint, X_PF, *motion):
        nq, nv = len(at[0]), len(at[1])
        for array, x in zip(at, motion, strict=True):
            array += list(x)
        slices = {"q": slice(nq, len(at[0])), "v": slice(nv, len(at[1]))}
        links.append(replace(link, index=len(links) + 1, joint=joint, X_PF=X_PF, reads=0, **slices))

    none, empty = vector((0,)), Inertia(0, vector((0,) * 3), vector((0,) * 6))
    for k in tree.links:
        parent, X = last[k.parent], k.X_PF
        joint: Any = k.joint  # a `Carried` where time moves it
        moving = list(steps(tree.K, joint.carriage, joint.moves)) if joint.rheonomic else []
        for n, (step, *motion) in enumerate(moving, start=1):
            ends = n == len(moving) and not joint.nv  # it carries the body itself
            hidden = replace(k, parent=parent, armature=none, damping=none)
            add(
                hidden if ends else replace(hidden, inertia=empty), step, X, *((x,) for x in motion)
            )
            parent, X = len(links), IDENTITY
        if joint.nv or not moving:
            own += range(len(at[1]), len(at[1]) + joint.nv)
            speeds += range(k.v.start, k.v.stop)
            inner = joint.inner if joint.rheonomic else joint
            add(replace(k, parent=parent), inner, X, q[k.q], v[k.v], a[k.v])
        last[k.index] = len(links)
    made = replace(tree, links=tuple(links), nq=len(at[0]), nv=len(at[1]))
    Q, V, A = map(vector, at)
    return Unfolded(made, Q, V, A, own, speeds)


def steps(K, carriage, moves=True):
    """Joint, coordinate, speed and acceleration of each step that is not nothing."""
    now = Jet(K, K.parameter(TIME), 1)
    for joint, i in STEPS:
        x = (*carriage.position, *carriage.rpy)[i]
        if not isinstance(x, Value):
            if x:
                yield joint, K.number(x), 0, 0
            continue
        jet = x.over(Jets(K, {TIME: now}))
        jet = jet if isinstance(jet, Jet) else Jet(K, jet)
        yield joint, jet.x, *((jet.d, jet.e) if moves else (0, 0))


def unfolding(inverse_dynamics):
    """A formalism that sees moving placements as joints, whose efforts are left out, and slices of
    a beam as links with coordinates of their own, whose efforts are added."""

    @wraps(inverse_dynamics)
    def made(tree, q, v, a):
        if not (tree.rheonomic or tree.shared):
            return inverse_dynamics(tree, q, v, a)
        x = unfolded(tree, q, v, a)
        return x.folded(inverse_dynamics(x.tree, x.q, x.v, x.a), tree.nv)

    return made
