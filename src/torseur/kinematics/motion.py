"""Poses, velocities, accelerations of links, bodies, frames and points.  Theory: KI.1 to KI.6."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..scalars import matrix, vector
from ..spatial import IDENTITY, Pose, Twist, cross


def outward(tree, step, start, *arrays) -> list:
    """Run `step(K, link, state of the parent, link's slice of each array...)` from root to tips.

    `arrays` are pairs (array, "q" or "v").  The answer starts with the world's state.
    """
    states = [start]
    for link in tree.links:
        parts = (x[link.q if place == "q" else link.v] for x, place in arrays)
        states.append(step(tree.K, link, states[link.parent], *parts))
    return states


def poses(tree, q) -> list[Pose]:
    """`X_WL` of the world and of every link."""
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


def velocities(tree, q, v) -> list[Velocity]:
    """Pose and twist of the world and of every link, twists in link frames."""

    def step(K, k, up, q, v):
        X = k.X_PF @ k.joint.pose(K, q)
        V = X.pull_twist(up.V) + Twist.of(k.joint.twist(K, q, v))  # KI.2
        return Velocity(up.X_W @ X, X, V)

    return outward(tree, step, Velocity(IDENTITY, IDENTITY, Twist()), (q, "q"), (v, "v"))


def accelerations(tree, q, v, a) -> list[tuple[Velocity, Twist]]:
    """Also the rate of each twist, as components in the link's frame (spatial acceleration)."""
    moving = velocities(tree, q, v)

    def step(K, k, up, q, v, a):
        S = k.joint.subspace(K, q)
        own = Twist.of(k.joint.twist(K, q, v))
        return (
            moving[k.index].X_P.pull_twist(up)
            + Twist.of(S @ a + k.joint.bias(K, q, v))
            + moving[k.index].V.cross(own)
        )  # KI.3

    return list(
        zip(moving, outward(tree, step, Twist(), (q, "q"), (v, "v"), (a, "v")), strict=True)
    )


def pose(tree, name: str, q) -> Pose:
    """`X_WB` of a body or frame."""
    place = tree.place(name)
    return poses(tree, q)[place.link] @ place.X_LB


def world_twist(X_WB: Pose, V_B: Twist) -> np.ndarray:
    """Six components (angular, linear at B's origin) in world axes of a twist given in B."""
    return np.concatenate([X_WB.rotate(V_B.angular), X_WB.rotate(V_B.linear)])


def velocity(tree, name: str, q, v) -> np.ndarray:
    """Angular velocity and velocity of the origin of a body or frame, world axes, shape (6,)."""
    place = tree.place(name)
    moving = velocities(tree, q, v)[place.link]
    return world_twist(moving.X_W @ place.X_LB, place.X_LB.pull_twist(moving.V))


def acceleration(tree, name: str, q, v, a) -> np.ndarray:
    """Angular acceleration and acceleration of the origin (of the point), world axes, (6,)."""
    place = tree.place(name)
    moving, rate = accelerations(tree, q, v, a)[place.link]
    V, A = (place.X_LB.pull_twist(x) for x in (moving.V, rate))
    X_WB = moving.X_W @ place.X_LB
    point = A.linear + cross(V.angular, V.linear)  # KI.4
    return np.concatenate([X_WB.rotate(A.angular), X_WB.rotate(point)])


def point_motion(tree, name: str, point, q, v, a) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position, velocity and acceleration, world axes, of a point given in a body or frame."""
    place = tree.place(name)
    moving, rate = accelerations(tree, q, v, a)[place.link]
    V, A = (place.X_LB.pull_twist(x) for x in (moving.V, rate))
    X_WB, r = moving.X_W @ place.X_LB, vector(point)
    u = V.linear + cross(V.angular, r)
    du = A.linear + cross(A.angular, r) + cross(V.angular, u)
    return X_WB.point(r), X_WB.rotate(u), X_WB.rotate(du)


def jacobian(tree, name: str, q) -> np.ndarray:
    """(6, nv): `J @ v` is the twist (angular, linear) of a frame at its origin, world axes."""
    place = tree.place(name)
    X = poses(tree, q)
    X_WB = X[place.link] @ place.X_LB
    J = matrix(((0,) * tree.nv,) * 6)
    for k in tree.ancestors(place.link):
        X_WK, S = X[k.index], k.joint.subspace(tree.K, q[k.q])
        arm = X_WB.p - X_WK.p
        for i, s in enumerate(S.T, start=k.v.start):
            w, u = X_WK.rotate(s[:3]), X_WK.rotate(s[3:])
            J[:3, i], J[3:, i] = w, u + cross(w, arm)  # KI.5
    return J


def jacobian_rate(tree, name: str, q, v) -> np.ndarray:
    """(6, nv): the time derivative of `jacobian`: `J @ a + Jdot @ v` is the acceleration."""
    place = tree.place(name)
    moving = velocities(tree, q, v)
    X_WB = moving[place.link].X_W @ place.X_LB
    V_WB = velocity(tree, name, q, v)
    J = matrix(((0,) * tree.nv,) * 6)
    for k in tree.ancestors(place.link):
        here = moving[k.index]
        S, dS = k.joint.subspace(tree.K, q[k.q]), k.joint.subspace_rate(tree.K, q[k.q], v[k.v])
        for i, S_i in enumerate(S.T):
            grow = Twist.of(dS[:, i]) + here.V.cross(Twist.of(S_i))  # d/dt at the world's origin
            s, ds = (here.X_W.push_twist(x) for x in (Twist.of(S_i), grow))
            r, dr = X_WB.p, V_WB[3:]
            J[:3, k.v.start + i] = ds.angular
            J[3:, k.v.start + i] = ds.linear + cross(ds.angular, r) + cross(s.angular, dr)  # KI.6
    return J
