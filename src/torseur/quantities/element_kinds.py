"""Force elements that are alike, as one small program each, for loops over many of them.

An element that acts along coordinates sees a few numbers of the state and adds to a few others.
Elements whose laws differ in their numbers alone share a program; tables say where each member
reads and writes.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ..dynamics import Moment, kept
from ..forces import lifted
from ..numbers import Graph, vector

FEWEST = 8  # elements of one kind that are worth a loop

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
    kinds = [_kind(system, g) for g in groups.values() if len(g) >= FEWEST]
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
