"""The vertical step of a table: a row that sticks, or pushes back to it from either side."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ..register import derived
from ..scalars import vector
from ._contact_data import FrictionLaw
from .base import ConstraintElement


@dataclass(frozen=True, slots=True, eq=False)
class StepRow(ConstraintElement):
    """Rate of a weighted sum of coordinates, with a step where the sum has the value `at`.

    Its mode is the side it is on, 1 above, -1 below, 0 while it sticks.  Theory: FO.45, DF.13.
    """

    weights: tuple[tuple[int, int, Any], ...] = ()  # slot of q, of v, weight
    at: Any = 0

    def rate(self, tree, t, q, v):
        return vector((sum((tree.K.number(w) * v[j] for _, j, w in self.weights), start=0),))

    def offset(self, tree, q):
        K = tree.K
        return sum((K.number(w) * q[i] for i, _, w in self.weights), start=0) - K.number(self.at)

    def pushed(self, tree, side):
        half = float(tree.K.number(self.friction.static))
        return [(j, -side * half * float(tree.K.number(w))) for _, j, w in self.weights]  # FO.45

    @derived
    def stores(self) -> bool:
        return True

    @derived
    def watched(self):
        return (("meets the step", self.units[0].removesuffix("/s"), True, 2),
                ("leaves the step", self.efforts[0], True))  # fmt: skip

    def numbers(self):
        return (self.at, *(w for _, _, w in self.weights))


def step_rows(line: Any, where: Any, links: Iterable[Any]) -> list[StepRow]:
    """A row for every step of the law of a line on coordinates; `where` it acts (`Resolved`).

    >>> from torseur.forces import JointForce, Spring
    >>> step_rows(JointForce("f", "x", Spring(20.0)), None, ())
    []
    """
    if not line.law.steps():
        return []
    steps = line.law.steps()
    own = {j for _, j, _ in where.weights}
    on = tuple(k.index for k in links if own & set(range(k.v.start, k.v.stop)))
    return [
        StepRow(
            f"{line.name}.step{i if len(steps) > 1 else ''}",
            on,
            ("step",),
            (f"{where.unit}/s",),
            True,
            FrictionLaw(h, h),
            weights=where.weights,
            at=x,
        )
        for i, (x, h) in enumerate(steps, 1)
    ]
