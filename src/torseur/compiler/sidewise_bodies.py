"""Lines of the stages of a `Sidewise` kernel: of lanes, of pairs of lanes."""

from __future__ import annotations

from .body import KernelBody
from .order import cone, roots
from .program import Program
from .sidewise import Pairs, Rim
from .text import Lines, transposed


def at(t: Lines, base: str, place: str | int, kind: str = "double") -> str:
    return t.value(f"getelementptr {kind}, ptr {base}, i64 {place}")


class Beside(KernelBody):
    """A program of one lane, for a vector of them; of ports in `shared` all have the same."""

    def __init__(
        self,
        program: Program,
        width: int,
        fused: bool,
        stride: int,
        shared: tuple[str, ...] = (),
        step: int = 1,
    ):
        """`step`: from one number that is shared to the next."""
        super().__init__(program, width, width, fused)
        self.stride, self.blocks = stride, False
        self.shared, self.step = shared, step

    def _constant(self, x: float) -> str:
        return self.t.const(x)

    def real(self, r: int) -> str:
        if self.program.nodes[r >> 1][0] == "input":
            self.names.pop(r >> 1, None)  # read anew: part of the instruction that uses it
        return super().real(r)

    def load(self, k: int) -> str:
        _, port, element = self.program.nodes[k]
        if self.program.inputs[port].name in self.shared:
            place = self.at(f"%i{port}", element * self.step)
            x = self.t.value(f"load double, ptr {place}, align 8")
            return everywhere(self.t, x, self.width)
        return self.t.load(self.at(f"%i{port}", element * self.stride), self._align)

    def _show(self, k: int) -> None:
        for port, element, sign in self.shown.pop(k):
            place = self.at(f"%o{port}", element * self.stride)
            self.t.store(self.real(2 * k | sign), place, self._align)


class RoutineColumns(Beside):
    """A routine for columns side by side: they differ in the last array, and share the others."""

    def __init__(self, program: Program, width: int, lanes: int, fused: bool):
        shared = tuple(p.name for p in program.inputs[:-1])
        super().__init__(program, width, fused, width, shared)
        self.blocks, self.room = True, 8 * min(width, lanes)

    @property
    def _align(self) -> int:
        return self.room


class PairBody(Beside):
    """A program of one pair, for a vector of others and one of the ones after the other."""

    def __init__(self, stage: Pairs, width: int, fused: bool, stride: int):
        super().__init__(stage.program, width, fused, stride)
        self.here: dict[int, str] = {}
        self.one = self.to = self.mask = self.inside_row = self.low = ""
        heads = ["ptr noalias readonly %there", "ptr noalias readonly %here", "ptr noalias %low"]
        heads += [f"ptr noalias %o{k}" for k in range(len(stage.rows))]
        self.heads = ", ".join([*heads, "ptr noalias readonly %table", "i64 %count"])

    def write(self) -> str:
        program, t, w = self.program, self.t, self.width
        t.label("entry")
        for k, node in enumerate(program.nodes):
            if node[0] == "input" and node[1] == 1:
                self.here[k] = t.load(self.at("%here", node[2] * self.stride), self._align)
        with t.loop("%count") as c:
            row = at(t, "%table", t.value(f"mul i64 {c}, 4"), "i32")
            one, to, bits, row_bits = (
                t.value(f"load i32, ptr {at(t, row, k, 'i32')}, align 4") for k in range(4)
            )
            self.one = at(t, "%there", t.cast("zext", one, "i32", "i64"), "i8")
            self.to = t.cast("zext", to, "i32", "i64")
            self.mask, self.inside_row = (
                t.cast("bitcast", t.cast("trunc", x, "i32", f"i{w}"), f"i{w}", t.bit)
                for x in (bits, row_bits)
            )
            many = w * sum(p.size for p in program.outputs[1:])
            self.low = at(t, "%low", t.value(f"mul i64 {c}, {many}"))
            done = [False] * len(program.nodes)
            for root in roots(program):
                for k in cone(program, root, done):
                    self.node(k)
        t.line("ret void")
        return str(t)

    def load(self, k: int) -> str:
        if k in self.here:
            return self.here[k]
        t, element = self.t, self.program.nodes[k][2]
        x = t.value(f"load double, ptr {self.at(self.one, element * self.stride)}, align 8")
        return everywhere(t, x, self.width)

    def _show(self, k: int) -> None:
        t = self.t
        for port, element, sign in self.shown.pop(k):
            x = self.real(2 * k | sign)
            if port:
                t.store(x, self.at(self.low, element * self.width), self._align)
                continue
            where, x = at(t, f"%o{element}", self.to, "i8"), t.select(self.mask, x, t.const(0.0))
            t.line(
                f"call void @llvm.masked.store.{t.suffix}.p0"
                f"({t.real} {x}, ptr {where}, i32 8, {t.bit} {self.inside_row})"
            )

    def declarations(self) -> str:
        return super().declarations() + masked_store(self.t)


class RimBody(Beside):
    """A program of one lane whose numbers go to the first rows and columns of matrices, or to one
    of both: in `sides` the numbers of outputs."""

    def __init__(self, stage: Rim, width: int, fused: bool, size: tuple, sides: tuple[int, ...]):
        """`size`: lanes that arrays have room for, and numbers in a row of a matrix."""
        super().__init__(stage.program, width, fused, size[0], stage.first, size[0])
        self.stage, self.size, self.sides = stage, size[1], sides
        self.low: dict[int, str] = {}
        names = [f"%i{k}" for k in range(len(stage.program.inputs))]
        heads = [f"ptr noalias readonly {x}" for x in names]
        heads += [f"ptr noalias %o{k}" for k in range(len(stage.matrices))]
        self.heads = ", ".join([*heads, "i64 %lane"])

    def write(self) -> str:
        t = self.t
        t.label("entry")
        self.every()
        for matrix in range(len(self.stage.matrices) if 1 in self.sides else 0):
            self._columns(matrix)
        t.line("ret void")
        return str(t)

    def _show(self, k: int) -> None:
        """Rows at once, whole vectors: what is written too far is written again after it."""
        t, many = self.t, self.stage.count
        for port, element, sign in self.shown.pop(k):
            x = self.real(2 * k | sign)
            if port:
                self.low[element] = x
            if port or 0 not in self.sides:
                continue
            row = self.at(f"%o{element // many}", element % many * self.size)
            t.store(x, at(t, row, "%lane"), 8)

    def _columns(self, matrix: int) -> None:
        """A square tile at a time; lanes beyond the last have no row."""
        t, w, many = self.t, self.width, self.stage.count
        for first in range(0, many, w):
            own = range(first, min(first + w, many))
            tile = [self.low[matrix * many + k] for k in own] + ["zeroinitializer"] * (w - len(own))
            for lane, x in enumerate(transposed(t, tile)):
                here = t.value(f"add i64 %lane, {lane}")
                there = t.value(f"icmp slt i64 {here}, {self.size}")
                bits = t.value(f"select i1 {there}, i{w} {(1 << len(own)) - 1}, i{w} 0")
                mask = t.cast("bitcast", bits, f"i{w}", t.bit)
                row = at(t, f"%o{matrix}", t.value(f"mul i64 {here}, {self.size}"))
                t.line(
                    f"call void @llvm.masked.store.{t.suffix}.p0"
                    f"({t.real} {x}, ptr {self.at(row, first)}, i32 8, {t.bit} {mask})"
                )

    def declarations(self) -> str:
        return super().declarations() + masked_store(self.t)


def masked_store(t: Lines) -> str:
    return f"declare void @llvm.masked.store.{t.suffix}.p0({t.real}, ptr, i32, {t.bit})"


def everywhere(t: Lines, x: str, width: int) -> str:
    """A number in every lane."""
    if width == 1:
        return x
    kind = f"<{width} x double>"
    one = t.value(f"insertelement {kind} poison, double {x}, i64 0")
    zeros = f"<{width} x i32> zeroinitializer"
    return t.value(f"shufflevector {kind} {one}, {kind} poison, {zeros}")
