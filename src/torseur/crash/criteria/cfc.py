"""Channel frequency classes: the filter of SAE J211-1 and ISO 6487.  Theory: CM.1, CM.2."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError, shown
from .metric_value import check_positive, check_samples, convert_to_si

CORNER_CONSTANTS = {"SAE J211": 2.0775, "ISO 6487": 1.25 / 0.6}
"""Corner of one pass over the class: SAE J211-1 appendix C; ISO 6487 annex A."""

MAX_STEP_VARIATION = 0.05  # times printed to six digits are off by some per cent of a step


def sampling_step(where: str, time) -> float:
    """The step [s] of evenly spaced times, or a sentence."""
    steps = np.diff(time)
    step = (time[-1] - time[0]) / (time.size - 1)
    if abs(steps - step).max() > MAX_STEP_VARIATION * step:
        raise ArgumentError(
            f"{where}: needs even sampling, but steps go from {steps.min():g} s to "
            f"{steps.max():g} s; resample first: np.interp(even, time, values)"
        )
    return step


def cfc(
    time: ArrayLike, values: ArrayLike, channel_class: float | str, standard: str = "SAE J211"
) -> np.ndarray:
    """Values filtered to a channel frequency class: no phase, half amplitude near 1.67 class Hz.

    A two-pole Butterworth filter forward and backward; both ends are continued by 10 ms of the
    record, mirrored through its end point, as ISO 6487 annex A does.

    Parameters
    ----------
    time : evenly spaced [s]
    values : in any unit
    channel_class : 60, 180, 600, 1000 [Hz], or another number
    standard : "SAE J211" or "ISO 6487"; they differ in the constant of the corner, 0.3 %

    >>> import numpy as np
    >>> t = np.arange(0, 0.2, 1e-4)
    >>> slow = cfc(t, np.sin(2 * np.pi * 10 * t), 60)
    >>> bool(abs(slow - np.sin(2 * np.pi * 10 * t)).max() < 1e-3)
    True
    """
    from scipy.signal import lfilter, lfiltic

    where = f"cfc {shown(channel_class)}"
    (channel_class,) = check_positive("cfc", channel_class=channel_class)
    if standard not in tuple(CORNER_CONSTANTS):
        raise ArgumentError(
            f"{where}: standard={standard!r}: expected one of "
            f"{', '.join(map(repr, CORNER_CONSTANTS))}"
        )
    time, x = check_samples(where, time, values)
    step = sampling_step(where, time)
    corner = 2 * np.pi * channel_class * CORNER_CONSTANTS[standard]  # CM.1
    if corner * step >= np.pi:
        raise ArgumentError(
            f"{where}: samples every {step:g} s hold no signal up to "
            f"{corner / (2 * np.pi):.4g} Hz; take a lower class or a faster record"
        )
    w = np.tan(corner * step / 2)
    scale = 1 + np.sqrt(2) * w + w * w
    b = np.array([1, 2, 1]) * w * w / scale  # CM.2
    a = np.array([1, 2 * (w * w - 1) / scale, (1 - np.sqrt(2) * w + w * w) / scale])
    pad = int(min(max(0.01 / step, 100), x.size - 1))
    extended = np.concatenate([2 * x[0] - x[pad:0:-1], x, 2 * x[-1] - x[-2 : -pad - 2 : -1]])
    for _ in range(2):
        rest = extended[:10].mean()
        zi = lfiltic(b, a, [rest, rest], extended[1::-1])
        extended = np.concatenate([[rest, rest], lfilter(b, a, extended[2:], zi=zi)[0]])[::-1]
    return extended[pad : pad + x.size]


def zeroed(time: ArrayLike, values: ArrayLike, until: float | str = 0.0) -> np.ndarray:
    """Values without their bias: less their mean before the moment `until` [s].

    >>> zeroed([-0.2, -0.1, 0.0, 0.1], [1.0, 3.0, 5.0, 7.0])
    array([-1.,  1.,  3.,  5.])
    """
    time, x = check_samples("zeroed", time, values)
    (until,) = convert_to_si("zeroed", until=until)
    before = time < until
    if not before.any():
        raise ArgumentError(
            f"zeroed: no sample before {until:g} s (the record starts at "
            f"{time[0]:g} s), so no bias can be seen"
        )
    return x - x[before].mean()
