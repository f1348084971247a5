"""Runs of one model side by side in SIMD lanes: their states, and signals of all of them."""

from __future__ import annotations

import time as clock
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from ...compiler.runtime import machine
from ...dynamics import SolutionWay, start
from ...errors import TorseurError
from ...integrate import (
    METHODS,
    REACHED_END,
    TOO_MANY_ATTEMPTS,
    SmoothSimdRecord,
    choose_first_steps,
    choose_probed_runs,
    find_max_step,
    simd_smooth,
)
from ...kernels import StateRows
from ...scalars import Floats
from ...solve import arguments
from ..interrupt import STOPPED, Pace, in_threads
from ..run.diagnostics import bent, beyond, plain_limits
from ..run.method_selection import timed
from ..run.record import formula
from ..run.result import RunSignals

QUEUE = 64  # runs that go through the lanes of one record
FIRST, CALL = 500, 20_000  # steps of the first native call, and of one at most
UNTOLD = -1  # the status of a run that did not end


class SideBySide:
    """Runs side by side: their initial states, parameters and the kernel for lanes."""

    def __init__(self, system, kernels, initial, parameters, inputs, count, rows):
        self.system, self.kernels, self.count, self.rows = system, kernels, count, rows
        nq, nv = system.nq, system.nv
        self.n = n = nq + nv + len(system.layout.z)
        self.width = machine.lanes()
        _, self.u = arguments.input_values(system, inputs or {})
        self.P, self.wrong = arguments.parameter_rows(system, parameters, count)
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
        self.address, self._held = kernels["flow"]._prepare()

    def beyond(self, times, states):
        """Runs whose rows have left limits that only watch, or bent too far: with the sentence."""
        s = self.system
        if not (s.shared or plain_limits(s, self.P[0])):
            return
        alike = not s.shared and bool((self.P == self.P[:1]).all())
        out = np.full(self.count, not alike)
        for _, _, slot, low, high in plain_limits(s, self.P[0]) if alike else ():
            x = states[:, :, slot]
            out |= ((x < low) | (x > high)).any(axis=1)
        for i in np.flatnonzero(out).tolist():
            run = SimpleNamespace(system=s, p=self.P[i])
            yield i, beyond(run, times, states[i]) + bent(run, times, states[i])

    def lanes(self, method, tolerances, steps, status, out) -> SmoothSimdRecord:
        """A record of lanes, with the model's inputs in place; every lane stands in run 0."""
        n, width, nu, own = self.n, self.width, len(self.u), self.P.shape[1]
        rtol, atol = tolerances
        state = {x: aligned(n, width) for x in ("y", "y_new", "y_work", "h_entries")}
        record = SmoothSimdRecord(
            **formula(self.system, method, rtol, atol, self.rows),
            **state,
            width=width,
            lanes_size=n * width,
            flow_kernel=self.address,
            kernel_inputs_size=1 + n + nu + own,
            kernel_inputs=aligned(1 + n + nu + own, width),
            stage_rates=aligned(method.dense_stages, n * width),
            **{x: np.zeros(width) for x in ("t", "h", "previous_error")},
            **{
                x: np.zeros(width, np.int64)
                for x in ("after_rejection", "lane_run", "next_output", "attempts")
            },
            n_runs=self.count,
            initial_states=self.Y,
            np=own,
            run_parameters=self.P,
            first_steps=steps,
            run_status=status,
            row_width=out.shape[-1],
            n_rows=out.shape[0] * out.shape[1],
            output_rows=out.reshape(-1, out.shape[-1]),
        )
        record.kernel_inputs[1 + n : 1 + n + nu] = self.u[:, None]
        return record

    def still(self) -> tuple[np.ndarray, list[str]]:
        """States at every row of runs that take no time."""
        return np.repeat(self.Y[:, None], len(self.rows), axis=1), [""] * self.count

    def _counts(self, step) -> np.ndarray:
        """Steps from each row to the next."""
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

    def fixed(self, method, step, threads, progress=None) -> tuple[np.ndarray, list[str]]:
        """States at every row, by steps that all runs share; why a run failed, or nothing."""
        counts = self._counts(step)
        rows, width, count = self.rows, self.width, self.count
        out = np.full((count, len(rows), self.n), np.nan)
        none, status = np.zeros(count), np.zeros(count, dtype=np.int64)
        free: list[SmoothSimdRecord] = []  # records of threads that wait

        def block(first, heed):
            own = slice(first, min(first + width, count))
            index = np.minimum(np.arange(first, first + width), count - 1)  # pad: a valid state
            record = (
                free.pop() if free else self.lanes(METHODS["euler"], (1.0, 1.0), none, status, out)
            )
            record.kernel_inputs[1 + self.n + len(self.u) :] = self.P[index].T
            record.y[:] = self.Y[index].T
            pace = Pace(FIRST, CALL)
            for r, t in enumerate(rows):
                out[own, r] = record.y[:, : own.stop - own.start].T
                if r + 1 < len(rows):
                    n, done = int(counts[r]), 0
                    h = (rows[r + 1] - t) / n
                    while done < n:
                        heed.now()
                        more, before = min(n - done, pace.steps), clock.perf_counter()
                        self.native[0](record.address, t, h, done, more, method)
                        done += more
                        if more == pace.steps:
                            pace.took(clock.perf_counter() - before)
            free.append(record)

        stopped = set(
            in_threads(block, range(0, count, width), threads, lambda first: first, progress)
        )
        good = np.asarray(np.isfinite(out).all(axis=2))
        last = np.where(good.all(axis=1), len(rows), np.argmin(good, axis=1))
        return out, [
            ""
            if k == len(rows)
            else STOPPED
            if i - i % width in stopped
            else f"grew without bound after t = {rows[max(k - 1, 0)]:g} s; try a smaller step"
            for i, k in enumerate(last)
        ]

    def adaptive(
        self, method, rtol, atol, threads, most, progress=None
    ) -> tuple[np.ndarray, list[str]]:
        """States at every row, by steps of each run's own; why a run failed, or nothing."""
        count, rows, tolerances = self.count, self.rows, (rtol, atol)
        first, longest = self._first_steps(method, tolerances), self._longest_step
        out = np.full((count, len(rows), self.n), np.nan)
        status = np.full(count, UNTOLD)
        free: list[SmoothSimdRecord] = []  # records of threads that wait

        def queue(begin, heed):
            record = free.pop() if free else self.lanes(method, tolerances, first, status, out)
            record.kernel_inputs[1 + self.n + len(self.u) :] = self.P[begin][:, None]
            record.y[:] = self.Y[begin][:, None]
            record.max_attempts, record.h_max = most, longest
            record.next_run, record.queue_end = begin, min(begin + QUEUE, count)
            self.native[1](record.address)
            pace, before = Pace(FIRST, CALL), clock.perf_counter()
            while self.native[2](record.address, pace.steps):
                heed.now()
                pace.took(clock.perf_counter() - before)
                before = clock.perf_counter()
            free.append(record)

        in_threads(queue, range(0, count, QUEUE), threads, lambda first: None, progress)
        there = np.isfinite(out).all(axis=2).sum(axis=1)
        return out, [
            ""
            if code == REACHED_END
            else f"more than {most} steps were needed after t = {rows[max(n - 1, 0)]:g} s; "
            "end sooner, loosen rtol, or allow more with max_steps="
            if code == TOO_MANY_ATTEMPTS
            else STOPPED
            if code == UNTOLD
            else f"did not reach t = {rows[-1]:g} s: its step fell to nothing after "
            f"t = {rows[max(n - 1, 0)]:g} s; look for a singular pose or a law that grows without "
            "bound, or simulate that run alone"
            for code, n in zip(status, there, strict=True)
        ]

    def _rates(self, runs, t, Y) -> np.ndarray:
        """Rates of states of some runs, one row each; runs are repeated as often as states are."""
        nq, end, rows = self.system.nq, self.system.nq + self.system.nv, len(Y)
        u, P = np.tile(self.u, (rows, 1)), np.tile(self.P[runs], (rows // len(runs), 1))
        parts = self.kernels["flow"](
            t, Y[:, :nq], Y[:, nq:end], Y[:, end:], np.zeros((rows, 0)), u, P
        )
        return np.concatenate([np.reshape(a, (rows, -1)) for a in parts[:3]], axis=1)

    def _first_steps(self, method, tolerances) -> np.ndarray:
        Y, every = self.Y, np.arange(self.count)
        rtol, atol = tolerances
        own = formula(self.system, method, rtol, atol, self.rows)
        scale = own["atol"] + own["rtol"] * np.maximum(abs(Y), own["min_scale"])
        flow, span = partial(self._rates, every), self.rows[-1] - self.rows[0]
        return choose_first_steps(flow, 0.0, Y, scale, method.order, span)

    @cached_property
    def _longest_step(self) -> float:
        """As of single runs, from a few of all."""
        if not timed(self.system):
            return np.inf
        few, parts = choose_probed_runs(self.count)
        flow = partial(self._rates, few)
        return find_max_step(flow, self.rows[0], self.rows[-1], self.Y[few], parts)


class Flat:
    """Signals of runs side by side, all rows of all runs with one set of parameters at once."""

    def __init__(self, system, states, times, chosen, u, P):
        self.model, self.system = system.model, system
        self.states, self.times, self.chosen, self.u, self.P = states, times, chosen, u, P

    def __getstate__(self):
        return {n: x for n, x in vars(self).items() if n != "system"}

    @cached_property
    def system(self):
        """That of the model: checked again after a pickle."""
        return self.model.check()

    def __call__(self, name: str) -> dict[str, np.ndarray]:
        """Every signal of the group that `name` belongs to, (runs, rows) each."""
        sets, which = np.unique(self.P, axis=0, return_inverse=True)
        out: dict[str, np.ndarray] = {}
        for i, p in enumerate(sets):
            runs = np.flatnonzero(which.ravel() == i)
            for found, x in self.signals(p, runs)(name).items():
                whole = out.setdefault(found, np.empty(self.states.shape[:2]))
                whole[runs] = x.reshape(len(runs), -1)
        return {n: x[:, self.chosen] for n, x in out.items()}

    def rows(self, runs, own: Any = slice(None)) -> tuple[StateRows, np.ndarray]:
        """States of some rows of some runs, one run after the other, and their parameters."""
        s, times = self.system, self.times[own]
        Y = self.states[runs][:, own].reshape(-1, self.states.shape[2])
        q, v, z = np.split(Y, [s.nq, s.nq + s.nv], axis=1)
        t, m = np.tile(times, len(runs)), np.zeros((len(Y), 0))
        u = np.broadcast_to(self.u, (len(Y), len(self.u)))
        P = self.P[runs]
        p = P[0] if (P == P[:1]).all() else np.repeat(P, len(times), axis=0)
        return StateRows(t, q, v, z, m, u), p

    def signals(self, p, runs) -> RunSignals:
        """Signals of runs that have these parameters, one run after the other."""
        ways = ((0.0, SolutionWay("multipliers")),)
        firsts = len(self.times) * np.arange(len(runs))
        return RunSignals(self.system, ways, self.rows(runs)[0], p, firsts=firsts)


def aligned(count, width) -> np.ndarray:
    """Zeros where SIMD registers read them whole."""
    raw = np.zeros(count * width + 16)
    off = (-raw.ctypes.data % 64) // 8
    return raw[off : off + count * width].reshape(count, width)
