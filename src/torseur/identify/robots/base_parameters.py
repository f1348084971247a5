"""Base parameters (Gautier 1991): identifiable combinations of the inertial parameters.

Numerically by QR decomposition of the regressor at random states (`base`), or exactly in the
polynomial ring of the geometry (`exact_base`).  Essential parameters are those base parameters that
the measurements need (Pham and Gautier 1991).  Equations ID.4, ID.10, EQ.8.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ...model import Model
from ...system import System
from ...views import PrintedAnswer
from .model_update import without_friction
from .regressor import INERTIAL_NAMES, LinearModel, check_friction_names, linear

REGROUPING_ORDER = ("Ixx", "Ixy", "Ixz", "Iyz", "Izz", "mx", "my", "Iyy", "mz", "m")
"""Inertial parameters of a link from the most to the least likely base parameter (Khalil)."""
MIN_COLUMN_SIZE = 1e-9  # of the largest column: a smaller one is zero
MIN_PIVOT = 1e-8  # of a column of unit mean square
MAX_RESIDUAL_GROWTH = 1.01  # of a joint's residual, when an essential parameter is removed


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Base(PrintedAnswer):
    """Base parameters `beta = B p` of the parameters p.

    `independent` are the indices in p of the columns that stay, `names` their names, and
    `unidentifiable` the parameters without effect on any effort.
    """

    all: tuple[str, ...]
    independent: tuple[int, ...]
    B: np.ndarray  # (number of base parameters, number of parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.all[k] for k in self.independent)

    @property
    def unidentifiable(self) -> tuple[str, ...]:
        """Parameters that no effort depends on."""
        return tuple(n for n, b in zip(self.all, self.B.T, strict=True) if not b.any())

    def __len__(self):
        return len(self.independent)

    def __str__(self):
        head = f"{len(self)} base parameters of {len(self.all)}"
        return "\n".join([head, *(f"  {x}" for x in self.combinations.values())])

    @property
    def combinations(self) -> dict[str, str]:
        """{base parameter: combination of parameters}, coefficients to six digits."""
        combinations = {}
        for k, row in zip(self.independent, self.B, strict=True):
            text = self.all[k]
            for c in np.flatnonzero(row):
                if c != k:
                    x, sign = abs(row[c]), "-" if row[c] < 0 else "+"
                    text += f" {sign} {'' if x == 1 else f'{x:.6g} '}{self.all[c]}"
            combinations[self.all[k]] = text
        return combinations

    def values(self, p: Sequence[float] | np.ndarray) -> np.ndarray:
        """Base parameters of parameters p."""
        return self.B @ np.asarray(p, float)


def random_states(
    system: System, n: int, seed: int = 0
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Random `q, v, a` of a system, n rows each."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (n, system.nq))
    for k in system.links:
        for i, (_, unit) in enumerate(k.joint.coordinates):
            if unit.startswith("rad"):
                q[:, k.q.start + i] *= np.pi
        if k.joint.quaternion is not None:
            first = k.q.start + k.joint.quaternion
            part = slice(first, first + 4)
            q[:, part] = rng.normal(size=(n, 4))
            q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    v, a = rng.uniform(-2, 2, (2, n, system.nv))
    return q, v, a


def base(
    model: Model | System | LinearModel,
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool | None = None,
    stiffness: bool = False,
    free: Sequence[str] = (),
) -> Base:
    """Base parameters of a robot, by the rank of its regressor at random states.

    `stiffness` includes those of elastic drives and other shafts between coordinates.  `free`
    selects bodies; the masses of the others are known.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> base(arm, friction="viscous").combinations["rod.Iyy"]
    'rod.Iyy + pivot.rotor'
    """
    if isinstance(model, LinearModel):
        return find_base_parameters(model)
    return find_base_parameters(linear(model, friction, rotors, stiffness, free))


def find_base_parameters(lin: LinearModel) -> Base:
    """Base parameters of a linear model: QR decomposition without pivoting, columns in order."""
    nv, k = lin.system.nv, len(lin.columns)
    n = max(20, 3 * k // nv + 5)
    q, v, a = random_states(lin.system, n)
    load = np.random.default_rng(1).uniform(1, 2, v.shape) if lin.load_dependent else None
    Y = lin.regressor(q, v, a, load).reshape(-1, k)
    size = np.sqrt((Y**2).mean(axis=0))
    links = range(len(lin.links))
    order = [10 * i + INERTIAL_NAMES.index(name) for i in links for name in REGROUPING_ORDER]
    order += range(10 * len(links), k)
    order = [c for c in order if size[c] > MIN_COLUMN_SIZE * size.max()]
    R = np.linalg.qr(Y[:, order] / size[order], mode="r")
    is_independent = abs(np.diag(R)) > MIN_PIVOT * np.sqrt(len(Y))
    independent = [c for c, x in zip(order, is_independent, strict=True) if x]
    dependent = [c for c in order if c not in {*independent}]
    B = np.zeros((len(independent), k))
    B[np.arange(len(independent)), independent] = 1
    if dependent:
        W = np.linalg.lstsq(Y[:, independent] / size[independent], Y[:, dependent], rcond=None)[0]
        W /= size[independent][:, None]  # ID.4
        W[abs(W) < 1e-9 * max(1.0, abs(W).max())] = 0
        rounded = np.round(W, 9)
        B[:, dependent] = np.where(abs(W - rounded) < 1e-10, rounded, W)
    return Base(lin.names, tuple(independent), B)


def find_load_ambiguities(lin: LinearModel, base: Base) -> list[str]:
    """Rotors and offsets that cannot be separated from the links, so that the load is unknown."""
    independent = list(base.independent)
    dependent = [c for c in range(len(lin.columns)) if c not in {*independent}]
    nullspace = np.zeros((len(lin.columns), len(dependent)))  # B nullspace = 0
    nullspace[dependent, range(len(dependent))] = 1
    nullspace[independent] = -base.B[:, dependent]
    regressor = lin.inertial_regressor(*random_states(lin.system, 10))
    load = regressor @ nullspace[: 10 * len(lin.links)]
    is_mixed = abs(load).max(axis=(0, 1)) > 1e-6
    return [lin.names[c] for c, mixed in zip(dependent, is_mixed, strict=True) if mixed]


def exact_base(
    model: Model | System,
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool = True,
    stiffness: bool = False,
) -> dict[str, str]:
    """{base parameter: exact combination of parameters}, with lengths as the model names them.

    Angles are exact numbers: 1.5708 is no right angle here, and separates parameters that `base`
    combines by rank.

    >>> import torseur as ts
    >>> link = lambda i: ts.Body(f"link{i}", f"m{i}", inertia=(1, 1, 1, 0, 0, 0))
    >>> arm = ts.from_dh([(0, 0, 0, 0), (0, "L", 0, 0)], [link(1), link(2)], convention="modified")
    >>> exact_base(arm, friction=())["link1.Izz"]
    'link1.Izz + L^2 link2.m + joint1.rotor'
    """
    from ...symbolic import base_parameters

    lin = symbolic_linear_model(model, friction, rotors, stiffness)
    rotor_links = {k.v.start: k for k in lin.system.links if k.auxiliary}
    others = [
        (n, kind, tuple(j for _, j, _ in lin.shafts[i].element.where.weights))
        if kind == "shaft"
        else (n, kind, i)
        for n, _, kind, i in lin.columns
        if kind != "inertia" and not (kind == "rotor" and i in rotor_links)
    ]
    combinations = base_parameters(lin.system, others)
    for k in rotor_links.values():  # the inertia of a link is that of the rotor
        old, new = f"{k.body}.Izz", f"{k.name}.rotor"
        combinations = {n.replace(old, new): x.replace(old, new) for n, x in combinations.items()}
    return combinations


def symbolic_linear_model(
    model: Model | System, friction: Sequence[str], rotors: bool, stiffness: bool = False
) -> LinearModel:
    """Linear model whose lengths may be symbols."""
    names = check_friction_names(friction)
    return LinearModel(without_friction(model, names), names, bool(rotors), stiffness=stiffness)


def select_essential_parameters(
    R: np.ndarray, b: np.ndarray, joint_rows: Sequence[int], names: Sequence[str]
) -> dict[str, float]:
    """{name: value} of the base parameters that are left after backward elimination; ID.10.

    The least certain parameter is set to zero as long as no joint's residual grows by more than 1
    %. `R` and `b` are the triangular factors of all joints below each other, `joint_rows` the first
    row of every joint but the first.
    """
    triangle: Any = np.linalg.qr(np.column_stack([R, b]), mode="r")

    def joint_residuals(beta: np.ndarray, columns: list[int]) -> np.ndarray:
        r = b - R[:, columns] @ beta
        return np.array([np.linalg.norm(x) for x in np.split(r, joint_rows)])

    def solve(columns: list[int]) -> np.ndarray:
        A = triangle[:, columns]
        scale = np.sqrt((A**2).sum(axis=0)) + 1e-300
        return np.linalg.lstsq(A / scale, triangle[:, -1], rcond=1e-13)[0] / scale

    columns = list(range(R.shape[1]))
    beta = solve(columns)
    limit = MAX_RESIDUAL_GROWTH * joint_residuals(beta, columns) + 1e-9 * np.linalg.norm(b)
    needed: set[int] = set()
    while len(needed) < len(columns):
        A = triangle[:, columns]
        scale = np.sqrt((A**2).sum(axis=0)) + 1e-300
        inverse = np.linalg.pinv((A / scale).T @ (A / scale), hermitian=True)
        certainty = abs(beta) * scale / np.sqrt(np.maximum(np.diag(inverse), 1e-300))
        candidate = next(i for i in np.argsort(certainty) if columns[i] not in needed)
        rest = [c for j, c in enumerate(columns) if j != candidate]
        reduced = solve(rest)
        if rest and np.all(joint_residuals(reduced, rest) <= limit):
            columns, beta = rest, reduced
        else:
            needed.add(columns[candidate])
    return {names[c]: float(x) for c, x in zip(columns, beta, strict=True)}
