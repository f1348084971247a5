"""Translator of expressions of restricted Python: lines of LLVM IR, and kinds of values."""

from __future__ import annotations

import ast
import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, TypeAlias

from ...errors import KernelError
from ..codegen.llvm_builder import format_double

if TYPE_CHECKING:
    from .function import ModuleTranslator


LLVM_TYPES = {"i": "i64", "f": "double", "b": "i1", "": "void", "FF": "{ptr, i64}"}
ITEM_KINDS = {"F": "f", "I": "i", "P": "F"}
CTYPES: dict[str, type[ctypes._SimpleCData]] = {"i": ctypes.c_int64, "f": ctypes.c_double}
INTEGER_OPS = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul"}
REAL_OPS = {ast.Add: "fadd", ast.Sub: "fsub", ast.Mult: "fmul", ast.Div: "fdiv"}
COMPARISONS = {
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
}


Kind: TypeAlias = Any  # a text, or the class of a record


def llvm_type(kind: Kind) -> str:
    """LLVM type of a kind.  Arrays and records are addresses."""
    return LLVM_TYPES.get(kind, "ptr") if isinstance(kind, str) else "ptr"


class NativeValue(NamedTuple):
    """Value of LLVM IR: its kind and its text."""

    kind: Kind
    text: str


class ExpressionTranslator:
    """Translation of expressions.  Each name is a stack slot `%name.at`."""

    def __init__(self, unit: ModuleTranslator, node: ast.FunctionDef, fused: bool):
        self.unit, self.node = unit, node
        self.lines: list[str] = []
        self.variables: dict[str, Kind] = {}
        self.count, self.is_block_open = 0, True
        self.contract_flag = " contract" if fused else ""

    # lines -------------------------------------------------------------------------------
    def emit_line(self, text: str) -> None:
        self.lines.append("  " + text)

    def emit_value(self, kind: Kind, text: str) -> NativeValue:
        self.count += 1
        self.emit_line(f"%.{self.count} = {text}")
        return NativeValue(kind, f"%.{self.count}")

    def start_block(self, name: str) -> None:
        if self.is_block_open:
            self.emit_line(f"br label %{name}")
        self.lines.append(f"{name}:")
        self.is_block_open = True

    def branch_to(self, name: str) -> None:
        if self.is_block_open:
            self.emit_line(f"br label %{name}")
        self.is_block_open = False

    def branch_if(self, test: NativeValue, yes: str, no: str) -> None:
        self.emit_line(f"br i1 {self.convert_to_bool(test).text}, label %{yes}, label %{no}")
        self.is_block_open = False

    def create_labels(self, *names: str) -> list[str]:
        self.count += 1
        return [f"{n}.{self.count}" for n in names]

    # kinds -------------------------------------------------------------------------------
    def convert_to_real(self, x: NativeValue) -> NativeValue:
        """Value as a double."""
        if x.kind == "f":
            return x
        if x.kind == "i" and x.text.lstrip("-").isdigit():
            return NativeValue("f", format_double(float(x.text)))
        return self.emit_value("f", f"sitofp {llvm_type(x.kind)} {x.text} to double")

    def convert_to_bool(self, x: NativeValue) -> NativeValue:
        """Value as a truth value."""
        if x.kind == "b":
            return x
        return self.emit_value(
            "b", f"icmp ne i64 {x.text}, 0" if x.kind == "i" else f"fcmp une double {x.text}, 0.0"
        )

    def store_name(self, name: str, x: NativeValue) -> None:
        kind = self.variables.setdefault(name, x.kind)
        if kind == "f":
            x = self.convert_to_real(x)
        if x.kind != kind:
            self.raise_error(f"{name} is {kind!r} and {x.kind!r}")
        self.emit_line(f"store {llvm_type(kind)} {x.text}, ptr %{name}.at")

    def raise_error(self, why: str) -> NoReturn:
        raise KernelError(f"{self.node.name}: {why}")

    # expressions -------------------------------------------------------------------------
    def __call__(self, node: ast.expr) -> NativeValue:
        return self.find_translator(node)(node)

    def find_translator(self, node: ast.expr | ast.stmt) -> Callable[[Any], Any]:
        """Method `translate_<node class>` of an expression or a statement of the subset."""
        name = type(node).__name__
        return getattr(self, f"translate_{name.lower()}", None) or self.raise_error(
            f"line {node.lineno}: {name} is not supported in native functions"
        )

    def read_identifier(self, node: ast.expr) -> str:
        """Identifier of a name, where the subset allows no other expression."""
        if not isinstance(node, ast.Name):
            self.raise_error(f"line {node.lineno}: expected a name")
        return node.id

    def read_arguments(self, node: ast.expr) -> list[NativeValue]:
        """Values of the arguments of a call, or of the elements of a tuple."""
        if isinstance(node, ast.Call):
            return [self(x) for x in node.args]
        if isinstance(node, ast.Tuple):
            return [self(x) for x in node.elts]
        self.raise_error(f"line {node.lineno}: expected a tuple or a call")

    def translate_constant(self, node: ast.Constant) -> NativeValue:
        """Literal of an integer, a double or a truth value."""
        x = node.value
        if isinstance(x, bool):
            return NativeValue("b", str(x).lower())
        if not isinstance(x, int | float):
            self.raise_error(f"line {node.lineno}: {x!r} is not a number")
        return (
            NativeValue("i", str(x)) if isinstance(x, int) else NativeValue("f", format_double(x))
        )

    def translate_name(self, node: ast.Name) -> NativeValue:
        if node.id in self.variables:
            kind = self.variables[node.id]
            return self.emit_value(kind, f"load {llvm_type(kind)}, ptr %{node.id}.at")
        return self.translate_constant(ast.Constant(self.unit.namespace[node.id]))

    def translate_unaryop(self, node: ast.UnaryOp) -> NativeValue:
        """Negation, or `not`."""
        x = self(node.operand)
        if isinstance(node.op, ast.Not):
            return self.emit_value("b", f"xor i1 {self.convert_to_bool(x).text}, true")
        if x.kind == "i":
            return (
                NativeValue("i", str(-int(x.text)))
                if x.text.isdigit()
                else self.emit_value("i", f"sub i64 0, {x.text}")
            )
        return self.emit_value("f", f"fneg double {x.text}")

    def translate_binop(self, node: ast.BinOp) -> NativeValue:
        return self.combine_values(type(node.op), self(node.left), self(node.right))

    def combine_values(self, op: type[ast.operator], a: NativeValue, b: NativeValue) -> NativeValue:
        """Arithmetic of two values.  Products and sums may be contracted to FMA."""
        if op is ast.Pow:
            a, b = self.convert_to_real(a), self.convert_to_real(b)
            if b.text == format_double(0.5):
                return self.emit_value("f", f"call double @llvm.sqrt.f64(double {a.text})")
            return self.emit_value(
                "f", f"call double @torseur.pow(double {a.text}, double {b.text})"
            )
        if a.kind == b.kind == "i" and op in INTEGER_OPS:
            return self.emit_value("i", f"{INTEGER_OPS[op]} i64 {a.text}, {b.text}")
        a, b = self.convert_to_real(a), self.convert_to_real(b)
        return self.emit_value("f", f"{REAL_OPS[op]}{self.contract_flag} double {a.text}, {b.text}")

    def translate_compare(self, node: ast.Compare) -> NativeValue:
        if len(node.ops) > 1:
            self.raise_error("one comparison at a time")
        return self.compare_values(type(node.ops[0]), self(node.left), self(node.comparators[0]))

    def compare_values(self, op: type[ast.cmpop], a: NativeValue, b: NativeValue) -> NativeValue:
        """Comparison of integers, or ordered comparison of doubles."""
        integer_predicate, real_predicate = COMPARISONS[op]
        if a.kind == b.kind and a.kind in ("i", "b"):
            return self.emit_value(
                "b", f"icmp {integer_predicate} {llvm_type(a.kind)} {a.text}, {b.text}"
            )
        a, b = self.convert_to_real(a), self.convert_to_real(b)
        return self.emit_value("b", f"fcmp {real_predicate} double {a.text}, {b.text}")

    def translate_boolop(self, node: ast.BoolOp) -> NativeValue:
        """Short-circuit evaluation of `and` and `or`."""
        name, (end,) = f"bool{self.count}", self.create_labels("known")
        for k, x in enumerate(node.values):
            self.store_name(name, self.convert_to_bool(self(x)))
            if k + 1 < len(node.values):
                (next_label,) = self.create_labels("more")
                value = self.translate_name(ast.Name(name))
                self.branch_if(
                    value,
                    *((next_label, end) if isinstance(node.op, ast.And) else (end, next_label)),
                )
                self.start_block(next_label)
        self.start_block(end)
        return self.translate_name(ast.Name(name))

    def translate_ifexp(self, node: ast.IfExp) -> NativeValue:
        """Conditional expression, by branches."""
        name, (yes, no, end) = f"if{self.count}", self.create_labels("yes", "no", "end")
        self.branch_if(self(node.test), yes, no)
        for label, x in ((yes, node.body), (no, node.orelse)):
            self.start_block(label)
            self.store_name(name, self(x))
            self.branch_to(end)
        self.start_block(end)
        return self.translate_name(ast.Name(name))

    def target_pointer(self, node: ast.expr) -> NativeValue:
        """Address of an array element or a field, with the kind of its value."""
        if isinstance(node, ast.Attribute):
            return self.field_pointer(node)
        if not isinstance(node, ast.Subscript):
            self.raise_error(f"line {node.lineno}: expected an array element or a field")
        return self.item_pointer(self.translate_array(node), node)

    def item_pointer(self, array: NativeValue, node: ast.Subscript) -> NativeValue:
        """Address of an array element, with the kind of the element."""
        if array.kind == "FF" and isinstance(node.slice, ast.Tuple):
            i, j = self.read_arguments(node.slice)
            return NativeValue("f", self.offset_pointer("F", self.row_pointer(array, i), j))
        kind = array.kind
        if not isinstance(kind, str) or kind not in ITEM_KINDS or isinstance(node.slice, ast.Tuple):
            self.raise_error(f"line {node.lineno}: only arrays have items")
        return NativeValue(
            ITEM_KINDS[kind], self.offset_pointer(kind, array.text, self(node.slice))
        )

    def translate_array(self, node: ast.Subscript) -> NativeValue:
        """Array of a subscript: a value, or a table of constants of the module."""
        if isinstance(node.value, ast.Name) and node.value.id not in self.variables:
            return NativeValue("F", self.unit.declare_table(node.value.id))
        return self(node.value)

    def offset_pointer(self, kind: str, array: str, index: NativeValue) -> str:
        item = llvm_type(ITEM_KINDS[kind])
        return self.emit_value("", f"getelementptr {item}, ptr {array}, i64 {index.text}").text

    def row_pointer(self, array: NativeValue, i: NativeValue) -> str:
        """Address of a row of an array of two axes."""
        first, width = (
            self.emit_value("", f"extractvalue {{ptr, i64}} {array.text}, {k}") for k in (0, 1)
        )
        return self.offset_pointer(
            "F", first.text, self.emit_value("i", f"mul i64 {i.text}, {width.text}")
        )

    def field_pointer(self, node: ast.Attribute) -> NativeValue:
        """Address of a field of a record, with its kind."""
        record = self(node.value)
        fields = getattr(record.kind, "fields", {})
        if node.attr not in fields:
            self.raise_error(f"line {node.lineno}: no field {node.attr!r}")
        field = fields[node.attr]
        pointer = self.emit_value("", f"getelementptr i64, ptr {record.text}, i64 {field.place}")
        return NativeValue(field.kind, pointer.text)

    def translate_attribute(self, node: ast.Attribute) -> NativeValue:
        """Field of a record, for an array of two axes with its row length."""
        pointer = self.field_pointer(node)
        if pointer.kind != "FF":
            return self.emit_value(
                pointer.kind, f"load {llvm_type(pointer.kind)}, ptr {pointer.text}"
            )
        record = self(node.value)
        assert not isinstance(record.kind, str)  # it has fields
        width = ast.Attribute(
            node.value, record.kind.fields[node.attr].shape[1], lineno=node.lineno
        )
        first = self.emit_value("", f"load ptr, ptr {pointer.text}")
        part = self.emit_value("", f"insertvalue {{ptr, i64}} undef, ptr {first.text}, 0")
        return self.emit_value(
            "FF", f"insertvalue {{ptr, i64}} {part.text}, i64 {self(width).text}, 1"
        )

    def translate_subscript(self, node: ast.Subscript) -> NativeValue:
        """Element, row, or tail `x[k:]` of an array."""
        array, index = self.translate_array(node), node.slice
        if isinstance(index, ast.Slice):
            kind = array.kind if isinstance(array.kind, str) else ""
            if kind not in ITEM_KINDS or index.lower is None or index.upper or index.step:
                self.raise_error(f"line {node.lineno}: slices of arrays have the form x[k:]")
            return NativeValue(kind, self.offset_pointer(kind, array.text, self(index.lower)))
        if array.kind == "FF" and not isinstance(index, ast.Tuple):
            return NativeValue("F", self.row_pointer(array, self(index)))
        pointer = self.item_pointer(array, node)
        return self.emit_value(pointer.kind, f"load {llvm_type(pointer.kind)}, ptr {pointer.text}")

    def translate_call(self, node: ast.Call) -> NativeValue:
        """Call of a built-in, a kernel, or another function of the module."""
        name, arguments = self.read_identifier(node.func), self.read_arguments(node)
        if name in ("doubles", "longs"):
            return self.emit_value(
                "F" if name == "doubles" else "I", f"inttoptr i64 {arguments[0].text} to ptr"
            )
        if name in ("call", "call_lanes"):
            f, a, b = (
                self.emit_value("I", f"inttoptr i64 {x.text} to ptr").text
                if x.kind == "i"
                else x.text
                for x in arguments
            )
            if name == "call_lanes":
                self.emit_line(f"call void {f}(ptr {a}, ptr {b})")
                return NativeValue("", "")
            status = self.emit_value("", f"call i32 {f}(ptr {a}, ptr {b}, ptr null)")
            return self.emit_value("i", f"sext i32 {status.text} to i64")
        if name == "int":
            return self.emit_value(
                "i", f"fptosi double {self.convert_to_real(arguments[0]).text} to i64"
            )
        if name == "abs":
            return self.emit_value(
                "f", f"call double @llvm.fabs.f64(double {self.convert_to_real(arguments[0]).text})"
            )
        if name in ("min", "max"):
            x, y = arguments
            if x.kind != y.kind:
                x, y = self.convert_to_real(x), self.convert_to_real(y)
            better = self.compare_values(ast.Lt if name == "min" else ast.Gt, y, x)
            kind = llvm_type(x.kind)
            return self.emit_value(
                x.kind, f"select i1 {better.text}, {kind} {y.text}, {kind} {x.text}"
            )
        return_kind: Kind = self.unit.external_kinds.get(name)
        if return_kind is None:
            return_kind = self.unit.translate_function(
                name, tuple(x.kind for x in arguments)
            ).return_kind
        text = (
            f"call {llvm_type(return_kind or '')} @{name}("
            + ", ".join(f"{llvm_type(x.kind)} {x.text}" for x in arguments)
            + ")"
        )
        if return_kind:
            return self.emit_value(return_kind, text)
        self.emit_line(text)
        return NativeValue("", "")
