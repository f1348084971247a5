"""Routines of a program: parts written once, as functions, and called with arrays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..program.ports import Ported
from ..program.program import Program, RoutineCall
from ..program.scheduling import cone
from .native_functions import NativeRoutine

if TYPE_CHECKING:
    from .basic_block import KernelBody


def names(program: Program) -> dict[int, str]:
    """The function of each routine."""
    return {id(r): f"@routine{k}" for k, r in enumerate(program.routines)}


def signature(program: Ported) -> str:
    """Parameters of a function with one pointer for each port."""
    heads = [f"ptr noalias readonly %i{k}" for k in range(len(program.inputs))]
    return ", ".join([*heads, *(f"ptr noalias %o{k}" for k in range(len(program.outputs)))])


def declared_ahead(body: KernelBody) -> list[str]:
    """The kernel that is called first: a pointer for each port, or one for all of a side."""
    program = body.program
    count = len(program.inputs) + len(program.ahead) if body.split else 2
    words = ", ".join(["ptr"] * count)
    return [f"declare void @torseur.ahead({words})"] if program.ahead else []


def call_ahead(body: KernelBody) -> None:
    """Call the other kernel, of the same inputs."""
    program, t, width = body.program, body.t, body.width
    if not program.ahead:
        return
    t.line(f"%ahead = alloca [{sum(program.ahead) * width} x double], align {8 * width}")
    places = ["%i", "%ahead"]
    if body.split:
        starts = [sum(program.ahead[:k]) for k in range(len(program.ahead))]
        places = [f"%i{k}" for k in range(len(program.inputs))]
        places += [body.at("%ahead", s) for s in starts]
    t.line(f"call void @torseur.ahead({', '.join(f'ptr {x}' for x in places)})")


def side_by_side(body: KernelBody, call: RoutineCall) -> bool:
    """Whether the columns of a call are the lanes of a vector; else they go one by one."""
    return call.wide > 1 and body.width == 1 and call.routine.plain


def place_of(body: KernelBody, k: int, j: int) -> int:
    """Where number j of the answer to call k is."""
    call = body.program.calls[k]
    if call.wide == 1 or side_by_side(body, call):
        return j
    i, column = divmod(j, call.wide)
    return column * call.routine.outputs[0].size + i


LARGEST = 16384  # numbers of an array on the stack


def declared_natives(program: Program) -> list[str]:
    """Native text that is called, and its tables."""
    found = [c.routine for c in program.calls if isinstance(c.routine, NativeRoutine)]
    lines = [line for r in found for line in r.declared()]
    if any(r.size > LARGEST for r in found):
        lines += ["declare ptr @torseur.malloc(i64)", "declare void @torseur.free(ptr)"]
    return lines


class Calls:
    """The calls of one program: room for what they take and answer, and their lines.

    An array is stored once, however many calls take it; one that came in is handed on.
    """

    def __init__(self, body: KernelBody, depths: list[int]):
        self.body, self.depths = body, depths
        self.left = list(range(len(depths)))  # not yet written
        self.rooms: dict[tuple[int, ...], str] = {}
        self.filled: set[str] = set()
        self.large: list[str] = []
        program = body.program
        if body.split and program.calls:
            self._handed_on()
        for node, (op, *at) in enumerate(program.nodes):
            if op == "got" and at[1] == program.calls[at[0]].routine.shown:  # the whole of it
                self.rooms[2 * node,] = f"%got{at[0]}"
                self.filled.add(f"%got{at[0]}")
        self.uses = [
            [*self._uses(k, call, arrays)]
            for k, (call, arrays) in enumerate(zip(program.calls, program.taken(), strict=True))
        ]

    def _uses(self, k: int, call: RoutineCall, arrays) -> Iterator[tuple[str, list, int]]:
        """The functions of one call, the arrays that each is given, and where its answer begins."""
        beside, size = side_by_side(self.body, call), call.routine.outputs[0].size
        self._reserve(f"%got{k}", size * (call.wide if beside else call.columns), beside)
        name = self.body.routines.get(id(call.routine), "")  # none of native text
        if beside or call.wide == 1:
            uses = [(f"{name}.{call.wide}" if beside else name, [*arrays], 0)]
        else:
            *shared, own = arrays
            uses = [(name, [*shared, own[c :: call.wide]], c * size) for c in range(call.columns)]
        for _, rows, _ in uses:
            for row in rows:
                if row not in self.rooms:
                    place = self.rooms[row] = f"%take{len(self.rooms)}"
                    self._reserve(place, len(row), beside and row is rows[-1])
        yield from uses

    def _handed_on(self) -> None:
        """Arrays that came in whole are where they are."""
        program = self.body.program
        found: list[dict[int, int]] = [{} for _ in program.inputs]
        for k, node in enumerate(program.nodes):
            if node[0] == "input":
                found[node[1]][node[2]] = 2 * k
        for port, (at, own) in enumerate(zip(program.inputs, found, strict=True)):
            if len(own) == at.size:
                self.rooms[tuple(own[j] for j in range(at.size))] = f"%i{port}"
                self.filled.add(f"%i{port}")

    def _reserve(self, place: str, count: int, beside: bool) -> None:
        body = self.body
        if beside:
            body.reserve(place, count)
        elif count > LARGEST:
            body.t.line(f"{place} = call ptr @torseur.malloc(i64 {8 * count})")
            self.large.append(place)
        else:
            width = body.width
            body.t.line(f"{place} = alloca [{count * width} x double], align {8 * width}")

    def release(self) -> None:
        """Give back what was too large for the stack."""
        for place in self.large:
            self.body.t.line(f"call void @torseur.free(ptr {place})")

    def write(self, depth: int, done: list[bool]) -> None:
        """Those that wait for no more sines than are known, in their order."""
        body = self.body
        ready = [k for k in self.left if self.depths[k] <= depth]
        self.left = [k for k in self.left if self.depths[k] > depth]
        for k in ready:
            routine = body.program.calls[k].routine
            for name, rows, first in self.uses[k]:
                for row in rows:
                    self._fill(row, done)
                answer = body.at(f"%got{k}", first * body.width)
                places = [*(self.rooms[row] for row in rows), answer]
                if isinstance(routine, NativeRoutine):
                    if body.width > 1:
                        self._each_lane(k, routine, [len(row) for row in rows], places)
                    else:
                        body.t.line(routine.called(places))
                    continue
                words = ", ".join(f"ptr {x}" for x in places)
                body.t.line(f"call void {name}({words})")

    def _each_lane(self, k: int, routine: NativeRoutine, sizes: list[int], places) -> None:
        """Native text of every lane by itself, which takes and gives numbers of one."""
        body, t, width = self.body, self.body.t, self.body.width
        own = [f"%lane{k}_{i}" for i in range(len(places))]
        for place, size in zip(own, (*sizes, routine.size), strict=True):
            t.line(f"{place} = alloca [{size} x double], align 8")
        for lane in range(width):
            for place, whole, size in zip(own, places, sizes, strict=False):
                for j in range(size):
                    x = t.value(f"load double, ptr {body.at(whole, j * width + lane)}, align 8")
                    t.line(f"store double {x}, ptr {body.at(place, j)}, align 8")
            t.line(routine.called(own))
            for j in range(routine.shown):
                x = t.value(f"load double, ptr {body.at(own[-1], j)}, align 8")
                t.line(f"store double {x}, ptr {body.at(places[-1], j * width + lane)}, align 8")

    def _fill(self, row: tuple[int, ...], done: list[bool]) -> None:
        """Store an array where calls find it."""
        place, body = self.rooms[row], self.body
        if place in self.filled:
            return
        self.filled.add(place)
        for j, r in enumerate(row):
            for k in cone(body.program, r >> 1, done):
                body.node(k)
            body.t.store(body.real(r), body.at(place, j * body.width), 8 * body.width)
