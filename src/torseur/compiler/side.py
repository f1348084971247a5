"""The same plain text (see `plain`) for SIMD lanes: every lane is a run of its own.

What differs from lane to lane is a vector; where lanes part (an `if`, a `while`, a `return` that
depends on such a number) the text goes both ways, and a mask says whose numbers are written.  A
lane's numbers depend on no other lane's.  What is written under a mask is blended and stored
whole, `volatile` lest LLVM makes it a masked store, which some processors take long for.

Kinds besides those of `plain`: `vi`, `vf`, `vb` a number of every lane; `LF`, `LI`, `LFF` arrays of
every lane, number k of lane j at place k * lanes + j; `VF`, `VI` an address of every lane.  A
record says which of its fields are `shared`; all others are every lane's own.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Any

from ..errors import KernelError
from .plain import COMPARED, HEAD, INTEGER, REAL, Value, _Function, _Unit
from .text import literal

ITEMS = {"F": "f", "I": "i", "P": "LF", "LF": "vf", "LI": "vi", "VF": "vf", "VI": "vi"}
PLAIN = ("int", "abs", "min", "max", "doubles", "longs")


def translate(text: str, space: Mapping, outer: Mapping[str, str], lanes: int) -> str:
    """LLVM IR of the functions that `outer` names, for so many lanes.

    They take the address of a record and whole numbers, and give a whole number: of all lanes the
    largest.
    """
    unit = Lanes(text, space, lanes)
    parts = []
    for name, kinds in outer.items():
        given, _, _ = kinds.partition("->")
        made = unit.function(name, tuple(given))
        heads = ", ".join(f"i64 %a{k}" for k in range(len(given)))
        gives = ", ".join(f"i64 %a{k}" for k in range(len(given)))
        every = "<" + ", ".join(["i1 true"] * lanes) + ">"
        vector = f"<{lanes} x i64>"
        parts.append(
            f"declare i64 @llvm.vector.reduce.smax.v{lanes}i64({vector})\n"
            f"define i64 @{name}({heads}) {{\n"
            f"  %x = call {vector} @{made.symbol}({gives}, <{lanes} x i1> {every})\n"
            f"  %y = call i64 @llvm.vector.reduce.smax.v{lanes}i64({vector} %x)\n"
            "  ret i64 %y\n}\n"
        )
        if made.answer != "vi":
            raise KernelError(f"{name} gives {made.answer!r}, not whole numbers of lanes")
    bodies = [x.text("internal ") for x in unit.made.values()]
    return "\n".join([HEAD, _head(lanes), *unit.tables, *bodies, *parts])


def _head(lanes: int) -> str:
    """What every text for lanes may call, `@call` of a kernel among it.

    A kernel is told by words: its address for lanes, how many outputs, the size of each.  It writes
    all lanes to a room of its own; numbers of lanes at work are copied from there.
    """
    real, whole, bits = f"<{lanes} x double>", f"<{lanes} x i64>", f"<{lanes} x i1>"
    inf = "<" + ", ".join([f"double {literal(float('inf'))}"] * lanes) + ">"
    return f"""declare {real} @llvm.sqrt.v{lanes}f64({real})
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
  %bad = phi {bits} [zeroinitializer, %entry], [%badp, %done]
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
  %badp = phi {bits} [%bad, %open], [%badk, %next]
  %go = icmp slt i64 %k, %end
  br i1 %go, label %next, label %done
next:
  %from = getelementptr {real}, ptr %room, i64 %k
  %x = load {real}, ptr %from, align 8
  %size.x = call {real} @llvm.fabs.v{lanes}f64({real} %x)
  %wrong = fcmp uge {real} %size.x, {inf}
  %badk = or {bits} %badp, %wrong
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
  %any = call i1 @llvm.vector.reduce.or.v{lanes}i1({bits} %bad)
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


class Again(Exception):
    """A name turned out to differ from lane to lane: the function is translated once more."""


class Lanes(_Unit):
    """A module under translation for lanes; a function is made for every combination of kinds."""

    def __init__(self, text: str, space: Mapping, lanes: int):
        super().__init__(text, space)
        self.lanes = lanes
        self.made: dict = {}

    def function(self, name: str, kinds: tuple):
        key = (name, kinds)
        if key not in self.made:
            varying: set[str] = set()
            while True:
                try:
                    made = Lane(self, self.nodes[name], kinds, varying)
                    break
                except Again:
                    continue
            made.symbol = f"{name}.{len(self.made)}"
            self.made[key] = made
        return self.made[key]


def _calls(node) -> bool:
    """Whether an expression calls functions of the text."""
    calls = (x.func for x in ast.walk(node) if isinstance(x, ast.Call))
    return any(isinstance(f, ast.Name) and f.id not in PLAIN for f in calls)


def _leaves(nodes, kinds) -> bool:
    """Whether statements leave early by one of these kinds, not counting loops of their own."""
    for node in nodes:
        if isinstance(node, kinds):
            return True
        if isinstance(node, ast.If) and (_leaves(node.body, kinds) or _leaves(node.orelse, kinds)):
            return True
        if isinstance(node, ast.For | ast.While) and _leaves(
            node.body, tuple(k for k in kinds if k is ast.Return)
        ):
            return True
    return False


class Lane(_Function):
    """One function for all lanes."""

    def __init__(self, unit: Lanes, node: ast.FunctionDef, kinds: tuple, varying: set[str]):
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

    def any(self, mask: str) -> Value:
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

    def wide(self, x: Value) -> Value:
        """A number of every lane."""
        if x.kind in ("i", "f", "b"):
            return Value("v" + x.kind, self.splat(self.types[x.kind], x.text))
        return x

    def real(self, x: Value) -> Value:
        if x.kind == "vf":
            return x
        if x.kind == "vi":
            return self.value("vf", f"sitofp {self.types['vi']} {x.text} to {self.types['vf']}")
        return super().real(x)

    def truth(self, x: Value) -> Value:
        if x.kind == "vb":
            return x
        if x.kind == "vi":
            return self.value("vb", f"icmp ne {self.types['vi']} {x.text}, zeroinitializer")
        if x.kind == "vf":
            return self.value("vb", f"fcmp une {self.types['vf']} {x.text}, zeroinitializer")
        return super().truth(x)

    def both(self, a: Value, b: Value) -> tuple[Value, Value]:
        return self.wide(a), self.wide(b)

    def store(self, name: str, x: Value) -> None:
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

    # expressions -------------------------------------------------------------------------
    def _name(self, node) -> Value:
        if node.id in self.places:
            kind = self.places[node.id]
            return self.value(kind, f"load {self.type(kind)}, ptr %{node.id}.at")
        return self._constant(ast.Constant(self.unit.space[node.id]))

    def _unaryop(self, node) -> Value:
        x = self(node.operand)
        if x.kind[0] != "v":
            return super()._unaryop(node)
        if isinstance(node.op, ast.Not):
            return Value("vb", self.without(self.splat("i1", "true"), self.truth(x).text))
        if x.kind == "vi":
            return self.value("vi", f"sub {self.types['vi']} zeroinitializer, {x.text}")
        return self.value("vf", f"fneg {self.types['vf']} {x.text}")

    def combine(self, op, a: Value, b: Value) -> Value:
        if a.kind[0] != "v" and b.kind[0] != "v":
            return super().combine(op, a, b)
        if op is ast.Pow:
            return self.power(self.wide(self.real(a)), self.real(b))
        if a.kind[-1] == b.kind[-1] == "i" and op in INTEGER:
            a, b = self.both(a, b)
            return self.value("vi", f"{INTEGER[op]} {self.types['vi']} {a.text}, {b.text}")
        a, b = self.both(self.real(a), self.real(b))
        return self.value("vf", f"{REAL[op]}{self.fast} {self.types['vf']} {a.text}, {b.text}")

    def power(self, a: Value, b: Value) -> Value:
        kind = self.types["vf"]
        if b.text == literal(0.5):
            return self.value("vf", f"call {kind} @llvm.sqrt.v{self.lanes}f64({kind} {a.text})")
        b = self.wide(b)
        x = "undef"
        for lane in range(self.lanes):
            pair = [
                self.value("", f"extractelement {kind} {y.text}, i64 {lane}").text for y in (a, b)
            ]
            one = self.value(
                "", f"call double @torseur.pow(double {pair[0]}, double {pair[1]})"
            ).text
            x = self.value("", f"insertelement {kind} {x}, double {one}, i64 {lane}").text
        return Value("vf", x)

    def compare(self, op, a: Value, b: Value) -> Value:
        if a.kind[0] != "v" and b.kind[0] != "v":
            return super().compare(op, a, b)
        whole, real = COMPARED[op]
        if a.kind[-1] == b.kind[-1] and a.kind[-1] in "ib":
            a, b = self.both(a, b)
            return self.value("vb", f"icmp {whole} {self.type(a.kind)} {a.text}, {b.text}")
        a, b = self.both(self.real(a), self.real(b))
        return self.value("vb", f"fcmp {real} {self.types['vf']} {a.text}, {b.text}")

    def _boolop(self, node) -> Value:
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

    def asked(self, node, ask: str, known: Value, every: bool) -> Value:
        """The next part of an `and` or an `or`, in the lanes of a mask."""
        self.set_mask(ask)
        if not _calls(node):
            new = self.wide(self.truth(self(node)))
            return Value("vb", self.bits("and" if every else "or", known.text, new.text))
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
        return Value("vb", self.mask(slot))

    def _ifexp(self, node) -> Value:
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
            return Value(x.kind, self.chosen(test.text, self.type(x.kind), x.text, y.text))
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
    def field(self, node) -> Value:
        """Address of a field of a record, and its kind."""
        record = self(node.value)
        fields = getattr(record.kind, "fields", {})
        if node.attr not in fields:
            self.fail(f"line {node.lineno}: no field {node.attr!r}")
        field = fields[node.attr]
        at = self.value("", f"getelementptr i64, ptr {record.text}, i64 {field.place}").text
        if node.attr in record.kind.shared:
            return Value(field.kind, at)
        if field.kind in ("i", "f"):
            return Value("v" + field.kind, self.value("", f"load ptr, ptr {at}").text)
        return Value("L" + field.kind, at)

    def _attribute(self, node) -> Value:
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

    def row(self, array: Value, i: Value):
        """A row of an array of two axes."""
        first, width = (
            self.value("", f"extractvalue {{ptr, i64}} {array.text}, {k}") for k in (0, 1)
        )
        at = self.combine(ast.Mult, i, Value("i", width.text))
        return self.moved(Value(array.kind[:-1], first.text), at)

    def moved(self, array: Value, k: Value) -> Value:
        """The array from item k on."""
        if array.kind in ("LF", "LI"):
            if k.kind == "i":
                k = self.combine(ast.Mult, k, Value("i", str(self.lanes)))
                at = self.value("", f"getelementptr i64, ptr {array.text}, i64 {k.text}")
                return Value(array.kind, at.text)
            each = "<" + ", ".join(f"i64 {j}" for j in range(self.lanes)) + ">"
            k = self.combine(ast.Mult, k, Value("i", str(self.lanes)))
            k = self.value("vi", f"add {self.types['vi']} {k.text}, {each}")
            at = self.value("", f"getelementptr i64, ptr {array.text}, {self.types['vi']} {k.text}")
            return Value("V" + array.kind[1], at.text)
        if array.kind in ("VF", "VI"):
            k = self.wide(k)
            vector = f"<{self.lanes} x ptr>"
            at = self.value(
                "", f"getelementptr i64, {vector} {array.text}, {self.types['vi']} {k.text}"
            )
            return Value(array.kind, at.text)
        if k.kind == "i":
            at = self.value("", f"getelementptr i64, ptr {array.text}, i64 {k.text}")
            return Value(array.kind, at.text)
        at = self.value("", f"getelementptr i64, ptr {array.text}, {self.types['vi']} {k.text}")
        return Value("V" + array.kind, at.text)

    def item(self, array: Value, node) -> Value:
        """Address of an item: its kind is that of the array which starts there."""
        if array.kind in ("FF", "LFF"):
            i, j = (self(x) for x in node.slice.elts)
            return self.moved(self.row(array, i), j)
        if array.kind not in ITEMS:
            self.fail(f"line {node.lineno}: only arrays have items")
        return self.moved(array, self(node.slice))

    def _subscript(self, node) -> Value:
        array, at = self.array(node), node.slice
        if isinstance(at, ast.Slice):
            return self.moved(array, self(at.lower or ast.Constant(0)))
        if array.kind in ("FF", "LFF") and not isinstance(at, ast.Tuple):
            return self.row(array, self(at))
        return self.load(self.item(array, node))

    def load(self, at: Value) -> Value:
        """What is at an address."""
        kind = ITEMS[at.kind]
        if at.kind in ("VF", "VI"):
            return self.gathered(at, kind)
        align = ", align 8" if kind[0] == "v" else ""
        return self.value(kind, f"load {self.type(kind)}, ptr {at.text}{align}")

    def somewhere(self, at: Value) -> list[str]:
        """The address of every lane, a place for nothing where it is not at work."""
        vector = f"<{self.lanes} x ptr>"
        safe = self.chosen(self.mask(), vector, at.text, self.splat("ptr", "@nowhere"))
        return [
            self.value("", f"extractelement {vector} {safe}, i64 {j}").text
            for j in range(self.lanes)
        ]

    def gathered(self, at: Value, kind: str) -> Value:
        one, x = self.types[kind[1]], "undef"
        for j, place in enumerate(self.somewhere(at)):
            y = self.value("", f"load {one}, ptr {place}").text
            x = self.value("", f"insertelement {self.type(kind)} {x}, {one} {y}, i64 {j}").text
        return Value(kind, x)

    def assign(self, target, x: Value) -> None:
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
    def _call(self, node) -> Value:
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
            return Value(a.kind, self.chosen(better.text, self.type(a.kind), b.text, a.text))
        if name in PLAIN:
            return super()._call(node)
        made: Any = self.unit.function(name, tuple(x.kind for x in given))
        told = [f"{self.type(x.kind)} {x.text}" for x in given]
        told.append(f"{self.types['vb']} {self.mask()}")
        text = f"call {self.type(made.returned)} @{made.symbol}({', '.join(told)})"
        if made.returned:
            return self.value(made.returned, text)
        self.line(text)
        return Value("", "")

    # statements --------------------------------------------------------------------------
    def do_return(self, node) -> None:
        x = Value("", "") if node.value is None else self(node.value)
        exec_ = self.mask()
        if x.kind:
            x = self.wide(x)
            self.answer = self.answer or x.kind
            if self.answer == "vf":
                x = self.real(x)
            if x.kind != self.answer:
                self.fail(f"it gives {self.answer!r} and {x.kind!r}")
            old = self.value("", f"load {self.type(x.kind)}, ptr %answer").text
            new = self.chosen(exec_, self.type(x.kind), x.text, old)
            self.line(f"store {self.type(x.kind)} {new}, ptr %answer")
        self.set_mask(self.bits("or", self.mask("gone"), exec_), "gone")
        self.go(self.after)

    def do_if(self, node) -> None:
        test = self.truth(self(node.test))
        if test.kind == "b":
            yes, no, end = self.tags("then", "else", "endif")
            saved, outer, self.after = self.mask(), self.after, end
            self.fork(test, yes, no if node.orelse else end)
            for label, body in ((yes, node.body), (no, node.orelse)):
                if body:
                    self.label(label)
                    self.body(body)
                    self.go(end)
            self.label(end)
            self.after = outer
            self.join(saved, _leaves([node], (ast.Return, ast.Break, ast.Continue)))
            return
        saved, outer = self.mask(), self.after
        self.depth += 1
        for ask, body in (
            (self.bits("and", saved, test.text), node.body),
            (self.without(saved, test.text), node.orelse),
        ):
            if body:
                yes, end = self.tags("then", "endif")
                self.after = end
                self.set_mask(ask)
                self.fork(self.any(ask), yes, end)
                self.label(yes)
                self.body(body)
                self.label(end)
        self.depth -= 1
        self.after = outer
        self.join(saved, _leaves([node], (ast.Return, ast.Break, ast.Continue)))

    def do_while(self, node) -> None:
        self.loop(node.body, lambda: self.truth(self(node.test)))

    def do_for(self, node) -> None:
        given = [self(x) for x in node.iter.args]
        if any(x.kind != "i" for x in given):
            self.fail(f"line {node.lineno}: a range is the same for all lanes")
        first, last = given[:2] if len(given) > 1 else (Value("i", "0"), given[0])
        step = int(given[2].text) if len(given) > 2 else 1
        hidden = f"for{self.count}"
        self.store(hidden, first)

        def test():
            here = self._name(ast.Name(hidden))
            return self.compare(ast.Lt if step > 0 else ast.Gt, here, last)

        def begin():
            here = self._name(ast.Name(hidden))
            name = node.target.id
            self.places.setdefault(name, "i")
            if self.places[name] != "i":
                self.fail(f"{name} is a number of all lanes, and of one")
            self.line(f"store i64 {here.text}, ptr %{name}.at")

        def more():
            here = self._name(ast.Name(hidden))
            self.store(hidden, self.combine(ast.Add, here, Value("i", str(step))))

        self.loop(node.body, test, begin, more)

    def loop(self, body, test, begin=None, more=None) -> None:
        """A loop whose lanes may leave it one by one; a test that all share costs no mask."""
        top, do, again, end = self.tags("while", "do", "again", "endwhile")
        saved, after = self.mask(), self.after
        parted = _leaves(body, (ast.Break, ast.Continue))
        apart = parted or begin is None
        active, left = (self.new_mask(x) for x in ("active", "left")) if apart else ("", "")
        returns = _leaves(body, (ast.Return,))
        if apart:
            self.set_mask(saved, active)
            self.depth += 1
        self.label(top)
        if apart:
            here = self.without(self.mask(active), self.mask("gone"))
            self.set_mask("zeroinitializer", left)
        else:
            here = self.without(saved, self.mask("gone")) if returns else saved
        self.set_mask(here)
        if apart or returns:
            (go,) = self.tags("go")
            self.fork(self.any(here), go, end)
            self.label(go)
        on = test()
        if on.kind == "vb":
            here = self.bits("and", here, on.text)
            self.set_mask(here, active)
            self.set_mask(here)
            on = self.any(here)
        self.fork(on, do, end)
        self.label(do)
        if begin is not None:
            begin()
        self.loops.append((again, end, active, left))
        self.after = again
        self.body(body)
        self.after = after
        self.loops.pop()
        self.label(again)
        if more is not None:
            more()
        self.go(top)
        self.label(end)
        if apart:
            self.depth -= 1
        self.join(saved, returns)

    def do_continue(self, node) -> None:
        _, _, _, left = self.loops[-1]
        self.set_mask(self.bits("or", self.mask(left), self.mask()), left)
        self.go(self.after)

    def do_break(self, node) -> None:
        _, _, active, _ = self.loops[-1]
        self.set_mask(self.without(self.mask(active), self.mask()), active)
        self.go(self.after)
