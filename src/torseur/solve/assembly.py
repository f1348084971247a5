"""Assembly of a constrained mechanism, and what is said when it fails.  Theory: AS.1 to AS.3."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..errors import AssemblyError, TorseurError, unknown_name
from ..kinematics import assembly
from ..scalars import Floats

FACED = 1e-6  # [m] that a search of its own may leave to the assembly


class State(NamedTuple):
    """Coordinates and speeds that meet every constraint."""

    q: np.ndarray
    v: np.ndarray


def assemble(c, near: Mapping[str, float] = {}, keep=None, t=0.0, q0=None) -> State:
    """A state of the `Constrained` c that meets every constraint, near the named one.

    `keep` names coordinates and speeds that must not change; by default all that are named.
    The others move as little as the inertias allow.
    """
    system = c.system
    near, spelt = system.spelt(near), system.spelt
    keep = keep if keep is None or isinstance(keep, str) else spelt(dict.fromkeys(keep, 0.0))
    q, v = system.state(near, unit=False)
    if q0 is not None:
        named = {n: x for n, x in near.items() if n in system.coordinates}
        given = system.state(named, unit=False)[0]
        q = np.where(given != system.neutral(), given, q0)
    q = _own_starts(c, system.unit(q, "assemble"), near, t)
    keep = tuple(near) if keep is None else (keep,) if isinstance(keep, str) else tuple(keep)
    known = (*system.coordinates, *system.speeds)
    if bad := [
        unknown_name("coordinate or speed", n, known, "assemble") for n in keep if n not in known
    ]:
        raise TorseurError("\n".join(bad))
    here = c.terms(q, v, t)
    _finite(c, here, q)
    weight = np.diag(np.asarray(here.M, dtype=float))
    _faced(c, here.phi, near, q, weight, t)
    kept_q = KeptCoordinates.named(system, [n for n in keep if n in system.coordinates], q)
    found = already(here, q) or _unbent(c, q, weight, keep, t) or search(c, q, weight, kept_q, t)
    if not found.done or reversed_loops(c, found.q, t):
        found = _search_around(c, q, weight, kept_q, t) or _explain(
            c, found, weight, kept_q, keep, t
        )
    q = found.q
    kept_v = [system.speeds.index(n) for n in keep if n in system.speeds]
    terms = here if found.steps == 0 else c.terms(q, v, t)
    cost = np.diag(np.asarray(terms.M, dtype=float))
    firm = [i for k in _bending(system) for i in range(k.v.start, k.v.stop)]
    given = v
    v, left = assembly.speeds(terms.J, terms.psi, given, cost, sorted({*kept_v, *firm}))
    if firm and abs(left).max(initial=0.0) > 1e-9 * max(1.0, abs(v).max(initial=0.0)):
        v, left = assembly.speeds(terms.J, terms.psi, given, cost, kept_v)
    if abs(left).max(initial=0.0) > 1e-9 * max(1.0, abs(v).max(initial=0.0)):
        worst = int(np.argmax(abs(left)))
        held = ", ".join(n for n in keep if n in system.speeds)
        raise AssemblyError(
            f"speeds cannot meet {c.rows.names[worst]!r}: {left[worst]:.3g} is left with "
            + (
                f"{held} kept; keep fewer"
                if held
                else "no speed kept; other constraints contradict it"
            )
        )
    return State(q, v)


def _bending(system) -> list:
    """Links of beams whose coordinates an assembly leaves alone if it can."""
    return [k for k in system.owners if k.index in system.slices]


def _unbent(c, q, weight, keep, t):
    """A search that bends no beam; None where there is none, or no beam."""
    own = [n for k in _bending(c.system) for n in c.system.coordinates[k.q]]
    if not own:
        return None
    every = [*(n for n in keep if n in c.system.coordinates), *own]
    found = search(c, q, weight, KeptCoordinates.named(c.system, [*dict.fromkeys(every)], q), t)
    return found if found.done else None


def _own_starts(c, q, near, t) -> np.ndarray:
    """Coordinates that belong to constraints where these say, unless they are named; AS.5."""
    for e in c.elements:
        found = e.first(c.floats(t), q) if e.begins else None
        if found is not None and not {*c.system.coordinates[found[0]]} & {*near}:
            q = q.copy()
            q[found[0]] = found[1]
    return q


def _faced(c, phi, near, q, weight, t) -> None:
    """Say whose own coordinates find no start: bodies are not moved to help them.  Theory: AS.5"""
    for owner, e in enumerate(c.elements):
        if not (e.begins and e.astray("")):
            continue
        own = [k for k, i in enumerate(c.rows.places) if c.rows.owners[i] == owner]
        if not own or _off(phi, own) <= FACED:
            continue
        found = e.first(c.floats(t), q)
        if found is None or {*c.system.coordinates[found[0]]} & {*near}:
            continue
        still = [
            j
            for k in c.system.owners
            if k.q.start != found[0].start
            for j in range(k.v.start, k.v.stop)
        ]
        left = search(c, q, weight, KeptCoordinates(tuple(still)), t).residual
        if _off(left, own) > FACED:
            raise AssemblyError(e.astray(f"{_off(phi, own):.3g} m"))


def _off(phi, own) -> float:
    return float(abs(np.asarray(phi, dtype=float)[own]).max())


def _finite(c, terms, q):
    """Say which constraint has no number at the state from which a search would start."""
    phi = np.zeros(len(terms.psi))
    phi[list(c.rows.places)] = terms.phi
    bad = ~np.isfinite(np.column_stack([phi, terms.psi, terms.J])).all(axis=1)
    if bad.any():
        i = int(np.argmax(bad))
        read = c.elements[c.rows.owners[i]].links
        at = ", ".join(
            f"{n} = {x:.6g}"
            for k in c.system.links
            if k.index in read
            for n, x in zip(c.system.coordinates[k.q], q[k.q], strict=True)
        )
        raise AssemblyError(
            f"constraint {c.rows.names[i]!r} or its slope has no finite value at "
            f"the start, where {at}; start elsewhere"
        )


@dataclass(frozen=True, slots=True)
class KeptCoordinates:
    """Coordinates that a search may not move.

    `speeds` are those of coordinates whose rates are speeds: they stay out of it.  Of other joints
    (quaternions, speeds in body axes) each kept coordinate is a row that asks for its value:
    `rows` has its link, its slot in q and that value.
    """

    speeds: tuple[int, ...] = ()
    rows: tuple[tuple[Any, int, float], ...] = ()

    @classmethod
    def named(cls, system, names, q) -> KeptCoordinates:
        speeds, rows = [], []
        for i in sorted(system.coordinates.index(n) for n in names):
            k = next(k for k in system.links if k.q.start <= i < k.q.stop)
            if k.joint.holonomic:
                speeds.append(k.v.start + i - k.q.start)
            else:
                rows.append((k, i, float(q[i])))
        return cls(tuple(speeds), tuple(rows))

    def added(self, q, phi, J) -> tuple[np.ndarray, np.ndarray]:
        """Residuals and their Jacobian with the rows of kept coordinates.  Theory: AS.4."""
        if not self.rows:
            return phi, J
        more, slopes, K = np.zeros(len(self.rows)), np.zeros((len(self.rows), J.shape[1])), Floats()
        for row, (k, i, value) in enumerate(self.rows):
            more[row] = q[i] - value
            for j, one in enumerate(np.eye(k.joint.nv)):
                slopes[row, k.v.start + j] = k.joint.rates(K, q[k.q], one)[i - k.q.start]
        return np.concatenate([phi, more]), np.concatenate([J, slopes])


def already(here, q) -> assembly.Assembled | None:
    """The answer of a search that has nothing to do, from the terms where it would start."""
    n = len(here.phi)
    met = assembly.met(here.phi, here.J[:n])
    return assembly.Assembled(np.array(q, dtype=float), here.phi, True, 0) if met else None


def search(c, q, weight, kept, t) -> assembly.Assembled:
    """From `q` to a position that meets the constraints; what is kept does not move."""
    n = len(c.position(q, t)[0])
    found = assembly.nearest_assembly(
        lambda x: kept.added(x, *c.position(x, t)), c.integrate, q, weight, kept.speeds
    )
    return found._replace(residual=found.residual[:n])


def _search_around(c, q, weight, kept, t, tries=24):
    """Searches from states around the given one, wider and wider; None when all fail."""
    rng = np.random.default_rng(17)
    for i in range(tries):
        dv = rng.normal(size=c.system.nv) * 0.1 * 1.15**i
        dv[list(kept.speeds)] = 0
        found = search(c, c.integrate(q, dv), weight, kept, t)
        if found.done and not reversed_loops(c, found.q, t):
            return found
    return None


def reversed_loops(c, q, t) -> list[str]:
    """Loops whose residuals vanish with an axis the wrong way round."""
    turned = c.turned(q, t)
    return [e.name for e, x in zip(c.elements, turned, strict=True) if e.reversed(x)]


def gaps(c, phi) -> list[str]:
    """A sentence for each loop or constraint that is not met: how far apart it is."""
    worst: dict[int, tuple[float, str]] = {}
    K = c.floats(0.0).K
    for x, name, owner in zip(phi, c.rows.names, c.rows.owners, strict=False):
        e = c.elements[owner]
        x = e.gap(K, x)
        unit = e.units[e.labels.index(name[len(e.name) + 1 :])]
        worst[owner] = max(worst.get(owner, (0.0, unit)), (abs(float(x)), unit))
    out = []
    for owner, (x, unit) in worst.items():
        if x > 1e-9:
            e = c.elements[owner]
            by = f"{x:.4g}" if unit == "1" else f"{x:.4g} {unit}"
            out.append(e.off(by))
    return out


def _explain(c, found, weight, kept, keep, t):
    coordinates = c.system.coordinates
    lines = gaps(c, found.residual)
    lines += [
        f"loop {n!r} closes only with its axis turned the other way: start closer"
        for n in reversed_loops(c, found.q, t)
    ]
    free = search(c, found.q, weight, KeptCoordinates(), t)
    names = [n for n in coordinates if n in keep] or list(coordinates[:6])
    which = free.q if free.done else found.q
    state = ", ".join(f"{n} = {which[coordinates.index(n)]:.6g}" for n in names)
    kind = "the nearest assembled state found has" if free.done else "the search ended at"
    raise AssemblyError(
        "the mechanism does not assemble from this state"
        f"{' with ' + ', '.join(keep) + ' kept' if keep else ''}:\n  "
        + "\n  ".join(lines)
        + f"\n  {kind} {state}"
    )
