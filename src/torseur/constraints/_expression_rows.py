"""Constraint rows from expressions of coordinates, speeds and time, and linear relations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..register import derived
from ..scalars import Bound, Value, vector
from ..scalars.values import value
from .base import Constraint, ConstraintElement, parameters


@dataclass(frozen=True, slots=True, eq=False)
class Formula(ConstraintElement):
    """Rows whose residuals are expressions of coordinates, speeds and time."""

    expressions: tuple = ()
    coordinates: tuple = ()  # (symbol in the expression, slot of q)
    rates: tuple = ()  # (symbol, slot of v)

    def _evaluate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray | None = None):
        """Values of the expressions."""
        names = {n: q[i] for n, i in self.coordinates} | {"t": t}
        names |= {n: v[i] for n, i in self.rates} if v is not None else {}
        bound = Bound(tree.K, names)
        return vector(bound.number(e) for e in self.expressions)

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return self._evaluate(tree, t, q)

    def rate(self, tree: Any, t: Any, q: np.ndarray, v: np.ndarray):
        return self._evaluate(tree, t, q, v)

    def numbers(self):
        return parameters(self.expressions, ("t", *dict(self.coordinates), *dict(self.rates)))

    @derived
    def formulas(self):
        return self.expressions

    @derived
    def drives(self) -> bool:
        return any(isinstance(e, Value) and "t" in value.symbols(e) for e in self.expressions)


def formula(name, labels, units, expressions, q_used, v_used=(), speeds=False, friction=None):
    """A `Formula` whose names were resolved by `to.expression`."""
    links = {k for _, k, _ in (*q_used.values(), *dict(v_used).values())}
    return Formula(
        name,
        tuple(sorted(links)),
        labels,
        units,
        speeds,
        expressions=expressions,
        coordinates=tuple((n, i) for n, (i, *_) in q_used.items()),
        rates=tuple((n, i) for n, (i, *_) in dict(v_used).items()),
        friction=friction,
    )


class Relation(Constraint):
    """Linear relation of coordinates: the sum of `ratio * coordinate` over `ratios` is `offset`."""

    __slots__ = ()
    ratios: Any
    offset: Any

    def drawn(self):
        names = tuple(self.ratios)
        ratios = tuple(self.ratios.values())
        return ({"shape": "coordinates", "names": names, "ratios": ratios, "looks": ("gear",)},)

    def rows(self, to: Any):
        where = to.where(self)
        total, slots = -to.number(self.offset, f"{where}, offset"), {}
        for i, (name, ratio) in enumerate(self.ratios.items()):
            slots[f"x_{i}"] = to.coordinate(name, where)
            total = value.symbol(f"x_{i}") * to.number(ratio, f"{where}, ratio") + total
        unit = _relation_unit(self.ratios, slots)
        return [formula(self.name, ("relation",), (unit,), (total,), slots)]


def _relation_unit(ratios, slots) -> str:
    """Unit of the residual: that of a coordinate with ratio 1 (of a rack), or of all of them."""
    units = [unit for _, _, unit in slots.values()]
    unscaled = [unit for unit, x in zip(units, ratios.values(), strict=True) if x == 1]
    return unscaled[0] if unscaled else units[0] if len({*units}) == 1 else "1"


def minus(x: Any) -> Any:
    """`-x` of a number, or of the text of an expression."""
    return f"-({x})" if isinstance(x, str) else -x
