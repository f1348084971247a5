"""Constraint rows: residual, Jacobian and right-hand side, derived from one residual.

Positions: `phi(q, t) = 0`, so `J v = -phi_t` and `J a = gamma`.  Speeds: `psi(q, v, t) = 0`, linear
in v, so only the last two.  Derivatives are those of the scalar.  Equations CO.1 to CO.10.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...constraints import ConstraintElement
from ...errors import ModelError
from ...scalars import Node, matrix, vector
from ...spatial import Twist, skew

if TYPE_CHECKING:
    from ...spatial import Pose
    from ...system import System, Tree

MAX_CONSTANT_RESIDUAL = 1e-12  # [m, rad] of a row that depends on no coordinate


class Rows(NamedTuple):
    """Constraint rows of a system at a state; of bilateral rows, positions come first."""

    phi: np.ndarray  # (np,) residuals of positions
    psi: np.ndarray  # (nc,) residuals of speeds: J v + phi_t, or the given expression
    J: np.ndarray  # (nc, nv): psi is linear in v with this matrix
    gamma: np.ndarray  # (nc,): J a = gamma
    names: tuple[str, ...]  # "loop.about_x"
    owners: tuple[int, ...]  # index of the element of each row
    places: tuple[int, ...]  # (np,) rows of positions
    walked: bool = False  # whether J was left out for native tree traversal

    def __len__(self):
        return len(self.gamma)


def constraint_rows(
    tree: Tree,
    system: System,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    *,
    switched=False,
    walked=False,
) -> Rows:
    """Rows of every loop and constraint of a system, over a scalar that can derive.

    `switched` adds the rows of contacts and dry frictions at the end.  `t` is a symbol or a number,
    `q` and `v` are symbols.  Residuals that are exactly zero (the third dimension of a planar loop)
    give no row.  `walked` leaves out J, for native tree traversal.
    """
    tree.K.need("derive", "constraint rows")
    elements = (*system.held, *(system.switched if switched else ()))
    if tree.K.loops:
        known: list[tuple] = derive_along_motion(tree, elements, t, q, v)
    else:
        known = [()] * len(elements)
    parts = [
        element_rows(tree, e, i, t, q, v, *x, bare=walked)
        for i, (e, x) in enumerate(zip(elements, known, strict=True))
    ]
    joined: list[list[Any]] = [[x for part in parts for x in part[k]] for k in range(6)]
    phi, psi, J, gamma, names, owners = joined
    position_rows = tuple(j for j, i in enumerate(owners) if not elements[i].speeds)
    return Rows(
        vector(phi),
        vector(psi),
        matrix(J) if J else np.empty((0, tree.nv), dtype=object),
        vector(gamma),
        tuple(names),
        tuple(owners),
        position_rows,
        walked,
    )


def derive_along_motion(tree: Tree, elements, t: Any, q: np.ndarray, v: np.ndarray) -> list[tuple]:
    """Residuals of many elements, each with a function that gives its time derivative.

    All are derived together in forward mode: poses that several of them share are derived once.
    """
    K: Any = tree.K
    derivatives: dict[int, Any] = {}
    residuals = [e.rate(tree, t, q, v) if e.speeds else e.residual(tree, t, q) for e in elements]
    qdot = np.concatenate([k.joint.rates(K, q[k.q], v[k.v]) for k in tree.owners])
    order = np.concatenate([q[k.q] for k in tree.owners])
    if isinstance(t, Node):
        order, qdot = vector([*order, t]), vector([*qdot, 1])

    def derive(x: list) -> list:
        rates = K.along(vector(x), order, qdot)
        derivatives.update({id(a): b for a, b in zip(x, rates, strict=True)})
        return [e for e in rates if isinstance(e, Node)]

    nodes = [[x for x in residual if isinstance(x, Node)] for residual in residuals]
    of_speeds = [x for e, part in zip(elements, nodes, strict=True) if e.speeds for x in part]
    of_positions = [
        x for e, part in zip(elements, nodes, strict=True) if not e.speeds for x in part
    ]
    derive([*of_speeds, *derive(of_positions)])
    return [(residual, lambda x: derivatives[id(x)]) for residual in residuals]


class _Coordinates:
    """Coordinates and speeds of the links that an element depends on, and derivatives by them."""

    def __init__(
        self, tree: Tree, element: ConstraintElement, t: Any, q: np.ndarray, v: np.ndarray
    ):
        self.K, self.nv, self.t, self.v = tree.K, tree.nv, t, v
        links = [tree.links[i - 1] for i in element.links]
        # one link of each block of coordinates
        self.links = [*{k.reads or k.index: k for k in links}.values()]
        self.slots = [i for k in self.links for i in range(k.q.start, k.q.stop)]
        self.q = q[self.slots]
        rates = (k.joint.rates(self.K, q[k.q], v[k.v]) for k in self.links)
        self.qdot = np.concatenate([vector(()), *rates])
        self.units = {
            k.index: [
                k.joint.rates(self.K, q[k.q], e)
                for e in np.eye(k.joint.nv, dtype=int).astype(object)
            ]
            for k in self.links
            if not (k.joint.holonomic or element.speeds)
        }

    def time_rate(self, x):
        """Time derivative of a function of positions and time, at constant speeds."""
        rate = self.K.derive(x, self.q) @ self.qdot if len(self.q) else 0
        return rate + (self.K.derive(x, self.t) if isinstance(self.t, Node) else 0)

    def position_row(self, x) -> np.ndarray:
        """(nv,): derivative of a function of positions along each speed, CO.3."""
        g, J = self.K.derive(x, self.q), vector([0] * self.nv)
        for k in self.links:
            part = g[[self.slots.index(i) for i in range(k.q.start, k.q.stop)]]
            if k.joint.holonomic:
                J[k.v] = part
            else:
                J[k.v] = vector(part @ N for N in self.units[k.index])  # CO.3
        return J

    def speed_row(self, x) -> np.ndarray:
        """(nv,): derivative of a linear function of the speeds."""
        J = vector([0] * self.nv)
        for k in self.links:
            J[k.v] = self.K.derive(x, self.v[k.v])
        return J


def element_rows(
    tree: Tree,
    element: ConstraintElement,
    index: int,
    t: Any,
    q: np.ndarray,
    v: np.ndarray,
    residual=None,
    time_rate: Callable | None = None,
    *,
    bare: bool = False,
) -> tuple[list, list, list, list, list[str], list[int]]:
    """Rows of one element: phi, psi, J, gamma, names, owners.

    The residual and a function that gives time derivatives may be known.  `bare` leaves out J.
    """
    coordinates = _Coordinates(tree, element, t, q, v)
    time_rate = time_rate or coordinates.time_rate
    phi, psi, J, gamma, names = [], [], [], [], []
    if residual is None:
        residual = element.rate(tree, t, q, v) if element.speeds else element.residual(tree, t, q)
    for label, x in zip(element.labels, residual, strict=True):
        if not isinstance(x, Node):
            _check_constant_residual(element, label, x)
            continue
        rate = x if element.speeds else time_rate(x)  # CO.2
        if not isinstance(rate, Node):
            continue
        phi += [] if element.speeds else [x]
        psi.append(rate)
        if not bare:
            row = coordinates.speed_row if element.speeds else coordinates.position_row
            J.append(row(x))
        gamma.append(-time_rate(rate))  # CO.4
        names.append(f"{element.name}.{label}")
    return phi, psi, J, gamma, names, [index] * len(names)


def _check_constant_residual(element: ConstraintElement, label: str, x) -> None:
    """Raise an error if a residual that depends on no coordinate is not zero, or is a contact's."""
    if element.contact:
        raise ModelError(
            [
                f"contact {element.name!r} is at the height {float(x):g} m "
                "whatever the coordinates: a joint holds it there; take the "
                "contact out, or use ts.DryFriction with normal='joint'"
            ]
        )
    if abs(x) > MAX_CONSTANT_RESIDUAL:
        raise ModelError(
            [
                f"constraint {element.name!r} cannot be met: its residual "
                f"{label!r} is {float(x):g} whatever the coordinates"
            ]
        )


def wrench_map(tree: Tree, element: Any, q: np.ndarray) -> np.ndarray:
    """`A`, (rows, 6): rates of the rows of an element for twists; see `relative_map`."""
    K: Any = tree.K
    element = element.bound(q)
    if element.speeds:
        V = K.symbols(f"V{i}" for i in range(6))
        psi = element.velocity(K, element.pose(tree, q), Twist.of(V))
        return matrix([K.derive(x, V) for x in psi])
    A = relative_map(K, element, element.pose(tree, q))
    if element.meets:
        A[:3] = element.from_base(tree, q)[0].R @ A[:3]  # CO.10
    return A


def relative_map(K: Any, element: Any, X_FM: Pose) -> np.ndarray:
    """`A`, (rows, 6): rates of the residual of an element for twists of M in F, components in M.

    The wrench of the parent F on the child M, at and in M, is `A^T lam`.  CO.5.
    """
    n = element.size
    pose = type(X_FM)
    R, p = K.symbols(f"R{i}" for i in range(9)).reshape(3, 3), K.symbols(f"p{i}" for i in range(3))
    residual = element.closure(K, pose(R, p))
    symbols = np.concatenate([R.ravel(), p])
    R_FM = X_FM.R
    actual = np.concatenate([R_FM.ravel(), X_FM.p])
    axes = [vector(int(j == m) for m in range(3)) for j in range(3)]
    rotations, translations = [R_FM @ skew(e) for e in axes], [R_FM @ e for e in axes]
    A = matrix([[0] * 6 for _ in range(n)])
    gradients = np.concatenate([vector(()), *(K.derive(x, symbols) for x in residual)])
    for i, g in enumerate(substitute(K, gradients, symbols, actual).reshape(n, 12)):
        gR, gp = g[:9].reshape(3, 3), g[9:]
        for j in range(3):
            A[i, j] = (gR * rotations[j]).sum()  # CO.5
            A[i, 3 + j] = gp @ translations[j]
    return A


def substitute(K: Any, x, names, actual) -> np.ndarray:
    """`x` with the symbols `names` replaced by `actual`; graphs only."""
    return K.substitute(x, names, actual)


# ---- names, for results that compute nothing -------------------------------------------------


def names(system: System) -> tuple[str, ...]:
    """Loops and constraints that join bodies, in the order of `reactions.carried`."""
    every = (*system.held, *system.switched)
    return tuple(dict.fromkeys(e.name for e in every if e.joins))


def acting(system: System) -> tuple[str, ...]:
    """Every loop and constraint; not the steps of tables, which belong to their forces."""
    every = (*system.held, *system.switched)
    return tuple(dict.fromkeys(e.name for e in every if not e.stores))
