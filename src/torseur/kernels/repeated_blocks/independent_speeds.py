"""Which speeds of a mechanism with many loops lead, mechanism by mechanism.

Independent speeds of mechanisms that do not meet are solved for at once: as many solutions are
asked for as one of them has independent speeds, however many there are.  Theory: CS.1, CS.8.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from ...system import once
from .frontal_factorization import PivotGroup
from .parallel_fronts import Strand, rest, strands
from .structure import LARGEST, Structure, structure, text

MOST = 6  # independent speeds of one mechanism; with more, straight-line code serves it


@once()
def led(system, dependent: tuple[int, ...]) -> LedSpeeds | None:
    """What is solved for when these speeds follow; None where straight-line code serves it."""
    s = structure(system)
    if s is None or not dependent:
        return None
    made = LedSpeeds(s, dependent)
    return made if made.turns <= MOST and made.size <= LARGEST else None


class LedSpeeds:
    """Dependent and independent speeds, and the fronts of the equation that the former follow by.

    Its unknowns are the rows, then the dependent speeds.
    """

    def __init__(self, s: Structure, dependent: tuple[int, ...]):
        self.s, self.dependent = s, dependent
        self.number = {j: s.rows + k for k, j in enumerate(dependent)}
        self.independent = [j for j in range(s.system.nv) if j not in self.number]

    @cached_property
    def mechanism(self) -> list[int]:
        """Of each speed the first unknown of the mechanism that it belongs to."""
        pattern = self.s.pattern
        first = [-1] * len(pattern)
        for start in range(len(pattern)):
            queue = [start] if first[start] < 0 else []
            for i in queue:
                if first[i] < 0:
                    first[i] = start
                    queue.extend(j for j in pattern[i] if first[j] < 0)
        return first[: self.s.system.nv]

    @cached_property
    def turn(self) -> dict[int, int]:
        """Of each independent speed its number among those of its mechanism."""
        count: dict[int, int] = {}
        out = {}
        for j in self.independent:
            out[j] = count.get(self.mechanism[j], 0)
            count[self.mechanism[j]] = out[j] + 1
        return out

    @property
    def turns(self) -> int:
        """Most independent speeds of one mechanism."""
        return 1 + max(self.turn.values(), default=-1)

    @cached_property
    def leaders(self) -> dict[tuple[int, int], int]:
        """The independent speed of a mechanism and a turn."""
        return {(self.mechanism[j], k): j for j, k in self.turn.items()}

    @property
    def size(self) -> int:
        return text(self.fronts) + sum(text(x.fronts) for x in self.strands)

    @cached_property
    def pattern(self) -> list[set[int]]:
        """Neighbors in `[[c, J_D], [J_D', -e]]`, each itself among them."""
        n, nv = self.s.rows, self.s.system.nv
        out = [{i} for i in range(n + len(self.dependent))]
        for j, k in self.number.items():
            for i in (i - nv for i in self.s.pattern[j] if i >= nv):
                out[i].add(k)
                out[k].add(i)
        return out

    @cached_property
    def strands(self) -> list[Strand]:
        """Parts that are eliminated abreast."""
        owners = np.array(self.s.owners)
        rows = [np.flatnonzero(owners == i).tolist() for i in range(len(self.s.system.held))]
        own = ([self.number[j] for j in v if j in self.number] for x in self.s.trees for v in x.v)
        found = strands(self.pattern, [x for x in rows if x], [x for x in own if x])
        return found if sum(text(x.fronts) for x in found) <= LARGEST // 2 else []

    @cached_property
    def fronts(self) -> list[PivotGroup]:
        """Fronts of what is in no strand: rows before the speeds that follow them."""
        return rest(self.pattern, self.strands, self.s.rows)

    @cached_property
    def inner(self) -> list[PivotGroup]:
        """Of the equation of independent speeds, each mechanism a front."""
        groups: dict[int, list[int]] = {}
        for j in self.independent:
            groups.setdefault(self.mechanism[j], []).append(j)
        return [PivotGroup(tuple(own), ()) for own in groups.values()]
