"""What resists the motion of each joint: inertia outboard of it, or rows that tie it to some.

Judged by numbers at a generic pose.  Theory: CK.7.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ModelError, TorseurError
from ..scalars import Number
from .system import System

STEP = 1e-6  # of the difference that gives the Jacobian of rows here
REGULAR = 1e-9  # smallest eigenvalue over the largest


def resisted(system: System, K: Any) -> None:
    """Refuse a joint whose motion nothing resists."""
    problems = []
    try:
        tree = system.over(K)
        idle = [(k, way) for k, way in motion_without_inertia(tree) if not k.auxiliary]
    except (ValueError, ArithmeticError):  # symbols without a number, drawn out of range
        return
    if not idle or tied(system, tree, [k.index for k, _ in idle]):
        return
    loose = " and no row ties it to one that has" if system.held else ""
    for link, direction in idle:
        outboard = [n for n in system.bodies if _is_outboard(system, n, link.index)]
        which = ""
        if link.joint.nv > 1:
            which = f" along {link.joint.speeds[int(np.argmax(abs(direction)))][0]!r}"
        what = "has any mass along its axis" if link.joint.nv == 1 else "resists that motion"
        problems.append(
            f"joint {link.name!r} cannot move{which}: nothing outboard of it "
            f"({', '.join(map(repr, outboard))}) {what}{loose}; give a body mass or inertia, "
            "or the joint an armature"
        )
    raise ModelError(problems)


def tied(system: System, tree: Any, idle: list[int]) -> bool:
    """Whether rows that always hold tie every massless branch to bodies with mass.

    `M + J' w J` is then regular, over the rows of these branches alone.  Branches whose inertia is
    zero by its value only, a parameter's, are none: kernels take that value as it comes.
    """
    light = [k for k in system.links if _massless(system, k.index)]
    if not system.held or not {*idle} <= {k.index for k in light}:
        return False
    speeds = [j for k in light for j in range(k.v.start, k.v.stop)]
    q = np.concatenate([np.zeros(0), *map(_generic, tree.owners)])
    try:
        J, M = _rows(system, tree, q), _masses(tree, q)
    except (ValueError, ArithmeticError, TorseurError):  # no such pose: nothing is known
        return False
    J = J[(abs(J[:, speeds]) > 1e-7).any(axis=1)]
    size = np.linalg.norm(J, axis=1, keepdims=True)
    heavy = np.trace(M) or 1.0
    A = M / heavy + (J / np.where(size > 0, size, 1)).T @ (J / np.where(size > 0, size, 1))  # CK.7
    weak = np.linalg.eigvalsh(A)
    return bool(weak[0] > REGULAR * weak[-1])


def _massless(system: System, index: int) -> bool:
    """Whether a link and all that it carries have no inertia, exactly."""
    own = system.links[index - 1]
    numbers = (*own.inertia.parameters(), *own.armature)
    return all(isinstance(x, Number) and x == 0 for x in numbers) and all(
        _massless(system, k.index) for k in system.links if k.parent == index
    )


GOLDEN = (1 + 5**0.5) / 2


def _generic(link: Any) -> np.ndarray:
    """Coordinates of a link between 0.3 and 1.2 that no mechanism was built for; NumPy's random
    numbers, which take 5 ms to load, are not needed for it."""
    q = 0.3 + 0.9 * np.modf(GOLDEN * np.arange(link.q.start + 1, link.q.stop + 1))[0]
    if (i := link.joint.quaternion) is not None:
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q


def _rows(system: System, tree: Any, q: np.ndarray) -> np.ndarray:
    """Jacobian of the rows that always hold, by differences."""

    def moved(j: int, by: float) -> np.ndarray:
        v, out = np.zeros(tree.nv), q.copy()
        v[j] = by
        for k in tree.owners:
            out[k.q] = k.joint.integrate(tree.K, q[k.q], v[k.v])
        return out

    def column(e, j):
        if e.speeds:
            one, none = np.zeros(tree.nv), np.zeros(tree.nv)
            one[j] = 1.0
            return e.rate(tree, 0.0, q, one) - e.rate(tree, 0.0, q, none)
        ends = (e.residual(tree, 0.0, moved(j, s * STEP)) for s in (1, -1))
        return (next(ends) - next(ends)) / (2 * STEP)

    parts = [np.stack([column(e, j) for j in range(tree.nv)], axis=1) for e in system.held]
    return np.concatenate(parts).astype(float)


def _masses(tree: Any, q: np.ndarray) -> np.ndarray:
    """Mass matrix from the motion of every body."""
    M, below = np.zeros((tree.nv, tree.nv)), {0: np.zeros((6, tree.nv))}
    for k in tree.links:
        X = k.X_PF @ k.joint.pose(tree.K, q[k.q])
        S = _pull(X) @ below[k.parent]
        S[:, k.v] += k.joint.subspace(tree.K, q[k.q]).astype(float)
        below[k.index] = S
        M += S.T @ _spatial(np.array([k.inertia.parameters()], dtype=float))[0] @ S
        M[k.v, k.v] += np.diag(k.armature.astype(float))
    return M


def _pull(X: Any) -> np.ndarray:
    """Twists of the parent seen from the child."""
    R, p = X.R.astype(float), X.p.astype(float)
    P = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ P, R.T]])


def _is_outboard(system: System, body: str, index: int) -> bool:
    i = system.places[body].link
    while i > index:
        i = system.links[i - 1].parent
    return i == index


def _spatial(ten: np.ndarray) -> np.ndarray:
    """6 x 6 inertias, shape (n, 6, 6), from their ten numbers, shape (n, 10)."""
    m, x, y, z, *six = ten.T
    o = 0 * m
    H = np.array([[o, -z, y], [z, o, -x], [-y, x, o]])
    J = np.array(six)[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
    M = np.multiply.outer(np.eye(3), m)
    return np.block(
        [[np.moveaxis(A, 2, 0) for A in row] for row in ((J, H), (H.transpose(1, 0, 2), M))]
    )


def _weakest(tree) -> Iterator[tuple]:
    """The same where links share coordinates: by the mass matrix as a whole."""
    M = _masses(tree, np.concatenate([_generic(k) for k in tree.owners]))
    scale = np.sqrt(np.where(M.diagonal() > 0, M.diagonal(), 1.0))
    sizes, ways = np.linalg.eigh(M / np.outer(scale, scale))
    for size, way in zip(sizes, ways.T, strict=True):
        if size <= 1e-12 * sizes[-1]:
            moved = {k.index: abs(way[k.v]).max(initial=0.0) for k in tree.owners}
            k = next(k for k in tree.owners if moved[k.index] == max(moved.values()))
            yield k, way[k.v]


def motion_without_inertia(tree) -> Iterator[tuple]:
    """Links whose motion nothing outboard resists, by articulated inertias at a generic pose."""
    if not tree.links:
        return
    if tree.shared:
        yield from _weakest(tree)
        return
    own = _spatial(np.array([k.inertia.parameters() for k in tree.links], dtype=float))
    weakest, scales = np.linalg.eigvalsh(own)[:, 0], np.trace(own, axis1=1, axis2=2)
    if (weakest > 1e-6 * scales).all():  # every link resists every motion by itself
        return
    K, inertias, done = tree.K, dict(enumerate(own, start=1)), []
    inertias[0] = np.zeros((6, 6))
    for k in reversed(tree.links):
        q = _generic(k)
        S = k.joint.subspace(K, q).astype(float)
        I, armature = inertias[k.index], k.armature.astype(float)
        U = I @ S
        D = S.T @ U + np.diag(armature)
        scale = np.trace(I) + armature.sum()
        resistance, directions = (D[0], D) if len(D) == 1 else np.linalg.eigh(D)
        if len(D) and abs(resistance[0]) <= 1e-12 * abs(scale):
            done.append((k, directions[:, 0]))
            continue
        if not k.parent:
            continue
        push = _pull(k.X_PF @ k.joint.pose(K, q)).T  # wrenches, link to parent
        left = I - (U @ U.T / D if len(D) == 1 else U @ np.linalg.solve(D, U.T))
        inertias[k.parent] += push @ left @ push.T
    yield from reversed(done)
