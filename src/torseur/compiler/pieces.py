"""Programs made of pieces that repeat: each compiled once, and looped over tables of slots.

All numbers of a kernel live in one memory.  A piece reads some slots, computes and writes others;
its members differ by their slots and constants.  Code does not grow with them, only tables do.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from . import sincos
from .body import KernelBody
from .calls import signature
from .ir import entry_points, functions as written, packed
from .ports import Port
from .program import Program
from .text import Lines, literal

ALIGN = 64


class Piece(NamedTuple):
    """A program of constants `c` and numbers `x` that gives `y`, and the slots of each member."""

    name: str
    program: Program
    constants: np.ndarray  # (members, n)
    reads: np.ndarray  # (members, numbers of x), slots
    writes: np.ndarray  # (members, numbers of y), slots
    adds: tuple[int, ...] = ()  # numbers of y that are added to what is there


class Mixed(NamedTuple):
    """Pieces whose members are worked off in one order: which piece is next, and which member."""

    pieces: tuple[Piece, ...]
    order: np.ndarray  # (n, 2)


class Turn(NamedTuple):
    """Sines and cosines of neighbouring slots, which pieces then read instead of taking them."""

    first: int
    angles: int  # how many
    sines: int
    cosines: int


class WorkSlots:
    """Slots, given out one part after the other, each on a boundary of lanes."""

    def __init__(self):
        self.size = 0

    def part(self, count: int) -> int:
        """The first of so many new slots; a whole vector may be read from the last."""
        first, self.size = self.size, self.size + -(-max(count, 1) // 8) * 8
        return first


class PiecedProgram:
    """What a `Kernel` needs of a program, for one made of pieces in a given order.

    `given` and `shown` are the first slots of its ports, which lie side by side in memory;
    `cleared` are parts (first, count) that start at zero.
    """

    def __init__(
        self,
        inputs: tuple[Port, ...],
        outputs: tuple[Port, ...],
        given: Mapping[str, int],
        shown: Mapping[str, int],
        steps: list[Piece | Mixed | Turn],
        size: int,
        cleared: tuple[tuple[int, int], ...] = (),
    ):
        self.inputs, self.outputs = inputs, outputs
        self.given, self.shown, self.size, self.cleared = given, shown, size, cleared
        turns = [x for x in steps if isinstance(x, Turn)]
        known = {id(x): _turned(x, turns) if isinstance(x, Piece) else x for x in steps}
        read = {int(at) for x in known.values() if isinstance(x, Piece) for at in x.reads.flat}
        spare = {id(x) for x in turns if read.isdisjoint(range(x.sines, x.cosines + x.angles))}
        self.steps = [known[id(x)] for x in steps if id(x) not in spare]  # one stays one
        self.turns = [x for x in self.steps if isinstance(x, Turn)]
        self.pieces = [p for x in self.steps for p in _members(x)]
        programs = {id(x.program): x.program for x in self.pieces}
        parts = [r for p in programs.values() for r in (p, *p.routines)]
        self.nodes = [node for p in parts for node in p.nodes]

    @property
    def operations(self) -> dict[str, int]:
        total = Counter({"trig": sum(x.angles for x in self.turns)})
        for x in self.pieces:
            for op, n in x.program.operations.items():
                total[op] += n * len(x.reads)
        return dict(total)

    @cached_property
    def stamp(self) -> str:
        whole = hashlib.sha256(repr((self.inputs, self.outputs, self.turns)).encode())
        for x in self.pieces:
            whole.update(x.program.stamp.encode())
            for table in (x.constants, x.reads, x.writes):
                whole.update(repr(table.shape).encode() + np.ascontiguousarray(table).tobytes())
        for step in self.steps:
            whole.update(step.order.tobytes() if isinstance(step, Mixed) else b"")
        return whole.hexdigest()

    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`."""
        parts = [*_Text(self, lanes, fused).parts()]
        return "\n".join([*parts, entry_points(self), packed(self)])


class PiecedDerivatives(PiecedProgram):
    """Derivatives of numbers in the slots `found` by those in the slots `wrt`, one by one.

    Its pieces move a derivative beside every number, whose slot lies `size` after its own.
    Outputs are the columns of all but the last, and that one.
    """

    def __init__(self, inputs, outputs, given, steps, size, cleared, wrt, found):
        self.apart, self.wrt, self.found = size, wrt, found
        whole = 2 * size + len(wrt) * len(found)
        super().__init__(inputs, outputs, given, {}, steps, whole, cleared)

    @property
    def operations(self) -> dict[str, int]:
        return {op: len(self.wrt) * n for op, n in super().operations.items()}


def _members(step: Piece | Mixed | Turn) -> tuple[Piece, ...]:
    """The pieces of a step."""
    if isinstance(step, Piece):
        return (step,)
    return step.pieces if isinstance(step, Mixed) else ()


def _turned(piece: Piece, turns: list[Turn]) -> Piece:
    """The piece with sines and cosines of what it reads as more numbers that it reads."""
    program, more = piece.program, []
    nodes, width = list(program.nodes), piece.reads.shape[1]
    for k, (op, *args) in enumerate(program.nodes):
        if op not in ("sin", "cos") or nodes[args[0] >> 1][:2] != ("input", 1):
            continue
        slots = piece.reads[:, nodes[args[0] >> 1][2]]
        for t in turns:
            if t.first <= slots.min() and slots.max() < t.first + t.angles:
                more.append(slots - t.first + (t.sines if op == "sin" else t.cosines))
                nodes[k] = ("input", 1, width + len(more) - 1)
    if not more:
        return piece
    ports = (program.inputs[0], Port("x", (width + len(more),)))
    return piece._replace(
        program=replace(program, inputs=ports, nodes=tuple(nodes)),
        reads=np.column_stack([piece.reads, *more]),
    )


class _Text:
    """IR of the loops over pieces: each different step a function of the memory."""

    def __init__(self, pieces: PiecedProgram, lanes: int, fused: bool):
        self.p, self.lanes, self.fused = pieces, lanes, fused
        self.t = Lines(1, fused)
        self.tables: list[str] = []
        self.names: dict[int, str] = {}  # functions, by identity of what they do
        self.count = 0  # of pieces written

    def parts(self) -> Iterator[str]:
        declared = {
            "declare ptr @torseur.malloc(i64)",
            "declare void @torseur.free(ptr)",
            "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)",
            "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)",
        }
        if self.p.turns:
            declared.add(sincos.declaration(sincos.symbol(self.lanes, self.fused)))
        functions = []
        for x in self.p.pieces:
            if id(x.program) not in self.names:
                name = self.names[id(x.program)] = f"piece{len(self.names)}"
                body = KernelBody(x.program, 1, self.lanes, self.fused)
                body.routines = {r: f"@{name}.{own[1:]}" for r, own in body.routines.items()}
                head = f"define internal void @{name}({signature(x.program)})"
                needed, *texts = written(body, head)
                functions += texts
                declared |= set(needed.splitlines())
        for step in self.p.steps:
            if id(step) not in self.names:
                name = self.names[id(step)] = f"step{len(self.names)}"
                functions.append(
                    f"define internal void @{name}(ptr %W) noinline {{\n{self._step(step)}\n}}\n"
                )
        thunk = self._thunk()
        yield from (*sorted(declared), *self.tables, *functions, thunk)

    def _thunk(self) -> str:
        p, t = self.p, Lines(1, self.fused)
        self.t = t
        t.label("entry")
        raw = t.value(f"call ptr @torseur.malloc(i64 {8 * p.size + ALIGN})")
        up = t.op("add", t.cast("ptrtoint", raw, "ptr", "i64"), str(ALIGN - 1), "i64")
        t.line(f"%aligned = and i64 {up}, -{ALIGN}")
        t.line("%W = inttoptr i64 %aligned to ptr")
        for port in (x for x in p.inputs if x.size and x.name in p.given):
            self._copy(self._at("%W", p.given[port.name]), f"%{port.name}", port.size)
        if isinstance(p, PiecedDerivatives):
            self._derivatives(p)
        else:
            self._once()
            for port in (x for x in p.outputs if x.size):
                self._copy(f"%{port.name}", self._at("%W", p.shown[port.name]), port.size)
        t.line(f"call void @torseur.free(ptr {raw})")
        t.line("ret void")
        heads = [f"ptr noalias readonly %{x.name}" for x in p.inputs]
        heads += [f"ptr noalias %{x.name}" for x in p.outputs]
        return f"define void @thunk({', '.join(heads)}) {{\n{t}\n}}\n"

    def _clear(self, first: int, n: int) -> None:
        place = self._at("%W", first)
        self.t.line(f"call void @llvm.memset.p0.i64(ptr {place}, i8 0, i64 {8 * n}, i1 false)")

    def _once(self) -> None:
        """All steps, one after the other."""
        for first, n in self.p.cleared:
            self._clear(first, n)
        for x in self.p.steps:
            self.t.line(f"call void @{self.names[id(x)]}(ptr %W)")

    def _look(self, table: str, index: str) -> str:
        at = self.t.value(f"getelementptr i32, ptr {table}, i64 {index}")
        return self.t.cast("sext", self.t.value(f"load i32, ptr {at}"), "i32", "i64")

    def _derivatives(self, p: PiecedDerivatives) -> None:
        """Every direction in turn, whose columns are kept, then shown row by row."""
        t, n = self.t, len(p.found)
        wrt, found = (
            self._table(x, "i32", map(str, y)) for x, y in (("wrt", p.wrt), ("found", p.found))
        )
        moved, columns = self._at("%W", p.apart), self._at("%W", 2 * p.apart)
        with t.loop(str(len(p.wrt))) as j:
            self._clear(p.apart, p.apart)
            t.store(t.const(1.0), self._at(moved, self._look(wrt, j)), 8)
            self._once()
            column = self._at(columns, t.op("mul", j, str(n), "i64"))
            with t.loop(str(n)) as i:
                t.store(t.load(self._at(moved, self._look(found, i)), 8), self._at(column, i), 8)
        J, last = p.outputs
        with t.loop(str(n)) as i:
            row = self._at(f"%{J.name}", t.op("mul", i, str(J.shape[1]), "i64"))
            of = self._at(columns, i)
            with t.loop(str(J.shape[1])) as j:
                x = t.load(self._at(of, t.op("mul", j, str(n), "i64")), 8)
                t.store(x, self._at(row, j), 8)
            t.store(t.load(self._at(of, J.shape[1] * n), 8), self._at(f"%{last.name}", i), 8)

    def _step(self, x: Piece | Mixed | Turn) -> Lines:
        t = self.t = Lines(1, self.fused)
        t.label("entry")
        numbers = range(self.count, self.count + len(_members(x)))
        self.count = numbers.stop
        for k, piece in zip(numbers, _members(x), strict=True):
            for name, n in (("seen", piece.reads.shape[1]), ("told", piece.writes.shape[1])):
                t.line(f"%{name}{k} = alloca [{max(n, 1)} x double], align 8")
        if isinstance(x, Turn):
            self._sines(x)
        elif isinstance(x, Piece):
            with t.loop(str(len(x.reads))) as i:
                self._member(numbers[0], x, i)
        else:
            self._mixed(x, numbers)
        t.line("ret void")
        return t

    def _at(self, base: str, index: int | str) -> str:
        return self.t.value(f"getelementptr double, ptr {base}, i64 {index}")

    def _copy(self, to: str, of: str, n: int) -> None:
        self.t.line(f"call void @llvm.memcpy.p0.p0.i64(ptr {to}, ptr {of}, i64 {8 * n}, i1 false)")

    def _sines(self, x: Turn) -> None:
        """Sines and cosines, a whole number of vectors of them: slots behind the last are zero."""
        t, whole = self.t, -(-x.angles // self.lanes) * self.lanes
        for k in range(x.angles, whole):
            t.line(f"store double 0.0, ptr {self._at('%W', x.first + k)}")
        places = ", ".join(f"ptr {self._at('%W', at)}" for at in (x.first, x.sines, x.cosines))
        name = sincos.symbol(self.lanes, self.fused)
        t.line(f"call void @torseur.{name}({places}, i64 {whole - self.lanes})")

    def _mixed(self, x: Mixed, numbers: range) -> None:
        """A loop over members of several pieces."""
        t, tag = self.t, f"order{numbers[0]}"
        kinds, rows = (self._table(f"{tag}.{k}", "i32", map(str, x.order[:, k])) for k in (0, 1))

        with t.loop(str(len(x.order))) as n:
            kind, i = self._look(kinds, n), self._look(rows, n)
            cases = " ".join(f"i64 {j}, label %{tag}.{j}" for j in range(len(numbers)))
            t.line(f"switch i64 {kind}, label %{tag}.0 [{cases}]")
            for j, (k, piece) in enumerate(zip(numbers, x.pieces, strict=True)):
                t.label(f"{tag}.{j}")
                self._member(k, piece, i)
                t.line(f"br label %{tag}.done")
            t.label(f"{tag}.done")

    def _member(self, k: int, x: Piece, i: str) -> None:
        """One member: numbers gathered, computed, written."""
        t, stride, width = self.t, x.constants.shape[1], x.reads.shape[1]
        const = self._table(f"c{k}", "double", map(literal, x.constants.ravel().tolist()))
        bases = self._bases(k, np.column_stack([x.reads, x.writes]))
        found: dict[tuple[int, str], str] = {}

        def place(column: int, first: int) -> str:
            step, table = bases[column]
            if (step, table) not in found:
                index = self._look(table, i) if table else t.op("mul", i, str(step), "i64")
                found[step, table] = self._at("%W", index)
            return self._at(found[step, table], first)

        for j, first in enumerate(x.reads[0].tolist()):
            t.store(t.load(place(j, first), 8), self._at(f"%seen{k}", j), 8)
        own = self._at(const, t.op("mul", i, str(stride), "i64"))
        name = self.names[id(x.program)]
        t.line(f"call void @{name}(ptr {own}, ptr %seen{k}, ptr %told{k})")
        for j, first in enumerate(x.writes[0].tolist()):
            value, where = t.load(self._at(f"%told{k}", j), 8), place(width + j, first)
            if j in x.adds:
                value = t.op("fadd", t.load(where, 8), value)
            t.store(value, where, 8)

    def _bases(self, k: int, slots: np.ndarray) -> list[tuple[int, str]]:
        """Of each column of slots how it goes on from its first: by a step, or by a table."""
        tables: dict[bytes, tuple[int, str]] = {}
        out = []
        for column in (slots - slots[0]).T:
            word = column.tobytes()
            if word not in tables:
                step = int(column[1]) if len(column) > 1 else 0
                even = (column == step * np.arange(len(column))).all()
                name = "" if even else self._table(f"s{k}.{len(tables)}", "i32", map(str, column))
                tables[word] = (step if even else 0, name)
            out.append(tables[word])
        return out

    def _table(self, name: str, kind: str, items) -> str:
        items = [*items] or ["0x0000000000000000" if kind == "double" else "0"]
        words = ", ".join(f"{kind} {x}" for x in items)
        self.tables.append(f"@{name} = internal constant [{len(items)} x {kind}] [{words}]")
        return f"@{name}"
