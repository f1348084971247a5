"""Mobility: how many ways a mechanism can move, and which constraints say nothing new.

Numbers only.  Theory: MO.1 to MO.4.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

PARTS = 60  # speeds from which parts that share no row are looked at one by one


@dataclass(frozen=True, slots=True)
class Mobility:
    """Counts and ranks of a constrained mechanism at one position.

    `gruebler` counts; `mobility` is what the rank says; they differ by `redundancy`, the degree of
    hyperstaticity.  `redundant` names rows that follow from others, with those they follow from;
    `undetermined` the components of reactions that no motion tells then, joint by joint.

    The same by bodies, as statics counts: `n_b` bodies give `6 n_b` equations, joints, loops and
    constraints bring `I_s` unknowns, `unknowns` says which; `n_q = 6 n_b - I_s` is the Gruebler
    count of the bodies' motions, what rotors add apart.
    """

    speeds: int
    constraints: int
    rank: int
    generic_rank: int
    redundant: tuple[tuple[str, tuple[str, ...]], ...]
    independent: tuple[str, ...]
    dependent: tuple[str, ...]
    undetermined: tuple[str, ...] = ()
    bodies: tuple[str, ...] = ()
    unknowns: tuple[tuple[str, int], ...] = ()  # (joint, loop or constraint, its unknowns)
    rotors: tuple[str, ...] = ()  # that turn without a body

    @property
    def n_b(self) -> int:
        """Bodies that move, or that a joint holds still."""
        return len(self.bodies)

    @property
    def I_s(self) -> int:
        """Unknowns of all joints, loops and constraints: 6 less the freedoms of each."""
        return sum(n for _, n in self.unknowns)  # MO.5

    @property
    def n_q(self) -> int:
        """Motions of the bodies as counted, `6 n_b - I_s`; those of an isostatic mechanism."""
        return 6 * self.n_b - self.I_s  # MO.5

    @property
    def isostatic(self) -> bool:
        """Whether every unknown follows from the motion: no row is redundant."""
        return not self.redundancy

    @property
    def gruebler(self) -> int:
        """Speeds of the tree minus every constraint counted (Gruebler and Kutzbach)."""
        return self.speeds - self.constraints  # MO.1

    @property
    def mobility(self) -> int:
        """Speeds that are free here."""
        return self.speeds - self.rank  # MO.2

    @property
    def redundancy(self) -> int:
        """Constraints that follow from the others: degree of hyperstaticity."""
        return self.constraints - self.rank  # MO.3

    @property
    def singular(self) -> bool:
        """Whether the mechanism has more freedom here than nearby."""
        return self.rank < self.generic_rank

    def __str__(self) -> str:
        lines = [
            f"mobility {self.mobility} (Gruebler count {self.gruebler}): {self.speeds} "
            f"speeds, {self.constraints} constraints of rank {self.rank}",
            f"independent speeds: {', '.join(self.independent) or 'none'}",
            f"n_b = {self.n_b} bodies, 6 n_b = {6 * self.n_b} equations; "
            f"I_s = {self.I_s} unknowns: "
            + ", ".join(f"{name} {n}" for name, n in self.unknowns if n),
            f"n_q = 6 n_b - I_s = {self.n_q} counted, {self.mobility - len(self.rotors)} by rank"
            + (f"; rotors besides: {', '.join(self.rotors)}" if self.rotors else "")
            + ("; isostatic" if self.isostatic else ""),
        ]
        if self.redundancy:
            lines.append(f"hyperstatic of degree {self.redundancy}:")
            for name, others in self.redundant:
                cause = f"follows from {', '.join(others)}" if others else "is always met"
                lines.append(f"  {name} {cause}")
            lines += [f"  {text}" for text in self.undetermined]
        if self.singular:
            lines.append(f"singular position: rank {self.rank} here, {self.generic_rank} nearby")
        return "\n".join(lines)


def rank_of(J, tolerance: float = 1e-9) -> int:
    """Numerical rank of a Jacobian whose rows are scaled to unit length."""
    J = scaled(J)
    s = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    return int((s > tolerance * max(1.0, s.max(initial=0.0))).sum())


def scaled(J) -> np.ndarray:
    """Rows of unit length; rows that vanish stay."""
    J = np.asarray(J, dtype=float)
    n = np.linalg.norm(J, axis=1, keepdims=True)
    return J / np.where(n > 1e-12, n, 1.0)


def pivots(A, tolerance: float = 1e-9) -> tuple[list[int], list[int]]:
    """Columns that span those of A, chosen by Householder pivoting, then the others."""
    from scipy.linalg import qr

    if not A.size:
        return [], list(range(A.shape[1]))
    _, R, order = qr(A, mode="economic", pivoting=True)
    d = abs(np.diag(R))
    rank = int((d > tolerance * max(d.max(initial=0.0), 1e-300)).sum())
    return [int(i) for i in order[:rank]], [int(i) for i in order[rank:]]


def inertias(M) -> np.ndarray:
    """Of each speed alone; a parameter of a curve, which has none, counts as very light."""
    d = np.diag(np.asarray(M, dtype=float))
    return np.maximum(d, 1e-9 * (d.max(initial=0.0) or 1.0))


def independent_speeds(J, M, tolerance: float = 1e-9) -> tuple[list[int], list[int]]:
    """Indices of speeds to keep and of those the constraints then give, by weighted pivots.

    A dependent speed has a large pivot in `J`, each speed measured by its own inertia, so that the
    independent ones move the dependent ones little.
    """
    A = scaled(J) / np.sqrt(inertias(M))
    if A.shape[1] > PARTS:
        from .independent_speeds import pivots_by_parts

        dependent, independent = pivots_by_parts(A, tolerance)  # MO.6
    else:
        dependent, independent = pivots(A, tolerance)  # MO.4
    return sorted(independent), sorted(dependent)


def least(J, M, dependent) -> float:
    """Least singular value of the dependent columns, rows scaled, speeds measured by inertia."""
    if not len(dependent):
        return 1.0
    A = (scaled(J) / np.sqrt(inertias(M)))[:, list(dependent)]
    if A.shape[1] > PARTS:
        from .independent_speeds import least_by_parts

        return least_by_parts(A)
    return float(np.linalg.svd(A, compute_uv=False)[-1])


def redundant_rows(J, names, tolerance: float = 1e-9):
    """Rows that follow from the others: (name, names of the rows it follows from)."""
    J = scaled(J)
    base, extra = _first_rows(J, tolerance)
    out = []
    for i in extra:
        weights = np.linalg.lstsq(J[base].T, J[i], rcond=None)[0] if base else np.zeros(0)
        out.append(
            (names[i], tuple(names[b] for b, w in zip(base, weights, strict=True) if abs(w) > 1e-6))
        )
    return out


def _first_rows(J, tolerance):
    """Rows in their own order that are not combinations of earlier ones, and the rest."""
    basis, base, extra = np.zeros((0, J.shape[1])), [], []
    for i, row in enumerate(J):
        r = row - basis.T @ (basis @ row)
        r = r - basis.T @ (basis @ r)
        n = np.linalg.norm(r)
        if n > max(tolerance, 1e-9):
            basis = np.vstack([basis, r / n])
            base.append(i)
        else:
            extra.append(i)
    return base, extra


def mobility(system, elements, names, owners, J, M, nearby, undetermined) -> Mobility:
    """The report from Jacobians: `J` here, and those of generic positions `nearby`."""
    structural = []
    for i, e in enumerate(elements):
        shown = {n for n, o in zip(names, owners, strict=True) if o == i}
        structural += [
            (f"{e.name}.{label}", ()) for label in e.labels if f"{e.name}.{label}" not in shown
        ]
    independent, dependent = independent_speeds(J, M)
    speeds = system.speeds
    rank = len(dependent)
    return Mobility(
        system.nv,
        sum(e.size for e in elements),
        rank,
        max([rank, *(rank_of(x) for x in nearby)]),
        (*redundant_rows(J, names), *structural),
        tuple(speeds[i] for i in independent),
        tuple(speeds[i] for i in dependent),
        tuple(undetermined),
        tuple(system.bodies),
        unknowns(system, elements),
        tuple(
            k.name for k in system.links if k.auxiliary and k.name not in {e.name for e in elements}
        ),
    )


def unknowns(system, elements) -> tuple[tuple[str, int], ...]:
    """(name, unknowns) of every joint, loop and constraint.  A curve's parameter takes one back,
    and so does every mode of a beam."""
    own = {k.name: k.joint.nv for k in system.links if k.auxiliary}
    joints = tuple((j.name, 6 - j.kind.nv) for j in system.model.joints)
    joints += tuple((k.name, -k.joint.nv) for k in system.owners if k.index in system.slices)
    return joints + tuple((e.name, e.size - own.get(e.name, 0)) for e in elements)  # MO.5
