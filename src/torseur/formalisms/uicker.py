"""Uicker's method, after Madani (1998): pseudo-inertias, Omega operators and traces.

`T_0k` is the homogeneous matrix of body k; its derivative by q_l is `T_0k Omega_kl`, with
`Omega_kl` the 4 x 4 operator of the screw of q_l seen from body k.  Joints with several degrees of
freedom are taken step by step, with massless bodies between.  Theory: UI.1 to UI.9.
"""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np

from ..errors import NotInRing
from ..scalars import matrix, vector
from ..spatial import HALF, Inertia, Pose, Twist, skew
from .base import formalism
from .unfolded_placements import unfolding

needs: frozenset[str] = frozenset()


class ChainStep(NamedTuple):
    """One elementary motion of the chain, after the body or step `before` (-1: the base)."""

    before: int
    speed: int
    T: Pose  # from the frame before to this one
    screw: Twist  # of this motion, in this frame
    inertia: Inertia | None  # of the body it carries, or None
    slope: Twist | None = None  # how the screw varies with its own coordinate, in this frame


class Coefficients(NamedTuple):
    """`Gamma = A a + B (v_j v_l) + C (v^2) - G`, in the layout of Madani (1998)."""

    A: np.ndarray  # (n, n)
    B: np.ndarray  # (n, n (n - 1) / 2): products v_j v_l, j < l
    C: np.ndarray  # (n, n): squares
    G: np.ndarray  # (n,): minus the derivatives of the potential energy
    pairs: tuple[tuple[int, int], ...]


def steps(tree, q) -> list[ChainStep]:
    """The tree as elementary motions."""
    K, out, last = tree.K, [], {0: -1}
    for k in tree.links:
        X, before, q_J = k.X_PF, last[k.parent], q[k.q]
        moves = _moves(K, k, q_J)
        for n, (pose, screw, i, *slope) in enumerate(moves):
            end = n == len(moves) - 1
            out.append(
                ChainStep(
                    before, k.v.start + i, X @ pose, screw, k.inertia if end else None, *slope
                )
            )
            X, before = Pose(), len(out) - 1
        last[k.index] = before
    return out


def _moves(K, link, q):
    """(pose, screw in its own frame, index, slope of a screw that varies) of each step."""
    joint = link.joint
    if joint.nv == 1 and joint.holonomic:
        move = (joint.pose(K, q), Twist.of(joint.subspace(K, q)[:, 0]), 0)
        slope = joint.subspace_rate(K, q, vector((1,)))[:, 0]
        return [(*move, Twist.of(slope)) if any(x != 0 for x in slope) else move]
    if not joint.holonomic:
        raise NotInRing(
            f"uicker: the speeds of joint {link.name!r} are not the rates of its "
            "coordinates; use a parametrization by angles and their rates, or another "
            "formalism"
        )
    if not joint.steps():
        raise NotInRing(f"uicker: joint {link.name!r} does not say its elementary steps")
    return [(s.pose(K, q), s.twist(K, 1), s.index) for s in joint.steps()]


def omega(V: Twist) -> np.ndarray:
    """4 x 4 operator of a screw: the derivative of a homogeneous matrix along it."""
    O = matrix(((0,) * 4,) * 4)
    O[:3, :3], O[:3, 3] = skew(V.angular), V.linear  # UI.1
    return O


def coefficients(tree, q) -> Coefficients:
    """A, B, C and G, each computed once: the rest follows from the coefficients' properties."""
    chain, n = steps(tree, q), tree.nv
    J = [matrix(((0,) * 4,) * 4) if s.inertia is None else s.inertia.pseudo() for s in chain]
    for k in reversed(range(len(chain))):  # pseudo-inertia of what each carries
        if chain[k].before >= 0:
            T = chain[k].T.matrix()
            J[chain[k].before] = J[chain[k].before] + T @ J[k] @ T.T  # UI.2
    path: list[dict[int, np.ndarray]] = []  # Omega_kl of every l up to k
    R: list[np.ndarray] = []  # rotation from the world
    for k, s in enumerate(chain):
        above = path[s.before] if s.before >= 0 else {}
        seen = {l: omega(s.T.pull_twist(_screw(O))) for l, O in above.items()}
        path.append(seen | {k: omega(s.screw)})
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
        moved = O[l] @ J[l]
        twice = O[l] @ moved
        for i in O:
            if i == l:
                continue
            C[v[i], v[l]] = _trace(twice, O[i])  # UI.5
            for j in O:
                if j != l:
                    b = 2 * _trace(O[j] @ moved, O[i])  # UI.6
                    B[v[i], column[_sorted(v[j], v[l])]] = b
                    if i == j:
                        C[v[l], v[j]] = b * _MINUS_HALF  # UI.7
                    elif j in path[i]:
                        B[v[l], column[_sorted(v[j], v[i])]] = -b  # UI.8
    for l in range(len(chain)):
        for j, W in _slopes(chain, l).items():
            pushed = omega(W) @ J[l]
            for i in path[l] if j == l else (l,):
                C[v[i], v[j]] = C[v[i], v[j]] + _trace(pushed, path[l][i])  # UI.9
    return Coefficients(A, B, C, G, pairs)


def _slopes(chain, l: int) -> dict[int, Twist]:
    """How screws up to step l vary with their own coordinates, seen from step l."""
    out, k, seen = {}, l, Pose()
    while k >= 0:
        if chain[k].slope is not None:
            out[k] = seen.pull_twist(chain[k].slope)
        k, seen = chain[k].before, chain[k].T @ seen
    return out


_MINUS_HALF = -HALF


def _sorted(i, j):
    return (i, j) if i < j else (j, i)


def _screw(O) -> Twist:
    return Twist(vector((O[2, 1], O[0, 2], O[1, 0])), vector(O[:3, 3]))


def _trace(X, Y):
    """Trace of X Y^T, whose last rows are zero."""
    return sum((X[r, c] * Y[r, c] for r in range(3) for c in range(4)), start=0)


@formalism("uicker", needs)
@unfolding
def inverse_dynamics(tree, q, v, a) -> np.ndarray:
    """Efforts `tau` that give the accelerations `a` at the state `(q, v)`, shape (nv,)."""
    c = coefficients(tree, q)
    products = vector(v[j] * v[l] for j, l in c.pairs)
    tau = c.A @ a + c.C @ (v * v) - c.G
    tau = tau + c.B @ products if len(products) else tau
    for link in tree.links:
        for i, x in zip(range(link.v.start, link.v.stop), link.armature, strict=True):
            tau[i] = tau[i] + x * a[i]
    return tau
