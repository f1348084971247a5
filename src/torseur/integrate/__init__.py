"""Methods, steps, events, lanes: native, over records.  Knows no mechanics."""

from .control import LEAST_KEPT, first_steps
from .events import LOOKS
from .pulses import longest_step, members_seen
from .record import (
    BUDGET,
    ENDING,
    EXPLICIT,
    FULL,
    NEWMARK,
    REACHED,
    ROSENBROCK,
    SEMI_IMPLICIT,
    TOO_LONG,
    Lanes,
    Members,
    Stepping,
    Steps,
)
from .register import METHODS, Method, method, simple

__all__ = [
    "BUDGET",
    "ENDING",
    "EXPLICIT",
    "FULL",
    "LEAST_KEPT",
    "LOOKS",
    "METHODS",
    "NEWMARK",
    "REACHED",
    "ROSENBROCK",
    "SEMI_IMPLICIT",
    "TOO_LONG",
    "Lanes",
    "Members",
    "Method",
    "Stepping",
    "Steps",
    "first_steps",
    "longest_step",
    "members_seen",
    "method",
    "simple",
]
