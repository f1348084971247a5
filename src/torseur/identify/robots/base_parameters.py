"""Parameters that can be told apart, and the combinations in which the others act.

By rank of samples (`base`, any robot, friction and rotors included) or exactly in the ring
(`exact_base`).  Theory: ID.4; EQ.8 for the exact way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...model import Model
from ...system import System
from ...views import PrintedAnswer
from .model_update import without_friction
from .regressor import TEN, LinearModel, friction_names, linear

KEPT = ("Ixx", "Ixy", "Ixz", "Iyz", "Izz", "mx", "my", "Iyy", "mz", "m")  # regrouped: the last
SMALL = 1e-9


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Base(PrintedAnswer):
    """Base parameters `beta = B p`.

    `names` are the kept parameters, `kept` their places in p, `without` those of no effect at all.
    """

    all: tuple[str, ...]
    kept: tuple[int, ...]
    B: np.ndarray  # (number of base parameters, number of parameters)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.all[k] for k in self.kept)

    @property
    def without(self) -> tuple[str, ...]:
        """Parameters that no effort depends on."""
        return tuple(n for n, b in zip(self.all, self.B.T, strict=True) if not b.any())

    def __len__(self):
        return len(self.kept)

    def __str__(self):
        head = f"{len(self)} base parameters of {len(self.all)}"
        return "\n".join([head, *(f"  {x}" for x in self.combinations.values())])

    @property
    def combinations(self) -> dict[str, str]:
        """{kept parameter: the combination that acts}, numbers to six digits."""
        out = {}
        for k, row in zip(self.kept, self.B, strict=True):
            words = self.all[k]
            for c in np.flatnonzero(row):
                if c != k:
                    x, sign = abs(row[c]), "-" if row[c] < 0 else "+"
                    words += f" {sign} {'' if x == 1 else f'{x:.6g} '}{self.all[c]}"
            out[self.all[k]] = words
        return out

    def values(self, p) -> np.ndarray:
        """Base parameters of given parameters."""
        return self.B @ np.asarray(p, float)


def states(system, n: int, seed: int = 0):
    """Generic `q, v, a` of a system, n rows each."""
    rng = np.random.default_rng(seed)
    q = rng.uniform(-1, 1, (n, system.nq))
    for k in system.links:
        for i, (_, unit) in enumerate(k.joint.coordinates):
            if unit.startswith("rad"):
                q[:, k.q.start + i] *= np.pi
        if (i := k.joint.quaternion) is not None:
            part = slice(k.q.start + i, k.q.start + i + 4)
            q[:, part] = rng.normal(size=(n, 4))
            q[:, part] /= np.linalg.norm(q[:, part], axis=1, keepdims=True)
    return q, *rng.uniform(-2, 2, (2, n, system.nv))


def base(
    model: Model | System,
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool | None = None,
    stiffness: bool = False,
    free: Sequence[str] = (),
) -> Base:
    """Base parameters of a robot, by rank of its regressor at generic states.

    With `stiffness` those of elastic drives and other shafts between coordinates too; with `free`
    those of these bodies alone, the others known.

    >>> import torseur as ts
    >>> rod = ts.Body("rod", mass=2.0, com=(0, 0, -0.5))
    >>> arm = ts.Model(bodies=(rod,), joints=(ts.Joint("pivot", "world", "rod", ts.Revolute("y")),))
    >>> base(arm, friction="viscous").combinations["rod.Iyy"]
    'rod.Iyy + pivot.rotor'
    """
    if isinstance(model, LinearModel):
        return base_of(model)
    return base_of(linear(model, friction, rotors, stiffness, free))


def base_of(lin: LinearModel) -> Base:
    """Base parameters of a linear model."""
    nv, k = lin.system.nv, len(lin.columns)
    n = max(20, 3 * k // nv + 5)
    q, v, a = states(lin.system, n)
    load = np.random.default_rng(1).uniform(1, 2, v.shape) if lin.loaded else None
    Y = lin.regressor(q, v, a, load).reshape(-1, k)
    sizes = np.sqrt((Y**2).mean(axis=0))
    seen = sizes > SMALL * sizes.max()
    order = [c for c in _order(lin) if seen[c]]
    unit = Y[:, order] / sizes[order]
    pivots = abs(np.diag(np.linalg.qr(unit, mode="r"))) > 1e-8 * np.sqrt(len(Y))
    kept = [c for c, is_kept in zip(order, pivots, strict=True) if is_kept]
    others = [c for c in order if c not in set(kept)]
    B = np.zeros((len(kept), k))
    B[np.arange(len(kept)), kept] = 1
    if others:
        W = np.linalg.lstsq(Y[:, kept] / sizes[kept], Y[:, others], rcond=None)[0]  # ID.4
        W /= sizes[kept][:, None]
        W[abs(W) < 1e-9 * max(1.0, abs(W).max())] = 0
        near = np.round(W, 9)
        B[:, others] = np.where(abs(W - near) < 1e-10, near, W)
    return Base(lin.names, tuple(kept), B)


def mixed_loads(lin: LinearModel, known: Base) -> list[str]:
    """Rotors and offsets that cannot be told from the links: what these carry is not known then."""
    others = [c for c in range(len(lin.columns)) if c not in {*known.kept}]
    hidden = np.zeros((len(lin.columns), len(others)))  # B hidden = 0
    hidden[others, range(len(others))], hidden[list(known.kept)] = 1, -known.B[:, others]
    carried = lin.inertial(*states(lin.system, 10)) @ hidden[: 10 * len(lin.links)]
    sizes = abs(carried).max(axis=(0, 1)) > 1e-6
    return [lin.names[c] for c, mixed in zip(others, sizes, strict=True) if mixed]


def _order(lin: LinearModel) -> list[int]:
    n = len(lin.links)
    first = [10 * i + TEN.index(name) for i in range(n) for name in KEPT]
    return first + list(range(10 * n, len(lin.columns)))


def exact_base(
    model: Model | System,
    friction: Sequence[str] = ("coulomb", "viscous", "offset"),
    rotors: bool = True,
    stiffness: bool = False,
) -> dict[str, str]:
    """{kept parameter: exact combination that acts}, with lengths as the model names them.

    Angles are taken as they are: parameters that 1.5708 for a right angle tells apart are told
    apart, which `base` does not by rank.

    >>> import torseur as ts
    >>> link = lambda i: ts.Body(f"link{i}", f"m{i}", inertia=(1, 1, 1, 0, 0, 0))
    >>> arm = ts.from_dh([(0, 0, 0, 0), (0, "L", 0, 0)], [link(1), link(2)], convention="modified")
    >>> exact_base(arm, friction=())["link1.Izz"]
    'link1.Izz + L^2 link2.m + joint1.rotor'
    """
    from ...symbolic import base_parameters

    lin = linear_named(model, friction, rotors, stiffness)
    rotors_alone = {k.v.start: k for k in lin.system.links if k.auxiliary}
    more = [
        (n, kind, tuple(j for _, j, _ in lin.shafts[i].element.where.weights))
        if kind == "shaft"
        else (n, kind, i)
        for n, _, kind, i in lin.columns
        if kind != "inertia" and not (kind == "rotor" and i in rotors_alone)
    ]
    found = base_parameters(lin.system, more)
    for k in rotors_alone.values():  # a rotor with a coordinate of its own: its inertia
        found = {
            n.replace(f"{k.body}.Izz", f"{k.name}.rotor"): x.replace(
                f"{k.body}.Izz", f"{k.name}.rotor"
            )
            for n, x in found.items()
        }
    return found


def linear_named(model, friction, rotors, stiffness=False) -> LinearModel:
    """A linear model whose lengths may stay names."""
    names = friction_names(friction)
    return LinearModel(without_friction(model, names), names, bool(rotors), stiffness=stiffness)
