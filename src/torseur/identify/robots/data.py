"""What was measured on a robot: coordinates and efforts, from a file, arrays or a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import ArgumentError, said, shown
from ...scalars import arguments
from ...views import PrintedAnswer
from ..output_error.residual_analysis import roughness
from . import filtering
from .filtering import Passed
from .model_update import is_motor
from .validation import arrays, sound

NEEDS = "time, coordinates and efforts (speeds and accelerations as well, if they are known)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Samples(PrintedAnswer):
    """States and efforts, one row a sample: `q` (n, nq), `v`, `a`, `tau` (n, nv), SI units."""

    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    tau: np.ndarray
    time: np.ndarray | None = None
    band: float | None = None  # what a low pass without shift has left [Hz]; rows are even then
    shake: np.ndarray | None = None  # second derivatives of the efforts, where they were filtered
    passed: Passed | None = None  # all samples of the motion, where a low pass took every tenth
    noise: np.ndarray | None = None  # of the coordinates before it, one sample's standard deviation

    def __len__(self):
        return len(self.tau)

    def rows(self, which) -> Samples:
        """Some of the rows."""
        time, shake = (None if x is None else x[which] for x in (self.time, self.shake))
        q, v, a, tau = (x[which] for x in (self.q, self.v, self.a, self.tau))
        passed = None if self.passed is None else self.passed.rows(which)
        return Samples(q, v, a, tau, time, self.band, shake, passed, self.noise)


EDGE = 0.5  # periods of the cutoff that are left out at both ends
ROUGH = 6  # differences of coordinates in which no motion is left, only noise
TICKS = 100  # rows, at least, to tell a clock by
GAP = 5.0  # usual steps, or tenths of the cutoff's period: what is longer is no motion


def samples(system: Any, data: Any, *, cutoff: float | None = 10.0, clock: bool = True) -> Samples:
    """Measured data as states and efforts.

    Parameters
    ----------
    data : a CSV file (plain or .gz; headings with units), a dictionary of arrays or a tuple
        (time, q, tau), (time, q, v, tau), (time, q, v, a, tau) or (q, v, a, tau), or a run
    cutoff : of the low pass that does not shift [Hz]; it acts only where accelerations are not
        given: coordinates and efforts go through it, speeds and accelerations are differences of
        the filtered coordinates, and the ends, where the filter rings, are cut off; likewise at
        gaps in time, between which each piece is taken by itself
    clock : whether stamps that the motion shows to be late are mended, see `filters.clock`
    """
    if isinstance(data, Samples):
        return data
    if cutoff is not None:
        cutoff = arguments.number("identify", "cutoff", cutoff, "Hz")
    named = sound(system, arrays(system, _named(system, data)))
    if "a" in named:
        return _checked(system, named)
    missing = [n for n in ("time", "q", "tau") if n not in named]
    if missing:
        raise ArgumentError(f"identify, data: no {' and no '.join(missing)}; expected {NEEDS}")
    return _differentiated(system, named, cutoff, clock)


def beside(system: Any, seen: Samples, motion: Any, cutoff: float | None) -> Samples:
    """A motion given as (time, q) or (q, v, a), row by row beside samples of the same times."""
    if not isinstance(motion, tuple | list) or len(motion) not in (2, 3):
        raise ArgumentError(
            f"identify: instruments={shown(motion)}: expected (time, q) or (q, v, a), one row a "
            "sample"
        )
    none = np.zeros((len(motion[-1]), system.nv))
    made = samples(system, (*motion, none), cutoff=cutoff, clock=False)
    if len(made) != len(seen):
        raise ArgumentError(
            f"identify: {len(made)} rows of instruments beside {len(seen)} samples; give the same "
            "times"
        )
    return made


def _named(system, data) -> dict[str, np.ndarray]:
    if isinstance(data, str | Path):
        from ...model.formats import read_table

        return _from_columns(system, *read_table(Path(data)), str(data))
    if hasattr(data, "units") and hasattr(data, "time"):
        return _from_run(system, data)
    if isinstance(data, Mapping):
        short = {"t": "time", "effort": "tau", "torque": "tau"}
        named = {str(short.get(n, n)): x for n, x in data.items()}
        if {"q", "tau"} & set(named):
            if missing := {"q", "tau"} - set(named):
                beside = f"no {missing.pop()} beside {', '.join(named)}"
                raise ArgumentError(f"identify, data: {beside}; expected {NEEDS}")
            return named
        columns = list(named)
        try:
            table = np.column_stack([np.asarray(named[n], float) for n in columns])
        except (TypeError, ValueError) as e:
            raise ArgumentError(f"identify, data: {said(e)}; expected {NEEDS}") from None
        return _from_columns(system, columns, table, "data")
    if isinstance(data, tuple | list) and 3 <= len(data) <= 5:
        names = (
            ["q", "v", "a", "tau"]
            if len(data) == 4 and np.ndim(data[0]) > 1
            else {
                3: ["time", "q", "tau"],
                4: ["time", "q", "v", "tau"],
                5: ["time", "q", "v", "a", "tau"],
            }[len(data)]
        )
        return dict(zip(names, data, strict=True))
    raise ArgumentError(
        f"identify: data={shown(data)}: expected a CSV file, a run, a dictionary "
        f"or a tuple with {NEEDS}"
    )


def _checked(system, named) -> Samples:
    if missing := [n for n in ("q", "v", "a", "tau") if n not in named]:
        raise ArgumentError(f"identify, data: no {' and no '.join(missing)}; expected {NEEDS}")
    q, v, a, tau = (named[n] for n in ("q", "v", "a", "tau"))
    return Samples(q, v, a, tau, named.get("time"))


def _differentiated(system, named, cutoff, clock) -> Samples:
    """Coordinates and efforts filtered alike; speeds and accelerations by differences."""
    if any(not k.joint.holonomic for k in system.links):
        raise ArgumentError(
            "identify, data: speeds of ball and free joints are no differences of "
            "coordinates; give v and a as well"
        )
    time, q, tau = (named[n] for n in ("time", "q", "tau"))
    both = np.concatenate([q, tau], axis=1)
    steps = np.diff(time)
    gaps = np.flatnonzero(steps > GAP * max(float(np.median(steps)), 0.1 / (cutoff or np.inf))) + 1
    parts, most = [], float(np.ptp(time))
    for low, high in pairwise([0, *gaps, len(time)]):
        part = _part(time[low:high], both[low:high], q.shape[1], cutoff, clock)
        if part is not None:
            parts.append(part)
    if not parts:
        pieces = f" in {len(gaps) + 1} pieces" if len(gaps) else ""
        raise ArgumentError(
            f"identify, data: {most:.4g} s{pieces} are too short"
            + (
                f": {len(time)} samples; at least 9"
                if cutoff is None
                else f" for a cutoff of {cutoff:g} Hz; more than {4 * EDGE / cutoff:.3g} s"
            )
        )
    noise = np.mean([x.pop("noise") for x, _ in parts], axis=0)
    joined = {n: np.concatenate([x[n][at] for x, at in parts]) for n in parts[0][0]}
    found = replace(_checked(system, joined), band=cutoff, shake=joined["shake"], noise=noise)
    return found if cutoff is None else replace(found, passed=_passed(parts, cutoff))


def _passed(parts, cutoff: float) -> Passed:
    """All samples of the parts, and which of them are rows."""
    ends = np.cumsum([0, *(len(x["time"]) for x, _ in parts)]).tolist()
    steps = [float(x["time"][1] - x["time"][0]) for x, _ in parts]
    pieces = tuple((*ends, s) for ends, s in zip(pairwise(ends), steps, strict=True))
    at = [np.arange(low, high)[k] for (low, high, _), (_, k) in zip(pieces, parts, strict=True)]
    q, v = (np.concatenate([x[n] for x, _ in parts]) for n in ("q", "v"))
    return Passed(q, v, pieces, np.concatenate(at), cutoff)


def _part(time, both, nq, cutoff, clock) -> tuple[dict[str, np.ndarray], slice] | None:
    """One piece without gaps, and which rows of it; None if the filter's ends are all of it."""
    if len(time) < 8:
        return None
    if clock and cutoff is not None and len(time) > TICKS and np.all(np.diff(time) > 0):
        time = filtering.clock(time, both[:, :nq], cutoff)
        again = np.flatnonzero(np.append(True, np.diff(time) > 0))  # rows read twice: their mean
        counts = np.diff(np.append(again, len(time)))[:, None]
        time, both = time[again], np.add.reduceat(both, again, axis=0) / counts
    time, both = filtering.resample(time, both)
    step, edge = float(time[1] - time[0]), 2
    if cutoff is not None:
        edge = max(2, round(EDGE / (cutoff * step)))  # where the filter's ends are felt
    if len(time) <= 4 * edge:
        return None
    noise = np.array([roughness(x, ROUGH) for x in both.T[:nq]])
    if cutoff is not None:
        both = filtering.low_pass(both, step, cutoff)
    q, tau = both[:, :nq], both[:, nq:]
    v = filtering.derivative(q, step)
    every = 1 if cutoff is None else max(1, int(0.1 / (cutoff * step)))  # ten a period are enough
    cut = slice(edge, -edge, every)
    a = filtering.derivative(v, step)
    shake = filtering.derivative(filtering.derivative(tau, step), step)
    named = {"q": q, "v": v, "a": a, "tau": tau, "time": time, "shake": shake, "noise": noise}
    return named, cut


def _from_run(system, run) -> dict[str, np.ndarray]:
    joints = [(k.name, n) for k in system.links for n, _ in k.joint.speeds]

    def columns(names):
        return np.column_stack([run[n] for n in names])

    several = [sum(1 for j, _ in joints if j == name) > 1 for name, _ in joints]
    ends = {"rate": "acceleration", "speed": "acceleration"}
    second = [
        f"{j}.{ends.get(n, n + '.acceleration')}" if not more else f"{j}.{n}.acceleration"
        for (j, n), more in zip(joints, several, strict=True)
    ]
    total = [
        f"{j}.effort.{n}" if more else f"{j}.effort"
        for (j, n), more in zip(joints, several, strict=True)
    ]
    own = [e.name for e in system.elements if is_motor(e)]  # `inverse` has the rest beside these
    effort = [{n: 1.0} | {x: -1.0 for e in own if (x := f"{n}.{e}") in run} for n in total]
    if "motors" in run.provenance:
        effort = _pushes(system, run.provenance["motors"])
    used = (*system.coordinates, *system.speeds, *second, *(n for e in effort for n in e))
    if unknown := [n for n in used if n not in run]:
        raise ArgumentError(f"identify: the run has no signal {', '.join(map(repr, unknown))}")
    rows = np.zeros(len(run.time))
    return {
        "time": np.asarray(run.time),
        "q": columns(system.coordinates),
        "v": columns(system.speeds),
        "a": columns(second),
        "tau": np.column_stack([sum((w * run[n] for n, w in e.items()), rows) for e in effort]),
    }


def _pushes(system, motors) -> list[dict[str, float]]:
    """Of every speed the signals of its motors; a simulated `effort` is of all forces."""
    if others := motors.get("", ()):
        raise ArgumentError(
            f"identify: in this run {', '.join(map(repr, others))} also brings work, beside motors "
            "at the joints; give (time, q, v, a, tau) with the efforts of the motors"
        )
    if not motors:
        raise ArgumentError(
            "identify: no motor pushes in this run, and what moves freely does not tell masses; "
            "push its joints, ts.JointForce(..., law=ts.Effort(input=...)), or give "
            "(time, q, v, a, tau)"
        )
    return [dict(motors.get(n, {})) for n in system.speeds]


def si_factor(head: str, wanted: str, where: str) -> float:
    """Factor to SI of a heading such as "q1 [deg]", which must be like `wanted`."""
    from ...model.formats import split, without_units
    from ...scalars import units

    text = split(head)[1]
    if not text:
        without_units(where, [] if wanted in ("", "1") else [head], like=f"{head} [{wanted}]")
        return 1.0
    try:
        got, want = units.unit(text), units.unit(wanted)
    except ValueError as e:
        raise ArgumentError(f"{where}, column {head!r}: {said(e)}") from None
    angular = {"rad", "1", ""}
    if got.dimension != want.dimension and not {text, wanted} <= angular:
        raise ArgumentError(f"{where}, column {head!r}: expected a unit like {wanted}")
    return float(got.factor) * float(np.pi) ** got.turns


def _from_columns(system, heads, table, where) -> dict[str, np.ndarray]:
    """Columns by the names of signals, or as time, q1, q2, ..., v1, ..., a1, ..., tau1, ..."""
    per = [(k, i) for k in system.links for i in range(len(k.joint.speeds))]
    from ...model.formats import split, without_units

    plain = [split(h)[0] for h in heads]
    place = {n: i for i, n in enumerate(plain)}
    units = [u for k in system.links for _, u in k.joint.coordinates]
    rates = [k.joint.speeds[i][1] for k, i in per]
    second = [f"{u}^2" if u.endswith("/s") else f"{u}/s" for u in rates]
    efforts = ["N m" if u.startswith("rad") else "N" for u in rates]
    one = [k.joint.nv == 1 for k, _ in per]
    wanted: dict[str, list[tuple[tuple[str, ...], str]]] = {
        "time": [(("time", "t"), "s")],
        "q": [
            ((f"q{i + 1}", n), u)
            for i, (n, u) in enumerate(zip(system.coordinates, units, strict=True))
        ],
        "v": [
            ((f"v{i + 1}", f"dq{i + 1}", f"qd{i + 1}", n), u)
            for i, (n, u) in enumerate(zip(system.speeds, rates, strict=True))
        ],
        "a": [
            ((f"a{i + 1}", f"ddq{i + 1}", f"qdd{i + 1}", f"{k.name}.acceleration"), u)
            for i, ((k, _), u) in enumerate(zip(per, second, strict=True))
        ],
        "tau": [
            ((f"tau{i + 1}", *([f"{k.name}.effort"] if alone else [])), u)
            for i, ((k, _), u, alone) in enumerate(zip(per, efforts, one, strict=True))
        ],
    }
    out, problems = {}, []
    bare: dict[str, str] = {}
    for kind, columns in wanted.items():
        found = [next((place[n] for n in names if n in place), None) for names, _ in columns]
        if all(f is None for f in found):
            continue
        problems += [
            f"no column {' or '.join(map(repr, dict.fromkeys(names)))}"
            for (names, _), f in zip(columns, found, strict=True)
            if f is None
        ]
        if None not in found:
            named = [(heads[f], u) for f, (_, u) in zip(found, columns, strict=True)]
            bare |= {h: u for h, u in named if not split(h)[1] and u not in ("", "1")}
            factors = [1.0 if h in bare else si_factor(h, u, where) for h, u in named]
            out[kind] = table[:, found] * np.array(factors)
    if problems:
        raise ArgumentError(f"{where}: {'; '.join(problems)}; headings there: {', '.join(plain)}")
    if bare:
        without_units(where, [*bare], like=", ".join(f"{h} [{u}]" for h, u in bare.items()))
    if "time" in out:
        out["time"] = out["time"][:, 0]
    return out
