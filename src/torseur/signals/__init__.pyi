from ..crash import cfc as cfc
from ..identify import low_pass as low_pass, resample as resample
from ..quantities import signal_units as signal_units

__all__ = ["cfc", "low_pass", "resample", "signal_units"]
