"""Methods, steps, events, lanes: native, over records.  Knows no mechanics."""

from .control import LEAST_KEPT, first_steps
from .record import (
    EXPLICIT,
    NEWMARK,
    REACHED,
    ROSENBROCK,
    SEMI_IMPLICIT,
    Formula,
    Lanes,
    Steps,
)
from .register import METHODS, Method, method

__all__ = [
    "EXPLICIT",
    "LEAST_KEPT",
    "METHODS",
    "NEWMARK",
    "REACHED",
    "ROSENBROCK",
    "SEMI_IMPLICIT",
    "Formula",
    "Lanes",
    "Method",
    "Steps",
    "first_steps",
    "method",
]
