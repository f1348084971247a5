"""Metrics of a deceleration pulse.  Theory: CM.3 to CM.6, CM.9.

`time` [s] and `a` [m/s^2] as filtered by the caller; `a` is negative while a car that drives
forward is stopped, and straight between samples, so every integral below is exact.  Contact is at
t = 0 where the record has that moment, at its first sample otherwise.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError
from .metric_value import (
    Measure,
    brief,
    check_positive,
    check_resolution,
    check_samples,
    convert_to_si,
    speed_of,
)


class PulseMotion:
    """Speed and displacement of a piecewise linear acceleration, exact between samples too."""

    def __init__(self, time, a, speed: float):
        from scipy.interpolate import CubicHermiteSpline

        if time[0] < 0 < time[-1]:
            a = np.concatenate([[np.interp(0.0, time, a)], a[time > 0]])
            time = np.concatenate([[0.0], time[time > 0]])
        h = np.diff(time)
        v = speed + np.concatenate([[0], np.cumsum(h * (a[1:] + a[:-1]) / 2)])  # CM.3
        x = np.concatenate([[0], np.cumsum(h * (v[:-1] + h * (2 * a[:-1] + a[1:]) / 6))])
        self.time, self.a, self.v, self.x = time, a, v, x
        self.displacement_spline = CubicHermiteSpline(time, x, v)  # a cubic is known by its ends
        self.speed = self.displacement_spline.derivative()

    def speed_crossings(self, spline) -> np.ndarray:
        """Moments where a spline of this path vanishes."""
        roots = spline.roots(extrapolate=False)
        return roots[np.isfinite(roots)]


def _pulse(where, time, a, speed=0.0) -> PulseMotion:
    time, a = check_samples(where, time, a)
    brief(where, time)
    return PulseMotion(time, a, speed_of(where, speed))


def _check_moving(where, time, a, speed) -> PulseMotion:
    path = _pulse(where, time, a, speed)
    if path.v[0] <= 0:
        raise ArgumentError(
            f"{where}: speed: expected the speed before the impact, above zero, "
            f"got {path.v[0]:g} m/s"
        )
    return path


def _remedy(path: PulseMotion) -> str:
    """Remedy for a pulse in which the car does not stop."""
    if path.v[-1] > path.v[0]:
        return "a is negative while a car that drives forward is stopped"
    return "give a longer record or a smaller speed"


def peak(time: ArrayLike, values: ArrayLike) -> Measure:
    """The value of largest magnitude, with its sign, and its moment.

    >>> print(peak([0, 0.01, 0.02], [0, -300.0, 50]))
    -300 at 10 ms
    """
    time, x = check_samples("peak", time, values)
    i = int(abs(x).argmax())
    return Measure(x[i], "", time[i])


def delta_v(time: ArrayLike, a: ArrayLike) -> Measure:
    """Change of speed [m/s]: the largest magnitude of the integral of `a` from the contact on.

    >>> float(delta_v([0, 0.1], [-100, -100]))
    10.0
    """
    path = _pulse("delta_v", time, a)
    i = int(abs(path.v).argmax())
    return Measure(abs(path.v[i]), "m/s", path.time[i], history=path.v)


def crush(time: ArrayLike, a: ArrayLike, speed: float | str) -> Measure:
    """Largest dynamic crush [m]: displacement of the cabin from contact to its first standstill.

    `.history` is the displacement at `.times`, `.permanent` that at the end of the record.


    >>> print(crush([0, 0.1, 0.2], [-100, -100, -100], speed=10))
    0.5 m at 100 ms
    """
    path = _check_moving("crush", time, a, speed)
    stops = path.speed_crossings(path.speed)
    if not stops.size:
        raise ArgumentError(
            f"crush: the car still drives at {path.v[-1]:.3g} m/s where the record "
            f"ends ({path.time[-1]:g} s); {_remedy(path)}"
        )
    at = float(stops[0])
    return Measure(
        path.displacement_spline(at),
        "m",
        at,
        history=path.x,
        times=path.time,
        permanent=float(path.x[-1]),
    )


def restitution(time: ArrayLike, a: ArrayLike, speed: float | str) -> Measure:
    """Largest speed of rebound over the speed before the impact [1].

    >>> round(restitution([0, 0.1, 0.12], [-100, -100, -100], speed=10), 3)
    0.2
    """
    path = _check_moving("restitution", time, a, speed)
    i = int(path.v.argmin())
    if path.v[i] > 0:
        raise ArgumentError(
            f"restitution: the car still drives at {path.v[i]:.3g} m/s where it is "
            f"slowest; {_remedy(path)}"
        )
    if -path.v[i] > path.v[0]:
        raise ArgumentError(
            f"restitution: the car comes back at {-path.v[i]:.4g} m/s, faster than the "
            f"{path.v[0]:.4g} m/s of the impact; look at the speed, the bias and the unit of a"
        )
    return Measure(-path.v[i] / path.v[0], "", path.time[i])


def pulse_duration(time: ArrayLike, a: ArrayLike, threshold: float | str = 0.0) -> Measure:
    """How long |a| stays above `threshold` [m/s^2] around its peak [s]; `.start`, `.end`.

    >>> print(pulse_duration([0, 0.01, 0.02, 0.03, 0.04], [0, 0, -200, 0, 5], threshold=50))
    0.015 s
    """
    time, x = check_samples("pulse_duration", time, a)
    brief("pulse_duration", time)
    (threshold,) = convert_to_si("pulse_duration", threshold=threshold)
    i = int(abs(x).argmax())
    level = abs(x) if threshold else x * np.sign(x[i])
    if level[i] <= threshold:
        raise ArgumentError(
            f"pulse_duration: the peak is {level[i]:.4g} m/s^2, not above the "
            f"threshold of {threshold:g}"
        )
    start, end = _around(time, level, i, threshold)
    return Measure(end - start, "s", None, start=start, end=end)


def _around(time, level, i, threshold):
    """The interval around sample `i` where a broken line is above a threshold."""
    below = np.flatnonzero(level <= threshold)
    left, right = below[below < i], below[below > i]
    start, end = time[0], time[-1]
    if left.size:
        j = left[-1]
        start = np.interp(threshold, level[j : j + 2], time[j : j + 2])
    if right.size:
        j = right[0]
        end = np.interp(threshold, level[[j, j - 1]], time[[j, j - 1]])
    return float(start), float(end)


def olc(
    time: ArrayLike,
    a: ArrayLike,
    speed: float | str,
    free: float | str = 0.065,
    restraint: float | str = 0.235,
) -> Measure:
    """Occupant load criterion [m/s^2]: the constant deceleration of an occupant who first flies
    free over `free` [m], then is stopped within `restraint` [m], both relative to the cabin.

    `.start` and `.end` [s] bound the restraint; divide by 9.80665 for g.

    >>> t = np.linspace(0, 0.15, 1001)
    >>> round(olc(t, np.full(1001, -200.0), speed=30), 6)     # 200 * 300 / 235
    255.319149
    """
    path = _check_moving("olc", time, a, speed)
    free, restraint = check_positive("olc", free=free, restraint=restraint)
    reach = free + restraint
    # in less no occupant goes that far
    check_resolution("olc", path.time, flight=reach / path.v[0])
    from scipy.interpolate import PPoly

    # way of a free occupant, less the cabin's
    flight = PPoly(-path.displacement_spline.c, path.displacement_spline.x)
    flight.c[3] += path.v[0] * (path.time[:-1] - path.time[0])
    flight.c[2] += path.v[0]
    one = flight.solve(free, extrapolate=False)
    if not one.size:
        raise ArgumentError(
            f"olc: the free occupant never moves {1e3 * free:g} mm in the cabin "
            f"(at most {1e3 * flight(path.time).max():.4g} mm); the record is too "
            "short or too mild"
        )
    start = float(one[0])

    def excess_distance(t):
        """How far past the restraint the two are when their speeds meet at t."""  # CM.5
        speed_change = path.v[0] - path.speed(t)
        return flight(t) - speed_change * (t - start) / 2 - reach

    times = path.time[path.time > start]
    excess = excess_distance(times)
    if not (excess >= 0).any():
        raise ArgumentError(
            "olc: the speeds of occupant and cabin do not meet within "
            f"{1e3 * reach:g} mm before the record ends"
        )
    from scipy.optimize import brentq

    i = int((excess >= 0).argmax())
    end = (
        times[0]
        if i == 0
        else brentq(excess_distance, times[i - 1], times[i], xtol=1e-15, rtol=1e-15)
    )
    return Measure(
        (path.v[0] - path.speed(end)) / (end - start),
        "m/s^2",
        None,
        start=start,
        end=float(end),
        speed=float(path.v[0]),
    )


def vpi(
    time: ArrayLike,
    a: ArrayLike,
    stiffness: float | str = 2500.0,
    slack: float | str = 0.03,
    mass: float | str = 1.0,
) -> Measure:
    """Vehicle pulse index [m/s^2]: peak of a mass held by a spring behind a slack (ISO/TR 12353-3).

    `stiffness` [N/m], `slack` [m] and `mass` [kg] are those of the report.

    >>> t = np.linspace(0, 0.2, 201)
    >>> round(vpi(t, np.full(201, -200.0), slack=0), 6)       # a step doubles
    400.0
    """
    stiffness, mass = check_positive("vpi", stiffness=stiffness, mass=mass)
    (slack,) = convert_to_si("vpi", slack=slack)
    path = _pulse("vpi", time, a)
    rate = np.sqrt(stiffness / mass)
    r, u, best, at = 0.0, 0.0, 0.0, 0.0  # ahead of the cabin, and its rate
    fine = max(1, int(np.ceil(np.diff(path.time).max() * rate / 0.1)))  # steps below 0.1 rad
    moments = np.linspace(path.time[:-1], path.time[1:], fine, endpoint=False).T.ravel()
    moments = np.append(moments, path.time[-1])
    push = -np.interp(moments, path.time, path.a)
    for t, h, p, q in zip(moments, np.diff(moments), push, push[1:], strict=False):
        if h * rate < 1e-10:
            continue  # a jump
        r, u, high, when = _restrained_interval(h, r, u, p, (q - p) / h, rate, slack)
        if high > best:
            best, at = high, t + when
    if best == 0.0:
        raise ArgumentError(
            f"vpi: the mass never moves {slack:g} m forward in the cabin; the record is too short "
            "or too mild (a is negative while a car that drives forward is stopped)"
        )
    return Measure(best, "m/s^2", float(at))


def _restrained_interval(h, r, u, p, slope, rate, slack):
    """Exact step of `r'' = p + slope t - rate^2 max(0, r - slack)`, and its peak force."""
    from scipy.optimize import brentq

    done, best, when = 0.0, 0.0, 0.0
    while done < h:
        is_taut = (r - slack, u, p, slope) > (0, 0, 0, 0)  # by the first that is not zero
        displacement, pace = (
            _taut_motion(r, u, p, slope, rate, slack) if is_taut else _free_motion(r, u, p, slope)
        )
        step = left = h - done
        if (
            (displacement(left) > slack) != is_taut
            and displacement(tick := min(1e-12, left / 2)) != slack
            and (displacement(tick) > slack) == is_taut
        ):
            step = brentq(lambda t, way=displacement: way(t) - slack, tick, left, xtol=1e-16)
        if is_taut:
            top = step if displacement(step) > r else 0.0
            if u > 0 > pace(step):
                top = brentq(pace, 0.0, step, xtol=1e-16)
            if (high := rate**2 * (displacement(top) - slack)) > best:
                best, when = high, done + top
        r, u = (slack if step < left else displacement(step)), pace(step)
        p, done = p + slope * step, done + step
    return r, u, best, when


def _taut_motion(r, u, p, slope, rate, slack):  # CM.6
    c0, c1 = slack + p / rate**2, slope / rate**2
    A, B = r - c0, (u - c1) / rate
    return (
        lambda t: c0 + c1 * t + A * np.cos(rate * t) + B * np.sin(rate * t),
        lambda t: c1 + rate * (B * np.cos(rate * t) - A * np.sin(rate * t)),
    )


def _free_motion(r, u, p, slope):
    return (
        lambda t: r + t * (u + t * (p / 2 + t * slope / 6)),
        lambda t: u + t * (p + t * slope / 2),
    )


def integral(time, x):
    """Integral of a broken line, exact at any moment."""
    from scipy.interpolate import make_interp_spline

    return make_interp_spline(time, x, k=1).antiderivative()


def kw400(
    displacement: ArrayLike, force: Any, low: float | str = 0.025, high: float | str = 0.4
) -> Measure:
    """Work stiffness of a front [N/m], from the work between 25 and 400 mm of crush.

    `displacement` [m] may rebound: the work is that of its growing part.

    >>> x = np.linspace(0, 0.5, 51)
    >>> round(kw400(x, 1.2e6 * x), 3)
    1200000.0
    """
    try:
        x, F = np.asarray(displacement, float), np.asarray(force, float)
    except (TypeError, ValueError):
        raise ArgumentError("kw400: expected rows of displacements [m] and forces [N]") from None
    if x.shape != F.shape or x.ndim != 1 or not (np.isfinite(x).all() and np.isfinite(F).all()):
        raise ArgumentError(
            f"kw400: expected finite rows of one length, got shapes {x.shape} and {F.shape}"
        )
    low, high = convert_to_si("kw400", low=low, high=high)
    if not 0 <= low < high:
        raise ArgumentError(f"kw400: expected 0 <= low < high, got {low:g} m and {high:g} m")
    if x.max(initial=0.0) < high:
        raise ArgumentError(
            f"kw400: the crush ends at {x.max(initial=0.0):.4g} m, before {high:g} m"
        )
    if not ((low < x) & (x < high)).any():
        raise ArgumentError(
            f"kw400: no row is between {low:g} and {high:g} m of crush; ways are in meters, so "
            "write 1e-3 * displacement for one in mm"
        )
    new = np.concatenate([[True], x[1:] > np.maximum.accumulate(x)[:-1]])
    work = integral(x[new], F[new])
    lower = max(low, float(x[new][0]))
    return Measure(2 * (work(high) - work(lower)) / (high**2 - low**2), "N/m")  # CM.9
