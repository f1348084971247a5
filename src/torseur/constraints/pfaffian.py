"""Pfaffian (nonholonomic) constraint from an expression linear in the speeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..errors import TorseurError
from ..scalars.values import value as values
from ._expression_rows import formula
from .base import Constraint, constraint


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Pfaffian(Constraint):
    """An expression of coordinates, speeds and `t`, linear in the speeds, that stays zero."""

    name: str
    expression: str

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        return (
            cls("c", "slide.speed*sin(turn.angle) - L*turn.rate*t + ball.rate1*slide.displacement"),
        )

    def drawn(self):
        return ({"shape": "coordinates", "text": self.expression, "looks": ("tie",)},)

    def rows(self, to: Any):
        where = to.where(self)
        value, q_used, v_used = to.expression(self.expression, where, speeds=True)
        if not v_used and value != 0:
            to.problems.append(f"{where}: {self.expression!r} has no speed in it; use ts.Holonomic")
        elif not _linear(value, q_used, v_used, to.nominals):
            to.problems.append(
                f"{where}: {self.expression!r} is not linear in {', '.join(to.speeds_in(v_used))}"
            )
        return [formula(self.name, ("rate",), ("1/s",), (value,), q_used, v_used, True)]


def _linear(value, q_used, v_used, parameters) -> bool:
    """Whether an expression is affine in its speeds, by values at four points."""
    at = parameters | {n: 0.37 + 0.21 * i for i, n in enumerate((*q_used, "t"))}
    speeds = {n: 0.53 + 0.31 * i for i, n in enumerate(v_used)}
    try:
        f = [
            values.nominal(value, at | {n: k * x for n, x in speeds.items()}) for k in (-1, 0, 1, 2)
        ]
    except (TorseurError, ArithmeticError, ValueError, LookupError):  # it has no value there
        return True
    curvatures = (f[0] - 2 * f[1] + f[2], f[1] - 2 * f[2] + f[3])
    return not max(map(abs, curvatures)) > 1e-9 * max(map(abs, f))
