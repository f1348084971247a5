"""Simulation: native integrators, events, energy audit; inverse problems."""

from .._callable import make_callable
from .methods import METHODS, Method
from .run import Run, simulate

__all__ = ["METHODS", "Method", "Run", "simulate"]

make_callable(__name__)
