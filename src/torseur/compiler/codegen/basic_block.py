"""Code generation of straight-line programs: LLVM IR for one state, or for one state per lane.

Nodes are emitted in the order of `scheduling`, as one basic block or, for long programs, as blocks
of some nodes.  LLVM schedules instructions inside a basic block only, and its time grows as the
square of the length of a block.
"""

from collections.abc import Iterator

from ..program.program import LIBM_ARITY, LOGIC_OPS, Program
from ..program.scheduling import (
    compute_call_depths,
    group_trig_arguments,
    order_roots,
    schedule_cone,
    select_fma_products,
    select_shared_fma_products,
)
from ..program.table_lookup import list_lookups
from . import sincos
from .llvm_builder import IRBuilder, format_double
from .subroutines import (
    CallWriter,
    call_upstream,
    declare_native_routines,
    declare_upstream,
    name_routines,
    result_position,
)

MIN_SPREAD_ZEROS = 32
MAX_ONE_BLOCK_NODES = 1500  # nodes, above which code is cut into blocks
BASIC_BLOCK_NODES = 50
"""Nodes of a block: LLVM orders instructions inside one only, where it is after waits that a
processor hides by itself and pays with registers; its time grows as the square of a block."""
# nodes, above which code leaves the nearest cache and fewer instructions win over waits
MAX_ICACHE_NODES = 4500
# loaded before their first use
FRAME_POINTER = '"frame-pointer"="all" '  # what is on the stack is addressed with a byte less
LOADED_OPS = frozenset(["input", "sin", "cos", "got", "ahead"])
COMPARISON_PREDICATES = {"lt": "olt", "le": "ole", "eq": "oeq", "ne": "une"}


class KernelBody:
    """Body of a function for one program: order of evaluation, FMA contraction, ports."""

    def __init__(
        self, program: Program, width: int, lanes: int, fused: bool, spread_zeros: bool = False
    ):
        """Body of a program.

        Parameters
        ----------
        width : int
            States in a vector of doubles: 1, or one state per lane.
        lanes : int
            Width of the vectors in which sines and cosines are taken.
        fused : bool
            Whether the target has FMA.
        spread_zeros : bool
            Store the zeros of sparse outputs between other code, because all at once they fill the
            store queue.
        """
        self.splits_blocks = len(program.nodes) > MAX_ONE_BLOCK_NODES
        self.exceeds_icache = len(program.nodes) > MAX_ICACHE_NODES
        self.program, self.width, self.lanes, self.fused = program, width, lanes, fused
        self.routines = name_routines(program)
        self.has_port_pointers = width == 1  # whether each port has its own pointer
        self.has_local_sincos = False  # long code that just fits the caches wants them next to it
        self.ir = IRBuilder(width, fused)
        self.real_values: dict[int, str] = {}  # real value of a node
        self.bool_values: dict[int, str] = {}  # truth value of a node
        self.fma_products = select_fma_products(program) if fused else {}
        if self.exceeds_icache and fused:
            self.fma_products = select_shared_fma_products(program, self.fma_products)
        self.fused_nodes = set(self.fma_products.values())
        self.n_written = 0
        self.libm_calls: set[str] = set()
        self.constant_slots: dict[str, int] = {}
        self.max_angle_groups = 0  # of angles taken together, at most
        self.trig_offsets: dict[int, tuple[int, int]] = {}  # where the sine of an angle is stored
        self.output_uses: dict[int, list[tuple[int, int, int]]] = {}
        for port, row in enumerate(program.results[: len(program.outputs)]):
            for element, r in enumerate(row):
                self.output_uses.setdefault(r >> 1, []).append((port, element, r & 1))
        # many zeros (of a matrix with a pattern) are written neighbors together, a few a block:
        # all at once they would fill the processor's queue of stores
        zero_node = next((k for k, node in enumerate(program.nodes) if node == ("const", 0.0)), -1)
        spreads = spread_zeros and len(self.output_uses.get(zero_node, ())) > MIN_SPREAD_ZEROS
        zero_outputs = (
            [(port, k) for port, k, _ in self.output_uses.pop(zero_node)] if spreads else []
        )
        self.zero_runs = [*self._split_zero_runs(zero_outputs)]
        n_instructions = sum(op != "const" and op not in LOADED_OPS for op, *_ in program.nodes)
        self.zeros_per_block = -(
            -len(self.zero_runs)
            * BASIC_BLOCK_NODES
            // max(1, n_instructions - len(self.fused_nodes))
        )

    # pointers ----------------------------------------------------------------------------
    def input_pointer(self, port: int, element: int) -> str:
        if self.has_port_pointers:
            return self.element_pointer(f"%i{port}", element * self.width)
        offset = sum(p.size for p in self.program.inputs[:port])
        return self.element_pointer("%i", (offset + element) * self.width)

    def output_pointer(self, port: int, element: int) -> str:
        if self.has_port_pointers:
            return self.element_pointer(f"%o{port}", element * self.width)
        offset = sum(p.size for p in self.program.outputs[:port])
        return self.element_pointer("%o", (offset + element) * self.width)

    def element_pointer(self, base: str, element: int) -> str:
        return (
            self.ir.emit_value(f"getelementptr double, ptr {base}, i64 {element}")
            if element
            else base
        )

    @property
    def alignment(self) -> int:
        return 8 * self.width

    def allocate_stack(self, name: str, count: int) -> None:
        """Allocate doubles on the stack, aligned to a vector.

        Code beyond the instruction cache aligns the address itself, because frames that are not
        aligned have shorter addresses.
        """
        ir, align = self.ir, 8 * self.lanes
        if self.width > 1 or not self.exceeds_icache:
            ir.emit_line(f"{name} = alloca [{count} x double], align {align}")
            return
        raw = ir.emit_value(f"alloca [{count + self.lanes} x double], align 16")
        padding = ir.binary_op("sub", "0", ir.cast_value("ptrtoint", raw, "ptr", "i64"), "i64")
        padding = ir.binary_op("and", padding, str(align - 1), "i64")
        ir.emit_line(f"{name} = getelementptr i8, ptr {raw}, i64 {padding}")

    # the body ----------------------------------------------------------------------------
    def write_body(self) -> str:
        """Lines of the body: stages of sines, calls, then the outputs."""
        program, ir = self.program, self.ir
        ir.start_block("entry")
        depths = compute_call_depths(program)
        staged, _ = group_trig_arguments(program, depths)
        for k, angles in enumerate(staged):
            groups = len(angles) if self.width > 1 else -(-len(angles) // self.lanes)
            self.max_angle_groups = max(self.max_angle_groups, groups)
            for p in "xsc":
                self.allocate_stack(f"%{p}{k}", groups * self.lanes)
        scheduled = [False] * len(program.nodes)
        call_upstream(self)
        calls = CallWriter(self, depths)
        for k, angles in enumerate(staged):
            calls.write_calls(k, scheduled)
            self._write_trig_stage(k, angles, scheduled)
        calls.write_calls(len(staged), scheduled)
        for root in order_roots(program):
            for k in schedule_cone(program, root, scheduled):
                self.write_node(k)
        for k in [*self.output_uses]:  # constants, inputs: what was there before
            self.store_outputs(k)
        self._store_zeros(len(self.zero_runs))
        calls.free_heap_arrays()
        ir.emit_line("ret void")
        return str(ir)

    def write_all_nodes(self) -> None:
        """Emit all nodes by demand, then outputs that are constants or inputs."""
        scheduled = [False] * len(self.program.nodes)
        for root in order_roots(self.program):
            for k in schedule_cone(self.program, root, scheduled):
                self.write_node(k)
        for k in [*self.output_uses]:
            self.store_outputs(k)

    def store_outputs(self, k: int) -> None:
        """Store node `k` in its outputs at once, which frees its register."""
        for port, element, sign in self.output_uses.pop(k):
            self.ir.store_value(
                self.real_operand(2 * k | sign), self.output_pointer(port, element), self.alignment
            )

    def _write_trig_stage(self, stage: int, angles: list[int], scheduled: list[bool]) -> None:
        """Sines and cosines of one stage: their arguments need no other of the stage."""
        ir, nodes = self.ir, self.program.nodes
        for a in angles:
            for k in schedule_cone(self.program, a, scheduled):
                self.write_node(k)
        x, count = f"%x{stage}", len(angles)
        arguments = [nodes[a] for a in angles]
        first = arguments[0]
        is_contiguous = first[0] == "input" and all(
            n == ("input", first[1], first[2] + j) for j, n in enumerate(arguments)
        )
        if is_contiguous and (self.width > 1 or count >= self.lanes):
            x = self.input_pointer(first[1], first[2])
        elif self.width > 1:
            for j, a in enumerate(angles):
                ir.store_value(
                    self.real_operand(2 * a),
                    self.element_pointer(x, j * self.width),
                    self.alignment,
                )
        else:
            kind = f"<{self.lanes} x double>"
            for j in range(0, count, self.lanes):
                vector = "zeroinitializer"
                for lane, a in enumerate(angles[j : j + self.lanes]):
                    vector = ir.emit_value(
                        f"insertelement {kind} {vector}, double "
                        f"{self.real_operand(2 * a)}, i64 {lane}"
                    )
                ir.emit_line(
                    f"store {kind} {vector}, ptr {self.element_pointer(x, j)}, "
                    f"align {8 * self.lanes}"
                )
            count = -(-count // self.lanes) * self.lanes
        last = (count - 1) * self.width if self.width > 1 else count - self.lanes
        sincos_symbol = (
            f"@torseur.{sincos.sincos_symbol(self.lanes, self.fused, self.max_angle_groups)}"
        )
        ir.emit_line(
            f"call void {sincos_symbol}(ptr {x}, ptr %s{stage}, ptr %c{stage}, i64 {last})"
        )
        self.trig_offsets |= {a: (stage, j * self.width) for j, a in enumerate(angles)}

    def _split_zero_runs(
        self, zero_outputs: list[tuple[int, int]]
    ) -> Iterator[tuple[int, int, int]]:
        """Runs of zeros as (port, first, count), each as long as one store."""
        for port, element, remaining in _group_neighbors(zero_outputs):
            while remaining:
                count = 1 if self.width > 1 else min(self.lanes, 1 << remaining.bit_length() - 1)
                yield port, element, count
                element, remaining = element + count, remaining - count

    def _store_zeros(self, count: int) -> None:
        """Store some of the runs of zeros."""
        for _ in range(min(count, len(self.zero_runs))):
            port, first, n_doubles = self.zero_runs.pop()
            n_doubles *= self.width
            value = "double 0.0" if n_doubles == 1 else f"<{n_doubles} x double> zeroinitializer"
            pointer = self.output_pointer(port, first)
            self.ir.emit_line(f"store {value}, ptr {pointer}, align {self.alignment}")

    # values ------------------------------------------------------------------------------
    def real_operand(self, r: int) -> str:
        """Name of a value, its sign applied."""
        k = r >> 1
        node = self.program.nodes[k]
        if node[0] == "const":
            return self.constant_operand(-node[1] if r & 1 else node[1])
        if k not in self.real_values:
            if node[0] in LOADED_OPS:
                self._write_operation(k, node[0], list(node[1:]), False)
            elif k in self.bool_values:
                ir = self.ir
                self.real_values[k] = ir.cast_value(
                    "uitofp", self.bool_values[k], ir.bool_type, ir.real_type
                )
            else:
                raise AssertionError(f"node {k} {node} is read before it is written")
        return self.ir.negate_value(self.real_values[k]) if r & 1 else self.real_values[k]

    def constant_operand(self, x: float) -> str:
        """Constant, from a table in lanes without broadcast in arithmetic instructions."""
        if self.width == 1 or self.width > 4:
            return self.ir.real_constant(x)
        slot = self.constant_slots.setdefault(format_double(x), len(self.constant_slots))
        return self.ir.load_value(
            f"getelementptr ({self.ir.real_type}, ptr @table, i64 {slot})", self.alignment
        )

    def bool_operand(self, r: int) -> str:
        k = r >> 1
        if k not in self.bool_values:
            zero = self.ir.real_constant(0.0)
            self.bool_values[k] = self.ir.compare_values("fcmp une", self.real_operand(2 * k), zero)
        return self.bool_values[k]

    def write_node(self, k: int) -> None:
        """Emit node `k`, and store it where it is an output."""
        op, *args = self.program.nodes[k]
        if k in self.fused_nodes or op == "const" or op in LOADED_OPS:
            return
        uses = self.output_uses.get(k, ())
        negate = op in ("add", "mul") and self.program.uses[k] == len(uses) == sum(
            sign for *_, sign in uses
        )
        if negate:  # only the negative is used, which costs no more
            self.output_uses[k] = [(port, element, 0) for port, element, _ in uses]
        self._write_operation(k, op, args, bool(negate))
        if uses:
            self.store_outputs(k)
        self.n_written += 1
        if self.splits_blocks and self.n_written % BASIC_BLOCK_NODES == 0:
            self._store_zeros(self.zeros_per_block)
            self.ir.emit_line(f"br label %block{self.n_written}")
            self.ir.start_block(f"block{self.n_written}")

    def load_leaf(self, k: int) -> str:
        """Load an input, a sine or cosine, or a result of a call."""
        op, *args = self.program.nodes[k]
        if op == "input":
            return self.ir.load_value(self.input_pointer(*args), self.alignment)
        if op == "got":
            position = result_position(self, *args)
            return self.ir.load_value(
                self.element_pointer(f"%got{args[0]}", position * self.width), self.alignment
            )
        if op == "ahead":
            position = sum(self.program.upstream_sizes[: args[0]]) + args[1]
            return self.ir.load_value(
                self.element_pointer("%ahead", position * self.width), self.alignment
            )
        stage, offset = self.trig_offsets[args[0] >> 1]
        return self.ir.load_value(self.element_pointer(f"%{op[0]}{stage}", offset), self.alignment)

    def _write_operation(self, k: int, op: str, args: list[int], negate: bool) -> None:
        """Emit the instructions of one operation."""
        ir = self.ir
        if op in LOADED_OPS:
            self.real_values[k] = self.load_leaf(k)
        elif op == "add":
            self.real_values[k] = self._write_sum(k, args[0], args[1], negate)
        elif op == "mul":
            self.real_values[k] = ir.binary_op(
                "fmul", self.real_operand(args[0] | negate), self.real_operand(args[1])
            )
        elif op == "div":
            self.real_values[k] = ir.binary_op(
                "fdiv", self.real_operand(args[0]), self.real_operand(args[1])
            )
        elif op in ("sqrt", "fabs", "floor", "ceil"):
            self.real_values[k] = ir.call_intrinsic(op, self.real_operand(args[0]))
        elif op in COMPARISON_PREDICATES:
            a, b = map(self.real_operand, args)
            self.bool_values[k] = ir.compare_values(f"fcmp {COMPARISON_PREDICATES[op]}", a, b)
        elif op in LOGIC_OPS:
            self.bool_values[k] = self._write_logic(op, *map(self.bool_operand, args))
        elif op in ("fmin", "fmax"):
            a, b = map(self.real_operand, args)
            less = ir.compare_values("fcmp olt" if op == "fmin" else "fcmp ogt", a, b)
            self.real_values[k] = ir.select_value(less, a, b)
        elif op == "ifz":
            self.real_values[k] = ir.select_value(
                self.bool_operand(args[0]), self.real_operand(args[1]), ir.real_constant(0.0)
            )
        elif op == "select":
            self.real_values[k] = ir.select_value(
                self.bool_operand(args[0]), self.real_operand(args[1]), self.real_operand(args[2])
            )
        elif op == "sign":
            x, zero = self.real_operand(args[0]), ir.real_constant(0.0)
            negative = ir.select_value(
                ir.compare_values("fcmp olt", x, zero), ir.real_constant(-1.0), x
            )
            self.real_values[k] = ir.select_value(
                ir.compare_values("fcmp ogt", x, zero), ir.real_constant(1.0), negative
            )
        else:
            self.libm_calls.add(op)
            symbol = f"@torseur.{op}" if self.width == 1 else f"@each.{op}"
            values = ", ".join(f"{ir.real_type} {self.real_operand(r)}" for r in args)
            self.real_values[k] = ir.emit_value(f"call {ir.real_type} {symbol}({values})")

    def _write_logic(self, op: str, a: str, b: str = "") -> str:
        kind = self.ir.bool_type
        if op == "not":
            true = "true" if self.width == 1 else f"<{', '.join(['i1 true'] * self.width)}>"
            return self.ir.binary_op("xor", a, true, kind)
        return self.ir.binary_op(op, a, b, kind)

    def _write_sum(self, k: int, a: int, b: int, negate: bool) -> str:
        """Sum, with a product contracted into it (FMA) where one was selected."""
        ir = self.ir
        a, b = a ^ negate, b ^ negate
        if (m := self.fma_products.get(k)) is not None:
            if a >> 1 == m:
                a, b = b, a
            _, x, y = self.program.nodes[m]
            if self.program.nodes[x >> 1][0] != "const":
                x, y = y, x
            return ir.fma(self.real_operand(x ^ b & 1), self.real_operand(y), self.real_operand(a))
        if a & 1 and not b & 1:
            a, b = b, a
        if b & 1:
            return ir.binary_op("fsub", self.real_operand(a), self.real_operand(b ^ 1))
        return ir.binary_op("fadd", self.real_operand(a), self.real_operand(b))

    # what stands around the body ---------------------------------------------------------
    def write_declarations(self) -> str:
        """Declarations of the functions that the body calls, after it is written."""
        used = {op for op, *_ in self.program.nodes if op in LIBM_ARITY}
        lines = [
            f"declare double @torseur.{f}({', '.join(['double'] * LIBM_ARITY[f])})"
            for f in sorted(used)
        ]
        lines += [line for x in list_lookups(self.program.nodes) for line in x.write_function()]
        lines += declare_upstream(self) + declare_native_routines(self.program)
        if self.max_angle_groups and self.has_local_sincos:
            lines += [f"declare double @torseur.{f}(double)" for f in ("sin", "cos")]
        elif self.max_angle_groups:
            lines.append(
                sincos.declare_sincos(
                    sincos.sincos_symbol(self.lanes, self.fused, self.max_angle_groups)
                )
            )
        for width in {1, self.width, self.lanes}:
            ir = IRBuilder(width, self.fused)
            for f in ("fabs", "sqrt", "floor", "ceil"):
                lines.append(f"declare {ir.real_type} @llvm.{f}.{ir.suffix}({ir.real_type})")
            lines.append(
                f"declare {ir.real_type} @llvm.fma.{ir.suffix}({', '.join([ir.real_type] * 3)})"
            )
        return "\n".join(lines) + "\n"

    def write_sincos(self) -> str:
        """Function of sines and cosines, where the kernel has a local copy."""
        if not (self.max_angle_groups and self.has_local_sincos):
            return ""
        name = sincos.sincos_symbol(self.lanes, self.fused, self.max_angle_groups)
        width, groups, fused = map(int, name.split("_")[1:])
        text = sincos.write_function(f"torseur.{name}", width, groups, bool(fused))
        return text.replace("define void", "define internal void", 1)

    def write_constants(self) -> str:
        """Table of constants, each in every lane."""
        if not self.constant_slots:
            return ""
        kind = self.ir.real_type
        rows = ", ".join(
            f"{kind} <{', '.join([f'double {x}'] * self.width)}>" for x in self.constant_slots
        )
        size = len(self.constant_slots)
        return f"@table = internal constant [{size} x {kind}] [{rows}], align {self.alignment}\n"

    def write_lane_helpers(self) -> Iterator[str]:
        """For each function of the C library a function that calls it for every lane."""
        for f in sorted(self.libm_calls):
            ir = IRBuilder(self.width, self.fused)
            names = ("%a", "%b")[: LIBM_ARITY.get(f, 1)]
            result = "poison"
            for k in range(self.width):
                args = ", ".join(f"double {ir.extract_lane(n, k)}" for n in names)
                y = ir.emit_value(f"call double @torseur.{f}({args})")
                result = ir.emit_value(
                    f"insertelement {ir.real_type} {result}, double {y}, i64 {k}"
                )
            ir.emit_line(f"ret {ir.real_type} {result}")
            args = ", ".join(f"{ir.real_type} {n}" for n in names)
            yield f"define internal {ir.real_type} @each.{f}({args}) {{\n{ir}\n}}\n"


def _group_neighbors(zero_outputs: list[tuple[int, int]]) -> Iterator[tuple[int, int, int]]:
    """Neighboring elements of a port as (port, first, count)."""
    start = 0
    for i, (port, k) in enumerate(zero_outputs):
        if i + 1 == len(zero_outputs) or zero_outputs[i + 1] != (port, k + 1):
            yield port, zero_outputs[start][1], i + 1 - start
            start = i + 1
