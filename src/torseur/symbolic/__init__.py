"""Equations people read: exact, in normal form, printed and exported."""

from .equations import Equations, equations
from .expression import Expression, Table
from .print.layout import rows
from .print.mathml import mathml
from .register import FORMALISMS
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
