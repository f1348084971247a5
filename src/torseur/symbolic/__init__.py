"""Equations people read: exact, in normal form, printed and exported."""

from .equations import Equations
from .expression import Expression, Table
from .generate import equations
from .print.layout import rows
from .print.mathml import mathml
from .regressor import regressor
from .ring import Symbols, symbols

__all__ = [
    "FORMALISMS",
    "Equations",
    "Expression",
    "Symbols",
    "Table",
    "equations",
    "mathml",
    "regressor",
    "rows",
    "symbols",
]


def __getattr__(name: str):
    if name == "FORMALISMS":  # by name, the usual one first
        from ..formalisms import formalisms

        return tuple(sorted(formalisms, key=lambda n: (n != "newton_euler", n)))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
