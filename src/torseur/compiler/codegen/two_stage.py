"""Two-stage kernels: straight-line code, then one program for all columns of its matrices.

The second stage is a program of one column, `(shared, x) -> y`, with columns in the lanes of a
vector.  Its code is short, stays in the instruction cache and is compiled once.  Every column goes
through the same operations.  Theory: FD.4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from ..program.ports import Port
from ..program.program import Program
from .basic_block import FRAME_POINTER, KernelBody
from .entry_points import entry_points, packed
from .lane_body import LaneBody
from .llvm_builder import IRBuilder, transpose_tile
from .tree_simd.module import TreeSimdProgram, TreeSimdWriter


@dataclass(frozen=True)
class TwoStageProgram:
    """Outputs of `first` are two square matrices, then one array that all columns share.

    The kernel returns the columns of both matrices after `column`, and those of minus the unit
    matrix. The last result is symmetric and is computed by its upper half.  Where `first` has a
    layout of the shared array, `column` reads its numbers there.
    """

    first: Program | TreeSimdProgram
    column: Program
    names: tuple[str, ...]  # of the three matrices that it gives

    @classmethod
    def of(
        cls, first: Program | TreeSimdProgram, column: Program, names: tuple[str, ...]
    ) -> TwoStageProgram:
        """Two-stage program of a column that reads the shared array in order."""
        if isinstance(first, TreeSimdProgram) and first.layout:
            column = permute_shared_inputs(column, first.layout, first.outputs[-1].size)
        return cls(first, column, names)

    @property
    def n(self) -> int:
        return self.column.inputs[1].size

    @property
    def inputs(self) -> tuple[Port, ...]:
        return self.first.inputs

    @property
    def outputs(self) -> tuple[Port, ...]:
        return tuple(Port(name, (self.n, self.n)) for name in self.names)

    @property
    def nodes(self) -> tuple[tuple, ...]:
        return (*self.first.nodes, *self.column.nodes)

    @cached_property
    def operations(self) -> dict[str, int]:
        """Operations of all columns, with the zeros of the matrices."""
        total = Counter(self.first.operations)
        for op, count in self.column.operations.items():
            total[op] += count * self.n * len(self.names)
        return dict(total)

    # one state ---------------------------------------------------------------------------
    def module(self, lanes: int, fused: bool) -> str:
        """LLVM IR with `@thunk`, `@kernel` and `@gufunc`: columns of one state are the lanes."""
        n = self.n
        width = max(w for w in (2, 4, lanes) if w <= min(n, lanes))
        ones = ", ".join(f"double {-1.0 if i == j else 0.0}" for i in range(n) for j in range(n))
        parts = [
            *self._write_functions(
                lanes, fused, ColumnPairBody(self.column, width, fused, spread=True)
            ),
            f"@units = internal constant [{n * n} x double] [{ones}], align 64",
            self._write_thunk(width),
        ]
        return "\n".join([*parts, entry_points(self), packed(self)])

    def _write_functions(self, lanes: int, fused: bool, pair: ColumnPairBody) -> Iterator[str]:
        """Both stages for one state, and the functions that they call."""
        if isinstance(self.first, TreeSimdProgram):
            declared, functions = TreeSimdWriter(self.first, lanes, fused).write_functions("first")
            yield from sorted({*declared, pair.declared})
            yield from functions
            yield pair.write_function
            return
        body = KernelBody(self.first, 1, lanes, fused, spread_zeros=True)
        parameters = [f"ptr noalias readonly %i{k}" for k in range(len(self.first.inputs))]
        parameters += [f"ptr noalias %o{k}" for k in range(len(self.first.outputs))]
        frame = FRAME_POINTER if body.exceeds_icache else ""
        first = f"define internal void @first({', '.join(parameters)}) {frame}{{\n"
        yield from _write_both_stages(body, first, pair)

    def _write_thunk(self, width: int) -> str:
        """Function that calls `@first`, then `@pair` for blocks of columns.

        The last block begins where it still fits.
        """
        n, ir = self.n, IRBuilder(1, False)
        ins = [f"%i{k}" for k in range(len(self.inputs))]
        outs = [f"%o{k}" for k in range(len(self.outputs))]
        ir.start_block("entry")
        buffers = [
            ir.emit_value(f"alloca [{p.size} x double], align 64") for p in self.first.outputs
        ]
        ir.emit_line(f"call void @first({', '.join(f'ptr {x}' for x in (*ins, *buffers))})")
        starts = [min(s, n - width) for s in range(0, n, width)]
        blocks = [
            (_element_pointer(ir, x, s), _element_pointer(ir, y, s))
            for x, y in zip((*buffers[:-1], "@units"), outs, strict=True)
            for s in starts
        ]
        blocks += blocks[-1:] * (len(blocks) % 2)
        for one, other in zip(blocks[::2], blocks[1::2], strict=True):
            _call_pair(ir, buffers[-1], one, other, n, n)
        _mirror_tiles(ir, outs[-1], n)
        parameters = [f"ptr noalias readonly {x}" for x in ins] + [f"ptr noalias {y}" for y in outs]
        return f"define void @thunk({', '.join(parameters)}) {{\n{ir}\n}}\n"

    # a state a lane ----------------------------------------------------------------------
    def lanes_module(self, lanes: int, fused: bool) -> str:
        """LLVM IR with `@lanes(in, out)`.  Matrices of the first stage are overwritten.

        A column may be overwritten, because its program reads no element after the first result.
        """
        n = self.n
        assert isinstance(self.first, Program)
        body = KernelBody(self.first, lanes, lanes, fused, spread_zeros=True)
        first = "define internal void @first(ptr noalias readonly %i, ptr noalias %o) {\n"
        rows = [f"double {-1.0 if r == n - 1 else 0.0}" for r in range(2 * n) for _ in range(lanes)]
        size = n * n * lanes
        ir = IRBuilder(1, False)
        ir.start_block("entry")
        count = self.column.inputs[0].size * lanes
        last = _element_pointer(ir, "%o", (len(self.names) - 1) * size)
        shared = ir.emit_value(f"alloca [{count} x double], align 64")
        ir.emit_line("call void @first(ptr %i, ptr %o)")  # what is shared where the last one goes
        ir.emit_line(
            f"call void @llvm.memcpy.p0.p0.i64(ptr {shared}, ptr {last}, i64 {8 * count}, i1 0)"
        )
        with ir.count_loop(str(n)) as c:
            offset = ir.emit_value(f"mul i64 {c}, {lanes}")
            columns = [
                _element_pointer(ir, _element_pointer(ir, "%o", k * size), offset)
                for k in range(len(self.names) - 1)
            ]
            blocks = [(x, x) for x in columns]
            for one, other in zip(blocks[::2], blocks[1::2], strict=True):
                _call_pair(ir, shared, one, other, n * lanes, n * lanes)
        with ir.count_loop(str(-(-n // 2))) as half:
            two = ir.emit_value(f"mul i64 {half}, 2")
            blocks = []
            for k in (0, 1):
                c = ir.emit_value(f"add i64 {two}, {k}")
                exceeds = ir.emit_value(f"icmp sge i64 {c}, {n}")
                c = ir.emit_value(f"select i1 {exceeds}, i64 {n - 1}, i64 {c}")
                offset = ir.emit_value(f"mul i64 {c}, {lanes}")
                unit_offset = ir.emit_value(f"sub i64 {(n - 1) * lanes}, {offset}")
                blocks.append(
                    (
                        _element_pointer(ir, "@strip", unit_offset),
                        _element_pointer(ir, last, offset),
                    )
                )
            _call_pair(ir, shared, blocks[0], blocks[1], lanes, n * lanes)
        _mirror_matrix(ir, last, n, lanes)
        parts = [
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
            *_write_both_stages(
                body, first, ColumnPairBody(self.column, lanes, fused, spread=False)
            ),
            f"@strip = internal constant [{len(rows)} x double] [{', '.join(rows)}], align 64",
            f"define void @lanes(ptr noalias readonly %i, ptr noalias %o) {{\n{ir}\n}}\n",
        ]
        return "\n".join(parts)


def _write_both_stages(body: KernelBody, first: str, pair: ColumnPairBody) -> Iterator[str]:
    """Straight-line code and the program of columns, with the functions that they call."""
    text, function = body.write_body(), pair.write_function
    yield from sorted({*body.write_declarations().splitlines(), pair.declared})
    yield f"{first}{text}\n}}\n"
    yield function
    yield body.write_constants()
    yield from body.write_lane_helpers()


def permute_shared_inputs(program: Program, positions: tuple[int, ...], size: int) -> Program:
    """Program whose first port is read at given positions of an array of a size."""
    ports = (Port(program.inputs[0].name, (size,)), *program.inputs[1:])
    nodes = [
        ("input", 0, positions[node[2]]) if node[:2] == ("input", 0) else node
        for node in program.nodes
    ]
    return replace(program, inputs=ports, nodes=tuple(nodes))


PAIR_PARAMETERS = (
    "ptr noalias readonly %s, ptr readonly %x0, ptr readonly %x1, ptr %y0, ptr %y1, "
    "i64 %dx, i64 %dy"
)


def _element_pointer(ir: IRBuilder, base: str, index: str | int) -> str:
    return ir.emit_value(f"getelementptr double, ptr {base}, i64 {index}")


def _call_pair(ir: IRBuilder, shared: str, one: tuple, other: tuple, dx: int, dy: int) -> None:
    """Call for two blocks (from, to).  `dx`, `dy` are strides of the elements of a column."""
    pointers = (shared, one[0], other[0], one[1], other[1])
    ir.emit_line(f"call void @pair({', '.join(f'ptr {x}' for x in pointers)}, i64 {dx}, i64 {dy})")


def _mirror_tiles(ir: IRBuilder, base: str, n: int) -> None:
    """Copy the upper half of a matrix to the lower one: square tiles, then single rows."""
    tile, kind = 4, "<4 x double>"

    def tile_rows(i: str, j: str) -> list[str]:
        line = ir.emit_value(f"mul i64 {i}, {tile * n}")
        first = _element_pointer(
            ir, _element_pointer(ir, base, line), ir.emit_value(f"mul i64 {j}, {tile}")
        )
        return [_element_pointer(ir, first, r * n) for r in range(tile)]

    def load_transposed(pointers: list[str]) -> tuple[list[str], list[str]]:
        rows = [ir.emit_value(f"load {kind}, ptr {x}, align 8") for x in pointers]
        return rows, transpose_tile(ir, rows)

    with ir.count_loop(str(n // tile)) as i:
        with ir.count_loop(i) as j:
            for x, pointer in zip(
                load_transposed(tile_rows(j, i))[1], tile_rows(i, j), strict=True
            ):
                ir.emit_line(f"store {kind} {x}, ptr {pointer}, align 8")
        pointers = tile_rows(i, i)
        for r, (row, x, pointer) in enumerate(
            zip(*load_transposed(pointers), pointers, strict=True)
        ):
            order = ", ".join(f"i32 {k if k >= r else tile + k}" for k in range(tile))
            y = ir.emit_value(f"shufflevector {kind} {row}, {kind} {x}, <{tile} x i32> <{order}>")
            ir.emit_line(f"store {kind} {y}, ptr {pointer}, align 8")
    for last in range(n - n % tile, n):
        line, column = _element_pointer(ir, base, last * n), _element_pointer(ir, base, last)
        with ir.count_loop(str(last)) as j:
            x = ir.emit_value(
                "load double, ptr "
                f"{_element_pointer(ir, column, ir.emit_value(f'mul i64 {j}, {n}'))}, align 8"
            )
            ir.emit_line(f"store double {x}, ptr {_element_pointer(ir, line, j)}, align 8")
    ir.emit_line("ret void")


def _mirror_matrix(ir: IRBuilder, base: str, n: int, width: int) -> None:
    """Copy the upper half of a matrix to the lower one, for one state per lane."""
    kind = "double" if width == 1 else f"<{width} x double>"
    with ir.count_loop(str(n)) as i:
        row, column = (
            ir.emit_value(f"mul i64 {i}, {n * width}"),
            ir.emit_value(f"mul i64 {i}, {width}"),
        )
        line, high = _element_pointer(ir, base, row), _element_pointer(ir, base, column)
        with ir.count_loop(i) as j:
            low = _element_pointer(ir, line, ir.emit_value(f"mul i64 {j}, {width}"))
            up = _element_pointer(ir, high, ir.emit_value(f"mul i64 {j}, {n * width}"))
            x = ir.emit_value(f"load {kind}, ptr {up}, align {8 * width}")
            ir.emit_line(f"store {kind} {x}, ptr {low}, align {8 * width}")
    ir.emit_line("ret void")


class ColumnPairBody(LaneBody):
    """Program of a column for two blocks of `width` columns each, from `%x0` and `%x1`.

    The array that all columns share has one number each (`broadcasts_shared`), or one for each
    lane.
    """

    def __init__(self, program: Program, width: int, fused: bool, spread: bool):
        super().__init__(program, 2 * width, fused, 0)
        self.half, self.broadcasts_shared = width, spread
        k = self.ir.real_type
        self.declared = f"declare {k} @llvm.fma.{self.ir.suffix}({k}, {k}, {k})"

    @property
    def write_function(self) -> str:
        return (
            f"define internal void @pair({PAIR_PARAMETERS}) noinline {{\n{self.write_body()}\n}}\n"
        )

    def _step_pointer(self, base: str, step: str, element: int) -> str:
        return (
            _element_pointer(self.ir, base, self.ir.emit_value(f"mul i64 {step}, {element}"))
            if element
            else base
        )

    def _concatenate_halves(self, a: str, b: str) -> str:
        kind = f"<{self.half} x double>"
        order = ", ".join(f"i32 {j}" for j in range(2 * self.half))
        return self.ir.emit_value(
            f"shufflevector {kind} {a}, {kind} {b}, <{2 * self.half} x i32> <{order}>"
        )

    def load_leaf(self, k: int) -> str:
        """Vector of both blocks, or a shared number."""
        _, port, element = self.program.nodes[k]
        ir, kind = self.ir, f"<{self.half} x double>"
        if port == 0 and self.broadcasts_shared:
            x = ir.emit_value(f"load double, ptr {self.element_pointer('%s', element)}, align 8")
            one = ir.emit_value(f"insertelement {ir.real_type} poison, double {x}, i64 0")
            zeros = f"<{2 * self.half} x i32> zeroinitializer"
            return ir.emit_value(
                f"shufflevector {ir.real_type} {one}, {ir.real_type} poison, {zeros}"
            )
        if port == 0:
            x = ir.emit_value(
                f"load {kind}, ptr {self.element_pointer('%s', element * self.half)}, align 8"
            )
            return self._concatenate_halves(x, x)
        a, b = (
            ir.emit_value(
                f"load {kind}, ptr {self._step_pointer(f'%x{j}', '%dx', element)}, align 8"
            )
            for j in (0, 1)
        )
        return self._concatenate_halves(a, b)

    def store_outputs(self, k: int) -> None:
        """Store the halves of a vector in both blocks."""
        ir, kind = self.ir, f"<{self.half} x double>"
        for _, element, sign in self.output_uses.pop(k):
            x = self.real_operand(2 * k | sign)
            for j in (0, 1):
                order = ", ".join(f"i32 {j * self.half + i}" for i in range(self.half))
                part = ir.emit_value(
                    f"shufflevector {ir.real_type} {x}, {ir.real_type} poison, "
                    f"<{self.half} x i32> <{order}>"
                )
                ir.emit_line(
                    f"store {kind} {part}, ptr {self._step_pointer(f'%y{j}', '%dy', element)}, "
                    "align 8"
                )
