"""Rows that are expressions of coordinates, speeds and time."""

from __future__ import annotations

from dataclasses import dataclass

from ..register import derived
from ..scalars import Bound, Value, vector
from ..scalars.values import value
from .base import ConstraintElement, parameters


@dataclass(frozen=True, slots=True, eq=False)
class Formula(ConstraintElement):
    """Expressions of coordinates (and speeds) of the system, and of time."""

    expressions: tuple = ()
    coordinates: tuple = ()  # (symbol in the expression, slot of q)
    rates: tuple = ()  # (symbol, slot of v)

    def _evaluate(self, tree, t, q, v=None):
        names = {n: q[i] for n, i in self.coordinates} | {"t": t}
        names |= {n: v[i] for n, i in self.rates} if v is not None else {}
        bound = Bound(tree.K, names)
        return vector(bound.number(e) for e in self.expressions)

    def residual(self, tree, t, q):
        return self._evaluate(tree, t, q)

    def rate(self, tree, t, q, v):
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
    """An element of expressions whose names were resolved by `to.expression`."""
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
