"""Result of a run: time points and events that users see, diagnosis, statistics, provenance."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...dynamics import SolutionMethod
from ...integrate import record as codes
from ...kernels import StateRows
from ...results import Event, Trajectory
from ...scalars.values import value
from ...signals import Signals, bounds
from ...system import System, once
from .constraint_method import PiecewiseKernels, kernels_for
from .contact_modes import MIN_SPEED_JUMP
from .diagnostics import conclude_run, mechanism_size_and_weight
from .record import save_history

if TYPE_CHECKING:
    from .run import Simulation

ENERGY_ROUNDING = 1e3 * np.finfo(float).eps  # of size times weight: an energy that is rounding


class RunSignals(Signals):
    """Signals of a run: accelerations and multipliers by the kernels that computed its steps.

    `solutions` are the methods of its constraints, each with the time [s] from which on it was
    used.
    """

    kept = (*Signals.kept, "solutions")

    def __init__(
        self,
        system: System,
        solutions: Sequence[tuple[float, SolutionMethod]],
        rows: StateRows,
        p: np.ndarray,
        jumps: Any = (),
        least_norm: bool = False,
        firsts: Any = (0,),
    ):
        """Signals of rows.  `jumps` are rows before and after resets, `firsts` the first row of
        each run.
        """
        super().__init__(system, rows, p, jumps, least_norm, firsts)
        self.solutions = tuple(solutions)

    @cached_property
    def kernels(self):
        """Kernels of the run, of each time point those of its constraint solution."""
        periods = [(t, kernels_for(self.system, solution)) for t, solution in self.solutions]
        return periods[0][1] if len(periods) == 1 else PiecewiseKernels(periods)

    @cached_property
    def extent(self) -> tuple[np.ndarray, np.ndarray]:
        """Smallest and largest value of every coordinate and speed over the time points."""
        return bounds(np.ascontiguousarray(np.hstack(self.rows[1:3]).T))

    @cached_property
    def solved(self) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations (rows, nv) and multipliers (rows, nc)."""
        rows, n = self.rows, len(self.rows.t)
        p = np.broadcast_to(self.outputs.p, (n, self.outputs.p.shape[-1]))
        with np.errstate(all="ignore"):  # SIMD lanes also compute branches that are not taken
            _, a, _, *lam = self.kernels["flow"](*rows, p)
        return a, lam[0] if lam else np.zeros((n, 0))


# ---- time points and events ------------------------------------------------------------------


class VisibleRun(NamedTuple):
    """Time points and events of a run that its result shows."""

    time: np.ndarray
    Y: np.ndarray
    M: np.ndarray
    U: np.ndarray
    events: tuple[Event, ...]
    event_count: int  # with events beyond the logged ones
    jumps: np.ndarray  # rows before and after each event with a reset, (events, 2)


def select_visible_rows(run: Simulation) -> VisibleRun:
    """Time points and events of a run, without those at which only memories of laws changed."""
    record = run.record
    time, Y, M, U = run.recorded_rows()
    if not len(time) or (time[-1] < run.t and run.diagnosis is not None):
        y, m = record.y[: run.state_size], record.m[: run.memory_size]
        time, Y = np.append(time, run.t), np.vstack([Y, y])
        M, U = np.vstack([M, m]), np.vstack([U, run.u])
    when, which = record.log_time[: record.n_logged], record.log_index[: record.n_logged]
    events: tuple[Event, ...] = ()
    jumps = np.zeros((0, 2), dtype=int)
    if record.n_logged:
        is_visible, names = _name_events(run.system, (when, which), (time, Y, M))
        shown = zip(when[is_visible].tolist(), names[is_visible].tolist(), strict=True)
        events = tuple(Event(t, name) for t, name in shown)
        if not (is_visible.all() or record.output_every_step):
            kept = ~contains_times(when[~is_visible], time)
            wanted = np.concatenate([when[is_visible], run.grid])
            kept[~kept] = contains_times(wanted, time[~kept])
            if not kept.all():
                time, Y, M, U = time[kept], Y[kept], M[kept], U[kept]
        resets = when[record.event_type[which] != codes.MONITOR_EVENT]
        before = np.flatnonzero(time[1:] == time[:-1])
        before = before[contains_times(resets, time[before])]
        jumps = np.stack([before, before + 1], axis=1)
    if not run.is_closed:  # it may go on, and write to these arrays
        time, Y, M, U = (x.copy() for x in (time, Y, M, U))
    count = record.event_count - record.n_logged + len(events)
    return VisibleRun(time, Y, M, U, events, count, jumps)


def _name_events(
    system: System,
    log: tuple[np.ndarray, np.ndarray],
    rows: tuple[np.ndarray, np.ndarray, np.ndarray],
) -> tuple[np.ndarray, np.ndarray]:
    """Which logged events are visible, and the names of all."""
    (when, which), (time, Y, M) = log, rows
    names = np.array(event_names(system), dtype=object)[which]
    is_visible = (names != "") & ~find_shared_releases(system, when, which, time, M)
    if not system.switched or is_visible.all():
        return is_visible, names
    named_times = set(when[names != ""].tolist())
    jumps = find_unnamed_jumps(system, when, which, named_times, (time, Y))
    for i in np.flatnonzero(~is_visible).tolist():
        if name := jumps.pop(float(when[i]), ""):
            names[i], is_visible[i] = name, True
    return is_visible, names


def contains_times(times: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Which of the numbers x are among some times.

    >>> contains_times(np.array([2.0, 0.5]), np.array([0.5, 1.0, 2.0])).tolist()
    [True, False, True]
    """
    if not len(times):
        return np.zeros(len(x), dtype=bool)
    times = np.sort(times)
    return times[np.minimum(times.searchsorted(x), len(times) - 1)] == x


def find_shared_releases(
    system: System, when: np.ndarray, which: np.ndarray, time: np.ndarray, M: np.ndarray
) -> np.ndarray:
    """Which events release a friction that sticks again at once, since others take its load: DF.16.

    `when` and `which` are times [s] and event functions of the log.
    """
    out, modes = np.zeros(len(which), dtype=bool), friction_mode_slots(system)
    for i, k in enumerate(which.tolist() if modes else ()):
        if k in modes:
            rows = np.flatnonzero(time == when[i])
            out[i] = len(rows) > 0 and M[rows[-1], modes[k]] == 0
    return out


@once()
def friction_mode_slots(system: System) -> dict[int, int]:
    """Slot in the memory of the mode of a plane friction, by the event function of its release.

    Empty for fewer than two such frictions.
    """
    switched = zip(system.switched, system.layout.switches, strict=True)
    modes = {e.name: slots.start for e, slots in switched if e.friction and e.size == 2}
    guards = enumerate(system.layout.guards)
    releases = {i: g.owner for i, g in guards if g.what == "breaks loose" and g.owner in modes}
    return {i: modes[name] for i, name in releases.items()} if len(modes) > 1 else {}


@once()
def event_names(system: System) -> tuple[str, ...]:
    """Names of events by event function.  "" of those that results do not show."""
    return tuple(g.name if g.told else "" for g in system.layout.guards)


def find_unnamed_jumps(
    system: System,
    when: np.ndarray,
    which: np.ndarray,
    named_times: set[float],
    rows: tuple[np.ndarray, np.ndarray],
) -> dict[float, str]:
    """Names of events for times [s] at which speeds jump without a named event."""
    s, (time, Y), out = system, rows, dict[float, str]()
    for t, k in zip(when.tolist(), which.tolist(), strict=True):
        if t not in named_times and t not in out:
            v = Y[time == t, s.nq : s.nq + s.nv]
            if (np.ptp(v, axis=0) > MIN_SPEED_JUMP * np.maximum(1.0, abs(v).max(axis=0))).any():
                out[t] = f"{s.layout.guards[k].owner}: speeds jump"
    return out


# ---- trajectory ------------------------------------------------------------------------------


def build_trajectory(run: Simulation) -> Trajectory:
    """The results of a run so far, with its final diagnosis."""
    s, visible = run.system, select_visible_rows(run)
    events, event_count = visible.events, visible.event_count
    if run.initial_impact:
        events = (Event(run.t_start, "start: speeds jump"), *events)
        event_count += 1
    q, v, z = np.split(visible.Y, [s.nq, s.nq + s.nv], axis=1)
    states = StateRows(visible.time, q, v, z, visible.M, visible.U)
    least_norm = run.options.reactions == "least_norm"
    solutions = run.constraint_method.solutions
    signals = RunSignals(s, solutions, states, run.p, visible.jumps, least_norm)
    state = (*s.coordinates, *s.speeds)
    columns = np.ascontiguousarray(visible.Y[:, : len(state)].T)
    columns.flags.writeable = False  # a trajectory takes its lines without a copy
    signals.extent = bounds(columns)
    diagnosis, outcome = conclude_run(
        run.summary(),
        run.diagnosis,
        run.describe_end(event_count),
        run.initial_impact,
        signals,
        (visible.time, visible.Y, visible.M),
    )
    return Trajectory(
        visible.time,
        dict(zip(state, columns, strict=True)),
        signals.units,
        outcome,
        diagnosis=diagnosis,
        events=events,
        statistics=_collect_statistics(run, event_count),
        provenance=_collect_provenance(run, visible) | {"state": state},
        source=signals,
        jumps=tuple(map(tuple, visible.jumps.tolist())),
    )


def _collect_statistics(run: Simulation, event_count: int) -> dict[str, Any]:
    """Numbers of steps, evaluations and events, and the time of computation [s]."""
    record = run.record
    return {
        "steps": record.step_count,
        "rejected": record.rejection_count,
        "evaluations": record.rhs_count,
        "jacobians": record.jacobian_count,
        "events": event_count,
        "seconds": run.elapsed,
        **({"interrupted": True} if run.is_interrupted else {}),
    }


def _collect_provenance(run: Simulation, visible: VisibleRun) -> dict[str, Any]:
    """Model, version, method, tolerances and parameters of a run, and histories for the next."""
    s, record = run.system, run.record
    size, weight = mechanism_size_and_weight(s, tuple(run.p.tolist()))
    return {
        "model": s.name,
        "version": sys.modules["torseur"].__version__,
        "digest": s.digest,
        "method": ", ".join((*run.previous_methods, run.method.name)),
        "why": run.method_reason or run.method.description,
        "rtol": record.rtol,
        "atol": float(record.atol[: run.state_size].min(initial=1.0)),
        "rounding": ENERGY_ROUNDING * size * weight,
        "coordinates": s.coordinates,
        **run.constraint_method.provenance,
        "kept": save_history(s, visible.Y[-1, s.nq + s.nv :], visible.M[-1]),
        "parameters": dict(zip(s.parameters, run.p.tolist(), strict=True)),
        "motors": list_motor_signals(s, run.p),
    }


def list_motor_signals(system: System, p: np.ndarray) -> Mapping[str, Any]:
    """Signals of the motors of every speed, {speed: {signal: effort of one unit}}.

    Under "" are the names of other elements that supply work or read an input.
    """
    motors: dict[str, Any] = {}
    parameters = dict(zip(system.parameters, p.tolist(), strict=True))
    for e in system.elements:
        if e.law is None or not e.law.motor or not e.weights:
            if e.u or (e.law is not None and e.law.motor):
                motors.setdefault("", []).append(e.name)
            continue
        for _, j, weight in e.weights:
            effort = -e.law.shows * float(value.nominal(value.exact(weight), parameters))
            motors.setdefault(system.speeds[j], {})[f"{e.name}.force"] = effort
    return motors
