"""Equations people read: exact, in normal form, printed and exported."""

from .equations import Equations, equations
from .expression import Expression, Table
from .register import FORMALISMS

__all__ = ["FORMALISMS", "Equations", "Expression", "Table", "equations"]
