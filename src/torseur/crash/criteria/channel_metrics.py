"""Metrics of channels of a test or signals of a run, given as text; runs converted to tests."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import numpy as np

from ...errors import ArgumentError, unknown_name_message
from ...results import Trajectory
from ..test_data.records import Channel, Test
from .cfc import cfc
from .en1317 import asi
from .injury_criteria import clip_3ms, hic
from .metric_value import RATE, UNITS, Measure, read_quantity
from .pulse import crush, delta_v, olc, peak, pulse_duration, restitution, vpi

SPARSE = 5e-4  # between rows of a run [s]: wider than that, a pulse loses a part of its peaks
METRICS: dict[str, tuple[Callable[..., Measure], int, bool]] = {
    "peak": (peak, 60, False),
    "clip_3ms": (clip_3ms, 60, False),
    "pulse_duration": (pulse_duration, 60, True),
    "asi": (asi, 60, True),
    "delta_v": (delta_v, 180, True),
    "crush": (crush, 180, True),
    "restitution": (restitution, 180, True),
    "olc": (olc, 180, True),
    "vpi": (vpi, 180, True),
    "hic": (hic, 1000, True),
}
"""Function, channel class unless said, whether it wants an acceleration."""
SIZES = ("hic", "peak", "clip_3ms")  # of which several components give one size


def even(run: Trajectory, signal: str) -> tuple[np.ndarray, np.ndarray]:
    """Times every 0.1 ms from the start of a run [s], and a signal at these times.

    A run with time points more than 0.5 ms apart raises an error, because it would lose peaks.
    """
    steps = np.diff(run.time)
    if steps.size and (widest := float(steps.max())) > SPARSE * (1 + 1e-6):
        count = round(float(run.time[-1] - run.time[0]) * RATE) + 1
        raise ArgumentError(
            f"{signal}: rows of this run are up to {1e3 * widest:.4g} ms apart, and a pulse needs "
            f"one every {1e3 * SPARSE:g} ms: simulate with output={count}, or a shorter time"
        )
    time = np.arange(int(np.floor((run.time[-1] - run.time[0]) * RATE + 1e-6)) + 1) / RATE
    return time, np.interp(time + run.time[0], run.time, run[signal])


def channel_metric(source: Test | Trajectory, text: str, speed: float | None = None) -> Measure:
    """A metric of channels of a test, or of signals of a run: "METRIC:CHANNELS:OPTION=VALUE:...".

    Channels are numbers or labels of a test, names of signals of a run.  "93+94" is the mean of
    two, "4,5,6" are components (`hic`, `peak` and `clip_3ms` take their size, `asi` its axes); a
    name of a vector, "head.acceleration", stands for its three.  Channels of a test lose their
    bias.  Options: `cfc` (a class, or none; each metric has its usual one) and those of the metric:
    `window`, `speed`, `threshold`, ...  `speed` [m/s] is that before the impact; a test's own
    unless said.

    >>> import torseur as ts
    >>> t = np.arange(0, 0.1, 1e-4)
    >>> pulse = Channel(7, "AC", "VEHC", "X", "m/s^2", "OK", "cabin", "m/s^2",
    ...                 record=(t, np.full(t.size, -200.0)))
    >>> print(channel_metric(Test("demo", "", (pulse,), speed=15.0), "crush:7"))
    0.5625 m at 75 ms
    """
    name, parts, options = _parse_metric(text)
    metric, default_class, accelerates = METRICS[name]
    channel_class = options.pop("cfc", default_class)
    components = [_channel(source, p, text) for p in parts]
    units = {unit for *_, unit in components}
    if len(units) > 1 or (accelerates and units != {"m/s^2"}):
        rule = "an acceleration [m/s^2]" if accelerates else "components of one unit"
        raise ArgumentError(f"{text}: {name} wants {rule}, got {', '.join(sorted(units))}")
    start, end = (f(t[i] for t, *_ in components) for f, i in ((max, 0), (min, -1)))
    time = components[0][0]
    time = time[(time >= start) & (time <= end)]
    rows = [np.interp(time, t, x) for t, x, _ in components]
    if channel_class:
        rows = [cfc(time, x, channel_class) for x in rows]
    if len(rows) > 1 and name in SIZES:
        rows = [np.linalg.norm(rows, axis=0)]
    if name == "hic":
        rows = [abs(x) for x in rows]
    if len(rows) > 1 and name != "asi":
        raise ArgumentError(f"{text}: {name} wants one channel, or the mean of several: 93+94")
    if "speed" in inspect.signature(metric).parameters and "speed" not in options:
        initial_speed = source.speed if isinstance(source, Test) else speed
        if initial_speed is None:
            raise ArgumentError(
                f"{text}: the speed before the impact is not known: {text}:speed=..."
            )
        options["speed"] = initial_speed
    value = metric(time, *rows, **options)
    unit = units.pop() if name in ("peak", "clip_3ms") else value.unit
    details = value.details | {"channel_class": channel_class}
    return Measure(value, unit, value.time, **details)


def _parse_metric(text: str) -> tuple[str, list[str], dict[str, Any]]:
    """Metric, channels and options of a line."""
    name, _, rest = (x.strip() for x in text.partition(":"))
    if name not in METRICS:
        raise ArgumentError(unknown_name_message("metric", name, METRICS, text))
    head, *more = [x.strip() for x in rest.split(":")]
    parts = [x.strip() for x in head.split(",") if x.strip()]
    if not parts:
        raise ArgumentError(
            f"{text}: which channels? Such as {name}:93+94 or {name}:body.acceleration.x"
        )
    takes = {*inspect.signature(METRICS[name][0]).parameters} & {*UNITS} | {"cfc"}
    options: dict[str, Any] = {}
    for option in more:
        key, eq, value = (x.strip() for x in option.partition("="))
        if not eq or key not in takes:
            raise ArgumentError(unknown_name_message("option", key, sorted(takes), text))
        none = key == "cfc" and value in ("none", "no")
        options[key] = None if none else read_quantity(text, key, value, UNITS[key])
    return name, parts, options


def _channel(source, metric: str, text: str) -> tuple[np.ndarray, np.ndarray, str]:
    """Times, values and unit of a channel or signal, or of the mean of several."""
    if isinstance(source, Test):
        keys = [int(x) if x.isdecimal() else x for x in map(str.strip, metric.split("+"))]
        keys = [metric] if any(row.label == metric for row in source.rows) else keys
        time, values = source.mean(*keys)
        return time, values, source[keys[0]].si_unit
    rows = []
    for name in (x.strip() for x in metric.split("+")):
        if name not in source.units:
            raise ArgumentError(unknown_name_message("signal", name, source.units, text))
        rows.append((*even(source, name), source.units[name].replace("m/s2", "m/s^2")))
    if len({unit for *_, unit in rows}) > 1:
        raise ArgumentError(f"{text}: the mean of {metric} is one of different units")
    return rows[0][0], np.mean([x for _, x, _ in rows], axis=0), rows[0][2]


def expand_vector_signals(run: Trajectory, text: str) -> str:
    """A line for `channel_metric` with names of vectors as their components."""

    def spread(m):
        name = m.group(0)
        axes = [f"{name}.{c}" for c in "xyz"]
        return ",".join(axes) if name not in run.units and axes[0] in run.units else name

    head, colon, rest = text.partition(":")
    body, separator, options = rest.partition(":")
    return head + colon + re.sub(r"[^,+\s]+", spread, body) + separator + options


RECORDED = (("body_acceleration", "AC", "m/s^2"), ("velocity", "VE", "m/s"),
            ("position", "DS", "m"))  # fmt: skip


def test_of_run(run: Trajectory, name: str, points: Any = (), forces: Any = (), mass: Any = None,
             title: str = "", totals: Any = None) -> Test:  # fmt: skip
    """A run as a test whose channels were sampled every 0.1 ms, for `write_test` and
    `channel_metric`.

    `name` is the body or point that stands for the cabin, `points` more bodies and points:
    acceleration in their own axes, velocity and position in the world's; `forces` are names of
    force elements, `totals` more forces [N] by name, over the rows of the run.

    >>> import torseur as ts
    >>> scene = ts.crash.against(ts.crash.car("k3"), speed=10)
    >>> test = test_of_run(ts.simulate(scene), "body", forces=["radiator"])
    >>> test["body_acceleration.x of body"].number, test["radiator"].si_unit, test.speed
    (1, 'N', 10.0)
    """
    rows: list[Channel] = []

    def add_channel(label, sensor, point, axis, unit, record):
        rows.append(Channel(len(rows) + 1, sensor, point, axis, unit, "OK", label, unit,
                            {"vehicle": "1"}, record))  # fmt: skip

    for point in dict.fromkeys((name, *points)):
        letters = "VEHCCG" if point == name else _letters(point)
        for quantity, sensor, unit in RECORDED:
            for axis in "xyz":
                signal = f"{point}.{quantity}.{axis}"
                if signal not in run.units:
                    bodies = sorted({n.split(".")[0] for n in run.units if ".position." in n})
                    raise ArgumentError(
                        unknown_name_message("body or point", point, bodies, "recorded")
                    )
                label = f"{quantity}.{axis} of {point}"
                add_channel(label, sensor, letters, axis.upper(), unit, even(run, signal))
    for force in forces:
        add_channel(force, "FO", _letters(force), "X", "N", even(run, f"{force}.force"))
    time = even(run, f"{name}.velocity.x")[0]
    for label, values in (totals or {}).items():
        record = time, np.interp(time + run.time[0], run.time, values)
        add_channel(label, "FO", "BARR" + _letters(label)[:6], "X", "N", record)
    speed = float(np.linalg.norm([run[f"{name}.velocity.{c}"][0] for c in "xyz"]))
    return Test(title or "run", title, tuple(rows), {}, speed, mass, "computed by torseur")


def _letters(name: str) -> str:
    return re.sub(r"[^A-Z0-9]", "", name.upper())[:10]
