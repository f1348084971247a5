"""Numbers with a unit and a moment, and samples that a metric may trust."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ArgumentError, ModelError, shown

G0 = 9.80665  # standard gravity [m/s^2]
LONGEST = 60.0  # record of a crash [s]
RATE = 10_000  # samples a second, as laboratories record


class Measure(float):
    """A number in SI that knows its unit and, where it has one, its moment `time` [s].

    It is a float everywhere; `details` holds what else the metric found, each by its name.

    >>> peak = Measure(401.5, "m/s^2", time=0.0631, window=(0.06, 0.07))
    >>> print(peak, peak.window), peak + 1
    401.5 m/s^2 at 63.1 ms (0.06, 0.07)
    (None, 402.5)
    """

    unit: str
    time: float | None
    details: dict[str, Any]

    def __new__(cls, value, unit: str = "", time: float | None = None, **details):
        self = super().__new__(cls, value)
        self.unit, self.time, self.details = unit, time, details
        return self

    def __getattr__(self, name):
        try:
            return self.__dict__["details"][name]
        except KeyError:
            raise AttributeError(f"a Measure has no {name!r}") from None

    def __str__(self):
        when = "" if self.time is None else f" at {1e3 * self.time:.4g} ms"
        return f"{float(self):.4g}{f' {self.unit}' * bool(self.unit)}{when}"

    def __reduce__(self):
        return _measure, (float(self), self.unit, self.time, self.details)


def _measure(value, unit, time, details):
    return Measure(value, unit, time, **details)


UNITS = {"window": "s", "duration": "s", "until": "s", "threshold": "m/s^2", "free": "m",
         "restraint": "m", "forward": "m", "sideways": "m", "forward_distance": "m",
         "slack": "m", "low": "m",
         "high": "m", "row": "m", "speed": "m/s", "mass": "kg", "stiffness": "N/m",
         "unloading": "N/m", "cfc": "Hz", "channel_class": "Hz"}  # fmt: skip
"""Units of the numbers that metrics take, which may be texts too."""


def check_samples(where: str, time, *values) -> tuple[np.ndarray, ...]:
    """Time and channels as arrays of one length.  Raises ArgumentError with the fault."""
    named = [
        ("time", time),
        *((f"values {i}" if len(values) > 1 else "values", v) for i, v in enumerate(values, 1)),
    ]
    out: list[np.ndarray] = []
    for name, given in named:
        try:
            if np.iscomplexobj(given):
                raise TypeError
            x = np.asarray(given, dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError(f"{where}: {name}: expected numbers, got {shown(given)}") from None
        if x.ndim != 1 or x.size < 2:
            raise ArgumentError(
                f"{where}: {name}: expected a row of two samples or more, got an "
                f"array of shape {x.shape}"
            )
        if not np.isfinite(x).all():
            at = int(np.flatnonzero(~np.isfinite(x))[0])
            raise ArgumentError(
                f"{where}: {name}: sample {at} is {x[at]}; cut the record or fill the gap first"
            )
        if out and x.size != out[0].size:
            raise ArgumentError(
                f"{where}: {name} has {x.size} samples and time {out[0].size}; "
                "give one value a moment (records of a test differ in length)"
            )
        out.append(x)
    if not (np.diff(out[0]) > 0).all():
        at = int(np.flatnonzero(np.diff(out[0]) <= 0)[0])
        raise ArgumentError(
            f"{where}: time must grow, but {out[0][at + 1]:g} s follows {out[0][at]:g} s"
        )
    return tuple(out)


def brief(where: str, time: np.ndarray) -> None:
    """A record is no longer than a crash and its contact is not behind its end, or a sentence."""
    if (long := time[-1] - time[0]) > LONGEST:
        raise ArgumentError(
            f"{where}: the record lasts {long:.4g} s, longer than any crash; times are in "
            "seconds, so write 1e-3 * time for one in ms"
        )
    if time[0] < 0 >= time[-1]:
        raise ArgumentError(
            f"{where}: the record ends at {time[-1]:g} s, before the contact at 0 s; count its "
            "times from there"
        )


def positive(where: str, **numbers) -> None:
    """Each of the named numbers is finite and above zero, or a sentence."""
    for name, x in numbers.items():
        try:
            fine = 0 < float(x) < np.inf
        except (TypeError, ValueError):
            fine = False
        if not fine:
            raise ArgumentError(f"{where}: {name}: expected a number above zero, got {shown(x)}")


def convert_to_si(where: str, **given) -> tuple[float, ...]:
    """Named numbers in SI, from numbers or texts with units such as "15 ms"."""
    return tuple(read_quantity(where, name, x, UNITS[name]) for name, x in given.items())


def check_positive(where: str, **given) -> tuple[float, ...]:
    """As `convert_to_si`, each above zero."""
    numbers = convert_to_si(where, **given)
    positive(where, **dict(zip(given, numbers, strict=True)))
    return numbers


def speed_of(where: str, speed) -> float:
    """A speed in m/s: a number, or a text such as "48.3 km/h"."""
    return read_quantity(where, "speed", speed, "m/s")


def read_quantity(where: str, name: str, value, unit: str) -> float:
    """A number in SI, from a number or a text with a unit."""
    from ...scalars import arguments

    return arguments.number(where, name, value, unit)


def check_resolution(where: str, time: np.ndarray, **span: float) -> None:
    """A record is fine enough for a span of time, or a sentence."""
    ((name, samples_needed),) = span.items()
    if (step := float(np.diff(time).max())) > samples_needed:
        raise ArgumentError(
            f"{where}: the record has steps of up to {step:g} s, longer than the {name} of "
            f"{samples_needed:g} s; times are in seconds, so write 1e-3 * time for one in ms"
        )


def read_fraction(where: str, name: str, value) -> float:
    """A part of one: a number, or a text such as "40 %"."""
    text = value.strip() if isinstance(value, str) else value
    x = read_quantity(where, name, text, "")
    if not 0 < x <= 1:
        raise ModelError([f"{where}: {name}: expected a part from 0 to 1, got {shown(value)}"])
    return x
