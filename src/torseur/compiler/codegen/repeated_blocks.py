"""Programs made of pieces that repeat: each compiled once, and looped over tables of slots.

All numbers of a kernel live in one memory.  A piece reads some slots, computes and writes others;
its members differ by their slots and constants.  Code does not grow with them, only tables do.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..program.ports import Port
from ..program.program import Program
from .entry_points import entry_points, packed

ABREAST = 8
"""Members that are computed side by side, whatever the machine: it may take two halves."""


class Piece(NamedTuple):
    """A program of constants `c` and numbers `x` that gives `y`, and the slots of each member."""

    name: str
    program: Program
    constants: np.ndarray  # (members, n)
    reads: np.ndarray  # (members, numbers of x), slots
    writes: np.ndarray  # (members, numbers of y), slots
    adds: tuple[int, ...] = ()  # numbers of y that are added to what is there


class Mixed(NamedTuple):
    """Pieces whose members are worked off in one order: which piece is next, and which member.

    With `abreast` the order counts groups of so many members, which do not need each other.
    """

    pieces: tuple[Piece, ...]
    order: np.ndarray  # (n, 2)
    abreast: int = 1


class Turn(NamedTuple):
    """Sines and cosines of neighboring slots, which pieces then read instead of taking them."""

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
    `cleared` are parts (first, count) that start at zero; `shared` are steps that another kernel
    has, `SharedSteps`, whose memory begins with the same parts.
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
        shared: Sequence[Piece | Mixed | Turn] = (),
    ):
        self.shared = [*shared]
        self.inputs, self.outputs = inputs, outputs
        self.given, self.shown, self.size, self.cleared = given, shown, size, cleared
        turns = [x for x in steps if isinstance(x, Turn)]
        steps_by_id = {
            id(x): _read_sincos_slots(x, turns) if isinstance(x, Piece) else x for x in steps
        }
        read_slots = {
            int(at) for x in steps_by_id.values() if isinstance(x, Piece) for at in x.reads.flat
        }
        unused = {
            id(x) for x in turns if read_slots.isdisjoint(range(x.sines, x.cosines + x.angles))
        }
        self.steps = [steps_by_id[id(x)] for x in steps if id(x) not in unused]  # one stays one
        self.turns = [x for x in self.steps if isinstance(x, Turn)]
        self.pieces = [p for x in self.steps for p in list_blocks(x)]
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
        digest = hashlib.sha256(repr((self.inputs, self.outputs, self.turns)).encode())
        for x in self.pieces:
            digest.update(x.program.stamp.encode())
            for table in (x.constants, x.reads, x.writes):
                digest.update(repr(table.shape).encode() + np.ascontiguousarray(table).tobytes())
        for step in self.steps:
            if isinstance(step, Mixed):
                digest.update(repr(step.abreast).encode() + step.order.tobytes())
        return digest.hexdigest()

    def module(self, lanes: int, fused: bool) -> str:
        """IR with `@thunk`, `@kernel` and `@gufunc`."""
        from .repeated_blocks_llvm import RepeatedBlockWriter

        parts = [*RepeatedBlockWriter(self, lanes, fused).write_functions()]
        return "\n".join([*parts, entry_points(self), packed(self)])


class SharedSteps(PiecedProgram):
    """Steps that several kernels take, compiled once: step number `what` over a memory `W`."""

    def __init__(self, steps: list[Piece | Mixed | Turn], size: int):
        super().__init__((Port("what", ()),), (Port("W", (size,)),), {}, {}, steps, size)

    @property
    def operations(self) -> dict[str, int]:
        return {}  # those who take the steps count them


class PiecedDerivatives(PiecedProgram):
    """Derivatives of numbers in the slots `found` by those in the slots `wrt`, one by one.

    Its pieces move a derivative beside every number, whose slot lies `size` after its own.
    Outputs are the columns of all but the last, and that one.
    """

    def __init__(self, inputs, outputs, given, steps, size, cleared, wrt, found):
        self.apart, self.wrt, self.found = size, wrt, found
        n_slots = 2 * size + len(wrt) * len(found)
        super().__init__(inputs, outputs, given, {}, steps, n_slots, cleared)

    @property
    def operations(self) -> dict[str, int]:
        return {op: len(self.wrt) * n for op, n in super().operations.items()}


def list_blocks(step: Piece | Mixed | Turn) -> tuple[Piece, ...]:
    """The pieces of a step."""
    if isinstance(step, Piece):
        return (step,)
    return step.pieces if isinstance(step, Mixed) else ()


def _read_sincos_slots(piece: Piece, turns: list[Turn]) -> Piece:
    """The piece with sines and cosines of what it reads as more numbers that it reads."""
    program, more = piece.program, []
    nodes, width = list(program.nodes), piece.reads.shape[1]
    for k, (op, *args) in enumerate(program.nodes):
        if op not in ("sin", "cos") or nodes[args[0] >> 1][:2] != ("input", 1):
            continue
        slots = piece.reads[:, nodes[args[0] >> 1][2]]
        for ir in turns:
            if ir.first <= slots.min() and slots.max() < ir.first + ir.angles:
                more.append(slots - ir.first + (ir.sines if op == "sin" else ir.cosines))
                nodes[k] = ("input", 1, width + len(more) - 1)
    if not more:
        return piece
    ports = (program.inputs[0], Port("x", (width + len(more),)))
    return piece._replace(
        program=replace(program, inputs=ports, nodes=tuple(nodes)),
        reads=np.column_stack([piece.reads, *more]),
    )
