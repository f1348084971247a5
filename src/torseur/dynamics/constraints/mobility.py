"""Mobility of a mechanism: Gruebler count, rank of the constraint Jacobian, redundant constraints.

Numbers only.  Equations MO.1 to MO.5.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .coordinate_partitioning import independent_speeds, scaled

MIN_WEIGHT = 1e-6  # of a row in a combination of others


@dataclass(frozen=True, slots=True)
class Mobility:
    """Counts and ranks of a constrained mechanism at one position.

    `gruebler` is a count, `mobility` follows from the rank.  They differ by `redundancy`, the
    degree of hyperstaticity.  `redundant` names the rows that follow from others, each with these
    others.  `undetermined` names the components of reactions that the motion does not determine.

    Statics counts by bodies: `n_b` bodies give `6 n_b` equations.  Joints, loops and constraints
    bring `I_s` unknowns, listed in `unknowns`.  `n_q = 6 n_b - I_s` is the Gruebler count of the
    bodies' motions, without rotors.
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
    unknowns: tuple[tuple[str, int], ...] = ()  # (joint, loop or constraint, number of unknowns)
    rotors: tuple[str, ...] = ()  # without a body

    @property
    def n_b(self) -> int:
        """Number of bodies, those fixed by joints included."""
        return len(self.bodies)

    @property
    def I_s(self) -> int:
        """Unknowns of all joints, loops and constraints: 6 minus the freedoms of each."""
        return sum(n for _, n in self.unknowns)  # MO.5

    @property
    def n_q(self) -> int:
        """Count of the motions of the bodies, `6 n_b - I_s`; exact for an isostatic mechanism."""
        return 6 * self.n_b - self.I_s  # MO.5

    @property
    def isostatic(self) -> bool:
        """Whether no constraint is redundant, so that the motion determines every unknown."""
        return not self.redundancy

    @property
    def gruebler(self) -> int:
        """Speeds of the tree minus every constraint counted (Gruebler and Kutzbach)."""
        return self.speeds - self.constraints  # MO.1

    @property
    def mobility(self) -> int:
        """Number of independent speeds at this position."""
        return self.speeds - self.rank  # MO.2

    @property
    def redundancy(self) -> int:
        """Number of constraints that follow from the others: degree of hyperstaticity."""
        return self.constraints - self.rank  # MO.3

    @property
    def singular(self) -> bool:
        """Whether the mechanism has more freedoms at this position than nearby."""
        return self.rank < self.generic_rank

    def __str__(self) -> str:
        """Report of the counts, and of redundant constraints by name."""
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
                cause = f"follows from {', '.join(others)}" if others else "is redundant by itself"
                lines.append(f"  {name} {cause}")
            lines += [f"  {text}" for text in self.undetermined]
        if self.singular:
            lines.append(f"singular position: rank {self.rank} here, {self.generic_rank} nearby")
        return "\n".join(lines)


def jacobian_rank(J, tolerance: float = 1e-9) -> int:
    """Numerical rank of a Jacobian whose rows are scaled to unit length."""
    J = scaled(J)
    s = np.linalg.svd(J, compute_uv=False) if J.size else np.zeros(0)
    return int((s > tolerance * max(1.0, s.max(initial=0.0))).sum())


def find_redundant_rows(J, names, tolerance: float = 1e-9) -> list[tuple[str, tuple[str, ...]]]:
    """Rows that are combinations of others: (name, names of these others)."""
    J = scaled(J)
    base, redundant = _split_rows(J, tolerance)
    out = []
    for i in redundant:
        weights = np.linalg.lstsq(J[base].T, J[i], rcond=None)[0] if base else np.zeros(0)
        others = (names[b] for b, w in zip(base, weights, strict=True) if abs(w) > MIN_WEIGHT)
        out.append((names[i], tuple(others)))
    return out


def _split_rows(J, tolerance: float) -> tuple[list[int], list[int]]:
    """Rows that are no combination of earlier ones, and the others; Gram-Schmidt, twice."""
    basis, base, redundant = np.zeros((0, J.shape[1])), [], []
    for i, row in enumerate(J):
        r = row - basis.T @ (basis @ row)
        r = r - basis.T @ (basis @ r)
        n = np.linalg.norm(r)
        if n > max(tolerance, 1e-9):
            basis = np.vstack([basis, r / n])
            base.append(i)
        else:
            redundant.append(i)
    return base, redundant


def mobility(system, elements, names, owners, J, M, nearby, undetermined) -> Mobility:
    """Mobility from the Jacobian J at a position and those of generic positions `nearby`.

    `names` and `owners` are those of the rows.  Components of elements without a row count as
    redundant.
    """
    structural = []
    for i, e in enumerate(elements):
        present = {n for n, o in zip(names, owners, strict=True) if o == i}
        labels = (f"{e.name}.{label}" for label in e.labels)
        structural += [(label, ()) for label in labels if label not in present]
    independent, dependent = independent_speeds(J, M)
    rank, element_names = len(dependent), {e.name for e in elements}
    return Mobility(
        speeds=system.nv,
        constraints=sum(e.size for e in elements),
        rank=rank,
        generic_rank=max([rank, *(jacobian_rank(x) for x in nearby)]),
        redundant=(*find_redundant_rows(J, names), *structural),
        independent=tuple(system.speeds[i] for i in independent),
        dependent=tuple(system.speeds[i] for i in dependent),
        undetermined=tuple(undetermined),
        bodies=tuple(system.bodies),
        unknowns=unknowns(system, elements),
        rotors=tuple(k.name for k in system.links if k.auxiliary and k.name not in element_names),
    )


def unknowns(system, elements) -> tuple[tuple[str, int], ...]:
    """(name, number of unknowns) of every joint, loop and constraint, MO.5.

    The parameter of a curve and each mode of a beam take one away.
    """
    auxiliary = {k.name: k.joint.nv for k in system.links if k.auxiliary}
    joints = tuple((j.name, 6 - j.kind.nv) for j in system.model.joints)
    joints += tuple((k.name, -k.joint.nv) for k in system.owners if k.index in system.slices)
    return joints + tuple((e.name, e.size - auxiliary.get(e.name, 0)) for e in elements)
