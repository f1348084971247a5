"""How text in lanes (see `side`) calls a kernel, in LLVM IR."""

from __future__ import annotations

from .text import literal

LANE_BY_LANE = {("LF", "VF", "i"): "put", ("VF", "LF", "i"): "fetch"}
"""What stands for `transfer`, by the kinds of its arguments: only lanes at work are moved."""


def lane_by_lane(lanes: int, name: str) -> str:
    """`put` numbers of lanes at an address of each lane at work, or `fetch` them from there."""
    far, bits, out = f"<{lanes} x ptr>", f"<{lanes} x i1>", name == "put"
    heads = f"ptr %side, {far} %each" if out else f"{far} %each, ptr %side"
    source, target = ("%s", "%e") if out else ("%e", "%s")
    return f"""
define internal void @{name}({heads}, i64 %n, {bits} %mask) noinline {{
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
  %own = extractelement {far} %each, i64 %j
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


def head(lanes: int) -> str:
    """What every text for lanes may call, `@call` of a kernel among it.

    A kernel is told by words: its address for lanes, how many outputs, the size of each.  It writes
    all lanes to a room of its own; numbers of lanes at work are copied from there.
    """
    real, whole, bits = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"
    inf = "<" + ", ".join([f"double {literal(float('inf'))}"] * lanes) + ">"
    moves = "".join(lane_by_lane(lanes, name) for name in LANE_BY_LANE.values())
    return f"""declare i64 @llvm.cttz.i64(i64, i1)
{moves}declare {real} @llvm.sqrt.v{lanes}f64({real})
declare {real} @llvm.fabs.v{lanes}f64({real})
declare i1 @llvm.vector.reduce.or.v{lanes}i1({bits})
@nowhere = internal global [{lanes} x double] zeroinitializer

define internal {whole} @call(ptr %kernel, ptr %inputs, ptr %outputs, {bits} %mask) {{
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
  ret {whole} zeroinitializer
find:
  %status = call {whole} @first_bad(ptr %room, i64 %at)
  ret {whole} %status
}}

define internal {whole} @first_bad(ptr %room, i64 %count) noinline cold {{
entry:
  br label %each
each:
  %k = phi i64 [%count, %entry], [%k1, %next]
  %first = phi {whole} [zeroinitializer, %entry], [%nearer, %next]
  %go = icmp sgt i64 %k, 0
  br i1 %go, label %next, label %done
next:
  %k1 = sub i64 %k, 1
  %from = getelementptr {real}, ptr %room, i64 %k1
  %x = load {real}, ptr %from, align 8
  %size = call {real} @llvm.fabs.v{lanes}f64({real} %x)
  %wrong = fcmp uge {real} %size, {inf}
  %here0 = insertelement {whole} undef, i64 %k, i64 0
  %here = shufflevector {whole} %here0, {whole} undef, <{lanes} x i32> zeroinitializer
  %nearer = select {bits} %wrong, {whole} %here, {whole} %first
  br label %each
done:
  ret {whole} %first
}}
"""
