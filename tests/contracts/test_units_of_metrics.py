"""Every number that a metric of a record takes may be a text with its unit; a wrong one is refused.
Over every function of `ts.crash` that reads a record."""

import inspect

import numpy as np
import pytest

import torseur as ts
from torseur.errors import ArgumentError

T = np.linspace(0, 0.2, 401)
PULSE = -300 * np.sin(np.pi * np.minimum(T / 0.1, 1)) ** 2
GIVEN = {
    "threshold": 30.0, "speed": 14.0, "until": 0.1, "channel_class": 60.0, "forward_distance": 0.02,
    "t_end": 0.15, "spacing": 0.002,
}  # fmt: skip
TEXTS = {  # a hundredth or a thousandth of the unit, so that a text read as a number is seen
    "s": (1e3, "ms"), "m": (1e3, "mm"), "m/s^2": (1 / 9.80665, "g0"), "m/s": (3.6, "km/h"),
    "kg": (1e3, "g"), "N/m": (1e-3, "N/mm"), "Hz": (1e-3, "kHz"),
}  # fmt: skip
UNITS = {
    "window": "s", "duration": "s", "until": "s", "threshold": "m/s^2", "free": "m",
    "restraint": "m", "forward": "m", "sideways": "m", "forward_distance": "m",
    "slack": "m", "low": "m",
    "high": "m", "speed": "m/s", "mass": "kg", "stiffness": "N/m", "channel_class": "Hz",
    "t_end": "s", "spacing": "s",
}  # fmt: skip


def cases():
    """Functions of a record, each with each of its numbers."""
    for name in sorted(ts.crash.__all__):
        f = getattr(ts.crash, name)
        if not inspect.isfunction(f):
            continue
        takes = inspect.signature(f).parameters
        if next(iter(takes), "") in ("time", "displacement"):
            for p in takes.values():
                if "float" in str(p.annotation):
                    yield f, p


def asked(f, name, x):
    takes = inspect.signature(f).parameters
    record = [np.linspace(0, 0.5, 401), 1e5 * T] if f is ts.crash.kw400 else [T, PULSE]
    needed = {n: GIVEN[n] for n, p in takes.items() if n in GIVEN and p.default is p.empty}
    found = f(*record, **needed | {name: x})
    if not isinstance(found, ts.Model):
        return found
    drive = found.constraints[0]
    return [*np.ravel(drive.acceleration), *drive.start, found.simulation["t_end"]]


def same(a, b):
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(same(a[n], b[n]) for n in a)
    return (
        a == b
        if isinstance(a, str)
        else np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=1e-12)
    )


@pytest.mark.parametrize(
    ("f", "p"), list(cases()), ids=lambda x: getattr(x, "__name__", None) or x.name
)
def test_a_number_of_a_metric_may_say_its_unit(f, p):
    name, unit = p.name, UNITS[p.name]
    x = p.default if isinstance(p.default, float) and p.default else GIVEN[name]
    per, symbol = TEXTS[unit]
    assert same(asked(f, name, f"{x * per!r} {symbol}"), asked(f, name, x))
    for wrong in ("3 V", "many", None, float("nan")):
        if wrong is not None or p.default is not None:
            with pytest.raises(ArgumentError, match=f"{name}: expected"):
                asked(f, name, wrong)


def test_kw400_between_no_two_ways():
    with pytest.raises(ArgumentError, match=r"kw400: expected 0 <= low < high, got 0.4 m and"):
        ts.crash.kw400(T, T, low=0.4, high="10 mm")
