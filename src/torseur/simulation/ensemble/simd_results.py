"""Results of a SIMD batch: rows, events, signals and diagnoses of all runs at once.

Every diagnosis of single runs holds here too.  A screening by arrays finds the runs that may fail
one.  Only those are diagnosed one by one, by the functions of single runs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics import SolutionMethod
from ...integrate import METHODS, Method, record as codes
from ...kernels import StateRows, repeated
from ...results import Event, RunDiagnosis, Runs, RunStatus, Trajectory
from ...signals import declared_signals, returned, signal_units
from ...system import System
from ..run.diagnostics import (
    AUDITED_ROWS,
    CONSTRAINT_RTOL,
    MAX_CHECKED_RUNS,
    MAX_ENERGY_ERROR,
    MIN_AUDIT_RTOL,
    RunSummary,
    audit_run,
    conclude_run,
    diagnose_return_code,
    has_singular_coordinates,
    list_shareable_frictions,
    mechanism_size_and_weight,
    outcome_text,
    summarize_simd_run,
)
from ..run.result import (
    RunSignals,
    event_names,
    find_shared_releases,
    find_unnamed_jumps,
    friction_mode_slots,
)
from .initial_states import InitialStates
from .simd_buffers import SimdRows, SimdSettings

if TYPE_CHECKING:
    from .smooth_simd import SmoothSignals

ROW_BLOCK = 4096  # rows whose signals are computed at once
ACCELERATION_GROUPS = frozenset({"accelerations", "moving"})  # signals that need accelerations
ROW_BY_ROW_GROUPS = frozenset(
    "accelerations efforts memory inputs elements books positions velocities moving".split()
)
"""Groups of signals of which a row depends on no other row."""
MEMORYLESS_GROUPS = frozenset({"positions", "velocities"})
"""Groups of signals that depend on no memory."""
STATISTICS = {
    "steps": "step_count",
    "rejected": "rejection_count",
    "calls": "rhs_count",
    "events": "event_count",
}
"""Statistics of a run by the columns of `RUN_STATISTICS`."""


# ---- screening -------------------------------------------------------------------------------


def screen_runs(batch: SimdResults) -> np.ndarray:
    """Runs that may fail a diagnosis.  The others certainly pass."""
    out = np.zeros(batch.count, dtype=bool)
    s = batch.system
    has_limits = any(isinstance(j.limits, tuple | list) for j in s.model.joints)
    has_stops = any(getattr(e.law, "restitution", None) is not None for e in s.elements)
    if has_limits or has_stops or s.shared or has_singular_coordinates(s):
        return ~out
    has_rows = np.diff(batch.cuts) > 0
    if not has_rows.any():
        return out
    out[batch.run[_screen_table_ends(batch)[batch.which]]] = True
    out[has_rows] |= _screen_energy(batch, np.flatnonzero(has_rows))
    if s.held:
        out[has_rows] |= _screen_constraints(batch, np.flatnonzero(has_rows))
    return out


def _screen_table_ends(batch: SimdResults) -> np.ndarray:
    """Histories in which a table is left at one of its ends.  See `note_table_ends`."""
    history = batch.rows_data.history
    out = np.zeros(len(history), dtype=bool)
    for e in batch.system.elements:
        for slot, last, of in e.law.edges() if e.law is not None else ():
            segment = history[:, e.m.start + slot]
            out |= (segment > last - 0.5) | ((segment < 0.5) & (of == "x"))
    return out


def _screen_energy(batch: SimdResults, runs: np.ndarray) -> np.ndarray:
    """Runs whose energy balance may fail.  See `audit_run`."""
    methods = batch.methods[runs]
    is_adaptive = np.zeros(len(runs), dtype=bool)
    for name in dict.fromkeys(methods):
        is_adaptive[methods == name] = METHODS[name].adaptive
    is_audited = np.zeros(len(batch.time), dtype=bool)
    counts = np.diff(batch.cuts)[runs]
    fraction = np.linspace(0.0, 1.0, AUDITED_ROWS)
    is_audited[(batch.cuts[runs, None] + (counts[:, None] - 1) * fraction).astype(int)] = True
    is_audited[batch.jumps.ravel()] = True
    rows = np.flatnonzero(is_audited)
    first = np.flatnonzero(np.diff(batch.run[rows], prepend=-1))
    jumps = np.searchsorted(rows, batch.jumps)
    blocks = (rows[k : k + ROW_BLOCK] for k in range(0, len(rows), ROW_BLOCK))
    energies = np.concatenate(
        [
            _compute_energies(batch.system, batch.temporary_rows(x), batch.parameters(x))
            for x in blocks
        ],
        axis=1,
    )
    return is_adaptive & _energy_fails(energies, first, jumps, batch.settings.options.rtol)


def _energy_fails(
    energies: np.ndarray, first: np.ndarray, jumps: np.ndarray, rtol: float
) -> np.ndarray:
    """Which runs, starting at the rows `first`, fail the energy balance.  Energies (6, rows)."""
    with np.errstate(all="ignore"):
        T, U, ruptured, D, S, recovered = energies
        U, D = U + recovered, D + ruptured - recovered
        total = T + U + D - S
        steps = np.zeros(len(total))
        before, after = jumps.T
        np.add.at(steps, after, total[after] - total[before])
        residual = total - np.cumsum(steps)
        start = np.repeat(first, np.diff(first, append=len(total)))
        residual = abs(residual - residual[start])
        scale, size = np.zeros(len(first)), np.zeros(len(first))
        for x in (T, U, D, S):
            change = np.maximum.reduceat(x, first) - np.minimum.reduceat(x, first)
            scale = np.fmax(scale, change)
            size = np.fmax(size, np.maximum.reduceat(abs(x), first))
        rounding = 1e3 * np.finfo(float).eps * size
        rtol = max(rtol, MIN_AUDIT_RTOL)
        tolerance = MAX_ENERGY_ERROR * rtol * (scale + abs(T[first])) + rounding
        largest = np.maximum.reduceat(residual, first)
        return ~(np.isfinite(largest) & (largest <= tolerance))  # infinite energies always fail


def _compute_energies(system: System, rows: StateRows, p: np.ndarray) -> np.ndarray:
    """Energies [J] (6, rows): kinetic, potential, rupture, dissipated, supplied, recovered."""
    out, layout = np.zeros((6, len(rows.t))), system.layout
    with np.errstate(all="ignore"):
        parts = repeated(system, "audit", rows, p, many=True)
    out[:3] = [np.asarray(x).reshape(len(rows.t)) for x in parts[:3]]
    if layout.has_energies:
        out[3:5] = rows.z[:, layout.books].T[:2]
    for slot in _recovered_slots(system):
        out[5] += rows.z[:, slot]
    return out


def _recovered_slots(system: System) -> list[int]:
    """Slots in z of energies that count as dissipated in elements that have a potential."""
    names = {f"{e}.energy.dissipated" for e in returned(system)}
    return [p.slot for p in system.layout.z if p.name in names]


def _screen_constraints(batch: SimdResults, runs: np.ndarray) -> np.ndarray:
    """Runs whose constraints may exceed their tolerance.  See `audit_run`."""
    rows = batch.state_rows()
    phi, psi = repeated(batch.system, "openness", rows, batch.parameters())
    gap, slip, speed = (
        np.maximum.reduceat(abs(x).max(axis=0, initial=0.0), batch.cuts[runs])
        for x in (phi, psi, rows.v.T)
    )
    parameters = batch.initial.P[runs].tolist()
    sizes = np.array([mechanism_size_and_weight(batch.system, tuple(p))[0] for p in parameters])
    max_slip = CONSTRAINT_RTOL * speed * np.maximum(sizes, 1.0)
    return ~((gap <= CONSTRAINT_RTOL * sizes) & (slip <= max_slip))


def audit_smooth_runs(
    signals: SmoothSignals, runs: np.ndarray, method: Method, tolerances: tuple
) -> Iterator[tuple[int, str]]:
    """Runs without events that fail the energy audit, each with its sentence."""
    last = len(signals.times) - 1
    rows = np.unique((last * np.linspace(0.0, 1.0, AUDITED_ROWS)).astype(int))
    no_jumps, size = np.zeros((0, 2), int), max(ROW_BLOCK // len(rows), 1)
    span = float(signals.times[0]), float(signals.times[-1])
    for block in (runs[k : k + size] for k in range(0, len(runs), size)):
        energies = _compute_energies(signals.system, *signals.state_rows(block, rows))
        fails = _energy_fails(energies, len(rows) * np.arange(len(block)), no_jumps, tolerances[0])
        for i in block[fails].tolist():
            p = signals.P[i]
            run = summarize_simd_run(signals.system, p, method.name, tolerances, span)
            if diagnosis := audit_run(run, signals.signals(p, [i]), signals.times):
                yield i, f"; but {outcome_text(diagnosis, span[1])}"


# ---- results ---------------------------------------------------------------------------------


def build_runs(
    settings: SimdSettings, initial: InitialStates, rows: SimdRows, methods: np.ndarray
) -> Runs:
    """Results of a SIMD batch from its rows."""
    batch = SimdResults(settings, initial, rows, methods)
    outcomes, diagnoses = batch.diagnose()
    return Runs(
        batch.time,
        batch.cuts,
        signal_units(settings.system),
        batch.signals,
        outcomes,
        [x.status.is_completed for x in diagnoses],
        events=batch.events,
        alone=lambda i: batch.build_trajectory(i, outcomes[i], diagnoses[i]),
        method=f"{', '.join(dict.fromkeys(methods))} in {settings.width} lanes",
    )


class SimdResults:
    """Rows of many runs, without those at which only memories of laws changed."""

    def __init__(
        self, settings: SimdSettings, initial: InitialStates, rows: SimdRows, methods: np.ndarray
    ):
        """Select the visible rows of a batch, its named events and the rows before and after
        resets.
        """
        self.settings, self.initial, self.rows_data = settings, initial, rows
        self.methods, self.count = methods, len(initial.Y)
        guards = settings.system.layout.guards
        log_run = np.repeat(np.arange(self.count), rows.log_counts)
        run = np.repeat(np.arange(self.count), rows.row_counts)
        is_visible, names = self._name_events()
        selected: Any = slice(None)
        if not (is_visible.all() or settings.every_step):
            keep = self._select_visible_rows(run, log_run, is_visible)
            selected = slice(None) if keep.all() else keep
        self.time, self.Y, self.which = rows.time[selected], rows.Y[selected], rows.which[selected]
        self.run, self.A = run[selected], rows.A[selected]
        self.cuts = np.concatenate([[0], np.cumsum(np.bincount(self.run, minlength=self.count))])
        self.events = self._list_events(
            log_run[is_visible], rows.when[is_visible], names[is_visible]
        )
        has_reset = (
            settings.event_type[rows.guard] != codes.MONITOR_EVENT if len(guards) else is_visible
        )
        self.jumps = self._find_jumps(log_run[has_reset], rows.when[has_reset])

    @property
    def system(self) -> System:
        return self.settings.system

    def __getstate__(self):
        settings = self.settings._replace(system=self.system.model)  # type: ignore[arg-type]
        names = "initial rows_data methods count time Y A which run cuts events jumps".split()
        return {n: getattr(self, n) for n in names} | {"settings": settings}

    def __setstate__(self, state: dict[str, Any]):
        settings = state["settings"]
        state["settings"] = settings._replace(system=settings.system.check())
        self.__dict__.update(state)

    def _runs_of_log(self) -> Iterator[tuple[slice, slice]]:
        """Rows and logged events of each run."""
        rows = np.cumsum([0, *self.rows_data.row_counts])
        logs = np.cumsum([0, *self.rows_data.log_counts])
        for i in range(self.count):
            yield slice(rows[i], rows[i + 1]), slice(logs[i], logs[i + 1])

    def _name_events(self) -> tuple[np.ndarray, np.ndarray]:
        """Which logged events are visible, and the names of all.  See `run.result`."""
        s, data = self.system, self.rows_data
        if not len(s.layout.guards):
            return np.zeros(0, bool), np.zeros(0, object)
        all_names = np.array(event_names(s), dtype=object)
        names = all_names[data.guard]
        is_visible = names != ""
        if s.switched and friction_mode_slots(s):
            for rows, logs in self._runs_of_log():
                log = data.when[logs], data.guard[logs]
                memories = data.history[data.which[rows]]
                is_visible[logs] &= ~find_shared_releases(s, *log, data.time[rows], memories)
        if s.switched and not is_visible.all():
            for rows, logs in self._runs_of_log():
                when, guard = data.when[logs], data.guard[logs]
                named = set(when[all_names[guard] != ""].tolist())
                jumps = find_unnamed_jumps(s, when, guard, named, (data.time[rows], data.Y[rows]))
                for k, t in enumerate(when.tolist(), logs.start):
                    if names[k] == "" and t in jumps:
                        is_visible[k], names[k] = True, jumps.pop(t)
        return is_visible, names

    def _select_visible_rows(
        self, run: np.ndarray, log_run: np.ndarray, is_visible: np.ndarray
    ) -> np.ndarray:
        """Which rows are at no invisible event, or also at a visible one or an output time."""
        codes_of_times = number_times(self.rows_data.time, self.rows_data.when, self.settings.grid)
        row_code, log_code, grid_code = codes_of_times
        size = 1 + max((int(x.max()) for x in codes_of_times if len(x)), default=0)
        row_key, log_key = run * size + row_code, log_run * size + log_code
        is_hidden = np.isin(row_key, log_key[~is_visible])
        is_shown = np.isin(row_key, log_key[is_visible]) | np.isin(row_code, grid_code)
        return ~is_hidden | is_shown

    def _list_events(
        self, run: np.ndarray, when: np.ndarray, names: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Runs, times [s] and names of visible events.  Initial impacts come first in their run."""
        impacts = sorted(self.initial.impacts)
        run = np.concatenate([np.array(impacts, np.int64), run])
        when = np.concatenate([np.full(len(impacts), self.settings.t_start), when])
        names = np.concatenate([np.full(len(impacts), "start: speeds jump", dtype=object), names])
        order = np.argsort(run, kind="stable")
        return run[order], when[order], names[order]

    def _find_jumps(self, run: np.ndarray, when: np.ndarray) -> np.ndarray:
        """Rows before and after each event with a reset, (events, 2)."""
        before = np.flatnonzero((np.diff(self.time) == 0) & (np.diff(self.run) == 0))
        if len(when) < len(self.rows_data.when):  # some events have no reset
            row_code, log_code, _ = number_times(self.time[before], when, np.zeros(0))
            size = 1 + max((int(x.max()) for x in (row_code, log_code) if len(x)), default=0)
            keys = self.run[before] * size + row_code
            before = before[np.isin(keys, run * size + log_code)]
        return np.stack([before, before + 1], axis=1)

    # ---- signals -----------------------------------------------------------------------------

    def state_rows(self, rows: Any = slice(None)) -> StateRows:
        """States of some rows."""
        return self._split_states(rows, self.rows_data.history[self.which[rows]])

    def temporary_rows(self, rows: Any) -> StateRows:
        """States of at most ROW_BLOCK rows, valid until the next call in this thread."""
        history, which = self.rows_data.history, self.which[rows]
        width, n = history.shape[1], self.Y.shape[1]
        entries, states = np.split(_thread_buffer(ROW_BLOCK * (width + n)), [ROW_BLOCK * width])
        entries = entries.reshape(ROW_BLOCK, width)[: len(which)]
        entries = np.take(history, which, axis=0, out=entries, mode="clip")
        if isinstance(rows, slice):
            return self._split_states(rows, entries)
        states = states.reshape(ROW_BLOCK, n)[: len(which)]
        states = np.take(self.Y, rows, axis=0, out=states, mode="clip")
        return self._split_states(rows, entries, states)

    def _split_states(
        self, rows: Any, history: np.ndarray, states: np.ndarray | None = None
    ) -> StateRows:
        nq, nv, nm = self.system.nq, self.system.nv, self.initial.M.shape[1]
        q, v, z = np.split(self.Y[rows] if states is None else states, [nq, nq + nv], axis=1)
        return StateRows(self.time[rows], q, v, z, history[:, :nm], history[:, nm:])

    @cached_property
    def has_equal_parameters(self) -> bool:
        """Whether all runs have the same parameters."""
        return bool((self.initial.P == self.initial.P[:1]).all())

    def parameters(self, rows: Any = slice(None)) -> np.ndarray:
        """Parameters, one row for each of some rows.  One row where they are equal in all runs."""
        P = self.initial.P
        return P[0] if self.has_equal_parameters else P[self.run[rows]]

    @property
    def _solutions(self) -> tuple[tuple[float, SolutionMethod], ...]:
        """Solution method of the constraints of all runs."""
        return ((self.settings.t_start, SolutionMethod(self.settings.options.solution)),)

    @property
    def _least_norm(self) -> bool:
        return self.settings.options.reactions == "least_norm"

    @cached_property
    def _all_signals(self) -> RunSignals:
        firsts = self.cuts[:-1][np.diff(self.cuts) > 0]
        rows, p = self.state_rows(), self.parameters()
        solutions, least_norm = self._solutions, self._least_norm
        return RunSignals(self.system, solutions, rows, p, self.jumps, least_norm, firsts)

    def signals(self, names: tuple[str, ...], rows: Any = slice(None)) -> Mapping[str, np.ndarray]:
        """Signals at all rows, or at some.  Block by block where rows do not depend on others."""
        state = (*self.system.coordinates, *self.system.speeds)
        declared = declared_signals(self.system)
        group = {n: "state" if n in state else declared[n][0] for n in names}
        out = {n: self.Y[rows, state.index(n)] for n in names if n in state}
        row_by_row = [n for n in names if group[n] in ROW_BY_ROW_GROUPS]
        groups = {group[n]: n for n in reversed(row_by_row)}
        count = len(self.time[rows])
        out |= {n: np.empty(count) for n in row_by_row}
        for first in range(0, count if row_by_row else 0, ROW_BLOCK):
            block = slice(first, first + ROW_BLOCK)
            signals = self._block_signals(
                block if isinstance(rows, slice) else rows[block], set(groups)
            )
            values = {g: signals(n) for g, n in groups.items()}
            for n in row_by_row:
                out[n][block] = values[group[n]][n]
        for n in names:
            if n not in out:
                out |= {k: x[rows] for k, x in self._all_signals(n).items() if k in names}
        return out

    def _block_signals(self, rows: Any, groups: set[str]) -> RunSignals:
        """Signals of some rows.  Memories are read only if some group depends on them."""
        has_accelerations = bool(self.A.shape[1])
        memoryless = MEMORYLESS_GROUPS | (ACCELERATION_GROUPS if has_accelerations else set())
        if groups <= memoryless:
            states = self._split_states(rows, np.zeros((len(self.time[rows]), 0)))
        else:
            states = self.temporary_rows(rows)
        signals = RunSignals(self.system, self._solutions, states, self.initial.P[self.run[rows]])
        if has_accelerations:
            signals.solved = self.A[rows], np.zeros((len(self.A[rows]), 0))
        return signals

    # ---- diagnoses ---------------------------------------------------------------------------

    def diagnose(self) -> tuple[list[str], list[RunDiagnosis]]:
        """Outcome and diagnosis of every run."""
        statistics, end = self.rows_data.statistics, self.settings.t_end
        code = statistics["code"].astype(int)
        outcomes = [f"reached t = {end:g} s by {x} in lanes" for x in self.methods]
        diagnoses = [RunDiagnosis(RunStatus.COMPLETED, end)] * self.count
        is_doubtful = (code != codes.REACHED_END) | screen_runs(self)
        is_doubtful |= statistics["max_noise"] > 0
        is_small = self.count <= MAX_CHECKED_RUNS
        is_doubtful |= is_small and bool(list_shareable_frictions(self.system))
        for i in np.flatnonzero(is_doubtful).tolist():
            if i not in self.initial.failed:
                diagnoses[i], outcomes[i] = self._diagnose_run(i, int(code[i]), outcomes[i])
        for i, text in self.initial.impacts.items():
            if not is_doubtful[i]:
                outcomes[i] = f"{outcomes[i]}; {text}"
        for i, text in self.initial.failed.items():
            diagnoses[i] = RunDiagnosis(RunStatus.NOT_STARTED, self.settings.t_start, "", text)
            outcomes[i] = outcome_text(diagnoses[i], end)
        return outcomes, diagnoses

    def _diagnose_run(self, i: int, code: int, reached: str) -> tuple[RunDiagnosis, str]:
        """Diagnosis and outcome of one run, by the functions of single runs."""
        run, signals = self.summarize_run(i), self._run_signals(i)
        diagnosis = None if code == codes.REACHED_END else diagnose_return_code(run, code)
        rows = slice(self.cuts[i], self.cuts[i + 1])
        states = self.time[rows], self.Y[rows], signals.rows.m
        impact = self.initial.impacts.get(i, "")
        return conclude_run(run, diagnosis, reached, impact, signals, states)

    def summarize_run(self, i: int) -> RunSummary:
        """The data of one run that diagnostics read."""
        settings, data = self.settings, self.rows_data
        x = {n: values[i] for n, values in data.statistics.items()}
        last = np.cumsum(data.log_counts)[i]
        logs = slice(last - data.log_counts[i], last)
        return summarize_simd_run(
            self.system,
            self.initial.P[i],
            self.methods[i],
            (settings.options.rtol, settings.options.atol),
            (settings.t_start, settings.t_end),
        )._replace(
            solution=settings.options.solution,
            t=float(x["t"]),
            y=self.Y[self.cuts[i + 1] - 1, : self.system.nq],
            h=float(x["h"]),
            row_count=int(data.row_counts[i]),
            log_time=data.when[logs],
            log_index=data.guard[logs],
            max_noise=float(x["max_noise"]),
            max_noise_time=float(x["max_noise_time"]),
            budget=settings.budget,
            detail=int(x["detail"]),
            step_count=int(x["step_count"]),
            rejection_count=int(x["rejection_count"]),
            rhs_count=int(x["rhs_count"]),
            event_count=int(x["event_count"]),
        )

    def _run_rows(self, i: int) -> np.ndarray:
        """Indices of the rows of one run.  An index array makes copies that last."""
        return np.arange(self.cuts[i], self.cuts[i + 1])

    def _run_signals(self, i: int) -> RunSignals:
        """Signals of one run."""
        first, last = self.cuts[i], self.cuts[i + 1]
        is_inside = (self.jumps[:, 0] >= first) & (self.jumps[:, 1] < last)
        jumps = [tuple(x) for x in (self.jumps[is_inside] - first).tolist()]
        state = self.state_rows(self._run_rows(i)), self.initial.P[i]
        return RunSignals(self.system, self._solutions, *state, jumps, self._least_norm)

    def build_trajectory(self, i: int, outcome: str, diagnosis: RunDiagnosis) -> Trajectory:
        """The trajectory of one run."""
        state = (*self.system.coordinates, *self.system.speeds)
        rows, signals = self._run_rows(i), self._run_signals(i)
        when, names = (x[self.events[0] == i] for x in self.events[1:])
        statistics = {n: self.rows_data.statistics[x][i] for n, x in STATISTICS.items()}
        return Trajectory(
            self.time[rows],
            dict(zip(state, self.Y[rows].T, strict=False)),
            signals.units,
            outcome,
            diagnosis=diagnosis,
            events=tuple(Event(float(t), str(n)) for t, n in zip(when, names, strict=True)),
            statistics={n: int(x) for n, x in statistics.items()},
            provenance={"model": self.system.name, "state": state},
            source=signals,
            jumps=signals.jumps,
        )


_THREAD_BUFFERS = threading.local()


def _thread_buffer(size: int) -> np.ndarray:
    """Memory of this thread for numbers, the same in every call."""
    if getattr(_THREAD_BUFFERS, "size", 0) < size:
        _THREAD_BUFFERS.size, _THREAD_BUFFERS.buffer = size, np.empty(size)
    return _THREAD_BUFFERS.buffer[:size]


def number_times(*times: np.ndarray) -> list[np.ndarray]:
    """Whole numbers in place of times, equal for equal times.

    >>> [x.tolist() for x in number_times(np.array([0.5, 0.1]), np.array([0.1]))]
    [[1, 0], [0]]
    """
    _, which = np.unique(np.concatenate(times), return_inverse=True)
    return np.split(which, np.cumsum([len(x) for x in times])[:-1])
