from ..crash import cfc as cfc
from ..signal_processing import low_pass as low_pass, resample as resample
from .graph import (
    of_one_instant as of_one_instant,
    signals_kernel as signals_kernel,
    starts_kernel as starts_kernel,
)
from .names import declared_signals as declared_signals, signal_units as signal_units
from .sampling import bounds as bounds
from .signals import Signals as Signals, returned as returned

__all__ = ["cfc", "low_pass", "resample", "signal_units"]
