from .butterworth import (
    differentiate as differentiate,
    differentiation_gain as differentiation_gain,
    low_pass as low_pass,
    zero_phase_gain as zero_phase_gain,
)
from .records import check_record as check_record, noise_deviation as noise_deviation
from .resampling import recover_clock as recover_clock, resample as resample

__all__ = ["low_pass", "resample"]
