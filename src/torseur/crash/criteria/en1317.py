"""Severity indices of EN 1317: ASI, THIV and PHD.  Theory: CM.7, CM.8."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError
from .metric_value import (
    G0,
    Measure,
    brief,
    check_positive,
    check_resolution,
    check_samples,
    convert_to_si,
)
from .pulse import PulseMotion, integral


def asi(
    time: ArrayLike,
    ax: ArrayLike,
    ay: ArrayLike | None = None,
    az: ArrayLike | None = None,
    window: float | str = 0.05,
) -> Measure:
    """Acceleration severity index of EN 1317 [1]: 50 ms means over 12 g, 9 g and 10 g.

    >>> t = np.linspace(0, 0.2, 2001)
    >>> round(asi(t, np.full(2001, -12 * G0)), 9)
    1.0
    """
    components = [x for x in (ax, ay, az) if x is not None]
    if not components:
        raise ArgumentError("asi: expected the acceleration of one axis at least: ax, ay, az")
    time, *channels = check_samples("asi", time, *components)
    axes = iter(channels)
    (window,) = check_positive("asi", window=window)
    check_resolution("asi", time, window=window)
    if time[-1] - time[0] < window:
        raise ArgumentError(
            f"asi: the record lasts {time[-1] - time[0]:g} s, less than its window of {window:g} s"
        )
    starts = np.union1d(time, time - window)
    starts = starts[(starts >= time[0]) & (starts <= time[-1] - window)]
    total = np.zeros(starts.size)
    for x, limit in ((ax, 12), (ay, 9), (az, 10)):
        if x is not None:
            v = integral(time, next(axes))
            total += ((v(starts + window) - v(starts)) / (window * limit * G0)) ** 2  # CM.7
    i = int(total.argmax())
    return Measure(np.sqrt(total[i]), "", float(starts[i]), window=window)


def thiv(
    time: ArrayLike,
    ax: ArrayLike,
    ay: ArrayLike | None = None,
    yaw_rate: ArrayLike | None = None,
    forward: float | str = 0.6,
    sideways: float | str = 0.3,
    forward_distance: float | str = 0.0,
) -> Measure:
    """Theoretical head impact velocity of EN 1317 [m/s], and `.phd` [m/s^2], `.time` of impact.

    A free head starts `forward_distance` [m] before the measured point and meets the cabin after
    it has moved `forward` or `sideways` [m] in it. `ax`, `ay` are in axes of the car, `yaw_rate` in
    rad/s. The post-impact head deceleration is the largest 10 ms mean of the car's after that.

    >>> t = np.linspace(0, 0.3, 3001)
    >>> round(thiv(t, np.full(3001, -120.0)), 6)              # sqrt(2 * 120 * 0.6)
    12.0
    """
    zero = np.zeros_like(check_samples("thiv", time)[0])
    time, ax, ay, rate = check_samples(
        "thiv", time, ax, zero if ay is None else ay, zero if yaw_rate is None else yaw_rate
    )
    brief("thiv", time)
    forward, sideways = check_positive("thiv", forward=forward, sideways=sideways)
    (forward_distance,) = convert_to_si("thiv", forward_distance=forward_distance)
    whole = integral(time, rate)
    # axes are the car's at the contact
    yaw = whole(time) - whole(PulseMotion(time, ax, 0.0).time[0])
    c, s = np.cos(yaw), np.sin(yaw)
    X, Y = (PulseMotion(time, w, 0.0) for w in (c * ax - s * ay, s * ax + c * ay))  # CM.8
    t, skip = X.time, time.size - X.time.size
    yaw, rate = np.interp(t, time, yaw), np.interp(t, time, rate)
    c, s = np.cos(yaw), np.sin(yaw)
    hx, hy = forward_distance - X.x, -Y.x
    x, y = c * hx + s * hy - forward_distance, c * hy - s * hx
    u = -c * X.v - s * Y.v + rate * (y)
    v = s * X.v - c * Y.v - rate * (x + forward_distance)
    load = np.maximum(abs(x) / forward, abs(y) / sideways)
    if load.max() < 1:
        raise ArgumentError(
            f"thiv: the head flies only {1e3 * abs(x).max():.4g} mm forward and "
            f"{1e3 * abs(y).max():.4g} mm sideways; it never meets the cabin"
        )
    i = int((load >= 1).argmax())
    at = t[0] if i == 0 else float(np.interp(1.0, load[i - 1 : i + 1], t[i - 1 : i + 1]))
    hit = np.hypot(np.interp(at, t, u), np.interp(at, t, v))
    return Measure(hit, "m/s", at, phd=_phd(t, ax[skip:], ay[skip:], at))


def _phd(t, ax, ay, after, window=0.01):
    starts = t[(t >= after) & (t <= t[-1] - window)]
    if not starts.size:
        return float("nan")
    means = [(i(starts + window) - i(starts)) / window for i in map(integral, (t, t), (ax, ay))]
    return float(np.hypot(*means).max())
