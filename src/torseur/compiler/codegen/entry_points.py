"""From a `Program` to LLVM IR, for one state at a time or for one state per SIMD lane.

Both texts hold the same operations in the same order with the same fused multiply-adds, so
their results agree bit for bit.  Sines and cosines are taken together, a vector at a time,
before the rest: also in the kernel for one state, where the lanes are the joints.
"""

from collections.abc import Iterator

from ..program.ports import Ported
from ..program.program import Program
from .basic_block import KernelBody
from .llvm_builder import Lines, literal
from .subroutines import side_by_side, signature

BLOCK = 16  # numbers that are looked at together
WIDE = 2 * BLOCK  # of a port, from which on that is worth it
FRAME = '"frame-pointer"="all" '  # what is on the stack is addressed with a byte less


def scalar_module(program: Program, lanes: int, fused: bool) -> str:
    """IR with `@thunk` (one pointer for each port) and `@kernel` (pointers to pointers).

    `lanes` is the width of the vectors in which sines and cosines are taken.
    """
    body = KernelBody(program, 1, lanes, fused, apart=True)
    body.own_sines = body.blocks and not program.calls
    head = f"define void @thunk({signature(program)}) {FRAME if body.far else ''}"
    parts = [*functions(body, head), body.sines()]
    return "\n".join([*parts, entry_points(program), packed(program)])


def lanes_module(program: Program, lanes: int, fused: bool) -> str:
    """IR with `@lanes(in, out)`: element k of lane j is number `k * lanes + j`."""
    body = KernelBody(program, lanes, lanes, fused, apart=True)
    head = "define void @lanes(ptr noalias readonly %i, ptr noalias %o)"
    parts = [*functions(body, head), body.constants()]
    return "\n".join([*parts, *body.helpers()])


def functions(body: KernelBody, head: str) -> list[str]:
    """What the lines of a body call, its routines, and itself."""
    bodies, texts = [], []
    for own, name in _routines(body):
        bodies.append(own)
        own.split, own.routines, own.table, own.called = (
            True,
            body.routines,
            body.table,
            body.called,
        )
        start = f"define internal void {name}({signature(own.program)})"
        texts.append(f"{start} {FRAME if own.far else ''}{{\n{own.write()}\n}}\n")
    texts.append(f"{head} {{\n{body.write()}\n}}\n")
    declared = dict.fromkeys(x for b in (*bodies, body) for x in b.declarations().splitlines())
    return ["\n".join(declared), *texts]


def _routines(body: KernelBody) -> Iterator[tuple[KernelBody, str]]:
    """The routines that are called, for one column or for several side by side."""
    program, width, lanes, fused = body.program, body.width, body.lanes, body.fused
    uses: dict[int, set[int]] = {}
    for caller in (program, *program.routines):
        for call in caller.calls:
            wide = call.wide if side_by_side(body, call) else 1
            uses.setdefault(id(call.routine), set()).add(wide)
    for r in program.routines:
        name = body.routines[id(r)]
        for wide in sorted(uses[id(r)]):
            if wide == 1:
                yield KernelBody(r, width, lanes, fused, apart=True), name
            else:
                from .tree_simd.blocks import RoutineColumns

                yield RoutineColumns(r, wide, lanes, fused), f"{name}.{wide}"


def entry_points(program: Ported) -> str:
    """`i32 @kernel(in, out, work)`: the thunk, then the place of the first bad number, or 0."""
    t = Lines(1, False)
    t.label("entry")
    args = []
    for side, ports in (("in", program.inputs), ("out", program.outputs)):
        for k in range(len(ports)):
            slot = t.value(f"getelementptr ptr, ptr %{side}, i64 {k}")
            args.append(t.value(f"load ptr, ptr {slot}, align 8"))
    t.line(f"call void @thunk({', '.join('ptr ' + a for a in args)})")
    t.line("br label %start0")
    first = 1
    for k, port in enumerate(program.outputs):
        after = f"start{k + 1}"
        t.label(f"start{k}")
        if port.size == 0:
            t.line(f"br label %{after}")
            continue
        pointer = args[len(program.inputs) + k]
        seen = _finite(t, pointer, port.size) if port.size >= WIDE else "0"
        before = t.here
        t.line(f"br label %loop{k}")
        t.label(f"loop{k}")
        t.line(f"%n{k} = phi i64 [{seen}, %{before}], [%m{k}, %next{k}]")
        x = t.load(t.value(f"getelementptr double, ptr {pointer}, i64 %n{k}"), 8)
        good = t.compare("fcmp olt", t.intrinsic("fabs", x), literal(float("inf")))
        t.line(f"br i1 {good}, label %next{k}, label %bad{k}")
        t.label(f"bad{k}")
        place = t.value(f"add i64 %n{k}, {first}")
        t.line(f"ret i32 {t.value(f'trunc i64 {place} to i32')}")
        t.label(f"next{k}")
        t.line(f"%m{k} = add i64 %n{k}, 1")
        t.line(f"%again{k} = icmp slt i64 %m{k}, {port.size}")
        t.line(f"br i1 %again{k}, label %loop{k}, label %{after}")
        first += port.size
    t.label(f"start{len(program.outputs)}")
    t.line("ret i32 0")
    return f"define i32 @kernel(ptr %in, ptr %out, ptr %work) {{\n{t}\n}}\n"


def _finite(t: Lines, pointer: str, size: int) -> str:
    """How many leading numbers are known to be finite: all but a few, or none.

    What is finite less itself is zero, and the sum of zeros; anything else is not a number.
    """
    kind, blocks, k = f"<{BLOCK} x double>", (size - 1) // BLOCK, pointer.strip("%.")
    before = t.here
    t.line(f"br label %look{k}")
    t.label(f"look{k}")
    t.line(f"%b{k} = phi i64 [0, %{before}], [%c{k}, %look{k}]")
    t.line(f"%s{k} = phi {kind} [zeroinitializer, %{before}], [%t{k}, %look{k}]")
    x = t.value(f"getelementptr {kind}, ptr {pointer}, i64 %b{k}")
    x = t.value(f"load {kind}, ptr {x}, align 8")
    none = t.value(f"fsub {kind} {x}, {x}")
    t.line(f"%t{k} = fadd {kind} %s{k}, {none}")
    t.line(f"%c{k} = add i64 %b{k}, 1")
    more = t.value(f"icmp slt i64 %c{k}, {blocks}")
    t.line(f"br i1 {more}, label %look{k}, label %looked{k}")
    t.label(f"looked{k}")
    total = f"%t{k}"
    sound = t.value(f"fcmp oeq {kind} {total}, zeroinitializer")
    bits = t.value(f"bitcast <{BLOCK} x i1> {sound} to i{BLOCK}")
    every = t.value(f"icmp eq i{BLOCK} {bits}, -1")
    return t.value(f"select i1 {every}, i64 {blocks * BLOCK}, i64 0")


def packed(program: Ported) -> str:
    """`i32 @gufunc(in, out, work)`: as `@kernel`, without ports that hold no number or a check."""
    t = Lines(1, False)
    t.label("entry")
    args = []
    for side, ports in (("in", program.inputs), ("out", program.outputs)):
        place = 0
        for port in ports:
            if port.size == 0:
                args.append("null")
                continue
            slot = t.value(f"getelementptr ptr, ptr %{side}, i64 {place}")
            args.append(t.value(f"load ptr, ptr {slot}, align 8"))
            place += 1
    t.line(f"call void @thunk({', '.join('ptr ' + a for a in args)})")
    t.line("ret i32 0")
    return f"define i32 @gufunc(ptr %in, ptr %out, ptr %work) {{\n{t}\n}}\n"
