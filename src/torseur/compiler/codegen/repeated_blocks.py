"""Repeated blocks: programs of the same code over different slots of one memory.

All numbers of a kernel live in one memory of slots.  A block is a straight-line program with tables
of the slots and constants of its members.  Its code is compiled once and looped over the tables, so
that the code does not grow with the number of members, only the tables do.  Independent members are
computed in the lanes of a vector (superword parallelism).
"""

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..program.ports import Port
from ..program.program import LIBM_ARITY, Program
from ..program.table_lookup import list_lookups
from . import sincos
from .basic_block import KernelBody
from .entry_points import entry_points, packed, write_functions
from .llvm_builder import IRBuilder, format_double
from .subroutines import format_parameters

SIMD_LANES = 8
"""Members that are computed side by side, whatever the machine: it may take two halves."""
ALIGNMENT = 64
INLINE_ATTRIBUTE = "alwaysinline"  # numbers between pieces stay in registers
MAX_UNROLLED_NODES = 1000  # nodes of members one after the other that are written without a loop
MIN_SIMD_NODES = 8  # smaller programs are vectorized by LLVM itself
MAX_SIMD_NODES = 600  # larger programs get no second version for vectors of members


class Piece(NamedTuple):
    """Block: program of constants `c` and inputs `x` with outputs `y`, and slots of its members."""

    name: str
    program: Program
    constants: np.ndarray  # (members, n)
    reads: np.ndarray  # (members, numbers of x), slots
    writes: np.ndarray  # (members, numbers of y), slots
    adds: tuple[int, ...] = ()  # numbers of y that are added to what is there


class OrderedBlocks(NamedTuple):
    """Blocks whose members are run in one order: rows of (block, member).

    With `group_size` > 1 the order counts groups of so many members, which are independent.
    """

    pieces: tuple[Piece, ...]
    order: np.ndarray  # (n, 2)
    group_size: int = 1


class SincosSlots(NamedTuple):
    """Sines and cosines of neighboring slots, which blocks read instead of taking them."""

    first: int
    angles: int  # how many
    sines: int
    cosines: int


class SlotAllocator:
    """Allocator of slots, each part aligned to a vector."""

    def __init__(self):
        self.size = 0

    def part(self, count: int) -> int:
        """First of `count` new slots.  A whole vector may be read from the last."""
        first, self.size = self.size, self.size + -(-max(count, 1) // 8) * 8
        return first


class RepeatedBlockProgram:
    """Program of blocks in a given order, with the interface that `Kernel` needs.

    `input_slots` and `output_slots` are the first slots of its ports, which are contiguous in
    memory.  `cleared` are ranges (first, count) that start at zero.  `shared_steps` are steps of a
    `SharedSteps` kernel, whose memory begins with the same slots.
    """

    def __init__(
        self,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        given: Mapping[str, int],
        shown: Mapping[str, int],
        steps: list[Piece | OrderedBlocks | SincosSlots],
        size: int,
        cleared: tuple[tuple[int, int], ...] = (),
        shared: Sequence[Piece | OrderedBlocks | SincosSlots] = (),
    ):
        """Replace sines in blocks by slots of the `SincosSlots` steps, and drop unused steps."""
        self.shared_steps = [*shared]
        self.inputs, self.outputs = inputs, outputs
        self.input_slots, self.output_slots, self.size, self.cleared = given, shown, size, cleared
        turns = [x for x in steps if isinstance(x, SincosSlots)]
        steps_by_id = {
            id(x): _read_sincos_slots(x, turns) if isinstance(x, Piece) else x for x in steps
        }
        read_slots = {
            int(at) for x in steps_by_id.values() if isinstance(x, Piece) for at in x.reads.flat
        }
        unused = {
            id(x) for x in turns if read_slots.isdisjoint(range(x.sines, x.cosines + x.angles))
        }
        self.steps = [steps_by_id[id(x)] for x in steps if id(x) not in unused]  # one stays one
        self.sincos_steps = [x for x in self.steps if isinstance(x, SincosSlots)]
        self.blocks = [p for x in self.steps for p in list_blocks(x)]
        programs = {id(x.program): x.program for x in self.blocks}
        parts = [r for p in programs.values() for r in (p, *p.routines)]
        self.nodes = [node for p in parts for node in p.nodes]

    @property
    def operations(self) -> dict[str, int]:
        total = Counter({"trig": sum(x.angles for x in self.sincos_steps)})
        for x in self.blocks:
            for op, n in x.program.operations.items():
                total[op] += n * len(x.reads)
        return dict(total)

    @cached_property
    def stamp(self) -> str:
        """SHA-256 of programs, tables and orders."""
        digest = hashlib.sha256(repr((self.inputs, self.outputs, self.sincos_steps)).encode())
        for x in self.blocks:
            digest.update(x.program.stamp.encode())
            for table in (x.constants, x.reads, x.writes):
                digest.update(repr(table.shape).encode() + np.ascontiguousarray(table).tobytes())
        for step in self.steps:
            if isinstance(step, OrderedBlocks):
                digest.update(repr(step.group_size).encode() + step.order.tobytes())
        return digest.hexdigest()

    def module(self, lanes: int, fused: bool) -> str:
        """LLVM IR with `@thunk`, `@kernel` and `@gufunc`."""
        parts = [*RepeatedBlockWriter(self, lanes, fused).write_functions()]
        return "\n".join([*parts, entry_points(self), packed(self)])


class SharedSteps(RepeatedBlockProgram):
    """Steps that several kernels share, compiled once: step number `what` over a memory `W`."""

    def __init__(self, steps: list[Piece | OrderedBlocks | SincosSlots], size: int):
        super().__init__((Port("what", ()),), (Port("W", (size,)),), {}, {}, steps, size)

    @property
    def operations(self) -> dict[str, int]:
        return {}  # those who take the steps count them


class RepeatedBlockDerivatives(RepeatedBlockProgram):
    """Forward-mode derivatives of `dependent_slots` by `independent_slots`, one at a time.

    Its blocks propagate a tangent of every number, whose slot is `size` after the slot of the
    number.  Outputs are the columns of all but the last independent slot, and the last column.
    """

    def __init__(
        self,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        given: Mapping[str, int],
        steps: list[Piece | OrderedBlocks | SincosSlots],
        size: int,
        cleared: tuple[tuple[int, int], ...],
        wrt: Sequence[int],
        found: Sequence[int],
    ):
        """Program over numbers, their tangents, and the columns of the result."""
        self.tangent_offset, self.independent_slots, self.dependent_slots = size, wrt, found
        n_slots = 2 * size + len(wrt) * len(found)
        super().__init__(inputs, outputs, given, {}, steps, n_slots, cleared)

    @property
    def operations(self) -> dict[str, int]:
        return {op: len(self.independent_slots) * n for op, n in super().operations.items()}


def list_blocks(step: Piece | OrderedBlocks | SincosSlots) -> tuple[Piece, ...]:
    """Blocks of a step."""
    if isinstance(step, Piece):
        return (step,)
    return step.pieces if isinstance(step, OrderedBlocks) else ()


def _read_sincos_slots(block: Piece, sincos_steps: list[SincosSlots]) -> Piece:
    """Block that reads sines and cosines from slots, as further inputs."""
    program, columns = block.program, []
    nodes, width = list(program.nodes), block.reads.shape[1]
    for k, (op, *args) in enumerate(program.nodes):
        if op not in ("sin", "cos") or nodes[args[0] >> 1][:2] != ("input", 1):
            continue
        slots = block.reads[:, nodes[args[0] >> 1][2]]
        for ir in sincos_steps:
            if ir.first <= slots.min() and slots.max() < ir.first + ir.angles:
                columns.append(slots - ir.first + (ir.sines if op == "sin" else ir.cosines))
                nodes[k] = ("input", 1, width + len(columns) - 1)
    if not columns:
        return block
    ports = (program.inputs[0], Port("x", (width + len(columns),)))
    return block._replace(
        program=replace(program, inputs=ports, nodes=tuple(nodes)),
        reads=np.column_stack([block.reads, *columns]),
    )


class RepeatedBlockWriter:
    """LLVM IR of loops over members: each different step is a function of the memory."""

    def __init__(self, pieces: RepeatedBlockProgram, lanes: int, fused: bool):
        """Writer of a program, for vectors of `lanes` doubles."""
        self.program, self.lanes, self.fused = pieces, lanes, fused
        self.ir = IRBuilder(1, fused)
        self.tables: list[str] = []
        self.step_names: dict[int, str] = {}  # functions, by identity of what they do
        self.program_names: dict[tuple[int, int], str] = {}  # and by how many members they take
        self.n_blocks_written = 0  # of pieces written
        self.lanes_of_steps: dict[int, int] = {}  # of steps, by identity
        self.shared_numbers = {id(x): k for k, x in enumerate(pieces.shared_steps)}
        # steps whose code is in this module
        self.steps = [x for x in pieces.steps if id(x) not in self.shared_numbers]

    def write_functions(self) -> Iterator[str]:
        """Declarations, tables, functions of blocks and steps, and `@thunk`."""
        declared = {
            "declare ptr @torseur.malloc(i64)",
            "declare void @torseur.free(ptr)",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        }
        if self.program.sincos_steps:
            declared.add(sincos.declare_sincos(sincos.sincos_symbol(self.lanes, self.fused)))
        if self.shared_numbers:
            declared.add("declare void @torseur.ahead(ptr, ptr)")
        functions = []
        for x, width in self._iterate_programs():
            if (id(x.program), width) not in self.program_names:
                name = self.program_names[id(x.program), width] = f"piece{len(self.program_names)}"
                body = KernelBody(x.program, width, self.lanes, self.fused)
                body.has_port_pointers = True
                body.routines = {
                    r: f"@{name}.{routine[1:]}" for r, routine in body.routines.items()
                }
                parameters = format_parameters(x.program)
                head = f"define internal void @{name}({parameters}) {INLINE_ATTRIBUTE}"
                needed, *texts = write_functions(body, head)
                functions += texts
                declared |= set(needed.splitlines())
        for step in self.steps:
            if id(step) not in self.step_names:
                name = self.step_names[id(step)] = f"step{len(self.step_names)}"
                functions.append(
                    f"define internal void @{name}(ptr %W) noinline "
                    f"{{\n{self._write_step(step)}\n}}\n"
                )
        thunk = (
            self._write_step_switch()
            if isinstance(self.program, SharedSteps)
            else self._write_thunk()
        )
        yield from (*sorted(declared), *self.tables, *functions, thunk)

    def _write_step_switch(self) -> str:
        """Function `@thunk` that runs one step by its number."""
        ir = IRBuilder(1, self.fused)
        ir.start_block("entry")
        number = ir.cast_value("fptosi", ir.load_value("%what", 8), "double", "i64")
        cases = " ".join(f"i64 {k}, label %do{k}" for k in range(len(self.program.steps)))
        ir.emit_line(f"switch i64 {number}, label %done [{cases}]")
        for k, x in enumerate(self.program.steps):
            ir.start_block(f"do{k}")
            ir.emit_line(f"call void @{self.step_names[id(x)]}(ptr %W)")
            ir.emit_line("br label %done")
        ir.start_block("done")
        ir.emit_line("ret void")
        return f"define void @thunk(ptr noalias readonly %what, ptr %W) {{\n{ir}\n}}\n"

    def _write_thunk(self) -> str:
        """Function `@thunk`: inputs to slots, all steps, slots to outputs."""
        p, ir = self.program, IRBuilder(1, self.fused)
        self.ir = ir
        ir.start_block("entry")
        raw = ir.emit_value(f"call ptr @torseur.malloc(i64 {8 * p.size + ALIGNMENT})")
        up = ir.binary_op(
            "add", ir.cast_value("ptrtoint", raw, "ptr", "i64"), str(ALIGNMENT - 1), "i64"
        )
        ir.emit_line(f"%aligned = and i64 {up}, -{ALIGNMENT}")
        ir.emit_line("%W = inttoptr i64 %aligned to ptr")
        for port in (x for x in p.inputs if x.size and x.name in p.input_slots):
            self._copy_doubles(
                self.slot_pointer("%W", p.input_slots[port.name]), f"%{port.name}", port.size
            )
        if isinstance(p, RepeatedBlockDerivatives):
            self._write_derivatives(p)
        else:
            self._call_steps()
            for port in (x for x in p.outputs if x.size):
                self._copy_doubles(
                    f"%{port.name}", self.slot_pointer("%W", p.output_slots[port.name]), port.size
                )
        ir.emit_line(f"call void @torseur.free(ptr {raw})")
        ir.emit_line("ret void")
        heads = [f"ptr noalias readonly %{x.name}" for x in p.inputs]
        heads += [f"ptr noalias %{x.name}" for x in p.outputs]
        return f"define void @thunk({', '.join(heads)}) {{\n{ir}\n}}\n"

    def _clear_slots(self, first: int, n: int) -> None:
        pointer = self.slot_pointer("%W", first)
        self.ir.emit_line(
            f"call void @llvm.memset.p0.i64(ptr {pointer}, i8 0, i64 {8 * n}, i1 false)"
        )

    def _call_steps(self) -> None:
        """Call all steps, one after the other."""
        for first, n in self.program.cleared:
            self._clear_slots(first, n)
        numbers = map(format_double, map(float, range(len(self.shared_numbers))))
        numbers_table = self.add_table("what", "double", numbers) if self.shared_numbers else ""
        for x in self.program.steps:
            if id(x) in self.shared_numbers:
                number = self.slot_pointer(numbers_table, self.shared_numbers[id(x)])
                self.ir.emit_line(f"call void @torseur.ahead(ptr {number}, ptr %W)")
            else:
                self.ir.emit_line(f"call void @{self.step_names[id(x)]}(ptr %W)")

    def load_index(self, table: str, index: str) -> str:
        pointer = self.ir.emit_value(f"getelementptr i32, ptr {table}, i64 {index}")
        return self.ir.cast_value(
            "sext", self.ir.emit_value(f"load i32, ptr {pointer}"), "i32", "i64"
        )

    def _write_derivatives(self, p: RepeatedBlockDerivatives) -> None:
        """One pass for each direction, then the columns as rows of outputs."""
        ir, n = self.ir, len(p.dependent_slots)
        wrt, found_slots = (
            self.add_table(x, "i32", map(str, y))
            for x, y in (("wrt", p.independent_slots), ("found", p.dependent_slots))
        )
        tangents, columns = (
            self.slot_pointer("%W", p.tangent_offset),
            self.slot_pointer("%W", 2 * p.tangent_offset),
        )
        with ir.count_loop(str(len(p.independent_slots))) as j:
            self._clear_slots(p.tangent_offset, p.tangent_offset)
            ir.store_value(
                ir.real_constant(1.0), self.slot_pointer(tangents, self.load_index(wrt, j)), 8
            )
            self._call_steps()
            column = self.slot_pointer(columns, ir.binary_op("mul", j, str(n), "i64"))
            with ir.count_loop(str(n)) as i:
                ir.store_value(
                    ir.load_value(self.slot_pointer(tangents, self.load_index(found_slots, i)), 8),
                    self.slot_pointer(column, i),
                    8,
                )
        J, last = p.outputs
        with ir.count_loop(str(n)) as i:
            row = self.slot_pointer(f"%{J.name}", ir.binary_op("mul", i, str(J.shape[1]), "i64"))
            row_of_columns = self.slot_pointer(columns, i)
            with ir.count_loop(str(J.shape[1])) as j:
                x = ir.load_value(
                    self.slot_pointer(row_of_columns, ir.binary_op("mul", j, str(n), "i64")), 8
                )
                ir.store_value(x, self.slot_pointer(row, j), 8)
            ir.store_value(
                ir.load_value(self.slot_pointer(row_of_columns, J.shape[1] * n), 8),
                self.slot_pointer(f"%{last.name}", i),
                8,
            )

    def _iterate_programs(self) -> Iterator[tuple[Piece, int]]:
        """Blocks with the numbers of members for which code is needed."""
        for step in self.steps:
            for x in list_blocks(step):
                lanes = self._count_step_lanes(step)
                if lanes > 1:
                    yield x, lanes
                if lanes == 1 or len(x.reads) % lanes:
                    yield x, 1

    def _count_step_lanes(self, x: Piece | OrderedBlocks | SincosSlots) -> int:
        """Number of members of a step that are computed in one vector."""
        if id(x) not in self.lanes_of_steps:
            self.lanes_of_steps[id(x)] = (
                x.group_size
                if isinstance(x, OrderedBlocks)
                else _count_independent_members(x)
                if isinstance(x, Piece)
                else 1
            )
        return self.lanes_of_steps[id(x)]

    def _write_step(self, x: Piece | OrderedBlocks | SincosSlots) -> IRBuilder:
        """Function body of one step."""
        ir = self.ir = IRBuilder(1, self.fused)
        ir.start_block("entry")
        numbers = range(self.n_blocks_written, self.n_blocks_written + len(list_blocks(x)))
        self.n_blocks_written = numbers.stop
        lanes = self._count_step_lanes(x)
        for k, block in zip(numbers, list_blocks(x), strict=True):
            for name, n in (("inputs", block.reads.shape[1]), ("outputs", block.writes.shape[1])):
                ir.emit_line(
                    f"%{name}{k} = alloca [{max(n, 1) * lanes} x double], align {8 * lanes}"
                )
        if isinstance(x, SincosSlots):
            self._write_sincos(x)
        elif isinstance(x, Piece):
            n_groups = len(x.reads) // lanes
            with ir.count_loop(str(n_groups)) as i:
                self._write_member(numbers[0], x, i, lanes, 0)
            if n_groups * lanes < len(x.reads):
                with ir.count_loop(str(len(x.reads) - n_groups * lanes)) as i:
                    self._write_member(numbers[0], x, i, 1, n_groups * lanes)
        else:
            self._write_ordered_blocks(x, numbers)
        ir.emit_line("ret void")
        return ir

    def slot_pointer(self, base: str, index: int | str) -> str:
        return self.ir.emit_value(f"getelementptr double, ptr {base}, i64 {index}")

    def _copy_doubles(self, target: str, source: str, n: int) -> None:
        self.ir.emit_line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {target}, ptr {source}, i64 {8 * n}, i1 false)"
        )

    def _write_sincos(self, x: SincosSlots) -> None:
        """Sines and cosines of a range of slots, padded to whole vectors."""
        ir, n_padded = self.ir, -(-x.angles // self.lanes) * self.lanes
        for k in range(x.angles, n_padded):
            ir.emit_line(f"store double 0.0, ptr {self.slot_pointer('%W', x.first + k)}")
        arguments = ", ".join(
            f"ptr {self.slot_pointer('%W', slot)}" for slot in (x.first, x.sines, x.cosines)
        )
        name = sincos.sincos_symbol(self.lanes, self.fused)
        ir.emit_line(f"call void @torseur.{name}({arguments}, i64 {n_padded - self.lanes})")

    def _write_ordered_blocks(self, x: OrderedBlocks, numbers: range) -> None:
        """Loop over members of several blocks, by a switch.  Short orders are unrolled."""
        ir, tag = self.ir, f"order{numbers[0]}"
        if sum(len(x.pieces[k].program.nodes) for k, _ in x.order) <= MAX_UNROLLED_NODES:
            for position, (j, row) in enumerate(x.order):
                block, members = x.pieces[j], slice(row * x.group_size, (row + 1) * x.group_size)
                member = block._replace(
                    constants=block.constants[members],
                    reads=block.reads[members],
                    writes=block.writes[members],
                )
                self._write_member(numbers[j], member, "0", x.group_size, 0, f".{position}")
            return
        kinds, rows = (self.add_table(f"{tag}.{k}", "i32", map(str, x.order[:, k])) for k in (0, 1))

        with ir.count_loop(str(len(x.order))) as n:
            kind, i = self.load_index(kinds, n), self.load_index(rows, n)
            cases = " ".join(f"i64 {j}, label %{tag}.{j}" for j in range(len(numbers)))
            ir.emit_line(f"switch i64 {kind}, label %{tag}.0 [{cases}]")
            for j, (k, piece) in enumerate(zip(numbers, x.pieces, strict=True)):
                ir.start_block(f"{tag}.{j}")
                self._write_member(k, piece, i, x.group_size, 0)
                ir.emit_line(f"br label %{tag}.done")
            ir.start_block(f"{tag}.done")

    def _write_member(
        self, k: int, x: Piece, i: str, lanes: int, start: int, suffix: str = ""
    ) -> None:
        """Gather, call and scatter of one member, or of some in a vector."""
        ir, tag = self.ir, f"{k}.{lanes}{suffix}"
        end = start + (len(x.reads) - start) // lanes * lanes
        constants = x.constants[start:end].reshape(
            (end - start) // lanes, lanes, x.constants.shape[1]
        )
        ordered = constants.transpose(0, 2, 1).ravel().tolist()
        const = self.add_table(f"c{tag}", "double", map(format_double, ordered))
        bases = _SlotAddresses(self, tag, i, np.hstack([x.reads, x.writes])[start:end], lanes)
        vector = IRBuilder(lanes, self.fused).real_type

        for j in range(x.reads.shape[1]):
            argument = self.slot_pointer(f"%inputs{k}", j * lanes)
            if (pointer := bases.vector_pointer(j)) is not None:
                value = ir.emit_value(f"load {vector}, ptr {pointer}, align 8")
                ir.emit_line(f"store {vector} {value}, ptr {argument}, align {8 * lanes}")
                continue
            for n in range(lanes):
                ir.store_value(
                    ir.load_value(bases.member_pointer(j, n), 8), self.slot_pointer(argument, n), 8
                )
        constants_pointer = self.slot_pointer(
            const, ir.binary_op("mul", i, str(lanes * x.constants.shape[1]), "i64")
        )
        name = self.program_names[id(x.program), lanes]
        ir.emit_line(f"call void @{name}(ptr {constants_pointer}, ptr %inputs{k}, ptr %outputs{k})")
        for j in range(x.writes.shape[1]):
            result, column = self.slot_pointer(f"%outputs{k}", j * lanes), x.reads.shape[1] + j
            if (pointer := bases.vector_pointer(column)) is not None:
                value = ir.emit_value(f"load {vector}, ptr {result}, align {8 * lanes}")
                if j in x.adds:
                    old = ir.emit_value(f"load {vector}, ptr {pointer}, align 8")
                    value = ir.binary_op("fadd", old, value, vector)
                ir.emit_line(f"store {vector} {value}, ptr {pointer}, align 8")
                continue
            for n in range(lanes):
                value, target = (
                    ir.load_value(self.slot_pointer(result, n), 8),
                    bases.member_pointer(column, n),
                )
                if j in x.adds:
                    value = ir.binary_op("fadd", ir.load_value(target, 8), value)
                ir.store_value(value, target, 8)

    def add_table(self, name: str, kind: str, items: Iterable[str]) -> str:
        items = [*items] or ["0x0000000000000000" if kind == "double" else "0"]
        values = ", ".join(f"{kind} {x}" for x in items)
        text = f"@{name} = internal constant [{len(items)} x {kind}] [{values}], align {ALIGNMENT}"
        self.tables.append(text)
        return f"@{name}"


class _SlotAddresses:
    """Addresses of the slots of members at a loop index: affine in the index, or from a table."""

    def __init__(
        self, text: RepeatedBlockWriter, tag: str, index: str, slots: np.ndarray, wide: int
    ):
        self.writer, self.tag, self.index, self.lanes = text, tag, index, wide
        self.slots = slots.reshape(len(slots) // wide, wide, slots.shape[1])
        self.tables: dict[bytes, tuple[int, str]] = {}
        self.base_pointers: dict[tuple[int, str], str] = {}

    def vector_pointer(self, column: int) -> str | None:
        """Address of the first slot where those of all lanes are contiguous, or None."""
        slots = self.slots[:, :, column]
        if (slots != slots[:, :1] + np.arange(self.lanes)).any():
            return None
        return self.member_pointer(column, 0)

    def member_pointer(self, column: int, n: int) -> str:
        """Address of the slot of one member: by a constant step, or by a table."""
        ir, slots = self.writer.ir, self.slots[:, n, column]
        key = (slots - slots[0]).tobytes()
        if key not in self.tables:
            step = int(slots[1] - slots[0]) if len(slots) > 1 else 0
            is_affine = (slots - slots[0] == step * np.arange(len(slots))).all()
            name = f"s{self.tag}.{len(self.tables)}"
            name = (
                "" if is_affine else self.writer.add_table(name, "i32", map(str, slots - slots[0]))
            )
            self.tables[key] = (step if is_affine else 0, name)
        step, table = self.tables[key]
        if (step, table) not in self.base_pointers:
            index = (
                self.writer.load_index(table, self.index)
                if table
                else ir.binary_op("mul", self.index, str(step), "i64")
            )
            self.base_pointers[step, table] = self.writer.slot_pointer("%W", index)
        return self.writer.slot_pointer(self.base_pointers[step, table], int(slots[0]))


def _count_independent_members(x: Piece) -> int:
    """Members in a vector: `SIMD_LANES` if none reads a slot that another writes."""
    nodes = x.program.nodes
    call_ops = {*LIBM_ARITY, "sin", "cos", "got", "ahead", *list_lookups(nodes)}
    is_call_free = all(op not in call_ops for op, *_ in nodes)
    groups = len(x.reads) // SIMD_LANES
    if (
        not (is_call_free and groups > 1 and MIN_SIMD_NODES < len(nodes) <= MAX_SIMD_NODES)
        or x.program.routines
    ):
        return 1
    reads, writes = (a[: groups * SIMD_LANES].reshape(groups, -1) for a in (x.reads, x.writes))
    ordered = np.sort(writes, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        return 1
    lanes = np.arange(SIMD_LANES)
    writer_lane = np.full(1 + max(reads.max(initial=0), writes.max()), -1)
    for read_slots, written_slots in zip(reads, writes, strict=True):
        writer_lane[written_slots] = np.repeat(lanes, len(written_slots) // SIMD_LANES)
        read_lanes, reader_lanes = (
            writer_lane[read_slots],
            np.repeat(lanes, len(read_slots) // SIMD_LANES),
        )
        if ((read_lanes >= 0) & (read_lanes != reader_lanes)).any():
            return 1
        writer_lane[written_slots] = -1
    return SIMD_LANES
