"""Methods, steps, events, lanes: native, over records.  Knows no mechanics."""

from .control import LEAST_KEPT, first_steps
from .record import EXPLICIT, Formula, Lanes, Steps
from .register import METHODS, Method, method as method

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
