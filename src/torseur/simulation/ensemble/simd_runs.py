"""SIMD batch: runs of one system in SIMD lanes, with their events and memories.

Each lane takes runs of a queue from start to end.  The numbers of a run depend on no other run.
"""

from __future__ import annotations

import time as clock
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...compiler import lanes as lanes_per_register
from ...errors import ArgumentError
from ...integrate import (
    BUDGET_SPENT,
    BUFFERS_FULL,
    METHODS,
    Method,
    RunRecord,
    choose_first_steps,
    choose_probed_runs,
    find_max_step,
    simd_runs,
)
from ...kernels import MotionKernels, motion_kernels
from ...results import Runs
from ...signals import declared_signals
from ...solve import arguments
from ...system import System
from ..interrupt import InterruptFlag, StepPacer
from ..options import Options
from ..run.budget import caps, check_row_budget, check_step_budget
from ..run.method_selection import choose_explicit_method, find_stiff_runs, is_time_dependent
from ..run.record import kinds
from ..time_inputs import is_time_function
from .initial_states import InitialStates, compute_initial_states
from .simd_buffers import SimdBuffers, SimdRows, SimdSettings, create_single_record, merge_rows
from .simd_results import ACCELERATION_GROUPS, build_runs

MIN_QUEUE_RUNS, MAX_QUEUE_RUNS = 64, 512  # of one native call
MAX_QUEUE_ROWS = 100_000  # of all runs of a queue, about
SPARE_ROWS = 96  # of a run, beyond the output times
MIN_CALL_ATTEMPTS, MAX_CALL_ATTEMPTS = 200, 100_000  # of a lane in one native call
STIFFNESS_BLOCK = 256  # runs whose stiffness is detected at once


class SimdBatch:
    """Runs of one system with the same options, in SIMD lanes.  `runs` may be called often.

    `signals` are the names that will be read, if they are known.

    >>> import torseur as ts
    >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
    ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),),
    ...                  forces=(ts.JointForce("stop", "x", ts.Limits(-1, 1, restitution=0.5)),))
    >>> runs = SimdBatch(block.check(), 2.0, ts.Options(output=3)).runs(2, {"x.speed": [1.0, 0.2]})
    >>> runs.at(runs["x.speed"], np.array([2.0]))[:, 0].tolist(), runs.event_time.round(9).tolist()
    ([-0.5, 0.2], [1.0])
    """

    def __init__(self, system: System, t_end: float, options: Options, signals: Iterable[str] = ()):
        """Check the options, and choose the size of a queue."""
        t_end, options = float(t_end), options.check()
        self.motion_kernels: MotionKernels = motion_kernels(system)
        self.kernels = self.motion_kernels  # with derivatives, if there are any
        self.derivative_count = 0  # numbers behind the state
        t_start = arguments.seconds("t_start", options.t_start)
        self.span = arguments.spacing(t_start, t_end, options.step, options.max_step)
        grid, every_step = arguments.rows(options.output, t_start, t_end)
        declared = declared_signals(system)
        groups = {declared[n][0] for n in signals if n in declared}
        self.stores_accelerations = bool(groups & ACCELERATION_GROUPS) and not len(
            system.layout.lam
        )
        row_size = 1 + system.nq + system.nv + len(system.layout.z)
        budget = caps(options, self.span, row_size)
        check_row_budget(len(grid), row_size, budget.rows)
        event_type = kinds(system.layout.guards, options.stop_when)
        self.settings = SimdSettings(
            system,
            options,
            t_start,
            t_end,
            grid,
            bool(every_step),
            event_type,
            budget,
            lanes_per_register(),
        )
        self.advance_queue = simd_runs.compile_queue(self.settings.width)
        runs = MAX_QUEUE_ROWS // (len(grid) + SPARE_ROWS)
        self.queue_size = min(max(runs, MIN_QUEUE_RUNS), MAX_QUEUE_RUNS)
        self.free: dict[str, list[SimdBuffers]] = {}  # buffers by method, for any thread

    @property
    def system(self) -> System:
        return self.settings.system

    def runs(
        self,
        count: int,
        initial: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
        interrupt: InterruptFlag | None = None,
    ) -> Runs:
        """Integrate `count` runs.

        Every mapping has one number for all runs, or an array with one a run.  `interrupt` is a
        flag that stops them.
        """
        values = (initial or {}, parameters or {}, inputs or {})
        return self._integrate(self._start(count, *values), values[0], interrupt or InterruptFlag())

    def _start(self, count: int, initial: Mapping, parameters: Mapping, inputs: Mapping):
        """Initial states of the motion, without derivatives."""
        keep, t_start = self.settings.options.keep, self.settings.t_start
        return compute_initial_states(
            self.system, self.motion_kernels, count, t_start, keep, initial, parameters, inputs
        )

    def _integrate(self, initial: InitialStates, values: Mapping, interrupt: InterruptFlag) -> Runs:
        """The runs from their initial states.  `values` are the initial values by name."""
        methods = self.choose_methods(initial)
        rows = self.integrate_rows(initial, initial, methods, interrupt)
        return build_runs(self.settings, initial, rows, methods)

    def parts(
        self,
        count: int,
        initial: Mapping[Any, Any] | None = None,
        parameters: Mapping[Any, Any] | None = None,
        inputs: Mapping[Any, Any] | None = None,
    ) -> Iterator[tuple[slice, Runs]]:
        """The same runs part by part, with equal parts that fill the lanes.

        The rows of a part are valid until the next part, which reuses their memory.

        >>> import torseur as ts
        >>> block = ts.Model(gravity=(0, 0, 0), bodies=(ts.Body("b", 1.0),),
        ...                  joints=(ts.Joint("x", "world", "b", ts.Prismatic("x")),))
        >>> batch = SimdBatch(block.check(), 2.0, ts.Options(output=3))
        >>> [(part.stop, runs["x.speed"].max().item()) for part, runs in
        ...  batch.parts(600, {"x.speed": np.arange(600.0)})]
        [(304, 303.0), (600, 599.0)]
        """
        states = self._start(count, initial or {}, parameters or {}, inputs or {})
        methods = self.choose_methods(states)
        size = -(-count // -(-count // self.queue_size))
        size = -(-size // self.settings.width) * self.settings.width
        for first in range(0, count, size):
            part = slice(first, min(first + size, count))
            block = states.select(part)
            borrowed: list[tuple[str, SimdBuffers]] = []
            try:
                rows = self.integrate_rows(block, block, methods[part], InterruptFlag(), borrowed)
                yield part, build_runs(self.settings, block, rows, methods[part])
            finally:
                for name, buffers in borrowed:
                    self.free.setdefault(name, []).append(buffers)

    @staticmethod
    def can_integrate(system: System, options: Options, t_end: float) -> bool:
        """Whether lanes can take runs: no long trees, many contacts or independent speeds."""
        if any(is_time_function(x) for x in (options.inputs or {}).values()):
            return False
        if options.max_seconds is not None:  # a clock for each run
            return False
        is_partitioned = options.solution != "multipliers" and bool(system.held)
        is_native = options.method == "auto" or options.method in METHODS
        kernels = motion_kernels(system)
        is_looped = kernels.looped or kernels.many_contacts
        has_motion = bool(system.nq and t_end > options.t_start)
        return has_motion and is_native and not is_partitioned and not is_looped

    def choose_methods(self, initial: InitialStates) -> np.ndarray:
        """Name of the method of every run, by stiffness detection at its start."""
        o, count = self.settings.options, len(initial.Y)
        if o.method != "auto":
            return np.full(count, o.method, dtype=object)
        name, _ = choose_explicit_method(self.system.layout.guards, o.rtol)
        methods = np.full(count, name, dtype=object)
        for first in range(0, count, STIFFNESS_BLOCK):
            block = slice(first, first + STIFFNESS_BLOCK)

            def rates(runs, Y, first=first):
                t = np.full(len(Y), self.settings.t_start)
                return self._rates(initial, first + runs, t, Y)

            with np.errstate(all="ignore"):
                methods[block][find_stiff_runs(rates, initial.Y[block], self.span)] = "rodas5p"
        return methods

    def _rates(
        self, initial: InitialStates, runs: np.ndarray, t: np.ndarray, Y: np.ndarray
    ) -> np.ndarray:
        """Derivatives by time of states of some runs, one row each."""
        nq, end = self.system.nq, self.system.nq + self.system.nv
        constants = initial.M[runs], initial.U[runs], initial.P[runs]
        parts = self.motion_kernels["flow"](t, Y[:, :nq], Y[:, nq:end], Y[:, end:], *constants)
        return np.concatenate([np.reshape(x, (len(Y), -1)) for x in parts[:3]], axis=1)

    def integrate_rows(
        self,
        initial: InitialStates,
        extended: InitialStates,
        methods: np.ndarray,
        interrupt: InterruptFlag,
        borrowed: list[tuple[str, SimdBuffers]] | None = None,
    ) -> SimdRows:
        """Rows of all runs that can start, each by its method.

        `extended` are the initial states with derivatives behind them.  With a list `borrowed` of
        one queue at most, the rows lie in the buffers that are put there, until they are returned.
        """
        can_start = np.array([i not in initial.failed for i in range(len(initial.Y))], dtype=bool)
        queues = []
        for name in dict.fromkeys(methods):
            if not METHODS[name].adaptive:
                step = self.settings.options.step
                if step is None:
                    raise ArgumentError(f"method {name!r} has a fixed step; give step= [s]")
                check_step_budget(self.span, step, self.settings.budget.steps)
            runs, size = np.flatnonzero((methods == name) & can_start), self.queue_size
            queues += [(name, runs[k : k + size]) for k in range(0, len(runs), size)]
        parts = [
            self._integrate_queue(initial, extended, queue, interrupt, borrowed) for queue in queues
        ]
        return merge_rows(extended, [runs for _, runs in queues], parts)

    def _integrate_queue(
        self,
        initial: InitialStates,
        extended: InitialStates,
        queue: tuple[str, np.ndarray],
        interrupt: InterruptFlag,
        borrowed: list[tuple[str, SimdBuffers]] | None,
    ) -> SimdRows:
        """Rows of a queue: method and indices of its runs."""
        name, runs = queue
        free = self.free.setdefault(name, [])
        try:
            buffers = free.pop()  # one operation: threads share the list
        except IndexError:
            buffers = self._create_buffers(METHODS[name], extended)
        steps = self._choose_first_steps(initial, runs, METHODS[name], buffers.record)
        buffers.load_queue(extended, runs, steps)
        pacer = StepPacer(MIN_CALL_ATTEMPTS, MAX_CALL_ATTEMPTS, MIN_CALL_ATTEMPTS)
        while True:
            before = clock.perf_counter()
            code = int(self.advance_queue(buffers.record.address, pacer.steps))
            if code not in (BUFFERS_FULL, BUDGET_SPENT):
                break
            interrupt.raise_pending()
            pacer.update(clock.perf_counter() - before)
            if code == BUFFERS_FULL:
                buffers.grow()
        rows = buffers.read_rows(temporary=borrowed is not None)
        if borrowed is None:
            free.append(buffers)
        else:
            borrowed.append((name, buffers))
        return rows

    def _create_buffers(self, method: Method, initial: InitialStates) -> SimdBuffers:
        """Buffers of lanes for a method, by the pattern of the first run."""
        settings, max_step = self.settings, self.settings.options.max_step
        single = create_single_record(
            settings, self.kernels, method, initial, self.derivative_count
        )
        self.tighten_tolerances(single, initial)
        single.t_stop = settings.t_end
        single.h_max = self.find_max_step(initial) if max_step is None else max_step
        return SimdBuffers(
            settings,
            self.kernels,
            method,
            single,
            parameter_count=initial.P.shape[1],
            stores_accelerations=self.stores_accelerations,
        )

    def tighten_tolerances(self, record: RunRecord, initial: InitialStates) -> None:
        """Change the tolerances of all lanes, if there are derivatives."""

    def find_max_step(self, initial: InitialStates) -> float:
        """Largest step [s] that passes over no pulse of a formula of time, from some runs."""
        if not is_time_dependent(self.system):
            return np.inf
        runs, parts = choose_probed_runs(len(initial.Y))

        def rates(t, Y):
            return self._rates(initial, np.tile(runs, len(Y) // len(runs)), t, Y)

        span = (self.settings.t_start, self.settings.t_end)
        return find_max_step(rates, *span, initial.Y[runs], parts)

    def _choose_first_steps(
        self, initial: InitialStates, runs: np.ndarray, method: Method, record: Any
    ) -> np.ndarray:
        """First step [s] of every run, by its rates at the start."""
        step = self.settings.options.step
        if step is not None:
            return np.full(len(runs), float(step))
        Y, rates = initial.Y[runs], partial(self._rates, initial, runs)
        n = Y.shape[1]
        scale = record.atol[:n] + record.rtol * np.maximum(abs(Y), record.min_scale[:n])
        span = max(self.span, 1e-12)
        return choose_first_steps(rates, self.settings.t_start, Y, scale, method.order, span)
