"""Link frames after Denavit and Hartenberg, selected for few operations.

Efforts and accelerations do not depend on the frames.  On hinges and sliders z is along the joint's
axis, and x along the common normal with the axis of one child.  Then the constant rotation between
two joints is one rotation about x instead of a full matrix, and a constant offset of the angle.
Equations RF.1 to RF.3.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..scalars import vector
from ..spatial import IDENTITY, PlanarRotation, Pose, RightAngleRotation, Wrench
from ..system import Tree

ROUNDING_ATOL = 64 * np.finfo(float).eps  # of entries of unit vectors and lengths


class SelectedFrames(NamedTuple):
    """The same mechanism in other frames."""

    tree: Tree
    offsets: tuple  # of each coordinate, added to it
    frames: tuple[Pose, ...]  # pose of the new frame in the old one, of the world and every link

    def coordinates(self, q: np.ndarray) -> np.ndarray:
        """Coordinates in the new frames."""
        return vector(x + d if d else x for x, d in zip(q, self.offsets, strict=True))

    def wrenches(self, external: dict[int, Wrench]) -> dict[int, Wrench] | None:
        """External wrenches in the new frames."""
        return {i: self.frames[i].pull_wrench(F) for i, F in external.items()} or None


def select_frames(tree: Tree) -> SelectedFrames:
    """The mechanism in Denavit-Hartenberg frames, or in its own if these cost less."""
    original = SelectedFrames(tree, (0,) * tree.nq, (IDENTITY,) * (len(tree.links) + 1))
    if not all(_numeric(k) for k in tree.links):
        return original
    axes = {
        k.index: np.array(k.joint.steps()[0].axis, dtype=object)
        for k in tree.links
        if k.joint.upright() is not None
    }
    axes = {i: tree.K.numbers(a).astype(float) for i, a in axes.items()}
    R = {k.index: np.array(k.X_PF.R, dtype=float) for k in tree.links}
    p = {k.index: np.array(k.X_PF.p, dtype=float) for k in tree.links}
    first_child: dict[int, int] = {}  # with an axis; it determines the frame
    for k in tree.links:
        if k.parent in axes and k.index in axes:
            first_child.setdefault(k.parent, k.index)
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
        if k.index in first_child and k.joint.steps()[0].turn:
            c = first_child[k.index]
            b = R[c] @ axes[c]
            x, foot = _common_normal(a, b, p[c])  # RF.1
            x_out = x_in if x is None else x
        inner[k.index], outer[k.index] = _frame(x_in, a, foot), _frame(x_out, a, foot)
        offsets[k.q.start] = math.atan2(_cross(x_in, x_out) @ a, x_in @ x_out)  # RF.2
    links = tuple(
        _change_frames(
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
    new_tree = replace(tree, links=links)
    if _count_products(new_tree) >= _count_products(tree):
        return original
    frames = tuple(
        Pose(_snap(Q).astype(object), vector(o))
        for Q, o in (outer[i] for i in range(len(links) + 1))
    )
    return SelectedFrames(
        new_tree, tuple(0 if abs(x) < ROUNDING_ATOL else x for x in offsets), frames
    )


def _numeric(link) -> bool:
    return all(isinstance(x, int | float) for x in (*link.X_PF.R.ravel(), *link.X_PF.p))


def _unit(x):
    return x / np.linalg.norm(x)


def _cross(a: np.ndarray, b):
    """Cross product of two vectors; faster than `np.cross`."""
    (ax, ay, az), (bx, by, bz) = a, b
    return np.array((ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx))


def _normal(a: np.ndarray, b):
    n = _cross(a, b)
    length = np.linalg.norm(n)
    return None if length < 1e-9 else n / length


def _common_normal(a: np.ndarray, b, p: np.ndarray):
    """Direction of the common normal of the lines (0, a) and (p, b), and its foot on the first."""
    n = _normal(a, b)
    if n is None:  # parallel: perpendicular, through p
        offset = p - a * (a @ p)
        length = np.linalg.norm(offset)
        return (None if length < 1e-9 else offset / length), float(a @ p)
    m = _cross(b, n)
    return n, float((m @ p) / (m @ a))


def _frame(x, z, height):
    """Rotation matrix with axes x and z, and the origin at a height on z."""
    return np.stack([x, _cross(z, x), z], axis=1), height * z


def _change_frames(k, parent, inner, outer, R, p: np.ndarray, axial):
    """A link in its new frames, placed in the new frame of its parent.

    Frames are (rotation matrix, origin); `inner` is fixed to the parent, `outer` to the link.
    """
    (Q, o), (Y, y), (Z, z) = parent, inner, outer
    T = _snap(Q.T @ R @ Y)
    X_PF = Pose(_axis_rotations(T), vector(_snap(Q.T @ (p + R @ y - o)).tolist()))  # RF.3
    inertia = k.inertia.moved(Pose(_snap(Z).astype(object), vector(z)).inverse())
    joint = k.joint.upright() if axial else k.joint
    return replace(k, joint=joint, X_PF=X_PF, inertia=inertia)


def _snap(x):
    """Entries within rounding of an integer become that integer."""
    rounded = np.round(x)
    return np.where(abs(x - rounded) < ROUNDING_ATOL, rounded, x) + 0.0


def _axis_rotations(T):
    """A constant rotation as rotations about z, then x, if it is such a product."""
    T = np.array([[int(e) if e in (-1, 0, 1) else e for e in row] for row in T], dtype=object)
    if all(isinstance(e, int) for e in T.ravel()):
        return RightAngleRotation(T)
    if abs(float(T[2, 0])) > ROUNDING_ATOL:
        return T
    rotations = [PlanarRotation(2, T[0, 0], T[1, 0]), PlanarRotation(0, T[2, 2], T[2, 1])]
    return tuple(t for t in rotations if not (t.c == 1 and t.s == 0)) or RightAngleRotation(T)


def _count_products(tree: Tree) -> int:
    """Approximate number of products that the frames cost the recursions."""
    total = 0
    for k in tree.links:
        if not k.parent:
            continue
        rotation = sum(
            0 if isinstance(t, RightAngleRotation) else 4 if isinstance(t, PlanarRotation) else 14
            for t in k.X_PF.turns
        )
        total += 7 * rotation + 5 * sum(x != 0 for x in k.X_PF.p)
    return total
