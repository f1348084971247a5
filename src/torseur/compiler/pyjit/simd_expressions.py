"""Expressions and arrays of text in lanes (see `side`)."""

from __future__ import annotations

import ast
import math
from typing import Any

from ..codegen.llvm_builder import literal
from .expressions import COMPARED, INTEGER, REAL, NativeValue
from .function import Function

# --------------------------------------------------------------------------------------------
# Functions of text in lanes (see `side`): names, masks, numbers of all lanes.


PLAIN = ("int", "abs", "min", "max", "doubles", "longs")


class Again(Exception):
    """A name turned out to differ from lane to lane: the function is translated once more."""


class Masked(Function):
    """One function for all lanes."""

    def __init__(self, unit, node: ast.FunctionDef, kinds: tuple, varying: set[str]):
        self.lanes, self.varying, self.depth = unit.lanes, varying, 0
        n = self.lanes
        self.types = {
            "vi": f"<{n} x i64>", "vf": f"<{n} x double>", "vb": f"<{n} x i1>",
            "VF": f"<{n} x ptr>", "VI": f"<{n} x ptr>", "LFF": "{ptr, i64}",
            "i": "i64", "f": "double", "b": "i1", "": "void", "FF": "{ptr, i64}",
        }  # fmt: skip
        self.symbol = node.name
        self.masks: list[str] = []
        self.after = "finish"  # where to go when no lane is left here
        super().__init__(unit, node, kinds)

    def type(self, kind) -> str:
        return self.types.get(kind, "ptr") if isinstance(kind, str) else "ptr"

    def body(self, nodes) -> None:
        if nodes is self.node.body:
            bits = self.types["vb"]
            self.line(f"store {bits} %mask, ptr %exec")
            self.line(f"store {bits} zeroinitializer, ptr %gone")
            super().body(nodes)
            if self.open:
                self.go("finish")
            self.lines.append("finish:")
            self.open = False
            self.returned = self.answer or ""
            if self.returned:
                found = self.value(self.returned, f"load {self.type(self.returned)}, ptr %answer")
                self.line(f"ret {self.type(self.returned)} {found.text}")
            else:
                self.line("ret void")
        else:
            super().body(nodes)

    def text(self, linkage: str) -> str:
        heads = [
            f"{self.type(k)} %{a.arg}" for a, k in zip(self.node.args.args, self.kinds, strict=True)
        ]
        bits = self.types["vb"]
        rooms = [f"  %{name}.at = alloca {self.type(kind)}" for name, kind in self.places.items()]
        rooms += [f"  %{name} = alloca {bits}" for name in ("exec", "gone", *self.masks)]
        if self.returned:
            rooms.append(f"  %answer = alloca {self.type(self.returned)}")
        head = ", ".join([*heads, f"{bits} %mask"])
        return "\n".join(
            [
                f"define {linkage}{self.type(self.returned)} @{self.symbol}({head}) {{",
                "entry:",
                *rooms,
                *self.lines,
                "}\n",
            ]
        )

    # masks -------------------------------------------------------------------------------
    def mask(self, name: str = "exec") -> str:
        return self.value("vb", f"load {self.types['vb']}, ptr %{name}").text

    def set_mask(self, x: str, name: str = "exec") -> None:
        self.line(f"store {self.types['vb']} {x}, ptr %{name}")

    def bits(self, op: str, a: str, b: str) -> str:
        return self.value("vb", f"{op} {self.types['vb']} {a}, {b}").text

    def without(self, a: str, b: str) -> str:
        """Lanes of one mask that are not in another."""
        every = "<" + ", ".join(["i1 true"] * self.lanes) + ">"
        return self.bits("and", a, self.bits("xor", b, every))

    def any(self, mask: str) -> NativeValue:
        word = self.value("", f"bitcast {self.types['vb']} {mask} to i{self.lanes}").text
        return self.value("b", f"icmp ne i{self.lanes} {word}, 0")

    def new_mask(self, name: str) -> str:
        self.count += 1
        name = f"{name}.{self.count}"
        self.masks.append(name)
        return name

    def join(self, saved: str, left: bool) -> None:
        """Lanes of a mask that are still here are at work again; nobody: go where it ends."""
        x = saved
        if left:
            x = self.without(x, self.mask("gone"))
            if self.loops and self.loops[-1][2]:
                x = self.bits("and", x, self.mask(self.loops[-1][2]))
                x = self.without(x, self.mask(self.loops[-1][3]))
        self.set_mask(x)
        if left:
            (here,) = self.tags("here")
            self.fork(self.any(x), here, self.after)
            self.label(here)

    # kinds -------------------------------------------------------------------------------
    def splat(self, kind: str, text: str) -> str:
        n = self.lanes
        if not text.startswith("%"):
            return "<" + ", ".join([f"{kind} {text}"] * n) + ">"
        one = self.value("", f"insertelement <{n} x {kind}> undef, {kind} {text}, i64 0").text
        return self.value(
            "", f"shufflevector <{n} x {kind}> {one}, <{n} x {kind}> undef, <{n} x i32> "
            "zeroinitializer",
        ).text  # fmt: skip

    def wide(self, x: NativeValue) -> NativeValue:
        """A number of every lane."""
        if x.kind in ("i", "f", "b"):
            return NativeValue("v" + x.kind, self.splat(self.types[x.kind], x.text))
        return x

    def real(self, x: NativeValue) -> NativeValue:
        if x.kind == "vf":
            return x
        if x.kind == "vi":
            return self.value("vf", f"sitofp {self.types['vi']} {x.text} to {self.types['vf']}")
        return super().real(x)

    def truth(self, x: NativeValue) -> NativeValue:
        if x.kind == "vb":
            return x
        if x.kind == "vi":
            return self.value("vb", f"icmp ne {self.types['vi']} {x.text}, zeroinitializer")
        if x.kind == "vf":
            return self.value("vb", f"fcmp une {self.types['vf']} {x.text}, zeroinitializer")
        return super().truth(x)

    def both(self, a: NativeValue, b: NativeValue) -> tuple[NativeValue, NativeValue]:
        return self.wide(a), self.wide(b)

    def store(self, name: str, x: NativeValue) -> None:
        number = x.kind in ("i", "f", "b", "vi", "vf", "vb")
        loop = name.startswith("for")
        if number and name in self.varying:
            x = self.wide(x)
        elif number and not loop and (x.kind[0] == "v" or self.depth):
            self.vary(name)
        kind = self.places.setdefault(name, x.kind)
        if kind in ("f", "vf"):
            x = self.real(x)
        if x.kind != kind:
            self.fail(f"{name} is {kind!r} and {x.kind!r}")
        new = x.text
        if self.depth and kind in ("vi", "vf", "vb", "VF", "VI"):
            old = self.value("", f"load {self.type(kind)}, ptr %{name}.at").text
            new = self.chosen(self.mask(), self.type(kind), new, old)
        self.line(f"store {self.type(kind)} {new}, ptr %{name}.at")

    def chosen(self, mask: str, kind: str, new: str, old: str) -> str:
        return self.value("", f"select {self.types['vb']} {mask}, {kind} {new}, {kind} {old}").text

    def vary(self, name: str) -> None:
        self.varying.add(name)
        raise Again


# --------------------------------------------------------------------------------------------
# How text in lanes (see `side`) calls a kernel, in LLVM IR.


LANE_BY_LANE = {("LF", "VF", "i"): "put", ("VF", "LF", "i"): "fetch"}
"""What stands for `copy_array`, by the kinds of its arguments: only lanes at work are moved."""


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


# --------------------------------------------------------------------------------------------
# Powers of positive numbers in lanes, in LLVM IR: what step control asks for, all lanes at once.
#
# The logarithm to base two is that of the mantissa by the series of the inverse hyperbolic tangent,
# the exponential that of the fraction by Taylor's; both to a few units of the last place.


LOGARITHM = tuple(2.0 / (k * math.log(2.0)) for k in range(1, 20, 2))  # of t = (m - 1) / (m + 1)
EXPONENTIAL = tuple(math.log(2.0) ** k / math.factorial(k) for k in range(14))
HIGHEST = 1000.0  # exponent of two


def power(lanes: int) -> str:
    """`@power(a, b)` of vectors: a to the power b, for a > 0."""
    real, whole, bits = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"

    def every(x: float) -> str:
        return "<" + ", ".join([f"double {literal(x)}"] * lanes) + ">"

    def words(x: int) -> str:
        return "<" + ", ".join([f"i64 {x}"] * lanes) + ">"

    lines: list[str] = []

    def series(name: str, x: str, coefficients: tuple[float, ...]) -> str:
        """Horner's rule."""
        found = every(coefficients[-1])
        for k, c in enumerate(reversed(coefficients[:-1])):
            lines.append(f"  %{name}p{k} = fmul contract {real} {found}, {x}")
            lines.append(f"  %{name}{k} = fadd contract {real} %{name}p{k}, {every(c)}")
            found = f"%{name}{k}"
        return found

    lines.append(f"""  %word = bitcast {real} %a to {whole}
  %up = lshr {whole} %word, {words(52)}
  %low = and {whole} %word, {words(2**52 - 1)}
  %one = or {whole} %low, {words(1023 << 52)}
  %m1 = bitcast {whole} %one to {real}
  %large = fcmp ogt {real} %m1, {every(math.sqrt(2.0))}
  %m2 = fmul {real} %m1, {every(0.5)}
  %m = select {bits} %large, {real} %m2, {real} %m1
  %carry = zext {bits} %large to {whole}
  %e1 = add {whole} %up, %carry
  %e2 = sub {whole} %e1, {words(1023)}
  %e = sitofp {whole} %e2 to {real}
  %below = fsub {real} %m, {every(1.0)}
  %above = fadd {real} %m, {every(1.0)}
  %t = fdiv {real} %below, %above
  %tt = fmul {real} %t, %t""")
    log = series("l", "%tt", LOGARITHM)
    lines.append(f"""  %fraction = fmul {real} {log}, %t
  %log = fadd {real} %e, %fraction
  %y1 = fmul {real} %log, %b
  %y2 = call {real} @llvm.minnum.v{lanes}f64({real} %y1, {real} {every(HIGHEST)})
  %y = call {real} @llvm.maxnum.v{lanes}f64({real} %y2, {real} {every(-HIGHEST)})
  %n = call {real} @llvm.rint.v{lanes}f64({real} %y)
  %r = fsub {real} %y, %n""")
    exp = series("x", "%r", EXPONENTIAL)
    lines.append(f"""  %whole = fptosi {real} %n to {whole}
  %biased = add {whole} %whole, {words(1023)}
  %raised = shl {whole} %biased, {words(52)}
  %two = bitcast {whole} %raised to {real}
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


ITEMS = {"F": "f", "I": "i", "P": "LF", "LF": "vf", "LI": "vi", "VF": "vf", "VI": "vi"}


def _calls(node) -> bool:
    """Whether an expression calls functions of the text."""
    calls = (x.func for x in ast.walk(node) if isinstance(x, ast.Call))
    return any(isinstance(f, ast.Name) and f.id not in PLAIN for f in calls)


class LaneNumbers(Masked):
    """What a function computes with."""

    # expressions -------------------------------------------------------------------------
    def _name(self, node) -> NativeValue:
        if node.id in self.places:
            kind = self.places[node.id]
            return self.value(kind, f"load {self.type(kind)}, ptr %{node.id}.at")
        return self._constant(ast.Constant(self.unit.space[node.id]))

    def _unaryop(self, node) -> NativeValue:
        x = self(node.operand)
        if x.kind[0] != "v":
            return super()._unaryop(node)
        if isinstance(node.op, ast.Not):
            return NativeValue("vb", self.without(self.splat("i1", "true"), self.truth(x).text))
        if x.kind == "vi":
            return self.value("vi", f"sub {self.types['vi']} zeroinitializer, {x.text}")
        return self.value("vf", f"fneg {self.types['vf']} {x.text}")

    def combine(self, op, a: NativeValue, b: NativeValue) -> NativeValue:
        if a.kind[0] != "v" and b.kind[0] != "v":
            return super().combine(op, a, b)
        if op is ast.Pow:
            return self.power(self.wide(self.real(a)), self.real(b))
        if a.kind[-1] == b.kind[-1] == "i" and op in INTEGER:
            a, b = self.both(a, b)
            return self.value("vi", f"{INTEGER[op]} {self.types['vi']} {a.text}, {b.text}")
        a, b = self.both(self.real(a), self.real(b))
        return self.value("vf", f"{REAL[op]}{self.fast} {self.types['vf']} {a.text}, {b.text}")

    def power(self, a: NativeValue, b: NativeValue) -> NativeValue:
        kind = self.types["vf"]
        if b.text == literal(0.5):
            return self.value("vf", f"call {kind} @llvm.sqrt.v{self.lanes}f64({kind} {a.text})")
        return self.value("vf", f"call {kind} @power({kind} {a.text}, {kind} {self.wide(b).text})")

    def compare(self, op, a: NativeValue, b: NativeValue) -> NativeValue:
        if a.kind[0] != "v" and b.kind[0] != "v":
            return super().compare(op, a, b)
        whole, real = COMPARED[op]
        if a.kind[-1] == b.kind[-1] and a.kind[-1] in "ib":
            a, b = self.both(a, b)
            return self.value("vb", f"icmp {whole} {self.type(a.kind)} {a.text}, {b.text}")
        a, b = self.both(self.real(a), self.real(b))
        return self.value("vb", f"fcmp {real} {self.types['vf']} {a.text}, {b.text}")

    def _boolop(self, node) -> NativeValue:
        """One after the other; what follows is asked only where the answer is not known."""
        every, saved = isinstance(node.op, ast.And), self.mask()
        known = self.truth(self(node.values[0]))
        for x in node.values[1:]:
            if known.kind == "b":
                if _calls(x):
                    known = self.wide(known)
                else:
                    new = self.truth(self(x))
                    if new.kind == "vb":
                        known = self.wide(known)
                    op = "and" if every else "or"
                    known = self.value(
                        new.kind, f"{op} {self.type(new.kind)} {known.text}, {new.text}"
                    )
                    continue
            ask = self.bits("and", saved, known.text) if every else self.without(saved, known.text)
            known = self.asked(x, ask, known, every)
        self.set_mask(saved)
        return known

    def asked(self, node, ask: str, known: NativeValue, every: bool) -> NativeValue:
        """The next part of an `and` or an `or`, in the lanes of a mask."""
        self.set_mask(ask)
        if not _calls(node):
            new = self.wide(self.truth(self(node)))
            return NativeValue("vb", self.bits("and" if every else "or", known.text, new.text))
        slot = self.new_mask("bool")
        self.set_mask(known.text, slot)
        more, end = self.tags("more", "known")
        self.fork(self.any(ask), more, end)
        self.label(more)
        self.depth += 1
        new = self.wide(self.truth(self(node)))
        self.depth -= 1
        both = self.bits("and" if every else "or", self.mask(slot), new.text)
        old = self.mask(slot)
        self.set_mask(self.chosen(ask, self.types["vb"], both, old), slot)
        self.label(end)
        return NativeValue("vb", self.mask(slot))

    def _ifexp(self, node) -> NativeValue:
        test = self.truth(self(node.test))
        if test.kind == "b" and not _calls(node):
            x, y = self(node.body), self(node.orelse)
            if x.kind != y.kind:
                x, y = (self.real(x), self.real(y)) if "f" in (x.kind + y.kind) else (x, y)
                x, y = self.both(x, y) if x.kind != y.kind else (x, y)
            kind = self.type(x.kind)
            return self.value(x.kind, f"select i1 {test.text}, {kind} {x.text}, {kind} {y.text}")
        test = self.wide(test)
        saved, name = self.mask(), f"if{self.count}"
        if not _calls(node):
            x, y = self(node.body), self(node.orelse)
            if "f" in x.kind + y.kind:
                x, y = self.real(x), self.real(y)
            x, y = self.both(x, y)
            return NativeValue(x.kind, self.chosen(test.text, self.type(x.kind), x.text, y.text))
        self.varying.add(name)
        self.depth += 1
        for ask, x in (
            (self.bits("and", saved, test.text), node.body),
            (self.without(saved, test.text), node.orelse),
        ):
            yes, end = self.tags("yes", "end")
            self.set_mask(ask)
            self.fork(self.any(ask), yes, end)
            self.label(yes)
            self.store(name, self.wide(self(x)))
            self.label(end)
        self.depth -= 1
        self.set_mask(saved)
        return self._name(ast.Name(name))

    # arrays ------------------------------------------------------------------------------
    def field(self, node) -> NativeValue:
        """Address of a field of a record, and its kind."""
        record = self(node.value)
        fields = getattr(record.kind, "fields", {})
        if node.attr not in fields:
            self.fail(f"line {node.lineno}: no field {node.attr!r}")
        field = fields[node.attr]
        at = self.value("", f"getelementptr i64, ptr {record.text}, i64 {field.place}").text
        if node.attr in record.kind.shared:
            return NativeValue(field.kind, at)
        if field.kind in ("i", "f"):
            return NativeValue("v" + field.kind, self.value("", f"load ptr, ptr {at}").text)
        return NativeValue("L" + field.kind, at)

    def _attribute(self, node) -> NativeValue:
        at = self.field(node)
        if at.kind not in ("FF", "LFF"):
            align = ", align 8" if at.kind in ("vi", "vf") else ""
            return self.value(at.kind, f"load {self.type(at.kind)}, ptr {at.text}{align}")
        record = self(node.value)
        width = ast.Attribute(
            node.value, record.kind.fields[node.attr].shape[1], lineno=node.lineno
        )
        first = self.value("", f"load ptr, ptr {at.text}")
        part = self.value("", f"insertvalue {{ptr, i64}} undef, ptr {first.text}, 0")
        size = self(width)
        return self.value(at.kind, f"insertvalue {{ptr, i64}} {part.text}, i64 {size.text}, 1")

    def row(self, array: NativeValue, i: NativeValue):
        """A row of an array of two axes."""
        first, width = (
            self.value("", f"extractvalue {{ptr, i64}} {array.text}, {k}") for k in (0, 1)
        )
        at = self.combine(ast.Mult, i, NativeValue("i", width.text))
        return self.moved(NativeValue(array.kind[:-1], first.text), at)

    def moved(self, array: NativeValue, k: NativeValue) -> NativeValue:
        """The array from item k on."""
        if array.kind in ("LF", "LI"):
            if k.kind == "i":
                k = self.combine(ast.Mult, k, NativeValue("i", str(self.lanes)))
                at = self.value("", f"getelementptr i64, ptr {array.text}, i64 {k.text}")
                return NativeValue(array.kind, at.text)
            each = "<" + ", ".join(f"i64 {j}" for j in range(self.lanes)) + ">"
            k = self.combine(ast.Mult, k, NativeValue("i", str(self.lanes)))
            k = self.value("vi", f"add {self.types['vi']} {k.text}, {each}")
            at = self.value("", f"getelementptr i64, ptr {array.text}, {self.types['vi']} {k.text}")
            return NativeValue("V" + array.kind[1], at.text)
        if array.kind in ("VF", "VI"):
            k = self.wide(k)
            vector = f"<{self.lanes} x ptr>"
            at = self.value(
                "", f"getelementptr i64, {vector} {array.text}, {self.types['vi']} {k.text}"
            )
            return NativeValue(array.kind, at.text)
        if k.kind == "i":
            at = self.value("", f"getelementptr i64, ptr {array.text}, i64 {k.text}")
            return NativeValue(array.kind, at.text)
        at = self.value("", f"getelementptr i64, ptr {array.text}, {self.types['vi']} {k.text}")
        return NativeValue("V" + array.kind, at.text)

    def item(self, array: NativeValue, node) -> NativeValue:
        """Address of an item: its kind is that of the array which starts there."""
        if array.kind in ("FF", "LFF"):
            i, j = (self(x) for x in node.slice.elts)
            return self.moved(self.row(array, i), j)
        if array.kind not in ITEMS:
            self.fail(f"line {node.lineno}: only arrays have items")
        return self.moved(array, self(node.slice))

    def _subscript(self, node) -> NativeValue:
        array, at = self.array(node), node.slice
        if isinstance(at, ast.Slice):
            return self.moved(array, self(at.lower or ast.Constant(0)))
        if array.kind in ("FF", "LFF") and not isinstance(at, ast.Tuple):
            return self.row(array, self(at))
        return self.load(self.item(array, node))

    def load(self, at: NativeValue) -> NativeValue:
        """What is at an address."""
        kind = ITEMS[at.kind]
        if at.kind in ("VF", "VI"):
            return self.gathered(at, kind)
        align = ", align 8" if kind[0] == "v" else ""
        return self.value(kind, f"load {self.type(kind)}, ptr {at.text}{align}")

    def somewhere(self, at: NativeValue) -> list[str]:
        """The address of every lane, a place for nothing where it is not at work."""
        vector = f"<{self.lanes} x ptr>"
        safe = self.chosen(self.mask(), vector, at.text, self.splat("ptr", "@nowhere"))
        return [
            self.value("", f"extractelement {vector} {safe}, i64 {j}").text
            for j in range(self.lanes)
        ]

    def gathered(self, at: NativeValue, kind: str) -> NativeValue:
        one, x = self.types[kind[1]], "undef"
        for j, place in enumerate(self.somewhere(at)):
            y = self.value("", f"load {one}, ptr {place}").text
            x = self.value("", f"insertelement {self.type(kind)} {x}, {one} {y}, i64 {j}").text
        return NativeValue(kind, x)

    def assign(self, target, x: NativeValue) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, x)
            return
        if isinstance(target, ast.Attribute):
            at = self.field(target)
            if at.kind not in ("vi", "vf"):
                self.fail(f"line {target.lineno}: {target.attr} is shared by all lanes")
            kind, scattered = at.kind, False
        else:
            at = self.item(self.array(target), target)
            kind, scattered = ITEMS[at.kind], at.kind in ("VF", "VI")
        if kind == "LF":  # tables of addresses, the same for all lanes
            self.line(f"store ptr {x.text}, ptr {at.text}")
            return
        if kind[0] != "v":
            self.fail(f"line {target.lineno}: what all lanes share is not written")
        x = self.wide(self.real(x) if kind == "vf" else x)
        if x.kind == "vb":
            x = self.value("vi", f"zext {self.types['vb']} {x.text} to {self.types['vi']}")
        if x.kind != kind:
            self.fail(f"a place of kind {kind!r} is given {x.kind!r}")
        if scattered:
            for j, place in enumerate(self.somewhere(at)):
                one = self.types[kind[1]]
                y = self.value("", f"extractelement {self.type(kind)} {x.text}, i64 {j}").text
                self.line(f"store {one} {y}, ptr {place}")
            return
        old = self.value("", f"load {self.type(kind)}, ptr {at.text}, align 8").text
        new = self.chosen(self.mask(), self.type(kind), x.text, old)
        self.line(f"store volatile {self.type(kind)} {new}, ptr {at.text}, align 8")

    # calls -------------------------------------------------------------------------------
    def _call(self, node) -> NativeValue:
        name, given = node.func.id, [self(x) for x in node.args]
        vi, vf = self.types["vi"], self.types["vf"]
        if name == "call":
            f = self.value("", f"inttoptr i64 {given[0].text} to ptr").text
            return self.value(
                "vi",
                f"call {vi} @call(ptr {f}, ptr {given[1].text}, ptr {given[2].text}, "
                f"{self.types['vb']} {self.mask()})",
            )
        if name == "int" and given[0].kind[0] == "v":
            return self.value("vi", f"fptosi {vf} {self.real(given[0]).text} to {vi}")
        if name == "abs" and given[0].kind[0] == "v":
            x = self.real(given[0]).text
            return self.value("vf", f"call {vf} @llvm.fabs.v{self.lanes}f64({vf} {x})")
        if name in ("min", "max") and any(x.kind[0] == "v" for x in given):
            a, b = given
            if a.kind[-1] != b.kind[-1]:
                a, b = self.real(a), self.real(b)
            a, b = self.both(a, b)
            better = self.compare(ast.Lt if name == "min" else ast.Gt, b, a)
            return NativeValue(a.kind, self.chosen(better.text, self.type(a.kind), b.text, a.text))
        if name in PLAIN:
            return super()._call(node)
        kinds = tuple(x.kind for x in given)
        if name == "copy_array" and kinds in LANE_BY_LANE:
            args = ", ".join(f"{self.type(x.kind)} {x.text}" for x in given)
            symbol = LANE_BY_LANE[kinds]
            self.line(f"call void @{symbol}({args}, {self.types['vb']} {self.mask()})")
            return NativeValue("", "")
        made: Any = self.unit.function(name, kinds)
        told = [f"{self.type(x.kind)} {x.text}" for x in given]
        told.append(f"{self.types['vb']} {self.mask()}")
        text = f"call {self.type(made.returned)} @{made.symbol}({', '.join(told)})"
        if made.returned:
            return self.value(made.returned, text)
        self.line(text)
        return NativeValue("", "")
