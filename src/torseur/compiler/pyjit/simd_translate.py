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

from ...errors import KernelError
from .expressions import NativeValue
from .simd_expressions import Again, LaneNumbers, head, power
from .translate import HEAD, TextUnit


def translate(
    text: str, space: Mapping, outer: Mapping[str, str], lanes: int, bodies: Mapping[str, str]
) -> str:
    """LLVM IR of the functions that `outer` names, for so many lanes; `bodies` as in `plain`.

    They take the address of a record and whole numbers, and give a whole number: of all lanes the
    largest.
    """
    unit = LaneUnit(text, space, lanes, bodies)
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
    functions = [x.text("internal ") for x in unit.made.values()]
    return "\n".join([HEAD, head(lanes), power(lanes), *unit.tables, *functions, *parts])


class LaneUnit(TextUnit):
    """A module under translation for lanes; a function is made for every combination of kinds."""

    def __init__(self, text: str, space: Mapping, lanes: int, bodies: Mapping[str, str]):
        super().__init__(text, space, bodies)
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


class Lane(LaneNumbers):
    """One function for all lanes: statements, where lanes part and meet again."""

    # statements --------------------------------------------------------------------------
    def do_return(self, node) -> None:
        x = NativeValue("", "") if node.value is None else self(node.value)
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
        first, last = given[:2] if len(given) > 1 else (NativeValue("i", "0"), given[0])
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
            self.store(hidden, self.combine(ast.Add, here, NativeValue("i", str(step))))

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
