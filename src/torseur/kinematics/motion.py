"""Poses, twists, accelerations and Jacobians of links, bodies, frames and points.

Equations KI.1 to KI.6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..scalars import matrix, vector
from ..spatial import IDENTITY, Pose, Twist, cross

if TYPE_CHECKING:
    from ..system import Tree


def outward(tree: Tree, step, start, *arrays) -> list:
    """Outward recursion: `step(K, link, parent state, slice of each array...)` from root to tips.

    `arrays` are pairs (array, "q" or "v").  The first state of the result is that of the world.
    """
    states = [start]
    for link in tree.links:
        parts = (x[link.q if array_kind == "q" else link.v] for x, array_kind in arrays)
        states.append(step(tree.K, link, states[link.parent], *parts))
    return states


def poses(tree: Tree, q: np.ndarray) -> list[Pose]:
    """Pose `X_WL` of the world and of every link, KI.1."""
    return outward(
        tree,
        lambda K, k, X, q: X @ k.X_PF @ k.joint.pose(K, q),
        IDENTITY,  # KI.1
        (q, "q"),
    )


class Velocity(NamedTuple):
    """Motion of a link: pose in the world, pose in its parent, and twist in its own frame."""

    X_W: Pose
    X_P: Pose
    V: Twist


def velocities(tree: Tree, q: np.ndarray, v: np.ndarray) -> list[Velocity]:
    """Pose and twist of the world and of every link, twists in link frames; KI.2."""

    def step(K: Any, k, parent, q: np.ndarray, v: np.ndarray):
        X = k.X_PF @ k.joint.pose(K, q)
        V = X.pull_twist(parent.V) + Twist.of(k.joint.twist(K, q, v))  # KI.2
        return Velocity(parent.X_W @ X, X, V)

    return outward(tree, step, Velocity(IDENTITY, IDENTITY, Twist()), (q, "q"), (v, "v"))


def accelerations(
    tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> list[tuple[Velocity, Twist]]:
    """As `velocities`, with the spatial acceleration of every link in its frame; KI.3."""
    motions = velocities(tree, q, v)

    def step(K: Any, k, parent, q: np.ndarray, v: np.ndarray, a: np.ndarray):
        S = k.joint.subspace(K, q)
        joint_twist = Twist.of(k.joint.twist(K, q, v))
        return (
            motions[k.index].X_P.pull_twist(parent)
            + Twist.of(S @ a + k.joint.bias(K, q, v))
            + motions[k.index].V.cross(joint_twist)
        )  # KI.3

    return list(
        zip(motions, outward(tree, step, Twist(), (q, "q"), (v, "v"), (a, "v")), strict=True)
    )


def pose(tree: Tree, name: str, q: np.ndarray) -> Pose:
    """`X_WB` of a body or frame."""
    frame = tree.place(name)
    return poses(tree, q)[frame.link] @ frame.X_LB


def world_twist(X_WB: Pose, V_B: Twist) -> np.ndarray:
    """(6,): a twist in B axes as (angular, linear at the origin of B) in world axes."""
    return np.concatenate([X_WB.rotate(V_B.angular), X_WB.rotate(V_B.linear)])


def velocity(tree: Tree, name: str, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(6,): angular velocity and velocity of the origin of a body or frame, in world axes."""
    frame = tree.place(name)
    motion = velocities(tree, q, v)[frame.link]
    return world_twist(motion.X_W @ frame.X_LB, frame.X_LB.pull_twist(motion.V))


def acceleration(tree: Tree, name: str, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(6,): angular acceleration and acceleration of the origin of a body or frame, in world axes.

    KI.4.
    """
    frame = tree.place(name)
    motion, rate = accelerations(tree, q, v, a)[frame.link]
    V, A = (frame.X_LB.pull_twist(x) for x in (motion.V, rate))
    X_WB = motion.X_W @ frame.X_LB
    point = A.linear + cross(V.angular, V.linear)  # KI.4
    return np.concatenate([X_WB.rotate(A.angular), X_WB.rotate(point)])


def point_motion(
    tree: Tree, name: str, point, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration in world axes of a point of a body or frame."""
    frame = tree.place(name)
    motion, rate = accelerations(tree, q, v, a)[frame.link]
    V, A = (frame.X_LB.pull_twist(x) for x in (motion.V, rate))
    X_WB, r = motion.X_W @ frame.X_LB, vector(point)
    u = V.linear + cross(V.angular, r)
    du = A.linear + cross(A.angular, r) + cross(V.angular, u)
    return X_WB.point(r), X_WB.rotate(u), X_WB.rotate(du)


def jacobian(tree: Tree, name: str, q: np.ndarray) -> np.ndarray:
    """(6, nv): Jacobian; `J @ v` is the twist of a frame at its origin, in world axes.  KI.5."""
    frame = tree.place(name)
    X = poses(tree, q)
    X_WB = X[frame.link] @ frame.X_LB
    J = matrix(((0,) * tree.nv,) * 6)
    for k in tree.ancestors(frame.link):
        X_WK, S = X[k.index], k.joint.subspace(tree.K, q[k.q])
        arm = X_WB.p - X_WK.p
        for i, s in enumerate(S.T, start=k.v.start):
            w, u = X_WK.rotate(s[:3]), X_WK.rotate(s[3:])
            J[:3, i], J[3:, i] = w, u + cross(w, arm)  # KI.5
    return J


def jacobian_rate(tree: Tree, name: str, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """(6, nv): time derivative of `jacobian`; `J @ a + Jdot @ v` is the acceleration.  KI.6."""
    frame = tree.place(name)
    motions = velocities(tree, q, v)
    X_WB = motions[frame.link].X_W @ frame.X_LB
    V_WB = velocity(tree, name, q, v)
    J = matrix(((0,) * tree.nv,) * 6)
    for k in tree.ancestors(frame.link):
        motion = motions[k.index]
        S, dS = k.joint.subspace(tree.K, q[k.q]), k.joint.subspace_rate(tree.K, q[k.q], v[k.v])
        for i, S_i in enumerate(S.T):
            # d/dt at the world's origin
            screw_rate = Twist.of(dS[:, i]) + motion.V.cross(Twist.of(S_i))
            s, ds = (motion.X_W.push_twist(x) for x in (Twist.of(S_i), screw_rate))
            r, dr = X_WB.p, V_WB[3:]
            J[:3, k.v.start + i] = ds.angular
            J[3:, k.v.start + i] = ds.linear + cross(ds.angular, r) + cross(s.angular, dr)  # KI.6
    return J
