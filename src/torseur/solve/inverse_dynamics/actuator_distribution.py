"""Who makes the efforts of a motion: joints that lead, chosen actuators, inputs.  Theory: LI.12."""

from __future__ import annotations

import numpy as np

from ...errors import TorseurError, unknown_name
from ...kernels import Outputs, StateRows
from .elastic_drives import elements_along
from .trajectory import speed_of


def shared_efforts(book, bench, path, parts, total, actuators, way):
    """Efforts of the actuators: the effort at every speed, multipliers (rows, nc), what to tell."""
    s = bench.system
    lam = np.zeros((len(total), len(s.layout.lam)))
    if path.T is None and actuators is None:  # a tree, each joint its own effort
        for j in range(s.nv):
            book.efforts(j, total[:, j], {part: x[:, j] for part, x in parts.items()})
        return total, lam, ""
    names, S = _actuators(bench, path, actuators, way)
    T = np.broadcast_to(np.eye(s.nv), (len(total), s.nv, s.nv)) if path.T is None else path.T
    back = _inverted(s, path, way, names, np.einsum("nvf,nva->nfa", T, S))

    def shared(x):
        return np.einsum("naf,nvf,nv->na", back, T, x)

    found = shared(total)
    split = {part: shared(x) for part, x in parts.items()}
    for k, n in enumerate(names):
        if isinstance(n, int):
            book.efforts(n, found[:, k], {part: x[:, k] for part, x in split.items()})
        else:
            book.add(n, next((e.unit for e in s.inputs if e.name == n), ""), found[:, k])
    loads, told = np.einsum("nva,na->nv", S, found), ""
    if bench.held is not None:
        _carried(bench, path, way, total - loads, lam)
        for (name, unit), x in zip(bench.held.multipliers, lam.T, strict=False):
            book.add(name, unit, x)
        told = f"; {_leads(s, path)} lead{'s' * (len(path.lead) < 2)}{path.told}"
    if len(names) > len(path.lead):
        told += (
            f"; {len(names)} actuators for {_freedoms(len(path.lead))}: the efforts of least "
            "sum of squares"
        )
    return loads, lam, told


def _inverted(s, path, way, names, G):
    """Shares of the actuators in the efforts of the leads; `G` is (rows, leads, actuators)."""
    leads = len(path.lead)
    if leads:
        sizes = np.linalg.svd(G, compute_uv=False)
        weak = (
            sizes[:, leads - 1] <= 1e-9 * sizes.max()
            if len(names) >= leads
            else np.ones(len(G), dtype=bool)
        )
        if weak.any():
            who = (
                ", ".join(repr(_title(s, n)) for n in names) + " cannot" if names else "nobody can"
            )
            raise TorseurError(
                f"inverse: at t = {way.times[int(np.argmax(weak))]:.6g} s {who} make the efforts "
                f"of {_freedoms(leads)} ({_leads(s, path)}); name more in actuators="
            )
    return np.linalg.pinv(G)  # LI.12


def _freedoms(n: int) -> str:
    return f"{n} degree{'s' * (n != 1)} of freedom"


def _title(s, n):
    return s.speeds[n] if isinstance(n, int) else n


def _leads(s, path) -> str:
    return ", ".join(s.speeds[i] for i in path.lead) or "time alone"


def _actuators(bench, path, actuators, way):
    """Speeds or inputs that make efforts, and their columns (rows, nv, actuators)."""
    s, n = bench.system, len(way.times)
    if actuators is None:
        chosen: list = list(path.lead)
    else:
        chosen = []
        joints = {k.name: list(range(k.v.start, k.v.stop)) for k in s.links}
        own = {c: [i] for c, i in speed_of(s).items()} | {x: [i] for i, x in enumerate(s.speeds)}
        driven = {
            e.name: e.law.inputs[0]
            for e in s.elements
            if e.law is not None and len(e.law.inputs) == 1
        }
        known = (
            joints | own | {e: [u] for e, u in driven.items()} | {u: [u] for u in driven.values()}
        )
        for a in (actuators,) if isinstance(actuators, str) else actuators:
            if a not in known:
                raise TorseurError(
                    unknown_name(
                        "joint, coordinate or driven force", a, known, "inverse, actuators"
                    )
                )
            chosen += [x for x in known[a] if x not in chosen]
    S = np.zeros((n, s.nv, len(chosen)))
    for k, x in enumerate(chosen):
        if isinstance(x, int):
            S[:, x, k] = 1.0
        else:
            S[:, :, k] = _pull(bench, path, way, s.layout.inputs[x].start)
    return chosen, S


def _pull(bench, path, way, slot):
    """Generalized force of one unit of an input, (rows, nv)."""
    z, m, u = elements_along(bench, way.times, path.q, path.v)
    at = []
    for u[:, slot] in (0.0, 1.0):
        at.append(forces_along(bench, way.times, path.q, path.v, z, m, u).sum(axis=1))
    return at[1] - at[0]


def _carried(bench, path, way, left, lam):
    """Writes multipliers of least sum of squares that carry what the actuators leave."""
    for row, (t, q, x) in enumerate(zip(way.times, path.q, left, strict=True)):
        J = bench.held.terms(q, np.zeros(bench.system.nv), t).J
        own = np.linalg.lstsq(J.T, x, rcond=1e-10)[0]  # LI.12
        lam[row, : len(own)] = own  # frictions come after, and are given


def forces_along(bench, *rows) -> np.ndarray:
    """Generalized force of every element, shape (rows, elements, nv)."""
    n, nv = len(bench.system.elements), bench.system.nv
    if not n:
        return np.zeros((len(rows[0]), 0, nv))
    return Outputs(bench.system, bench.p)("applied_each", StateRows(*rows)).T.reshape(-1, n, nv)
