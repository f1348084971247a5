"""Global inertia tensors, kinetic tensors and Christoffel symbols at one position (Fayet 2005)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import ArgumentError, TorseurError, as_system
from ..formalisms import GlobalInertia

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from ..model import Model
    from ..system import System


@dataclass(frozen=True, slots=True, eq=False)
class GlobalInertiaTensors:
    """Global inertia tensors of a mechanism at one position, with its equation of motion.

    `a_ij v'_j + Gamma_i,jk v_j v_k = Q_i + tau_i`, with the forces Q of gravity.  j is the speed
    of differentiation.  Christoffel symbols are not symmetrized.
    """

    speeds: tuple[str, ...]
    bodies: tuple[str, ...]  # of each link
    joints: tuple[str, ...]  # of each link
    G: dict[tuple[str, str], np.ndarray]  # 4 x 4, of (inboard, outboard) joints on one branch
    K: dict[tuple[int, int], np.ndarray]  # 3 x 3, of speeds on one branch, in the outboard link
    a: np.ndarray  # (nv, nv)
    Gamma: np.ndarray  # (nv, nv, nv)
    Q: np.ndarray  # (nv,)
    incidence: np.ndarray  # (nv, links): 1 where a speed moves a body
    not_holonomic: tuple[tuple[str, str], ...]  # pairs of speeds

    def quantities(self, v: ArrayLike, acceleration: ArrayLike) -> np.ndarray:
        """Acceleration quantities `A_i = a_ij v'_j + Gamma_i,jk v_j v_k`, shape (nv,)."""
        v, dv = np.asarray(v, dtype=float), np.asarray(acceleration, dtype=float)
        return self.a @ dv + np.einsum("ijk,j,k->i", self.Gamma, v, v)

    def coriolis(self, v: ArrayLike) -> np.ndarray:
        """`C_ik = Gamma_i,jk v_j`, (nv, nv): `a' - 2 C` is antisymmetric, whatever the speeds."""
        return np.einsum("ijk,j->ik", self.Gamma, np.asarray(v, dtype=float))

    def __str__(self) -> str:
        """Bodies that each speed moves, and counts of the symbols."""
        width = max(map(len, self.speeds), default=0)
        lines = ["which bodies move with which speed:"]
        for name, row in zip(self.speeds, self.incidence, strict=True):
            bodies = ", ".join(b for b, x in zip(self.bodies, row, strict=True) if x)
            lines.append(f"  {name:{width}}  {bodies}")
        count = int((abs(self.Gamma) > 0).sum())
        lines.append(f"{count} of {self.Gamma.size} Christoffel symbols are not zero here")
        pairs = "; ".join(" and ".join(pair) for pair in self.not_holonomic)
        lines.append(f"pairs that are not holonomic: {pairs or 'none'}")
        return "\n".join(lines)


def global_inertia(
    model: Model | System, q: ArrayLike | Mapping[str, float] | None = None
) -> GlobalInertiaTensors:
    """Global inertia tensors G, kinetic tensors K, mass matrix a and Christoffel symbols Gamma.

    Parameters
    ----------
    model : a model or a checked system; parameters take their nominal values
    q : coordinates, shape (nq,), or some of them by name, the others neutral

    >>> import torseur as ts
    >>> arm = ts.Model("arm", bodies=[ts.Body("a", 1), ts.Body("b", 2, com=(1, 0, 0))],
    ...     joints=[ts.Joint("s", "world", "a", ts.Revolute("z")),
    ...             ts.Joint("r", "a", "b", ts.Prismatic("x"))])
    >>> t = ts.global_inertia(arm, {"r.displacement": 2.0})
    >>> t.a.tolist(), float(t.Gamma[1, 0, 0])
    ([[18.0, 0.0], [0.0, 2.0]], -6.0)
    >>> t.incidence.tolist()
    [[1, 1], [0, 1]]
    """
    system = as_system(model, "global_inertia")
    system.alone("global_inertia")
    if system.rheonomic:
        raise TorseurError(
            f"global_inertia: time moves a placement of {system.name!r}; its tensors at a time are "
            "those of ts.compile(model).christoffel(q, t=...) and .mass_matrix(q, t=...)"
        )
    by_name = q is None or hasattr(q, "items")
    values: Any = q
    values = system.state(values or {})[0] if by_name else system.unit(np.asarray(q, dtype=float))
    if values.shape != (system.nq,):
        raise ArgumentError(
            f"global_inertia: q has the shape {values.shape}; expected ({system.nq},)"
        )
    tensors = GlobalInertia(system.floats(), values.astype(object))
    joints, speeds = tuple(k.name for k in system.links), system.speeds
    return GlobalInertiaTensors(
        speeds,
        tuple(k.body for k in system.links),
        joints,
        {
            (joints[i - 1], joints[j - 1]): np.asarray(x, dtype=float)
            for (i, j), x in tensors.G.items()
        },
        {pair: np.asarray(x, dtype=float) for pair, x in tensors.K.items()},
        tensors.a.astype(float),
        tensors.Gamma.astype(float),
        tensors.gravity.astype(float),
        tensors.incidence,
        tuple((speeds[j], speeds[k]) for j, k in tensors.non_holonomic),
    )
