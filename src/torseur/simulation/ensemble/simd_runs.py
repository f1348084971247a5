"""A record of lanes and the memory it points at; what came out of the runs that it took."""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ...compiler import lanes as width_of_lanes, side_by_side
from ...errors import ArgumentError
from ...integrate import (
    BUDGET_SPENT,
    BUFFERS_FULL,
    METHODS,
    Method,
    SimdRunsRecord,
    choose_first_steps,
    choose_probed_runs,
    find_max_step,
    simd_runs,
)
from ...kernels import MotionKernels, motion_kernels
from ...results import Runs
from ...signals import declared_signals
from ...solve import arguments
from ..interrupt import Heed, Pace
from ..options import Options
from ..run.limits import caps, refuse_rows, refuse_steps
from ..run.method_selection import smooth, stiff, timed
from ..run.record import GROWING, KERNELS, addresses, kinds, steps
from ..time_inputs import is_timed
from .initial_states import Starts, starts

CURSORS = (
    ("n_rows", "row_capacity"),
    ("n_history", "history_capacity"),
    ("n_logged", "log_capacity"),
)
"""Fields that count what is written, and those that say how much fits."""
SPARE = 96  # rows, pasts and events of a run besides the wanted rows, before buffers grow


class ToldRuns(NamedTuple):
    """What came out of some runs: rows one after the other, and a line about each run."""

    time: np.ndarray
    Y: np.ndarray
    A: np.ndarray  # accelerations; none where they were not asked for
    which: np.ndarray  # of the pasts each row has
    pasts: np.ndarray  # memory and inputs
    rows: np.ndarray  # how many each run has
    when: np.ndarray  # events of all runs [s]
    guard: np.ndarray
    logs: np.ndarray  # how many each run has
    lines: dict[Any, np.ndarray]


class LaneMemory:
    """A record of lanes for one method, and the memory that it points at."""

    def __init__(self, cohort: Cohort, method: Method, s: Starts):
        self.cohort, self.method, self.width = cohort, method, cohort.width
        o = cohort.options
        single = steps(
            cohort.system,
            cohort.kernels,
            method,
            s.Y[0],
            s.M[0],
            s.U[0],
            s.P[0],
            (o.rtol, o.atol),
            cohort.grid,
            t=cohort.t_start,
            kinds=cohort.kinds,
            most=cohort.most,
            every=cohort.every,
            more=cohort.more,
            alone=False,
        )
        cohort.govern(single, s)
        single.t_stop = cohort.t_end
        single.h_max = cohort.longest_step(s) if o.max_step is None else o.max_step
        self.held: list[Any] = []
        fields = self._fields(single, s)
        self._kernels(fields, single)
        self.record: Any = side_by_side(SimdRunsRecord, self.width)(**fields)
        self.rooms = dict.fromkeys(GROWING, 0)
        self.passing: dict[str, np.ndarray] = {}

    def _fields(self, single, s: Starts) -> dict[str, Any]:
        """Fields of the record: what is shared as it is, the rest for every lane."""
        out: dict[str, Any] = {"np": s.P.shape[1], "run_stride": self.width}
        out |= {"n_row_accelerations": single.nv if self.cohort.accelerations else 0}
        out["row_a"] = np.empty((0, out["n_row_accelerations"]))
        out |= {"t_start": self.cohort.t_start, "n_statistics": len(simd_runs.RUN_STATISTICS)}
        for name, field in type(single).fields.items():
            if name in out:
                continue
            if name in SimdRunsRecord.shared:
                out[name] = single.arrays[name] if field.shape else getattr(single, name)
            elif field.shape:
                out[name] = self.each(single.arrays[name])
            else:
                out[name] = self.each(getattr(single, name))
        own = ("next_run", "current_run", "first_row", "first_log")
        out |= {name: self.each(np.int64(0)) for name in own}
        read = {n: len(out[n]) for n in ("kernel_time", "kernel_state", "m", "u")} | {
            "p": s.P.shape[1]
        }
        beyond, at = max(1, self.cohort.system.nv, 1 + single.neighbor_size), 0
        inputs = self.zeros(sum(read.values()) + beyond)
        for name, size in read.items():
            inputs[at : at + size] = out.get(name, 0.0)
            out[name], at = inputs[at : at + size], at + size
        out["kernel_extra"] = inputs[at : at + max(1, self.cohort.system.nv)]
        out["neighbor_rows"] = inputs[
            at + 1 : at + 1 + single.neighbor_size
        ]  # behind the guard of a jump
        self.inputs = inputs
        return out

    def _kernels(self, fields, single) -> None:
        """Kernels for lanes, each told by its address and the sizes of its outputs."""
        used = addresses(self.cohort.system, self.cohort.kernels, self.method, alone=False)
        room = 1
        for name, there in used.items():
            if not there:
                continue
            kernel = self.cohort.kernels[KERNELS[name]]
            address, code = kernel.lanes()
            sizes = [p.size for p in kernel.outputs]
            words = np.array([address, len(sizes), *sizes], np.int64)
            fields[name], room = words.ctypes.data, max(room, sum(sizes))
            self.held += [words, code]
        answers, lam = self.zeros(room), self.zeros(room)
        fields["kernel_inputs"], fields["kernel_outputs"] = (
            np.zeros(10, np.int64),
            np.zeros(4, np.int64),
        )
        fields["kernel_inputs"][[0, 9]] = self.inputs.ctypes.data, answers.ctypes.data
        fields["kernel_outputs"][3] = lam.ctypes.data  # multipliers of the flow, to nobody here
        self.held += [answers, lam]

    def zeros(self, *shape, dtype: Any = np.float64) -> np.ndarray:
        """Zeros of every lane, where SIMD registers read them whole."""
        count = int(np.prod(shape)) * self.width
        raw = np.zeros(count + 8)
        off = (-raw.ctypes.data % 64) // 8
        return raw[off : off + count].view(dtype).reshape(*shape, self.width)

    def each(self, x) -> np.ndarray:
        """The same numbers in every lane."""
        x = np.asarray(x)
        out = self.zeros(*x.shape, dtype=np.int64 if x.dtype.kind in "iub" else np.float64)
        out[...] = x[..., None]
        return out

    def begin(self, s: Starts, own: np.ndarray, first_h: np.ndarray) -> None:
        """A queue of runs, with room for what comes out."""
        now, n = self.record, len(own)
        now.n_runs = n
        now.initial_states, now.initial_memories = s.Y[own], s.M[own]
        now.run_inputs, now.run_parameters = s.U[own], s.P[own]
        now.first_steps, now.run_statistics = first_h, np.zeros((n, len(simd_runs.RUN_STATISTICS)))
        now.next_run[:], now.current_run[:] = np.arange(self.width), -1
        now.y[:], now.m[:], now.p[:] = (
            now.initial_states[:1].T,
            now.initial_memories[:1].T,
            now.run_parameters[:1].T,
        )
        now.u[:], now.kernel_state[:], now.kernel_time[:] = (
            now.run_inputs[:1].T,
            now.initial_states[:1].T,
            now.t_start,
        )
        a_lane = -(-n // self.width)
        more = SPARE + 2 * len(now.event_type)
        wanted = {
            "row_capacity": now.n_output_times + more,
            "history_capacity": more,
            "log_capacity": more,
        }
        for size, least in wanted.items():
            self.rooms[size] = max(
                self.rooms[size], a_lane * least + 4 * len(now.event_type) + SPARE
            )
        self._rooms()
        for cursor, size in CURSORS:
            getattr(now, cursor)[:] = self.rooms[size] * np.arange(self.width)

    def _rooms(self) -> None:
        """Arrays that grow have the room that each lane is to have."""
        now = self.record
        for size, arrays in GROWING.items():
            room = self.rooms[size]
            for name in arrays:
                old = getattr(now, name)
                if len(old) < room * self.width:
                    new = np.empty((room * self.width, *old.shape[1:]), old.dtype)
                    setattr(now, name, new)
            getattr(now, size)[:] = room * (1 + np.arange(self.width))

    def grow(self) -> None:
        """Twice the room of every lane; what is written moves along."""
        now, before = self.record, dict(self.rooms)
        old = {name: getattr(now, name) for arrays in GROWING.values() for name in arrays}
        self.rooms = {size: 2 * x for size, x in before.items()}
        self._rooms()
        column = {n: i for i, n in enumerate(simd_runs.RUN_STATISTICS)}
        lane = np.arange(len(now.run_statistics)) % self.width
        shift = {s: self.rooms[s] - before[s] for s in before}
        for size, arrays in GROWING.items():
            for j in range(self.width):
                a, b = j * before[size], j * self.rooms[size]
                for name in arrays:
                    part = old[name][a : a + before[size]]
                    if name == "row_history":
                        part = part + j * shift["history_capacity"]
                    getattr(now, name)[b : b + before[size]] = part
        each = np.arange(self.width)
        first = (("first_row", "row_capacity"), ("first_log", "log_capacity"))
        for cursor, size in (*CURSORS, *first):
            getattr(now, cursor)[:] += each * shift[size]
        now.run_statistics[:, column["first_row"]] += lane * shift["row_capacity"]
        now.run_statistics[:, column["first_log"]] += lane * shift["log_capacity"]

    def told(self, passing: bool = False) -> ToldRuns:
        """What came out, run by run; `passing`: until the next runs begin, in the same memory."""
        now = self.record
        lines = dict(zip(simd_runs.RUN_STATISTICS, now.run_statistics.T.copy(), strict=True))
        names = ("first_row", "n_rows", "first_log", "n_logged")
        row, rows, log, logs = (lines[x].astype(np.int64) for x in names)
        own, events = spread(row, rows), spread(log, logs)
        if passing:
            t, Y, A, k = (
                self._taken(name, own) for name in ("row_t", "row_y", "row_a", "row_history")
            )
            when, which = now.log_time[events], now.log_index[events]
            return ToldRuns(t, Y, A, k, now.history, rows, when, which, logs, lines)
        base = self.rooms["history_capacity"] * np.arange(self.width)
        used = now.n_history - base
        k = now.row_history[own]
        lane = k // self.rooms["history_capacity"]
        start = np.concatenate([[0], np.cumsum(used)[:-1]])
        pasts = np.concatenate([now.history[a : a + n] for a, n in zip(base, used, strict=True)])
        return ToldRuns(
            now.row_t[own],
            now.row_y[own],
            now.row_a[own],
            k - base[lane] + start[lane],
            pasts,
            rows,
            now.log_time[events],
            now.log_index[events],
            logs,
            lines,
        )

    def _taken(self, name: str, own: np.ndarray) -> np.ndarray:
        """Some rows of an array, in a room that stays."""
        rows = getattr(self.record, name)
        room = self.passing.get(name)
        if room is None or len(room) < len(own):
            room = self.passing[name] = np.empty((len(own), *rows.shape[1:]), rows.dtype)
        return rows.take(own, axis=0, out=room[: len(own)], mode="clip")


def spread(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Places first, first + 1, ... so many of each.

    >>> spread(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(count)
    out = np.arange(ends[-1] if len(ends) else 0)
    return out + np.repeat(first - (ends - count), count)


def gathered(s: Starts, places: list[np.ndarray], parts: list[ToldRuns]) -> ToldRuns:
    """Parts of a batch in the order of its runs; those that are in no part have no rows."""
    count = len(s.Y)
    if len(parts) == 1 and len(places[0]) == count:
        return parts[0]
    if not parts:
        none = np.zeros((0, s.M.shape[1] + s.U.shape[1]))
        zero = np.zeros(0)
        nothing = np.zeros(count, np.int64)
        lines = {n: np.zeros(count) for n in simd_runs.RUN_STATISTICS}
        empty = nothing[:0]
        return ToldRuns(
            zero, s.Y[:0], s.Y[:0, :0], empty, none, nothing, zero, empty, nothing, lines
        )
    offset = np.cumsum([0, *(len(x.pasts) for x in parts)])
    every = np.concatenate(places)
    order = np.argsort(every, kind="stable")
    each = {
        name: np.concatenate([getattr(x, name) for x in parts])
        for name in ("time", "Y", "A", "pasts", "rows", "when", "guard", "logs")
    }
    which = np.concatenate([x.which + o for x, o in zip(parts, offset[:-1], strict=True)])
    rows, logs = each["rows"], each["logs"]
    by_row = spread((np.cumsum(rows) - rows)[order], rows[order])
    by_log = spread((np.cumsum(logs) - logs)[order], logs[order])

    def whole(x, kind):
        out = np.zeros(count, kind)
        out[every] = x
        return out

    return ToldRuns(
        each["time"][by_row],
        each["Y"][by_row],
        each["A"][by_row],
        which[by_row],
        each["pasts"],
        whole(rows, np.int64),
        each["when"][by_log],
        each["guard"][by_log],
        whole(logs, np.int64),
        {
            n: whole(np.concatenate([x.lines[n] for x in parts]), float)
            for n in simd_runs.RUN_STATISTICS
        },
    )


# --------------------------------------------------------------------------------------------
# Runs of one system in SIMD lanes, events and memory included: records, the queue, what came out.
#
# Each lane takes runs of a queue from start to end; numbers of a run depend on no other run.


LEAST_QUEUE, MOST_QUEUE = 64, 512  # runs that one native call takes through its lanes
ROWS = 100_000  # of all of them, about
LEAST_CALL, CALL = 200, 100_000  # attempts of a lane in one native call
STIFFS = 256  # runs at a time whose stiffness is asked for
ACCELERATED = frozenset({"accelerations", "moving"})  # groups of signals that need accelerations


class Cohort:
    """Runs of one system under the same options, in SIMD lanes; `runs` may be called often.

    A lane takes a run from its start to its end, events and memory included, then the next; numbers
    of a run depend on no other.  `signals` are those that will be asked for, if that is known.

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    ...                  forces=(ts.JointForce("stop", "x", ts.Limits(-1, 1, restitution=0.5)),))
    >>> runs = Cohort(block.check(), 2.0, ts.Options(output=3)).runs(2, {"x.speed": [1.0, 0.2]})
    >>> runs.at(runs["x.speed"], np.array([2.0]))[:, 0].tolist(), runs.event_time.round(9).tolist()
    ([-0.5, 0.2], [1.0])
    """

    def __init__(self, system: Any, t_end: float, options: Options, signals: Iterable[str] = ()):
        self.system, self.t_end, self.options = system, float(t_end), options.check()
        self.kernels: MotionKernels = motion_kernels(system)
        self.bare, self.more = self.kernels, 0  # those of the motion itself; numbers beside it
        self.t_start = arguments.seconds("t_start", options.t_start)
        span = arguments.spacing(self.t_start, self.t_end, options.step, options.max_step)
        self.span = span
        self.grid, self.every = arguments.rows(options.output, self.t_start, self.t_end)
        told = declared_signals(system)
        asked = {told[n][0] for n in signals if n in told}
        self.accelerations = bool(asked & ACCELERATED) and not len(system.layout.lam)
        self.kinds = kinds(system.layout.guards, options.stop_when)
        wide = 1 + system.nq + system.nv + len(system.layout.z)
        self.most = caps(options, span, wide)
        refuse_rows(len(self.grid), wide, self.most.rows)
        self.width = width_of_lanes()
        self.native = simd_runs.compile_queue(self.width)
        self.queue = min(max(ROWS // (len(self.grid) + SPARE), LEAST_QUEUE), MOST_QUEUE)
        self.free: dict[str, list[LaneMemory]] = {}

    def runs(
        self,
        count: int,
        initial: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
        heed: Heed | None = None,
    ) -> Runs:
        """So many runs; every mapping has a number for all of them, or an array of one a run.

        `heed` is asked now and then whether to stop.
        """
        s = starts(
            self.system,
            self.bare,
            count,
            self.t_start,
            self.options.keep,
            initial or {},
            parameters or {},
            inputs or {},
        )
        return self._finished(s, initial or {}, heed or Heed())

    def _finished(self, s: Starts, initial: Mapping[Any, Any], heed: Heed) -> Runs:
        """The runs, from their starts."""
        from .simd_results import finished_runs

        how = self.methods(s)
        return finished_runs(self, s, self.run(s, s, how, heed), how)

    def parts(
        self,
        count: int,
        initial: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
    ) -> Iterator[tuple[slice, Runs]]:
        """The same runs part by part, so many that their rows fit; starts are found together.

        Rows of a part are there until the next one is asked for: it has the same memory.

        >>> import torseur as ts
        >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
        ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
        >>> cohort = Cohort(block.check(), 2.0, ts.Options(output=3))
        >>> [(own.stop, runs["x.speed"].max().item()) for own, runs in
        ...  cohort.parts(600, {"x.speed": np.arange(600.0)})]
        [(304, 303.0), (600, 599.0)]
        """
        from .simd_results import finished_runs

        given = (initial or {}, parameters or {}, inputs or {})
        s = starts(self.system, self.bare, count, self.t_start, self.options.keep, *given)
        how = self.methods(s)
        size = -(-count // -(-count // self.queue))  # equal parts,
        size = -(-size // self.width) * self.width  # in which no lane is idle
        for first in range(0, count, size):
            own = slice(first, min(first + size, count))
            here = s.part(own)
            lent: list[tuple[str, LaneMemory]] = []
            try:
                told = self.run(here, here, how[own], Heed(), lent)
                yield own, finished_runs(self, here, told, how[own])
            finally:
                for name, lanes in lent:
                    self.free.setdefault(name, []).append(lanes)

    @staticmethod
    def suits(system, options: Options, t_end) -> bool:
        """Whether runs can be made in lanes: no long trees, no many contacts, no leading speeds."""
        if any(is_timed(x) for x in (options.inputs or {}).values()):
            return False
        if options.max_seconds is not None:  # a clock of each run's own
            return False
        led = options.solution != "multipliers" and bool(system.held)
        known = options.method == "auto" or options.method in METHODS
        kernels = motion_kernels(system)
        looped = kernels.looped or kernels.many_contacts
        return bool(system.nq and t_end > options.t_start and known and not led and not looped)

    def methods(self, s: Starts) -> np.ndarray:
        """The name of the method of every run."""
        o = self.options
        if o.method != "auto":
            return np.full(len(s.Y), o.method, dtype=object)
        out = np.full(len(s.Y), smooth(self.system.layout.guards, o.rtol)[0], dtype=object)
        for first in range(0, len(s.Y), STIFFS):
            own = slice(first, first + STIFFS)

            def flow(rows, Y, first=first):
                return self._rates(s, first + rows, np.full(len(Y), self.t_start), Y)

            with np.errstate(all="ignore"):
                out[own][stiff(flow, s.Y[own], self.span)] = "rodas5p"
        return out

    def _rates(self, s: Starts, runs, t, Y) -> np.ndarray:
        """Rates of states of some runs, one row each."""
        nq, end = self.system.nq, self.system.nq + self.system.nv
        own = s.M[runs], s.U[runs], s.P[runs]
        parts = self.bare["flow"](t, Y[:, :nq], Y[:, nq:end], Y[:, end:], *own)
        return np.concatenate([np.reshape(x, (len(Y), -1)) for x in parts[:3]], axis=1)

    def run(
        self,
        s: Starts,
        wide: Starts,
        how: np.ndarray,
        heed: Heed,
        lent: list[tuple[str, LaneMemory]] | None = None,
    ) -> ToldRuns:
        """All runs that can start, to their ends, each by its method.

        `wide` are the starts with whatever runs beside the motion.  With a list `lent`, what is
        told of at most a queue of them lies in the memory that is put there, until it is given
        back: others, in this thread or another, take memory of their own meanwhile.
        """
        good = np.array([i not in s.failed for i in range(len(s.Y))], dtype=bool)
        jobs = []
        for name in dict.fromkeys(how):
            if not METHODS[name].adaptive:
                if self.options.step is None:
                    raise ArgumentError(f"method {name!r} has a fixed step; give step= [s]")
                refuse_steps(self.span, self.options.step, self.most.steps)
            own = np.flatnonzero((how == name) & good)
            jobs += [(name, own[k : k + self.queue]) for k in range(0, len(own), self.queue)]
        found = [self._served(s, wide, heed, name, own, lent) for name, own in jobs]
        return gathered(wide, [own for _, own in jobs], found)

    def _served(self, s: Starts, wide: Starts, heed: Heed, name: str, own, lent) -> ToldRuns:
        waiting = self.free.setdefault(name, [])
        try:
            lanes = waiting.pop()  # at once: threads share what is free
        except IndexError:
            lanes = LaneMemory(self, METHODS[name], wide)
        lanes.begin(wide, own, self._first_steps(s, own, METHODS[name], lanes.record))
        pace = Pace(LEAST_CALL, CALL, LEAST_CALL)
        while True:
            before = clock.perf_counter()
            code = int(self.native(lanes.record.address, pace.steps))
            if code not in (BUFFERS_FULL, BUDGET_SPENT):
                break
            heed.now()
            pace.took(clock.perf_counter() - before)
            if code == BUFFERS_FULL:
                lanes.grow()
        found = lanes.told(lent is not None)
        if lent is None:
            waiting.append(lanes)
        else:
            lent.append((name, lanes))
        return found

    def govern(self, record, s: Starts) -> None:
        """Change what governs the steps of all lanes; nothing here."""

    def longest_step(self, s: Starts) -> float:
        """As of single runs, from a few of all."""
        if not timed(self.system):
            return np.inf
        few, parts = choose_probed_runs(len(s.Y))

        def flow(t, Y):
            return self._rates(s, np.tile(few, len(Y) // len(few)), t, Y)

        return find_max_step(flow, self.t_start, self.t_end, s.Y[few], parts)

    def _first_steps(self, s: Starts, own, method: Method, record) -> np.ndarray:
        if self.options.step is not None:
            return np.full(len(own), float(self.options.step))
        Y, flow = s.Y[own], partial(self._rates, s, own)
        n = Y.shape[1]
        scale = record.atol[:n] + record.rtol * np.maximum(abs(Y), record.min_scale[:n])
        span = max(self.span, 1e-12)
        return choose_first_steps(flow, self.t_start, Y, scale, method.order, span)
