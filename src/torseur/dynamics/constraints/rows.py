"""Constraint rows: residual, Jacobian and right-hand side, all from one residual.

Positions: `phi(q, t) = 0`, so `J v = -phi_t` and `J a = gamma`.  Speeds: `psi(q, v, t) = 0`, linear
in v, so only the last two.  Derivatives are the scalar's own.  Theory: CO.1 to CO.9.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...constraints import ConstraintElement
from ...errors import ModelError
from ...scalars import Node, matrix, vector
from ...spatial import Twist, skew


class Rows(NamedTuple):
    """Constraint rows of a system at a state; of those that always hold, positions come first."""

    phi: np.ndarray  # (np,) residuals of positions
    psi: np.ndarray  # (nc,) residuals of speeds: J v + phi_t, or the given expression
    J: np.ndarray  # (nc, nv): psi is linear in v with this matrix
    gamma: np.ndarray  # (nc,): J a = gamma
    names: tuple[str, ...]  # "loop.about_x"
    owners: tuple[int, ...]  # index of the element each row comes from
    places: tuple[int, ...]  # (np,) which rows are of positions
    walked: bool = False  # whether J was left out: see `row_walks`

    def __len__(self):
        return len(self.gamma)


def constraint_rows(tree, system, t, q, v, *, switched=False, walked=False) -> Rows:
    """Rows of every loop and constraint of a system, over a scalar that can derive.

    `switched` adds those that may be off, of contacts and dry frictions, at the end.  `t` is a
    symbol or a number, `q` and `v` are symbols.  Residuals that are exactly zero (the third
    dimension of a planar loop) give none.  Where they are to be `walked`, J is left out.
    """
    tree.K.need("derive", "constraint rows")
    every = (*system.held, *(system.switched if switched else ()))
    known = along_motion(tree, every, t, q, v) if tree.K.loops else [()] * len(every)
    given = enumerate(zip(every, known, strict=True))
    bare = {"bare": walked}
    parts = [element_rows(tree, e, i, t, q, v, *x, **bare) for i, (e, x) in given]
    joined: list[list[Any]] = [[x for part in parts for x in part[k]] for k in range(6)]
    phi, psi, J, gamma, names, owners = joined
    places = tuple(j for j, i in enumerate(owners) if not every[i].speeds)
    return Rows(
        vector(phi),
        vector(psi),
        matrix(J) if J else np.empty((0, tree.nv), dtype=object),
        vector(gamma),
        tuple(names),
        tuple(owners),
        places,
        walked,
    )


def along_motion(tree, elements, t, q, v) -> list[tuple]:
    """Residuals of many elements, and what takes each to its derivative along the motion.

    All are derived together, forward: poses that many of them share are derived once.
    """
    K, found = tree.K, {}
    residuals = [e.rate(tree, t, q, v) if e.speeds else e.residual(tree, t, q) for e in elements]
    qdot = np.concatenate([k.joint.rates(K, q[k.q], v[k.v]) for k in tree.owners])
    order = np.concatenate([q[k.q] for k in tree.owners])
    if isinstance(t, Node):
        order, qdot = vector([*order, t]), vector([*qdot, 1])

    def derived(x: list) -> list:
        made = K.along(vector(x), order, qdot)
        found.update({id(a): b for a, b in zip(x, made, strict=True)})
        return [e for e in made if isinstance(e, Node)]

    nodes = [[x for x in own if isinstance(x, Node)] for own in residuals]
    of_rates = [x for e, own in zip(elements, nodes, strict=True) if e.speeds for x in own]
    of_places = [x for e, own in zip(elements, nodes, strict=True) if not e.speeds for x in own]
    derived([*of_rates, *derived(of_places)])
    return [(own, lambda x: found[id(x)]) for own in residuals]


def element_rows(
    tree, element: ConstraintElement, index: int, t, q, v, residual=None, time_rate=None, bare=False
):
    """Rows of one element; residual and its derivative along the motion may be known.

    `bare` ones are without J.
    """
    K = tree.K
    read = [tree.links[i - 1] for i in element.links]
    links = [*{k.reads or k.index: k for k in read}.values()]  # one a block of coordinates
    slots = [i for k in links for i in range(k.q.start, k.q.stop)]
    own = q[slots]
    qdot = np.concatenate([vector(()), *(k.joint.rates(K, q[k.q], v[k.v]) for k in links)])

    def own_rate(x):
        """Derivative along the motion, speeds held."""
        slope = K.derive(x, own) @ qdot if len(own) else 0
        return slope + (K.derive(x, t) if isinstance(t, Node) else 0)

    time_rate = time_rate or own_rate
    units = {
        k.index: [k.joint.rates(K, q[k.q], e) for e in np.eye(k.joint.nv, dtype=int).astype(object)]
        for k in links
        if not (k.joint.holonomic or element.speeds)
    }

    def row_of(x):
        """Derivative along each speed: the gradient through N(q)."""
        g, J = K.derive(x, own), vector([0] * tree.nv)
        for k in links:
            part = g[[slots.index(i) for i in range(k.q.start, k.q.stop)]]
            if k.joint.holonomic:
                J[k.v] = part
            else:
                J[k.v] = vector(part @ N for N in units[k.index])  # CO.3
        return J

    def speed_row(x):
        J = vector([0] * tree.nv)
        for k in links:
            J[k.v] = K.derive(x, v[k.v])
        return J

    phi, psi, J, gamma, names = [], [], [], [], []
    if residual is None:
        residual = element.rate(tree, t, q, v) if element.speeds else element.residual(tree, t, q)
    for label, x in zip(element.labels, residual, strict=True):
        if not isinstance(x, Node):
            if element.contact:
                raise ModelError(
                    [
                        f"contact {element.name!r} is at the height {float(x):g} m "
                        "whatever the coordinates: a joint holds it there; take the "
                        "contact out, or use ts.DryFriction with normal='joint'"
                    ]
                )
            if abs(x) > 1e-12:
                raise ModelError(
                    [
                        f"constraint {element.name!r} cannot be met: its residual "
                        f"{label!r} is {float(x):g} whatever the coordinates"
                    ]
                )
            continue
        rate = x if element.speeds else time_rate(x)  # CO.2
        if not isinstance(rate, Node):
            continue
        phi += [] if element.speeds else [x]
        psi.append(rate)
        if not bare:
            J.append(speed_row(x) if element.speeds else row_of(x))
        gamma.append(-time_rate(rate))  # CO.4
        names.append(f"{element.name}.{label}")
    return phi, psi, J, gamma, names, [index] * len(names)


def wrench_map(tree, element, q) -> np.ndarray:
    """`A`, (rows, 6), of an element as its rows are written; see `relative_map`."""
    element = element.bound(q)
    if element.speeds:
        V = tree.K.symbols(f"V{i}" for i in range(6))
        psi = element.velocity(tree.K, element.pose(tree, q), Twist.of(V))
        return matrix([tree.K.derive(x, V) for x in psi])
    A = relative_map(tree.K, element, element.pose(tree, q))
    if element.meets:
        A[:3] = element.from_base(tree, q)[0].R @ A[:3]  # CO.10
    return A


def relative_map(K, element, X_FM) -> np.ndarray:
    """`A`, (rows, 6): residual rates of a relative element for twists of M in F, components in M.

    The wrench of the parent F on the child M, at and in M, is then `A^T lam`.
    """
    n = element.size
    pose = type(X_FM)
    R, p = K.symbols(f"R{i}" for i in range(9)).reshape(3, 3), K.symbols(f"p{i}" for i in range(3))
    residual = element.closure(K, pose(R, p))
    given = np.concatenate([R.ravel(), p])
    R_FM = X_FM.R
    actual = np.concatenate([R_FM.ravel(), X_FM.p])
    axes = [vector(int(j == m) for m in range(3)) for j in range(3)]
    turns, slides = [R_FM @ skew(e) for e in axes], [R_FM @ e for e in axes]
    A = matrix([[0] * 6 for _ in range(n)])
    slopes = np.concatenate([vector(()), *(K.derive(x, given) for x in residual)])
    for i, g in enumerate(substitute(K, slopes, given, actual).reshape(n, 12)):
        gR, gp = g[:9].reshape(3, 3), g[9:]
        for j in range(3):
            A[i, j] = (gR * turns[j]).sum()  # CO.5
            A[i, 3 + j] = gp @ slides[j]
    return A


def substitute(K, x, names, actual) -> np.ndarray:
    """`x` with the symbols `names` replaced by `actual`; graphs only."""
    return K.substitute(x, names, actual)


# --------------------------------------------------------------------------------------------
# Loops and constraints by name: what results ask for without computing anything.


def names(system) -> tuple[str, ...]:
    """Loops and constraints that join bodies, in the order of `carried`."""
    found = dict.fromkeys(e.name for e in (*system.held, *system.switched) if e.joins)
    return tuple(found)


def acting(system) -> tuple[str, ...]:
    """Every loop and constraint; not the steps of tables, which belong to their forces."""
    found = dict.fromkeys(e.name for e in (*system.held, *system.switched) if not e.stores)
    return tuple(found)
