"""Routines of a program: parts written once, as functions, and called with arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .order import cone
from .ports import Ported
from .program import Program

if TYPE_CHECKING:
    from .body import KernelBody


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


class Calls:
    """The calls of one program: room for what they take and answer, and their lines.

    An array is stored once, however many calls take it; one that came in is handed on.
    """

    def __init__(self, body: KernelBody, depths: list[int]):
        self.body, self.depths = body, depths
        self.left = list(range(len(depths)))  # not yet written
        self.rooms: dict[tuple[int, ...], str] = {}
        self.filled: set[str] = set()
        program = body.program
        if body.split and program.calls:
            self._handed_on()
        self.taken = program.taken()
        for k, (call, arrays) in enumerate(zip(program.calls, self.taken, strict=True)):
            self._reserve(f"%got{k}", call.routine.outputs[0].size)
            for row in arrays:
                if row not in self.rooms:
                    place = self.rooms[row] = f"%take{len(self.rooms)}"
                    self._reserve(place, len(row))

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

    def _reserve(self, place: str, count: int) -> None:
        width = self.body.width
        self.body.t.line(f"{place} = alloca [{count * width} x double], align {8 * width}")

    def write(self, depth: int, done: list[bool]) -> None:
        """Those that wait for no more sines than are known, in their order."""
        body, program = self.body, self.body.program
        ready = [k for k in self.left if self.depths[k] <= depth]
        self.left = [k for k in self.left if self.depths[k] > depth]
        for k in ready:
            for row in self.taken[k]:
                self._fill(row, done)
            places = [*(self.rooms[row] for row in self.taken[k]), f"%got{k}"]
            words = ", ".join(f"ptr {x}" for x in places)
            body.t.line(f"call void {body.routines[id(program.calls[k].routine)]}({words})")

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
