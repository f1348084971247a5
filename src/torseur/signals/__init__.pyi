from ..crash import cfc as cfc
from ..signal_processing import low_pass as low_pass, resample as resample
from .graph import (
    initial_history_kernel as initial_history_kernel,
    instant_signals as instant_signals,
    signals_kernel as signals_kernel,
)
from .names import declared_signals as declared_signals, signal_units as signal_units
from .sampling import bounds as bounds
from .signals import Signals as Signals, returned as returned

__all__ = ["cfc", "low_pass", "resample", "signal_units"]
