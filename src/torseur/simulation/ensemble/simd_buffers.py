"""Record and buffers of a queue of runs in SIMD lanes, and the rows that come out of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ...compiler import side_by_side
from ...integrate import Method, RunRecord, SimdRunsRecord, simd_runs
from ...kernels import MotionKernels
from ...system import System
from ..options import Options
from ..run.budget import RunBudget
from ..run.record import GROWING_ARRAYS, KERNELS, kernel_addresses, steps
from .initial_states import InitialStates

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTERS = (
    ("n_rows", "row_capacity"),
    ("n_history", "history_capacity"),
    ("n_logged", "log_capacity"),
)
"""Fields that count the entries of growing arrays, and those with the capacity of the arrays."""
SPARE_ENTRIES = 96  # rows, histories and events of a run beyond the output times
ALIGNMENT = 64  # bytes: SIMD registers read their lanes at once


class SimdSettings(NamedTuple):
    """Settings that all runs of a SIMD batch share.  They are pickled with its results."""

    system: System
    options: Options
    t_start: float
    t_end: float
    grid: np.ndarray  # output times [s]
    every_step: bool  # whether every step is a row
    event_type: np.ndarray  # of event functions
    budget: RunBudget
    width: int  # number of lanes


class SimdRows(NamedTuple):
    """Rows of many runs, one run after the other, with their events and statistics."""

    time: np.ndarray
    Y: np.ndarray
    A: np.ndarray  # accelerations; (rows, 0) where they were not asked for
    which: np.ndarray  # entry of `history` of each row
    history: np.ndarray  # memory and inputs
    row_counts: np.ndarray  # one a run
    when: np.ndarray  # events of all runs [s]
    guard: np.ndarray  # their event functions
    log_counts: np.ndarray  # one a run
    statistics: dict[Any, np.ndarray]  # one a run each


class SimdBuffers:
    """A record of a queue of runs in SIMD lanes for one method, and the arrays it points at."""

    def __init__(
        self,
        settings: SimdSettings,
        kernels: MotionKernels,
        method: Method,
        single: RunRecord,
        *,
        parameter_count: int,
        stores_accelerations: bool,
    ):
        """Buffers by the pattern of the record of a single run."""
        self.settings, self.width = settings, settings.width
        self._references: list[Any] = []  # memory at which the record points by address
        fields = self._lane_fields(single, parameter_count, stores_accelerations)
        self._add_kernels(fields, kernels, method)
        self.record: Any = side_by_side(SimdRunsRecord, self.width)(**fields)
        self.capacities = dict.fromkeys(GROWING_ARRAYS, 0)  # of each lane
        self.reused: dict[str, np.ndarray] = {}  # arrays of temporary results

    def _lane_fields(
        self, single: RunRecord, parameter_count: int, stores_accelerations: bool
    ) -> dict[str, Any]:
        """Fields of the record, from those of a single run: shared ones once, others per lane."""
        nv = self.settings.system.nv
        out: dict[str, Any] = {"np": parameter_count, "run_stride": self.width}
        out |= {"n_row_accelerations": single.nv if stores_accelerations else 0}
        out["row_a"] = np.empty((0, out["n_row_accelerations"]))
        out["t_start"] = self.settings.t_start
        out["n_statistics"] = len(simd_runs.RUN_STATISTICS)
        for name, field in type(single).fields.items():
            if name in out:
                continue
            x = single.arrays[name] if field.shape else getattr(single, name)
            out[name] = x if name in SimdRunsRecord.shared else self._repeat_in_lanes(x)
        queue = ("next_run", "current_run", "first_row", "first_log")
        out |= {name: self._repeat_in_lanes(np.int64(0)) for name in queue}
        sizes = {n: len(out[n]) for n in ("kernel_time", "kernel_state", "m", "u")}
        sizes["p"] = parameter_count
        extra, first = max(1, nv, 1 + single.neighbor_size), 0
        inputs = self._zeros(sum(sizes.values()) + extra)
        for name, size in sizes.items():
            inputs[first : first + size] = out.get(name, 0.0)
            out[name], first = inputs[first : first + size], first + size
        out["kernel_extra"] = inputs[first : first + max(1, nv)]
        # of a reset, the index of the event function comes before the rows of tables
        out["neighbor_rows"] = inputs[first + 1 : first + 1 + single.neighbor_size]
        self.inputs = inputs
        return out

    def _add_kernels(self, fields: dict[str, Any], kernels: MotionKernels, method: Method) -> None:
        """Add kernels for lanes, each as an address of its address and the sizes of its outputs."""
        addresses = kernel_addresses(self.settings.system, kernels, method, alone=False)
        output_size = 1
        for name, is_used in addresses.items():
            if not is_used:
                continue
            kernel = kernels[KERNELS[name]]
            address, code = kernel.lanes()
            sizes = [p.size for p in kernel.outputs]
            words = np.array([address, len(sizes), *sizes], np.int64)
            fields[name], output_size = words.ctypes.data, max(output_size, sum(sizes))
            self._references += [words, code]
        outputs, multipliers = self._zeros(output_size), self._zeros(output_size)
        fields["kernel_inputs"] = np.zeros(10, np.int64)
        fields["kernel_inputs"][[0, 9]] = self.inputs.ctypes.data, outputs.ctypes.data
        fields["kernel_outputs"] = np.zeros(4, np.int64)
        fields["kernel_outputs"][3] = multipliers.ctypes.data  # outputs that steps do not use
        self._references += [outputs, multipliers]

    def _zeros(self, *shape: int, dtype: Any = np.float64) -> np.ndarray:
        """Zeros (*shape, lanes), aligned for SIMD registers."""
        return (
            aligned_zeros(int(np.prod(shape)), self.width).view(dtype).reshape(*shape, self.width)
        )

    def _repeat_in_lanes(self, x: Any) -> np.ndarray:
        """The same numbers in every lane."""
        x = np.asarray(x)
        out = self._zeros(*x.shape, dtype=np.int64 if x.dtype.kind in "iub" else np.float64)
        out[...] = x[..., None]
        return out

    def load_queue(self, initial: InitialStates, runs: np.ndarray, first_steps: np.ndarray) -> None:
        """Load a queue of runs by index, with buffers for their rows."""
        record, n = self.record, len(runs)
        record.n_runs = n
        record.initial_states, record.initial_memories = initial.Y[runs], initial.M[runs]
        record.run_inputs, record.run_parameters = initial.U[runs], initial.P[runs]
        record.first_steps = first_steps
        record.run_statistics = np.zeros((n, len(simd_runs.RUN_STATISTICS)))
        record.next_run[:], record.current_run[:] = np.arange(self.width), -1
        record.y[:] = record.kernel_state[:] = record.initial_states[:1].T
        record.m[:] = record.initial_memories[:1].T
        record.p[:], record.u[:] = record.run_parameters[:1].T, record.run_inputs[:1].T
        record.kernel_time[:] = record.t_start
        runs_per_lane, n_events = -(-n // self.width), len(record.event_type)
        entries = SPARE_ENTRIES + 2 * n_events
        needed = {
            "row_capacity": record.n_output_times + entries,
            "history_capacity": entries,
            "log_capacity": entries,
        }
        for capacity, per_run in needed.items():
            size = runs_per_lane * per_run + 4 * n_events + SPARE_ENTRIES
            self.capacities[capacity] = max(self.capacities[capacity], size)
        self._allocate()
        for counter, capacity in COUNTERS:
            getattr(record, counter)[:] = self.capacities[capacity] * np.arange(self.width)

    def _allocate(self) -> None:
        """Allocate arrays that are smaller than the capacities of all lanes."""
        record = self.record
        for capacity, arrays in GROWING_ARRAYS.items():
            size = self.capacities[capacity]
            for name in arrays:
                old = getattr(record, name)
                if len(old) < size * self.width:
                    new = np.empty((size * self.width, *old.shape[1:]), old.dtype)
                    setattr(record, name, new)
            getattr(record, capacity)[:] = size * (1 + np.arange(self.width))

    def grow(self) -> None:
        """Double the capacities, and move the entries of each lane to its new part."""
        record, before = self.record, dict(self.capacities)
        old = {name: getattr(record, name) for arrays in GROWING_ARRAYS.values() for name in arrays}
        self.capacities = {capacity: 2 * size for capacity, size in before.items()}
        self._allocate()
        shift = {x: self.capacities[x] - before[x] for x in before}
        for capacity, arrays in GROWING_ARRAYS.items():
            size = before[capacity]
            for j in range(self.width):
                first = j * self.capacities[capacity]
                for name in arrays:
                    part = old[name][j * size : (j + 1) * size]
                    if name == "row_history":
                        part = part + j * shift["history_capacity"]
                    getattr(record, name)[first : first + size] = part
        first_entries = (("first_row", "row_capacity"), ("first_log", "log_capacity"))
        for counter, capacity in (*COUNTERS, *first_entries):
            getattr(record, counter)[:] += np.arange(self.width) * shift[capacity]
        column = {n: i for i, n in enumerate(simd_runs.RUN_STATISTICS)}
        lane = np.arange(len(record.run_statistics)) % self.width
        for counter, capacity in first_entries:
            record.run_statistics[:, column[counter]] += lane * shift[capacity]

    def read_rows(self, temporary: bool = False) -> SimdRows:
        """Rows of the queue, run by run.  Temporary ones are valid until the next queue."""
        record = self.record
        statistics = dict(
            zip(simd_runs.RUN_STATISTICS, record.run_statistics.T.copy(), strict=True)
        )
        names = ("first_row", "n_rows", "first_log", "n_logged")
        row, row_counts, log, log_counts = (statistics[x].astype(np.int64) for x in names)
        rows, events = concatenate_ranges(row, row_counts), concatenate_ranges(log, log_counts)
        arrays = ("row_t", "row_y", "row_a", "row_history")
        if temporary:
            t, Y, A, which = (self._take_temporary(name, rows) for name in arrays)
            history = record.history
        else:
            t, Y, A, which = (getattr(record, name)[rows] for name in arrays)
            capacity = self.capacities["history_capacity"]
            first = capacity * np.arange(self.width)
            counts = record.n_history - first
            history = np.concatenate(
                [record.history[a : a + n] for a, n in zip(first, counts, strict=True)]
            )
            lane = which // capacity
            which = which - first[lane] + (np.cumsum(counts) - counts)[lane]
        when, guard = record.log_time[events], record.log_index[events]
        return SimdRows(t, Y, A, which, history, row_counts, when, guard, log_counts, statistics)

    def _take_temporary(self, name: str, rows: np.ndarray) -> np.ndarray:
        """Some rows of an array, in memory that the next call reuses."""
        source = getattr(self.record, name)
        out = self.reused.get(name)
        if out is None or len(out) < len(rows):
            out = self.reused[name] = np.empty((len(rows), *source.shape[1:]), source.dtype)
        return source.take(rows, axis=0, out=out[: len(rows)], mode="clip")


def create_single_record(
    settings: SimdSettings,
    kernels: MotionKernels,
    method: Method,
    initial: InitialStates,
    more: int,
) -> RunRecord:
    """Record of the first run, with `more` derivatives behind its state: a pattern for lanes."""
    o = settings.options
    return steps(
        settings.system,
        kernels,
        method,
        initial.Y[0],
        initial.M[0],
        initial.U[0],
        initial.P[0],
        (o.rtol, o.atol),
        settings.grid,
        t=settings.t_start,
        kinds=settings.event_type,
        most=settings.budget,
        every=settings.every_step,
        more=more,
        alone=False,
    )


def aligned_zeros(count: int, width: int) -> np.ndarray:
    """Zeros (count, width), aligned for SIMD registers."""
    words = ALIGNMENT // 8
    raw = np.zeros(count * width + words)
    offset = (-raw.ctypes.data % ALIGNMENT) // 8
    return raw[offset : offset + count * width].reshape(count, width)


def concatenate_ranges(first: np.ndarray, count: np.ndarray) -> np.ndarray:
    """Indices first, first + 1, ..., `count` of them, of all ranges one after the other.

    >>> concatenate_ranges(np.array([5, 0]), np.array([2, 3])).tolist()
    [5, 6, 0, 1, 2]
    """
    ends = np.cumsum(count)
    out = np.arange(ends[-1] if len(ends) else 0)
    return out + np.repeat(first - (ends - count), count)


def merge_rows(
    initial: InitialStates, runs: Sequence[np.ndarray], parts: Sequence[SimdRows]
) -> SimdRows:
    """Rows of queues in the order of the runs of a batch.  Runs in no queue have no rows."""
    count = len(initial.Y)
    if len(parts) == 1 and len(runs[0]) == count:
        return parts[0]
    if not parts:
        history = np.zeros((0, initial.M.shape[1] + initial.U.shape[1]))
        times, counts, indices = np.zeros(0), np.zeros(count, np.int64), np.zeros(0, np.int64)
        Y, A = initial.Y[:0], initial.Y[:0, :0]
        statistics = {n: np.zeros(count) for n in simd_runs.RUN_STATISTICS}
        return SimdRows(times, Y, A, indices, history, counts, times, indices, counts, statistics)
    offset = np.cumsum([0, *(len(x.history) for x in parts)])
    run = np.concatenate(runs)
    order = np.argsort(run, kind="stable")

    def join(name: str) -> np.ndarray:
        return np.concatenate([getattr(x, name) for x in parts])

    def scatter(x: np.ndarray, dtype: type) -> np.ndarray:
        out: np.ndarray = np.zeros(count, dtype)
        out[run] = x
        return out

    which = np.concatenate([x.which + o for x, o in zip(parts, offset[:-1], strict=True)])
    rows, logs = join("row_counts"), join("log_counts")
    by_row = concatenate_ranges((np.cumsum(rows) - rows)[order], rows[order])
    by_log = concatenate_ranges((np.cumsum(logs) - logs)[order], logs[order])
    return SimdRows(
        join("time")[by_row],
        join("Y")[by_row],
        join("A")[by_row],
        which[by_row],
        join("history"),
        scatter(rows, np.int64),
        join("when")[by_log],
        join("guard")[by_log],
        scatter(logs, np.int64),
        {
            n: scatter(np.concatenate([x.statistics[n] for x in parts]), float)
            for n in simd_runs.RUN_STATISTICS
        },
    )
