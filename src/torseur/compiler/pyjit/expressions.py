"""Expressions of plain text (see `plain`) as lines of LLVM, and the kinds of their values."""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from ...errors import KernelError
from ..codegen.llvm_builder import literal

if TYPE_CHECKING:
    from .translate import TextUnit


TYPES = {"i": "i64", "f": "double", "b": "i1", "": "void", "FF": "{ptr, i64}"}
ITEMS = {"F": "f", "I": "i", "P": "F"}
CTYPES: dict[str, type[ctypes._SimpleCData]] = {"i": ctypes.c_int64, "f": ctypes.c_double}
INTEGER = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
REAL = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
COMPARED = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


Kind: TypeAlias = Any  # a text, or the class of a record


def type_of(kind: Kind) -> str:
    """In LLVM; arrays and records are addresses."""
    return TYPES.get(kind, "ptr") if isinstance(kind, str) else "ptr"


class NativeValue(NamedTuple):
    kind: Kind
    text: str


class Expressions:
    """What a function computes with: names become places that LLVM turns to registers."""

    def __init__(self, unit: TextUnit, node: ast.FunctionDef, fused: bool):
        self.unit, self.node = unit, node
        self.lines: list[str] = []
        self.places: dict[str, Kind] = {}
        self.count, self.open = 0, True
        self.fast = " contract" if fused else ""

    # lines -------------------------------------------------------------------------------
    def line(self, text: str) -> None:
        self.lines.append("  " + text)

    def value(self, kind: Kind, text: str) -> NativeValue:
        self.count += 1
        self.line(f"%.{self.count} = {text}")
        return NativeValue(kind, f"%.{self.count}")

    def label(self, name: str) -> None:
        if self.open:
            self.line(f"br label %{name}")
        self.lines.append(f"{name}:")
        self.open = True

    def go(self, name: str) -> None:
        if self.open:
            self.line(f"br label %{name}")
        self.open = False

    def fork(self, test: NativeValue, yes: str, no: str) -> None:
        self.line(f"br i1 {self.truth(test).text}, label %{yes}, label %{no}")
        self.open = False

    def tags(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{n}.{self.count}" for n in names]

    # kinds -------------------------------------------------------------------------------
    def real(self, x: NativeValue) -> NativeValue:
        if x.kind == "f":
            return x
        if x.kind == "i" and x.text.lstrip("-").isdigit():
            return NativeValue("f", literal(float(x.text)))
        return self.value("f", f"sitofp {type_of(x.kind)} {x.text} to double")

    def truth(self, x: NativeValue) -> NativeValue:
        if x.kind == "b":
            return x
        return self.value(
            "b", f"icmp ne i64 {x.text}, 0" if x.kind == "i" else f"fcmp une double {x.text}, 0.0"
        )

    def store(self, name: str, x: NativeValue) -> None:
        kind = self.places.setdefault(name, x.kind)
        if kind == "f":
            x = self.real(x)
        if x.kind != kind:
            self.fail(f"{name} is {kind!r} and {x.kind!r}")
        self.line(f"store {type_of(kind)} {x.text}, ptr %{name}.at")

    def fail(self, why: str) -> NoReturn:
        raise KernelError(f"{self.node.name}: {why}")

    # expressions -------------------------------------------------------------------------
    def __call__(self, node: ast.expr) -> NativeValue:
        return self.known("_", node)(node)

    def known(self, prefix: str, node) -> Callable[[Any], Any]:
        """The method that translates a node, of what may be used."""
        name = type(node).__name__
        return getattr(self, prefix + name.lower(), None) or self.fail(
            f"line {node.lineno}: {name} is not among what native text may use"
        )

    def _constant(self, node) -> NativeValue:
        x = node.value
        if isinstance(x, bool):
            return NativeValue("b", str(x).lower())
        return NativeValue("i", str(x)) if isinstance(x, int) else NativeValue("f", literal(x))

    def _name(self, node) -> NativeValue:
        if node.id in self.places:
            kind = self.places[node.id]
            return self.value(kind, f"load {type_of(kind)}, ptr %{node.id}.at")
        return self._constant(ast.Constant(self.unit.space[node.id]))

    def _unaryop(self, node) -> NativeValue:
        x = self(node.operand)
        if isinstance(node.op, ast.Not):
            return self.value("b", f"xor i1 {self.truth(x).text}, true")
        if x.kind == "i":
            return (
                NativeValue("i", str(-int(x.text)))
                if x.text.isdigit()
                else self.value("i", f"sub i64 0, {x.text}")
            )
        return self.value("f", f"fneg double {x.text}")

    def _binop(self, node) -> NativeValue:
        return self.combine(type(node.op), self(node.left), self(node.right))

    def combine(self, op, a: NativeValue, b: NativeValue) -> NativeValue:
        if op is ast.Pow:
            a, b = self.real(a), self.real(b)
            if b.text == literal(0.5):
                return self.value("f", f"call double @llvm.sqrt.f64(double {a.text})")
            return self.value("f", f"call double @torseur.pow(double {a.text}, double {b.text})")
        if a.kind == b.kind == "i" and op in INTEGER:
            return self.value("i", f"{INTEGER[op]} i64 {a.text}, {b.text}")
        a, b = self.real(a), self.real(b)
        return self.value("f", f"{REAL[op]}{self.fast} double {a.text}, {b.text}")

    def _compare(self, node) -> NativeValue:
        if len(node.ops) > 1:
            self.fail("one comparison at a time")
        return self.compare(type(node.ops[0]), self(node.left), self(node.comparators[0]))

    def compare(self, op, a: NativeValue, b: NativeValue) -> NativeValue:
        whole, real = COMPARED[op]
        if a.kind == b.kind and a.kind in ("i", "b"):
            return self.value("b", f"icmp {whole} {type_of(a.kind)} {a.text}, {b.text}")
        a, b = self.real(a), self.real(b)
        return self.value("b", f"fcmp {real} double {a.text}, {b.text}")

    def _boolop(self, node) -> NativeValue:
        """One after the other, until the answer is known."""
        name, (end,) = f"bool{self.count}", self.tags("known")
        for k, x in enumerate(node.values):
            self.store(name, self.truth(self(x)))
            if k + 1 < len(node.values):
                (more,) = self.tags("more")
                known = self._name(ast.Name(name))
                self.fork(known, *((more, end) if isinstance(node.op, ast.And) else (end, more)))
                self.label(more)
        self.label(end)
        return self._name(ast.Name(name))

    def _ifexp(self, node) -> NativeValue:
        name, (yes, no, end) = f"if{self.count}", self.tags("yes", "no", "end")
        self.fork(self(node.test), yes, no)
        for label, x in ((yes, node.body), (no, node.orelse)):
            self.label(label)
            self.store(name, self(x))
            self.go(end)
        self.label(end)
        return self._name(ast.Name(name))

    def place(self, node) -> NativeValue:
        """Address of an item or of a number of a record, its kind that of what is there."""
        if isinstance(node, ast.Attribute):
            return self.field(node)
        return self.item(self.array(node), node)

    def item(self, array: NativeValue, node) -> NativeValue:
        """Address of an item, its kind that of the item."""
        if array.kind == "FF" and isinstance(node.slice, ast.Tuple):
            i, j = (self(x) for x in node.slice.elts)
            return NativeValue("f", self.offset("F", self.row(array, i), j))
        kind = array.kind
        if not isinstance(kind, str) or kind not in ITEMS or isinstance(node.slice, ast.Tuple):
            self.fail(f"line {node.lineno}: only arrays have items")
        return NativeValue(ITEMS[kind], self.offset(kind, array.text, self(node.slice)))

    def array(self, node) -> NativeValue:
        """What a subscript is of: a value, or a table of constants of the module."""
        if isinstance(node.value, ast.Name) and node.value.id not in self.places:
            return NativeValue("F", self.unit.table(node.value.id))
        return self(node.value)

    def offset(self, kind: str, array: str, index: NativeValue) -> str:
        item = type_of(ITEMS[kind])
        return self.value("", f"getelementptr {item}, ptr {array}, i64 {index.text}").text

    def row(self, array: NativeValue, i: NativeValue) -> str:
        """Address of a row of an array of two axes."""
        first, width = (
            self.value("", f"extractvalue {{ptr, i64}} {array.text}, {k}") for k in (0, 1)
        )
        return self.offset("F", first.text, self.value("i", f"mul i64 {i.text}, {width.text}"))

    def field(self, node) -> NativeValue:
        """Address of a field of a record, and its kind."""
        record = self(node.value)
        fields = getattr(record.kind, "fields", {})
        if node.attr not in fields:
            self.fail(f"line {node.lineno}: no field {node.attr!r}")
        field = fields[node.attr]
        at = self.value("", f"getelementptr i64, ptr {record.text}, i64 {field.place}")
        return NativeValue(field.kind, at.text)

    def _attribute(self, node) -> NativeValue:
        at = self.field(node)
        if at.kind != "FF":
            return self.value(at.kind, f"load {type_of(at.kind)}, ptr {at.text}")
        record = self(node.value)
        assert not isinstance(record.kind, str)  # it has fields
        width = ast.Attribute(
            node.value, record.kind.fields[node.attr].shape[1], lineno=node.lineno
        )
        first = self.value("", f"load ptr, ptr {at.text}")
        part = self.value("", f"insertvalue {{ptr, i64}} undef, ptr {first.text}, 0")
        return self.value("FF", f"insertvalue {{ptr, i64}} {part.text}, i64 {self(width).text}, 1")

    def _subscript(self, node) -> NativeValue:
        array, at = self.array(node), node.slice
        if isinstance(at, ast.Slice):
            kind = array.kind if isinstance(array.kind, str) else ""
            if kind not in ITEMS or at.lower is None or at.upper or at.step:
                self.fail(f"line {node.lineno}: a part of an array goes from an item on, x[k:]")
            return NativeValue(kind, self.offset(kind, array.text, self(at.lower)))
        if array.kind == "FF" and not isinstance(at, ast.Tuple):
            return NativeValue("F", self.row(array, self(at)))
        found = self.item(array, node)
        return self.value(found.kind, f"load {type_of(found.kind)}, ptr {found.text}")

    def _call(self, node) -> NativeValue:
        name, given = node.func.id, [self(x) for x in node.args]
        if name in ("doubles", "longs"):
            return self.value(
                "F" if name == "doubles" else "I", f"inttoptr i64 {given[0].text} to ptr"
            )
        if name in ("call", "call_lanes"):
            f, a, b = (
                self.value("I", f"inttoptr i64 {x.text} to ptr").text if x.kind == "i" else x.text
                for x in given
            )
            if name == "call_lanes":
                self.line(f"call void {f}(ptr {a}, ptr {b})")
                return NativeValue("", "")
            status = self.value("", f"call i32 {f}(ptr {a}, ptr {b}, ptr null)")
            return self.value("i", f"sext i32 {status.text} to i64")
        if name == "int":
            return self.value("i", f"fptosi double {self.real(given[0]).text} to i64")
        if name == "abs":
            return self.value("f", f"call double @llvm.fabs.f64(double {self.real(given[0]).text})")
        if name in ("min", "max"):
            x, y = given
            if x.kind != y.kind:
                x, y = self.real(x), self.real(y)
            better = self.compare(ast.Lt if name == "min" else ast.Gt, y, x)
            kind = type_of(x.kind)
            return self.value(x.kind, f"select i1 {better.text}, {kind} {y.text}, {kind} {x.text}")
        answer: Kind = self.unit.outside.get(name)
        if answer is None:
            answer = self.unit.function(name, tuple(x.kind for x in given)).answer
        text = (
            f"call {type_of(answer or '')} @{name}("
            + ", ".join(f"{type_of(x.kind)} {x.text}" for x in given)
            + ")"
        )
        if answer:
            return self.value(answer, text)
        self.line(text)
        return NativeValue("", "")
