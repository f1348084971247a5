"""SIMD translation of restricted Python (SPMD): one run in each lane, control flow by masks.

Numbers that differ from lane to lane are vectors.  Where lanes diverge (an `if`, a `while`, a
`return` that depends on such a number) both branches run, and a mask says which lanes are active
(predication).  The numbers of a lane do not depend on other lanes.  Values are stored under a mask
by a blend with the old ones.  The store is `volatile`, because LLVM would turn it into a masked
store, which is slow on some processors.

Kinds besides those of `translate`: `vi`, `vf`, `vb` one number for each lane.  `LF`, `LI`, `LFF`
arrays with a number for each lane, number k of lane j at index k * lanes + j.  `VF`, `VI` an
address for each lane.  A record names the fields that are `shared` by all lanes.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence

from ...errors import KernelError
from .expressions import NativeValue
from .function import MODULE_HEAD, ModuleTranslator
from .simd_expressions import SimdExpressions, VaryingNameFound
from .simd_prelude import write_power, write_prelude


def translate_simd(
    text: str, space: Mapping, outer: Mapping[str, str], lanes: int, bodies: Mapping[str, str]
) -> str:
    """LLVM IR of the functions that `outer` names, for a number of lanes.  `bodies` as in `native`.

    They take the address of a record and integers, and return the largest of the integers of all
    lanes.
    """
    unit = SimdModule(text, space, lanes, bodies)
    wrappers = []
    for name, kinds in outer.items():
        argument_kinds, _, _ = kinds.partition("->")
        function = unit.translate_function(name, tuple(argument_kinds))
        parameters = ", ".join(f"i64 %a{k}" for k in range(len(argument_kinds)))
        arguments = ", ".join(f"i64 %a{k}" for k in range(len(argument_kinds)))
        every = "<" + ", ".join(["i1 true"] * lanes) + ">"
        vector = f"<{lanes} x i64>"
        wrappers.append(
            f"declare i64 @llvm.vector.reduce.smax.v{lanes}i64({vector})\n"
            f"define i64 @{name}({parameters}) {{\n"
            f"  %x = call {vector} @{function.symbol}({arguments}, <{lanes} x i1> {every})\n"
            f"  %y = call i64 @llvm.vector.reduce.smax.v{lanes}i64({vector} %x)\n"
            "  ret i64 %y\n}\n"
        )
        if function.return_kind != "vi":
            raise KernelError(
                f"{name} returns {function.return_kind!r}, not an integer for each lane"
            )
    functions = [x.write_function("internal ") for x in unit.functions.values()]
    return "\n".join(
        [MODULE_HEAD, write_prelude(lanes), write_power(lanes), *unit.tables, *functions, *wrappers]
    )


class SimdModule(ModuleTranslator):
    """Translation of a module for lanes: a function for every combination of argument kinds."""

    def __init__(self, text: str, space: Mapping, lanes: int, bodies: Mapping[str, str]):
        super().__init__(text, space, bodies)
        self.lanes = lanes
        self.functions: dict = {}

    def translate_function(self, name: str, kinds: tuple):
        """Function for arguments of some kinds.

        It is translated again until the set of names that vary from lane to lane is complete.
        """
        key = (name, kinds)
        if key not in self.functions:
            varying: set[str] = set()
            while True:
                try:
                    function = SimdFunction(self, self.nodes[name], kinds, varying)
                    break
                except VaryingNameFound:
                    continue
            function.symbol = f"{name}.{len(self.functions)}"
            self.functions[key] = function
        return self.functions[key]


def _has_exit(nodes, kinds) -> bool:
    """Whether statements leave early by one of these nodes.  Inner loops keep their own exits."""
    for node in nodes:
        if isinstance(node, kinds):
            return True
        if isinstance(node, ast.If) and (
            _has_exit(node.body, kinds) or _has_exit(node.orelse, kinds)
        ):
            return True
        if isinstance(node, ast.For | ast.While) and _has_exit(
            node.body, tuple(k for k in kinds if k is ast.Return)
        ):
            return True
    return False


class SimdFunction(SimdExpressions):
    """Statements of a function for all lanes: divergence and rejoining."""

    # statements --------------------------------------------------------------------------
    def translate_return(self, node: ast.Return) -> None:
        """Blend the result for the active lanes, and deactivate them."""
        x = NativeValue("", "") if node.value is None else self(node.value)
        exec_ = self.load_mask()
        if x.kind:
            x = self.convert_to_vector(x)
            self.return_kind = self.return_kind or x.kind
            if self.return_kind == "vf":
                x = self.convert_to_real(x)
            if x.kind != self.return_kind:
                self.raise_error(f"it returns both {self.return_kind!r} and {x.kind!r}")
            old = self.emit_value("", f"load {self.simd_type(x.kind)}, ptr %answer").text
            new = self.select_lanes(exec_, self.simd_type(x.kind), x.text, old)
            self.emit_line(f"store {self.simd_type(x.kind)} {new}, ptr %answer")
        self.store_mask(self.combine_masks("or", self.load_mask("gone"), exec_), "gone")
        self.branch_to(self.exit_label)

    def translate_if(self, node: ast.If) -> None:
        """Branch if the condition is uniform.  Else both bodies, each under its mask."""
        test = self.convert_to_bool(self(node.test))
        if test.kind == "b":
            yes, no, end = self.create_labels("then", "else", "endif")
            saved, outer, self.exit_label = self.load_mask(), self.exit_label, end
            self.branch_if(test, yes, no if node.orelse else end)
            for label, body in ((yes, node.body), (no, node.orelse)):
                if body:
                    self.start_block(label)
                    self.translate_body(body)
                    self.branch_to(end)
            self.start_block(end)
            self.exit_label = outer
            self.rejoin_lanes(saved, _has_exit([node], (ast.Return, ast.Break, ast.Continue)))
            return
        saved, outer = self.load_mask(), self.exit_label
        self.depth += 1
        for mask, body in (
            (self.combine_masks("and", saved, test.text), node.body),
            (self.exclude_lanes(saved, test.text), node.orelse),
        ):
            if body:
                yes, end = self.create_labels("then", "endif")
                self.exit_label = end
                self.store_mask(mask)
                self.branch_if(self.any_lane(mask), yes, end)
                self.start_block(yes)
                self.translate_body(body)
                self.start_block(end)
        self.depth -= 1
        self.exit_label = outer
        self.rejoin_lanes(saved, _has_exit([node], (ast.Return, ast.Break, ast.Continue)))

    def translate_while(self, node: ast.While) -> None:
        self.translate_loop(node.body, lambda: self.convert_to_bool(self(node.test)))

    def translate_for(self, node: ast.For) -> None:
        """Loop over a range that is the same for all lanes."""
        bounds = self.read_arguments(node.iter)
        if any(x.kind != "i" for x in bounds):
            self.raise_error(
                f"line {node.lineno}: the bounds of a range must be the same for all lanes"
            )
        first, last = bounds[:2] if len(bounds) > 1 else (NativeValue("i", "0"), bounds[0])
        step = int(bounds[2].text) if len(bounds) > 2 else 1
        counter = f"for{self.count}"
        self.store_name(counter, first)

        def write_test():
            index = self.translate_name(ast.Name(counter))
            return self.compare_values(ast.Lt if step > 0 else ast.Gt, index, last)

        def start_iteration():
            index = self.translate_name(ast.Name(counter))
            name = self.read_identifier(node.target)
            self.variables.setdefault(name, "i")
            if self.variables[name] != "i":
                self.raise_error(f"{name} is the same for all lanes and varies between lanes")
            self.emit_line(f"store i64 {index.text}, ptr %{name}.at")

        def advance_counter():
            index = self.translate_name(ast.Name(counter))
            self.store_name(
                counter, self.combine_values(ast.Add, index, NativeValue("i", str(step)))
            )

        self.translate_loop(node.body, write_test, start_iteration, advance_counter)

    def translate_loop(
        self,
        body: Sequence[ast.stmt],
        write_test: Callable[[], NativeValue],
        start_iteration: Callable[[], None] | None = None,
        advance_counter: Callable[[], None] | None = None,
    ) -> None:
        """Loop whose lanes may leave it one by one.  A uniform condition needs no mask."""
        top, body_label, latch, end = self.create_labels("while", "do", "again", "endwhile")
        saved, exit_label = self.load_mask(), self.exit_label
        diverges = _has_exit(body, (ast.Break, ast.Continue))
        has_mask = diverges or start_iteration is None
        active, continued = (
            (self.create_mask(x) for x in ("active", "left")) if has_mask else ("", "")
        )
        returns = _has_exit(body, (ast.Return,))
        if has_mask:
            self.store_mask(saved, active)
            self.depth += 1
        self.start_block(top)
        if has_mask:
            mask = self.exclude_lanes(self.load_mask(active), self.load_mask("gone"))
            self.store_mask("zeroinitializer", continued)
        else:
            mask = self.exclude_lanes(saved, self.load_mask("gone")) if returns else saved
        self.store_mask(mask)
        if has_mask or returns:
            (entry_label,) = self.create_labels("go")
            self.branch_if(self.any_lane(mask), entry_label, end)
            self.start_block(entry_label)
        condition = write_test()
        if condition.kind == "vb":
            mask = self.combine_masks("and", mask, condition.text)
            self.store_mask(mask, active)
            self.store_mask(mask)
            condition = self.any_lane(mask)
        self.branch_if(condition, body_label, end)
        self.start_block(body_label)
        if start_iteration is not None:
            start_iteration()
        self.loops.append((latch, end, active, continued))
        self.exit_label = latch
        self.translate_body(body)
        self.exit_label = exit_label
        self.loops.pop()
        self.start_block(latch)
        if advance_counter is not None:
            advance_counter()
        self.branch_to(top)
        self.start_block(end)
        if has_mask:
            self.depth -= 1
        self.rejoin_lanes(saved, returns)

    def translate_continue(self, node: ast.Continue) -> None:
        _, _, _, left = self.loops[-1]
        self.store_mask(self.combine_masks("or", self.load_mask(left), self.load_mask()), left)
        self.branch_to(self.exit_label)

    def translate_break(self, node: ast.Break) -> None:
        _, _, active, _ = self.loops[-1]
        self.store_mask(self.exclude_lanes(self.load_mask(active), self.load_mask()), active)
        self.branch_to(self.exit_label)
