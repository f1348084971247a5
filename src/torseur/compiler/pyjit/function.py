"""Translator of functions of restricted Python: statements become basic blocks of LLVM IR."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ...errors import KernelError
from ..codegen.llvm_builder import format_double
from ..runtime import machine
from .expressions import ExpressionTranslator, Kind, NativeValue, llvm_type
from .record import Record

MODULE_HEAD = """declare double @llvm.sqrt.f64(double)
declare double @llvm.fabs.f64(double)
declare double @torseur.pow(double, double)
"""
MAX_INLINED_LINES = 40  # lines of a function, at most, that is copied to where it is called


class FunctionTranslator(ExpressionTranslator):
    """Translation of one function: arguments, statements, result."""

    def __init__(self, unit: ModuleTranslator, node: ast.FunctionDef, kinds: tuple):
        """Translate a function for arguments of some kinds."""
        super().__init__(unit, node, machine.has_fma())
        self.kinds = kinds
        self.return_kind: Kind | None = None
        self.loops: list[tuple[str, ...]] = []
        for argument, kind in zip(node.args.args, kinds, strict=True):
            self.store_name(argument.arg, self.translate_argument(argument, kind))
        self.translate_body(node.body)
        self.return_kind = self.return_kind or ""
        if self.is_block_open:
            self.emit_line("ret void" if not self.return_kind else "unreachable")

    def translate_argument(self, node: ast.arg, kind: Kind) -> NativeValue:
        """Value of an argument.  An address annotated by a record becomes one."""
        note = node.annotation.id if isinstance(node.annotation, ast.Name) else ""
        record = self.unit.namespace.get(note)
        if kind == "i" and isinstance(record, type) and issubclass(record, Record):
            return self.emit_value(record, f"inttoptr i64 %{node.arg} to ptr")
        return NativeValue(kind, f"%{node.arg}")

    def write_function(self, linkage: str) -> str:
        """LLVM definition: the stack slots of all names, then the lines.

        LLVM promotes the slots to registers and inserts the phi nodes (mem2reg).
        """
        parameters = ", ".join(
            f"{llvm_type(k)} %{a.arg}" for a, k in zip(self.node.args.args, self.kinds, strict=True)
        )
        return_type = llvm_type(self.return_kind or "")
        attributes = " noinline" if len(self.lines) > MAX_INLINED_LINES else ""
        decorators = [x.id for x in self.node.decorator_list if isinstance(x, ast.Name)]
        attributes += " optsize" if "optsize" in decorators else ""
        allocas = [
            f"  %{name}.at = alloca {llvm_type(kind)}" for name, kind in self.variables.items()
        ]
        return "\n".join(
            [
                f"define {linkage}{return_type} @{self.node.name}({parameters}){attributes} {{",
                "entry:",
                *allocas,
                *self.lines,
                "}\n",
            ]
        )

    # statements --------------------------------------------------------------------------
    def translate_body(self, nodes: Sequence[ast.stmt]) -> None:
        for node in nodes:
            if not self.is_block_open:
                return  # after a return, nothing is reached
            self.find_translator(node)(node)

    def translate_expr(self, node: ast.Expr) -> None:
        if not isinstance(node.value, ast.Constant):
            self(node.value)

    def translate_assign(self, node: ast.Assign) -> None:
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            values = self.read_arguments(node.value)
            for name, x in zip(target.elts, values, strict=True):
                self.assign_target(name, x)
        else:
            self.assign_target(target, self(node.value))

    def assign_target(self, target: ast.expr, x: NativeValue) -> None:
        """Store a value in a name, an array element or a field."""
        if isinstance(target, ast.Name):
            self.store_name(target.id, x)
            return
        pointer = self.target_pointer(target)
        x = self.convert_to_real(x) if pointer.kind == "f" else x
        if x.kind == "b":
            x = self.emit_value("i", f"zext i1 {x.text} to i64")
        if x.kind != pointer.kind or (
            isinstance(target, ast.Attribute) and pointer.kind not in ("i", "f")
        ):
            self.raise_error(
                f"cannot store a value of kind {x.kind!r} in one of kind {pointer.kind!r}"
            )
        self.emit_line(f"store {llvm_type(x.kind)} {x.text}, ptr {pointer.text}")

    def translate_augassign(self, node: ast.AugAssign) -> None:
        self.assign_target(
            node.target, self.combine_values(type(node.op), self(node.target), self(node.value))
        )

    def translate_return(self, node: ast.Return) -> None:
        x = NativeValue("", "") if node.value is None else self(node.value)
        if self.return_kind is None:
            self.return_kind = x.kind
        if self.return_kind != x.kind:
            self.raise_error(f"it returns both {self.return_kind!r} and {x.kind!r}")
        self.emit_line(f"ret {llvm_type(x.kind)} {x.text}")
        self.is_block_open = False

    def translate_if(self, node: ast.If) -> None:
        """Blocks of both branches, joined if one of them reaches the end."""
        yes, no, end = self.create_labels("then", "else", "endif")
        self.branch_if(self(node.test), yes, no if node.orelse else end)
        reached = not node.orelse
        for label, body in ((yes, node.body), (no, node.orelse)):
            if body:
                self.start_block(label)
                self.translate_body(body)
                reached = reached or self.is_block_open
                self.branch_to(end)
        if reached:
            self.start_block(end)

    def translate_while(self, node: ast.While) -> None:
        top, body, end = self.create_labels("while", "do", "endwhile")
        self.start_block(top)
        self.branch_if(self(node.test), body, end)
        self.start_block(body)
        self.translate_loop_body(node.body, top, end)
        self.branch_to(top)
        self.start_block(end)

    def translate_loop_body(self, body: Sequence[ast.stmt], again: str, end: str) -> None:
        self.loops.append((again, end))
        self.translate_body(body)
        self.loops.pop()

    def translate_for(self, node: ast.For) -> None:
        """Loop over a range with a hidden counter.  The name may be changed."""
        bounds = self.read_arguments(node.iter)
        first, last = bounds[:2] if len(bounds) > 1 else (NativeValue("i", "0"), bounds[0])
        step = int(bounds[2].text) if len(bounds) > 2 else 1
        counter = f"for{self.count}"
        top, body, latch, end = self.create_labels("for", "each", "next", "endfor")
        self.store_name(counter, first)
        self.start_block(top)
        index = self.translate_name(ast.Name(counter))
        self.branch_if(self.compare_values(ast.Lt if step > 0 else ast.Gt, index, last), body, end)
        self.start_block(body)
        self.store_name(self.read_identifier(node.target), index)
        self.translate_loop_body(node.body, latch, end)
        self.start_block(latch)
        self.store_name(
            counter,
            self.combine_values(
                ast.Add, self.translate_name(ast.Name(counter)), NativeValue("i", str(step))
            ),
        )
        self.branch_to(top)
        self.start_block(end)

    def translate_continue(self, node: ast.Continue) -> None:
        self.branch_to(self.loops[-1][0])

    def translate_break(self, node: ast.Break) -> None:
        self.branch_to(self.loops[-1][1])


class ModuleTranslator:
    """Translation of a module: functions are translated at their first call."""

    def __init__(
        self,
        text: str,
        space: Mapping,
        bodies: Mapping[str, str] = MappingProxyType({}),
        outside: Mapping[str, str] = MappingProxyType({}),
    ):
        """Parse the text.  `bodies` replace the statements of some functions."""
        self.namespace, self.external_kinds = space, outside
        self.nodes: dict[str, ast.FunctionDef] = {}
        for x in ast.parse(text).body:
            if isinstance(x, ast.FunctionDef) and self.nodes.setdefault(x.name, x) is not x:
                raise KernelError(f"{x.name} is defined twice")
        for name, body in bodies.items():
            self.nodes[name].body = ast.parse(body).body
        self.functions: dict[str, FunctionTranslator] = {}
        self.tables: list[str] = []

    def translate_function(self, name: str, kinds: tuple) -> FunctionTranslator:
        """Function for arguments of some kinds."""
        function = self.functions.get(name)
        if function is None:
            function = FunctionTranslator(self, self.nodes[name], kinds)
            self.functions[name] = function
        if function.kinds != kinds:
            raise KernelError(f"{name} is called with {kinds!r} and with {function.kinds!r}")
        return function

    def declare_table(self, name: str) -> str:
        """Symbol of a tuple of numbers of the module, as an LLVM constant."""
        values = ", ".join(f"double {format_double(float(x))}" for x in self.namespace[name])
        line = f"@{name} = internal constant [{len(self.namespace[name])} x double] [{values}]"
        if line not in self.tables:
            self.tables.append(line)
        return f"@{name}"


def translate_module(
    text: str,
    space: Mapping,
    outer: Mapping[str, str],
    bodies: Mapping[str, str] = MappingProxyType({}),
    outside: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """LLVM IR of the functions that `outer` names, and of those that they call.

    Functions marked by `optsize` are compiled for size.  `bodies` replace those of some functions.

    >>> text = "def twice(x):\\n    return x + x"
    >>> "fadd" in translate_module(text, {}, {"twice": "f->f"})
    True
    """
    unit = ModuleTranslator(text, space, bodies, outside)
    for name, kinds in outer.items():
        argument_kinds, _, return_kind = kinds.partition("->")
        function = unit.translate_function(name, tuple(argument_kinds))
        if function.return_kind != return_kind:
            raise KernelError(f"{name} returns {function.return_kind!r}, not {return_kind!r}")
    return MODULE_HEAD + "\n".join(
        [
            *unit.tables,
            *(
                function.write_function("" if name in outer else "internal ")
                for name, function in unit.functions.items()
            ),
        ]
    )
