"""Loops over force elements of a kind, and what is left of elements as straight-line code."""

from __future__ import annotations

import hashlib
from collections import Counter
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..compiler import Program, read
from ..numbers import Graph, vector
from .element_kinds import ElementKind, element_kinds
from .register import PORTS


class Own(NamedTuple):
    """Numbers of the port W that belong to each member: where they start, and how many."""

    start: int
    width: int
    reading: bool  # or written


class Work(NamedTuple):
    """One loop over the members of a kind: a program, where each member reads and adds.

    The program takes constants, what is gathered, and `whole` ports; it gives what is added.
    """

    name: str
    program: Program
    constants: np.ndarray  # (members, n)
    whole: tuple[str, ...]
    reads: list[list[tuple[str, int]]]  # of each member: column and slot
    adds: list[list[tuple[str, int]]]
    own: Own | None = None
    function: Any = None  # that the program was read from

    @property
    def members(self) -> int:
        return len(self.reads)

    def write(self, text) -> None:
        """The loop, as lines of a `Text` whose `ports` are the columns."""
        reads, adds = [p for p, _ in self.reads[0]], [p for p, _ in self.adds[0]]
        width, stride = len(reads) + len(adds), self.constants.shape[1]

        def index(i, k):
            row = text.value(f"mul i64 {i}, {width}")
            at = text.value(f"add i64 {row}, {k}")
            place = text.value(f"getelementptr i64, ptr @{self.name}.at, i64 {at}")
            return text.value(f"load i64, ptr {place}")

        def member(i):
            for k, port in enumerate(reads):
                x = text.value(f"load double, ptr {text.at(text.ports[port], index(i, k))}")
                text.line(f"store double {x}, ptr {text.at('%seen', str(k))}")
            const = text.at(f"@{self.name}.const", i, stride)
            given = [const, "%seen", *(text.ports[p] for p in self.whole)]
            kept = [self._own(text, i)] if self.own else []
            given += [*kept, "%told"] if self.own and self.own.reading else ["%told", *kept]
            text.line(f"call void @{self.name}({', '.join(f'ptr {x}' for x in given)})")
            for k, port in enumerate(adds):
                at = text.at(text.ports[port], index(i, len(reads) + k))
                x = text.value(f"load double, ptr {at}")
                y = text.value(f"load double, ptr {text.at('%told', str(k))}")
                text.line(f"store double {text.value(f'fadd double {x}, {y}')}, ptr {at}")

        text.loop(self.members, member)

    def _own(self, text, i) -> str:
        assert self.own is not None
        at = text.value(f"mul i64 {i}, {self.own.width}")
        return text.at("%W", text.value(f"add i64 {at}, {self.own.start}"))

    def tables(self) -> dict[str, list]:
        """Integers and reals, by name."""
        rows = zip(self.reads, self.adds, strict=True)
        return {
            f"{self.name}.at": [i for a, b in rows for _, i in (*a, *b)] or [0],
            f"{self.name}.const": self.constants.ravel().tolist() or [0.0],
        }


class ElementLoops:
    """Every force element of a system, as it acts in the flow."""

    own = 0  # numbers of the port W

    def __init__(self, system):
        kinds, rest = element_kinds(system)
        self.works = [self._work(kind, f"e{j}") for j, kind in enumerate(kinds)]
        if rest:
            self.works.append(_straight(system, rest))

    @staticmethod
    def _work(kind: ElementKind, name: str) -> Work:
        K, columns, efforts, added = kind.traced
        told = K.lib.densify(K.sx(vector(x for _, x in (*efforts, *added))))
        function = K.lib.Function(name, [K.sx(x) for x in columns], [told])
        adds = []
        for k in range(len(kind.members)):
            v, z = kind.writes(k)
            adds.append([*(("tau", j) for j in v), *(("zdot", j) for j in z)])
        reads = [list(x) for x in kind.reads]
        program = read(function)
        return Work(name, program, kind.constants, ("t", "p"), reads, adds, function=function)

    @property
    def most(self) -> tuple[int, int]:
        """Most numbers that one member of any loop reads, and adds."""
        return (
            max((len(w.reads[0]) for w in self.works), default=0),
            max((len(w.adds[0]) for w in self.works), default=0),
        )

    @property
    def programs(self) -> dict[str, Program]:
        return {w.name: w.program for w in self.works}

    @property
    def operations(self) -> Counter:
        total: Counter = Counter()
        for w in self.works:
            for op, n in w.program.operations.items():
                total[op] += n * w.members
        return total

    @cached_property
    def stamp(self) -> str:
        words = [(w.program.stamp, w.tables()) for w in self.works]
        return hashlib.sha256(repr(words).encode()).hexdigest()

    def before(self, text) -> None:
        """What comes before the loops over links."""
        for w in self.works:
            w.write(text)

    def after(self, text) -> None:
        """What comes after them."""


def _straight(system, some: tuple[int, ...]) -> Any:
    """What elements add that are alone of their kind: a loop of one member."""
    from .formulas.motion import moment
    from .scene import Scene

    scene = Scene(system, Graph(), tuple(system.parameters))
    K, now = scene.K, moment(*(scene[x] for x in PORTS[:-1]))
    told, adds = [], []
    for port, column in zip(("tau", "zdot"), scene.motion.driven(now, some), strict=True):
        for i, x in enumerate(column):
            if not (isinstance(x, int | float) and x == 0):
                told.append(x)
                adds.append((port, i))
    given = [K.sx(vector(())), K.sx(vector(())), *(K.sx(scene[x]) for x in PORTS)]
    function = K.lib.Function("rest", given, [K.lib.densify(K.sx(vector(told)))])
    program = read(function)
    return Work("rest", program, np.zeros((1, 0)), PORTS, [[]], [adds], function=function)
