"""Check that inertia resists the motion of every joint.  CK.7.

The inertia is outboard of the joint, or coupled to it by constraints. Evaluated at a generic pose.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..errors import ModelError, TorseurError
from ..scalars import Number
from .system import System

DIFFERENCE_STEP = 1e-6  # of finite differences for the constraint Jacobian
MIN_EIGENVALUE_RATIO = 1e-9  # smallest over largest eigenvalue of a regular matrix


def check_resistance(system: System, K: Any) -> None:
    """Raise ModelError for joints whose motion no inertia resists."""
    problems = []
    try:
        tree = system.over(K)
        free_motions = [
            (k, direction) for k, direction in find_motion_without_inertia(tree) if not k.auxiliary
        ]
    except (ValueError, ArithmeticError):  # symbols without a number, drawn out of range
        return
    if not free_motions or constraints_add_inertia(
        system, tree, [k.index for k, _ in free_motions]
    ):
        return
    remark = " and no constraint couples it to inertia" if system.held else ""
    for link, direction in free_motions:
        outboard = [n for n in system.bodies if _is_outboard(system, n, link.index)]
        which = ""
        if link.joint.nv > 1:
            which = f" along {link.joint.speeds[int(np.argmax(abs(direction)))][0]!r}"
        reason = "has any mass along its axis" if link.joint.nv == 1 else "resists that motion"
        problems.append(
            f"joint {link.name!r} cannot move{which}: nothing outboard of it "
            f"({', '.join(map(repr, outboard))}) {reason}{remark}; give a body mass or inertia, "
            "or the joint an armature"
        )
    raise ModelError(problems)


def constraints_add_inertia(system: System, tree: Any, idle: list[int]) -> bool:
    """Whether bilateral constraints couple every massless branch to bodies with mass.

    Then `M + J' w J` is regular with the rows of these branches alone. Branches whose inertia is
    zero only by the value of a parameter do not count.
    """
    massless = [k for k in system.links if _is_massless(system, k.index)]
    if not system.held or not {*idle} <= {k.index for k in massless}:
        return False
    speeds = [j for k in massless for j in range(k.v.start, k.v.stop)]
    q = np.concatenate([np.zeros(0), *map(_generic_coordinates, tree.owners)])
    try:
        J, M = _constraint_jacobian(system, tree, q), _mass_matrix(tree, q)
    except (ValueError, ArithmeticError, TorseurError):  # no such pose: nothing is known
        return False
    J = J[(abs(J[:, speeds]) > 1e-7).any(axis=1)]
    size = np.linalg.norm(J, axis=1, keepdims=True)
    mass_scale = np.trace(M) or 1.0
    # CK.7
    A = M / mass_scale + (J / np.where(size > 0, size, 1)).T @ (J / np.where(size > 0, size, 1))
    eigenvalues = np.linalg.eigvalsh(A)
    return bool(eigenvalues[0] > MIN_EIGENVALUE_RATIO * eigenvalues[-1])


def _is_massless(system: System, index: int) -> bool:
    """Whether a link and everything outboard of it have exactly zero inertia."""
    link = system.links[index - 1]
    numbers = (*link.inertia.parameters(), *link.armature)
    return all(isinstance(x, Number) and x == 0 for x in numbers) and all(
        _is_massless(system, k.index) for k in system.links if k.parent == index
    )


GOLDEN_RATIO = (1 + 5**0.5) / 2


def _generic_coordinates(link: Any) -> np.ndarray:
    """Generic coordinates of a link between 0.3 and 1.2, from a golden-ratio sequence.

    NumPy's random numbers would take 5 ms to load.
    """
    q = 0.3 + 0.9 * np.modf(GOLDEN_RATIO * np.arange(link.q.start + 1, link.q.stop + 1))[0]
    if (i := link.joint.quaternion) is not None:
        q[i : i + 4] /= np.linalg.norm(q[i : i + 4])
    return q


def _constraint_jacobian(system: System, tree: Any, q: np.ndarray) -> np.ndarray:
    """Jacobian of the bilateral constraints, by central differences."""

    def displaced(j: int, by: float) -> np.ndarray:
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
        ends = (e.residual(tree, 0.0, displaced(j, s * DIFFERENCE_STEP)) for s in (1, -1))
        return (next(ends) - next(ends)) / (2 * DIFFERENCE_STEP)

    parts = [np.stack([column(e, j) for j in range(tree.nv)], axis=1) for e in system.held]
    return np.concatenate(parts).astype(float)


def _mass_matrix(tree: Any, q: np.ndarray) -> np.ndarray:
    """Mass matrix from the motion of every body."""
    M, below = np.zeros((tree.nv, tree.nv)), {0: np.zeros((6, tree.nv))}
    for k in tree.links:
        X = k.X_PF @ k.joint.pose(tree.K, q[k.q])
        S = _twist_transform(X) @ below[k.parent]
        S[:, k.v] += k.joint.subspace(tree.K, q[k.q]).astype(float)
        below[k.index] = S
        M += S.T @ _spatial_inertias(np.array([k.inertia.parameters()], dtype=float))[0] @ S
        M[k.v, k.v] += np.diag(k.armature.astype(float))
    return M


def _twist_transform(X: Any) -> np.ndarray:
    """Twists of the parent seen from the child."""
    R, p = X.R.astype(float), X.p.astype(float)
    P = np.array([[0, -p[2], p[1]], [p[2], 0, -p[0]], [-p[1], p[0], 0]])
    return np.block([[R.T, np.zeros((3, 3))], [-R.T @ P, R.T]])


def _is_outboard(system: System, body: str, index: int) -> bool:
    i = system.places[body].link
    while i > index:
        i = system.links[i - 1].parent
    return i == index


def _spatial_inertias(ten: np.ndarray) -> np.ndarray:
    """6 x 6 inertias, shape (n, 6, 6), from their ten numbers, shape (n, 10)."""
    m, x, y, z, *six = ten.T
    o = 0 * m
    H = np.array([[o, -z, y], [z, o, -x], [-y, x, o]])
    J = np.array(six)[[[0, 3, 4], [3, 1, 5], [4, 5, 2]]]
    M = np.multiply.outer(np.eye(3), m)
    return np.block(
        [[np.moveaxis(A, 2, 0) for A in row] for row in ((J, H), (H.transpose(1, 0, 2), M))]
    )


def _singular_directions(tree) -> Iterator[tuple]:
    """Links and directions without inertia where links share coordinates: eigenvectors of M."""
    M = _mass_matrix(tree, np.concatenate([_generic_coordinates(k) for k in tree.owners]))
    scale = np.sqrt(np.where(M.diagonal() > 0, M.diagonal(), 1.0))
    sizes, ways = np.linalg.eigh(M / np.outer(scale, scale))
    for size, way in zip(sizes, ways.T, strict=True):
        if size <= 1e-12 * sizes[-1]:
            moved = {k.index: abs(way[k.v]).max(initial=0.0) for k in tree.owners}
            k = next(k for k in tree.owners if moved[k.index] == max(moved.values()))
            yield k, way[k.v]


def find_motion_without_inertia(tree) -> Iterator[tuple]:
    """Links and directions without inertia, by articulated-body inertias at a generic pose."""
    if not tree.links:
        return
    if tree.shared:
        yield from _singular_directions(tree)
        return
    own = _spatial_inertias(np.array([k.inertia.parameters() for k in tree.links], dtype=float))
    weakest, scales = np.linalg.eigvalsh(own)[:, 0], np.trace(own, axis1=1, axis2=2)
    if (weakest > 1e-6 * scales).all():  # every link resists every motion by itself
        return
    K, inertias, done = tree.K, dict(enumerate(own, start=1)), []
    inertias[0] = np.zeros((6, 6))
    for k in reversed(tree.links):
        q = _generic_coordinates(k)
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
        push = _twist_transform(k.X_PF @ k.joint.pose(K, q)).T  # wrenches, link to parent
        left = I - (U @ U.T / D if len(D) == 1 else U @ np.linalg.solve(D, U.T))
        inertias[k.parent] += push @ left @ push.T
    yield from reversed(done)
