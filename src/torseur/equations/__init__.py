"""Equations people read: exact, in normal form, printed and exported.

The room is callable: `ts.equations(system)` works whether `ts.equations` is this module, because
something imported it, or the function itself.
"""

import sys
from types import ModuleType

from .equations import Equations, equations
from .expression import Expression, Table
from .register import FORMALISMS

__all__ = ["FORMALISMS", "Equations", "Expression", "Table", "equations"]


class _Room(ModuleType):
    def __call__(self, *args, **options) -> Equations:
        return equations(*args, **options)


sys.modules[__name__].__class__ = _Room
