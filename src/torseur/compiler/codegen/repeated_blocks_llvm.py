"""IR of programs made of pieces: loops over members, one at a time or several abreast."""

from collections.abc import Iterator

import numpy as np

from ..program.program import CALLS
from . import sincos
from .basic_block import KernelBody
from .entry_points import functions as written
from .llvm_builder import Lines, literal
from .repeated_blocks import (
    ABREAST,
    Mixed,
    Piece,
    PiecedDerivatives,
    PiecedProgram,
    SharedSteps,
    Turn,
    members,
)
from .subroutines import signature
from .table_lookup import lookups

ALIGN = 64
INLINED = "alwaysinline"  # numbers between pieces stay in registers
STRAIGHT = 1000  # nodes of members one after the other that are written without a loop
FEW = 8  # nodes that LLVM sets abreast by itself
SHORT = 600  # nodes of a program that is worth a second text, of members abreast


class PiecesText:
    """IR of the loops over pieces: each different step a function of the memory."""

    def __init__(self, pieces: PiecedProgram, lanes: int, fused: bool):
        self.p, self.lanes, self.fused = pieces, lanes, fused
        self.t = Lines(1, fused)
        self.tables: list[str] = []
        self.names: dict[int, str] = {}  # functions, by identity of what they do
        self.programs: dict[tuple[int, int], str] = {}  # and by how many members they take
        self.count = 0  # of pieces written
        self.widths: dict[int, int] = {}  # of steps, by identity
        self.shared = {id(x): k for k, x in enumerate(pieces.shared)}
        self.steps = [x for x in pieces.steps if id(x) not in self.shared]  # that are written here

    def parts(self) -> Iterator[str]:
        declared = {
            "declare ptr @torseur.malloc(i64)",
            "declare void @torseur.free(ptr)",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        }
        if self.p.turns:
            declared.add(sincos.declaration(sincos.symbol(self.lanes, self.fused)))
        if self.shared:
            declared.add("declare void @torseur.ahead(ptr, ptr)")
        functions = []
        for x, width in self._texts():
            if (id(x.program), width) not in self.programs:
                name = self.programs[id(x.program), width] = f"piece{len(self.programs)}"
                body = KernelBody(x.program, width, self.lanes, self.fused)
                body.split = True
                body.routines = {r: f"@{name}.{own[1:]}" for r, own in body.routines.items()}
                head = f"define internal void @{name}({signature(x.program)}) {INLINED}"
                needed, *texts = written(body, head)
                functions += texts
                declared |= set(needed.splitlines())
        for step in self.steps:
            if id(step) not in self.names:
                name = self.names[id(step)] = f"step{len(self.names)}"
                functions.append(
                    f"define internal void @{name}(ptr %W) noinline {{\n{self._step(step)}\n}}\n"
                )
        thunk = self._chosen() if isinstance(self.p, SharedSteps) else self._thunk()
        yield from (*sorted(declared), *self.tables, *functions, thunk)

    def _chosen(self) -> str:
        """One step, by its number."""
        t = Lines(1, self.fused)
        t.label("entry")
        number = t.cast("fptosi", t.load("%what", 8), "double", "i64")
        cases = " ".join(f"i64 {k}, label %do{k}" for k in range(len(self.p.steps)))
        t.line(f"switch i64 {number}, label %done [{cases}]")
        for k, x in enumerate(self.p.steps):
            t.label(f"do{k}")
            t.line(f"call void @{self.names[id(x)]}(ptr %W)")
            t.line("br label %done")
        t.label("done")
        t.line("ret void")
        return f"define void @thunk(ptr noalias readonly %what, ptr %W) {{\n{t}\n}}\n"

    def _thunk(self) -> str:
        p, t = self.p, Lines(1, self.fused)
        self.t = t
        t.label("entry")
        raw = t.value(f"call ptr @torseur.malloc(i64 {8 * p.size + ALIGN})")
        up = t.op("add", t.cast("ptrtoint", raw, "ptr", "i64"), str(ALIGN - 1), "i64")
        t.line(f"%aligned = and i64 {up}, -{ALIGN}")
        t.line("%W = inttoptr i64 %aligned to ptr")
        for port in (x for x in p.inputs if x.size and x.name in p.given):
            self._copy(self.at("%W", p.given[port.name]), f"%{port.name}", port.size)
        if isinstance(p, PiecedDerivatives):
            self._derivatives(p)
        else:
            self._once()
            for port in (x for x in p.outputs if x.size):
                self._copy(f"%{port.name}", self.at("%W", p.shown[port.name]), port.size)
        t.line(f"call void @torseur.free(ptr {raw})")
        t.line("ret void")
        heads = [f"ptr noalias readonly %{x.name}" for x in p.inputs]
        heads += [f"ptr noalias %{x.name}" for x in p.outputs]
        return f"define void @thunk({', '.join(heads)}) {{\n{t}\n}}\n"

    def _clear(self, first: int, n: int) -> None:
        place = self.at("%W", first)
        self.t.line(f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {8 * n}, i1 false)")

    def _once(self) -> None:
        """All steps, one after the other."""
        for first, n in self.p.cleared:
            self._clear(first, n)
        numbers = map(literal, map(float, range(len(self.shared))))
        what = self.table("what", "double", numbers) if self.shared else ""
        for x in self.p.steps:
            if id(x) in self.shared:
                here = self.at(what, self.shared[id(x)])
                self.t.line(f"call void @torseur.ahead(ptr {here}, ptr %W)")
            else:
                self.t.line(f"call void @{self.names[id(x)]}(ptr %W)")

    def look(self, table: str, index: str) -> str:
        at = self.t.value(f"getelementptr i32, ptr {table}, i64 {index}")
        return self.t.cast("sext", self.t.value(f"load i32, ptr {at}"), "i32", "i64")

    def _derivatives(self, p: PiecedDerivatives) -> None:
        """Every direction in turn, whose columns are kept, then shown row by row."""
        t, n = self.t, len(p.found)
        wrt, found = (
            self.table(x, "i32", map(str, y)) for x, y in (("wrt", p.wrt), ("found", p.found))
        )
        moved, columns = self.at("%W", p.apart), self.at("%W", 2 * p.apart)
        with t.loop(str(len(p.wrt))) as j:
            self._clear(p.apart, p.apart)
            t.store(t.const(1.0), self.at(moved, self.look(wrt, j)), 8)
            self._once()
            column = self.at(columns, t.op("mul", j, str(n), "i64"))
            with t.loop(str(n)) as i:
                t.store(t.load(self.at(moved, self.look(found, i)), 8), self.at(column, i), 8)
        J, last = p.outputs
        with t.loop(str(n)) as i:
            row = self.at(f"%{J.name}", t.op("mul", i, str(J.shape[1]), "i64"))
            of = self.at(columns, i)
            with t.loop(str(J.shape[1])) as j:
                x = t.load(self.at(of, t.op("mul", j, str(n), "i64")), 8)
                t.store(x, self.at(row, j), 8)
            t.store(t.load(self.at(of, J.shape[1] * n), 8), self.at(f"%{last.name}", i), 8)

    def _texts(self) -> Iterator[tuple[Piece, int]]:
        """Pieces with the numbers of members that are taken at once."""
        for step in self.steps:
            for x in members(step):
                wide = self._wide(step)
                if wide > 1:
                    yield x, wide
                if wide == 1 or len(x.reads) % wide:
                    yield x, 1

    def _wide(self, x: Piece | Mixed | Turn) -> int:
        """How many members of a step are taken at once."""
        if id(x) not in self.widths:
            self.widths[id(x)] = (
                x.abreast if isinstance(x, Mixed) else _abreast(x) if isinstance(x, Piece) else 1
            )
        return self.widths[id(x)]

    def _step(self, x: Piece | Mixed | Turn) -> Lines:
        t = self.t = Lines(1, self.fused)
        t.label("entry")
        numbers = range(self.count, self.count + len(members(x)))
        self.count = numbers.stop
        wide = self._wide(x)
        for k, piece in zip(numbers, members(x), strict=True):
            for name, n in (("seen", piece.reads.shape[1]), ("told", piece.writes.shape[1])):
                t.line(f"%{name}{k} = alloca [{max(n, 1) * wide} x double], align {8 * wide}")
        if isinstance(x, Turn):
            self._sines(x)
        elif isinstance(x, Piece):
            whole = len(x.reads) // wide
            with t.loop(str(whole)) as i:
                self._member(numbers[0], x, i, wide, 0)
            if whole * wide < len(x.reads):
                with t.loop(str(len(x.reads) - whole * wide)) as i:
                    self._member(numbers[0], x, i, 1, whole * wide)
        else:
            self._mixed(x, numbers)
        t.line("ret void")
        return t

    def at(self, base: str, index: int | str) -> str:
        return self.t.value(f"getelementptr double, ptr {base}, i64 {index}")

    def _copy(self, to: str, of: str, n: int) -> None:
        self.t.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {of}, i64 {8 * n}, i1 false)")

    def _sines(self, x: Turn) -> None:
        """Sines and cosines, a whole number of vectors of them: slots behind the last are zero."""
        t, whole = self.t, -(-x.angles // self.lanes) * self.lanes
        for k in range(x.angles, whole):
            t.line(f"store double 0.0, ptr {self.at('%W', x.first + k)}")
        places = ", ".join(f"ptr {self.at('%W', at)}" for at in (x.first, x.sines, x.cosines))
        name = sincos.symbol(self.lanes, self.fused)
        t.line(f"call void @torseur.{name}({places}, i64 {whole - self.lanes})")

    def _mixed(self, x: Mixed, numbers: range) -> None:
        """A loop over members of several pieces."""
        t, tag = self.t, f"order{numbers[0]}"
        if sum(len(x.pieces[k].program.nodes) for k, _ in x.order) <= STRAIGHT:
            for place, (j, row) in enumerate(x.order):
                own, here = x.pieces[j], slice(row * x.abreast, (row + 1) * x.abreast)
                one = own._replace(
                    constants=own.constants[here], reads=own.reads[here], writes=own.writes[here]
                )
                self._member(numbers[j], one, "0", x.abreast, 0, f".{place}")
            return
        kinds, rows = (self.table(f"{tag}.{k}", "i32", map(str, x.order[:, k])) for k in (0, 1))

        with t.loop(str(len(x.order))) as n:
            kind, i = self.look(kinds, n), self.look(rows, n)
            cases = " ".join(f"i64 {j}, label %{tag}.{j}" for j in range(len(numbers)))
            t.line(f"switch i64 {kind}, label %{tag}.0 [{cases}]")
            for j, (k, piece) in enumerate(zip(numbers, x.pieces, strict=True)):
                t.label(f"{tag}.{j}")
                self._member(k, piece, i, x.abreast, 0)
                t.line(f"br label %{tag}.done")
            t.label(f"{tag}.done")

    def _member(self, k: int, x: Piece, i: str, wide: int, start: int, suffix: str = "") -> None:
        """One member, or the next few abreast: numbers gathered, computed, written."""
        t, tag = self.t, f"{k}.{wide}{suffix}"
        end = start + (len(x.reads) - start) // wide * wide
        constants = x.constants[start:end].reshape(
            (end - start) // wide, wide, x.constants.shape[1]
        )
        ordered = constants.transpose(0, 2, 1).ravel().tolist()
        const = self.table(f"c{tag}", "double", map(literal, ordered))
        bases = _Bases(self, tag, i, np.hstack([x.reads, x.writes])[start:end], wide)
        vector = Lines(wide, self.fused).real

        for j in range(x.reads.shape[1]):
            to = self.at(f"%seen{k}", j * wide)
            if (place := bases.neighbors(j)) is not None:
                value = t.value(f"load {vector}, ptr {place}, align 8")
                t.line(f"store {vector} {value}, ptr {to}, align {8 * wide}")
                continue
            for n in range(wide):
                t.store(t.load(bases.one(j, n), 8), self.at(to, n), 8)
        own = self.at(const, t.op("mul", i, str(wide * x.constants.shape[1]), "i64"))
        name = self.programs[id(x.program), wide]
        t.line(f"call void @{name}(ptr {own}, ptr %seen{k}, ptr %told{k})")
        for j in range(x.writes.shape[1]):
            of, column = self.at(f"%told{k}", j * wide), x.reads.shape[1] + j
            if (place := bases.neighbors(column)) is not None:
                value = t.value(f"load {vector}, ptr {of}, align {8 * wide}")
                if j in x.adds:
                    old = t.value(f"load {vector}, ptr {place}, align 8")
                    value = t.op("fadd", old, value, vector)
                t.line(f"store {vector} {value}, ptr {place}, align 8")
                continue
            for n in range(wide):
                value, where = t.load(self.at(of, n), 8), bases.one(column, n)
                if j in x.adds:
                    value = t.op("fadd", t.load(where, 8), value)
                t.store(value, where, 8)

    def table(self, name: str, kind: str, items) -> str:
        items = [*items] or ["0x0000000000000000" if kind == "double" else "0"]
        words = ", ".join(f"{kind} {x}" for x in items)
        text = f"@{name} = internal constant [{len(items)} x {kind}] [{words}], align {ALIGN}"
        self.tables.append(text)
        return f"@{name}"


class _Bases:
    """Where each number of the members that are taken at once is, at the index of a loop."""

    def __init__(self, text: PiecesText, tag: str, index: str, slots: np.ndarray, wide: int):
        self.text, self.tag, self.index, self.wide = text, tag, index, wide
        self.slots = slots.reshape(len(slots) // wide, wide, slots.shape[1])
        self.tables: dict[bytes, tuple[int, str]] = {}
        self.found: dict[tuple[int, str], str] = {}

    def neighbors(self, column: int) -> str | None:
        """The place of the first where those of all lie side by side."""
        own = self.slots[:, :, column]
        if (own != own[:, :1] + np.arange(self.wide)).any():
            return None
        return self.one(column, 0)

    def one(self, column: int, n: int) -> str:
        """The place of the number of one of them: on from its first by a step, or by a table."""
        t, own = self.text.t, self.slots[:, n, column]
        word = (own - own[0]).tobytes()
        if word not in self.tables:
            step = int(own[1] - own[0]) if len(own) > 1 else 0
            even = (own - own[0] == step * np.arange(len(own))).all()
            name = f"s{self.tag}.{len(self.tables)}"
            name = "" if even else self.text.table(name, "i32", map(str, own - own[0]))
            self.tables[word] = (step if even else 0, name)
        step, table = self.tables[word]
        if (step, table) not in self.found:
            index = (
                self.text.look(table, self.index)
                if table
                else t.op("mul", self.index, str(step), "i64")
            )
            self.found[step, table] = self.text.at("%W", index)
        return self.text.at(self.found[step, table], int(own[0]))


def _abreast(x: Piece) -> int:
    """How many members of a piece are taken at once: none needs what another of them writes."""
    nodes = x.program.nodes
    apart = {*CALLS, "sin", "cos", "got", "ahead", *lookups(nodes)}
    plain = all(op not in apart for op, *_ in nodes)
    groups = len(x.reads) // ABREAST
    if not (plain and groups > 1 and FEW < len(nodes) <= SHORT) or x.program.routines:
        return 1
    reads, writes = (a[: groups * ABREAST].reshape(groups, -1) for a in (x.reads, x.writes))
    ordered = np.sort(writes, axis=1)
    if (ordered[:, 1:] == ordered[:, :-1]).any():
        return 1
    lanes = np.arange(ABREAST)
    whose = np.full(1 + max(reads.max(initial=0), writes.max()), -1)
    for given, told in zip(reads, writes, strict=True):
        whose[told] = np.repeat(lanes, len(told) // ABREAST)
        found, own = whose[given], np.repeat(lanes, len(given) // ABREAST)
        if ((found >= 0) & (found != own)).any():
            return 1
        whose[told] = -1
    return ABREAST
