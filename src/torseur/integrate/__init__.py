"""Methods, steps, events, lanes: native, over records.  Knows no mechanics."""

from .control import LEAST_KEPT, first_steps
from .methods import METHODS, Method
from .record import EXPLICIT, Formula, Lanes, Steps

__all__ = [
    "EXPLICIT",
    "LEAST_KEPT",
    "METHODS",
    "Formula",
    "Lanes",
    "Method",
    "Steps",
    "first_steps",
]
