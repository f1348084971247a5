"""Frames chosen for cheap arithmetic: efforts and accelerations do not depend on them.

On hinges and sliders the frames follow Denavit and Hartenberg: z along the joint's axis, x along
the common normal with one child's axis, so that the constant rotation between two joints is one
turn about x instead of a full matrix, and a constant that adds to the angle.  Theory: RF.1 to RF.3.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..scalars import vector
from ..spatial import IDENTITY, PlaneTurn, Pose, Quarter, Wrench
from ..system import Tree

TINY = 64 * np.finfo(float).eps


class Reframed(NamedTuple):
    """The same mechanism in other frames: shift q by `offsets`, pull wrenches into `frames`."""

    tree: Tree
    offsets: tuple  # one a coordinate, added to it
    frames: tuple[Pose, ...]  # new frame in the old one, world and every link

    def coordinates(self, q) -> np.ndarray:
        return vector(x + d if d else x for x, d in zip(q, self.offsets, strict=True))

    def wrenches(self, external: dict[int, Wrench]) -> dict[int, Wrench] | None:
        return {i: self.frames[i].pull_wrench(F) for i, F in external.items()} or None


def reframed(tree: Tree) -> Reframed:
    """The mechanism in cheap frames, or as it is when that costs less."""
    plain = Reframed(tree, (0,) * tree.nq, (IDENTITY,) * (len(tree.links) + 1))
    if not all(_numeric(k) for k in tree.links):
        return plain
    axes = {
        k.index: np.array(k.joint.steps()[0].axis, dtype=object)
        for k in tree.links
        if k.joint.upright() is not None
    }
    axes = {i: tree.K.numbers(a).astype(float) for i, a in axes.items()}
    R = {k.index: np.array(k.X_PF.R, dtype=float) for k in tree.links}
    p = {k.index: np.array(k.X_PF.p, dtype=float) for k in tree.links}
    main: dict[int, int] = {}
    for k in tree.links:  # the first child with an axis sets the frame
        if k.parent in axes and k.index in axes:
            main.setdefault(k.parent, k.index)
    outer, inner, offsets = {0: (np.eye(3), np.zeros(3))}, {}, [0.0] * tree.nq
    for k in tree.links:
        if k.index not in axes:
            outer[k.index] = inner[k.index] = (np.eye(3), np.zeros(3))
            continue
        a = axes[k.index]
        Q, _ = outer[k.parent]
        x_in = _normal(Q[:, 2], R[k.index] @ a)  # in the parent's old frame
        x_in = R[k.index].T @ (Q[:, 0] if x_in is None else x_in)
        x_in = _unit(x_in - a * (a @ x_in))
        x_out, foot = x_in, 0.0
        if k.index in main and k.joint.steps()[0].turn:
            c = main[k.index]
            b = R[c] @ axes[c]
            x, foot = _common_normal(a, b, p[c])  # RF.1
            x_out = x_in if x is None else x
        inner[k.index], outer[k.index] = _frame(x_in, a, foot), _frame(x_out, a, foot)
        offsets[k.q.start] = math.atan2(_cross(x_in, x_out) @ a, x_in @ x_out)  # RF.2
    links = tuple(
        _moved(
            k,
            outer[k.parent],
            inner[k.index],
            outer[k.index],
            R[k.index],
            p[k.index],
            k.index in axes,
        )
        for k in tree.links
    )
    made = replace(tree, links=links)
    if _cost(made) >= _cost(tree):
        return plain
    frames = tuple(
        Pose(_snap(Q).astype(object), vector(o))
        for Q, o in (outer[i] for i in range(len(links) + 1))
    )
    return Reframed(made, tuple(0 if abs(x) < TINY else x for x in offsets), frames)


def _numeric(link) -> bool:
    return all(isinstance(x, int | float) for x in (*link.X_PF.R.ravel(), *link.X_PF.p))


def _unit(x):
    return x / np.linalg.norm(x)


def _cross(a, b):
    """That of two vectors, without NumPy's questions about axes."""
    (ax, ay, az), (bx, by, bz) = a, b
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def _normal(a, b):
    n = _cross(a, b)
    length = np.linalg.norm(n)
    return None if length < 1e-9 else n / length


def _common_normal(a, b, p):
    """Direction of the common normal of the lines (0, a) and (p, b), and its foot on the first."""
    n = _normal(a, b)
    if n is None:  # parallel: across, at the other's height
        across = p - a * (a @ p)
        length = np.linalg.norm(across)
        return (None if length < 1e-9 else across / length), float(a @ p)
    across = _cross(b, n)
    return n, float((across @ p) / (across @ a))


def _frame(x, z, height):
    return np.stack([x, _cross(z, x), z], axis=1), height * z


def _moved(k, up, inner, outer, R, p, axial):
    """The link seen from its parent's new frame, in its own new frame."""
    (Q, o), (Y, y), (Z, z) = up, inner, outer
    T = _snap(Q.T @ R @ Y)
    X_PF = Pose(_turns(T), vector(_snap(Q.T @ (p + R @ y - o)).tolist()))  # RF.3
    inertia = k.inertia.moved(Pose(_snap(Z).astype(object), vector(z)).inverse())
    joint = k.joint.upright() if axial else k.joint
    return replace(k, joint=joint, X_PF=X_PF, inertia=inertia)


def _snap(x):
    near = np.round(x)
    return np.where(abs(x - near) < TINY, near, x) + 0.0


def _turns(T):
    """A constant rotation as turns about z then x, when its z axes meet that way."""
    T = np.array([[int(e) if e in (-1, 0, 1) else e for e in row] for row in T], dtype=object)
    if all(isinstance(e, int) for e in T.ravel()):
        return Quarter(T)
    if abs(float(T[2, 0])) > TINY:
        return T
    turns = [PlaneTurn(2, T[0, 0], T[1, 0]), PlaneTurn(0, T[2, 2], T[2, 1])]
    return tuple(t for t in turns if not (t.c == 1 and t.s == 0)) or Quarter(T)


def _cost(tree) -> int:
    """Products that the frames cost the recursions, roughly."""
    total = 0
    for k in tree.links:
        if not k.parent:
            continue
        turn = sum(
            0 if isinstance(t, Quarter) else 4 if isinstance(t, PlaneTurn) else 14
            for t in k.X_PF.turns
        )
        total += 7 * turn + 5 * sum(x != 0 for x in k.X_PF.p)
    return total
