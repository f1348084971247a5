"""From a model to a trajectory: buffers and kernels are made here, steps are taken natively."""

from __future__ import annotations

import hashlib
import time as clock
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._lazy import uncollected
from ...compiler import remembered
from ...dynamics import AT_STEP
from ...errors import TorseurError, shown, system_of
from ...integrate import (
    METHODS,
    Method,
    advance as native,
    choose_first_steps,
    find_max_step,
    record as codes,
)
from ...kernels import MotionKernels, begun
from ...results import Trajectory
from ...scalars import arguments as asked
from ...solve import arguments, initial_state
from ...system import once
from ..interrupt import Heed, Pace
from ..options import NamedOptions, Options
from .constraint_method import Leading
from .contact_modes import begin, jolt, lost
from .diagnostics import ON, REMEDY, answer, blamed, edges
from .limits import caps, refuse_rows, refuse_steps, tell_flow, tell_method
from .method_selection import Watch, choose, timed
from .record import KERNELS, abreast, carry, grow, kinds, restore, steps
from .result import finished

if TYPE_CHECKING:
    from typing import Unpack

    from ...model import Model
    from ...system import System

CHUNK = 20_000  # steps of one call, at most
GLANCE = 4  # steps of the first one
MANY = 500  # events, as many objects without rings
AFTER = 1e-6  # [m, rad] how far behind a rigid stop the end of a run may be: an event is located so


@once(most=8)
def _steps_at(system, *at) -> list[float]:
    """The longest step of runs of these times, parameters and inputs, once it is known."""
    return []


@once()
def _looked(system) -> list[bool]:
    """Whether a longest step was looked for: the cache keeps the first, not one for every run."""
    return []


class Simulation:
    """A simulation under way: `advance(t)` may be called again and again; `result()` at any time.

    Parameters are those of `simulate`.
    """

    changes = True  # whether "auto" may take another method on the way

    def __init__(
        self,
        model: Model | System,
        t_end: float | None = None,
        initial: Mapping[str, float] | None = None,
        method: str | Method | None = None,
        rtol: float | None = None,
        atol: float | None = None,
        *,
        kernels: Any = None,
        options: Options | None = None,
        **named: Unpack[NamedOptions],
    ):
        self.jolt, self.f0 = "", None  # rates at the start, once they were looked at
        self.before: tuple[str, ...] = ()  # methods that the present one has followed
        self.doubtful = False  # whether modes decay so fast that the method is to be looked at
        self.system = system = system_of(model, "simulate")
        told = (options or Options()).told(method=method, rtol=rtol, atol=atol, **named)
        self.options = told.check()
        self.t_start = arguments.seconds("t_start", told.t_start)
        self.t_end = None if t_end is None else arguments.seconds("t_end", t_end)
        self.p = arguments.parameter_values(system, asked.named(told.parameters))
        self.slots, self.u = arguments.input_values(system, asked.named(told.inputs))
        self.guards = system.layout.guards
        self.failed = self.stopped = self.interrupted = False
        self.closed = False  # whether its rows may be given away
        self.outcome, self.heed, self.elapsed = "", Heed(), 0.0
        y, m = self._start(asked.named(initial), kernels)
        self.method, self.why = self._method(y, m)
        tell_method(self)
        self._buffers(y, m)

    # preparation -------------------------------------------------------------------------
    def set_input(self, name: str, x: Any) -> None:
        """Give an input a value, held until the next."""
        arguments.put_input(self.slots, self.u, name, x, f" at t = {self.t:g} s")

    def _start(self, initial, kernels) -> tuple[np.ndarray, np.ndarray]:
        """State and memory at the start: assembled, laws and contacts begun."""
        system, parameters = self.system, dict(zip(self.system.parameters, self.p, strict=True))
        parameters = {n: float(x) for n, x in parameters.items()}
        q, v = initial_state(system, initial, self.options.keep, self.t_start, parameters)
        q = system.unit(q, "initial")
        if on := edges(system, parameters, q, ON):
            raise TorseurError(f"simulate: the start is singular: {'; '.join(on)}; {REMEDY}")
        self.leading = Leading(system, self.options.solution, self.t_start, q, parameters)
        self.kernels = kernels or self.leading.kernels
        tell_flow(self)
        z, m = begun(system, self.t_start, q, v, self.u, self.p)
        restore(system, z, m, getattr(initial, "kept", {}))
        near = AFTER if hasattr(initial, "kept") else AT_STEP
        y = np.concatenate([q, v, z])
        self.untouched = y.copy()
        state = (q, v, z, m, self.u, self.p)
        if over := lost(system, self.kernels, self.t_start, *state, near=near)[0]:
            raise TorseurError(over)
        if system.switched:
            self._begin(y, m)
        return y, m

    def _method(self, y, m) -> tuple[Method, str]:
        """The integrator, and why when it was not named."""
        method, why, step = self.options.method, "", self.options.step
        if not isinstance(method, Method):
            if method == "auto":
                method, why = choose(self, y, m, self.options.rtol, step)
            method = METHODS[method]
        if not method.adaptive and step is None:
            raise TorseurError(f"method {method.name!r} has a fixed step; give step= [s]")
        return method, why

    def _buffers(self, y, m):
        """The record, with a first row where one is wanted."""
        o = self.options
        span = arguments.spacing(self.t_start, self.t_end, o.step, o.max_step)
        self.caps = caps(o, None if self.t_end is None else span, 1 + len(y))
        refuse_rows(arguments.count_of_rows(o.output), 1 + len(y), self.caps.rows)
        if not self.method.adaptive and o.step is not None:
            refuse_steps(span, o.step, self.caps.steps)
        self.grid, every = arguments.rows(o.output, self.t_start, self.t_end)
        self.record: Any
        self.record = now = self._recorded(y, m, every)
        abreast(now, self.kernels, self.p)
        if now.conditioning_kernel:
            self._firm(y[: self.system.nq])
        now.h_max = self._longest_step(y, m) if o.max_step is None else o.max_step
        now.h = o.step if o.step is not None else self._first_step(y, m)
        _, note = native.compile_advance(now.family)
        at_start = bool(len(self.grid) and self.grid[0] <= self.t_start)
        if every or at_start:
            note(now.address)
            now.next_output += at_start

    def _recorded(self, y, m, every) -> Any:
        """A record of the method, with the kernels that it calls."""
        now = steps(
            self.system,
            self.kernels,
            self.method,
            y,
            m,
            self.u,
            self.p,
            (self.options.rtol, self.options.atol),
            self.grid,
            t=self.t_start,
            kinds=kinds(self.guards, self.options.stop_when),
            most=self.caps,
            every=every,
        )
        if now.project_kernel:  # flow also gives the multipliers, to nobody here
            self.lam = np.zeros(self.kernels["flow"].outputs[3].size)
            now.kernel_outputs[3] = self.lam.ctypes.data
        return now

    def change(self, method: Method, why: str) -> None:
        """Go on with another method from here."""
        old = self.record
        self.before, self.method = (*self.before, self.method.name), method
        self.why = f"{self.why}; {why}"
        self.record = self._recorded(old.y, old.m, old.output_every_step)
        carry(old, self.record)
        if old.project_simd_kernel:
            abreast(self.record, self.kernels, self.p)

    def _first_step(self, y, m) -> float:
        now = self.record
        scale = now.atol + now.rtol * np.maximum(abs(y), now.min_scale)
        span = np.inf if self.t_end is None else max(self.t_end - self.t_start, 1e-12)

        def flow(t, Y):
            return self.rates(t, Y, m)

        known = None if self.f0 is None else self.f0[None]
        order = self.method.order
        return float(choose_first_steps(flow, self.t_start, y[None], scale, order, span, known)[0])

    def _longest_step(self, y, m) -> float:
        """Where formulas of time are at work, so that no pulse of theirs is passed over."""
        if self.t_end is None or not (self.method.adaptive and timed(self.system)):
            return np.inf
        at = (self.t_start, self.t_end, self.p.tobytes(), self.u.tobytes())
        kept = _steps_at(self.system, *at)
        if not kept:
            span, key = (self.t_start, self.t_end), None
            if not (looked := _looked(self.system)):
                looked.append(True)
                own = (self.system.digest, repr(self.kernels.constraints), y.tobytes(), m.tobytes())
                key = hashlib.sha256(repr(("longest step", *at, *own)).encode()).digest()
            flow = lambda t, Y: self.rates(t, Y, m)  # noqa: E731
            kept.append(remembered(key, lambda: float(find_max_step(flow, *span, y[None]))))
        return kept[0]

    def rates(self, t: Any, y: np.ndarray, m: np.ndarray) -> np.ndarray:
        """Rates of the whole state, or of several (rows, n), for looking before the run."""
        at, end = self.system.nq, self.system.nq + self.system.nv
        parts = self.kernels["flow"](
            t, y[..., :at], y[..., at:end], y[..., end:], m, self.u, self.p
        )
        return np.concatenate([x.reshape(*y.shape[:-1], -1) for x in parts[:3]], axis=-1)

    # motion ------------------------------------------------------------------------------
    @property
    def t(self) -> float:
        return self.record.t

    @property
    def q(self) -> np.ndarray:
        return self.record.y[: self.system.nq].copy()

    @property
    def v(self) -> np.ndarray:
        return self.record.y[self.system.nq : self.system.nq + self.system.nv].copy()

    def advance(self, t_stop: float, max_steps: int = CHUNK) -> int:
        """Go on to `t_stop` or for `max_steps` steps; answers a code of `native`."""
        before = clock.perf_counter()
        now, looks = self.record, self.leading.active
        now.t_stop, now.history_changed = t_stop, 1  # inputs may be others
        try:
            while True:
                tried = now.step_count + now.rejection_count
                code = int(native.compile_advance(now.family)[0](now.address, max_steps))
                if code == codes.BUFFERS_FULL and now.n_rows > self.caps.rows:
                    return code
                if code == codes.BUFFERS_FULL:
                    grow(now)
                elif not looks or not self._looked(code):
                    return code
                max_steps = max(1, max_steps - (now.step_count + now.rejection_count - tried))
                self.heed.now()
        finally:
            self.elapsed += clock.perf_counter() - before

    def _looked(self, code) -> bool:
        """Look at the independent speeds, where they are in doubt; whether the run can go on."""
        if code not in (codes.ILL_CONDITIONED, codes.NOT_FINITE, codes.STEP_TOO_SMALL):
            return False
        changed = self.leading.look(self.t, self.q)
        if changed:
            self.kernels = self._led()
            self.record.project_simd_kernel = 0  # rows one by one from here on
            for name, quantity in KERNELS.items():
                if getattr(self.record, name):
                    setattr(self.record, name, self.kernels[quantity].abi_address)
        self._firm(self.q)
        return changed or code == codes.ILL_CONDITIONED

    def _firm(self, q):
        """What those that follow are measured by from here on."""
        now = self.record
        now.min_conditioning = codes.MIN_CONDITIONING_RATIO * self.leading.firm(
            now.t, q, self.u, self.p
        )

    def _led(self) -> MotionKernels:
        """Kernels of the speeds that lead now."""
        return self.leading.kernels

    def go(
        self,
        progress: Callable[[Simulation], Any] | None = None,
        control: Callable[..., Any] | None = None,
        period: float | None = None,
    ) -> Simulation:
        """Run to the end; a controller is called every `period` seconds."""
        end = self.t_end
        assert end is not None
        samples, pace, watch = 0, Pace(GLANCE, CHUNK), Watch(self)
        try:
            while self.t < end and not self.outcome:
                stop = end
                if control is not None:
                    assert period is not None
                    if self.t >= self.t_start + samples * period * (1 - 1e-12):
                        if not self._commanded(control):
                            break
                        samples += 1
                    stop = min(end, self.t_start + samples * period)
                before = self.elapsed
                code = self.advance(stop, watch.left(pace.steps))
                self.heed.now()
                pace.took(self.elapsed - before)
                answer(self, code)
                if not self.outcome:
                    watch.look()
                if not self.outcome and self.elapsed > self.caps.seconds:
                    code = codes.BUDGET_SPENT
                    self.failed = True
                    self.outcome = (
                        f"stopped at t = {self.t:.6g} s of {end:g} s: {self.elapsed:.3g} s of work "
                        f"are more than max_seconds = {self.caps.seconds:g}; what was computed "
                        "is kept"
                    )
                if progress is not None:
                    progress(self)
        except KeyboardInterrupt:
            self.stopped = self.interrupted = True
            self.outcome = (
                f"interrupted at t = {self.t:.6g} s of {end:g} s; what was computed is kept"
            )
        return self

    def _begin(self, y, m):
        """Contacts and frictions at the start, under the inputs of that instant."""
        moving = slice(self.system.nq, self.system.nq + self.system.nv)
        given, books = y[moving].copy(), self.system.layout.books
        y[moving], states, m[:] = begin(
            self.system,
            self.kernels["jump"],
            self.t_start,
            y[: moving.start],
            y[moving],
            y[moving.stop :],
            np.asarray(m, dtype=float),
            self.u,
            self.p,
        )
        y[moving.stop :][books] = states[books]
        self.jolt = jolt(self.system, given, y[moving])

    def _commanded(self, control) -> bool:
        """Ask the controller; one that fails ends the run with its rows (at the start, raises)."""
        try:
            self._command(control)
        except Exception as e:
            if self.t == self.t_start:
                raise
            self.failed = True
            self.outcome = f"stopped at t = {self.t:.6g} s of {self.t_end:g} s: {blamed(e)}"
        return not self.failed

    def _command(self, control):
        answer = control(self.t, self.q, self.v)
        if isinstance(answer, Mapping):
            for name, x in answer.items():
                self.set_input(name, x)
        else:
            try:
                x = np.atleast_1d(np.asarray(() if answer is None else answer, dtype=float))
            except (TypeError, ValueError):
                raise TorseurError(
                    f"the controller gave {shown(answer)} at t = {self.t:g} s; "
                    "expected a mapping of inputs, or all of them"
                ) from None
            if answer is not None and x.shape != self.u.shape:
                raise TorseurError(f"the controller gave {x.size} numbers for {self.u.size} inputs")
            for name, own in self.slots.items() if answer is not None else ():
                self.set_input(name, x[own])
        if self.t == self.t_start and self.record.n_rows:  # the first row has its effort too
            now = self.record
            now.history[now.row_history[: now.n_rows], now.nm : now.nm + self.u.size] = self.u
        self.record.derivative_status = 0  # guards stay armed: a jump of an input is an event
        if self.t == self.t_start and self.system.switched:
            self._begin(self.record.y, self.record.m)

    def result(self) -> Trajectory:
        """What has been computed so far."""
        with uncollected() if self.record.n_logged > MANY else nullcontext():
            return finished(self)
