"""Calls in straight-line programs: routines with array arguments, and the upstream kernel.

A routine is compiled once, as a function, and called with pointers to arrays on the stack.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..program.ports import Ported
from ..program.program import Program, RoutineCall
from ..program.scheduling import schedule_cone
from .native_functions import NativeRoutine

if TYPE_CHECKING:
    from .basic_block import KernelBody


def name_routines(program: Program) -> dict[int, str]:
    """Function name of each routine, by identity."""
    return {id(r): f"@routine{k}" for k, r in enumerate(program.routines)}


def format_parameters(program: Ported) -> str:
    """Parameters of a function with one pointer for each port."""
    heads = [f"ptr noalias readonly %i{k}" for k in range(len(program.inputs))]
    return ", ".join([*heads, *(f"ptr noalias %o{k}" for k in range(len(program.outputs)))])


def declare_upstream(body: KernelBody) -> list[str]:
    """Declaration of the upstream kernel: a pointer for each port, or one for all."""
    program = body.program
    count = len(program.inputs) + len(program.upstream_sizes) if body.has_port_pointers else 2
    types = ", ".join(["ptr"] * count)
    return [f"declare void @torseur.ahead({types})"] if program.upstream_sizes else []


def call_upstream(body: KernelBody) -> None:
    """Call the upstream kernel of the same inputs."""
    program, ir, width = body.program, body.ir, body.width
    if not program.upstream_sizes:
        return
    ir.emit_line(
        f"%ahead = alloca [{sum(program.upstream_sizes) * width} x double], align {8 * width}"
    )
    pointers = ["%i", "%ahead"]
    if body.has_port_pointers:
        starts = [sum(program.upstream_sizes[:k]) for k in range(len(program.upstream_sizes))]
        pointers = [f"%i{k}" for k in range(len(program.inputs))]
        pointers += [body.element_pointer("%ahead", s) for s in starts]
    ir.emit_line(f"call void @torseur.ahead({', '.join(f'ptr {x}' for x in pointers)})")


def uses_simd_columns(body: KernelBody, call: RoutineCall) -> bool:
    """Whether the columns of a call are the lanes of a vector, or go one by one."""
    return call.padded_columns > 1 and body.width == 1 and call.routine.is_call_free


def result_position(body: KernelBody, k: int, j: int) -> int:
    """Position of number j of the result of call k."""
    call = body.program.calls[k]
    if call.padded_columns == 1 or uses_simd_columns(body, call):
        return j
    i, column = divmod(j, call.padded_columns)
    return column * call.routine.outputs[0].size + i


MAX_STACK_DOUBLES = 16384  # numbers of an array on the stack


def declare_native_routines(program: Program) -> list[str]:
    """Declarations of the native routines that are called, and their tables."""
    routines = [c.routine for c in program.calls if isinstance(c.routine, NativeRoutine)]
    lines = [line for r in routines for line in r.write_declarations()]
    if any(r.size > MAX_STACK_DOUBLES for r in routines):
        lines += ["declare ptr @torseur.malloc(i64)", "declare void @torseur.free(ptr)"]
    return lines


class CallWriter:
    """Calls of one program: their arrays, and their lines.

    An array is stored once, even if several calls read it.  An array that is a whole input port is
    passed on.
    """

    def __init__(self, body: KernelBody, depths: list[int]):
        """Find arrays that need no copy, and allocate the others."""
        self.body, self.depths = body, depths
        self.pending = list(range(len(depths)))  # not yet written
        self.array_pointers: dict[tuple[int, ...], str] = {}
        self.stored: set[str] = set()
        self.heap_arrays: list[str] = []
        program = body.program
        if body.has_port_pointers and program.calls:
            self._find_forwarded_inputs()
        for node, (op, *at) in enumerate(program.nodes):
            if (
                op == "got" and at[1] == program.calls[at[0]].routine.n_read_elements
            ):  # the whole of it
                self.array_pointers[2 * node,] = f"%got{at[0]}"
                self.stored.add(f"%got{at[0]}")
        self.uses = [
            [*self._list_uses(k, call, arrays)]
            for k, (call, arrays) in enumerate(
                zip(program.calls, program.list_call_arguments(), strict=True)
            )
        ]

    def _list_uses(self, k: int, call: RoutineCall, arrays) -> Iterator[tuple[str, list, int]]:
        """Functions of one call with their array arguments and the offset of the result."""
        is_simd, size = uses_simd_columns(self.body, call), call.routine.outputs[0].size
        self._allocate_array(
            f"%got{k}", size * (call.padded_columns if is_simd else call.columns), is_simd
        )
        name = self.body.routines.get(id(call.routine), "")  # none of native text
        if is_simd or call.padded_columns == 1:
            uses = [(f"{name}.{call.padded_columns}" if is_simd else name, [*arrays], 0)]
        else:
            *shared, columns = arrays
            uses = [
                (name, [*shared, columns[c :: call.padded_columns]], c * size)
                for c in range(call.columns)
            ]
        for _, rows, _ in uses:
            for row in rows:
                if row not in self.array_pointers:
                    pointer = self.array_pointers[row] = f"%take{len(self.array_pointers)}"
                    self._allocate_array(pointer, len(row), is_simd and row is rows[-1])
        yield from uses

    def _find_forwarded_inputs(self) -> None:
        """Arguments that are whole input ports need no copy."""
        program = self.body.program
        input_references: list[dict[int, int]] = [{} for _ in program.inputs]
        for k, node in enumerate(program.nodes):
            if node[0] == "input":
                input_references[node[1]][node[2]] = 2 * k
        for port, (input_port, references) in enumerate(
            zip(program.inputs, input_references, strict=True)
        ):
            if len(references) == input_port.size:
                self.array_pointers[tuple(references[j] for j in range(input_port.size))] = (
                    f"%i{port}"
                )
                self.stored.add(f"%i{port}")

    def _allocate_array(self, name: str, count: int, is_simd: bool) -> None:
        """Allocate an array on the stack, or on the heap if it is large."""
        body = self.body
        if is_simd:
            body.allocate_stack(name, count)
        elif count > MAX_STACK_DOUBLES:
            body.ir.emit_line(f"{name} = call ptr @torseur.malloc(i64 {8 * count})")
            self.heap_arrays.append(name)
        else:
            width = body.width
            body.ir.emit_line(f"{name} = alloca [{count * width} x double], align {8 * width}")

    def free_heap_arrays(self) -> None:
        """Free the arrays that are on the heap."""
        for pointer in self.heap_arrays:
            self.body.ir.emit_line(f"call void @torseur.free(ptr {pointer})")

    def write_calls(self, depth: int, scheduled: list[bool]) -> None:
        """Emit, in their order, the calls whose arguments need no more stages of sines."""
        body = self.body
        ready = [k for k in self.pending if self.depths[k] <= depth]
        self.pending = [k for k in self.pending if self.depths[k] > depth]
        for k in ready:
            routine = body.program.calls[k].routine
            for name, rows, first in self.uses[k]:
                for row in rows:
                    self._store_array(row, scheduled)
                result = body.element_pointer(f"%got{k}", first * body.width)
                pointers = [*(self.array_pointers[row] for row in rows), result]
                if isinstance(routine, NativeRoutine):
                    if body.width > 1:
                        self._call_each_lane(k, routine, [len(row) for row in rows], pointers)
                    else:
                        body.ir.emit_line(routine.write_call(pointers))
                    continue
                arguments = ", ".join(f"ptr {x}" for x in pointers)
                body.ir.emit_line(f"call void {name}({arguments})")

    def _call_each_lane(self, k: int, routine: NativeRoutine, sizes: list[int], pointers) -> None:
        """Call a native routine for every lane, with arrays of that lane."""
        body, ir, width = self.body, self.body.ir, self.body.width
        lane_arrays = [f"%lane{k}_{i}" for i in range(len(pointers))]
        for lane_array, size in zip(lane_arrays, (*sizes, routine.size), strict=True):
            ir.emit_line(f"{lane_array} = alloca [{size} x double], align 8")
        for lane in range(width):
            for lane_array, pointer, size in zip(lane_arrays, pointers, sizes, strict=False):
                for j in range(size):
                    x = ir.emit_value(
                        "load double, ptr "
                        f"{body.element_pointer(pointer, j * width + lane)}, align 8"
                    )
                    ir.emit_line(
                        f"store double {x}, ptr {body.element_pointer(lane_array, j)}, align 8"
                    )
            ir.emit_line(routine.write_call(lane_arrays))
            for j in range(routine.n_read_elements):
                x = ir.emit_value(
                    f"load double, ptr {body.element_pointer(lane_arrays[-1], j)}, align 8"
                )
                ir.emit_line(
                    f"store double {x}, ptr "
                    f"{body.element_pointer(pointers[-1], j * width + lane)}, align 8"
                )

    def _store_array(self, row: tuple[int, ...], scheduled: list[bool]) -> None:
        """Store an argument unless it is stored already."""
        pointer, body = self.array_pointers[row], self.body
        if pointer in self.stored:
            return
        self.stored.add(pointer)
        for j, r in enumerate(row):
            for k in schedule_cone(body.program, r >> 1, scheduled):
                body.write_node(k)
            body.ir.store_value(
                body.real_operand(r), body.element_pointer(pointer, j * body.width), 8 * body.width
            )
