"""Kernels of mechanisms with many loops as repeated blocks, factorized by a multifrontal method.

Equal subtrees and equal constraints are compiled once and looped over.  Subtrees fill the masses of
the KKT system `[[M, J'], [J, -mu]]`, constraints fill the rows.  The matrix is factorized front by
front (Duff and Reid 1983, CK.8).  Code grows with the number of classes, only tables with the
number of loops.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...compiler import Port, RepeatedBlockDerivatives, RepeatedBlockProgram, SharedSteps
from ...dynamics import PROXIMAL_ITERATIONS
from ...system import System
from .frontal_factorization import FrontalFactorization, Steps
from .structure import analyze_structure
from .writer import BlockWriter


class KktSystem:
    """The equation of accelerations and multipliers: slots of its numbers, and its solution."""

    def __init__(self, writer: BlockWriter):
        self.writer, self.nv = writer, writer.system.nv
        structure = writer.structure
        self.n = self.nv + structure.rows
        self.matrix = FrontalFactorization(writer, structure.strands, structure.fronts)
        self.b, self.mu = (writer.reserve(self.n, clear=True) for _ in range(2))
        self._rounds: dict[str, Steps] = {}

    def mass_slot(self, i: int, j: int) -> int:
        """Slot of an entry of the mass matrix."""
        return self.matrix.entry_slot(i, j)

    def jacobian_slot(self, row: int, j: int) -> int:
        """Slot of an entry of the constraint Jacobian."""
        return self.matrix.entry_slot(self.nv + row, j)

    def compliance_slots(self, row: int) -> list[tuple[int, int]]:
        """Slots that take the compliance of a row, with signs."""
        i = self.nv + row
        return [(-1, self.matrix.entry_slot(i, i)), (1, self.mu + self.matrix.column[i])]

    def force_slot(self, i: int) -> int:
        """Slot of the effort of a speed."""
        return self.b + self.matrix.column[i]

    def row_slot(self, row: int) -> int:
        """Slot of the right-hand side of a row."""
        return self.b + self.matrix.column[self.nv + row]

    def solution_slot(self, i: int) -> int:
        """Slot of an acceleration, or of a correction."""
        return self.matrix.solution_slot(i)

    def shared_steps(self) -> Steps:
        """Steps of the solution, the same in every kernel."""
        first = [self._right_hand_side(k)[0] for k in range(2)]
        return [*self.matrix.shared_steps(), *first]

    def factorize(self) -> None:
        self.writer.steps.extend(self.matrix.steps("eliminate"))

    def solve(self) -> None:
        """The solution of the factorized equation, with its proximal iterations."""
        for k in range(PROXIMAL_ITERATIONS):
            self.writer.steps.extend([*self._right_hand_side(k), *self.matrix.sweeps()])

    def _right_hand_side(self, k: int) -> Steps:
        """The right-hand side of a proximal iteration: CK.4."""
        if not self._rounds:
            b, mu, x = (np.arange(at, at + self.n) for at in (self.b, self.mu, self.matrix.x))
            cleared = self.matrix.clear_solution()
            w = self.writer
            again = w.map_formula("again", lambda b, mu, x: b - mu * x, [b, mu, x], x)
            self._rounds["first"] = [w.map_formula("first", lambda b: b, [b], x), *cleared]
            self._rounds["again"] = [again, *cleared]
        return self._rounds["again" if k else "first"]

    def solve_multipliers(self) -> int:
        """The solution, and the first slot of the multipliers."""
        self.solve()
        slots = [self.matrix.solution_slot(self.nv + i) for i in range(self.n - self.nv)]
        return self.writer.gather("lam", lambda x: -x, slots)


def build_solution(system: System) -> SharedSteps:
    """Factorization and sweeps, which all kernels of a system share."""
    kkt = _new_kkt(system)
    return SharedSteps(kkt.shared_steps(), kkt.writer.memory.size)


def build_flow(system: System) -> RepeatedBlockProgram:
    """Rates of the whole state, and multipliers."""
    kkt = _new_kkt(system)
    return kkt.writer.finish(_write_flow(kkt), kkt.shared_steps())


def build_flow_jacobian(system: System) -> RepeatedBlockDerivatives:
    """Derivatives of the rates by the state and by time."""
    kkt = _new_kkt(system, derives=True)
    w = kkt.writer
    *rates, _ = _write_flow(kkt).values()
    state = [w.inputs[x] + i for x in "qvz" for i in range(w.sizes[x])]
    n = len(state)
    slots = [at + i for at, size in rates for i in range(size)]
    return w.derivatives([*state, w.inputs["t"]], slots, (Port("J", (n, n)), Port("ft", (n,))))


def build_projection(system: System) -> RepeatedBlockProgram:
    """The state projected onto its constraints: CK.5, CK.6."""
    kkt = _new_kkt(system)
    w, nv = kkt.writer, system.nv
    q, v = w.inputs["q"], w.inputs["v"]
    w.write_masses(kkt, q, v)
    w.write_rows(kkt, q, v)
    kkt.factorize()
    kkt.solve()
    q = w.write_step(kkt, q)
    w.write_trigonometry(q)
    w.write_residuals(kkt, q)
    kkt.solve()
    q = w.write_step(kkt, q)
    w.write_trigonometry(q)
    w.write_residuals(kkt, q, v)
    kkt.solve()
    corrections = [kkt.solution_slot(i) for i in range(nv)]
    v = w.gather("v1", lambda v, dv: v + dv, list(range(v, v + nv)), corrections)
    return w.finish({"q1": (q, system.nq), "v1": (v, nv)}, kkt.shared_steps())


BUILDERS: dict[str, Callable[[System], RepeatedBlockProgram | RepeatedBlockDerivatives]] = {
    "flow": build_flow,
    "flow_jacobian": build_flow_jacobian,
    "project": build_projection,
}


def _new_kkt(system: System, derives: bool = False) -> KktSystem:
    return KktSystem(BlockWriter(analyze_structure(system), derives))


def _write_flow(kkt: KktSystem) -> dict[str, tuple[int, int]]:
    """Steps of the flow, and the first slot and the size of each output."""
    w, system = kkt.writer, kkt.writer.system
    rows, nv, nz, inputs = w.structure.rows, system.nv, w.sizes["z"], dict(w.inputs)
    qdot, zdot, speeds = w.reserve(system.nq), w.reserve(nz, clear=True), w.reserve(rows)
    w.write_masses(kkt, inputs["q"], inputs["v"], qdot)
    w.write_rows(kkt, inputs["q"], inputs["v"], speeds)
    w.write_elements(kkt.force_slot, zdot, inputs)
    kkt.factorize()
    lam = kkt.solve_multipliers()
    vdot = w.gather("vdot", lambda x: x, [kkt.solution_slot(i) for i in range(nv)])
    if system.layout.has_energies:
        factors = [range(at, at + rows) for at in (lam, speeds)]
        supplied = [zdot + system.layout.books.start + 1] * rows
        power = w.map_formula("supply", lambda x, y: x * y, factors, supplied, adds=(0,))  # DF.3
        w.steps.append(power)
    return {"qdot": (qdot, system.nq), "vdot": (vdot, nv), "zdot": (zdot, nz), "lam": (lam, rows)}
