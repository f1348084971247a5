"""Rows of tables: the vertical step of a force law, the active interval of a driven table.

On a knot of a driven table there are two intervals, and the history of an element decides.
Equations FO.45, DF.13, CO.18.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..register import derived
from ..scalars import vector
from ..spatial import HALF
from ._contact_data import FrictionLaw
from .base import ConstraintElement


@dataclass(frozen=True, slots=True, eq=False)
class StepRow(ConstraintElement):
    """Rate of a weighted sum of coordinates with a vertical step of its force where it is `at`.

    The mode is 1 above the step, -1 below, 0 while it sticks.  FO.45, DF.13.
    """

    weights: tuple[tuple[int, int, Any], ...] = ()  # slot of q, of v, weight
    at: Any = 0

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray):
        return vector((sum((tree.K.number(w) * v[j] for _, j, w in self.weights), start=0),))

    def offset(self, tree: Any, q: np.ndarray):
        K = tree.K
        return sum((K.number(w) * q[i] for i, _, w in self.weights), start=0) - K.number(self.at)

    def pushed(self, tree: Any, side):
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
    """Rows of all steps of the law of a line of action on coordinates; `where` is its `Resolved`.

    >>> from torseur.forces import JointForce, Spring
    >>> step_rows(JointForce("f", "x", Spring(20.0)), None, ())
    []
    """
    if not line.law.steps():
        return []
    steps = line.law.steps()
    speeds = {j for _, j, _ in where.weights}
    on = tuple(k.index for k in links if speeds & set(range(k.v.start, k.v.stop)))
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


# ---- active interval of a driven table --------------------------------------------------------


def interval_slots(system: Any) -> dict[str, tuple[int, int]]:
    """History slots of the ends of the active interval, by the element that stores it."""
    stored, out = {c.keeper for c in system.held}, {}
    for e in system.elements:
        if e.name in stored:
            names = [n for n, _ in e.law.memory]
            low, high = (e.m.start + names.index(x) for x in ("low", "high"))
            out[e.name] = low, high
    return out


def inside(K: Any, low, high, t: Any) -> Any:
    """A time inside the active interval (low, high) [s]; the time itself if none is stored."""
    middle = low + K.call("min", high - low, 1.0) * HALF
    return K.select(K.less(low, high), middle, t)
