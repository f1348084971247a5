"""Loops over force elements of a kind, and what is left of elements as straight-line code."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...compiler import Program, read
from ...dynamics import Moment, kept
from ...forces import lifted
from ...quantities import PORTS
from ...scalars import Graph, vector
from .. import thresholds

# --------------------------------------------------------------------------------------------
# Force elements that are alike, as one small program each, for loops over many of them.
#
# An element that acts along coordinates sees a few numbers of the state and adds to a few others.
# Elements whose laws differ in their numbers alone share a program; tables say where each member
# reads and writes.


Address = tuple[str, int]  # a place of the state, and a slot there


class Read(NamedTuple):
    """Where one element reads: local slots of each place, and what the element is locally."""

    at: tuple[Address, ...]  # in the order of q, v, z, m, u
    element: Any


def _local(e) -> Read:
    """An element over columns that hold what it sees and nothing else."""
    slots: dict[str, list[int]] = {place: [] for place in "qvzmu"}

    def slot(place, i):
        own = slots[place]
        if i not in own:
            own.append(i)
        return own.index(i)

    weights = tuple((i if i is None else slot("q", i), slot("v", j), w) for i, j, w in e.weights)
    u = tuple(slot("u", i) for i in e.u)
    seen = tuple((place, slot(place, i)) for place, i in e.seen)
    slots["z"], slots["m"] = list(range(e.z.start, e.z.stop)), list(range(e.m.start, e.m.stop))
    local = replace(
        e,
        where=e.where._replace(weights=weights),
        z=slice(0, len(slots["z"])),
        m=slice(0, len(slots["m"])),
        u=u,
        seen=seen,
        lists=(),
        d=range(0),
    )
    return Read(tuple((place, i) for place in "qvzmu" for i in slots[place]), local)


@dataclass(frozen=True, eq=False)
class ElementKind:
    """Elements alike but for their numbers and slots."""

    system: Any
    members: tuple[int, ...]  # indices of elements
    constants: np.ndarray  # (members, numbers that differ)
    reads: tuple[tuple[Address, ...], ...]  # of each member
    local: Any  # the first element, over its own columns; names for numbers that differ
    names: tuple[str, ...]

    @cached_property
    def size(self) -> int:
        """Numbers of the state that one of them reads."""
        return len(self.reads[0])

    def count(self, place: str) -> int:
        """How many of them are of one place."""
        return sum(p == place for p, _ in self.reads[0])

    @cached_property
    def traced(self):
        """Its graph: scalars, columns (constants, seen, t, p) and what it adds where."""
        K = Graph()
        p, c = K.symbols(self.system.parameters), K.symbols(self.names)
        K.parameters.update(zip(self.system.parameters, p, strict=True))
        K.parameters.update(zip(self.names, c, strict=True))
        x, t = K.symbols(f"{place}{i}" for i, (place, _) in enumerate(self.reads[0])), K.symbol("t")
        parts = {
            place: vector(e for e, (at, _) in zip(x, self.reads[0], strict=True) if at == place)
            for place in "qvzmu"
        }
        now = Moment(t, *parts.values())
        acting = self.local.act(K, [], now)
        efforts = [(("v", j), x) for j, x in acting.efforts]
        books = kept(K, self.system, self.members[0], acting, self.local.law)
        added = [(("z", slot), x) for slot, x in books]
        return K, (c, x, vector((t,)), p), efforts, added

    def writes(self, k: int) -> tuple[list[int], list[int]]:
        """Slots of v and of z that member k adds to, in the order of `traced`."""
        member = self.members[k]
        own = [i for place, i in self.reads[k] if place == "v"]
        _, _, efforts, added = self.traced
        e, at = self.system.elements[member], self.system.layout
        books = [at.books.start, at.books.start + 1, *(s for _, s in at.own_books.get(member, ()))]
        z = [*range(e.z.start, e.z.stop), *books]
        assert len(z) == len(added)
        return [own[j] for (_, j), _ in efforts], z


def element_kinds(system) -> tuple[tuple[ElementKind, ...], tuple[int, ...]]:
    """Kinds with many members, and the indices of all other elements."""
    groups: dict[tuple, list] = {}
    if not system.layout.sees:
        for i, e in enumerate(system.elements):
            if e.line.weighted and e.law is not None:
                law, numbers = _lifted(e.law)
                at, local = _local(e)
                shape = [p for p, _ in at]
                key = (repr(law), repr(local.where), local.u, local.seen, *shape)
                books = [what for what, _ in system.layout.own_books.get(i, ())]
                groups.setdefault((key, *books), []).append((i, law, numbers, at, local))
    kinds = [_kind(system, g) for g in groups.values() if len(g) >= thresholds.MIN_EQUAL_ELEMENTS]
    looped = {i for kind in kinds for i in kind.members}
    return tuple(kinds), tuple(i for i in range(len(system.elements)) if i not in looped)


def _lifted(law) -> tuple[Any, list[float]]:
    """A law with names for its numbers, and the numbers."""
    numbers: list[float] = []

    def take(x: float) -> str:
        numbers.append(x)
        return f"_c{len(numbers) - 1}_"

    return lifted(law, take), numbers


def _kind(system, group) -> ElementKind:
    members, laws, numbers, reads, locals_ = zip(*group, strict=True)
    table = np.array(numbers, dtype=float).reshape(len(group), -1)
    varied = np.flatnonzero((table != table[0]).any(axis=0))
    same = {f"_c{j}_": numbers[0][j] for j in range(table.shape[1]) if j not in varied}
    law = laws[0].at(same) if len(varied) else locals_[0].law
    local = replace(locals_[0], law=law, line=replace(locals_[0].line, law=law))
    names = tuple(f"_c{j}_" for j in varied)
    return ElementKind(system, members, table[:, varied], reads, local, names)


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
    from ...quantities import Scene, moment

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
