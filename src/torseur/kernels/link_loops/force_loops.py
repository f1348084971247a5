"""Loops over equal force elements, and straight-line code for the other elements."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...compiler import Program, read
from ...dynamics import Moment, kept
from ...forces import replace_numbers
from ...quantities import PORTS
from ...scalars import Graph, vector
from .. import thresholds

if TYPE_CHECKING:
    from ...system import System

Address = tuple[str, int]  # an array of the state, and a slot in it


class LocalElement(NamedTuple):
    """An element over columns of the numbers that it reads, and their addresses in the state."""

    addresses: tuple[Address, ...]  # in the order of q, v, z, m, u
    element: Any


def localize_element(e: Any) -> LocalElement:
    """An element over columns that hold the numbers it reads and nothing else."""
    slots: dict[str, list[int]] = {array: [] for array in "qvzmu"}

    def slot(array, i):
        indices = slots[array]
        if i not in indices:
            indices.append(i)
        return indices.index(i)

    weights = tuple((i if i is None else slot("q", i), slot("v", j), w) for i, j, w in e.weights)
    u = tuple(slot("u", i) for i in e.u)
    read = tuple((array, slot(array, i)) for array, i in e.seen)
    slots["z"], slots["m"] = list(range(e.z.start, e.z.stop)), list(range(e.m.start, e.m.stop))
    local = replace(
        e,
        where=e.where._replace(weights=weights),
        z=slice(0, len(slots["z"])),
        m=slice(0, len(slots["m"])),
        u=u,
        seen=read,
        lists=(),
        d=range(0),
    )
    return LocalElement(tuple((array, i) for array in "qvzmu" for i in slots[array]), local)


@dataclass(frozen=True, eq=False)
class ElementClass:
    """Elements that differ in numbers and slots alone."""

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

    def count(self, array: str) -> int:
        """How many of them are in one array of the state."""
        return sum(p == array for p, _ in self.reads[0])

    @cached_property
    def traced(self):
        """Its graph: scalars, columns (constants, state read, t, p), efforts and rates."""
        K = Graph()
        p, c = K.symbols(self.system.parameters), K.symbols(self.names)
        K.parameters.update(zip(self.system.parameters, p, strict=True))
        K.parameters.update(zip(self.names, c, strict=True))
        x, t = K.symbols(f"{array}{i}" for i, (array, _) in enumerate(self.reads[0])), K.symbol("t")
        parts = {
            array: vector(
                e for e, (array_of, _) in zip(x, self.reads[0], strict=True) if array_of == array
            )
            for array in "qvzmu"
        }
        state = Moment(t, *parts.values())
        action = self.local.act(K, [], state)
        efforts = [(("v", j), x) for j, x in action.efforts]
        energies = kept(K, self.system, self.members[0], action, self.local.law)
        added = [(("z", slot), x) for slot, x in energies]
        return K, (c, x, vector((t,)), p), efforts, added

    def writes(self, k: int) -> tuple[list[int], list[int]]:
        """Slots of v and of z that member k adds to, in the order of `traced`."""
        member = self.members[k]
        speeds = [i for array, i in self.reads[k] if array == "v"]
        _, _, efforts, added = self.traced
        e, layout = self.system.elements[member], self.system.layout
        energies = [
            layout.books.start,
            layout.books.start + 1,
            *(s for _, s in layout.element_energies.get(member, ())),
        ]
        z = [*range(e.z.start, e.z.stop), *energies]
        assert len(z) == len(added)
        return [speeds[j] for (_, j), _ in efforts], z


def classify_elements(system: System) -> tuple[tuple[ElementClass, ...], tuple[int, ...]]:
    """Classes with many members, and the indices of all other elements."""
    groups: dict[tuple, list] = {}
    if not system.layout.sees:
        for i, e in enumerate(system.elements):
            if e.line.weighted and e.law is not None:
                law, numbers = lift_numbers(e.law)
                addresses, local = localize_element(e)
                shape = [p for p, _ in addresses]
                key = (repr(law), repr(local.where), local.u, local.seen, *shape)
                energies = [what for what, _ in system.layout.element_energies.get(i, ())]
                groups.setdefault((key, *energies), []).append((i, law, numbers, addresses, local))
    classes = [
        _build_class(system, g) for g in groups.values() if len(g) >= thresholds.MIN_EQUAL_ELEMENTS
    ]
    in_loops = {i for kind in classes for i in kind.members}
    return tuple(classes), tuple(i for i in range(len(system.elements)) if i not in in_loops)


def lift_numbers(law) -> tuple[Any, list[float]]:
    """A law with names in place of its numbers, and the numbers."""
    numbers: list[float] = []

    def take(x: float) -> str:
        numbers.append(x)
        return f"_c{len(numbers) - 1}_"

    return replace_numbers(law, take), numbers


def _build_class(system: System, group) -> ElementClass:
    """The class of some elements: numbers that differ become symbols."""
    members, laws, numbers, reads, elements = zip(*group, strict=True)
    table = np.array(numbers, dtype=float).reshape(len(group), -1)
    differing = np.flatnonzero((table != table[0]).any(axis=0))
    equal = {f"_c{j}_": numbers[0][j] for j in range(table.shape[1]) if j not in differing}
    law = laws[0].at(equal) if len(differing) else elements[0].law
    local = replace(elements[0], law=law, line=replace(elements[0].line, law=law))
    names = tuple(f"_c{j}_" for j in differing)
    return ElementClass(system, members, table[:, differing], reads, local, names)


class MemberStorage(NamedTuple):
    """Numbers of the port W that each member has: first slot and count."""

    start: int
    width: int
    reading: bool  # or written


class ElementLoop(NamedTuple):
    """One loop over the members of a class: a program, and slots of each member.

    Inputs of the program are constants, the numbers read and `whole` ports.
    """

    name: str
    program: Program
    constants: np.ndarray  # (members, n)
    whole: tuple[str, ...]
    reads: list[list[tuple[str, int]]]  # of each member: column and slot
    adds: list[list[tuple[str, int]]]
    own: MemberStorage | None = None
    function: Any = None  # that the program was read from

    @property
    def members(self) -> int:
        return len(self.reads)

    def write(self, text: Any) -> None:
        """The loop, as lines of a `LinkLoopWriter` whose `ports` are the columns."""
        read_columns, added_columns = [p for p, _ in self.reads[0]], [p for p, _ in self.adds[0]]
        width, stride = len(read_columns) + len(added_columns), self.constants.shape[1]

        def index(i, k):
            row = text.value(f"mul i64 {i}, {width}")
            address = text.value(f"add i64 {row}, {k}")
            place = text.value(f"getelementptr i64, ptr @{self.name}.at, i64 {address}")
            return text.value(f"load i64, ptr {place}")

        def member(i):
            """Write the body of the loop for member i."""
            for k, port in enumerate(read_columns):
                x = text.value(f"load double, ptr {text.at(text.ports[port], index(i, k))}")
                text.line(f"store double {x}, ptr {text.at('%seen', str(k))}")
            const = text.at(f"@{self.name}.const", i, stride)
            arguments = [const, "%seen", *(text.ports[p] for p in self.whole)]
            storage = [self._storage_address(text, i)] if self.own else []
            arguments += (
                [*storage, "%told"] if self.own and self.own.reading else ["%told", *storage]
            )
            text.line(f"call void @{self.name}({', '.join(f'ptr {x}' for x in arguments)})")
            for k, port in enumerate(added_columns):
                address = text.at(text.ports[port], index(i, len(read_columns) + k))
                x = text.value(f"load double, ptr {address}")
                y = text.value(f"load double, ptr {text.at('%told', str(k))}")
                text.line(f"store double {text.value(f'fadd double {x}, {y}')}, ptr {address}")

        text.loop(self.members, member)

    def _storage_address(self, text: Any, i) -> str:
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
    """Loops over all force elements of a system, for the flow."""

    own = 0  # numbers of the port W

    def __init__(self, system: System):
        kinds, rest = classify_elements(system)
        self.works = [self._build_loop(kind, f"e{j}") for j, kind in enumerate(kinds)]
        if rest:
            self.works.append(build_straight_line(system, rest))

    @staticmethod
    def _build_loop(element_class: ElementClass, name: str) -> ElementLoop:
        """The loop over the members of a class."""
        K, columns, efforts, added = element_class.traced
        results = K.lib.densify(K.sx(vector(x for _, x in (*efforts, *added))))
        function = K.lib.Function(name, [K.sx(x) for x in columns], [results])
        adds = []
        for k in range(len(element_class.members)):
            v, z = element_class.writes(k)
            adds.append([*(("tau", j) for j in v), *(("zdot", j) for j in z)])
        reads = [list(x) for x in element_class.reads]
        program = read(function)
        return ElementLoop(
            name, program, element_class.constants, ("t", "p"), reads, adds, function=function
        )

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

    def before(self, text: Any) -> None:
        """Write the loops before those over links."""
        for w in self.works:
            w.write(text)

    def after(self, text: Any) -> None:
        """Write the loops after them."""


def build_straight_line(system: System, elements: tuple[int, ...]) -> Any:
    """Straight-line code of elements of small classes, as a loop of one member."""
    from ...quantities import SymbolicSystem, moment

    scene = SymbolicSystem(system, Graph(), tuple(system.parameters))
    K, state = scene.K, moment(*(scene[x] for x in PORTS[:-1]))
    results, adds = [], []
    for port, column in zip(("tau", "zdot"), scene.motion.driven(state, elements), strict=True):
        for i, x in enumerate(column):
            if not (isinstance(x, int | float) and x == 0):
                results.append(x)
                adds.append((port, i))
    columns = [K.sx(vector(())), K.sx(vector(())), *(K.sx(scene[x]) for x in PORTS)]
    function = K.lib.Function("rest", columns, [K.lib.densify(K.sx(vector(results)))])
    program = read(function)
    return ElementLoop("rest", program, np.zeros((1, 0)), PORTS, [[]], [adds], function=function)
