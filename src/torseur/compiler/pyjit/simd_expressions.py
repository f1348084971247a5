"""Expressions and masks of SIMD functions: vectors, blends, gather and scatter of lanes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .expressions import Kind

if TYPE_CHECKING:
    from .simd_translate import SimdModule

import ast
from typing import Any

from ..codegen.llvm_builder import format_double
from .expressions import COMPARISONS, INTEGER_OPS, REAL_OPS, NativeValue
from .function import FunctionTranslator
from .simd_prelude import LANE_COPIES

BUILTINS = ("int", "abs", "min", "max", "doubles", "longs")


class VaryingNameFound(Exception):
    """A name turned out to vary from lane to lane: the function is translated again."""


class MaskedFunction(FunctionTranslator):
    """Function for all lanes: its masks, and conversions of scalars to vectors.

    `%exec` is the mask of active lanes, `%gone` the mask of lanes that have returned.
    """

    def __init__(self, unit: SimdModule, node: ast.FunctionDef, kinds: tuple, varying: set[str]):
        """Translate a function; `varying` are names that vary from lane to lane."""
        self.lanes, self.varying, self.depth = unit.lanes, varying, 0
        n = self.lanes
        self.types = {
            "vi": f"<{n} x i64>", "vf": f"<{n} x double>", "vb": f"<{n} x i1>",
            "VF": f"<{n} x ptr>", "VI": f"<{n} x ptr>", "LFF": "{ptr, i64}",
            "i": "i64", "f": "double", "b": "i1", "": "void", "FF": "{ptr, i64}",
        }  # fmt: skip
        self.symbol = node.name
        self.masks: list[str] = []
        self.exit_label = "finish"  # label when no lane is active any more
        super().__init__(unit, node, kinds)

    def simd_type(self, kind: Kind) -> str:
        return self.types.get(kind, "ptr") if isinstance(kind, str) else "ptr"

    def translate_body(self, nodes: Sequence[ast.stmt]) -> None:
        """Statements.  Of the whole function with entry, exit, and result."""
        if nodes is self.node.body:
            bits = self.types["vb"]
            self.emit_line(f"store {bits} %mask, ptr %exec")
            self.emit_line(f"store {bits} zeroinitializer, ptr %gone")
            super().translate_body(nodes)
            if self.is_block_open:
                self.branch_to("finish")
            self.lines.append("finish:")
            self.is_block_open = False
            self.result_kind = self.return_kind or ""
            if self.result_kind:
                result = self.emit_value(
                    self.result_kind,
                    f"load {self.simd_type(self.result_kind)}, ptr %answer",
                )
                self.emit_line(f"ret {self.simd_type(self.result_kind)} {result.text}")
            else:
                self.emit_line("ret void")
        else:
            super().translate_body(nodes)

    def write_function(self, linkage: str) -> str:
        """LLVM definition: stack slots of names and masks, then the lines."""
        parameters = [
            f"{self.simd_type(k)} %{a.arg}"
            for a, k in zip(self.node.args.args, self.kinds, strict=True)
        ]
        bits = self.types["vb"]
        allocas = [
            f"  %{name}.at = alloca {self.simd_type(kind)}" for name, kind in self.variables.items()
        ]
        allocas += [f"  %{name} = alloca {bits}" for name in ("exec", "gone", *self.masks)]
        if self.result_kind:
            allocas.append(f"  %answer = alloca {self.simd_type(self.result_kind)}")
        signature = ", ".join([*parameters, f"{bits} %mask"])
        return "\n".join(
            [
                f"define {linkage}{self.simd_type(self.result_kind)} "
                f"@{self.symbol}({signature}) {{",
                "entry:",
                *allocas,
                *self.lines,
                "}\n",
            ]
        )

    # masks -------------------------------------------------------------------------------
    def load_mask(self, name: str = "exec") -> str:
        return self.emit_value("vb", f"load {self.types['vb']}, ptr %{name}").text

    def store_mask(self, x: str, name: str = "exec") -> None:
        self.emit_line(f"store {self.types['vb']} {x}, ptr %{name}")

    def combine_masks(self, op: str, a: str, b: str) -> str:
        return self.emit_value("vb", f"{op} {self.types['vb']} {a}, {b}").text

    def exclude_lanes(self, a: str, b: str) -> str:
        """Lanes of one mask that are not in another."""
        every = "<" + ", ".join(["i1 true"] * self.lanes) + ">"
        return self.combine_masks("and", a, self.combine_masks("xor", b, every))

    def any_lane(self, mask: str) -> NativeValue:
        bits = self.emit_value("", f"bitcast {self.types['vb']} {mask} to i{self.lanes}").text
        return self.emit_value("b", f"icmp ne i{self.lanes} {bits}, 0")

    def create_mask(self, name: str) -> str:
        self.count += 1
        name = f"{name}.{self.count}"
        self.masks.append(name)
        return name

    def rejoin_lanes(self, saved: str, has_exits: bool) -> None:
        """Reactivate the lanes of a mask that have not left.  Branch if there are none."""
        mask = saved
        if has_exits:
            mask = self.exclude_lanes(mask, self.load_mask("gone"))
            if self.loops and self.loops[-1][2]:
                mask = self.combine_masks("and", mask, self.load_mask(self.loops[-1][2]))
                mask = self.exclude_lanes(mask, self.load_mask(self.loops[-1][3]))
        self.store_mask(mask)
        if has_exits:
            (active_block,) = self.create_labels("here")
            self.branch_if(self.any_lane(mask), active_block, self.exit_label)
            self.start_block(active_block)

    # kinds -------------------------------------------------------------------------------
    def splat_scalar(self, kind: str, text: str) -> str:
        """Vector of a scalar in every lane."""
        n = self.lanes
        if not text.startswith("%"):
            return "<" + ", ".join([f"{kind} {text}"] * n) + ">"
        one = self.emit_value("", f"insertelement <{n} x {kind}> undef, {kind} {text}, i64 0").text
        return self.emit_value(
            "", f"shufflevector <{n} x {kind}> {one}, <{n} x {kind}> undef, <{n} x i32> "
            "zeroinitializer",
        ).text  # fmt: skip

    def convert_to_vector(self, x: NativeValue) -> NativeValue:
        """Value as one number for each lane."""
        if x.kind in ("i", "f", "b"):
            return NativeValue("v" + x.kind, self.splat_scalar(self.types[x.kind], x.text))
        return x

    def convert_to_real(self, x: NativeValue) -> NativeValue:
        """Value as double, uniform or for each lane."""
        if x.kind == "vf":
            return x
        if x.kind == "vi":
            return self.emit_value(
                "vf", f"sitofp {self.types['vi']} {x.text} to {self.types['vf']}"
            )
        return super().convert_to_real(x)

    def convert_to_bool(self, x: NativeValue) -> NativeValue:
        """Value as truth value, uniform or for each lane."""
        if x.kind == "vb":
            return x
        if x.kind == "vi":
            return self.emit_value("vb", f"icmp ne {self.types['vi']} {x.text}, zeroinitializer")
        if x.kind == "vf":
            return self.emit_value("vb", f"fcmp une {self.types['vf']} {x.text}, zeroinitializer")
        return super().convert_to_bool(x)

    def convert_both(self, a: NativeValue, b: NativeValue) -> tuple[NativeValue, NativeValue]:
        return self.convert_to_vector(a), self.convert_to_vector(b)

    def store_name(self, name: str, x: NativeValue) -> None:
        """Store a name, blended with the old value in lanes that are not active."""
        number = x.kind in ("i", "f", "b", "vi", "vf", "vb")
        loop = name.startswith("for")
        if number and name in self.varying:
            x = self.convert_to_vector(x)
        elif number and not loop and (x.kind[0] == "v" or self.depth):
            self.mark_varying(name)
        kind = self.variables.setdefault(name, x.kind)
        if kind in ("f", "vf"):
            x = self.convert_to_real(x)
        if x.kind != kind:
            self.raise_error(f"{name} is {kind!r} and {x.kind!r}")
        new = x.text
        if self.depth and kind in ("vi", "vf", "vb", "VF", "VI"):
            old = self.emit_value("", f"load {self.simd_type(kind)}, ptr %{name}.at").text
            new = self.select_lanes(self.load_mask(), self.simd_type(kind), new, old)
        self.emit_line(f"store {self.simd_type(kind)} {new}, ptr %{name}.at")

    def select_lanes(self, mask: str, kind: str, new: str, old: str) -> str:
        return self.emit_value(
            "", f"select {self.types['vb']} {mask}, {kind} {new}, {kind} {old}"
        ).text

    def mark_varying(self, name: str) -> None:
        self.varying.add(name)
        raise VaryingNameFound


SIMD_ITEM_KINDS = {"F": "f", "I": "i", "P": "LF", "LF": "vf", "LI": "vi", "VF": "vf", "VI": "vi"}


def _calls_functions(node) -> bool:
    """Whether an expression calls functions of the module."""
    calls = (x.func for x in ast.walk(node) if isinstance(x, ast.Call))
    return any(isinstance(f, ast.Name) and f.id not in BUILTINS for f in calls)


class SimdExpressions(MaskedFunction):
    """Expressions of a function for all lanes."""

    # expressions -------------------------------------------------------------------------
    def translate_name(self, node: ast.Name) -> NativeValue:
        if node.id in self.variables:
            kind = self.variables[node.id]
            return self.emit_value(kind, f"load {self.simd_type(kind)}, ptr %{node.id}.at")
        return self.translate_constant(ast.Constant(self.unit.namespace[node.id]))

    def translate_unaryop(self, node: ast.UnaryOp) -> NativeValue:
        """Negation or `not`, in lanes."""
        x = self(node.operand)
        if x.kind[0] != "v":
            return super().translate_unaryop(node)
        if isinstance(node.op, ast.Not):
            return NativeValue(
                "vb",
                self.exclude_lanes(self.splat_scalar("i1", "true"), self.convert_to_bool(x).text),
            )
        if x.kind == "vi":
            return self.emit_value("vi", f"sub {self.types['vi']} zeroinitializer, {x.text}")
        return self.emit_value("vf", f"fneg {self.types['vf']} {x.text}")

    def combine_values(self, op: type[ast.operator], a: NativeValue, b: NativeValue) -> NativeValue:
        """Arithmetic of two values, uniform or in lanes."""
        if a.kind[0] != "v" and b.kind[0] != "v":
            return super().combine_values(op, a, b)
        if op is ast.Pow:
            return self.raise_to_power(
                self.convert_to_vector(self.convert_to_real(a)), self.convert_to_real(b)
            )
        if a.kind[-1] == b.kind[-1] == "i" and op in INTEGER_OPS:
            a, b = self.convert_both(a, b)
            return self.emit_value("vi", f"{INTEGER_OPS[op]} {self.types['vi']} {a.text}, {b.text}")
        a, b = self.convert_both(self.convert_to_real(a), self.convert_to_real(b))
        return self.emit_value(
            "vf", f"{REAL_OPS[op]}{self.contract_flag} {self.types['vf']} {a.text}, {b.text}"
        )

    def raise_to_power(self, a: NativeValue, b: NativeValue) -> NativeValue:
        """Power of positive numbers in lanes.  A root for the exponent 0.5."""
        kind = self.types["vf"]
        if b.text == format_double(0.5):
            return self.emit_value(
                "vf", f"call {kind} @llvm.sqrt.v{self.lanes}f64({kind} {a.text})"
            )
        return self.emit_value(
            "vf", f"call {kind} @power({kind} {a.text}, {kind} {self.convert_to_vector(b).text})"
        )

    def compare_values(self, op: type[ast.cmpop], a: NativeValue, b: NativeValue) -> NativeValue:
        """Comparison, uniform or in lanes."""
        if a.kind[0] != "v" and b.kind[0] != "v":
            return super().compare_values(op, a, b)
        integer_predicate, real_predicate = COMPARISONS[op]
        if a.kind[-1] == b.kind[-1] and a.kind[-1] in "ib":
            a, b = self.convert_both(a, b)
            return self.emit_value(
                "vb", f"icmp {integer_predicate} {self.simd_type(a.kind)} {a.text}, {b.text}"
            )
        a, b = self.convert_both(self.convert_to_real(a), self.convert_to_real(b))
        return self.emit_value("vb", f"fcmp {real_predicate} {self.types['vf']} {a.text}, {b.text}")

    def translate_boolop(self, node: ast.BoolOp) -> NativeValue:
        """`and` and `or`: later operands are evaluated under a mask.

        Operands without calls are evaluated in all lanes.
        """
        is_and, saved = isinstance(node.op, ast.And), self.load_mask()
        value = self.convert_to_bool(self(node.values[0]))
        for x in node.values[1:]:
            if value.kind == "b":
                if _calls_functions(x):
                    value = self.convert_to_vector(value)
                else:
                    new = self.convert_to_bool(self(x))
                    if new.kind == "vb":
                        value = self.convert_to_vector(value)
                    op = "and" if is_and else "or"
                    value = self.emit_value(
                        new.kind, f"{op} {self.simd_type(new.kind)} {value.text}, {new.text}"
                    )
                    continue
            mask = (
                self.combine_masks("and", saved, value.text)
                if is_and
                else self.exclude_lanes(saved, value.text)
            )
            value = self.translate_operand(x, mask, value, is_and)
        self.store_mask(saved)
        return value

    def translate_operand(
        self, node: ast.expr, mask: str, value: NativeValue, is_and: bool
    ) -> NativeValue:
        """Next operand of an `and` or an `or`, in the lanes of a mask."""
        self.store_mask(mask)
        if not _calls_functions(node):
            new = self.convert_to_vector(self.convert_to_bool(self(node)))
            return NativeValue(
                "vb", self.combine_masks("and" if is_and else "or", value.text, new.text)
            )
        slot = self.create_mask("bool")
        self.store_mask(value.text, slot)
        next_label, end = self.create_labels("more", "known")
        self.branch_if(self.any_lane(mask), next_label, end)
        self.start_block(next_label)
        self.depth += 1
        new = self.convert_to_vector(self.convert_to_bool(self(node)))
        self.depth -= 1
        both = self.combine_masks("and" if is_and else "or", self.load_mask(slot), new.text)
        old = self.load_mask(slot)
        self.store_mask(self.select_lanes(mask, self.types["vb"], both, old), slot)
        self.start_block(end)
        return NativeValue("vb", self.load_mask(slot))

    def translate_ifexp(self, node: ast.IfExp) -> NativeValue:
        """Conditional expression: a blend, or branches under masks if it has calls."""
        test = self.convert_to_bool(self(node.test))
        if test.kind == "b" and not _calls_functions(node):
            x, y = self(node.body), self(node.orelse)
            if x.kind != y.kind:
                x, y = (
                    (self.convert_to_real(x), self.convert_to_real(y))
                    if "f" in (x.kind + y.kind)
                    else (x, y)
                )
                x, y = self.convert_both(x, y) if x.kind != y.kind else (x, y)
            kind = self.simd_type(x.kind)
            return self.emit_value(
                x.kind, f"select i1 {test.text}, {kind} {x.text}, {kind} {y.text}"
            )
        test = self.convert_to_vector(test)
        saved, name = self.load_mask(), f"if{self.count}"
        if not _calls_functions(node):
            x, y = self(node.body), self(node.orelse)
            if "f" in x.kind + y.kind:
                x, y = self.convert_to_real(x), self.convert_to_real(y)
            x, y = self.convert_both(x, y)
            return NativeValue(
                x.kind, self.select_lanes(test.text, self.simd_type(x.kind), x.text, y.text)
            )
        self.varying.add(name)
        self.depth += 1
        for mask, branch in (
            (self.combine_masks("and", saved, test.text), node.body),
            (self.exclude_lanes(saved, test.text), node.orelse),
        ):
            yes, end = self.create_labels("yes", "end")
            self.store_mask(mask)
            self.branch_if(self.any_lane(mask), yes, end)
            self.start_block(yes)
            self.store_name(name, self.convert_to_vector(self(branch)))
            self.start_block(end)
        self.depth -= 1
        self.store_mask(saved)
        return self.translate_name(ast.Name(name))

    # arrays ------------------------------------------------------------------------------
    def field_pointer(self, node: ast.Attribute) -> NativeValue:
        """Address of a field of a record, with its kind."""
        record = self(node.value)
        fields = getattr(record.kind, "fields", {})
        if node.attr not in fields:
            self.raise_error(f"line {node.lineno}: no field {node.attr!r}")
        field = fields[node.attr]
        pointer = self.emit_value(
            "", f"getelementptr i64, ptr {record.text}, i64 {field.place}"
        ).text
        if node.attr in record.kind.shared:
            return NativeValue(field.kind, pointer)
        if field.kind in ("i", "f"):
            return NativeValue(
                "v" + field.kind, self.emit_value("", f"load ptr, ptr {pointer}").text
            )
        return NativeValue("L" + field.kind, pointer)

    def translate_attribute(self, node: ast.Attribute) -> NativeValue:
        """Field of a record, for an array of two axes with its row length."""
        pointer = self.field_pointer(node)
        if pointer.kind not in ("FF", "LFF"):
            align = ", align 8" if pointer.kind in ("vi", "vf") else ""
            return self.emit_value(
                pointer.kind, f"load {self.simd_type(pointer.kind)}, ptr {pointer.text}{align}"
            )
        record = self(node.value)
        width = ast.Attribute(
            node.value, record.kind.fields[node.attr].shape[1], lineno=node.lineno
        )
        first = self.emit_value("", f"load ptr, ptr {pointer.text}")
        part = self.emit_value("", f"insertvalue {{ptr, i64}} undef, ptr {first.text}, 0")
        size = self(width)
        return self.emit_value(
            pointer.kind, f"insertvalue {{ptr, i64}} {part.text}, i64 {size.text}, 1"
        )

    def row_pointer(self, array: NativeValue, i: NativeValue):
        """Row of an array of two axes."""
        first, width = (
            self.emit_value("", f"extractvalue {{ptr, i64}} {array.text}, {k}") for k in (0, 1)
        )
        offset = self.combine_values(ast.Mult, i, NativeValue("i", width.text))
        return self.advance_array(NativeValue(array.kind[:-1], first.text), offset)

    def advance_array(self, array: NativeValue, k: NativeValue) -> NativeValue:
        """The array from element k on.  K may vary from lane to lane."""
        if array.kind in ("LF", "LI"):
            if k.kind == "i":
                k = self.combine_values(ast.Mult, k, NativeValue("i", str(self.lanes)))
                pointer = self.emit_value("", f"getelementptr i64, ptr {array.text}, i64 {k.text}")
                return NativeValue(array.kind, pointer.text)
            each = "<" + ", ".join(f"i64 {j}" for j in range(self.lanes)) + ">"
            k = self.combine_values(ast.Mult, k, NativeValue("i", str(self.lanes)))
            k = self.emit_value("vi", f"add {self.types['vi']} {k.text}, {each}")
            pointer = self.emit_value(
                "", f"getelementptr i64, ptr {array.text}, {self.types['vi']} {k.text}"
            )
            return NativeValue("V" + array.kind[1], pointer.text)
        if array.kind in ("VF", "VI"):
            k = self.convert_to_vector(k)
            vector = f"<{self.lanes} x ptr>"
            pointer = self.emit_value(
                "", f"getelementptr i64, {vector} {array.text}, {self.types['vi']} {k.text}"
            )
            return NativeValue(array.kind, pointer.text)
        if k.kind == "i":
            pointer = self.emit_value("", f"getelementptr i64, ptr {array.text}, i64 {k.text}")
            return NativeValue(array.kind, pointer.text)
        pointer = self.emit_value(
            "", f"getelementptr i64, ptr {array.text}, {self.types['vi']} {k.text}"
        )
        return NativeValue("V" + array.kind, pointer.text)

    def item_pointer(self, array: NativeValue, node: ast.Subscript) -> NativeValue:
        """The array that starts at an element."""
        if array.kind in ("FF", "LFF"):
            i, j = self.read_arguments(node.slice)
            return self.advance_array(self.row_pointer(array, i), j)
        if array.kind not in SIMD_ITEM_KINDS:
            self.raise_error(f"line {node.lineno}: only arrays have items")
        return self.advance_array(array, self(node.slice))

    def translate_subscript(self, node: ast.Subscript) -> NativeValue:
        array, index = self.translate_array(node), node.slice
        if isinstance(index, ast.Slice):
            return self.advance_array(array, self(index.lower or ast.Constant(0)))
        if array.kind in ("FF", "LFF") and not isinstance(index, ast.Tuple):
            return self.row_pointer(array, self(index))
        return self.load_item(self.item_pointer(array, node))

    def load_item(self, pointer: NativeValue) -> NativeValue:
        """First element of an array."""
        kind = SIMD_ITEM_KINDS[pointer.kind]
        if pointer.kind in ("VF", "VI"):
            return self.gather_lanes(pointer, kind)
        align = ", align 8" if kind[0] == "v" else ""
        return self.emit_value(kind, f"load {self.simd_type(kind)}, ptr {pointer.text}{align}")

    def lane_pointers(self, pointer: NativeValue) -> list[str]:
        """Address of each lane.  A dummy where the lane is not active."""
        vector = f"<{self.lanes} x ptr>"
        safe = self.select_lanes(
            self.load_mask(), vector, pointer.text, self.splat_scalar("ptr", "@nowhere")
        )
        return [
            self.emit_value("", f"extractelement {vector} {safe}, i64 {j}").text
            for j in range(self.lanes)
        ]

    def gather_lanes(self, pointer: NativeValue, kind: str) -> NativeValue:
        """Vector of the numbers at the addresses of the lanes."""
        one, x = self.types[kind[1]], "undef"
        for j, lane_pointer in enumerate(self.lane_pointers(pointer)):
            y = self.emit_value("", f"load {one}, ptr {lane_pointer}").text
            x = self.emit_value(
                "", f"insertelement {self.simd_type(kind)} {x}, {one} {y}, i64 {j}"
            ).text
        return NativeValue(kind, x)

    def assign_target(self, target: ast.expr, x: NativeValue) -> None:
        """Store a value in a name, a field or an element, in the active lanes."""
        if isinstance(target, ast.Name):
            self.store_name(target.id, x)
            return
        if isinstance(target, ast.Attribute):
            pointer = self.field_pointer(target)
            if pointer.kind not in ("vi", "vf"):
                self.raise_error(f"line {target.lineno}: {target.attr} is shared by all lanes")
            kind, scattered = pointer.kind, False
        else:
            if not isinstance(target, ast.Subscript):
                self.raise_error(f"line {target.lineno}: expected an array element or a field")
            pointer = self.item_pointer(self.translate_array(target), target)
            kind, scattered = SIMD_ITEM_KINDS[pointer.kind], pointer.kind in ("VF", "VI")
        if kind == "LF":  # tables of addresses, the same for all lanes
            self.emit_line(f"store ptr {x.text}, ptr {pointer.text}")
            return
        if kind[0] != "v":
            self.raise_error(f"line {target.lineno}: a value that all lanes share cannot be stored")
        x = self.convert_to_vector(self.convert_to_real(x) if kind == "vf" else x)
        if x.kind == "vb":
            x = self.emit_value("vi", f"zext {self.types['vb']} {x.text} to {self.types['vi']}")
        if x.kind != kind:
            self.raise_error(f"cannot store a value of kind {x.kind!r} in one of kind {kind!r}")
        if scattered:
            for j, lane_pointer in enumerate(self.lane_pointers(pointer)):
                one = self.types[kind[1]]
                y = self.emit_value(
                    "", f"extractelement {self.simd_type(kind)} {x.text}, i64 {j}"
                ).text
                self.emit_line(f"store {one} {y}, ptr {lane_pointer}")
            return
        old = self.emit_value("", f"load {self.simd_type(kind)}, ptr {pointer.text}, align 8").text
        new = self.select_lanes(self.load_mask(), self.simd_type(kind), x.text, old)
        self.emit_line(f"store volatile {self.simd_type(kind)} {new}, ptr {pointer.text}, align 8")

    # calls -------------------------------------------------------------------------------
    def translate_call(self, node: ast.Call) -> NativeValue:
        """Call of a built-in, a kernel, or a function for arguments of these kinds."""
        name, arguments = self.read_identifier(node.func), self.read_arguments(node)
        vi, vf = self.types["vi"], self.types["vf"]
        if name == "call":
            f = self.emit_value("", f"inttoptr i64 {arguments[0].text} to ptr").text
            return self.emit_value(
                "vi",
                f"call {vi} @call(ptr {f}, ptr {arguments[1].text}, ptr {arguments[2].text}, "
                f"{self.types['vb']} {self.load_mask()})",
            )
        if name == "int" and arguments[0].kind[0] == "v":
            return self.emit_value(
                "vi", f"fptosi {vf} {self.convert_to_real(arguments[0]).text} to {vi}"
            )
        if name == "abs" and arguments[0].kind[0] == "v":
            x = self.convert_to_real(arguments[0]).text
            return self.emit_value("vf", f"call {vf} @llvm.fabs.v{self.lanes}f64({vf} {x})")
        if name in ("min", "max") and any(x.kind[0] == "v" for x in arguments):
            a, b = arguments
            if a.kind[-1] != b.kind[-1]:
                a, b = self.convert_to_real(a), self.convert_to_real(b)
            a, b = self.convert_both(a, b)
            better = self.compare_values(ast.Lt if name == "min" else ast.Gt, b, a)
            return NativeValue(
                a.kind, self.select_lanes(better.text, self.simd_type(a.kind), b.text, a.text)
            )
        if name in BUILTINS:
            return super().translate_call(node)
        kinds = tuple(x.kind for x in arguments)
        if name == "copy_array" and kinds in LANE_COPIES:
            args = ", ".join(f"{self.simd_type(x.kind)} {x.text}" for x in arguments)
            symbol = LANE_COPIES[kinds]
            self.emit_line(f"call void @{symbol}({args}, {self.types['vb']} {self.load_mask()})")
            return NativeValue("", "")
        function: Any = self.unit.translate_function(name, kinds)
        operands = [f"{self.simd_type(x.kind)} {x.text}" for x in arguments]
        operands.append(f"{self.types['vb']} {self.load_mask()}")
        text = (
            f"call {self.simd_type(function.result_kind)} @{function.symbol}({', '.join(operands)})"
        )
        if function.result_kind:
            return self.emit_value(function.result_kind, text)
        self.emit_line(text)
        return NativeValue("", "")
