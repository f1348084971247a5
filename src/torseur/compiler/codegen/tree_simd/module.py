"""SIMD kernels over the tree: LLVM IR of `TreeSimdProgram` programs, a function for each stage."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...program.ports import Port
from ...program.program import Program
from ..basic_block import FRAME_POINTER, KernelBody
from ..entry_points import entry_points, packed
from ..lane_body import LaneBody, element_pointer
from ..llvm_builder import IRBuilder, format_double
from .blocks import FactorsBody, PackBody, PairBody, RimBody
from .stages import (
    BlockCopy,
    BorderStage,
    LaneRows,
    LaneStage,
    PackStage,
    Pairs,
    Stage,
    Straight,
    TreeFactorization,
)


@dataclass(frozen=True)
class TreeSimdProgram:
    """Stages of a kernel over arrays of `count` lanes.  `tables` are rows of constants.

    `layout` has the positions of the numbers of its last output, if they are not in order.
    """

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    count: int
    stages: tuple[Stage, ...]
    tables: Mapping[str, tuple[tuple[float, ...], ...]]
    layout: tuple[int, ...] = ()

    @cached_property
    def programs(self) -> tuple[tuple[Program, int], ...]:
        """Programs, and the number of lanes or pairs for which each is run."""
        programs: list[tuple[Program, int]] = []
        for s in self.stages:
            if isinstance(s, PackStage):
                programs += [(p.program, p.count) for p in s.packs]
            elif not isinstance(s, BlockCopy | TreeFactorization):
                repeats = len(s.pairs) if isinstance(s, Pairs) else self.count
                programs.append((s.program, 1 if isinstance(s, Straight) else repeats))
        return tuple(programs)

    @property
    def nodes(self) -> tuple[tuple, ...]:
        return tuple(n for program, _ in self.programs for n in program.nodes)

    @cached_property
    def operations(self) -> dict[str, int]:
        """Operations of all lanes and pairs."""
        total: Counter = Counter()
        for program, times in self.programs:
            for op, n in program.operations.items():
                total[op] += n * times
        for s in self.stages:
            if isinstance(s, TreeFactorization):
                total.update(s.operations)
        return dict(total)

    def module(self, lanes: int, fused: bool) -> str:
        """LLVM IR with `@thunk`, `@kernel` and `@gufunc`."""
        declared, parts = TreeSimdWriter(self, lanes, fused).write_functions("thunk")
        return "\n".join([*sorted(declared), *parts, entry_points(self), packed(self)])


class TreeSimdWriter:
    """Functions and constants of a kernel whose lanes are links."""

    def __init__(self, kernel: TreeSimdProgram, lanes: int, fused: bool):
        self.kernel, self.width, self.fused = kernel, lanes, fused
        self.stride = -(-kernel.count // lanes) * lanes
        self.external_names = {p.name: f"%i{k}" for k, p in enumerate(kernel.inputs)}
        self.external_names |= {p.name: f"%o{k}" for k, p in enumerate(kernel.outputs)}
        self.external_names |= {name: f"@{name}" for name in kernel.tables}
        self.declared: set[str] = set()

    def write_functions(self, name: str) -> tuple[set[str], list[str]]:
        """Declarations, functions and tables.  The kernel is the function `name`."""
        functions: list[str] = []
        for n, s in enumerate(self.kernel.stages):
            functions += (x for x in self._write_stage(n, s) if x not in functions)  # sines: once
        for table, rows in self.kernel.tables.items():
            padded = [x for row in rows for x in (*row, *[row[-1]] * (self.stride - len(row)))]
            numbers = ", ".join(f"double {format_double(x)}" for x in padded)
            head = f"@{table} = internal constant [{len(padded)} x double]"
            functions.append(f"{head} [{numbers}], align 64")
        last = self.kernel.count**2 - self.width
        functions.append(
            _format_table("blank", [8 * max(0, min(x, last)) for x in self._find_zero_vectors()[1]])
        )
        functions.append(self._write_entry(name))
        return self.declared, functions

    # the stages --------------------------------------------------------------------------
    def _write_stage(self, n: int, s) -> Iterator[str]:
        """Functions and tables of one stage."""
        if isinstance(s, BlockCopy):
            fro, to = s.list_positions(self.width, self.kernel.count)
            yield _format_table(f"from{n}", [8 * x for x in fro])
            yield _format_table(f"to{n}", [8 * x for x in to])
            return
        if isinstance(s, PackStage):
            yield self._write_packs(n, s)
            return
        if isinstance(s, BorderStage):
            for k, parts in enumerate(self._split_rim_parts(s)):
                size = self.stride, self.kernel.count
                rim = RimBody(s, self.width, self.fused, size, parts)
                text, parameters = rim.write_body(), rim.parameters
                self.declared.update(rim.write_declarations().splitlines())
                yield f"define internal void @stage{n}.{k}({parameters}) noinline {{\n{text}\n}}\n"
            return
        if isinstance(s, TreeFactorization):
            rows = FactorsBody(s, self.width, self.fused, self.stride)
            text, parameters = rows.write_body(), _format_parameters(3, 3)
            self.declared.update(rows.write_declarations().splitlines())
            yield f"define internal void @stage{n}({parameters}) noinline {{\n{text}\n}}\n"
            return
        if isinstance(s, Pairs):
            yield _format_table(f"runs{n}", self._list_pair_runs(s))
            pairs = PairBody(s, self.width, self.fused, self.stride)
            body: KernelBody = pairs
            parameters = pairs.parameters
        else:
            if isinstance(s, LaneStage):
                body = LaneBody(s.program, self.width, self.fused, self.stride)
            else:
                body = KernelBody(s.program, 1, self.width, self.fused, spread_zeros=True)
                body.has_local_sincos = True
            parameters = _format_parameters(len(s.program.inputs), len(s.program.outputs))
        text = body.write_body()
        self.declared.update(body.write_declarations().splitlines())
        frame = FRAME_POINTER if isinstance(s, Straight) and body.exceeds_icache else ""
        yield f"define internal void @stage{n}({parameters}) noinline {frame}{{\n{text}\n}}\n"
        yield body.write_sincos()

    def _write_packs(self, n: int, s: PackStage) -> str:
        """Function of a sequence of packs."""
        names = {x: f"%i{k}" for k, x in enumerate(s.reads)}
        names |= {x: f"%o{k}" for k, x in enumerate(s.writes)}
        bodies: list[PackBody] = []
        size = self._array_lengths, self.stride
        lines = ["entry:", *self._write_padding(s, names)]
        zeros = self._iterate_zero_stores(s, names)
        for pack in s.packs:
            lines += next(zeros, ())
            body = PackBody(pack, bodies, names, size, self.fused)
            lines.append(body.write_body())
            bodies.append(body)
            self.declared.update(body.write_declarations().splitlines())
        text = "\n".join([*lines, "  ret void"])
        parameters = _format_parameters(len(s.reads), len(s.writes))
        return f"define internal void @stage{n}({parameters}) noinline {{\n{text}\n}}\n"

    def _iterate_zero_stores(self, s: PackStage, names: Mapping[str, str]) -> Iterator[list[str]]:
        """Before each pack, stores of zeros in matrices that packs scatter to."""
        w = self.width
        for base in {names[p.stored_arrays[k]] for p in s.packs for k in p.scattered_outputs}:
            for positions in _schedule_zero_stores(s, self.kernel.count**2, w):
                stores = []
                for x in positions:
                    stores.append(f"  {base}.z{x} = getelementptr double, ptr {base}, i64 {x}")
                    kind = f"<{w} x double>"
                    stores.append(f"  store {kind} zeroinitializer, ptr {base}.z{x}, align 8")
                yield stores

    @property
    def _array_lengths(self) -> dict[str, int]:
        """Elements of input ports, of straight-line outputs, and of solutions."""
        outputs = [s.program.outputs for s in self.kernel.stages if isinstance(s, Straight)]
        lengths = {p.name: p.size for ports in (self.kernel.inputs, *outputs) for p in ports}
        solutions = [s.array for s in self.kernel.stages if isinstance(s, TreeFactorization)]
        return lengths | dict.fromkeys(solutions, self.kernel.count)

    def _write_padding(self, s: PackStage, names: Mapping[str, str]) -> Iterator[str]:
        """Zeros in lanes beyond the last of new arrays, because whole vectors are read."""
        sources = {x.array for p in s.packs for x in p.sources if isinstance(x, LaneRows)}
        if self.stride == self.kernel.count:
            return
        for array in (x for x in s.writes if x not in sources and x not in self.external_names):
            for row in range(s.writes[array]):
                k, base = (row + 1) * self.stride - self.width, names[array]
                yield f"  {base}.{row} = getelementptr double, ptr {base}, i64 {k}"
                kind = f"<{self.width} x double>"
                yield f"  store {kind} zeroinitializer, ptr {base}.{row}, align 8"

    def _list_pair_runs(self, s: Pairs) -> list[int]:
        """Table of pairs: offset of the one, of its row, lane mask, row mask."""
        w, n = self.width, s.stride or self.kernel.count
        return [
            x
            for chunk, one, bits in s.list_runs(w)
            for x in (8 * one, 8 * (one * n + chunk * w), bits, (1 << min(w, n - chunk * w)) - 1)
        ]

    # the kernel --------------------------------------------------------------------------
    def _compute_live_ranges(self) -> tuple[dict[str, int], dict[str, list[int]]]:
        """Sizes of arrays between stages, and the stages at which each is live."""
        sizes: dict[str, int] = {}
        live_ranges: dict[str, list[int]] = {}
        for n, s in enumerate(self.kernel.stages):
            defined: dict[str, int] = {}
            if isinstance(s, BlockCopy):
                used = [s.array, *s.matrices]
            elif isinstance(s, BorderStage):
                used = [p.name for p in s.program.inputs]
            elif isinstance(s, TreeFactorization):
                used, n_factors = [*s.reads], self.width * len(s.vector_offsets(self.width))
                defined = {s.array: self.kernel.count, f"{s.array}.rows": n_factors}
                defined[s.factor_array or f"{s.array}.low"] = n_factors
            elif isinstance(s, PackStage):
                used = [*s.reads, *s.writes]
                defined = {x: rows * self.stride for x, rows in s.writes.items()}
            elif isinstance(s, Pairs):
                used = [p.name for p in s.program.inputs]
                defined = dict.fromkeys(s.rows, self.kernel.count * (s.stride or self.kernel.count))
                blocks = len(s.list_runs(self.width)) * self.width
                defined |= {p.name: p.size * blocks for p in s.program.outputs[1:]}
            else:
                used = [p.name for p in s.program.inputs]
                n_lanes = self.stride if isinstance(s, LaneStage) else 1
                defined = {p.name: p.size * n_lanes for p in s.program.outputs}
            for x, k in defined.items():
                if x not in self.external_names:
                    sizes[x] = max(sizes.get(x, 0), _round_up(k, self.width))
            for x in dict.fromkeys((*used, *defined)):
                if x in sizes:
                    live_ranges.setdefault(x, []).append(n)
        return sizes, live_ranges

    def allocate_arrays(self) -> tuple[dict[str, int], int]:
        """Offsets of arrays, and total size.  Arrays with disjoint live ranges overlap."""
        sizes, live_ranges = self._compute_live_ranges()
        offsets: dict[str, int] = {}
        for name in sorted(sizes, key=lambda x: (-sizes[x], x)):
            occupied = sorted(
                (offsets[x], offsets[x] + sizes[x])
                for x in offsets
                if live_ranges[x][0] <= live_ranges[name][-1]
                and live_ranges[name][0] <= live_ranges[x][-1]
            )
            offset = 0
            for start, end in occupied:
                if offset + sizes[name] <= start:
                    break
                offset = max(offset, end)
            offsets[name] = offset
        return offsets, max(offsets[x] + sizes[x] for x in sizes) + self.width

    def _write_entry(self, name: str) -> str:
        """The kernel: work memory, zeros, calls of the stages."""
        kernel, ir = self.kernel, IRBuilder(1, False)
        offsets, size = self.allocate_arrays()
        ir.start_block("entry")
        ir.emit_line(f"%room = alloca [{size} x double], align 64")
        names = self.external_names | {
            x: element_pointer(ir, "%room", k) for x, k in offsets.items()
        }
        self._clear_matrices(ir)
        for n, s in enumerate(kernel.stages):
            self._call_stage(ir, n, s, names)
        ir.emit_line("ret void")
        heads = _format_parameters(len(kernel.inputs), len(kernel.outputs))
        return f"define void @{name}({heads}) {{\n{ir}\n}}\n"

    def _call_stage(self, ir: IRBuilder, n: int, s, names: Mapping[str, str]) -> None:
        """Call of one stage."""
        if isinstance(s, BlockCopy):
            self._copy_blocks(ir, n, s, names)
        elif isinstance(s, Pairs):
            self._call_pairs(ir, n, s, names)
        elif isinstance(s, PackStage):
            _emit_stage_call(ir, n, [names[x] for x in (*s.reads, *s.writes)])
        elif isinstance(s, BorderStage):
            self._call_rim(ir, n, s, names)
        elif isinstance(s, TreeFactorization):
            low = s.factor_array or f"{s.array}.low"
            _emit_stage_call(ir, n, [names[x] for x in (*s.reads, s.array, f"{s.array}.rows", low)])
        else:
            args = [names[p.name] for p in (*s.program.inputs, *s.program.outputs)]
            if isinstance(s, Straight):
                _emit_stage_call(ir, n, args)
                return
            with ir.count_loop(str(self.stride // self.width)) as c:
                off = ir.emit_value(f"mul i64 {c}, {self.width}")
                _emit_stage_call(ir, n, [element_pointer(ir, x, off) for x in args])

    def _call_pairs(self, ir: IRBuilder, n: int, s: Pairs, names: Mapping[str, str]) -> None:
        """For each vector of others, one call for all of its ones."""
        w, chunks = self.width, [chunk for chunk, *_ in s.list_runs(self.width)]
        one_array, other_array = (names[p.name] for p in s.program.inputs)
        n_low = sum(p.size for p in s.program.outputs[1:])
        low = names[s.program.outputs[1].name] if n_low else one_array
        for chunk in sorted(set(chunks)):
            first, count = chunks.index(chunk), chunks.count(chunk)
            args = [
                one_array,
                element_pointer(ir, other_array, chunk * w),
                element_pointer(ir, low, first * w * n_low),
            ]
            args += [
                *(names[x] for x in s.rows),
                element_pointer(ir, f"@runs{n}", 4 * first, "i32"),
            ]
            ir.emit_line(f"call void @stage{n}({', '.join(f'ptr {x}' for x in args)}, i64 {count})")

    def _split_rim_parts(self, s: BorderStage) -> list[tuple[int, ...]]:
        """Rows and columns in one pass if they meet in one vector, else in two."""
        return [(0, 1)] if s.count <= self.width else [(0,), (1,)]

    def _call_rim(self, ir: IRBuilder, n: int, s: BorderStage, names: Mapping[str, str]) -> None:
        """From the last lanes to the first: later stores mend the rows."""
        for k in range(len(self._split_rim_parts(s))):
            with ir.count_loop(str(self.stride // self.width)) as c:
                distance = ir.emit_value(f"mul i64 {c}, {self.width}")
                off = ir.emit_value(f"sub i64 {self.stride - self.width}, {distance}")
                ports = [p.name for p in s.program.inputs]
                args = [
                    names[x] if x in s.first else element_pointer(ir, names[x], off) for x in ports
                ]
                args += [names[x] for x in s.matrices]
                arguments = ", ".join(f"ptr {x}" for x in args)
                ir.emit_line(f"call void @stage{n}.{k}({arguments}, i64 {off})")

    def _copy_blocks(self, ir: IRBuilder, n: int, s: BlockCopy, names: Mapping[str, str]) -> None:
        """Copy numbers of an array to columns or the diagonal of matrices."""
        step = self.width if s.pairs else self.stride
        with ir.count_loop(str(len(s.list_positions(self.width, self.kernel.count)[0]))) as c:
            source, target = (
                ir.cast_value(
                    "zext", ir.emit_value(f"load i32, ptr {pointer}, align 4"), "i32", "i64"
                )
                for pointer in [
                    element_pointer(ir, f"@{direction}{n}", c, "i32")
                    for direction in ("from", "to")
                ]
            )
            base = element_pointer(ir, names[s.array], source, "i8")
            for k, matrix in enumerate(s.matrices):
                ir.store_value(
                    ir.load_value(element_pointer(ir, base, k * step), 8),
                    element_pointer(ir, names[matrix], target, "i8"),
                    8,
                )

    def _find_zero_vectors(self) -> tuple[list[str], list[int]]:
        """Matrices of pairs, and the positions of vectors of zeros in them."""
        n, w = self.kernel.count, self.width
        stages, stage_types = self.kernel.stages, (Pairs, BlockCopy, BorderStage)
        filled = {x for s in stages if isinstance(s, stage_types) for x in _list_matrices(s)}
        matrices = [f"%o{k}" for k, p in enumerate(self.kernel.outputs) if p.name in filled]
        pairs = [s for s in stages if isinstance(s, Pairs) and self.external_names.get(s.rows[0])]
        covered = {x[:2] for s in pairs for x in s.list_runs(w)}
        rows = max((s.count for s in stages if isinstance(s, BorderStage)), default=0)
        blocks = ((c, one) for one in range(rows, n) for c in range(self.stride // w))
        return matrices, [one * n + c * w for c, one in blocks if (c, one) not in covered]

    def _clear_matrices(self, ir: IRBuilder) -> None:
        """Store zeros where no pair writes a row."""
        matrices, positions = self._find_zero_vectors()
        size, w = self.kernel.count**2, self.width
        if not matrices:
            return
        if size < w:
            for base in matrices:
                for k in range(size):
                    ir.store_value("0.0", element_pointer(ir, base, k), 8)
            return
        with ir.count_loop(str(len(positions))) as c:
            x = ir.emit_value(f"load i32, ptr {element_pointer(ir, '@blank', c, 'i32')}, align 4")
            position = ir.cast_value("zext", x, "i32", "i64")
            for base in matrices:
                to = element_pointer(ir, base, position, "i8")
                ir.emit_line(f"store <{w} x double> zeroinitializer, ptr {to}, align 8")


def _schedule_zero_stores(s: PackStage, size: int, width: int) -> list[list[int]]:
    """Positions of vectors of zeros to be stored before each pack.

    They cover elements that no pack writes, and are stored before a pack writes next to them.  They
    are spread evenly, because all at once would fill the store queue.
    """
    first: dict[int, int] = {}
    for n, p in enumerate(s.packs):
        for rows in p.places.values():
            first |= {x: n for row in rows for y in row for x in y if x not in first}
    starts: list[int] = []
    for x in range(size):
        if x not in first and (not starts or x >= starts[-1] + width):
            starts.append(min(x, size - width))
    pending = sorted((min(first.get(x + k, len(s.packs)) for k in range(width)), x) for x in starts)
    stores_per_pack, schedule = -(-len(pending) // len(s.packs)), []
    for n in range(len(s.packs)):
        due = sum(last <= n for last, _ in pending)
        schedule.append([x for _, x in pending[: max(stores_per_pack, due)]])
        pending = pending[max(stores_per_pack, due) :]
    return schedule


def _list_matrices(s: Pairs | BlockCopy | BorderStage) -> tuple[str, ...]:
    return s.rows if isinstance(s, Pairs) else s.matrices


def _format_parameters(ins: int, outs: int) -> str:
    heads = [f"ptr noalias readonly %i{k}" for k in range(ins)]
    return ", ".join(heads + [f"ptr noalias %o{k}" for k in range(outs)])


def _round_up(size: int, width: int) -> int:
    return -(-size // width) * width


def _format_table(name: str, numbers: Sequence[int]) -> str:
    row = ", ".join(f"i32 {x}" for x in numbers)
    return f"@{name} = internal constant [{len(numbers)} x i32] [{row}], align 64"


def _emit_stage_call(ir: IRBuilder, stage: int, args: list[str]) -> None:
    ir.emit_line(f"call void @stage{stage}({', '.join(f'ptr {x}' for x in args)})")
