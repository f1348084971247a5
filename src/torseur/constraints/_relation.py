"""Linear relations of coordinates: what couplings, gears, racks, screws and copies share."""

from __future__ import annotations

from typing import Any

from ..scalars.values import value
from ._expression_rows import formula
from .base import Constraint


class Relation(Constraint):
    """The sum of `ratio * coordinate` over `ratios` is `offset`."""

    __slots__ = ()
    ratios: Any
    offset: Any

    def drawn(self):
        names = tuple(self.ratios)
        ratios = tuple(self.ratios.values())
        return ({"shape": "coordinates", "names": names, "ratios": ratios, "looks": ("gear",)},)

    def rows(self, to):
        where = to.where(self)
        total, used = -to.number(self.offset, f"{where}, offset"), {}
        for i, (name, ratio) in enumerate(self.ratios.items()):
            used[f"x_{i}"] = to.coordinate(name, where)
            total = value.symbol(f"x_{i}") * to.number(ratio, f"{where}, ratio") + total
        return [formula(self.name, ("relation",), (_unit(self.ratios, used),), (total,), used)]


def _unit(ratios, used) -> str:
    """Of a linear relation: that of a coordinate taken once (a rack's), or of all of them."""
    units = [unit for _, _, unit in used.values()]
    once = [unit for unit, x in zip(units, ratios.values(), strict=True) if x == 1]
    return once[0] if once else units[0] if len({*units}) == 1 else "1"


def minus(x):
    """`-x` of a number, or of the text of an expression."""
    return f"-({x})" if isinstance(x, str) else -x
