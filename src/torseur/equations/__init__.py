"""Equations people read: exact, in normal form, printed and exported.

The room is callable: `ts.equations(system)` is its function of the same name.
"""

from .._callable import make_callable
from .equations import Equations, equations
from .expression import Expression, Table
from .register import FORMALISMS

__all__ = ["FORMALISMS", "Equations", "Expression", "Table", "equations"]

make_callable(__name__)
