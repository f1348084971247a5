"""Shafts between coordinates: springs and dampers whose numbers efforts are linear in.

Theory: ID.2.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..forces import Seen

UNITS = {"stiffness": ("N m/rad", "N/m"), "damping": ("N m s/rad", "N s/m")}


@dataclass(frozen=True, slots=True, eq=False)
class ShaftTerm:
    """One number of an element between coordinates, `x = sum of weight * coordinate`."""

    name: str
    unit: str
    element: Any
    number: str
    value: float  # as the model has it
    K: Any

    def add(self, tau, q, v, size) -> None:
        """Add the efforts that balance it, of this size, to (n, nv) in place."""
        weights = [(i, j, float(self.K.number(w))) for i, j, w in self.element.where.weights]
        x, rate = sum(w * q[:, i] for i, _, w in weights), sum(w * v[:, j] for _, j, w in weights)
        factor = np.asarray(self.element.law.shares(self.K, Seen(x, rate))[self.number], float)
        for _, j, w in weights:
            tau[:, j] += size * w * factor


def shafts(system) -> list[ShaftTerm]:
    """Numbers of all elements between two coordinates and more in proportion to which they pull."""
    K, out = system.floats().K, []
    for e in system.elements:
        weights = getattr(e.where, "weights", ())
        if len(weights) < 2:
            continue
        for number in e.law.shares(K, Seen(0.0, 0.0)):
            unit = UNITS[number][0 if e.where.unit == "rad" else 1]
            one = Seen(*((1.0, 0.0) if number == "stiffness" else (0.0, 1.0)))
            none = Seen(0.0, 0.0)
            pull = float(e.law.force(K, one)) - float(e.law.force(K, none))
            out.append(ShaftTerm(f"{e.name}.{number}", unit, e, number, pull, K))
    return out
