"""From a run to its result: rows and events that users see, outcome, statistics, provenance."""

from __future__ import annotations

import sys
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from ...integrate import record as codes
from ...kernels import StateRows
from ...results import Event, Trajectory
from ...scalars.values import value
from ...signals import Signals, bounds
from ...system import once
from .constraint_method import PiecewiseKernels, kernels_of
from .contact_modes import JOLT
from .diagnostics import (
    begins_on_edge,
    bent,
    beyond,
    doubts,
    measures,
    passed,
    past_tables,
    shaken,
    shared,
)
from .record import kept, rows

# --------------------------------------------------------------------------------------------
# Signals of a run: accelerations and multipliers by the kernels that it was made with.


class RunSignals(Signals):
    """Signals from the rows of a run; `ways` say how its constraints were solved, from when on."""

    kept = (*Signals.kept, "ways")

    def __init__(self, system, ways, rows: StateRows, p, jumps=(), least_norm=False, firsts=(0,)):
        super().__init__(system, rows, p, jumps, least_norm, firsts)
        self.ways = tuple(ways)

    @cached_property
    def kernels(self):
        """Those of the run; each row by the ones that made it."""
        made = [(t, kernels_of(self.system, way)) for t, way in self.ways]
        return made[0][1] if len(made) == 1 else PiecewiseKernels(made)

    @cached_property
    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """Least and largest of every coordinate and speed over the rows."""
        return bounds(np.ascontiguousarray(np.hstack(self.rows[1:3]).T))

    @cached_property
    def solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (rows, nv) and multipliers (rows, nc)."""
        rows, n = self.rows, len(self.rows.t)
        p = np.broadcast_to(self.outputs.p, (n, self.outputs.p.shape[-1]))
        with np.errstate(all="ignore"):  # pieces abreast also compute what is not taken
            _, a, _, *lam = self.kernels["flow"](*rows, p)
        return a, lam[0] if lam else np.zeros((n, 0))


ROUNDING = 1e3 * np.finfo(float).eps  # of size and weight: an energy that is none


class KeptRun(NamedTuple):
    """What a result keeps of a run."""

    time: np.ndarray
    Y: np.ndarray
    M: np.ndarray
    U: np.ndarray
    events: tuple[Event, ...]
    total: int  # events, those beyond what was logged too
    jumps: np.ndarray  # rows before and after an event that acted, (events, 2)


def seen(run) -> KeptRun:
    """Rows and events, without those that only a memory needed."""
    now = run.record
    n = now.n_rows
    time, Y, M, U = rows(now)
    if (n == 0 or time[-1] < run.t) and (run.stopped or run.failed or n == 0):
        time, Y = np.append(time, run.t), np.vstack([Y, now.y])
        M, U = np.vstack([M, now.m]), np.vstack([U, run.u])
    when, which = now.log_time[: now.n_logged], now.log_index[: now.n_logged]
    events: tuple[Event, ...] = ()
    jumps = np.zeros((0, 2), dtype=int)
    if now.n_logged:
        names = guard_names(run.system)
        told = np.array([name != "" for name in names])[which]
        told &= ~went_on(run, when, which, time, M)
        if run.system.switched and not told.all():
            log = list(zip(when.tolist(), which.tolist(), strict=True))
            silent = leaps(run, log, names, time, Y)
            named = [
                (t, names[k] if x else silent.pop(t, ""))
                for (t, k), x in zip(log, told, strict=True)
            ]
            told |= np.array([name != "" for _, name in named])
        else:
            shown = zip(when[told].tolist(), which[told].tolist(), strict=True)
            named = [(t, names[k]) for t, k in shown]
        events = tuple(Event(t, name) for t, name in named if name)
        if not (told.all() or now.output_every_step):
            keep = ~among(time, when[~told])
            keep[~keep] = among(time[~keep], np.concatenate([when[told], run.grid]))
            if not keep.all():
                time, Y, M, U = time[keep], Y[keep], M[keep], U[keep]
        acting = when[now.event_type[which] != codes.MONITOR_EVENT]
        twice = np.flatnonzero(time[1:] == time[:-1])
        twice = twice[among(time[twice], acting)]
        jumps = np.stack([twice, twice + 1], axis=1)
    if not run.closed:  # it may go on, and write there
        time, Y, M, U = (x.copy() for x in (time, Y, M, U))
    return KeptRun(time, Y, M, U, events, now.event_count - now.n_logged + len(events), jumps)


def among(x: np.ndarray, few: np.ndarray) -> np.ndarray:
    """Which of some numbers are among a few others.

    >>> among(np.array([0.5, 1.0, 2.0]), np.array([2.0, 0.5])).tolist()
    [True, False, True]
    """
    if not len(few):
        return np.zeros(len(x), dtype=bool)
    few = np.sort(few)
    return few[np.minimum(few.searchsorted(x), len(few) - 1)] == x


def went_on(run, when, which, time, M) -> np.ndarray:
    """Which events are of a friction at rest that let others hold more, and holds on: DF.16."""
    out, modes = np.zeros(len(which), dtype=bool), letting(run.system)
    for i, k in enumerate(which.tolist() if modes else ()):
        if k in modes:
            after = np.flatnonzero(time == when[i])
            out[i] = len(after) > 0 and M[after[-1], modes[k]] == 0
    return out


@once()
def letting(system) -> dict[int, int]:
    """Where the mode of a friction in a plane is remembered, by the guard that lets it go."""
    switched = zip(system.switched, system.layout.switches, strict=True)
    modes = {e.name: own.start for e, own in switched if e.friction and e.size == 2}
    guards = enumerate(system.layout.guards)
    lets = {i: g.owner for i, g in guards if g.what == "breaks loose" and g.owner in modes}
    return {i: modes[name] for i, name in lets.items()} if len(modes) > 1 else {}


@once()
def guard_names(system) -> tuple[str, ...]:
    """Names of guards; of those that nobody is told of, none."""
    return tuple(g.name if g.told else "" for g in system.layout.guards)


def leaps(run, log, names, time, Y) -> dict[float, str]:
    """Instants at which speeds jump and no event says so: with the name of one that does."""
    s, said, out = run.system, {t for t, k in log if names[k]}, {}
    for t, k in log:
        if t not in said and t not in out:
            v = Y[time == t, s.nq : s.nq + s.nv]
            if (np.ptp(v, axis=0) > JOLT * np.maximum(1.0, abs(v).max(axis=0))).any():
                out[t] = f"{run.guards[k].owner}: speeds jump"
    return out


def finished(run) -> Trajectory:
    """What a run has computed so far."""
    s, found = run.system, seen(run)
    if run.jolt:
        first = Event(run.t_start, "start: speeds jump")
        found = found._replace(events=(first, *found.events), total=found.total + 1)
    n = s.nq + s.nv
    q, v, z = found.Y[:, : s.nq], found.Y[:, s.nq : n], found.Y[:, n:]
    states = StateRows(found.time, q, v, z, found.M, found.U)
    least = run.options.reactions == "least_norm"
    signals = RunSignals(s, run.leading.ways, states, run.p, found.jumps, least)
    state = (*s.coordinates, *s.speeds)
    columns = np.ascontiguousarray(found.Y[:, : len(state)].T)
    columns.flags.writeable = False  # a trajectory takes its lines as they are
    signals.extent = bounds(columns)
    outcome = _outcome(run, found, signals)
    return Trajectory(
        found.time,
        dict(zip(state, columns, strict=True)),
        signals.units,
        outcome,
        completed=not (run.failed or run.interrupted),
        events=found.events,
        statistics=_statistics(run, found.total),
        provenance=_provenance(run, found) | {"state": state},
        source=signals,
        jumps=tuple(map(tuple, found.jumps.tolist())),
    )


def _outcome(run, found: KeptRun, signals) -> str:
    """A sentence, with what speaks against the run; a run that it speaks against has failed."""
    through = "" if run.failed else passed(run, signals, found.time)
    run.failed = run.failed or bool(through)
    run.outcome = through or run.outcome
    events = f", {found.total} event{'s' * (found.total > 1)}" if found.total else ""
    by = " and ".join(dict.fromkeys((*run.before, run.method.name)))
    reached = f"reached t = {run.t:g} s in {run.record.step_count} steps of {by}"
    outcome = run.outcome or f"{reached}{events}{run.leading}"
    unsound = "" if run.failed else doubts(run, signals, found.time)
    run.failed = run.failed or bool(unsound)
    said = begins_on_edge(run, found.Y) + beyond(run, found.time, found.Y) + shaken(run)
    said += bent(run, found.time, found.Y) + past_tables(run, found.time, found.M)
    said += shared(run, found.time, found.Y, found.M)
    return outcome + unsound + run.jolt + said


def _statistics(run, events: int) -> dict:
    now = run.record
    return {
        "steps": now.step_count,
        "rejected": now.rejection_count,
        "evaluations": now.rhs_count,
        "jacobians": now.jacobian_count,
        "events": events,
        "seconds": run.elapsed,
        **({"interrupted": True} if run.interrupted else {}),
    }


def _provenance(run, found: KeptRun) -> dict:
    s, now = run.system, run.record
    size, weight = measures(s, tuple(run.p.tolist()))
    return {
        "model": s.name,
        "version": sys.modules["torseur"].__version__,
        "digest": s.digest,
        "method": ", ".join((*run.before, run.method.name)),
        "why": run.why or run.method.description,
        "rtol": now.rtol,
        "atol": float(now.atol.min(initial=1.0)),
        "rounding": ROUNDING * size * weight,
        "coordinates": s.coordinates,
        **run.leading.provenance,
        "kept": kept(s, found.Y[-1, s.nq + s.nv :], found.M[-1]),
        "parameters": dict(zip(s.parameters, run.p.tolist(), strict=True)),
        "motors": motors(s, run.p),
    }


def motors(system, p) -> dict[str, Any]:
    """Signals of the motors of every speed, {speed: {signal: effort there of one unit}}; under ""
    names of what else brings work or reads an input."""
    out: dict[str, Any] = {}
    bound = dict(zip(system.parameters, p.tolist(), strict=True))
    for e in system.elements:
        if e.law is None or not e.law.motor or not e.weights:
            if e.u or (e.law is not None and e.law.motor):
                out.setdefault("", []).append(e.name)
            continue
        for _, j, w in e.weights:
            size = -e.law.shows * float(value.nominal(value.exact(w), bound))
            out.setdefault(system.speeds[j], {})[f"{e.name}.force"] = size
    return out
