"""A law on a sum of coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ...errors import unknown_name_message
from ...scalars.values import value
from ..base import line
from ._base import CoordinateLine, Resolved
from ._coordinates import coordinate_names, resolve_coordinates
from ._validation import law_problems, number_problems


@line
@dataclass(frozen=True, slots=True, eq=False)
class CoordinateForce(CoordinateLine):
    """A law on a sum of coordinates: `x = sum(weight * coordinate)`, as in gears and drives.

    >>> from torseur.forces import Spring
    >>> CoordinateForce("shaft", {"motor.angle": 1, "arm.angle": -1}, Spring(1e4)).weights
    (('motor.angle', 1), ('arm.angle', -1))
    """

    name: str
    weights: tuple[Any, ...]
    law: Any
    key: ClassVar = "weights"

    def __init__(self, name: str, weights: Any, law: Any):
        object.__setattr__(self, "name", name)
        pairs = weights.items() if hasattr(weights, "items") else weights
        object.__setattr__(self, "weights", tuple((a, b) for a, b in pairs))
        object.__setattr__(self, "law", law)

    def problems(self, model):
        where = f"force {self.name!r}"
        yield from law_problems(model, self.law, where, steps=True)
        names = coordinate_names(model)
        if not self.weights:
            yield f"{where}: weights: name at least one coordinate, {{'elbow.angle': 1}}"
        for name, weight in self.weights:
            if name not in names:
                yield unknown_name_message("coordinate", name, names, where)
            yield from number_problems(model, weight, (), f"{where}, weight of {name!r}")

    def resolved(self, system):
        slots = resolve_coordinates(system, [n for n, _ in self.weights])
        pairs = zip(slots, self.weights, strict=True)
        weights = tuple((i, j, value.exact(w)) for (i, j, _), (_, w) in pairs)
        return Resolved(weights=weights, unit=slots[0][2])

    def drawn(self):
        names = tuple(n for n, _ in self.weights)
        return ({"shape": "coordinates", "names": names, "looks": self.looks},)

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        from ..laws.spring import Spring

        return (cls("f", {"turn.angle": 1, "slide.displacement": -2.5}, Spring(10.0)),)
