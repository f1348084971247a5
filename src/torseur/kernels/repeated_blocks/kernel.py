"""Kernels of mechanisms with many loops: parts that are alike compiled once, and looped over.

The saddle point `[[M, J'], [J, -mu]]`, or the equation of independent speeds, is filled by subtrees
of the world (masses) and by constraints (rows), and factored front by front (CK.8, CS.8).  Code
grows with the number of kinds, only tables with the number of loops.
"""

from __future__ import annotations

from ...compiler import PiecedDerivatives, PiecedProgram, Port, SharedSteps
from ...dynamics import MULTIPLIERS, SolutionWay
from .independent_speeds import led
from .kkt import SaddlePieces
from .reduced_equation import ReducedPieces
from .structure import structure
from .writer import Writer


def serves(system, way: SolutionWay) -> bool:
    """Whether loops are many and alike, and the solution is one that has pieces."""
    if way.led:
        return led(system, way.dependent) is not None
    return way == MULTIPLIERS and structure(system) is not None


def _equation(system, way: SolutionWay, derives: bool = False) -> SaddlePieces | ReducedPieces:
    s = structure(system)
    assert s is not None
    w = Writer(s, derives)
    chosen = led(system, way.dependent) if way.led else None
    return ReducedPieces(w, chosen, way.implicit) if chosen else SaddlePieces(w)


def solution(system, way: SolutionWay) -> SharedSteps:
    """Steps that kernels of one way share: factors and sweeps."""
    e = _equation(system, way)
    return SharedSteps(e.shared(), e.w.memory.size)


def flow(system, way: SolutionWay) -> PiecedProgram:
    """Rates of the whole state, and multipliers."""
    e = _equation(system, way)
    return e.w.finish(_flow(e), e.shared())


def _flow(e) -> dict[str, tuple[int, int]]:
    w, system = e.w, e.w.system
    rows, nv, nz, at = w.s.rows, system.nv, w.sizes["z"], dict(w.given)
    if e.implicit:
        at["q"], at["v"] = _projected(e)  # CS.6
    qdot, zdot, speeds = w.part(system.nq), w.part(nz, clear=True), w.part(rows)
    w.masses(e, at["q"], at["v"], qdot)
    w.rows(e, at["q"], at["v"], speeds)
    w.elements(e, zdot, at)
    e.factor()
    lam = e.solve()
    vdot = w.shown("vdot", lambda x: x, [e.moved(i) for i in range(nv)])
    if system.layout.keeps_books:
        own = [range(at, at + rows) for at in (lam, speeds)]
        supplied = [zdot + system.layout.books.start + 1] * rows
        w.steps.append(w.each("supply", lambda x, y: x * y, own, supplied, adds=(0,)))  # DF.3
    return {"qdot": (qdot, system.nq), "vdot": (vdot, nv), "zdot": (zdot, nz), "lam": (lam, rows)}


def flow_jacobian(system, way: SolutionWay) -> PiecedDerivatives:
    """Derivatives of the rates by the state and by time."""
    e = _equation(system, way, derives=True)
    w = e.w
    *rates, _ = _flow(e).values()
    state = [w.given[x] + i for x in "qvz" for i in range(w.sizes[x])]
    n = len(state)
    found = [at + i for at, size in rates for i in range(size)]
    return w.derivatives([*state, w.given["t"]], found, (Port("J", (n, n)), Port("ft", (n,))))


def leads(system, way: SolutionWay) -> PiecedProgram:
    """How firmly dependent speeds follow those that lead."""
    e = _equation(system, way)
    assert isinstance(e, ReducedPieces)
    e.w.masses(e, e.w.given["q"], e.w.given["v"])
    e.w.rows(e, e.w.given["q"], e.w.given["v"])
    return e.w.finish({"firm": (e.firmness(), 1)}, e.shared())


def project(system, way: SolutionWay) -> PiecedProgram:
    """The state moved onto its constraints: CK.5, CK.6."""
    e = _equation(system, way)
    q, v = _projected(e)
    return e.w.finish({"q1": (q, system.nq), "v1": (v, system.nv)}, e.shared())


def _projected(e) -> tuple[int, int]:
    """Where coordinates and speeds on the constraints are."""
    w, nv = e.w, e.w.system.nv
    at, u = w.given["q"], w.given["v"]
    w.masses(e, at, u)
    w.rows(e, at, u)
    e.factor()
    e.correct()
    at = w.moved(e, at)
    w.turn(at)
    w.residuals(e, at)
    e.correct()
    at = w.moved(e, at)
    w.turn(at)
    for _ in range(2 if e.implicit else 1):
        w.residuals(e, at, u)
        e.correct()
        found = [e.moved(i) for i in range(nv)]
        u = w.shown("v1", lambda v, dv: v + dv, list(range(u, u + nv)), found)
    return at, u
