"""Simulation: native integrators, events, energy audit; inverse problems."""

from .methods import METHODS, Method
from .run import Run, simulate

__all__ = ["METHODS", "Method", "Run", "simulate"]
