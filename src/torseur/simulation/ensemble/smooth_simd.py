"""Runs without events or memory in SIMD lanes, by fixed or adaptive explicit steps."""

from __future__ import annotations

import time as clock
from collections.abc import Iterator, Mapping
from functools import cached_property, partial
from typing import Any

import numpy as np

from ...compiler.runtime import machine
from ...dynamics import SolutionMethod, start
from ...errors import TorseurError
from ...integrate import (
    METHODS,
    REACHED_END,
    TOO_MANY_ATTEMPTS,
    Method,
    SmoothSimdRecord,
    choose_first_steps,
    choose_probed_runs,
    find_max_step,
    simd_smooth,
)
from ...kernels import MotionKernels, StateRows
from ...scalars import Floats
from ...solve import arguments
from ...system import System
from ..interrupt import INTERRUPTED_TEXT, StepPacer, map_threads
from ..progress import Progress
from ..run.diagnostics import list_monitored_limits, note_beam_deflections, note_limit_violations
from ..run.method_selection import is_time_dependent
from ..run.record import method_fields
from ..run.result import RunSignals
from .simd_buffers import aligned_zeros

QUEUE_RUNS = 64  # runs that go through the lanes of one record
FIRST_CALL_STEPS, MAX_CALL_STEPS = 500, 20_000  # of a native call
UNFINISHED = -1  # status of a run that did not end


class SmoothSimdBatch:
    """Runs of a smooth model: initial states, parameters, and the right-hand side for lanes."""

    def __init__(
        self,
        system: System,
        kernels: MotionKernels,
        count: int,
        rows: np.ndarray,
        initial: Mapping[str, Any],
        parameters: Mapping[str, Any],
        inputs: Mapping[str, Any] | None,
    ):
        """Initial states, parameters and inputs of all runs.  `rows` are the times of their rows
        [s].
        """
        self.system, self.kernels, self.count, self.rows = system, kernels, count, rows
        nq, nv = system.nq, system.nv
        self.n = n = nq + nv + len(system.layout.z)
        self.width = machine.lanes()
        _, self.u = arguments.input_values(system, inputs or {})
        self.P, self.failed = arguments.parameter_rows(system, parameters, count)
        first = {k: np.ravel(x)[0] for k, x in initial.items()}
        q, v = system.state(first, unit=False)
        self.Y = Y = np.zeros((count, n))
        Y[:, :nq], Y[:, nq : nq + nv] = q, v
        names = (*system.coordinates, *system.speeds)
        for name, x in initial.items():
            Y[:, names.index(name)] = x
        Y[:, :nq] = system.unit(Y[:, :nq], "initial")
        if system.layout.states.stop:
            for i in range(count):
                K = Floats(dict(zip(system.parameters, self.P[i].tolist(), strict=True)))
                Y[i, nq + nv :] = start(system, K, 0.0, Y[i, :nq], Y[i, nq : nq + nv], self.u).z
        self.native = simd_smooth.compile_smooth()
        self.address, self._code = kernels["flow"]._prepare()

    def note_limits(self, times: np.ndarray, states: np.ndarray) -> Iterator[tuple[int, str]]:
        """Runs that left monitored limits, or whose beams bent too far, each with its sentences."""
        s = self.system
        if not (s.shared or list_monitored_limits(s, self.P[0])):
            return
        has_equal_limits = not s.shared and bool((self.P == self.P[:1]).all())
        is_out = np.full(self.count, not has_equal_limits)
        limits = list_monitored_limits(s, self.P[0]) if has_equal_limits else ()
        for _, _, slot, low, high in limits:
            x = states[:, :, slot]
            is_out |= ((x < low) | (x > high)).any(axis=1)
        for i in np.flatnonzero(is_out).tolist():
            run = (s, self.P[i], times, states[i])
            notes = (*note_limit_violations(*run), *note_beam_deflections(*run))
            if notes:
                yield i, "; ".join(notes)

    def _create_record(
        self,
        method: Method,
        tolerances: tuple,
        steps: np.ndarray,
        status: np.ndarray,
        out: np.ndarray,
    ) -> SmoothSimdRecord:
        """A record of lanes: first steps [s], status and rows of every run are written in place."""
        n, width, nu, n_parameters = self.n, self.width, len(self.u), self.P.shape[1]
        rtol, atol = tolerances
        state = {x: aligned_zeros(n, width) for x in ("y", "y_new", "y_work", "h_entries")}
        record = SmoothSimdRecord(
            **method_fields(self.system, method, rtol, atol, self.rows),
            **state,
            width=width,
            lanes_size=n * width,
            flow_kernel=self.address,
            kernel_inputs_size=1 + n + nu + n_parameters,
            kernel_inputs=aligned_zeros(1 + n + nu + n_parameters, width),
            stage_rates=aligned_zeros(method.dense_stages, n * width),
            **{x: np.zeros(width) for x in ("t", "h", "previous_error")},
            **{
                x: np.zeros(width, np.int64)
                for x in ("after_rejection", "lane_run", "next_output", "attempts")
            },
            n_runs=self.count,
            initial_states=self.Y,
            np=n_parameters,
            run_parameters=self.P,
            first_steps=steps,
            run_status=status,
            row_width=out.shape[-1],
            n_rows=out.shape[0] * out.shape[1],
            output_rows=out.reshape(-1, out.shape[-1]),
        )
        record.kernel_inputs[1 + n : 1 + n + nu] = self.u[:, None]
        return record

    def repeat_initial_states(self) -> tuple[np.ndarray, list[str]]:
        """States at every row of runs of zero duration, and their faults: none."""
        return np.repeat(self.Y[:, None], len(self.rows), axis=1), [""] * self.count

    def _count_steps(self, step: float | None) -> np.ndarray:
        """Number of fixed steps [s] from each row to the next."""
        if step is None or not step > 0:
            raise TorseurError("a fixed-step batch needs step= [s], more than zero")
        gaps = np.diff(self.rows)
        counts = np.maximum(1, np.rint(gaps / step)).astype(int)
        off = abs(counts - gaps / step) > 1e-6 * gaps / step
        if off.any():
            raise TorseurError(
                f"step = {step:g} s does not divide the {gaps[np.argmax(off)]:g} s "
                "between rows; choose a step that does"
            )
        return counts

    def integrate_fixed(
        self, method: int, step: float | None, threads: int, progress: Progress | None = None
    ) -> tuple[np.ndarray, list[str]]:
        """States (runs, rows, n) by equal fixed steps [s], and why each run failed, or ""."""
        counts = self._count_steps(step)
        rows, width, count = self.rows, self.width, self.count
        out = np.full((count, len(rows), self.n), np.nan)
        none, status = np.zeros(count), np.zeros(count, dtype=np.int64)
        free: list[SmoothSimdRecord] = []  # of threads that have none

        def integrate_block(first, interrupt):
            """Integrate the runs of one register from row to row."""
            runs = slice(first, min(first + width, count))
            index = np.minimum(np.arange(first, first + width), count - 1)  # pad: a valid state
            record = (
                free.pop()
                if free
                else self._create_record(METHODS["euler"], (1.0, 1.0), none, status, out)
            )
            record.kernel_inputs[1 + self.n + len(self.u) :] = self.P[index].T
            record.y[:] = self.Y[index].T
            pacer = StepPacer(FIRST_CALL_STEPS, MAX_CALL_STEPS)
            for r, t in enumerate(rows):
                out[runs, r] = record.y[:, : runs.stop - runs.start].T
                if r + 1 < len(rows):
                    n, done = int(counts[r]), 0
                    h = (rows[r + 1] - t) / n
                    while done < n:
                        interrupt.raise_pending()
                        more, before = min(n - done, pacer.steps), clock.perf_counter()
                        self.native[0](record.address, t, h, done, more, method)
                        done += more
                        if more == pacer.steps:
                            pacer.update(clock.perf_counter() - before)
            free.append(record)

        stopped = set(
            map_threads(
                integrate_block, range(0, count, width), threads, lambda first: first, progress
            )
        )
        good = np.asarray(np.isfinite(out).all(axis=2))
        last = np.where(good.all(axis=1), len(rows), np.argmin(good, axis=1))
        return out, [
            ""
            if k == len(rows)
            else INTERRUPTED_TEXT
            if i - i % width in stopped
            else f"grew without bound after t = {rows[max(k - 1, 0)]:g} s; try a smaller step"
            for i, k in enumerate(last)
        ]

    def integrate_adaptive(
        self,
        method: Method,
        tolerances: tuple,
        threads: int,
        max_steps: int,
        progress: Progress | None = None,
    ) -> tuple[np.ndarray, list[str]]:
        """States (runs, rows, n) by step size control in each run, and why each failed, or ""."""
        count, rows = self.count, self.rows
        first_steps, max_step = self._choose_first_steps(method, tolerances), self._max_step
        out = np.full((count, len(rows), self.n), np.nan)
        status = np.full(count, UNFINISHED)
        free: list[SmoothSimdRecord] = []  # of threads that have none

        def integrate_queue(first, interrupt):
            """Integrate a queue of runs to their ends."""
            record = (
                free.pop()
                if free
                else self._create_record(method, tolerances, first_steps, status, out)
            )
            record.kernel_inputs[1 + self.n + len(self.u) :] = self.P[first][:, None]
            record.y[:] = self.Y[first][:, None]
            record.max_attempts, record.h_max = max_steps, max_step
            record.next_run, record.queue_end = first, min(first + QUEUE_RUNS, count)
            self.native[1](record.address)
            pacer, before = StepPacer(FIRST_CALL_STEPS, MAX_CALL_STEPS), clock.perf_counter()
            while self.native[2](record.address, pacer.steps):
                interrupt.raise_pending()
                pacer.update(clock.perf_counter() - before)
                before = clock.perf_counter()
            free.append(record)

        map_threads(
            integrate_queue, range(0, count, QUEUE_RUNS), threads, lambda first: None, progress
        )
        row_counts = np.isfinite(out).all(axis=2).sum(axis=1)
        return out, [
            ""
            if code == REACHED_END
            else f"more than {max_steps} steps were needed after t = {rows[max(n - 1, 0)]:g} s; "
            "end sooner, loosen rtol, or allow more with max_steps="
            if code == TOO_MANY_ATTEMPTS
            else INTERRUPTED_TEXT
            if code == UNFINISHED
            else f"did not reach t = {rows[-1]:g} s: its step fell to nothing after "
            f"t = {rows[max(n - 1, 0)]:g} s; look for a singular pose or a law that grows without "
            "bound, or simulate that run alone"
            for code, n in zip(status, row_counts, strict=True)
        ]

    def _rates(self, runs: np.ndarray, t: np.ndarray, Y: np.ndarray) -> np.ndarray:
        """Derivatives of states by time, one row each.  Rows repeat the sequence of the runs."""
        nq, end, rows = self.system.nq, self.system.nq + self.system.nv, len(Y)
        u, P = np.tile(self.u, (rows, 1)), np.tile(self.P[runs], (rows // len(runs), 1))
        parts = self.kernels["flow"](
            t, Y[:, :nq], Y[:, nq:end], Y[:, end:], np.zeros((rows, 0)), u, P
        )
        return np.concatenate([np.reshape(a, (rows, -1)) for a in parts[:3]], axis=1)

    def _choose_first_steps(self, method: Method, tolerances: tuple) -> np.ndarray:
        Y, rates = self.Y, partial(self._rates, np.arange(self.count))
        rtol, atol = tolerances
        x = method_fields(self.system, method, rtol, atol, self.rows)
        scale = x["atol"] + x["rtol"] * np.maximum(abs(Y), x["min_scale"])
        span = self.rows[-1] - self.rows[0]
        return choose_first_steps(rates, 0.0, Y, scale, method.order, span)

    @cached_property
    def _max_step(self) -> float:
        """Largest step [s] that passes over no pulse of a formula of time, from some runs."""
        if not is_time_dependent(self.system):
            return np.inf
        runs, parts = choose_probed_runs(self.count)
        rates = partial(self._rates, runs)
        return find_max_step(rates, self.rows[0], self.rows[-1], self.Y[runs], parts)


class SmoothSignals:
    """Signals of runs without events.  All rows of all runs with equal parameters at once."""

    def __init__(
        self,
        system: System,
        states: np.ndarray,
        times: np.ndarray,
        output_rows: np.ndarray,
        u: np.ndarray,
        P: np.ndarray,
    ):
        """Signals of states (runs, rows, n) at some times [s], of which `output_rows` are shown."""
        self.model, self.system = system.model, system
        self.states, self.times, self.output_rows = states, times, output_rows
        self.u, self.P = u, P

    def __getstate__(self):
        return {n: x for n, x in vars(self).items() if n != "system"}

    @cached_property
    def system(self) -> System:
        """The system of the model, checked again after a pickle."""
        return self.model.check()

    def __call__(self, name: str) -> dict[str, np.ndarray]:
        """Every signal of the group of `name`, (runs, rows) each."""
        sets, which = np.unique(self.P, axis=0, return_inverse=True)
        out: dict[str, np.ndarray] = {}
        for i, p in enumerate(sets):
            runs = np.flatnonzero(which.ravel() == i)
            for signal, x in self.signals(p, runs)(name).items():
                values = out.setdefault(signal, np.empty(self.states.shape[:2]))
                values[runs] = x.reshape(len(runs), -1)
        return {n: x[:, self.output_rows] for n, x in out.items()}

    def state_rows(self, runs: Any, rows: Any = slice(None)) -> tuple[StateRows, np.ndarray]:
        """States of some rows of some runs, one run after the other, and their parameters."""
        s, times = self.system, self.times[rows]
        Y = self.states[runs][:, rows].reshape(-1, self.states.shape[2])
        q, v, z = np.split(Y, [s.nq, s.nq + s.nv], axis=1)
        t, m = np.tile(times, len(runs)), np.zeros((len(Y), 0))
        u = np.broadcast_to(self.u, (len(Y), len(self.u)))
        P = self.P[runs]
        p = P[0] if (P == P[:1]).all() else np.repeat(P, len(times), axis=0)
        return StateRows(t, q, v, z, m, u), p

    def signals(self, p: np.ndarray, runs: Any) -> RunSignals:
        """Signals of runs that have these parameters, one run after the other."""
        solutions = ((0.0, SolutionMethod("multipliers")),)
        firsts = len(self.times) * np.arange(len(runs))
        return RunSignals(self.system, solutions, self.state_rows(runs)[0], p, firsts=firsts)
