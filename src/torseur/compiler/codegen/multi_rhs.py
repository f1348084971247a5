"""A kernel whose arrays have columns that all go through the same text: derivatives in directions.

What no column touches is computed once, straight on; then the program of one column runs for all,
several side by side in a vector.  Each column goes through the same operations, wherever it stands.
Theory: SE.12.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from ...errors import KernelError
from ..program.ports import Port
from ..program.program import LEAVES, Program, kept
from .basic_block import LONG, KernelBody
from .entry_points import FRAME, entry_points, functions, packed
from .llvm_builder import Lines
from .subroutines import signature
from .tree_simd.blocks import Beside

SHARED = "shared"


class PortPart(NamedTuple):
    """Where an array is: in a port, from a number on."""

    port: int
    first: int


@dataclass(frozen=True)
class Columned:
    """Outputs of `first`: parts of ports, then rows for the columns, then numbers that they share.

    Inputs of `column` are columns of parts of ports, then those rows and numbers; its outputs are
    columns of parts of ports.  Number k of column j of a part is its number `k * count + j`.
    """

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    first: Program
    column: Program
    count: int
    parts: tuple[PortPart, ...]
    taken: tuple[PortPart, ...]
    given: tuple[PortPart, ...]

    @property
    def nodes(self) -> tuple[tuple, ...]:
        return (*self.first.nodes, *self.column.nodes)

    @property
    def routines(self) -> tuple[Program, ...]:
        return self.first.routines

    @cached_property
    def operations(self) -> dict[str, int]:
        total = Counter(self.first.operations)
        for op, count in self.column.operations.items():
            total[op] += count * self.count
        return dict(total)

    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`: columns of one state are the lanes."""
        width = max(w for w in (1, 2, 4, 8) if w <= min(lanes, self.count))
        starts = [min(s, self.count - width) for s in range(0, self.count, width)]
        t = Lines(1, False)
        t.label("entry")
        ins, outs = ([f"%{x}{k}" for k in range(len(ports))]
                     for x, ports in (("i", self.inputs), ("o", self.outputs)))  # fmt: skip
        rooms = self._begun(t, ins, outs, 1)
        for at in starts:
            self._call(t, ins, outs, rooms, at, 1)
        t.line("ret void")
        texts = self._texts(KernelBody(self.first, 1, lanes, fused, apart=True), width, 1)
        thunk = f"define void @thunk({signature(self)}) {{\n{t}\n}}\n"
        return "\n".join([*texts, thunk, entry_points(self), packed(self)])

    def lanes_module(self, lanes: int, fused: bool) -> str:
        """IR with `@lanes(in, out)`: a state a lane, column after column."""
        t = Lines(1, False)
        t.label("entry")
        ins, outs = (self._packed(t, x, ports, lanes)
                     for x, ports in (("%i", self.inputs), ("%o", self.outputs)))  # fmt: skip
        rooms = self._begun(t, ins, outs, lanes)
        with t.loop(str(self.count)) as at:
            self._call(t, ins, outs, rooms, t.value(f"mul i64 {at}, {lanes}"), lanes)
        t.line("ret void")
        body = KernelBody(self.first, lanes, lanes, fused, apart=True)
        head = "define void @lanes(ptr noalias readonly %i, ptr noalias %o)"
        return "\n".join([*self._texts(body, lanes, lanes), f"{head} {{\n{t}\n}}\n"])

    def _packed(self, t: Lines, base: str, ports: tuple[Port, ...], lanes: int) -> list[str]:
        sizes = [p.size for p in ports]
        return [_at(t, base, lanes * sum(sizes[:k])) for k in range(len(ports))]

    def _begun(self, t: Lines, ins, outs, step: int) -> list[str]:
        """The straight part: where the rows and the shared numbers are then."""
        rooms = [t.value(f"alloca [{max(1, p.size) * step} x double], align 64")
                 for p in self.first.outputs[-2:]]  # fmt: skip
        places = [_at(t, outs[x.port], x.first * step) for x in self.parts]
        t.line(f"call void @first({', '.join(f'ptr {x}' for x in (*ins, *places, *rooms))})")
        return rooms

    def _call(self, t: Lines, ins, outs, rooms, at, step: int) -> None:
        """The columns from a place on."""
        places = [_at(t, _at(t, ins[x.port], x.first * step), at) for x in self.taken]
        places += [_at(t, rooms[0], at), rooms[1]]
        places += [_at(t, _at(t, outs[x.port], x.first * step), at) for x in self.given]
        t.line(f"call void @column({', '.join(f'ptr {x}' for x in places)})")

    def _texts(self, body: KernelBody, width: int, step: int) -> list[str]:
        """Both parts, and what they call; `step` from one number of a port to the next."""
        body.split = True
        column = ColumnBody(self.column, width, body.fused, self.count * step, step)
        if width == body.width:
            column.called = body.called
        far = FRAME if body.far and body.width == 1 else ""
        declared, *texts = functions(
            body, f"define internal void @first({signature(self.first)}) {far}"
        )
        texts.append(
            f"define internal void @column({signature(self.column)}) noinline "
            f"{{\n{column.write()}\n}}\n"
        )
        known = dict.fromkeys([*declared.splitlines(), *column.declarations().splitlines()])
        helpers = column.helpers() if width > 1 else ()
        return ["\n".join(known), *texts, body.constants(), *helpers]


class ColumnBody(Beside):
    """The program of a column, for a vector of them; what is shared is one number, or has lanes."""

    def __init__(self, program: Program, width: int, fused: bool, stride: int, step: int):
        super().__init__(program, width, fused, stride, (SHARED,) if step == 1 else ())
        self.split, self.blocks = True, len(program.nodes) > LONG

    @property
    def _align(self) -> int:
        return 8

    def load(self, k: int) -> str:
        _, port, element = self.program.nodes[k]
        if self.shared or self.program.inputs[port].name != SHARED:
            return super().load(k)
        return self.t.load(self.at(f"%i{port}", element * self.width), 8)


def _at(t: Lines, base: str, place: str | int) -> str:
    return t.value(f"getelementptr double, ptr {base}, i64 {place}") if place else base


def split_columns(program: Program, inputs: int, outputs: int) -> tuple[Program, Program]:
    """What depends on no input from a number on, with all that it hands over, and the rest.

    Outputs before `outputs` are of the first, the last of them its rows; the others of columns.
    Whatever is called depends on no such input.
    """
    nodes, touched = program.nodes, [False] * len(program.nodes)
    for k, (op, *args) in enumerate(nodes):
        touched[k] = (
            args[0] >= inputs if op == "input" else
            op not in LEAVES and any(touched[r >> 1] for r in args)
        )  # fmt: skip
    end = len(program.outputs)
    shown, taken = program.results[outputs:end], program.results[end:]
    if any(touched[r >> 1] for row in taken for r in row):
        raise KernelError(f"{program.name!r} calls a routine with numbers of a column")
    read = {r >> 1 for row in shown for r in row}
    for k, node in enumerate(nodes):
        if touched[k] and node[0] not in LEAVES:
            read.update(r >> 1 for r in node[1:])
    handed = sorted(k for k in read if not touched[k] and nodes[k][0] != "const")
    shared = Port(SHARED, (len(handed),))
    columns = (*program.inputs[inputs:], shared)
    text = [("input", n[1] - inputs, n[2]) if n[0] == "input" else n for n in nodes]
    for j, k in enumerate(handed):
        text[k] = ("input", len(columns) - 1, j)
    column = kept("column", columns, program.outputs[outputs:], text, shown)
    own = (*program.results[:outputs], [2 * k for k in handed], *taken)
    ports = (*program.outputs[:outputs], shared)
    first = kept(program.name, program.inputs[:inputs], ports, nodes, own, program.calls)
    return first, column
