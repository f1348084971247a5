"""Equations people read: exact, in normal form, printed and exported."""

from .equations import Equations, equations
from .evaluate import sum_values
from .expression import ExactExpression, ExpressionTable
from .identifiable_parameters import base_parameters
from .print.columns import multiplier, printed_rows, rows
from .print.mathml import mathml
from .regressor import regressor
from .ring import Symbols, open_ring

FORMALISM_NAMES: tuple[str, ...]  # made when asked, since reading them loads every formalism

__all__ = [
    "FORMALISM_NAMES",
    "Equations",
    "ExactExpression",
    "ExpressionTable",
    "Symbols",
    "base_parameters",
    "equations",
    "mathml",
    "multiplier",
    "open_ring",
    "printed_rows",
    "regressor",
    "rows",
    "sum_values",
]


def __getattr__(name: str):
    if name == "FORMALISM_NAMES":  # by name, the usual one first
        from ..formalisms import FORMALISMS

        return tuple(sorted(FORMALISMS, key=lambda n: (n != "newton_euler", n)))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
