"""Assembly: Levenberg-Marquardt (damped Gauss-Newton) on the residuals of loops and constraints.

Coordinates that are not fixed move as little as possible in the metric of the inertias (Nikravesh
1988, ch. 3).  Speeds follow from a least squares problem.  The search itself is
`kinematics.assembly`.  Theory: AS.1 to AS.5.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..errors import AssemblyError, TorseurError, unknown_name_message
from ..kinematics import assembly
from ..scalars import Floats

if TYPE_CHECKING:
    from ..system import System
    from .constraint_system import Constrained, StateTerms

MAX_OWN_GAP = 1e-6  # [m] that a search of its own may leave to the assembly


class State(NamedTuple):
    """Coordinates and speeds that satisfy every constraint."""

    q: np.ndarray
    v: np.ndarray


def assemble(
    constraints: Constrained,
    near: Mapping[str, float] = {},
    keep: Any = None,
    t: float = 0.0,
    q0: np.ndarray | None = None,
) -> State:
    """A state that satisfies every constraint, close to the named one.

    `constraints` is a `Constrained`.  `keep` names coordinates and speeds that must not change.  By
    default all names of `near`.  The others move as little as the inertias allow.
    """
    system = constraints.system
    near, spelt = system.spelt(near), system.spelt
    keep = keep if keep is None or isinstance(keep, str) else spelt(dict.fromkeys(keep, 0.0))
    q, v = system.state(near, unit=False)
    if q0 is not None:
        named = {n: x for n, x in near.items() if n in system.coordinates}
        initial_q = system.state(named, unit=False)[0]
        q = np.where(initial_q != system.neutral(), initial_q, q0)
    q = _initialize_constraint_coordinates(constraints, system.unit(q, "assemble"), near, t)
    keep = tuple(near) if keep is None else (keep,) if isinstance(keep, str) else tuple(keep)
    names = (*system.coordinates, *system.speeds)
    if bad := [
        unknown_name_message("coordinate or speed", n, names, "assemble")
        for n in keep
        if n not in names
    ]:
        raise TorseurError("\n".join(bad))
    start_terms = constraints.terms(q, v, t)
    _check_finite(constraints, start_terms, q)
    weight = np.diag(np.asarray(start_terms.M, dtype=float))
    _check_constraint_coordinates(constraints, start_terms.phi, near, q, weight, t)
    fixed = FixedCoordinates.from_names(system, [n for n in keep if n in system.coordinates], q)
    result = (
        check_assembled(start_terms, q)
        or _search_without_bending(constraints, q, weight, keep, t)
        or search_assembly(constraints, q, weight, fixed, t)
    )
    if not result.done or list_reversed_loops(constraints, result.q, t):
        result = _search_nearby(constraints, q, weight, fixed, t) or _raise_assembly_error(
            constraints, result, weight, fixed, keep, t
        )
    q = result.q
    fixed_speeds = [system.speeds.index(n) for n in keep if n in system.speeds]
    terms = start_terms if result.steps == 0 else constraints.terms(q, v, t)
    cost = np.diag(np.asarray(terms.M, dtype=float))
    beam_speeds = [i for k in beam_links(system) for i in range(k.v.start, k.v.stop)]
    initial_q = v
    v, residual = assembly.speeds(
        terms.J, terms.psi, initial_q, cost, sorted({*fixed_speeds, *beam_speeds})
    )
    if beam_speeds and abs(residual).max(initial=0.0) > 1e-9 * max(1.0, abs(v).max(initial=0.0)):
        v, residual = assembly.speeds(terms.J, terms.psi, initial_q, cost, fixed_speeds)
    if abs(residual).max(initial=0.0) > 1e-9 * max(1.0, abs(v).max(initial=0.0)):
        row = int(np.argmax(abs(residual)))
        kept = ", ".join(n for n in keep if n in system.speeds)
        raise AssemblyError(
            f"speeds cannot meet {constraints.rows.names[row]!r}: {residual[row]:.3g} is left with "
            + (
                f"{kept} kept; keep fewer"
                if kept
                else "no speed kept; other constraints contradict it"
            )
        )
    return State(q, v)


def beam_links(system: System) -> list:
    """Links of beams, whose coordinates an assembly does not change if it can."""
    return [k for k in system.owners if k.index in system.slices]


def _search_without_bending(c: Constrained, q: np.ndarray, weight: np.ndarray, keep: Any, t: float):
    """Search with fixed coordinates of beams.  None without beams or without success."""
    beam_coordinates = [n for k in beam_links(c.system) for n in c.system.coordinates[k.q]]
    if not beam_coordinates:
        return None
    names = [*(n for n in keep if n in c.system.coordinates), *beam_coordinates]
    result = search_assembly(
        c, q, weight, FixedCoordinates.from_names(c.system, [*dict.fromkeys(names)], q), t
    )
    return result if result.done else None


def _initialize_constraint_coordinates(
    c: Constrained, q: np.ndarray, near: Mapping[str, float], t: float
) -> np.ndarray:
    """Coordinates that belong to constraints, solved from these unless they are named; AS.5."""
    for e in c.elements:
        start = e.first(c.floats(t), q) if e.begins else None
        if start is not None and not {*c.system.coordinates[start[0]]} & {*near}:
            q = q.copy()
            q[start[0]] = start[1]
    return q


def _check_constraint_coordinates(
    c: Constrained,
    phi: np.ndarray,
    near: Mapping[str, float],
    q: np.ndarray,
    weight: np.ndarray,
    t: float,
) -> None:
    """Raise an error for a constraint whose own coordinates have no solution; AS.5.

    Bodies do not move to find one.
    """
    for owner, e in enumerate(c.elements):
        if not (e.begins and e.astray("")):
            continue
        rows = [k for k, i in enumerate(c.rows.places) if c.rows.owners[i] == owner]
        if not rows or _max_residual(phi, rows) <= MAX_OWN_GAP:
            continue
        start = e.first(c.floats(t), q)
        if start is None or {*c.system.coordinates[start[0]]} & {*near}:
            continue
        fixed = [
            j
            for k in c.system.owners
            if k.q.start != start[0].start
            for j in range(k.v.start, k.v.stop)
        ]
        residual = search_assembly(c, q, weight, FixedCoordinates(tuple(fixed)), t).residual
        if _max_residual(residual, rows) > MAX_OWN_GAP:
            raise AssemblyError(e.astray(f"{_max_residual(phi, rows):.3g} m"))


def _max_residual(phi: np.ndarray, rows: Sequence[int]) -> float:
    """Largest residual of some rows."""
    return float(abs(np.asarray(phi, dtype=float)[rows]).max())


def _check_finite(c: Constrained, terms: StateTerms, q: np.ndarray):
    """Raise an error for a constraint without a finite residual at the start of the search."""
    phi = np.zeros(len(terms.psi))
    phi[list(c.rows.places)] = terms.phi
    is_bad = ~np.isfinite(np.column_stack([phi, terms.psi, terms.J])).all(axis=1)
    if is_bad.any():
        i = int(np.argmax(is_bad))
        links = c.elements[c.rows.owners[i]].links
        at = ", ".join(
            f"{n} = {x:.6g}"
            for k in c.system.links
            if k.index in links
            for n, x in zip(c.system.coordinates[k.q], q[k.q], strict=True)
        )
        raise AssemblyError(
            f"constraint {c.rows.names[i]!r} or its slope has no finite value at "
            f"the start, where {at}; start elsewhere"
        )


@dataclass(frozen=True, slots=True)
class FixedCoordinates:
    """Coordinates that a search does not change.

    `speeds` are those of coordinates whose rates are speeds: the search has no columns for them.
    Coordinates of other joints (quaternions, speeds in body axes) are fixed by additional rows:
    `rows` has link, slot in q and value of each.
    """

    speeds: tuple[int, ...] = ()
    rows: tuple[tuple[Any, int, float], ...] = ()

    @classmethod
    def from_names(cls, system: System, names: Any, q: np.ndarray) -> FixedCoordinates:
        """The fixed coordinates of some names, at their values in q."""
        speeds, rows = [], []
        for i in sorted(system.coordinates.index(n) for n in names):
            k = next(k for k in system.links if k.q.start <= i < k.q.stop)
            if k.joint.holonomic:
                speeds.append(k.v.start + i - k.q.start)
            else:
                rows.append((k, i, float(q[i])))
        return cls(tuple(speeds), tuple(rows))

    def append_rows(
        self, q: np.ndarray, phi: np.ndarray, J: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and Jacobian with the rows of fixed coordinates; AS.4."""
        if not self.rows:
            return phi, J
        residuals, jacobian, K = (
            np.zeros(len(self.rows)),
            np.zeros((len(self.rows), J.shape[1])),
            Floats(),
        )
        for row, (k, i, value) in enumerate(self.rows):
            residuals[row] = q[i] - value
            for j, speeds in enumerate(np.eye(k.joint.nv)):
                jacobian[row, k.v.start + j] = k.joint.rates(K, q[k.q], speeds)[i - k.q.start]
        return np.concatenate([phi, residuals]), np.concatenate([J, jacobian])


def check_assembled(terms: StateTerms, q: np.ndarray) -> assembly.Assembled | None:
    """Result of a search that starts at a solution, else None.  From the terms at its start."""
    n = len(terms.phi)
    is_met = assembly.met(terms.phi, terms.J[:n])
    return assembly.Assembled(np.array(q, dtype=float), terms.phi, True, 0) if is_met else None


def search_assembly(
    c: Constrained, q: np.ndarray, weight: np.ndarray, fixed: FixedCoordinates, t: float
) -> assembly.Assembled:
    """Search from `q` for a position that satisfies the constraints, with fixed coordinates."""
    n = len(c.position(q, t)[0])
    result = assembly.nearest_assembly(
        lambda x: fixed.append_rows(x, *c.position(x, t)), c.integrate, q, weight, fixed.speeds
    )
    return result._replace(residual=result.residual[:n])


def _search_nearby(
    c: Constrained,
    q: np.ndarray,
    weight: np.ndarray,
    fixed: FixedCoordinates,
    t: float,
    tries: int = 24,
):
    """Searches from random states at growing distances.  None if all fail."""
    rng = np.random.default_rng(17)
    for i in range(tries):
        dv = rng.normal(size=c.system.nv) * 0.1 * 1.15**i
        dv[list(fixed.speeds)] = 0
        result = search_assembly(c, c.integrate(q, dv), weight, fixed, t)
        if result.done and not list_reversed_loops(c, result.q, t):
            return result
    return None


def list_reversed_loops(c: Constrained, q: np.ndarray, t: float) -> list[str]:
    """Names of loops whose residuals vanish with an axis in the opposite direction."""
    axes = c.turned(q, t)
    return [e.name for e, x in zip(c.elements, axes, strict=True) if e.reversed(x)]


def describe_gaps(c: Constrained, phi: np.ndarray) -> list[str]:
    """A sentence about each loop or constraint that is open, with its gap."""
    worst: dict[int, tuple[float, str]] = {}
    K = c.floats(0.0).K
    for x, name, owner in zip(phi, c.rows.names, c.rows.owners, strict=False):
        e = c.elements[owner]
        x = e.gap(K, x)
        unit = e.units[e.labels.index(name[len(e.name) + 1 :])]
        worst[owner] = max(worst.get(owner, (0.0, unit)), (abs(float(x)), unit))
    sentences = []
    for owner, (x, unit) in worst.items():
        if x > 1e-9:
            e = c.elements[owner]
            gap = f"{x:.4g}" if unit == "1" else f"{x:.4g} {unit}"
            sentences.append(e.off(gap))
    return sentences


def _raise_assembly_error(
    c: Constrained,
    result: assembly.Assembled,
    weight: np.ndarray,
    fixed: FixedCoordinates,
    keep: Any,
    t: float,
):
    """Raise the error of a failed assembly: gaps, reversed loops, the nearest assembled state."""
    coordinates = c.system.coordinates
    lines = describe_gaps(c, result.residual)
    lines += [
        f"loop {n!r} closes only with its axis turned the other way: start closer"
        for n in list_reversed_loops(c, result.q, t)
    ]
    free = search_assembly(c, result.q, weight, FixedCoordinates(), t)
    names = [n for n in coordinates if n in keep] or list(coordinates[:6])
    q = free.q if free.done else result.q
    state = ", ".join(f"{n} = {q[coordinates.index(n)]:.6g}" for n in names)
    subject = "the nearest assembled state found has" if free.done else "the search ended at"
    raise AssemblyError(
        "the mechanism does not assemble from this state"
        f"{' with ' + ', '.join(keep) + ' kept' if keep else ''}:\n  "
        + "\n  ".join(lines)
        + f"\n  {subject} {state}"
    )
