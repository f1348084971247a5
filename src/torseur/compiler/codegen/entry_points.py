"""Entry points of kernels: calling conventions for one state and for one state per SIMD lane.

Scalar and SIMD code have the same operations in the same order with the same fused multiply-adds,
so their results agree bit for bit.  Sines and cosines are taken a vector at a time, before the
rest, in the code for one state too, where the lanes are the joints.

- `@thunk(in0, ..., out0, ...)`: one pointer for each port.
- `i32 @kernel(in, out, work)`: pointers to pointers (the ABI of integrators); returns a status.
- `i32 @gufunc(in, out, work)`: as `@kernel`, without empty ports and without a check.
- `@lanes(in, out)`: element k of lane j is number `k * lanes + j`.
"""

from collections.abc import Iterator

from ..program.ports import Ported
from ..program.program import Program
from .basic_block import FRAME_POINTER, KernelBody
from .lane_body import RoutineColumns
from .llvm_builder import IRBuilder, format_double
from .subroutines import format_parameters, uses_simd_columns

FINITE_CHECK_VECTOR = 16  # numbers that are checked together
MIN_VECTOR_CHECK_SIZE = 2 * FINITE_CHECK_VECTOR  # of a port, from which on that is worth it


def write_scalar_module(program: Program, lanes: int, fused: bool) -> str:
    """LLVM IR with `@thunk`, `@kernel` and `@gufunc`.

    `lanes` is the width of the vectors in which sines and cosines are taken.
    """
    body = KernelBody(program, 1, lanes, fused, spread_zeros=True)
    body.has_local_sincos = body.splits_blocks and not program.calls
    frame = FRAME_POINTER if body.exceeds_icache else ""
    head = f"define void @thunk({format_parameters(program)}) {frame}"
    parts = [*write_functions(body, head), body.write_sincos()]
    return "\n".join([*parts, entry_points(program), packed(program)])


def write_simd_module(program: Program, lanes: int, fused: bool) -> str:
    """LLVM IR with `@lanes(in, out)`."""
    body = KernelBody(program, lanes, lanes, fused, spread_zeros=True)
    head = "define void @lanes(ptr noalias readonly %i, ptr noalias %o)"
    parts = [*write_functions(body, head), body.write_constants()]
    return "\n".join([*parts, *body.write_lane_helpers()])


def write_functions(body: KernelBody, head: str) -> list[str]:
    """Declarations, routines, and the function itself with the head `head`."""
    bodies, functions = [], []
    for routine, name in _iterate_routines(body):
        bodies.append(routine)
        routine.has_port_pointers, routine.routines, routine.constant_slots, routine.libm_calls = (
            True,
            body.routines,
            body.constant_slots,
            body.libm_calls,
        )
        start = f"define internal void {name}({format_parameters(routine.program)})"
        frame = FRAME_POINTER if routine.exceeds_icache else ""
        functions.append(f"{start} {frame}{{\n{routine.write_body()}\n}}\n")
    functions.append(f"{head} {{\n{body.write_body()}\n}}\n")
    declared = dict.fromkeys(
        x for b in (*bodies, body) for x in b.write_declarations().splitlines()
    )
    return ["\n".join(declared), *functions]


def _iterate_routines(body: KernelBody) -> Iterator[tuple[KernelBody, str]]:
    """Bodies and names of the called routines, for one column or several in a vector."""
    program, width, lanes, fused = body.program, body.width, body.lanes, body.fused
    uses: dict[int, set[int]] = {}
    for caller in (program, *program.routines):
        for call in caller.calls:
            columns = call.padded_columns if uses_simd_columns(body, call) else 1
            uses.setdefault(id(call.routine), set()).add(columns)
    for r in program.routines:
        name = body.routines[id(r)]
        for columns in sorted(uses[id(r)]):
            if columns == 1:
                yield KernelBody(r, width, lanes, fused, spread_zeros=True), name
            else:
                yield RoutineColumns(r, columns, lanes, fused), f"{name}.{columns}"


def entry_points(program: Ported) -> str:
    """`i32 @kernel(in, out, work)`: returns 0, or the position of the first output not finite."""
    ir = IRBuilder(1, False)
    ir.start_block("entry")
    args = []
    for direction, ports in (("in", program.inputs), ("out", program.outputs)):
        for k in range(len(ports)):
            slot = ir.emit_value(f"getelementptr ptr, ptr %{direction}, i64 {k}")
            args.append(ir.emit_value(f"load ptr, ptr {slot}, align 8"))
    ir.emit_line(f"call void @thunk({', '.join('ptr ' + a for a in args)})")
    ir.emit_line("br label %start0")
    first = 1
    for k, port in enumerate(program.outputs):
        next_block = f"start{k + 1}"
        ir.start_block(f"start{k}")
        if port.size == 0:
            ir.emit_line(f"br label %{next_block}")
            continue
        pointer = args[len(program.inputs) + k]
        n_finite = (
            _write_finite_check(ir, pointer, port.size)
            if port.size >= MIN_VECTOR_CHECK_SIZE
            else "0"
        )
        predecessor = ir.current_block
        ir.emit_line(f"br label %loop{k}")
        ir.start_block(f"loop{k}")
        ir.emit_line(f"%n{k} = phi i64 [{n_finite}, %{predecessor}], [%m{k}, %next{k}]")
        x = ir.load_value(ir.emit_value(f"getelementptr double, ptr {pointer}, i64 %n{k}"), 8)
        good = ir.compare_values(
            "fcmp olt", ir.call_intrinsic("fabs", x), format_double(float("inf"))
        )
        ir.emit_line(f"br i1 {good}, label %next{k}, label %bad{k}")
        ir.start_block(f"bad{k}")
        position = ir.emit_value(f"add i64 %n{k}, {first}")
        ir.emit_line(f"ret i32 {ir.emit_value(f'trunc i64 {position} to i32')}")
        ir.start_block(f"next{k}")
        ir.emit_line(f"%m{k} = add i64 %n{k}, 1")
        ir.emit_line(f"%again{k} = icmp slt i64 %m{k}, {port.size}")
        ir.emit_line(f"br i1 %again{k}, label %loop{k}, label %{next_block}")
        first += port.size
    ir.start_block(f"start{len(program.outputs)}")
    ir.emit_line("ret i32 0")
    return f"define i32 @kernel(ptr %in, ptr %out, ptr %work) {{\n{ir}\n}}\n"


def _write_finite_check(ir: IRBuilder, pointer: str, size: int) -> str:
    """Number of leading elements that are finite: all but a few, or none.

    x - x is zero if x is finite, else NaN, and so is the sum of these differences.
    """
    kind, blocks, k = (
        f"<{FINITE_CHECK_VECTOR} x double>",
        (size - 1) // FINITE_CHECK_VECTOR,
        pointer.strip("%."),
    )
    predecessor = ir.current_block
    ir.emit_line(f"br label %look{k}")
    ir.start_block(f"look{k}")
    ir.emit_line(f"%b{k} = phi i64 [0, %{predecessor}], [%c{k}, %look{k}]")
    ir.emit_line(f"%s{k} = phi {kind} [zeroinitializer, %{predecessor}], [%t{k}, %look{k}]")
    x = ir.emit_value(f"getelementptr {kind}, ptr {pointer}, i64 %b{k}")
    x = ir.emit_value(f"load {kind}, ptr {x}, align 8")
    zero = ir.emit_value(f"fsub {kind} {x}, {x}")
    ir.emit_line(f"%t{k} = fadd {kind} %s{k}, {zero}")
    ir.emit_line(f"%c{k} = add i64 %b{k}, 1")
    continues = ir.emit_value(f"icmp slt i64 %c{k}, {blocks}")
    ir.emit_line(f"br i1 {continues}, label %look{k}, label %checked{k}")
    ir.start_block(f"checked{k}")
    total = f"%t{k}"
    is_finite = ir.emit_value(f"fcmp oeq {kind} {total}, zeroinitializer")
    bits = ir.emit_value(
        f"bitcast <{FINITE_CHECK_VECTOR} x i1> {is_finite} to i{FINITE_CHECK_VECTOR}"
    )
    all_finite = ir.emit_value(f"icmp eq i{FINITE_CHECK_VECTOR} {bits}, -1")
    return ir.emit_value(f"select i1 {all_finite}, i64 {blocks * FINITE_CHECK_VECTOR}, i64 0")


def packed(program: Ported) -> str:
    """`i32 @gufunc(in, out, work)`: as `@kernel`, without empty ports and without a check."""
    ir = IRBuilder(1, False)
    ir.start_block("entry")
    args = []
    for direction, ports in (("in", program.inputs), ("out", program.outputs)):
        index = 0
        for port in ports:
            if port.size == 0:
                args.append("null")
                continue
            slot = ir.emit_value(f"getelementptr ptr, ptr %{direction}, i64 {index}")
            args.append(ir.emit_value(f"load ptr, ptr {slot}, align 8"))
            index += 1
    ir.emit_line(f"call void @thunk({', '.join('ptr ' + a for a in args)})")
    ir.emit_line("ret i32 0")
    return f"define i32 @gufunc(ptr %in, ptr %out, ptr %work) {{\n{ir}\n}}\n"
