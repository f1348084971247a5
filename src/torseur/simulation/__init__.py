"""Motion of a model: one run, or many side by side; signals, energy audit, outcome."""

from ..results import Ensemble
from .batch import batch
from .names import units as signal_units
from .options import Options
from .run import Run
from .simulation import simulate

__all__ = ["Ensemble", "Options", "Run", "batch", "signal_units", "simulate"]
