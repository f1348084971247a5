"""From runs in lanes to what is shown of them: rows, events, outcomes, for all runs at once.

What a single run promises is asked of each here too.  The question is put to all of them by arrays;
only of those that may have broken a promise the exact answer, and its sentence, is that of single
runs.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from ...dynamics import SolutionWay
from ...integrate import METHODS, record as codes
from ...kernels import StateRows, repeated
from ...results import Event, Runs, Trajectory
from ...signals import declared_signals, returned, signal_units
from ..run.diagnostics import (
    AUDIT,
    AUDITED,
    FINEST,
    OPEN,
    RUNS,
    answer,
    begins_on_edge,
    bent,
    beyond,
    doubts,
    holding,
    measures,
    passed,
    past_tables,
    shaken,
    shared,
)
from ..run.result import RunSignals, guard_names, leaps, letting, went_on
from .initial_states import Starts, edged
from .simd_runs import ACCELERATED, Cohort, ToldRuns

if TYPE_CHECKING:
    from .smooth_simd import Flat

# --------------------------------------------------------------------------------------------
# What runs in lanes promise, asked of all by arrays: books that close, constraints that hold.
#
# Only of those that may have broken a promise the exact answer is asked for, as of single runs.


BLOCK = 4096  # rows at a time


def suspects(made: Together) -> np.ndarray:
    """Runs that may have broken a promise: of all others it is certain that they have not."""
    out = np.zeros(made.count, dtype=bool)
    s = made.system
    limited = any(isinstance(j.limits, tuple | list) for j in s.model.joints)
    rigid = any(getattr(e.law, "restitution", None) is not None for e in s.elements)
    if limited or rigid or s.shared or edged(s):
        return ~out
    there = np.diff(made.cuts) > 0
    if not there.any():
        return out
    out[made.run[_past_tables(made)[made.which]]] = True
    out[there] |= _unbalanced(made, np.flatnonzero(there))
    if s.held:
        out[there] |= _open(made, np.flatnonzero(there))
    return out


def _past_tables(made: Together) -> np.ndarray:
    """Memories in which a table is left at one of its ends; see `outcome.past_tables`."""
    out = np.zeros(len(made.told.pasts), dtype=bool)
    for e in made.system.elements:
        for slot, last, of in e.law.edges() if e.law is not None else ():
            piece = made.told.pasts[:, e.m.start + slot]
            out |= (piece > last - 0.5) | ((piece < 0.5) & (of == "x"))
    return out


def _unbalanced(made: Together, own: np.ndarray) -> np.ndarray:
    """Whose books of energy may not close; see `outcome.doubts`."""
    methods = made.methods[own]
    adaptive = np.zeros(len(own), dtype=bool)
    for name in dict.fromkeys(methods):
        adaptive[methods == name] = METHODS[name].adaptive
    chosen = np.zeros(len(made.time), dtype=bool)
    rows = np.diff(made.cuts)[own]
    part = np.linspace(0.0, 1.0, AUDITED)
    chosen[(made.cuts[own, None] + (rows[:, None] - 1) * part).astype(int)] = True
    chosen[made.jumps.ravel()] = True
    rows = np.flatnonzero(chosen)
    first = np.flatnonzero(np.diff(made.run[rows], prepend=-1))
    jumps = np.searchsorted(rows, made.jumps)
    books = np.concatenate(
        [
            _energies(made.system, made.passing(here), made.parameters(here))
            for here in (rows[k : k + BLOCK] for k in range(0, len(rows), BLOCK))
        ],
        axis=1,
    )
    return adaptive & _off(books, first, jumps, made.cohort.options.rtol)


def _off(books: np.ndarray, first: np.ndarray, jumps: np.ndarray, rtol: float) -> np.ndarray:
    """Of runs that begin at the rows `first`: whose energies (6, rows) do not close."""
    with np.errstate(all="ignore"):
        T, U, torn, D, S, back = books
        U, D = U + back, D + torn - back
        total = T + U + D - S
        leaps = np.zeros(len(total))
        before, after = jumps.T
        np.add.at(leaps, after, total[after] - total[before])
        residual = total - np.cumsum(leaps)
        each = np.repeat(first, np.diff(first, append=len(total)))
        residual = abs(residual - residual[each])
        scale, size = np.zeros(len(first)), np.zeros(len(first))
        for x in (T, U, D, S):
            moved = np.maximum.reduceat(x, first) - np.minimum.reduceat(x, first)
            scale = np.fmax(scale, moved)
            size = np.fmax(size, np.maximum.reduceat(abs(x), first))
        rounding = 1e3 * np.finfo(float).eps * size
        most = AUDIT * max(rtol, FINEST) * (scale + abs(T[first])) + rounding
        worst = np.maximum.reduceat(residual, first)
        return ~(np.isfinite(worst) & (worst <= most))  # energies without bound never close


def _energies(system, rows: StateRows, p: np.ndarray) -> np.ndarray:
    """Energy at some rows, kinetic, stored, torn; dissipated, supplied, returned, (6, rows)."""
    out, at = np.zeros((6, len(rows.t))), system.layout
    with np.errstate(all="ignore"):
        found = repeated(system, "audit", rows, p, many=True)
    out[:3] = [np.asarray(x).reshape(len(rows.t)) for x in found[:3]]
    if at.keeps_books:
        out[3:5] = rows.z[:, at.books].T[:2]
    for i in _returned(system):
        out[5] += rows.z[:, i]
    return out


def _returned(system) -> list[int]:
    """Places of books that hold what none of their elements has lost."""
    wanted = {f"{e}.energy.dissipated" for e in returned(system)}
    return [p.slot for p in system.layout.z if p.name in wanted]


def broken(flat: Flat, own: np.ndarray, method, rtol: float, atol) -> Iterator[tuple[int, str]]:
    """Of runs side by side, those whose books do not close, each with its sentence."""
    last = len(flat.times) - 1
    rows = np.unique((last * np.linspace(0.0, 1.0, AUDITED)).astype(int))
    none, many = np.zeros((0, 2), int), max(BLOCK // len(rows), 1)
    for some in (own[k : k + many] for k in range(0, len(own), many)):
        state, p = flat.rows(some, rows)
        books = _energies(flat.system, state, p)
        for i in some[_off(books, len(rows) * np.arange(len(some)), none, rtol)].tolist():
            run = SimpleNamespace(
                system=flat.system,
                method=method,
                p=flat.P[i],
                leading=SimpleNamespace(solution="multipliers"),
                record=SimpleNamespace(rtol=rtol, atol=np.atleast_1d(np.asarray(atol, float))),
            )
            if text := doubts(run, flat.signals(flat.P[i], [i]), flat.times):
                yield i, text


def _open(made: Together, own: np.ndarray) -> np.ndarray:
    """Whose constraints may be open."""
    rows = made.rows()
    phi, psi = repeated(made.system, "openness", rows, made.parameters())
    gap, slip, fast = (
        np.maximum.reduceat(abs(x).max(axis=0, initial=0.0), made.cuts[own])
        for x in (phi, psi, rows.v.T)
    )
    sizes = np.array([measures(made.system, tuple(p))[0] for p in made.s.P[own].tolist()])
    return ~((gap <= OPEN * sizes) & (slip <= OPEN * fast * np.maximum(sizes, 1.0)))


def finished_runs(cohort: Cohort, s: Starts, told: ToldRuns, methods: np.ndarray) -> Runs:
    """What runs in lanes have computed."""
    made = Together(cohort, s, told, methods)
    outcomes, completed = made.outcomes()
    return Runs(
        made.time,
        made.cuts,
        signal_units(cohort.system),
        made.signals,
        outcomes,
        completed,
        events=made.events,
        alone=lambda i: made.alone(i, outcomes[i], bool(completed[i])),
        method=f"{', '.join(dict.fromkeys(methods))} in {cohort.width} lanes",
    )


ROW_BY_ROW = frozenset(
    "accelerations efforts memory inputs elements books positions velocities moving".split()
)
"""Groups of signals of which a row depends on no other row."""
BARE = frozenset({"positions", "velocities"})  # of which it depends on no memory

STATISTICS = {
    "steps": "step_count",
    "rejected": "rejection_count",
    "calls": "rhs_count",
    "events": "event_count",
}
"""Statistics of a run by the columns of `RUN_STATISTICS`."""


class Together:
    """Rows of many runs, without those that only a memory needed."""

    def __init__(self, cohort: Cohort, s: Starts, told: ToldRuns, methods: np.ndarray):
        self.cohort: Any = cohort  # of a run from a pickle, its facts alone
        self.s, self.told, self.methods = s, told, methods
        self.system = system = cohort.system
        self.count = len(s.Y)
        guards = system.layout.guards
        shows = np.array([g.told for g in guards], dtype=bool)
        names = np.array([g.name for g in guards], dtype=object)
        log_run = np.repeat(np.arange(self.count), told.logs)
        run = np.repeat(np.arange(self.count), told.rows)
        seen = shows[told.guard] if len(guards) else np.zeros(0, bool)
        said = names[told.guard] if len(guards) else np.zeros(0, object)
        if system.switched:
            seen = self._went_on(seen)
        if system.switched and not seen.all():
            seen, said = self._silent(seen, said)
        keep = np.ones(len(run), dtype=bool)
        if not (seen.all() or cohort.every):
            stays = codes_of(told.time, told.when, cohort.grid)
            at, log, grid = stays
            many = 1 + max((int(x.max()) for x in stays if len(x)), default=0)
            hidden = np.isin(run * many + at, (log_run * many + log)[~seen])
            shown = np.isin(run * many + at, (log_run * many + log)[seen]) | np.isin(at, grid)
            keep = ~hidden | shown
        whole = slice(None) if keep.all() else keep
        self.time, self.Y, self.which = told.time[whole], told.Y[whole], told.which[whole]
        self.run, self.A = run[whole], told.A[whole]
        self.cuts = np.concatenate([[0], np.cumsum(np.bincount(self.run, minlength=self.count))])
        self.events = self._events(log_run[seen], told.when[seen], said[seen])
        acting = cohort.kinds[told.guard] != codes.MONITOR_EVENT if len(guards) else seen
        self.jumps = self._jumps(log_run[acting], told.when[acting])

    def __getstate__(self):
        own = (
            "s",
            "told",
            "methods",
            "count",
            "time",
            "Y",
            "A",
            "which",
            "run",
            "cuts",
            "events",
            "jumps",
        )
        facts = self.cohort.options, self.cohort.t_start, self.cohort.t_end, self.cohort.most
        return {n: getattr(self, n) for n in own} | {"facts": facts, "model": self.system.model}

    def __setstate__(self, state):
        options, t_start, t_end, most = state.pop("facts")
        self.system = state.pop("model").check()
        self.__dict__.update(state)
        self.cohort = SimpleNamespace(
            system=self.system, options=options, t_start=t_start, t_end=t_end, most=most
        )

    def _went_on(self, seen):
        """Without events after which nothing has let go, see `finish.went_on`."""
        if not letting(self.system):
            return seen
        seen, t = seen.copy(), self.told
        rows, logs = np.cumsum([0, *t.rows]), np.cumsum([0, *t.logs])
        view = SimpleNamespace(system=self.system)
        for i in range(self.count):
            own, mine = slice(rows[i], rows[i + 1]), slice(logs[i], logs[i + 1])
            past = t.pasts[t.which[own]]
            seen[mine] &= ~went_on(view, t.when[mine], t.guard[mine], t.time[own], past)
        return seen

    def _silent(self, seen, said):
        """Events that say so where speeds jump and no other does, see `finish.leaps`."""
        seen, said, names = seen.copy(), said.copy(), guard_names(self.system)
        rows, logs = np.cumsum([0, *self.told.rows]), np.cumsum([0, *self.told.logs])
        view = SimpleNamespace(system=self.system, guards=self.system.layout.guards)
        for i in range(self.count):
            own, mine = slice(rows[i], rows[i + 1]), slice(logs[i], logs[i + 1])
            when, guard = self.told.when[mine].tolist(), self.told.guard[mine].tolist()
            log = list(zip(when, guard, strict=True))
            silent = leaps(view, log, names, self.told.time[own], self.told.Y[own])
            for k, (t, g) in enumerate(log, mine.start):
                if not names[g] and t in silent:
                    seen[k], said[k] = True, silent.pop(t)
        return seen, said

    def _events(self, run, when, names):
        """Events that are told, those of starts before all others of their run."""
        jolts = sorted(self.s.jolts)
        run = np.concatenate([np.array(jolts, np.int64), run])
        when = np.concatenate([np.full(len(jolts), self.cohort.t_start), when])
        names = np.concatenate([np.full(len(jolts), "start: speeds jump", dtype=object), names])
        order = np.argsort(run, kind="stable")
        return run[order], when[order], names[order]

    def _jumps(self, run, when) -> np.ndarray:
        """Rows before and after each event that acted, (n, 2)."""
        twice = np.flatnonzero((np.diff(self.time) == 0) & (np.diff(self.run) == 0))
        if len(when) == len(self.told.when):  # whatever happened acted
            return np.stack([twice, twice + 1], axis=1)
        at, log, _ = codes_of(self.time[twice], when, np.zeros(0))
        many = 1 + max((int(x.max()) for x in (at, log) if len(x)), default=0)
        twice = twice[np.isin(self.run[twice] * many + at, run * many + log)]
        return np.stack([twice, twice + 1], axis=1)

    # ---- signals ---------------------------------------------------------------------------

    def rows(self, own: Any = slice(None)) -> StateRows:
        """States of some rows."""
        return self._rows(own, self.told.pasts[self.which[own]])

    def passing(self, own) -> StateRows:
        """States of some rows, at most `BLOCK`, until the next are asked for: one room."""
        which, (nm, n) = self.which[own], (self.told.pasts.shape[1], self.Y.shape[1])
        room = _room(BLOCK * (nm + n))
        past, state = np.split(room, [BLOCK * nm])
        past = past.reshape(BLOCK, nm)[: len(which)]
        past = np.take(self.told.pasts, which, axis=0, out=past, mode="clip")
        if isinstance(own, slice):
            return self._rows(own, past)
        state = state.reshape(BLOCK, n)[: len(which)]
        return self._rows(own, past, np.take(self.Y, own, axis=0, out=state, mode="clip"))

    def _rows(self, own, past, Y=None) -> StateRows:
        nq, nv, nm = self.system.nq, self.system.nv, self.s.M.shape[1]
        q, v, z = np.split(self.Y[own] if Y is None else Y, [nq, nq + nv], axis=1)
        return StateRows(self.time[own], q, v, z, past[:, :nm], past[:, nm:])

    @cached_property
    def alike(self) -> bool:
        """Whether all runs have the same parameters."""
        return bool((self.s.P == self.s.P[:1]).all())

    def parameters(self, own: Any = slice(None)) -> np.ndarray:
        """Parameters, one row for each of some rows; once where they are all alike."""
        return self.s.P[0] if self.alike else self.s.P[self.run[own]]

    @cached_property
    def _signals(self) -> RunSignals:
        ways = ((self.cohort.t_start, SolutionWay(self.cohort.options.solution)),)
        least = self.cohort.options.reactions == "least_norm"
        firsts = self.cuts[:-1][np.diff(self.cuts) > 0]
        return RunSignals(
            self.system, ways, self.rows(), self.parameters(), self.jumps, least, firsts
        )

    def signals(self, names: tuple[str, ...], rows: Any = slice(None)) -> Mapping[str, np.ndarray]:
        """Some signals at all rows, or at some; block by block where a row stands for itself."""
        state = (*self.system.coordinates, *self.system.speeds)
        group = {n: "state" if n in state else declared_signals(self.system)[n][0] for n in names}
        out = {n: self.Y[rows, state.index(n)] for n in names if n in state}
        alone = [n for n in names if group[n] in ROW_BY_ROW]
        count = len(self.time[rows])
        out |= {n: np.empty(count) for n in alone}
        for first in range(0, count if alone else 0, BLOCK):
            here = slice(first, first + BLOCK)
            signals = self._part(
                here if isinstance(rows, slice) else rows[here], {group[n] for n in alone}
            )
            made = {g: signals(next(n for n in alone if group[n] == g)) for g in
                    dict.fromkeys(group[n] for n in alone)}  # fmt: skip
            for n in alone:
                out[n][here] = made[group[n]][n]
        for n in names:
            if n not in out:
                out |= {k: x[rows] for k, x in self._signals(n).items() if k in names}
        return out

    def _part(self, own: Any, groups: set[str]) -> RunSignals:
        """Signals of some rows; their memory is looked up where some group reads it."""
        ways = ((self.cohort.t_start, SolutionWay(self.cohort.options.solution)),)
        bare = groups <= (BARE | ACCELERATED if self.A.shape[1] else BARE)
        none = np.zeros((len(self.time[own]), 0))
        rows = self._rows(own, none) if bare else self.passing(own)
        return self._known(RunSignals(self.system, ways, rows, self.s.P[self.run[own]]), own)

    def _known(self, signals: RunSignals, own) -> RunSignals:
        """Signals of some rows, with the accelerations that the run itself has kept."""
        if self.A.shape[1]:
            signals.solved = self.A[own], np.zeros((len(self.A[own]), 0))
        return signals

    # ---- outcomes --------------------------------------------------------------------------

    def outcomes(self) -> tuple[list[str], np.ndarray]:
        """A sentence a run, and whether it completed."""
        code = self.told.lines["code"].astype(int)
        completed = np.isin(code, (codes.REACHED_END, codes.TERMINAL_EVENT))
        end = self.cohort.t_end
        texts = [f"reached t = {end:g} s by {x} in lanes" for x in self.methods]
        look = (code != codes.REACHED_END) | suspects(self)
        look |= (self.told.lines["max_noise"] > 0) | (
            len(look) <= RUNS and bool(holding(self.system))
        )
        for k in np.flatnonzero(look).tolist():
            if k not in self.s.failed:
                texts[k], completed[k] = self._told(k, int(code[k]), texts[k])
        for i, text in self.s.jolts.items():
            texts[i] += text
        for i, text in self.s.failed.items():
            texts[i], completed[i] = f"could not start: {text}", False
        return texts, completed

    def _told(self, i: int, code: int, text: str) -> tuple[str, bool]:
        """The outcome of one run, as single runs tell it."""
        run = self._as_run(i)
        if code != codes.REACHED_END:
            answer(run, code)
        signals, own = self._alone(i), slice(self.cuts[i], self.cuts[i + 1])
        time, Y = self.time[own], self.Y[own]
        through = "" if run.failed else passed(run, signals, time)
        run.failed = run.failed or bool(through)
        unsound = "" if run.failed else doubts(run, signals, time)
        run.failed = run.failed or bool(unsound)
        out = (through or run.outcome or text) + unsound
        out += begins_on_edge(run, Y) + beyond(run, time, Y) + shaken(run) + bent(run, time, Y)
        out += past_tables(run, time, signals.rows.m) + shared(run, time, Y, signals.rows.m)
        return out, not run.failed

    def _as_run(self, i: int) -> SimpleNamespace:
        """One of the runs, as far as sentences about it need it."""
        o, lines = self.cohort.options, self.told.lines
        ends = np.cumsum(self.told.logs)
        own = slice(ends[i] - self.told.logs[i], ends[i])
        whole = ("detail", "step_count", "rejection_count", "rhs_count", "event_count", "n_logged")
        record = {n: int(x[i]) if n in whole else float(x[i]) for n, x in lines.items()}
        return SimpleNamespace(
            system=self.system,
            guards=self.system.layout.guards,
            method=METHODS[self.methods[i]],
            p=self.s.P[i],
            t=record["t"],
            q=self.Y[self.cuts[i + 1] - 1, : self.system.nq],
            t_start=self.cohort.t_start,
            t_end=self.cohort.t_end,
            leading=SimpleNamespace(solution=o.solution),
            failed=False,
            stopped=False,
            outcome="",
            record=SimpleNamespace(
                **record,
                log_index=self.told.guard[own],
                log_time=self.told.when[own],
                max_events=self.cohort.most.events,
                max_attempts=self.cohort.most.steps,
                max_rhs_count=self.cohort.most.evaluations,
                rtol=o.rtol,
                atol=np.atleast_1d(np.asarray(o.atol, dtype=float)),
            ),
        )

    def _own(self, i: int) -> np.ndarray:
        """Rows of one run, by number: what is taken by them is copied, and lasts."""
        return np.arange(self.cuts[i], self.cuts[i + 1])

    def _alone(self, i: int) -> RunSignals:
        """Signals of one run."""
        ways = ((self.cohort.t_start, SolutionWay(self.cohort.options.solution)),)
        own = self._own(i)
        inside = (self.jumps[:, 0] >= self.cuts[i]) & (self.jumps[:, 1] < self.cuts[i + 1])
        jumps = [tuple(x) for x in (self.jumps[inside] - self.cuts[i]).tolist()]
        least = self.cohort.options.reactions == "least_norm"
        return RunSignals(self.system, ways, self.rows(own), self.s.P[i], jumps, least)

    def alone(self, i: int, outcome: str, completed: bool) -> Trajectory:
        """One run, as a trajectory."""
        own = self._own(i)
        state = (*self.system.coordinates, *self.system.speeds)
        signals = self._alone(i)
        mine = self.events[0] == i
        events = zip(self.events[1][mine], self.events[2][mine], strict=True)
        lines = {n: self.told.lines[x][i] for n, x in STATISTICS.items()}
        return Trajectory(
            self.time[own],
            dict(zip(state, self.Y[own].T, strict=False)),
            signals.units,
            outcome,
            completed=completed,
            events=tuple(Event(float(t), str(n)) for t, n in events),
            statistics={n: int(x) for n, x in lines.items()},
            provenance={"model": self.system.name, "state": state},
            source=signals,
            jumps=signals.jumps,
        )


_ROOMS = threading.local()


def _room(size: int) -> np.ndarray:
    """A room of this thread for so many numbers, the same each time it is asked for."""
    if getattr(_ROOMS, "size", 0) < size:
        _ROOMS.size, _ROOMS.room = size, np.empty(size)
    return _ROOMS.room[:size]


def codes_of(*times: np.ndarray) -> list[np.ndarray]:
    """Whole numbers in place of times, the same for the same.

    >>> [x.tolist() for x in codes_of(np.array([0.5, 0.1]), np.array([0.1]))]
    [[1, 0], [0]]
    """
    _, which = np.unique(np.concatenate(times), return_inverse=True)
    return np.split(which, np.cumsum([len(x) for x in times])[:-1])
