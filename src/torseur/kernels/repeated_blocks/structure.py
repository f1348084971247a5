"""Structure of a mechanism with many loops: classes of equal parts, fronts of the KKT system."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np

from ...dynamics import frontal_factorization as fronts
from ...scalars import Graph, Value, vector
from ...system import NotEquivalent, System, links_of, once
from .. import thresholds
from .block_classes import ConstraintClass, SubtreeClass, constraint_classes, is_nonzero, subtrees
from .parallel_fronts import Strand, remaining_fronts, strands


@once()
def analyze_structure(system: System) -> BlockStructure:
    """Classes of equal parts of a system.

    Raises `NotEquivalent` where parts cannot be compared.
    """
    return BlockStructure(system)


def count_front_operations(groups: list[fronts.PivotGroup]) -> int:
    """Operations of fronts of different shapes."""
    return sum(p * (p + d) ** 2 for p, d in {f.shape for f in groups})


class BlockStructure:
    """Classes of a system, and the fronts of its KKT system."""

    def __init__(self, system: System):
        self.system, links = system, links_of(system)
        self.trees, self.constraints = subtrees(links), constraint_classes(links)
        if any((i, i) not in x.pattern for x in self.trees for i in range(x.tree.nv)):
            raise NotEquivalent("a coordinate without inertia")
        sizes = np.zeros(len(system.held), dtype=int)
        for x in self.constraints:
            sizes[x.members] = x.size
        starts = np.concatenate([[0], np.cumsum(sizes)])
        self.first = starts[:-1]  # row of each constraint
        self.rows = int(starts[-1])

    @cached_property
    def named(self) -> dict[Value, int]:
        """Expressions of parameters, each once, numbered."""
        classes: list[Any] = [*self.trees, *self.constraints]
        expressions = (x for c in classes for row in c.template.named for x in row)
        return {x: k for k, x in enumerate(dict.fromkeys(expressions))}

    def named_indices(self, block_class: SubtreeClass | ConstraintClass) -> np.ndarray:
        """Numbers of the expressions that the members of a class read, (members, numbers)."""
        rows = [[self.named[x] for x in row] for row in block_class.template.named]
        return np.array(rows, dtype=np.int64).reshape(len(rows), -1)

    @cached_property
    def from_parameters(self) -> Any:
        """The `casadi.Function` that evaluates them."""
        K = Graph()
        p = K.symbols(self.system.parameters)
        K.parameters.update(zip(self.system.parameters, p, strict=True))
        values = K.sx(vector(map(K.number, self.named)))
        return K.lib.Function("named", [K.lib.SX(0, 1), K.sx(p)], [K.lib.densify(values)])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Name of every row, such as "loop.about_x"."""
        labels = {i: c.names for c in self.constraints for i in c.members}
        return tuple(f"{e.name}.{n}" for i, e in enumerate(self.system.held) for n in labels[i])

    @cached_property
    def owners(self) -> tuple[int, ...]:
        """Index of the constraint of each row."""
        sizes = {i: c.size for c in self.constraints for i in c.members}
        return tuple(i for i in range(len(self.system.held)) for _ in range(sizes[i]))

    @cached_property
    def places(self) -> tuple[int, ...]:
        """Indices of the rows of positions."""
        return tuple(j for j, i in enumerate(self.owners) if not self.system.held[i].speeds)

    @property
    def class_count(self) -> int:
        return len(self.trees) + len(self.constraints)

    @property
    def member_count(self) -> int:
        return sum(len(x.q) for x in self.trees) + len(self.system.held)

    @property
    def front_operations(self) -> int:
        """Operations of all fronts of different shapes."""
        parallel = sum(count_front_operations(x.fronts) for x in self.strands)
        return count_front_operations(self.fronts) + parallel

    @cached_property
    def strands(self) -> list[Strand]:
        """Parts that are eliminated in SIMD lanes, before the fronts of the rest."""
        trees = [v for c in self.trees for v in c.v]
        sizes = {m: c.size for c in self.constraints for m in c.members}
        first = [self.system.nv + int(x) for x in self.first]
        rows = [[*range(k, k + sizes[m])] for m, k in enumerate(first)]
        parts = strands(self.pattern, trees, rows)
        operations = sum(count_front_operations(x.fronts) for x in parts)
        return parts if operations <= thresholds.MAX_FRONT_OPERATIONS // 2 else []

    @cached_property
    def pattern(self) -> list[set[int]]:
        """Neighbors of every unknown of the KKT system, itself among them."""
        pattern: list[set[int]] = [{i} for i in range(self.system.nv + self.rows)]
        for i, j in self._entries():
            pattern[i].add(j)
            pattern[j].add(i)
        return pattern

    @cached_property
    def fronts(self) -> list[fronts.PivotGroup]:
        """Fronts of the unknowns that are in no strand."""
        return remaining_fronts(self.pattern, self.strands, self.system.nv)

    def _entries(self) -> Iterator[tuple[int, int]]:
        """Nonzero entries of the matrix, by unknowns."""
        nv = self.system.nv
        for tree in self.trees:
            for v in tree.v:
                yield from ((v[i], v[j]) for i, j in tree.pattern)
        for c in self.constraints:
            nonzeros = [
                (i, j) for i, row in enumerate(c.J) for j, x in enumerate(row) if is_nonzero(x)
            ]
            for member, v in zip(c.members, c.v, strict=True):
                first = nv + int(self.first[member])
                yield from ((first + i, v[j]) for i, j in nonzeros)
