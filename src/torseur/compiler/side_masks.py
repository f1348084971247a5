"""Functions of text in lanes (see `side`): names, masks, numbers of all lanes."""

from __future__ import annotations

import ast

from .plain_expressions import NativeValue
from .plain_function import Function

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

    def text(self, linkage: str, seldom: bool = False) -> str:
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
