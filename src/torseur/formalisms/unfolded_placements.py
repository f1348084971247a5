"""Placements that depend on time as elementary joints, for formalisms of speeds.

A moving frame is a chain of prismatic joints along x, y, z and revolute joints about z, y, x.
Their coordinates, speeds and accelerations are functions of time, and their efforts are left out.
Equation RP.8.
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

ELEMENTARY_JOINTS = (
    (Prismatic("x"), 0),
    (Prismatic("y"), 1),
    (Prismatic("z"), 2),
    (Revolute("z"), 5),
    (Revolute("y"), 4),
    (Revolute("x"), 3),
)
"""Joint and index in (position, roll, pitch, yaw) of each elementary motion, in their order."""


class UnfoldedMotion(NamedTuple):
    """A tree with elementary joints in place of moving placements, and its motion."""

    tree: Tree
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    free_speeds: list[int]  # speeds that are no functions of time
    speeds: list[int]  # index of each of these in the original tree

    def sum_efforts(self, tau: np.ndarray, nv: int) -> np.ndarray:
        """(nv,): efforts of the original tree; those of a shared speed are added."""
        out = vector([0] * nv)
        for i, j in zip(self.free_speeds, self.speeds, strict=True):
            out[j] = out[j] + tau[i]
        return out


def unfold_placements(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> UnfoldedMotion:
    """The same motion with elementary joints for moving placements, and no shared coordinates."""
    links: list[Link] = []
    arrays: list[list] = [[], [], []]
    last = {0: 0}
    free_speeds: list[int] = []
    speeds: list[int] = []

    def add(link, joint, X_PF, *motion):
        nq, nv = len(arrays[0]), len(arrays[1])
        for array, x in zip(arrays, motion, strict=True):
            array += list(x)
        slices = {"q": slice(nq, len(arrays[0])), "v": slice(nv, len(arrays[1]))}
        links.append(replace(link, index=len(links) + 1, joint=joint, X_PF=X_PF, reads=0, **slices))

    no_armature, empty = vector((0,)), Inertia(0, vector((0,) * 3), vector((0,) * 6))
    for k in tree.links:
        parent, X = last[k.parent], k.X_PF
        joint: Any = k.joint  # a `MovingBaseJoint` if it depends on time
        moving = (
            list(placement_steps(tree.K, joint.carriage, joint.moves)) if joint.rheonomic else []
        )
        for n, (step, *motion) in enumerate(moving, start=1):
            has_body = n == len(moving) and not joint.nv  # it carries the body itself
            massless = replace(k, parent=parent, armature=no_armature, damping=no_armature)
            add(
                massless if has_body else replace(massless, inertia=empty),
                step,
                X,
                *((x,) for x in motion),
            )
            parent, X = len(links), IDENTITY
        if joint.nv or not moving:
            free_speeds += range(len(arrays[1]), len(arrays[1]) + joint.nv)
            speeds += range(k.v.start, k.v.stop)
            inner = joint.inner if joint.rheonomic else joint
            add(replace(k, parent=parent), inner, X, q[k.q], v[k.v], a[k.v])
        last[k.index] = len(links)
    unfolded_tree = replace(tree, links=tuple(links), nq=len(arrays[0]), nv=len(arrays[1]))
    Q, V, A = map(vector, arrays)
    return UnfoldedMotion(unfolded_tree, Q, V, A, free_speeds, speeds)


def placement_steps(K: Any, carriage, moves=True):
    """Joint, coordinate, speed and acceleration of each elementary motion of a placement."""
    time = Jet(K, K.parameter(TIME), 1)
    for joint, i in ELEMENTARY_JOINTS:
        x = (*carriage.position, *carriage.rpy)[i]
        if not isinstance(x, Value):
            if x:
                yield joint, K.number(x), 0, 0
            continue
        jet = x.over(Jets(K, {TIME: time}))
        jet = jet if isinstance(jet, Jet) else Jet(K, jet)
        yield joint, jet.x, *((jet.d, jet.e) if moves else (0, 0))


def unfolding(inverse_dynamics):
    """Decorator: the formalism also takes moving placements and the slices of beams.

    Efforts of placements are left out.  Efforts of slices with shared coordinates are added.
    """

    @wraps(inverse_dynamics)
    def unfolded_dynamics(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray):
        if not (tree.rheonomic or tree.shared):
            return inverse_dynamics(tree, q, v, a)
        x = unfold_placements(tree, q, v, a)
        return x.sum_efforts(inverse_dynamics(x.tree, x.q, x.v, x.a), tree.nv)

    return unfolded_dynamics
