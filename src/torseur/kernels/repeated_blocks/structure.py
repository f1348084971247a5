"""What repeats in a mechanism with many loops: kinds of its parts, fronts of its saddle point."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from ...dynamics import frontal_factorization as fronts
from ...errors import TorseurError
from ...quantities import many_rows
from ...scalars import Graph, Value, vector
from ...system import Unlike, links_of, once
from .block_classes import ConstraintRows, Subtrees, constraint_kinds, subtrees, there
from .parallel_fronts import Strand, rest, strands

MEMBERS = 4  # of a kind, on average, from which something is won
LARGEST = 20_000  # operations of all fronts of different shapes


@once()
def structure(system) -> Structure | None:
    """What repeats in a system with loops; None where straight-line code serves it."""
    if (
        not many_rows(system)
        or system.switched
        or system.rheonomic
        or not system.parameters.keys() >= {*system.symbols}
        or system.layout.sees
    ):
        return None
    try:
        made = Structure(system)
    except (Unlike, TorseurError):  # what is wrong with a model, its straight-line code tells
        return None
    return made if made.repeats else None


def text(found: list[fronts.PivotGroup]) -> int:
    """Operations of fronts of different shapes."""
    return sum(p * (p + d) ** 2 for p, d in {f.shape for f in found})


class Structure:
    """Kinds of a system, and the fronts of its saddle point."""

    def __init__(self, system):
        self.system, links = system, links_of(system)
        self.trees, self.held = subtrees(links), constraint_kinds(links)
        if any((i, i) not in x.pattern for x in self.trees for i in range(x.tree.nv)):
            raise Unlike("a coordinate without inertia")
        sizes = np.zeros(len(system.held), dtype=int)
        for x in self.held:
            sizes[x.members] = x.size
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.first = starts[:-1]  # row of each constraint
        self.rows = int(starts[-1])

    @cached_property
    def named(self) -> dict[Value, int]:
        """Numbers that are made of parameters, each once, counted."""
        kinds: list[Any] = [*self.trees, *self.held]
        own = (x for kind in kinds for row in kind.template.named for x in row)
        return {x: k for k, x in enumerate(dict.fromkeys(own))}

    def places_of(self, kind: Subtrees | ConstraintRows) -> np.ndarray:
        """Which of these the members of a kind read, (members, numbers)."""
        rows = [[self.named[x] for x in row] for row in kind.template.named]
        return np.array(rows, dtype=np.int64).reshape(len(rows), -1)

    @cached_property
    def from_parameters(self) -> Any:
        """The `casadi.Function` that gives them."""
        K = Graph()
        p = K.symbols(self.system.parameters)
        K.parameters.update(zip(self.system.parameters, p, strict=True))
        found = K.sx(vector(map(K.number, self.named)))
        return K.lib.Function("named", [K.lib.SX(0, 1), K.sx(p)], [K.lib.densify(found)])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Of every row, such as "loop.about_x"."""
        own = {i: kind.names for kind in self.held for i in kind.members}
        return tuple(f"{e.name}.{n}" for i, e in enumerate(self.system.held) for n in own[i])

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """The constraint that each row is of."""
        sizes = {i: kind.size for kind in self.held for i in kind.members}
        return tuple(i for i in range(len(self.system.held)) for _ in range(sizes[i]))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Which rows are of positions."""
        return tuple(j for j, i in enumerate(self.owners) if not self.system.held[i].speeds)

    @property
    def repeats(self) -> bool:
        """Whether there are few kinds for what there is, and fronts of few shapes."""
        members = sum(len(x.q) for x in self.trees) + len(self.system.held)
        few = MEMBERS * (len(self.trees) + len(self.held)) <= members
        return few and text(self.fronts) + sum(text(x.fronts) for x in self.strands) <= LARGEST

    @cached_property
    def strands(self) -> list[Strand]:
        """Parts that are eliminated abreast, before the fronts of the rest."""
        own = [v for kind in self.trees for v in kind.v]
        sizes = {m: kind.size for kind in self.held for m in kind.members}
        first = [self.system.nv + int(x) for x in self.first]
        rows = [[*range(k, k + sizes[m])] for m, k in enumerate(first)]
        found = strands(self.pattern, own, rows)
        return found if sum(text(x.fronts) for x in found) <= LARGEST // 2 else []

    @cached_property
    def pattern(self) -> list[set[int]]:
        """Neighbors of every unknown, itself among them."""
        pattern: list[set[int]] = [{i} for i in range(self.system.nv + self.rows)]
        for i, j in self._entries():
            pattern[i].add(j)
            pattern[j].add(i)
        return pattern

    @cached_property
    def fronts(self) -> list[fronts.PivotGroup]:
        """Fronts of what is in no strand."""
        return rest(self.pattern, self.strands, self.system.nv)

    def _entries(self):
        """Places of the matrix that are filled."""
        nv = self.system.nv
        for tree in self.trees:
            for own in tree.v:
                yield from ((own[i], own[j]) for i, j in tree.pattern)
        for kind in self.held:
            filled = [(i, j) for i, row in enumerate(kind.J) for j, x in enumerate(row) if there(x)]
            for member, own in zip(kind.members, kind.v, strict=True):
                first = nv + int(self.first[member])
                yield from ((first + i, own[j]) for i, j in filled)
