"""Simulation: native integrators, events, energy audit; inverse problems."""

from .._callable import make_callable
from .constrained import SOLUTIONS, Constrained, assemble, constrained_system, mobility_report
from .methods import METHODS, Method
from .run import Run, simulate

__all__ = ["METHODS", "SOLUTIONS", "Constrained", "Method", "Run", "assemble", "constrained_system",
           "mobility_report", "simulate"]

make_callable(__name__)
