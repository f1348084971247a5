"""Motion of a model: one run, or many side by side; signals, energy audit, outcome."""

from .batch import Ensemble, batch
from .run import Run
from .simulation import simulate

__all__ = ["Ensemble", "Run", "batch", "simulate"]
