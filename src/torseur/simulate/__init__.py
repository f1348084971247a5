"""Simulation: native integrators, events, energy audit; inverse problems."""

from .._callable import make_callable
from .batch import Ensemble, batch
from .constrained import (
    SOLUTIONS,
    Constrained,
    assemble,
    constrained_system,
    isolate,
    mobility_report,
)
from .equilibrium import Equilibrium, equilibrium
from .inverse import inverse
from .linear import Linear, Modes, linearize, modes
from .methods import METHODS, Method
from .run import Run
from .simulation import simulate

__all__ = ["METHODS", "SOLUTIONS", "Constrained", "Ensemble", "Equilibrium", "Linear", "Method",
           "Modes", "Run", "assemble", "batch", "constrained_system", "equilibrium", "inverse",
           "isolate", "linearize", "mobility_report", "modes", "simulate"]

make_callable(__name__)
