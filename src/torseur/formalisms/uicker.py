"""Uicker's method: Lagrange's equations with homogeneous matrices and traces (Madani 1998).

`T_0k` is the homogeneous matrix of body k.  Its derivative by q_l is `T_0k Omega_kl`, where
`Omega_kl` is the 4 x 4 operator of the screw of q_l in body k.  Joints of several degrees of
freedom are chains of elementary joints with massless bodies.  Equations UI.1 to UI.9.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import NotInRing
from ..scalars import matrix, vector
from ..spatial import HALF, Inertia, Pose, Twist, skew
from .base import formalism
from .unfolded_placements import unfolding

if TYPE_CHECKING:
    from ..system import Tree

needs: frozenset[str] = frozenset()


class ChainStep(NamedTuple):
    """One elementary motion of the tree, outboard of the step `before` (-1: the base)."""

    before: int
    speed: int
    T: Pose  # from the frame before to this one
    screw: Twist  # of this motion, in this frame
    inertia: Inertia | None  # of its body, or None
    screw_rate: Twist | None = None  # derivative of the screw by its own coordinate, in this frame


class Coefficients(NamedTuple):
    """Coefficients of `tau = A a + B (v_j v_l) + C (v^2) - G`, in the layout of Madani (1998)."""

    A: np.ndarray  # (n, n)
    B: np.ndarray  # (n, n (n - 1) / 2): products v_j v_l, j < l
    C: np.ndarray  # (n, n): squares
    G: np.ndarray  # (n,): minus the derivatives of the potential energy
    pairs: tuple[tuple[int, int], ...]


def chain_steps(tree: Tree, q: np.ndarray) -> list[ChainStep]:
    """The tree as a list of elementary motions, parents first."""
    K, out, last = tree.K, [], {0: -1}
    for k in tree.links:
        X, before, q_J = k.X_PF, last[k.parent], q[k.q]
        motions = _elementary_motions(K, k, q_J)
        for n, (pose, screw, i, *slope) in enumerate(motions):
            is_last = n == len(motions) - 1
            out.append(
                ChainStep(
                    before, k.v.start + i, X @ pose, screw, k.inertia if is_last else None, *slope
                )
            )
            X, before = Pose(), len(out) - 1
        last[k.index] = before
    return out


def _elementary_motions(K: Any, link, q: np.ndarray):
    """(pose, screw in its own frame, index, derivative of a screw that varies) of each motion."""
    joint = link.joint
    if joint.nv == 1 and joint.holonomic:
        motion = (joint.pose(K, q), Twist.of(joint.subspace(K, q)[:, 0]), 0)
        slope = joint.subspace_rate(K, q, vector((1,)))[:, 0]
        return [(*motion, Twist.of(slope)) if any(x != 0 for x in slope) else motion]
    if not joint.holonomic:
        raise NotInRing(
            f"uicker: the speeds of joint {link.name!r} are not the rates of its "
            "coordinates; use a parametrization by angles and their rates, or another "
            "formalism"
        )
    if not joint.steps():
        raise NotInRing(f"uicker: joint {link.name!r} has no elementary steps")
    return [(s.pose(K, q), s.twist(K, 1), s.index) for s in joint.steps()]


def omega(V: Twist) -> np.ndarray:
    """(4, 4): operator of a screw, UI.1; it gives the derivative of a homogeneous matrix."""
    O = matrix(((0,) * 4,) * 4)
    O[:3, :3], O[:3, 3] = skew(V.angular), V.linear  # UI.1
    return O


def coefficients(tree: Tree, q: np.ndarray) -> Coefficients:
    """A, B, C and G; each independent coefficient is computed once, UI.2 to UI.9."""
    chain, n = chain_steps(tree, q), tree.nv
    J = [matrix(((0,) * 4,) * 4) if s.inertia is None else s.inertia.pseudo() for s in chain]
    for k in reversed(range(len(chain))):  # composite pseudo-inertias
        if chain[k].before >= 0:
            T = chain[k].T.matrix()
            J[chain[k].before] = J[chain[k].before] + T @ J[k] @ T.T  # UI.2
    path: list[dict[int, np.ndarray]] = []  # Omega_kl of every l up to k
    R: list[np.ndarray] = []  # rotation from the world
    for k, s in enumerate(chain):
        inboard = path[s.before] if s.before >= 0 else {}
        operators = {l: omega(s.T.pull_twist(_screw_of_operator(O))) for l, O in inboard.items()}
        path.append(operators | {k: omega(s.screw)})
        R.append((R[s.before] @ s.T.R) if s.before >= 0 else s.T.R)
    A, C = (matrix(((0,) * n,) * n) for _ in range(2))
    pairs = tuple(combinations(range(n), 2))
    column = {pair: c for c, pair in enumerate(pairs)}
    B, G = matrix(((0,) * len(pairs),) * n), vector([0] * n)
    v = [s.speed for s in chain]
    for l in range(len(chain)):  # l is the outermost index of each
        O = path[l]
        OJ = {i: O[i] @ J[l] for i in O}
        for i in O:
            A[v[i], v[l]] = A[v[l], v[i]] = _trace(OJ[i], O[l])  # UI.3
        G[v[l]] = (R[l].T @ tree.gravity) @ (O[l] @ J[l][:, 3])[:3]  # UI.4
        product = O[l] @ J[l]
        second_product = O[l] @ product
        for i in O:
            if i == l:
                continue
            C[v[i], v[l]] = _trace(second_product, O[i])  # UI.5
            for j in O:
                if j != l:
                    b = 2 * _trace(O[j] @ product, O[i])  # UI.6
                    B[v[i], column[_sorted(v[j], v[l])]] = b
                    if i == j:
                        C[v[l], v[j]] = b * _MINUS_HALF  # UI.7
                    elif j in path[i]:
                        B[v[l], column[_sorted(v[j], v[i])]] = -b  # UI.8
    for l in range(len(chain)):
        for j, W in _screw_rates(chain, l).items():
            rate_product = omega(W) @ J[l]
            for i in path[l] if j == l else (l,):
                C[v[i], v[j]] = C[v[i], v[j]] + _trace(rate_product, path[l][i])  # UI.9
    return Coefficients(A, B, C, G, pairs)


def _screw_rates(chain, l: int) -> dict[int, Twist]:
    """Derivatives of the screws up to step l by their own coordinates, in the frame of step l."""
    out, k, pose = {}, l, Pose()
    while k >= 0:
        if chain[k].screw_rate is not None:
            out[k] = pose.pull_twist(chain[k].screw_rate)
        k, pose = chain[k].before, chain[k].T @ pose
    return out


_MINUS_HALF = -HALF


def _sorted(i, j):
    return (i, j) if i < j else (j, i)


def _screw_of_operator(O) -> Twist:
    return Twist(vector((O[2, 1], O[0, 2], O[1, 0])), vector(O[:3, 3]))


def _trace(X, Y):
    """Trace of X Y^T for matrices whose last rows are zero."""
    return sum((X[r, c] * Y[r, c] for r in range(3) for c in range(4)), start=0)


@formalism("uicker", needs)
@unfolding
def inverse_dynamics(tree: Tree, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """(nv,): efforts `tau` of the accelerations `a` at the state `(q, v)`."""
    c = coefficients(tree, q)
    products = vector(v[j] * v[l] for j, l in c.pairs)
    tau = c.A @ a + c.C @ (v * v) - c.G
    tau = tau + c.B @ products if len(products) else tau
    for link in tree.links:
        for i, x in zip(range(link.v.start, link.v.stop), link.armature, strict=True):
            tau[i] = tau[i] + x * a[i]
    return tau
