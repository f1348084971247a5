"""Problems of one state or one motion: assembly, equilibrium, linear models, inverse dynamics."""

from .constrained import (
    SOLUTIONS,
    Constrained,
    assemble,
    constrained_system,
    initial_state,
    isolate,
    mobility_report,
)
from .equilibrium import Equilibrium, equilibrium
from .inverse import inverse
from .linear import Linear, Modes, linearize, modes

__all__ = [
    "SOLUTIONS",
    "Constrained",
    "Equilibrium",
    "Linear",
    "Modes",
    "assemble",
    "constrained_system",
    "equilibrium",
    "initial_state",
    "inverse",
    "isolate",
    "linearize",
    "mobility_report",
    "modes",
]
