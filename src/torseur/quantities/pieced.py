"""Kernels of mechanisms with many loops: parts that are alike compiled once, and looped over.

The saddle point `[[M, J'], [J, -mu]]` is filled by subtrees of the world (masses) and by
constraints (rows), and factored front by front (CK.8).  Code grows with the number of kinds, only
tables with the number of loops.
"""

from __future__ import annotations

from ..compiler import PiecedDerivatives, PiecedProgram, Port
from .piece_structure import structure
from .piece_writer import Writer


def flow(system) -> PiecedProgram:
    """Rates of the whole state, and multipliers."""
    s = structure(system)
    assert s is not None
    w = Writer(s)
    return w.finish(_flow(w))


def _flow(w: Writer) -> dict[str, tuple[int, int]]:
    system, rows, nv, nz = w.system, w.s.rows, w.system.nv, w.sizes["z"]
    qdot, zdot, speeds = w.part(system.nq), w.part(nz, clear=True), w.part(rows)
    w.masses(w.given["q"], qdot)
    w.rows(w.given["q"], speeds)
    w.elements(zdot)
    w.fronts("eliminate")
    w.solve()
    vdot = w.shown("vdot", lambda x: x, [w.found(i) for i in range(nv)])
    lam = w.shown("lam", lambda x: -x, [w.found(nv + i) for i in range(rows)])
    if system.layout.keeps_books:
        own = [range(at, at + rows) for at in (lam, speeds)]
        supplied = [zdot + system.layout.books.start + 1] * rows
        w.steps.append(w.each("supply", lambda x, y: x * y, own, supplied, adds=(0,)))  # DF.3
    return {"qdot": (qdot, system.nq), "vdot": (vdot, nv), "zdot": (zdot, nz), "lam": (lam, rows)}


def flow_jacobian(system) -> PiecedDerivatives:
    """Derivatives of the rates by the state and by time."""
    s = structure(system)
    assert s is not None
    w = Writer(s, derives=True)
    *rates, _ = _flow(w).values()
    state = [w.given[x] + i for x in "qvz" for i in range(w.sizes[x])]
    n = len(state)
    found = [at + i for at, size in rates for i in range(size)]
    return w.derivatives([*state, w.given["t"]], found, (Port("J", (n, n)), Port("ft", (n,))))


def project(system) -> PiecedProgram:
    """The state moved onto its constraints: CK.5, CK.6."""
    s = structure(system)
    assert s is not None
    w, nv = Writer(s), system.nv
    q, v = w.given["q"], w.given["v"]
    w.masses(q)
    w.rows(q)
    w.fronts("eliminate")
    w.solve()
    at = w.moved(q)
    w.turn(at)
    w.residuals(at)
    w.solve()
    at = w.moved(at)
    w.turn(at)
    w.residuals(at, v)
    w.solve()
    found = [w.found(i) for i in range(nv)]
    v1 = w.shown("v1", lambda v, dv: v + dv, list(range(v, v + nv)), found)
    return w.finish({"q1": (at, system.nq), "v1": (v1, nv)})
