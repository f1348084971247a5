"""Motion of a model: one run, or many side by side; signals, energy audit, outcome."""

from ..results import Ensemble
from .batch import batch
from .run import Run
from .signals import units as signal_units
from .simulation import simulate

__all__ = ["Ensemble", "Run", "batch", "signal_units", "simulate"]
