"""Lines of the packs of a `Sidewise` kernel: one text for lanes that earlier packs gave."""

from __future__ import annotations

from collections.abc import Iterator

from ...program.program import Program
from ...program.scheduling import cone, roots
from ..basic_block import KernelBody
from ..llvm_builder import Lines, literal, transposed
from .stages import (
    AllLanes,
    InOrder,
    LaneRows,
    OneLane,
    Pack,
    Pairs,
    Picked,
    Rim,
    Source,
    TreeFactors,
)

# --------------------------------------------------------------------------------------------
# Lines of the stages of a `Sidewise` kernel: of lanes, of pairs of lanes.


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


class PackBody(KernelBody):
    """The lines of one pack: a vector of lanes, or one number where it is alone."""

    def __init__(self, pack: Pack, before: list[PackBody], names, size: tuple, fused: bool):
        """`size`: numbers of arrays that are read in order, and lanes that arrays have room for."""
        super().__init__(pack.program, pack.width, pack.width, fused)
        self.pack, self.before, self.arrays = pack, [*before], names
        self.lengths, self.stride = size
        if before:  # names and labels go on
            self.t._count, self.written = before[-1].t._count, before[-1].written
        self.blocks = True
        self.made: dict[tuple[str, int], str] = {}
        self.read: dict[tuple[int, int], str] = {}

    def _constant(self, x: float) -> str:
        return self.t.const(x)

    def write(self) -> str:
        self.every()
        return str(self.t)

    def load(self, k: int) -> str:
        _, port, element = self.program.nodes[k]
        if (port, element) not in self.read:
            self.read[port, element] = self._source(self.pack.sources[port], element)
        return self.read[port, element]

    def _source(self, source: Source, element: int) -> str:
        if isinstance(source, LaneRows):
            place = element * self.stride + self.pack.first
            return self._read(source.array, place, self.pack.first + self.width <= self.stride)
        if isinstance(source, InOrder):
            place = source.first + element
            return self._read(source.array, place, place + self.width <= self.lengths[source.array])
        if isinstance(source, AllLanes | OneLane):
            place = element if isinstance(source, AllLanes) else element * self.stride + source.lane
            at_lane = self.at(self.arrays[source.array], place)
            x = self.t.value(f"load double, ptr {at_lane}, align 8")
            return everywhere(self.t, x, self.width)
        if isinstance(source, Picked):
            return self._picked(source, element)
        row = [literal(x) for x in source.rows[element]]
        row += row[-1:] * (self.width - len(row))
        return row[0] if self.width == 1 else f"<{', '.join(f'double {x}' for x in row)}>"

    def _read(self, array: str, place: int, whole: bool) -> str:
        """A vector from `place` on; where not all of it is there, what is, and the last again."""
        t, base = self.t, self.arrays[array]
        if whole or self.pack.count == self.width:
            return t.load(self.at(base, place), 8)
        made = "poison"
        for lane in range(self.width):
            at_lane = self.at(base, place + min(lane, self.pack.count - 1))
            x = t.value(f"load double, ptr {at_lane}, align 8")
            made = t.value(f"insertelement {t.real} {made}, double {x}, i64 {lane}")
        return made

    def _picked(self, source: Picked, element: int) -> str:
        """A number of earlier packs for each lane."""
        ports = source.ports or (source.port,) * len(source.lanes)
        found = [
            lane and (self.before[lane[0]].made[port, element], lane[1], lane[0])
            for lane, port in zip(source.lanes, ports, strict=True)
        ]
        if source.ports:
            return self._joined(found)
        beyond = None if self.pack.within or None in found else found[-1]
        found += [beyond] * (self.width - len(found))
        widths = {self.before[x[2]].width for x in found if x}
        if self.width == 1 or widths == {1} or len(widths) != 1:
            return self._gathered(found)
        return self._shuffled(found, widths.pop())

    def _joined(self, found: list) -> str:
        """Vectors of which several lanes are wanted first, two at a time, then single numbers."""
        t, w = self.t, self.width
        if w == 1:
            return self._gathered(found)
        made, known = "poison", [False] * w
        for name, own in dict.fromkeys((x[0], self.before[x[2]].width) for x in found):
            order = [x[1] if x[0] == name else -1 for x in found] + [-1] * (w - len(found))
            if not 1 < own <= w or sum(k >= 0 for k in order) < 2:
                continue
            whole = name
            if own < w or (made == "poison" and any(k not in (j, -1) for j, k in enumerate(order))):
                whole = self._shuffle(name, "poison", own, order)
                order = [j if k >= 0 else -1 for j, k in enumerate(order)]
            if made != "poison":
                both = [w + k if k >= 0 else j if known[j] else -1 for j, k in enumerate(order)]
                whole = self._shuffle(made, whole, w, both)
            made, known = whole, [a or k >= 0 for a, k in zip(known, order, strict=True)]
        for j, x in enumerate(found):
            if not known[j]:
                one = x[0] if (own := self.before[x[2]].width) == 1 else _lane(t, x[0], x[1], own)
                made = t.value(f"insertelement {t.real} {made}, double {one}, i64 {j}")
        return made

    def _shuffle(self, a: str, b: str, wide: int, order: list[int]) -> str:
        kind = f"<{wide} x double>"
        mask = ", ".join("i32 poison" if k < 0 else f"i32 {k}" for k in order)
        return self.t.value(f"shufflevector {kind} {a}, {kind} {b}, <{len(order)} x i32> <{mask}>")

    def _gathered(self, found: list) -> str:
        """One by one."""
        t, pack = self.t, "zeroinitializer"
        each = [
            x and (x[0] if (w := self.before[x[2]].width) == 1 else _lane(t, x[0], x[1], w))
            for x in found
        ]
        if self.width == 1:
            return each[0] or literal(0.0)
        if len(set(each)) == 1 and each[0]:
            return everywhere(t, each[0], self.width)
        for lane, x in enumerate(each):
            if x:
                pack = t.value(f"insertelement {t.real} {pack}, double {x}, i64 {lane}")
        return pack

    def _shuffled(self, found: list, wide: int) -> str:
        """From vectors of one width, two of them or one and zero at a time."""
        t = self.t
        names = [*dict.fromkeys(x[0] for x in found if x)]
        order = [None if x is None else names.index(x[0]) * wide + x[1] for x in found]
        if len(names) + (None in order) > 2:
            return self._gathered(found)
        if wide == self.width and order == [*range(wide)]:
            return names[0]
        kind = f"<{wide} x double>"
        second = names[1] if len(names) > 1 else "zeroinitializer" if None in order else "poison"
        mask = ", ".join(f"i32 {wide if k is None else k}" for k in order)
        return t.value(
            f"shufflevector {kind} {names[0]}, {kind} {second}, <{self.width} x i32> <{mask}>"
        )

    def _show(self, k: int) -> None:
        for port, element, sign in self.shown.pop(k):
            x = self.real(2 * k | sign)
            self.made[self.program.outputs[port].name, element] = x
            own = self.program.outputs[port].name
            if own in self.pack.places:
                self._put(x, self.arrays[self.pack.kept[port]], self.pack.places[own][element])
            elif name := self.pack.kept[port]:
                step = 1 if self.pack.in_order else self.stride
                self._keep(x, self.arrays[name], element * step + self.pack.first)

    def _put(self, x: str, base: str, places) -> None:
        """Each lane where it belongs."""
        for lane, own in enumerate(places):
            one = self.t.lane(x, lane)
            for place in own:
                self.t.line(f"store double {one}, ptr {self.at(base, place)}, align 8")

    def _keep(self, x: str, base: str, place: int) -> None:
        """Store the lanes that there are, and others where that does no harm."""
        t, p = self.t, self.pack
        loose = (p.within or p.follows) and p.first + p.width <= self.stride
        if p.spread > 1 and not p.in_order:
            whole = 1 << (p.spread - 1).bit_length()
            over = p.follows and p.first + whole <= self.stride  # those after it are written later
            for lane, wide in [(0, whole)] if over else _halves(p.spread):
                to = self.at(base, place + lane)
                kind = "double" if wide == 1 else f"<{wide} x double>"
                t.line(f"store {kind} {everywhere(t, x, wide)}, ptr {to}, align 8")
            return
        if p.count == p.width or loose:
            t.store(x, self.at(base, place), 8)
            return
        for lane, wide in _halves(p.count):
            to = self.at(base, place + lane)
            if wide == 1:
                t.line(f"store double {t.lane(x, lane)}, ptr {to}, align 8")
                continue
            order = ", ".join(f"i32 {lane + i}" for i in range(wide))
            mask = f"<{wide} x i32> <{order}>"
            part = t.value(f"shufflevector {t.real} {x}, {t.real} poison, {mask}")
            t.line(f"store <{wide} x double> {part}, ptr {to}, align 8")


def _halves(count: int) -> Iterator[tuple[int, int]]:
    """Powers of two that make up a number: (what is before, how many)."""
    lane = 0
    while lane < count:
        wide = 1 << (count - lane).bit_length() - 1
        yield lane, wide
        lane += wide


def _lane(t: Lines, x: str, lane: int, width: int) -> str:
    return t.value(f"extractelement <{width} x double> {x}, i64 {lane}")


# --------------------------------------------------------------------------------------------
# Lines of a stage that factorizes and solves by rows: `M = L^T D L`, its lanes along the columns.
#
# A row has its columns where they are, so that one product and sum serves all those between it and
# the root; columns further out are never read again.  Theory: FD.1 to FD.3, FD.5.


class FactorsBody:
    """Rows one after the other from the tips; what they have and what L has of them, in vectors."""

    def __init__(self, stage: TreeFactors, width: int, fused: bool, stride: int):
        self.stage, self.width, self.stride = stage, width, stride
        self.t = Lines(width, fused)
        self.n = len(stage.parents)
        self.up = [[*stage.up(k)] for k in range(self.n)]
        self.place = stage.places(width)
        self.chunks = [sorted({j // width for j in up}) for up in self.up]
        self.scaled: dict[int, str] = {}
        self.divided: dict[tuple[int, int], str] = {}

    def write(self) -> str:
        t = self.t
        t.label("entry")
        for i in reversed(range(self.n)):
            t.line(f"br label %row{i}")
            t.label(f"row{i}")
            self._row(i)
        self._back()
        t.line("ret void")
        return str(t)

    def declarations(self) -> str:
        k = self.t.real
        return (
            "declare double @llvm.fma.f64(double, double, double)\n"
            f"declare {k} @llvm.fma.{self.t.suffix}({k}, {k}, {k})"
        )

    def sines(self) -> str:
        return ""

    def _one(self, base: str, place: int) -> str:
        return self.t.value(f"load double, ptr {at(self.t, base, place)}, align 8")

    def _less(self, a: str, b: str, c: str) -> str:
        """`c - a b` of single numbers."""
        t = self.t
        if not t.fused:
            return t.op("fsub", c, t.op("fmul", a, b, "double"), "double")
        minus = t.value(f"fneg double {a}")
        return t.value(f"call double @llvm.fma.f64(double {minus}, double {b}, double {c})")

    def _row(self, i: int) -> None:
        """A row less what those outboard of it take away; the right-hand side alike."""
        t, w = self.t, self.width
        own, lane = divmod(i, w)
        row: dict[int, str] = {}
        for c in sorted({*self.chunks[i], own}):
            row[c] = "zeroinitializer"
            if c in self.chunks[i]:
                row[c] = t.load(at(t, "%i0", i * self.stride + c * w), 8 * w)
        known = self._one("%i1", i)
        row[own] = t.value(f"insertelement {t.real} {row[own]}, double {known}, i64 {lane}")
        tau, pull = self._one("%i2", i), self._one("%i1", self.stride + i)
        y = t.value(f"fsub double {tau}, {pull}")
        for k in (k for k in reversed(range(i + 1, self.n)) if i in self.up[k]):
            one = self._one("%o1", self.place[k, own] + lane)
            y = self._less(one, self.scaled[k], y)
            every = t.neg(everywhere(t, one, w))
            for c in row:
                if self.stage.parents[k] == i:  # it waits for this one, which need not be stored
                    theirs = self.divided[k, c]
                else:
                    theirs = t.load(at(t, "%o2", self.place[k, c]), 8)
                row[c] = t.fma(every, theirs, row[c])
        for c in self.chunks[i]:
            t.store(row[c], at(t, "%o1", self.place[i, c]), 8 * w)
        pivot = t.value(f"extractelement {t.real} {row[own]}, i64 {lane}")
        inverse = t.value(f"fdiv double 1.0, {pivot}")
        self.scaled[i] = t.op("fmul", y, inverse, "double")
        if self.stage.shared:
            place = at(t, "%o2", w * len(self.place) + i)
            t.line(f"store double {inverse}, ptr {place}, align 8")
        every = everywhere(t, inverse, w)
        for c in self.chunks[i]:
            self.divided[i, c] = t.op("fmul", row[c], every)
            t.store(self.divided[i, c], at(t, "%o2", self.place[i, c]), 8)

    def _back(self) -> None:
        """The solution, from the root: what is known first is subtracted first."""
        t, w = self.t, self.width
        x: dict[int, str] = {}
        for k in range(self.n):
            x[k] = self.scaled[k]
            for i in reversed(self.up[k]):
                x[k] = self._less(self._one("%o2", self.place[k, i // w] + i % w), x[i], x[k])
            t.line(f"store double {x[k]}, ptr {at(t, '%o0', k)}, align 8")
