"""Programs with multiple right-hand sides: columns that go through the same code.

Derivatives in several directions are an example.  Numbers that do not depend on the column are
computed once.  Then the program of one column runs for all columns, several in the lanes of a
vector. Every column goes through the same operations, whatever its position.  Theory: SE.12.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ...errors import KernelError
from ..program.normal_form import eliminate_dead_nodes
from ..program.ports import Port
from ..program.program import LEAF_OPS, Program
from .basic_block import FRAME_POINTER, MAX_ONE_BLOCK_NODES, KernelBody
from .entry_points import entry_points, packed, write_functions
from .lane_body import LaneBody
from .llvm_builder import IRBuilder
from .subroutines import format_parameters

SHARED_PORT = "shared"


class PortPart(NamedTuple):
    """Array that is a part of a port: the port, and the first element."""

    port: int
    first: int


@dataclass(frozen=True)
class MultiRhsProgram:
    """Program of `first`, then of `column` for each of `count` columns.

    Outputs of `first` are parts of ports, then rows with an element for each column, then the
    numbers that the columns share.  Inputs of `column` are columns of parts of ports, then those
    rows and numbers.  Its outputs are columns of parts of ports.  Element k of column j of a part
    is its number `k * count + j`.
    """

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    first: Program
    column: Program
    count: int
    first_outputs: tuple[PortPart, ...]
    column_inputs: tuple[PortPart, ...]
    column_outputs: tuple[PortPart, ...]

    @property
    def nodes(self) -> tuple[tuple, ...]:
        return (*self.first.nodes, *self.column.nodes)

    @property
    def routines(self) -> tuple[Program, ...]:
        return self.first.routines

    @cached_property
    def operations(self) -> dict[str, int]:
        total = Counter(self.first.operations)
        for op, count in self.column.operations.items():
            total[op] += count * self.count
        return dict(total)

    def module(self, lanes: int, fused: bool) -> str:
        """LLVM IR with `@thunk`, `@kernel` and `@gufunc`: columns of one state are the lanes."""
        width = max(w for w in (1, 2, 4, 8) if w <= min(lanes, self.count))
        starts = [min(s, self.count - width) for s in range(0, self.count, width)]
        ir = IRBuilder(1, False)
        ir.start_block("entry")
        ins, outs = ([f"%{x}{k}" for k in range(len(ports))]
                     for x, ports in (("i", self.inputs), ("o", self.outputs)))  # fmt: skip
        buffers = self._call_first(ir, ins, outs, 1)
        for start in starts:
            self._call_column(ir, ins, outs, buffers, start, 1)
        ir.emit_line("ret void")
        functions = self._write_functions(
            KernelBody(self.first, 1, lanes, fused, spread_zeros=True), width, 1
        )
        thunk = f"define void @thunk({format_parameters(self)}) {{\n{ir}\n}}\n"
        return "\n".join([*functions, thunk, entry_points(self), packed(self)])

    def lanes_module(self, lanes: int, fused: bool) -> str:
        """LLVM IR with `@lanes(in, out)`: one state per lane, column after column."""
        ir = IRBuilder(1, False)
        ir.start_block("entry")
        ins, outs = (self._port_pointers(ir, x, ports, lanes)
                     for x, ports in (("%i", self.inputs), ("%o", self.outputs)))  # fmt: skip
        buffers = self._call_first(ir, ins, outs, lanes)
        with ir.count_loop(str(self.count)) as column:
            self._call_column(
                ir, ins, outs, buffers, ir.emit_value(f"mul i64 {column}, {lanes}"), lanes
            )
        ir.emit_line("ret void")
        body = KernelBody(self.first, lanes, lanes, fused, spread_zeros=True)
        head = "define void @lanes(ptr noalias readonly %i, ptr noalias %o)"
        return "\n".join([*self._write_functions(body, lanes, lanes), f"{head} {{\n{ir}\n}}\n"])

    def _port_pointers(
        self, ir: IRBuilder, base: str, ports: tuple[Port, ...], lanes: int
    ) -> list[str]:
        sizes = [p.size for p in ports]
        return [_element_pointer(ir, base, lanes * sum(sizes[:k])) for k in range(len(ports))]

    def _call_first(self, ir: IRBuilder, ins, outs, step: int) -> list[str]:
        """Call the common part.  Returns the buffers of rows and shared numbers."""
        buffers = [ir.emit_value(f"alloca [{max(1, p.size) * step} x double], align 64")
                 for p in self.first.outputs[-2:]]  # fmt: skip
        targets = [_element_pointer(ir, outs[x.port], x.first * step) for x in self.first_outputs]
        ir.emit_line(
            f"call void @first({', '.join(f'ptr {x}' for x in (*ins, *targets, *buffers))})"
        )
        return buffers

    def _call_column(self, ir: IRBuilder, ins, outs, buffers, start, step: int) -> None:
        """Call the program of columns, from column `start` on."""
        pointers = [
            _element_pointer(ir, _element_pointer(ir, ins[x.port], x.first * step), start)
            for x in self.column_inputs
        ]
        pointers += [_element_pointer(ir, buffers[0], start), buffers[1]]
        pointers += [
            _element_pointer(ir, _element_pointer(ir, outs[x.port], x.first * step), start)
            for x in self.column_outputs
        ]
        ir.emit_line(f"call void @column({', '.join(f'ptr {x}' for x in pointers)})")

    def _write_functions(self, body: KernelBody, width: int, step: int) -> list[str]:
        """Functions of both parts, and those that they call.

        `step` is the distance from one number of a port to the next.
        """
        body.has_port_pointers = True
        column = ColumnBody(self.column, width, body.fused, self.count * step, step)
        if width == body.width:
            column.libm_calls = body.libm_calls
        frame = FRAME_POINTER if body.exceeds_icache and body.width == 1 else ""
        declared, *functions = write_functions(
            body, f"define internal void @first({format_parameters(self.first)}) {frame}"
        )
        functions.append(
            f"define internal void @column({format_parameters(self.column)}) noinline "
            f"{{\n{column.write_body()}\n}}\n"
        )
        declarations = dict.fromkeys(
            [*declared.splitlines(), *column.write_declarations().splitlines()]
        )
        helpers = column.write_lane_helpers() if width > 1 else ()
        return ["\n".join(declarations), *functions, body.write_constants(), *helpers]


class ColumnBody(LaneBody):
    """Program of a column for a vector of columns.  Shared numbers are scalars, or have lanes."""

    def __init__(self, program: Program, width: int, fused: bool, stride: int, step: int):
        super().__init__(program, width, fused, stride, (SHARED_PORT,) if step == 1 else ())
        self.has_port_pointers, self.splits_blocks = True, len(program.nodes) > MAX_ONE_BLOCK_NODES

    @property
    def alignment(self) -> int:
        return 8

    def load_leaf(self, k: int) -> str:
        _, port, element = self.program.nodes[k]
        if self.shared_ports or self.program.inputs[port].name != SHARED_PORT:
            return super().load_leaf(k)
        return self.ir.load_value(self.element_pointer(f"%i{port}", element * self.width), 8)


def _element_pointer(ir: IRBuilder, base: str, index: str | int) -> str:
    return ir.emit_value(f"getelementptr double, ptr {base}, i64 {index}") if index else base


def split_columns(program: Program, inputs: int, outputs: int) -> tuple[Program, Program]:
    """Common part of a program and the rest, which depends on inputs from `inputs` on.

    Outputs before `outputs` belong to the common part, the last of them its rows.  The others are
    those of columns.  Arguments of calls must not depend on a column.
    """
    nodes, depends_on_column = program.nodes, [False] * len(program.nodes)
    for k, (op, *args) in enumerate(nodes):
        depends_on_column[k] = (
            args[0] >= inputs if op == "input" else
            op not in LEAF_OPS and any(depends_on_column[r >> 1] for r in args)
        )  # fmt: skip
    end = len(program.outputs)
    column_results, call_arguments = program.results[outputs:end], program.results[end:]
    if any(depends_on_column[r >> 1] for row in call_arguments for r in row):
        raise KernelError(f"{program.name!r} calls a routine with numbers of a column")
    used_nodes = {r >> 1 for row in column_results for r in row}
    for k, node in enumerate(nodes):
        if depends_on_column[k] and node[0] not in LEAF_OPS:
            used_nodes.update(r >> 1 for r in node[1:])
    handed_nodes = sorted(
        k for k in used_nodes if not depends_on_column[k] and nodes[k][0] != "const"
    )
    shared = Port(SHARED_PORT, (len(handed_nodes),))
    columns = (*program.inputs[inputs:], shared)
    column_nodes = [("input", n[1] - inputs, n[2]) if n[0] == "input" else n for n in nodes]
    for j, k in enumerate(handed_nodes):
        column_nodes[k] = ("input", len(columns) - 1, j)
    column = eliminate_dead_nodes(
        "column", columns, program.outputs[outputs:], column_nodes, column_results
    )
    first_results = (*program.results[:outputs], [2 * k for k in handed_nodes], *call_arguments)
    ports = (*program.outputs[:outputs], shared)
    first = eliminate_dead_nodes(
        program.name, program.inputs[:inputs], ports, nodes, first_results, program.calls
    )
    return first, column
