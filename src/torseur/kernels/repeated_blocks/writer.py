"""Steps of a kernel of repeated blocks: masses and rows by classes, force elements, results."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiler import (
    OrderedBlocks,
    Piece,
    Port,
    RepeatedBlockDerivatives,
    RepeatedBlockProgram,
    SincosSlots,
    SlotAllocator,
    read,
)
from ...dynamics import PROXIMAL, compliances
from ...quantities import PORTS
from ...scalars import Graph, matrix
from ..link_loops.force_loops import ElementLoops
from .block_classes import ConstraintClass, is_nonzero
from .frontal_factorization import Steps, slot_table
from .structure import BlockStructure

if TYPE_CHECKING:
    from .kkt_kernel import KktSystem


class BlockWriter:
    """The steps of one kernel of a system, in their order, over one array of work memory."""

    def __init__(self, structure: BlockStructure, derives: bool = False):
        self.structure, self.system = structure, structure.system
        self.derives = derives  # whether a derivative stands beside every number
        self.memory = SlotAllocator()
        self.steps: Steps = []
        self.cleared: list[tuple[int, int]] = []
        layout = structure.system.layout
        self.sizes = {x: 1 if x == "t" else len(getattr(layout, x)) for x in PORTS}
        self.inputs = {x: self.memory.part(n) for x, n in self.sizes.items()}
        self._with_trigonometry: set[int] = set()
        self.programs: dict[Any, Any] = {}
        self.named = self.reserve(len(structure.named))  # expressions of parameters
        if structure.named:
            p = slot_table([range(at := self.inputs["p"], at + self.sizes["p"])])
            to = slot_table([range(self.named, self.named + len(structure.named))])
            program = self.compile_function(structure.from_parameters)
            self.steps.append(Piece("named", program, np.zeros((1, 0)), p, to))

    def reserve(self, n: int, clear: bool = False) -> int:
        """First slot of n new slots, which start at zero with `clear`."""
        first = self.memory.part(n)
        if clear and n:
            before, size = self.cleared.pop() if self.cleared else (first, 0)
            end = before + -(-size // 8) * 8
            ranges = [(before, end + n - before)] if end == first else [(before, size), (first, n)]
            self.cleared += ranges
        return first

    def append_class(self, key, block_class, x, y, reads, writes) -> None:
        """Append the step of a class: `x` and `y` are its numbers, `reads` and `writes` slots."""
        if not len(y):
            return
        template = block_class.template
        if key not in self.programs:
            self.programs[key] = self.compile_function(template.function(x, y))
        inputs, outputs = slot_table(reads), slot_table(writes)
        if len(template.p):
            inputs = np.hstack([inputs, self.named + self.structure.named_indices(block_class)])
        order = np.argsort(outputs[:, 0], kind="stable")  # members of one strand are neighbors
        tables = template.constants[order], inputs[order], outputs[order]
        self.steps.append(Piece(str(key), self.programs[key], *tables, ()))

    def compile_function(self, f: Any) -> Any:
        """The program of a function of constants and numbers, with its derivative if required."""
        from casadi import SX, Function, jtimes, vertcat

        if not self.derives:
            return read(f)
        c, x, dx = (SX.sym(n, f.size1_in(i)) for i, n in ((0, "c"), (1, "x"), (1, "dx")))
        y = f(c, x)
        return read(Function("moved", [c, vertcat(x, dx)], [vertcat(y, jtimes(y, x, dx))]))

    def write_trigonometry(self, q: int) -> None:
        """Sines and cosines of coordinates, once."""
        if q not in self._with_trigonometry and self.system.nq:
            self._with_trigonometry.add(q)
            n = self.system.nq
            self.steps.append(SincosSlots(q, n, self.reserve(n), self.reserve(n)))

    # masses and rows --------------------------------------------------------------------------

    def write_masses(self, kkt: KktSystem, q: int, v: int, qdot: int | None = None) -> None:
        """Entries of the mass matrix.  With `qdot` also rates of coordinates and minus the bias."""
        self.write_trigonometry(q)
        for k, tree in enumerate(self.structure.trees):
            M, h = tree.terms
            symbols, has_rates = tree.symbols, qdot is not None
            x, y = [*symbols["q"]], [M[i, j] for i, j in tree.pattern]
            if has_rates:
                x, y = [*x, *symbols["v"]], [*y, *-h, *tree.rates]
            reads, writes = [], []
            for q_slots, v_slots in zip(tree.q, tree.v, strict=True):
                reads.append([q + i for i in q_slots] + [v + i for i in v_slots] * has_rates)
                slots = [kkt.mass_slot(v_slots[i], v_slots[j]) for i, j in tree.pattern]
                if qdot is not None:
                    slots += [kkt.force_slot(i) for i in v_slots] + [qdot + i for i in q_slots]
                writes.append(slots)
            self.append_class(("tree", has_rates, k), tree, x, y, reads, writes)

    def write_rows(self, kkt: KktSystem, q: int, v: int, speeds: int | None = None) -> None:
        """Entries of the rows, their compliance, and right-hand sides.

        With `speeds` the right-hand sides are those of accelerations, and `speeds` takes the speeds
        along the rows.  Without, they undo residuals of positions.
        """
        for k, rows_class in enumerate(self.structure.constraints):
            K, J = rows_class.template.K, matrix(rows_class.J)
            M = K.symbols(f"M{i}" for i in range(len(rows_class.v[0])))
            soft = compliances(K, _diagonal(M), J, [0] * rows_class.size, PROXIMAL)  # CK.3
            nonzeros = [
                (i, j) for i in range(rows_class.size) for j in range(len(M)) if is_nonzero(J[i, j])
            ]
            symbols, has_rates = rows_class.symbols, speeds is not None
            first = int(self.structure.first[rows_class.members[0]])
            signs = [sign for sign, _ in kkt.compliance_slots(first)]
            x = [rows_class.t, *rows_class.history, *symbols["q"], *M, *[*symbols["v"]] * has_rates]
            y = [*(J[a] for a in nonzeros), *(sign * c for c in soft for sign in signs)]
            y += (
                [*rows_class.gamma, *(J @ symbols["v"])]
                if has_rates
                else [-a for a in rows_class.phi]
            )
            reads, writes = [], []
            times = self._time_slots(rows_class)
            for (member, q_slots, v_slots), time in zip(rows_class.each, times, strict=True):
                rows = range(first := int(self.structure.first[member]), first + rows_class.size)
                masses = (kkt.mass_slot(i, i) for i in v_slots)
                reads.append(
                    [*time, *(q + i for i in q_slots), *masses]
                    + [v + i for i in v_slots] * has_rates
                )
                slots = [kkt.jacobian_slot(rows[i], v_slots[j]) for i, j in nonzeros]
                slots += [slot for i in rows for _, slot in kkt.compliance_slots(i)]
                count = rows_class.size if has_rates else len(rows_class.phi)
                slots += [kkt.row_slot(i) for i in rows[:count]]
                if speeds is not None:
                    slots += [speeds + i for i in rows]
                writes.append(slots)
            self.append_class(("rows", has_rates, k), rows_class, x, y, reads, writes)

    def _time_slots(self, rows_class: ConstraintClass) -> Iterator[list[int]]:
        """Slots of the time, and of the segment of a table in which it is, for each member."""
        for slots in rows_class.m:
            yield [self.inputs["t"], *(self.inputs["m"] + i for i in slots)]

    def write_residuals(self, kkt: KktSystem, q: int, v: int | None = None) -> None:
        """Right-hand sides that undo residuals of positions, or of speeds."""
        for k, rows_class in enumerate(self.structure.constraints):
            symbols = rows_class.symbols
            x = [
                rows_class.t,
                *rows_class.history,
                *symbols["q"],
                *[*symbols["v"]] * (v is not None),
            ]
            y = [-a for a in (rows_class.phi if v is None else rows_class.psi)]
            reads, writes = [], []
            times = self._time_slots(rows_class)
            for (member, q_slots, v_slots), time in zip(rows_class.each, times, strict=True):
                speeds = [] if v is None else [v + i for i in v_slots]
                reads.append([*time, *(q + i for i in q_slots), *speeds])
                first = int(self.structure.first[member])
                writes.append([kkt.row_slot(first + i) for i in range(len(y))])
            self.append_class(("residual", v is None, k), rows_class, x, y, reads, writes)

    # elements and results ---------------------------------------------------------------------

    def write_elements(
        self, force_slot: Callable[[int], int], zdot: int, inputs: dict[str, int]
    ) -> None:
        """Efforts of force elements, and rates of their states."""
        columns = {"tau": force_slot, "zdot": lambda i: zdot + i}
        for work in ElementLoops(self.system).works:
            key = ("element", work.name)
            if key not in self.programs:
                self.programs[key] = self.compile_function(_join_inputs(work.function))
            ports = [inputs[x] + i for x in work.whole for i in range(self.sizes[x])]
            reads = [[inputs[x] + i for x, i in member] + ports for member in work.reads]
            writes = [[columns[x](i) for x, i in member] for member in work.adds]
            tables = slot_table(reads), slot_table(writes), tuple(range(len(writes[0])))
            self.steps.append(Piece(work.name, self.programs[key], work.constants, *tables))

    def map_formula(
        self, name: str, formula: Callable, reads: Sequence, writes: Any, adds: tuple = ()
    ) -> Piece:
        """A formula of a few numbers for many: columns of slots that it reads, and writes."""
        K = Graph()
        x = K.symbols(f"x{i}" for i in range(len(reads)))
        f = K.lib.Function(name, [K.sx(K.symbols([])), K.sx(x)], [K.lib.densify(K.sx(formula(*x)))])
        at, to = np.array(reads, dtype=np.int64).T, np.array(writes, dtype=np.int64)[:, None]
        program = self.compile_function(f)
        return Piece(name, program, np.zeros((len(to), 0)), at.reshape(len(to), -1), to, adds)

    def clear_slots(self, slots: Any) -> Piece:
        return self.map_formula("cleared", lambda _: 0, [slots], slots)

    def gather(self, name: str, formula: Callable, *reads: list[int]) -> int:
        """First slot of the results of a formula of many, side by side in memory."""
        first, n = self.reserve(len(reads[0])), len(reads[0])
        self.steps.append(self.map_formula(name, formula, [*reads], np.arange(first, first + n)))
        return first

    def write_step(self, kkt: KktSystem, q: int) -> int:
        """First slot of the coordinates after the small motion that the solution is."""
        to = self.reserve(self.system.nq)
        for k, tree in enumerate(self.structure.trees):
            reads = [
                [q + i for i in q_slots] + [kkt.solution_slot(i) for i in v_slots]
                for q_slots, v_slots in zip(tree.q, tree.v, strict=True)
            ]
            writes = [[to + i for i in own] for own in tree.q]
            x = [*tree.symbols["q"], *tree.symbols["dv"]]
            self.append_class(("moved", k), tree, x, tree.stepped, reads, writes)
        return to

    def finish(self, outputs: dict[str, tuple[int, int]], shared: Steps) -> RepeatedBlockProgram:
        """The kernel, from the first slot and size of each output and steps shared by kernels."""
        return RepeatedBlockProgram(
            self._input_ports,
            tuple(Port(x, (n,)) for x, (_, n) in outputs.items()),
            self.inputs,
            {x: at for x, (at, _) in outputs.items()},
            self.steps,
            self.memory.size,
            tuple(self.cleared),
            shared,
        )

    @property
    def _input_ports(self) -> tuple[Port, ...]:
        return tuple(Port(x, () if x == "t" else (n,)) for x, n in self.sizes.items())

    def derivatives(
        self, wrt: list[int], slots: list[int], outputs: tuple[Port, ...]
    ) -> RepeatedBlockDerivatives:
        """The kernel of derivatives of the numbers in some slots by those in `wrt`."""
        size = self.memory.size
        steps: dict[int, Any] = {}

        def differentiate(x: Piece) -> Piece:
            reads, writes = (np.hstack([at, at + size]) for at in (x.reads, x.writes))
            more = tuple(x.writes.shape[1] + j for j in x.adds)
            return x._replace(reads=reads, writes=writes, adds=x.adds + more)

        for x in self.steps:
            if id(x) not in steps:
                steps[id(x)] = differentiate(x) if isinstance(x, Piece) else x
                if isinstance(x, OrderedBlocks):
                    steps[id(x)] = x._replace(pieces=tuple(map(differentiate, x.pieces)))
        ordered, cleared = [steps[id(x)] for x in self.steps], tuple(self.cleared)
        ports = self._input_ports, outputs, self.inputs
        return RepeatedBlockDerivatives(*ports, ordered, size, cleared, wrt, slots)


def _diagonal(M) -> np.ndarray:
    out = matrix([[0] * len(M) for _ in M])
    for i, x in enumerate(M):
        out[i, i] = x
    return out


def _join_inputs(f: Any) -> Any:
    """A function of constants and several arrays as one of constants and a single array."""
    from casadi import SX, Function, vertsplit

    sizes = [f.size1_in(i) for i in range(f.n_in())]
    c, x = SX.sym("c", sizes[0]), SX.sym("x", sum(sizes[1:]))
    parts = vertsplit(x, np.cumsum([0, *sizes[1:]]).tolist()) if sum(sizes[1:]) else []
    return Function("joined", [c, x], f.call([c, *parts]))
