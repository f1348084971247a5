"""Function bodies of the stages of SIMD kernels over the tree: pairs, borders, packs, LDL rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...program.scheduling import order_roots, schedule_cone
from ..basic_block import KernelBody
from ..lane_body import LaneBody, broadcast_scalar, element_pointer
from ..llvm_builder import IRBuilder, format_double, transpose_tile
from .stages import (
    AllLanes,
    BorderStage,
    ContiguousNumbers,
    LaneRows,
    OneLane,
    Pack,
    Pairs,
    PickedLanes,
    Source,
    TreeFactorization,
)


class PairBody(LaneBody):
    """Program of a pair (one, other), for a vector of others and a loop over the ones."""

    def __init__(self, stage: Pairs, width: int, fused: bool, stride: int):
        super().__init__(stage.program, width, fused, stride)
        self.other_values: dict[int, str] = {}
        self.one_pointer = self.row_offset = self.mask = self.row_mask = self.low_pointer = ""
        heads = ["ptr noalias readonly %there", "ptr noalias readonly %here", "ptr noalias %low"]
        heads += [f"ptr noalias %o{k}" for k in range(len(stage.rows))]
        self.parameters = ", ".join([*heads, "ptr noalias readonly %table", "i64 %count"])

    def write_body(self) -> str:
        """Load the others once, then loop over the table of ones."""
        program, ir, w = self.program, self.ir, self.width
        ir.start_block("entry")
        for k, node in enumerate(program.nodes):
            if node[0] == "input" and node[1] == 1:
                self.other_values[k] = ir.load_value(
                    self.element_pointer("%here", node[2] * self.stride), self.alignment
                )
        with ir.count_loop("%count") as c:
            row = element_pointer(ir, "%table", ir.emit_value(f"mul i64 {c}, 4"), "i32")
            one, to, bits, row_bits = (
                ir.emit_value(f"load i32, ptr {element_pointer(ir, row, k, 'i32')}, align 4")
                for k in range(4)
            )
            self.one_pointer = element_pointer(
                ir, "%there", ir.cast_value("zext", one, "i32", "i64"), "i8"
            )
            self.row_offset = ir.cast_value("zext", to, "i32", "i64")
            self.mask, self.row_mask = (
                ir.cast_value(
                    "bitcast", ir.cast_value("trunc", x, "i32", f"i{w}"), f"i{w}", ir.bool_type
                )
                for x in (bits, row_bits)
            )
            n_low = w * sum(p.size for p in program.outputs[1:])
            self.low_pointer = element_pointer(ir, "%low", ir.emit_value(f"mul i64 {c}, {n_low}"))
            scheduled = [False] * len(program.nodes)
            for root in order_roots(program):
                for k in schedule_cone(program, root, scheduled):
                    self.write_node(k)
        ir.emit_line("ret void")
        return str(ir)

    def load_leaf(self, k: int) -> str:
        """Number of the others (a vector), or of the one (in every lane)."""
        if k in self.other_values:
            return self.other_values[k]
        ir, element = self.ir, self.program.nodes[k][2]
        x = ir.emit_value(
            "load double, ptr "
            f"{self.element_pointer(self.one_pointer, element * self.stride)}, align 8"
        )
        return broadcast_scalar(ir, x, self.width)

    def store_outputs(self, k: int) -> None:
        """Masked store of a row of the matrix.  The block for its column is stored in order."""
        ir = self.ir
        for port, element, sign in self.output_uses.pop(k):
            x = self.real_operand(2 * k | sign)
            if port:
                ir.store_value(
                    x, self.element_pointer(self.low_pointer, element * self.width), self.alignment
                )
                continue
            pointer, x = (
                element_pointer(ir, f"%o{element}", self.row_offset, "i8"),
                ir.select_value(self.mask, x, ir.real_constant(0.0)),
            )
            ir.emit_line(
                f"call void @llvm.masked.store.{ir.suffix}.p0"
                f"({ir.real_type} {x}, ptr {pointer}, i32 8, {ir.bool_type} {self.row_mask})"
            )

    def write_declarations(self) -> str:
        return super().write_declarations() + declare_masked_store(self.ir)


class RimBody(LaneBody):
    """Program of a lane whose outputs are the first rows and columns of matrices.

    `written_parts` are the numbers of the outputs to write: 0 rows, 1 columns.
    """

    def __init__(
        self, stage: BorderStage, width: int, fused: bool, size: tuple, sides: tuple[int, ...]
    ):
        """`size`: lanes that arrays have space for, and elements in a row of a matrix."""
        super().__init__(stage.program, width, fused, size[0], stage.first, size[0])
        self.stage, self.row_length, self.written_parts = stage, size[1], sides
        self.column_values: dict[int, str] = {}
        names = [f"%i{k}" for k in range(len(stage.program.inputs))]
        heads = [f"ptr noalias readonly {x}" for x in names]
        heads += [f"ptr noalias %o{k}" for k in range(len(stage.matrices))]
        self.parameters = ", ".join([*heads, "i64 %lane"])

    def write_body(self) -> str:
        ir = self.ir
        ir.start_block("entry")
        self.write_all_nodes()
        for matrix in range(len(self.stage.matrices) if 1 in self.written_parts else 0):
            self._write_columns(matrix)
        ir.emit_line("ret void")
        return str(ir)

    def store_outputs(self, k: int) -> None:
        """Store whole vectors of rows.  Numbers beyond the row are overwritten later."""
        ir, n_rows = self.ir, self.stage.count
        for port, element, sign in self.output_uses.pop(k):
            x = self.real_operand(2 * k | sign)
            if port:
                self.column_values[element] = x
            if port or 0 not in self.written_parts:
                continue
            row = self.element_pointer(f"%o{element // n_rows}", element % n_rows * self.row_length)
            ir.store_value(x, element_pointer(ir, row, "%lane"), 8)

    def _write_columns(self, matrix: int) -> None:
        """Columns, a square tile at a time.  Lanes beyond the last have no row."""
        ir, w, n_rows = self.ir, self.width, self.stage.count
        for first in range(0, n_rows, w):
            tile_rows = range(first, min(first + w, n_rows))
            tile = [self.column_values[matrix * n_rows + k] for k in tile_rows] + [
                "zeroinitializer"
            ] * (w - len(tile_rows))
            for lane, x in enumerate(transpose_tile(ir, tile)):
                lane_index = ir.emit_value(f"add i64 %lane, {lane}")
                exists = ir.emit_value(f"icmp slt i64 {lane_index}, {self.row_length}")
                bits = ir.emit_value(
                    f"select i1 {exists}, i{w} {(1 << len(tile_rows)) - 1}, i{w} 0"
                )
                mask = ir.cast_value("bitcast", bits, f"i{w}", ir.bool_type)
                row = element_pointer(
                    ir, f"%o{matrix}", ir.emit_value(f"mul i64 {lane_index}, {self.row_length}")
                )
                ir.emit_line(
                    f"call void @llvm.masked.store.{ir.suffix}.p0"
                    f"({ir.real_type} {x}, ptr {self.element_pointer(row, first)}, "
                    f"i32 8, {ir.bool_type} {mask})"
                )

    def write_declarations(self) -> str:
        return super().write_declarations() + declare_masked_store(self.ir)


def declare_masked_store(ir: IRBuilder) -> str:
    return (
        f"declare void @llvm.masked.store.{ir.suffix}.p0({ir.real_type}, ptr, i32, {ir.bool_type})"
    )


class PackBody(KernelBody):
    """Body of one pack: a vector of lanes, or a scalar for a single lane."""

    def __init__(
        self, pack: Pack, before: list[PackBody], names: Mapping[str, str], size: tuple, fused: bool
    ):
        """`size`: elements of arrays read in order, and lanes that arrays have space for."""
        super().__init__(pack.program, pack.width, pack.width, fused)
        self.pack, self.earlier_packs, self.arrays = pack, [*before], names
        self.lengths, self.stride = size
        if before:  # names and labels go on
            self.ir._count, self.n_written = before[-1].ir._count, before[-1].n_written
        self.splits_blocks = True
        self.results: dict[tuple[str, int], str] = {}
        self.loaded: dict[tuple[int, int], str] = {}

    def constant_operand(self, x: float) -> str:
        return self.ir.real_constant(x)

    def write_body(self) -> str:
        self.write_all_nodes()
        return str(self.ir)

    def load_leaf(self, k: int) -> str:
        _, port, element = self.program.nodes[k]
        if (port, element) not in self.loaded:
            self.loaded[port, element] = self._load_source(self.pack.sources[port], element)
        return self.loaded[port, element]

    def _load_source(self, source: Source, element: int) -> str:
        """Vector of an input, by the type of its source."""
        if isinstance(source, LaneRows):
            position = element * self.stride + self.pack.first
            return self._load_vector(
                source.array, position, self.pack.first + self.width <= self.stride
            )
        if isinstance(source, ContiguousNumbers):
            position = source.first + element
            return self._load_vector(
                source.array, position, position + self.width <= self.lengths[source.array]
            )
        if isinstance(source, AllLanes | OneLane):
            position = (
                element if isinstance(source, AllLanes) else element * self.stride + source.lane
            )
            pointer = self.element_pointer(self.arrays[source.array], position)
            x = self.ir.emit_value(f"load double, ptr {pointer}, align 8")
            return broadcast_scalar(self.ir, x, self.width)
        if isinstance(source, PickedLanes):
            return self._pick_lanes(source, element)
        row = [format_double(x) for x in source.rows[element]]
        row += row[-1:] * (self.width - len(row))
        return row[0] if self.width == 1 else f"<{', '.join(f'double {x}' for x in row)}>"

    def _load_vector(self, array: str, position: int, fits: bool) -> str:
        """Vector from `position` on.  Beyond the array the last lane is repeated."""
        ir, base = self.ir, self.arrays[array]
        if fits or self.pack.count == self.width:
            return ir.load_value(self.element_pointer(base, position), 8)
        vector = "poison"
        for lane in range(self.width):
            pointer = self.element_pointer(base, position + min(lane, self.pack.count - 1))
            x = ir.emit_value(f"load double, ptr {pointer}, align 8")
            vector = ir.emit_value(f"insertelement {ir.real_type} {vector}, double {x}, i64 {lane}")
        return vector

    def _pick_lanes(self, source: PickedLanes, element: int) -> str:
        """Vector of results of earlier packs, one for each lane."""
        ports = source.ports or (source.port,) * len(source.lanes)
        picked = [
            lane and (self.earlier_packs[lane[0]].results[port, element], lane[1], lane[0])
            for lane, port in zip(source.lanes, ports, strict=True)
        ]
        if source.ports:
            return self._merge_vectors(picked)
        padding = None if self.pack.within or None in picked else picked[-1]
        picked += [padding] * (self.width - len(picked))
        widths = {self.earlier_packs[x[2]].width for x in picked if x}
        if self.width == 1 or widths == {1} or len(widths) != 1:
            return self._insert_scalars(picked)
        return self._shuffle_sources(picked, widths.pop())

    def _merge_vectors(self, picked: list) -> str:
        """Shuffle of two vectors at a time where they give several lanes, then single lanes."""
        ir, w = self.ir, self.width
        if w == 1:
            return self._insert_scalars(picked)
        vector, is_set = "poison", [False] * w
        for name, source_width in dict.fromkeys(
            (x[0], self.earlier_packs[x[2]].width) for x in picked
        ):
            order = [x[1] if x[0] == name else -1 for x in picked] + [-1] * (w - len(picked))
            if not 1 < source_width <= w or sum(k >= 0 for k in order) < 2:
                continue
            source = name
            if source_width < w or (
                vector == "poison" and any(k not in (j, -1) for j, k in enumerate(order))
            ):
                source = self._shuffle_vectors(name, "poison", source_width, order)
                order = [j if k >= 0 else -1 for j, k in enumerate(order)]
            if vector != "poison":
                both = [w + k if k >= 0 else j if is_set[j] else -1 for j, k in enumerate(order)]
                source = self._shuffle_vectors(vector, source, w, both)
            vector, is_set = source, [a or k >= 0 for a, k in zip(is_set, order, strict=True)]
        for j, x in enumerate(picked):
            if not is_set[j]:
                scalar = (
                    x[0]
                    if (source_width := self.earlier_packs[x[2]].width) == 1
                    else _extract_lane(ir, x[0], x[1], source_width)
                )
                vector = ir.emit_value(
                    f"insertelement {ir.real_type} {vector}, double {scalar}, i64 {j}"
                )
        return vector

    def _shuffle_vectors(self, a: str, b: str, width: int, order: list[int]) -> str:
        kind = f"<{width} x double>"
        mask = ", ".join("i32 poison" if k < 0 else f"i32 {k}" for k in order)
        return self.ir.emit_value(
            f"shufflevector {kind} {a}, {kind} {b}, <{len(order)} x i32> <{mask}>"
        )

    def _insert_scalars(self, picked: list) -> str:
        """Vector from single lanes."""
        ir, vector = self.ir, "zeroinitializer"
        scalars = [
            x
            and (
                x[0]
                if (w := self.earlier_packs[x[2]].width) == 1
                else _extract_lane(ir, x[0], x[1], w)
            )
            for x in picked
        ]
        if self.width == 1:
            return scalars[0] or format_double(0.0)
        if len(set(scalars)) == 1 and scalars[0]:
            return broadcast_scalar(ir, scalars[0], self.width)
        for lane, x in enumerate(scalars):
            if x:
                vector = ir.emit_value(
                    f"insertelement {ir.real_type} {vector}, double {x}, i64 {lane}"
                )
        return vector

    def _shuffle_sources(self, picked: list, width: int) -> str:
        """Shuffle of two vectors of one width, or of one and zero."""
        ir = self.ir
        names = [*dict.fromkeys(x[0] for x in picked if x)]
        order = [None if x is None else names.index(x[0]) * width + x[1] for x in picked]
        if len(names) + (None in order) > 2:
            return self._insert_scalars(picked)
        if width == self.width and order == [*range(width)]:
            return names[0]
        kind = f"<{width} x double>"
        second = names[1] if len(names) > 1 else "zeroinitializer" if None in order else "poison"
        mask = ", ".join(f"i32 {width if k is None else k}" for k in order)
        return ir.emit_value(
            f"shufflevector {kind} {names[0]}, {kind} {second}, <{self.width} x i32> <{mask}>"
        )

    def store_outputs(self, k: int) -> None:
        """Store outputs in arrays: in rows, in order, or scattered."""
        for port, element, sign in self.output_uses.pop(k):
            x = self.real_operand(2 * k | sign)
            self.results[self.program.outputs[port].name, element] = x
            output = self.program.outputs[port].name
            if output in self.pack.places:
                self._scatter_lanes(
                    x,
                    self.arrays[self.pack.stored_arrays[port]],
                    self.pack.places[output][element],
                )
            elif name := self.pack.stored_arrays[port]:
                step = 1 if self.pack.in_order else self.stride
                self._store_lanes(x, self.arrays[name], element * step + self.pack.first)

    def _scatter_lanes(self, x: str, base: str, positions) -> None:
        """Store each lane at its own positions."""
        for lane, lane_positions in enumerate(positions):
            scalar = self.ir.extract_lane(x, lane)
            for position in lane_positions:
                self.ir.emit_line(
                    f"store double {scalar}, ptr {self.element_pointer(base, position)}, align 8"
                )

    def _store_lanes(self, x: str, base: str, position: int) -> None:
        """Store the lanes of the pack, and others only where later stores overwrite them."""
        ir, p = self.ir, self.pack
        may_overwrite = (p.within or p.follows) and p.first + p.width <= self.stride
        if p.spread > 1 and not p.in_order:
            padded = 1 << (p.spread - 1).bit_length()
            # those after it are written later
            overwrites = p.follows and p.first + padded <= self.stride
            for lane, width in [(0, padded)] if overwrites else _split_powers_of_two(p.spread):
                pointer = self.element_pointer(base, position + lane)
                kind = "double" if width == 1 else f"<{width} x double>"
                ir.emit_line(
                    f"store {kind} {broadcast_scalar(ir, x, width)}, ptr {pointer}, align 8"
                )
            return
        if p.count == p.width or may_overwrite:
            ir.store_value(x, self.element_pointer(base, position), 8)
            return
        for lane, width in _split_powers_of_two(p.count):
            pointer = self.element_pointer(base, position + lane)
            if width == 1:
                ir.emit_line(f"store double {ir.extract_lane(x, lane)}, ptr {pointer}, align 8")
                continue
            order = ", ".join(f"i32 {lane + i}" for i in range(width))
            mask = f"<{width} x i32> <{order}>"
            part = ir.emit_value(f"shufflevector {ir.real_type} {x}, {ir.real_type} poison, {mask}")
            ir.emit_line(f"store <{width} x double> {part}, ptr {pointer}, align 8")


def _split_powers_of_two(count: int) -> Iterator[tuple[int, int]]:
    """Powers of two that add up to `count`, as (start, size)."""
    lane = 0
    while lane < count:
        width = 1 << (count - lane).bit_length() - 1
        yield lane, width
        lane += width


def _extract_lane(ir: IRBuilder, x: str, lane: int, width: int) -> str:
    return ir.emit_value(f"extractelement <{width} x double> {x}, i64 {lane}")


class FactorsBody:
    """LDL factorization of a tree's mass matrix by rows, from the leaves, and its solution.

    `M = L^T D L` (Featherstone 2008, section 6.5).  A row has its columns at their index, so that
    one vector of products serves all columns between the row and the root.  Columns of other
    branches are never read.  Theory: FD.1 to FD.3, FD.5.
    """

    def __init__(self, stage: TreeFactorization, width: int, fused: bool, stride: int):
        """Offsets of the vectors of rows; `stride` is the number of lanes in arrays."""
        self.stage, self.width, self.stride = stage, width, stride
        self.ir = IRBuilder(width, fused)
        self.n = len(stage.parents)
        self.ancestors = [[*stage.iterate_ancestors(k)] for k in range(self.n)]
        self.vector_offsets = stage.vector_offsets(width)
        self.chunks = [sorted({j // width for j in up}) for up in self.ancestors]
        self.scaled: dict[int, str] = {}
        self.divided: dict[tuple[int, int], str] = {}

    def write_body(self) -> str:
        """Rows from the last to the first, then the back substitution."""
        ir = self.ir
        ir.start_block("entry")
        for i in reversed(range(self.n)):
            ir.emit_line(f"br label %row{i}")
            ir.start_block(f"row{i}")
            self._write_row(i)
        self._write_back_substitution()
        ir.emit_line("ret void")
        return str(ir)

    def write_declarations(self) -> str:
        k = self.ir.real_type
        return (
            "declare double @llvm.fma.f64(double, double, double)\n"
            f"declare {k} @llvm.fma.{self.ir.suffix}({k}, {k}, {k})"
        )

    def _load_scalar(self, base: str, position: int) -> str:
        return self.ir.emit_value(
            f"load double, ptr {element_pointer(self.ir, base, position)}, align 8"
        )

    def _subtract_product(self, a: str, b: str, c: str) -> str:
        """`c - a b` of scalars, fused where the target has FMA."""
        ir = self.ir
        if not ir.fused:
            return ir.binary_op("fsub", c, ir.binary_op("fmul", a, b, "double"), "double")
        minus = ir.emit_value(f"fneg double {a}")
        return ir.emit_value(f"call double @llvm.fma.f64(double {minus}, double {b}, double {c})")

    def _write_row(self, i: int) -> None:
        """Subtract the rows of descendants from row i and its right-hand side, and scale it."""
        ir, w = self.ir, self.width
        diagonal_chunk, lane = divmod(i, w)
        row: dict[int, str] = {}
        for c in sorted({*self.chunks[i], diagonal_chunk}):
            row[c] = "zeroinitializer"
            if c in self.chunks[i]:
                row[c] = ir.load_value(element_pointer(ir, "%i0", i * self.stride + c * w), 8 * w)
        diagonal = self._load_scalar("%i1", i)
        row[diagonal_chunk] = ir.emit_value(
            f"insertelement {ir.real_type} {row[diagonal_chunk]}, double {diagonal}, i64 {lane}"
        )
        tau, bias = self._load_scalar("%i2", i), self._load_scalar("%i1", self.stride + i)
        y = ir.emit_value(f"fsub double {tau}, {bias}")
        for k in (k for k in reversed(range(i + 1, self.n)) if i in self.ancestors[k]):
            entry = self._load_scalar("%o1", self.vector_offsets[k, diagonal_chunk] + lane)
            y = self._subtract_product(entry, self.scaled[k], y)
            factor = ir.negate_value(broadcast_scalar(ir, entry, w))
            for c in row:
                if self.stage.parents[k] == i:  # it waits for this one, which need not be stored
                    descendant_row = self.divided[k, c]
                else:
                    descendant_row = ir.load_value(
                        element_pointer(ir, "%o2", self.vector_offsets[k, c]), 8
                    )
                row[c] = ir.fma(factor, descendant_row, row[c])
        for c in self.chunks[i]:
            ir.store_value(row[c], element_pointer(ir, "%o1", self.vector_offsets[i, c]), 8 * w)
        pivot = ir.emit_value(f"extractelement {ir.real_type} {row[diagonal_chunk]}, i64 {lane}")
        inverse = ir.emit_value(f"fdiv double 1.0, {pivot}")
        self.scaled[i] = ir.binary_op("fmul", y, inverse, "double")
        if self.stage.factor_array:
            pointer = element_pointer(ir, "%o2", w * len(self.vector_offsets) + i)
            ir.emit_line(f"store double {inverse}, ptr {pointer}, align 8")
        factor = broadcast_scalar(ir, inverse, w)
        for c in self.chunks[i]:
            self.divided[i, c] = ir.binary_op("fmul", row[c], factor)
            ir.store_value(
                self.divided[i, c], element_pointer(ir, "%o2", self.vector_offsets[i, c]), 8
            )

    def _write_back_substitution(self) -> None:
        """Back substitution from the root."""
        ir, w = self.ir, self.width
        x: dict[int, str] = {}
        for k in range(self.n):
            x[k] = self.scaled[k]
            for i in reversed(self.ancestors[k]):
                x[k] = self._subtract_product(
                    self._load_scalar("%o2", self.vector_offsets[k, i // w] + i % w), x[i], x[k]
                )
            ir.emit_line(f"store double {x[k]}, ptr {element_pointer(ir, '%o0', k)}, align 8")
