"""Expressions and arrays of text in lanes (see `side`)."""

from __future__ import annotations

import ast
from typing import Any

from .plain_expressions import COMPARED, INTEGER, REAL, NativeValue
from .side_call import LANE_BY_LANE
from .side_masks import PLAIN, Masked
from .text import literal

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
        if name == "transfer" and kinds in LANE_BY_LANE:
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
