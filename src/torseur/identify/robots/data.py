"""Measured data of a robot: coordinates and efforts from a file, arrays or a run.

Data without accelerations are resampled at even times, filtered without phase shift, differentiated
and decimated.  Gaps in time separate segments.  Equations ID.3, ID.21, ID.31.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ArgumentError, said, shown
from ...scalars import arguments
from ...signal_processing import differentiate, low_pass, noise_deviation, recover_clock, resample
from ...views import PrintedAnswer
from .filtering import SampledMotion
from .model_update import is_motor
from .validation import NOISE_ORDER, check_motion, check_shapes

NEEDS = "time, coordinates and efforts (speeds and accelerations as well, if they are known)"
END_PERIODS = 0.5  # periods of the cutoff that are left out at both ends
MIN_CLOCK_ROWS = 100  # rows from which a clock is recovered
MAX_STEP = 5.0  # median steps, or tenths of the cutoff's period: a longer one is a gap
ROWS_PER_PERIOD = 10.0  # of the cutoff, after decimation


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Samples(PrintedAnswer):
    """States and efforts, one row a sample: `q` (n, nq), `v`, `a`, `tau` (n, nv), SI units."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    time: np.ndarray | None = None
    cutoff: float | None = None  # of the low pass [Hz]; then rows have even times
    ddtau: np.ndarray | None = None  # second derivatives of the efforts behind the low pass
    motion: SampledMotion | None = None  # all samples before decimation
    q_noise: np.ndarray | None = None  # standard deviation of one sample, before the low pass

    def __len__(self):
        return len(self.tau)

    def select_rows(self, which: Any) -> Samples:
        """Some of the rows."""
        time, ddtau = (None if x is None else x[which] for x in (self.time, self.ddtau))
        q, v, a, tau = (x[which] for x in (self.q, self.v, self.a, self.tau))
        motion = None if self.motion is None else self.motion.select_rows(which)
        return Samples(q, v, a, tau, time, self.cutoff, ddtau, motion, self.q_noise)


def samples(system: Any, data: Any, *, cutoff: float | None = 10.0, clock: bool = True) -> Samples:
    """Measured data as states and efforts.

    Parameters
    ----------
    data : a CSV file (plain or .gz; headings with units), a dictionary of arrays or a tuple
        (time, q, tau), (time, q, v, tau), (time, q, v, a, tau) or (q, v, a, tau), or a run
    cutoff : of the zero-phase low pass [Hz], for data without accelerations.  Coordinates and
        efforts are filtered.  Speeds and accelerations are differences of the filtered coordinates.
        The ends, where the filter rings, are cut off, also at gaps in time
    clock : whether late time stamps are corrected if the motion shows the ticks of a clock
    """
    if isinstance(data, Samples):
        return data
    if cutoff is not None:
        cutoff = arguments.number("identify", "cutoff", cutoff, "Hz")
    arrays = check_motion(system, check_shapes(system, _read_arrays(system, data)))
    if "a" in arrays:
        return _samples_of_states(arrays)
    missing = [n for n in ("time", "q", "tau") if n not in arrays]
    if missing:
        raise ArgumentError(f"identify, data: no {' and no '.join(missing)}; expected {NEEDS}")
    return _differentiate_motion(system, arrays, cutoff, clock)


def read_instruments(system: Any, data: Samples, motion: Any, cutoff: float | None) -> Samples:
    """Instruments (time, q) or (q, v, a), one row for each row of the data."""
    if not isinstance(motion, tuple | list) or len(motion) not in (2, 3):
        raise ArgumentError(
            f"identify: instruments={shown(motion)}: expected (time, q) or (q, v, a), one row a "
            "sample"
        )
    zero = np.zeros((len(motion[-1]), system.nv))
    instruments = samples(system, (*motion, zero), cutoff=cutoff, clock=False)
    if len(instruments) != len(data):
        raise ArgumentError(
            f"identify: {len(instruments)} rows of instruments for {len(data)} samples; give the "
            "same times"
        )
    return instruments


# ---- sources -----------------------------------------------------------------------------------

TUPLES = {3: ("time", "q", "tau"), 4: ("time", "q", "v", "tau"), 5: ("time", "q", "v", "a", "tau")}
SHORT_NAMES = {"t": "time", "effort": "tau", "torque": "tau"}


def _read_arrays(system: Any, data: Any) -> dict[str, Any]:
    """Arrays by name (time, q, v, a, tau) from any source."""
    if isinstance(data, str | Path):
        from ...model.formats import read_table

        return _arrays_from_columns(system, *read_table(Path(data)), str(data))
    if hasattr(data, "units") and hasattr(data, "time"):
        return _arrays_from_run(system, data)
    if isinstance(data, Mapping):
        arrays = {str(SHORT_NAMES.get(n, n)): x for n, x in data.items()}
        if {"q", "tau"} & set(arrays):
            if missing := {"q", "tau"} - set(arrays):
                fault = f"{', '.join(arrays)}, but no {missing.pop()}"
                raise ArgumentError(f"identify, data: {fault}; expected {NEEDS}")
            return arrays
        columns = list(arrays)
        try:
            table = np.column_stack([np.asarray(arrays[n], float) for n in columns])
        except (TypeError, ValueError) as e:
            raise ArgumentError(f"identify, data: {said(e)}; expected {NEEDS}") from None
        return _arrays_from_columns(system, columns, table, "data")
    if isinstance(data, tuple | list) and 3 <= len(data) <= 5:
        states = len(data) == 4 and np.ndim(data[0]) > 1
        names = ("q", "v", "a", "tau") if states else TUPLES[len(data)]
        return dict(zip(names, data, strict=True))
    raise ArgumentError(
        f"identify: data={shown(data)}: expected a CSV file, a run, a dictionary "
        f"or a tuple with {NEEDS}"
    )


def _arrays_from_run(system: Any, run: Any) -> dict[str, np.ndarray]:
    """States of a run, and the efforts of the motors at its joints."""
    joints = [(k.name, n) for k in system.links for n, _ in k.joint.speeds]
    has_several = [sum(1 for j, _ in joints if j == name) > 1 for name, _ in joints]
    suffixes = {"rate": "acceleration", "speed": "acceleration"}
    accelerations = [
        f"{j}.{suffixes.get(n, n + '.acceleration')}" if not several else f"{j}.{n}.acceleration"
        for (j, n), several in zip(joints, has_several, strict=True)
    ]
    totals = [
        f"{j}.effort.{n}" if several else f"{j}.effort"
        for (j, n), several in zip(joints, has_several, strict=True)
    ]
    motors = [e.name for e in system.elements if is_motor(e)]  # `inverse` adds them to the total
    efforts = [{n: 1.0} | {x: -1.0 for e in motors if (x := f"{n}.{e}") in run} for n in totals]
    if "motors" in run.provenance:
        efforts = _motor_signals(system, run.provenance["motors"])
    used = (*system.coordinates, *system.speeds, *accelerations, *(n for e in efforts for n in e))
    if unknown := [n for n in used if n not in run]:
        raise ArgumentError(f"identify: the run has no signal {', '.join(map(repr, unknown))}")
    zero = np.zeros(len(run.time))
    return {
        "time": np.asarray(run.time),
        "q": np.column_stack([run[n] for n in system.coordinates]),
        "v": np.column_stack([run[n] for n in system.speeds]),
        "a": np.column_stack([run[n] for n in accelerations]),
        "tau": np.column_stack([sum((w * run[n] for n, w in e.items()), zero) for e in efforts]),
    }


def _motor_signals(system: Any, motors: Mapping[str, Any]) -> list[dict[str, float]]:
    """{signal: factor} of the motors of each speed; `effort` of a simulation has all forces."""
    if others := motors.get("", ()):
        raise ArgumentError(
            f"identify: in this run {', '.join(map(repr, others))} also brings work, next to the "
            "motors at the joints; give (time, q, v, a, tau) with the efforts of the motors"
        )
    if not motors:
        raise ArgumentError(
            "identify: no motor pushes in this run, and a free motion does not show masses; "
            "push its joints, ts.JointForce(..., law=ts.Effort(input=...)), or give "
            "(time, q, v, a, tau)"
        )
    return [dict(motors.get(n, {})) for n in system.speeds]


def si_factor(heading: str, unit: str, where: str) -> float:
    """Factor to SI of a heading such as "q1 [deg]", whose dimension must be that of `unit`."""
    from ...model.formats import split, without_units
    from ...scalars import units

    text = split(heading)[1]
    if not text:
        without_units(where, [] if unit in ("", "1") else [heading], like=f"{heading} [{unit}]")
        return 1.0
    try:
        column, expected = units.unit(text), units.unit(unit)
    except ValueError as e:
        raise ArgumentError(f"{where}, column {heading!r}: {said(e)}") from None
    angular = {"rad", "1", ""}
    if column.dimension != expected.dimension and not {text, unit} <= angular:
        raise ArgumentError(f"{where}, column {heading!r}: expected a unit like {unit}")
    return float(column.factor) * float(np.pi) ** column.turns


def _arrays_from_columns(
    system: Any, headings: list[str], table: np.ndarray, where: str
) -> dict[str, np.ndarray]:
    """Columns by the names of signals, or as time, q1, q2, ..., v1, ..., a1, ..., tau1, ..."""
    from ...model.formats import split, without_units

    names = [split(h)[0] for h in headings]
    index = {n: i for i, n in enumerate(names)}
    arrays, problems = {}, []
    without: dict[str, str] = {}  # headings without a unit
    for kind, columns in _column_names(system).items():
        matches = [[index[n] for n in accepted if n in index] for accepted, _ in columns]
        if not any(matches):
            continue
        problems += [
            f"no column {' or '.join(map(repr, dict.fromkeys(accepted)))}"
            for (accepted, _), match in zip(columns, matches, strict=True)
            if not match
        ]
        if all(matches):
            places = [match[0] for match in matches]
            pairs = [(headings[i], u) for i, (_, u) in zip(places, columns, strict=True)]
            without |= {h: u for h, u in pairs if not split(h)[1] and u not in ("", "1")}
            factors = [1.0 if h in without else si_factor(h, u, where) for h, u in pairs]
            arrays[kind] = table[:, places] * np.array(factors)
    if problems:
        raise ArgumentError(f"{where}: {'; '.join(problems)}; headings there: {', '.join(names)}")
    if without:
        example = ", ".join(f"{h} [{u}]" for h, u in without.items())
        without_units(where, [*without], like=example)
    if "time" in arrays:
        arrays["time"] = arrays["time"][:, 0]
    return arrays


def _column_names(system: Any) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """{array: (accepted names, SI unit) of each of its columns}."""
    speeds = [(k, i) for k in system.links for i in range(len(k.joint.speeds))]
    units = [u for k in system.links for _, u in k.joint.coordinates]
    rates = [k.joint.speeds[i][1] for k, i in speeds]
    accelerations = [f"{u}^2" if u.endswith("/s") else f"{u}/s" for u in rates]
    efforts = ["N m" if u.startswith("rad") else "N" for u in rates]
    return {
        "time": [(("time", "t"), "s")],
        "q": [
            ((f"q{i}", n), u)
            for i, (n, u) in enumerate(zip(system.coordinates, units, strict=True), 1)
        ],
        "v": [
            ((f"v{i}", f"dq{i}", f"qd{i}", n), u)
            for i, (n, u) in enumerate(zip(system.speeds, rates, strict=True), 1)
        ],
        "a": [
            ((f"a{i}", f"ddq{i}", f"qdd{i}", f"{k.name}.acceleration"), u)
            for i, ((k, _), u) in enumerate(zip(speeds, accelerations, strict=True), 1)
        ],
        "tau": [
            ((f"tau{i}", *([f"{k.name}.effort"] if k.joint.nv == 1 else [])), u)
            for i, ((k, _), u) in enumerate(zip(speeds, efforts, strict=True), 1)
        ],
    }


# ---- filtering and differentiation -------------------------------------------------------------


def _samples_of_states(arrays: dict[str, np.ndarray]) -> Samples:
    if missing := [n for n in ("q", "v", "a", "tau") if n not in arrays]:
        raise ArgumentError(f"identify, data: no {' and no '.join(missing)}; expected {NEEDS}")
    q, v, a, tau = (arrays[n] for n in ("q", "v", "a", "tau"))
    return Samples(q, v, a, tau, arrays.get("time"))


def _differentiate_motion(
    system: Any, arrays: dict[str, np.ndarray], cutoff: float | None, clock: bool
) -> Samples:
    """Coordinates and efforts behind one filter; speeds and accelerations by differences."""
    if any(not k.joint.holonomic for k in system.links):
        raise ArgumentError(
            "identify, data: speeds of ball and free joints are no differences of "
            "coordinates; give v and a as well"
        )
    time, q, tau = (arrays[n] for n in ("time", "q", "tau"))
    columns = np.concatenate([q, tau], axis=1)
    steps = np.diff(time)
    max_step = MAX_STEP * max(float(np.median(steps)), 0.1 / (cutoff or np.inf))
    gaps = np.flatnonzero(steps > max_step) + 1
    segments = []
    for low, high in pairwise([0, *gaps, len(time)]):
        segment = _process_segment(time[low:high], columns[low:high], q.shape[1], cutoff, clock)
        if segment is not None:
            segments.append(segment)
    if not segments:
        count = f" in {len(gaps) + 1} pieces" if len(gaps) else ""
        raise ArgumentError(
            f"identify, data: {float(np.ptp(time)):.4g} s{count} are too short"
            + (
                f": {len(time)} samples; at least 9"
                if cutoff is None
                else f" for a cutoff of {cutoff:g} Hz; more than {4 * END_PERIODS / cutoff:.3g} s"
            )
        )
    noise = np.mean([x.pop("q_noise") for x, _ in segments], axis=0)
    joined = {n: np.concatenate([x[n][rows] for x, rows in segments]) for n in segments[0][0]}
    result = replace(
        _samples_of_states(joined), cutoff=cutoff, ddtau=joined["ddtau"], q_noise=noise
    )
    return result if cutoff is None else replace(result, motion=_join_motion(segments, cutoff))


def _join_motion(
    segments: list[tuple[dict[str, np.ndarray], slice]], cutoff: float
) -> SampledMotion:
    """All samples of the segments, and which of them are rows."""
    bounds = np.cumsum([0, *(len(x["time"]) for x, _ in segments)]).tolist()
    steps = [float(x["time"][1] - x["time"][0]) for x, _ in segments]
    spans = tuple((*ends, s) for ends, s in zip(pairwise(bounds), steps, strict=True))
    rows = [np.arange(low, high)[k] for (low, high, _), (_, k) in zip(spans, segments, strict=True)]
    q, v = (np.concatenate([x[n] for x, _ in segments]) for n in ("q", "v"))
    return SampledMotion(q, v, spans, np.concatenate(rows), cutoff)


def _process_segment(
    time: np.ndarray, columns: np.ndarray, nq: int, cutoff: float | None, clock: bool
) -> tuple[dict[str, np.ndarray], slice] | None:
    """One segment without gaps and its rows; None if the ends of the filter take all of it."""
    if len(time) < 8:
        return None
    is_increasing = np.all(np.diff(time) > 0)
    if clock and cutoff is not None and len(time) > MIN_CLOCK_ROWS and is_increasing:
        time = recover_clock(time, columns[:, :nq], cutoff)
        first = np.flatnonzero(np.append(True, np.diff(time) > 0))  # mean of rows read twice
        counts = np.diff(np.append(first, len(time)))[:, None]
        time, columns = time[first], np.add.reduceat(columns, first, axis=0) / counts
    time, columns = resample(time, columns)
    step, end = float(time[1] - time[0]), 2
    if cutoff is not None:
        end = max(2, round(END_PERIODS / (cutoff * step)))
    if len(time) <= 4 * end:
        return None
    noise = np.array([noise_deviation(x, NOISE_ORDER) for x in columns.T[:nq]])
    if cutoff is not None:
        columns = low_pass(columns, step, cutoff)
    q, tau = columns[:, :nq], columns[:, nq:]
    v = differentiate(q, step)
    decimation = 1 if cutoff is None else max(1, int(1 / ROWS_PER_PERIOD / (cutoff * step)))
    a = differentiate(v, step)
    ddtau = differentiate(differentiate(tau, step), step)
    arrays = {"q": q, "v": v, "a": a, "tau": tau, "time": time, "ddtau": ddtau, "q_noise": noise}
    return arrays, slice(end, -end, decimation)
