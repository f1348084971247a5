"""LLVM functions that SIMD text of `pyjit` calls: kernels, copies between lanes, powers.

They are native text, one template for each number of lanes.
"""

from __future__ import annotations

import math

from ..codegen.llvm_builder import format_double

LANE_COPIES = {("LF", "VF", "i"): "put", ("VF", "LF", "i"): "fetch"}
"""What stands for `copy_array`, by the kinds of its arguments: only lanes at work are moved."""

# Power a^b = 2^(b log2 a) of positive a: log2 of the mantissa by the series of the inverse
# hyperbolic tangent, exp2 of the fraction by its Taylor series, both to a few ulp.
LOG2_COEFFICIENTS = tuple(2.0 / (k * math.log(2.0)) for k in range(1, 20, 2))
EXP2_COEFFICIENTS = tuple(math.log(2.0) ** k / math.factorial(k) for k in range(14))
MAX_EXPONENT = 1000.0  # exponent of two


def write_lane_copy(lanes: int, name: str) -> str:
    """Function that scatters (`put`) or gathers (`fetch`) arrays of the active lanes."""
    pointers, bits, is_scatter = f"<{lanes} x ptr>", f"<{lanes} x i1>", name == "put"
    parameters = f"ptr %side, {pointers} %each" if is_scatter else f"{pointers} %each, ptr %side"
    source, target = ("%s", "%e") if is_scatter else ("%e", "%s")
    return f"""
define internal void @{name}({parameters}, i64 %n, {bits} %mask) noinline {{
entry:
  %word = bitcast {bits} %mask to i{lanes}
  %all = zext i{lanes} %word to i64
  br label %lane
lane:
  %left = phi i64 [%all, %entry], [%rest, %item]
  %some = icmp ne i64 %left, 0
  br i1 %some, label %one, label %out
one:
  %j = call i64 @llvm.cttz.i64(i64 %left, i1 true)
  %less = sub i64 %left, 1
  %rest = and i64 %left, %less
  %own = extractelement {pointers} %each, i64 %j
  %first = getelementptr double, ptr %side, i64 %j
  br label %item
item:
  %k = phi i64 [0, %one], [%k1, %copy]
  %more = icmp slt i64 %k, %n
  br i1 %more, label %copy, label %lane
copy:
  %strided = mul i64 %k, {lanes}
  %s = getelementptr double, ptr %first, i64 %strided
  %e = getelementptr double, ptr %own, i64 %k
  %x = load double, ptr {source}
  store double %x, ptr {target}
  %k1 = add i64 %k, 1
  br label %item
out:
  ret void
}}
"""


def write_prelude(lanes: int) -> str:
    """Functions that all SIMD text may call, among them `@call` of a kernel.

    Integers describe the kernel: its address for lanes, the number of outputs, the size of each.
    It writes all lanes to a buffer, from which the numbers of active lanes are copied. It is one
    template of native text, longer than 60 lines.
    """
    real, integer, bits = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"
    inf = "<" + ", ".join([f"double {format_double(float('inf'))}"] * lanes) + ">"
    copies = "".join(write_lane_copy(lanes, name) for name in LANE_COPIES.values())
    return f"""declare i64 @llvm.cttz.i64(i64, i1)
{copies}declare {real} @llvm.sqrt.v{lanes}f64({real})
declare {real} @llvm.fabs.v{lanes}f64({real})
declare i1 @llvm.vector.reduce.or.v{lanes}i1({bits})
@nowhere = internal global [{lanes} x double] zeroinitializer

define internal {integer} @call(ptr %kernel, ptr %inputs, ptr %outputs, {bits} %mask) {{
entry:
  %f = load ptr, ptr %kernel
  %base = load ptr, ptr %inputs
  %own = getelementptr ptr, ptr %inputs, i64 9
  %room = load ptr, ptr %own
  call void %f(ptr %base, ptr %room)
  %counted = getelementptr i64, ptr %kernel, i64 1
  %count = load i64, ptr %counted
  br label %port
port:
  %p = phi i64 [0, %entry], [%p1, %done]
  %at = phi i64 [0, %entry], [%end, %done]
  %bad = phi {real} [zeroinitializer, %entry], [%badp, %done]
  %more = icmp slt i64 %p, %count
  br i1 %more, label %open, label %out
open:
  %p2 = add i64 %p, 2
  %sized = getelementptr i64, ptr %kernel, i64 %p2
  %size = load i64, ptr %sized
  %end = add i64 %at, %size
  %tod = getelementptr ptr, ptr %outputs, i64 %p
  %to = load ptr, ptr %tod
  br label %each
each:
  %k = phi i64 [%at, %open], [%k1, %next]
  %badp = phi {real} [%bad, %open], [%badk, %next]
  %go = icmp slt i64 %k, %end
  br i1 %go, label %next, label %done
next:
  %from = getelementptr {real}, ptr %room, i64 %k
  %x = load {real}, ptr %from, align 8
  %naught = fsub {real} %x, %x
  %badk = fadd {real} %badp, %naught
  %k1 = add i64 %k, 1
  %j = sub i64 %k, %at
  %there = getelementptr {real}, ptr %to, i64 %j
  %old = load {real}, ptr %there, align 8
  %new = select {bits} %mask, {real} %x, {real} %old
  store volatile {real} %new, ptr %there, align 8
  br label %each
done:
  %p1 = add i64 %p, 1
  br label %port
out:
  %some = fcmp uno {real} %bad, %bad
  %any = call i1 @llvm.vector.reduce.or.v{lanes}i1({bits} %some)
  br i1 %any, label %find, label %good
good:
  ret {integer} zeroinitializer
find:
  %status = call {integer} @first_bad(ptr %room, i64 %at)
  ret {integer} %status
}}

define internal {integer} @first_bad(ptr %room, i64 %count) noinline cold {{
entry:
  br label %each
each:
  %k = phi i64 [%count, %entry], [%k1, %next]
  %first = phi {integer} [zeroinitializer, %entry], [%nearer, %next]
  %go = icmp sgt i64 %k, 0
  br i1 %go, label %next, label %done
next:
  %k1 = sub i64 %k, 1
  %from = getelementptr {real}, ptr %room, i64 %k1
  %x = load {real}, ptr %from, align 8
  %size = call {real} @llvm.fabs.v{lanes}f64({real} %x)
  %wrong = fcmp uge {real} %size, {inf}
  %here0 = insertelement {integer} undef, i64 %k, i64 0
  %here = shufflevector {integer} %here0, {integer} undef, <{lanes} x i32> zeroinitializer
  %nearer = select {bits} %wrong, {integer} %here, {integer} %first
  br label %each
done:
  ret {integer} %first
}}
"""


def write_power(lanes: int) -> str:
    """Function `@power(a, b)` of vectors: a to the power b, for a > 0."""
    real, integer, bits = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"

    def splat_real(x: float) -> str:
        return "<" + ", ".join([f"double {format_double(x)}"] * lanes) + ">"

    def splat_integer(x: int) -> str:
        return "<" + ", ".join([f"i64 {x}"] * lanes) + ">"

    lines: list[str] = []

    def write_polynomial(name: str, x: str, coefficients: tuple[float, ...]) -> str:
        """Horner's rule."""
        value = splat_real(coefficients[-1])
        for k, c in enumerate(reversed(coefficients[:-1])):
            lines.append(f"  %{name}p{k} = fmul contract {real} {value}, {x}")
            lines.append(f"  %{name}{k} = fadd contract {real} %{name}p{k}, {splat_real(c)}")
            value = f"%{name}{k}"
        return value

    lines.append(f"""  %word = bitcast {real} %a to {integer}
  %up = lshr {integer} %word, {splat_integer(52)}
  %low = and {integer} %word, {splat_integer(2**52 - 1)}
  %one = or {integer} %low, {splat_integer(1023 << 52)}
  %m1 = bitcast {integer} %one to {real}
  %large = fcmp ogt {real} %m1, {splat_real(math.sqrt(2.0))}
  %m2 = fmul {real} %m1, {splat_real(0.5)}
  %m = select {bits} %large, {real} %m2, {real} %m1
  %carry = zext {bits} %large to {integer}
  %e1 = add {integer} %up, %carry
  %e2 = sub {integer} %e1, {splat_integer(1023)}
  %e = sitofp {integer} %e2 to {real}
  %below = fsub {real} %m, {splat_real(1.0)}
  %above = fadd {real} %m, {splat_real(1.0)}
  %t = fdiv {real} %below, %above
  %tt = fmul {real} %t, %t""")
    log = write_polynomial("l", "%tt", LOG2_COEFFICIENTS)
    lines.append(f"""  %fraction = fmul {real} {log}, %t
  %log = fadd {real} %e, %fraction
  %y1 = fmul {real} %log, %b
  %y2 = call {real} @llvm.minnum.v{lanes}f64({real} %y1, {real} {splat_real(MAX_EXPONENT)})
  %y = call {real} @llvm.maxnum.v{lanes}f64({real} %y2, {real} {splat_real(-MAX_EXPONENT)})
  %n = call {real} @llvm.rint.v{lanes}f64({real} %y)
  %r = fsub {real} %y, %n""")
    exp = write_polynomial("x", "%r", EXP2_COEFFICIENTS)
    lines.append(f"""  %whole = fptosi {real} %n to {integer}
  %biased = add {integer} %whole, {splat_integer(1023)}
  %raised = shl {integer} %biased, {splat_integer(52)}
  %two = bitcast {integer} %raised to {real}
  %found = fmul {real} {exp}, %two
  ret {real} %found""")
    names = ("minnum", "maxnum", "rint")
    heads = [
        f"declare {real} @llvm.{n}.v{lanes}f64({', '.join([real] * (1 if n == 'rint' else 2))})"
        for n in names
    ]
    body = "\n".join(lines)
    return "\n".join(
        [*heads, f"define internal {real} @power({real} %a, {real} %b) {{", body, "}\n"]
    )
