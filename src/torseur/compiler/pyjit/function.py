"""One function of plain text (see `plain`): its statements become lines."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ..runtime import machine
from .expressions import Expressions, Kind, NativeValue, type_of
from .record import Record

if TYPE_CHECKING:
    from .translate import TextUnit

INLINED = 40  # lines of a function, at most, that is copied to where it is called


class Function(Expressions):
    """Arguments, statements and the answer."""

    def __init__(self, unit: TextUnit, node: ast.FunctionDef, kinds: tuple):
        super().__init__(unit, node, machine.fused())
        self.kinds = kinds
        self.answer: Kind | None = None
        self.loops: list[tuple[str, ...]] = []
        for argument, kind in zip(node.args.args, kinds, strict=True):
            self.store(argument.arg, self.argument(argument, kind))
        self.body(node.body)
        self.answer = self.answer or ""
        if self.open:
            self.line("ret void" if not self.answer else "unreachable")

    def argument(self, node: ast.arg, kind) -> NativeValue:
        """What a function was given; an address that is annotated with a record is one."""
        note = node.annotation.id if isinstance(node.annotation, ast.Name) else ""
        record = self.unit.space.get(note)
        if kind == "i" and isinstance(record, type) and issubclass(record, Record):
            return self.value(record, f"inttoptr i64 %{node.arg} to ptr")
        return NativeValue(kind, f"%{node.arg}")

    def text(self, linkage: str) -> str:
        heads = ", ".join(
            f"{type_of(k)} %{a.arg}" for a, k in zip(self.node.args.args, self.kinds, strict=True)
        )
        gives = type_of(self.answer or "")
        apart = " noinline" if len(self.lines) > INLINED else ""
        marks = [x.id for x in self.node.decorator_list if isinstance(x, ast.Name)]
        apart += " optsize" if "optsize" in marks else ""
        rooms = [f"  %{name}.at = alloca {type_of(kind)}" for name, kind in self.places.items()]
        return "\n".join(
            [
                f"define {linkage}{gives} @{self.node.name}({heads}){apart} {{",
                "entry:",
                *rooms,
                *self.lines,
                "}\n",
            ]
        )

    # statements --------------------------------------------------------------------------
    def body(self, nodes) -> None:
        for node in nodes:
            if not self.open:
                return  # after a return, nothing is reached
            self.known("do_", node)(node)

    def do_expr(self, node) -> None:
        if not isinstance(node.value, ast.Constant):
            self(node.value)

    def do_assign(self, node) -> None:
        (target,) = node.targets
        if isinstance(target, ast.Tuple):
            given = [self(x) for x in node.value.elts]
            for name, x in zip(target.elts, given, strict=True):
                self.assign(name, x)
        else:
            self.assign(target, self(node.value))

    def assign(self, target, x: NativeValue) -> None:
        if isinstance(target, ast.Name):
            self.store(target.id, x)
            return
        at = self.place(target)
        x = self.real(x) if at.kind == "f" else x
        if x.kind == "b":
            x = self.value("i", f"zext i1 {x.text} to i64")
        if x.kind != at.kind or (isinstance(target, ast.Attribute) and at.kind not in ("i", "f")):
            self.fail(f"a place of kind {at.kind!r} is given {x.kind!r}")
        self.line(f"store {type_of(x.kind)} {x.text}, ptr {at.text}")

    def do_augassign(self, node) -> None:
        self.assign(node.target, self.combine(type(node.op), self(node.target), self(node.value)))

    def do_return(self, node) -> None:
        x = NativeValue("", "") if node.value is None else self(node.value)
        if self.answer is None:
            self.answer = x.kind
        if self.answer != x.kind:
            self.fail(f"it gives {self.answer!r} and {x.kind!r}")
        self.line(f"ret {type_of(x.kind)} {x.text}")
        self.open = False

    def do_if(self, node) -> None:
        yes, no, end = self.tags("then", "else", "endif")
        self.fork(self(node.test), yes, no if node.orelse else end)
        reached = not node.orelse
        for label, body in ((yes, node.body), (no, node.orelse)):
            if body:
                self.label(label)
                self.body(body)
                reached = reached or self.open
                self.go(end)
        if reached:
            self.label(end)

    def do_while(self, node) -> None:
        top, body, end = self.tags("while", "do", "endwhile")
        self.label(top)
        self.fork(self(node.test), body, end)
        self.label(body)
        self.inside(node.body, top, end)
        self.go(top)
        self.label(end)

    def inside(self, body, again: str, end: str) -> None:
        self.loops.append((again, end))
        self.body(body)
        self.loops.pop()

    def do_for(self, node) -> None:
        given = [self(x) for x in node.iter.args]
        first, last = given[:2] if len(given) > 1 else (NativeValue("i", "0"), given[0])
        step = int(given[2].text) if len(given) > 2 else 1
        hidden = f"for{self.count}"
        top, body, more, end = self.tags("for", "each", "next", "endfor")
        self.store(hidden, first)
        self.label(top)
        here = self._name(ast.Name(hidden))
        self.fork(self.compare(ast.Lt if step > 0 else ast.Gt, here, last), body, end)
        self.label(body)
        self.store(node.target.id, here)
        self.inside(node.body, more, end)
        self.label(more)
        self.store(
            hidden, self.combine(ast.Add, self._name(ast.Name(hidden)), NativeValue("i", str(step)))
        )
        self.go(top)
        self.label(end)

    def do_continue(self, node) -> None:
        self.go(self.loops[-1][0])

    def do_break(self, node) -> None:
        self.go(self.loops[-1][1])
