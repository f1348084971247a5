"""Matrices of the equation of motion `H a + C v + G = E f_e + B f_a`, momentum, center of mass.

Mass matrix H, Coriolis matrix C, gravity forces G.  Equations TF.1 to TF.5.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..errors import TorseurError, unknown_name_message
from ..formalisms import composite_body, newton_euler
from ..kinematics import jacobian, poses, velocities
from ..scalars import matrix, vector
from ..spatial import IDENTITY, Momentum, Twist, skew

if TYPE_CHECKING:
    from ..spatial import Wrench
    from ..system import Tree


class TreeForm(NamedTuple):
    """Mass matrix, Coriolis matrix, gravity efforts, maps of external wrenches and of actuators."""

    H: np.ndarray  # (nv, nv)
    C: np.ndarray  # (nv, nv); Hdot - 2 C is skew
    G: np.ndarray  # (nv,): efforts that keep the mechanism at rest
    E: np.ndarray  # (nv, 6 nw): world wrenches at the named frames' origins
    B: np.ndarray  # (nv, na): efforts of the named joints' actuators


def coriolis_matrix(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """`C` with `C v` the velocity products and `Hdot - 2 C` skew, shape (nv, nv).

    `C_ik = sum_j Gamma_i,jk v_j` (GI.13), for pseudo-velocities too.
    """
    motions = velocities(tree, q, v)
    C = matrix(((0,) * tree.nv,) * tree.nv)
    S = {k.index: k.joint.subspace(tree.K, q[k.q]) for k in tree.links}
    dS = {k.index: k.joint.subspace_rate(tree.K, q[k.q], v[k.v]) for k in tree.links}
    for body in tree.links:
        V_B, I = motions[body.index].V, body.inertia.matrix()
        columns, J, dJ = [], [], []
        X, outboard = IDENTITY, None  # pose of the body in its ancestor k
        for k in tree.ancestors(body.index):
            X = motions[outboard].X_P @ X if outboard else X
            outboard = k.index
            relative = V_B - X.pull_twist(motions[k.index].V)
            for i in range(k.joint.nv):
                s = X.pull_twist(Twist.of(S[k.index][:, i]))
                columns.append(k.v.start + i)
                J.append(s.array)
                dJ.append(
                    (X.pull_twist(Twist.of(dS[k.index][:, i])) + s.cross(relative)).array
                )  # TF.1
        J_B, dJ_B = matrix(J).T, matrix(dJ).T
        w, h = skew(V_B.angular), skew(body.inertia.h)
        gyroscopic = skew(body.inertia.second_moments() @ V_B.angular)
        W = matrix(
            [*np.hstack([gyroscopic, h @ w]), *np.hstack([-(w @ h), body.inertia.mass * w])]
        )  # TF.2
        C[np.ix_(columns, columns)] += J_B.T @ (I @ dJ_B + W @ J_B)  # TF.3
    return C


def gravity_forces(tree: Tree, q: np.ndarray) -> np.ndarray:
    """(nv,): efforts that keep the mechanism at rest against gravity."""
    rest, tree = vector([0] * tree.nv), tree.still()
    return newton_euler.inverse_dynamics(tree, q, rest, rest)


def generalized_forces(tree: Tree, q: np.ndarray, wrenches: dict[int, Wrench]) -> np.ndarray:
    """(nv,): generalized forces of wrenches on links, {link index: wrench in its frame}; TF.5."""
    Q, F = vector([0] * tree.nv), dict(wrenches)
    for k in reversed(tree.links):
        if k.index in F:
            Q[k.v] = Q[k.v] + k.joint.subspace(tree.K, q[k.q]).T @ F[k.index].array  # TF.5
            if k.parent:
                X = k.X_PF @ k.joint.pose(tree.K, q[k.q])
                F_P = X.push_wrench(F[k.index])
                F[k.parent] = F[k.parent] + F_P if k.parent in F else F_P
    return Q


def tree_form(tree: Tree, q: np.ndarray, v: np.ndarray, frames=(), joints=None) -> TreeForm:
    """All matrices; `frames` names those of external wrenches, `joints` the actuated joints."""
    names = [k.name for k in tree.owners]
    for name in joints or ():
        if name not in names:
            raise TorseurError(
                unknown_name_message("joint", name, names, "actuators of the tree form")
            )
    wrenches = [jacobian(tree, name, q).T for name in frames]
    E = np.concatenate(wrenches, axis=1) if wrenches else matrix(((),) * tree.nv)
    actuated = [
        i
        for k in tree.owners
        if joints is None or k.name in joints
        for i in range(k.v.start, k.v.stop)
    ]
    B = matrix([[int(i == j) for j in actuated] for i in range(tree.nv)])
    return TreeForm(
        composite_body.mass_matrix(tree, q),
        coriolis_matrix(tree, q, v),
        gravity_forces(tree, q),
        E,
        B,
    )


def momentum(tree: Tree, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Angular momentum about the world's origin, then linear momentum, world axes, shape (6,)."""
    total = Momentum()
    for link, motion in zip(tree.links, velocities(tree, q, v)[1:], strict=True):
        total = total + motion.X_W.push_momentum(link.inertia @ motion.V)  # TF.4
    return total.array


def center_of_mass(tree: Tree, q: np.ndarray) -> np.ndarray:
    """Position of the center of mass of all moving bodies, world axes [m], shape (3,)."""
    m, h = 0, vector((0, 0, 0))
    for link, X in zip(tree.links, poses(tree, q)[1:], strict=True):
        m, h = m + link.inertia.mass, h + link.inertia.mass * X.p + X.rotate(link.inertia.h)
    return vector(tree.K.divide(x, m) for x in h)
