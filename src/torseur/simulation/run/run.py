"""A run: from a model and options to a trajectory.

Buffers and kernels are prepared here.  The steps are taken by `integrate`.  Only this package
changes the attributes of a `Simulation`.
"""

from __future__ import annotations

import hashlib
import time as clock
from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._lazy import pause_garbage_collection
from ...compiler import remembered
from ...dynamics import STEP_DEFLECTION
from ...errors import TorseurError, as_system, shown
from ...integrate import (
    METHODS,
    Method,
    RunRecord,
    advance as native,
    choose_first_steps,
    find_max_step,
    record as codes,
)
from ...kernels import begun
from ...results import RunDiagnosis, RunStatus, Trajectory
from ...scalars import arguments as asked
from ...solve import arguments, initial_state
from ...system import once
from ..interrupt import InterruptFlag, StepPacer
from ..options import NamedOptions, Options
from .budget import (
    caps,
    check_row_budget,
    check_step_budget,
    warn_implicit_method,
    warn_long_motion,
)
from .constraint_method import ConstraintMethod
from .contact_modes import (
    ContactState,
    list_start_faults,
    note_initial_impact,
    resolve_initial_contacts,
)
from .diagnostics import (
    AT_SINGULARITY,
    FAULT_CODES,
    KEPT_RESULTS,
    SINGULARITY_REMEDY,
    RunSummary,
    describe_controller_error,
    diagnose_return_code,
    list_singular_joints,
)
from .method_selection import StiffnessDetector, choose_method, is_time_dependent
from .record import (
    KERNELS,
    continue_record,
    grow_buffers,
    kinds,
    recorded_rows,
    restore_history,
    steps,
    use_simd_projection,
)
from .reference_integrators import integrate_reference
from .result import build_trajectory

if TYPE_CHECKING:
    from typing import Unpack

    from ...kernels import MotionKernels
    from ...model import Model
    from ...system import System

MAX_CALL_ATTEMPTS = 20_000  # steps of one native call
FIRST_CALL_ATTEMPTS = 4  # steps of the first one
MAX_TRACKED_EVENTS = 500  # more events are objects that the garbage collector need not follow
RESTART_TOLERANCE = 1e-6  # [m, rad] behind a rigid stop: the end of another run is located so


@once(most=8)
def _max_step_cache(system: System, *key: Any) -> list[float]:
    """Largest step of runs with these times, parameters and inputs, once it is known."""
    return []


@once()
def _has_searched_max_step(system: System) -> list[bool]:
    """Non-empty once a largest step was searched: the disk cache keeps the first one only."""
    return []


class Simulation:
    """A simulation under way: `advance(t)` may be called again and again, `result()` at any time.

    Parameters are those of `simulate`.
    """

    can_change_method = True  # whether "auto" may take another method during the run
    directions: Any = None  # parameters of the variational equations

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
        """Check the options, assemble the start, choose the method, create the buffers."""
        self.system = system = as_system(model, "simulate")
        options = (options or Options()).told(method=method, rtol=rtol, atol=atol, **named)
        self.options = options.check()
        self.t_start = arguments.seconds("t_start", options.t_start)
        self.t_end = None if t_end is None else arguments.seconds("t_end", t_end)
        self.p = arguments.parameter_values(system, asked.named(options.parameters))
        self.slots, self.u = arguments.input_values(system, asked.named(options.inputs))
        self.guards = system.layout.guards
        # outcome
        self.diagnosis: RunDiagnosis | None = None  # None while nothing but the end time stops it
        self.is_closed = False  # whether its arrays may be given away
        self.initial_impact = ""  # a sentence if speeds jump at the start
        self.elapsed = 0.0  # time of computation [s]
        self._interrupt = InterruptFlag()
        self._reference = ""  # name of a reference integrator that replaced the method
        # start
        y, m = self._initialize_state(asked.named(initial), kernels)
        self.state_size, self.memory_size = len(y), len(m)  # without derivatives
        self.is_method_uncertain = False
        self._initial_rates: np.ndarray | None = None  # of the state, if the choice needs them
        self.previous_methods: tuple[str, ...] = ()
        self.method, self.method_reason = self._choose_method(y, m)
        warn_implicit_method(self)
        self._create_buffers(y, m)

    # ---- preparation -------------------------------------------------------------------------

    def _initialize_state(
        self, initial: Any, kernels: MotionKernels | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """State and memory at the start: assembled, with histories of laws and contact modes."""
        system = self.system
        parameters = {n: float(x) for n, x in zip(system.parameters, self.p, strict=True)}
        q, v = initial_state(system, initial, self.options.keep, self.t_start, parameters)
        q = system.unit(q, "initial")
        if joints := list_singular_joints(system, parameters, q, AT_SINGULARITY):
            raise TorseurError(
                f"simulate: the start is singular: {'; '.join(joints)}; {SINGULARITY_REMEDY}"
            )
        self.constraint_method = ConstraintMethod(
            system, self.options.solution, self.t_start, q, parameters
        )
        self.kernels = kernels or self.constraint_method.kernels
        warn_long_motion(self)
        z, m = begun(system, self.t_start, q, v, self.u, self.p)
        restore_history(system, z, m, getattr(initial, "kept", {}))
        tolerance = RESTART_TOLERANCE if hasattr(initial, "kept") else STEP_DEFLECTION
        y = np.concatenate([q, v, z])
        self.untouched = y.copy()  # the state before the initial impact
        state = (q, v, z, m, self.u, self.p)
        faults = list_start_faults(system, self.kernels, self.t_start, *state, near=tolerance)
        if faults[0]:
            raise TorseurError(faults[0])
        if system.switched:
            self._apply_initial_impact(y, m)
        return y, m

    def _apply_initial_impact(self, y: np.ndarray, m: np.ndarray) -> None:
        """Resolve contacts and frictions at the start, under the inputs of that instant."""
        nq, nv, books = self.system.nq, self.system.nv, self.system.layout.books
        q, v, z = np.split(y, [nq, nq + nv])
        before = v.copy()
        state = ContactState(q, v, z, np.asarray(m, dtype=float))
        after = resolve_initial_contacts(
            self.system, self.kernels["jump"], self.t_start, state, self.u, self.p
        )
        v[:], z[books], m[:] = after.v, after.z[books], after.m
        self.initial_impact = note_initial_impact(self.system, before, v)

    def _choose_method(self, y: np.ndarray, m: np.ndarray) -> tuple[Method, str]:
        """The method, and the reason when it was not named."""
        method, reason = self.options.method, ""
        if not isinstance(method, Method):
            if method == "auto":
                choice = choose_method(self, y, m)
                method, reason = choice.name, choice.reason
                self.is_method_uncertain = choice.is_uncertain
                self._initial_rates = choice.initial_rates
            method = METHODS[method]
        if not method.adaptive and self.options.step is None:
            raise TorseurError(f"method {method.name!r} has a fixed step; give step= [s]")
        return method, reason

    def _create_buffers(self, y: np.ndarray, m: np.ndarray) -> None:
        """The record of the integrator, with a first row where one is wanted."""
        o = self.options
        span = arguments.spacing(self.t_start, self.t_end, o.step, o.max_step)
        self.caps = caps(o, None if self.t_end is None else span, 1 + len(y))
        check_row_budget(arguments.count_rows(o.output), 1 + len(y), self.caps.rows)
        if not self.method.adaptive and o.step is not None:
            check_step_budget(span, o.step, self.caps.steps)
        self.grid, every_step = arguments.rows(o.output, self.t_start, self.t_end)
        self.record: RunRecord
        self.record = record = self._create_record(y, m, bool(every_step))
        use_simd_projection(record, self.kernels, self.p)
        if record.conditioning_kernel:
            self._set_min_conditioning(y[: self.system.nq])
        record.h_max = self._find_max_step(y, m) if o.max_step is None else o.max_step
        record.h = o.step if o.step is not None else self._choose_first_step(y, m)
        at_start = bool(len(self.grid) and self.grid[0] <= self.t_start)
        if every_step or at_start:
            _, write_present_row = native.compile_advance(record.family)
            write_present_row(record.address)
            record.next_output += at_start

    def _create_record(self, y: np.ndarray, m: np.ndarray, every_step: bool) -> RunRecord:
        """A record of the method, with the kernels that it calls."""
        record = steps(
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
            every=every_step,
        )
        self._create_multiplier_buffer(record)
        return record

    def _create_multiplier_buffer(self, record: RunRecord) -> None:
        """Memory for the multipliers, an output of the right-hand side that steps do not use."""
        if record.project_kernel:
            self._multipliers = np.zeros(self.kernels["flow"].outputs[3].size)
            record.kernel_outputs[3] = self._multipliers.ctypes.data

    def _choose_first_step(self, y: np.ndarray, m: np.ndarray) -> float:
        """First step [s], by the rates at the start."""
        record, rates = self.record, self._initial_rates
        scale = record.atol + record.rtol * np.maximum(abs(y), record.min_scale)
        span = np.inf if self.t_end is None else max(self.t_end - self.t_start, 1e-12)

        def flow(t, Y):
            return self.rates(t, Y, m)

        known = None if rates is None else rates[None]
        order = self.method.order
        return float(choose_first_steps(flow, self.t_start, y[None], scale, order, span, known)[0])

    def _find_max_step(self, y: np.ndarray, m: np.ndarray) -> float:
        """Largest step [s] that passes over no pulse of a formula of time."""
        if self.t_end is None or not (self.method.adaptive and is_time_dependent(self.system)):
            return np.inf
        key = (self.t_start, self.t_end, self.p.tobytes(), self.u.tobytes())
        cached = _max_step_cache(self.system, *key)
        if not cached:
            span, digest = (self.t_start, self.t_end), None
            if not (searched := _has_searched_max_step(self.system)):
                searched.append(True)
                start = (y.tobytes(), m.tobytes())
                model = (self.system.digest, repr(self.kernels.constraints))
                text = repr(("longest step", *key, *model, *start))
                digest = hashlib.sha256(text.encode()).digest()
            flow = lambda t, Y: self.rates(t, Y, m)  # noqa: E731
            cached.append(remembered(digest, lambda: float(find_max_step(flow, *span, y[None]))))
        return cached[0]

    def rates(self, t: Any, y: np.ndarray, m: np.ndarray) -> np.ndarray:
        """Derivative of the whole state by time, or of several states (rows, n)."""
        nq, end = self.system.nq, self.system.nq + self.system.nv
        parts = self.kernels["flow"](
            t, y[..., :nq], y[..., nq:end], y[..., end:], m, self.u, self.p
        )
        return np.concatenate([x.reshape(*y.shape[:-1], -1) for x in parts[:3]], axis=-1)

    # ---- state -------------------------------------------------------------------------------

    @property
    def t(self) -> float:
        """Present time [s]."""
        return self.record.t

    @property
    def q(self) -> np.ndarray:
        """Present coordinates."""
        return self.record.y[: self.system.nq].copy()

    @property
    def v(self) -> np.ndarray:
        """Present speeds."""
        return self.record.y[self.system.nq : self.system.nq + self.system.nv].copy()

    @property
    def is_interrupted(self) -> bool:
        """Whether a Ctrl-C ended the run."""
        return self.diagnosis is not None and self.diagnosis.status is RunStatus.INTERRUPTED

    def set_input(self, name: str, x: Any) -> None:
        """Give an input a value, held until the next."""
        arguments.write_input(self.slots, self.u, name, x, f" at t = {self.t:g} s")

    # ---- motion ------------------------------------------------------------------------------

    def advance(self, t_stop: float, max_steps: int = MAX_CALL_ATTEMPTS) -> int:
        """Integrate to `t_stop` [s] or for `max_steps` attempts.  Return a code of `integrate`."""
        before = clock.perf_counter()
        record, is_partitioned = self.record, self.constraint_method.is_partitioned
        record.t_stop, record.history_changed = t_stop, 1  # inputs may be others
        try:
            while True:
                attempts = record.step_count + record.rejection_count
                code = int(native.compile_advance(record.family)[0](record.address, max_steps))
                if code == codes.BUFFERS_FULL and record.n_rows > self.caps.rows:
                    return code
                if code == codes.BUFFERS_FULL:
                    grow_buffers(record)
                elif not is_partitioned or not self._update_partition(code):
                    return code
                attempts -= record.step_count + record.rejection_count
                max_steps = max(1, max_steps + attempts)
                self._interrupt.raise_pending()
        finally:
            self.elapsed += clock.perf_counter() - before

    def _update_partition(self, code: int) -> bool:
        """Check the independent speeds if a return code needs it; whether the run can go on."""
        if code not in (codes.ILL_CONDITIONED, codes.NOT_FINITE, codes.STEP_TOO_SMALL):
            return False
        has_changed = self.constraint_method.update_partition(self.t, self.q)
        if has_changed:
            self.kernels = self._partition_kernels()
            self.record.project_simd_kernel = 0  # rows are projected one by one from here on
            for name, quantity in KERNELS.items():
                if getattr(self.record, name):
                    setattr(self.record, name, self.kernels[quantity].abi_address)
        self._set_min_conditioning(self.q)
        return has_changed or code == codes.ILL_CONDITIONED

    def _set_min_conditioning(self, q: np.ndarray) -> None:
        """Conditioning of the dependent speeds below which the partition is checked again."""
        best = self.constraint_method.conditioning(self.record.t, q, self.u, self.p)
        self.record.min_conditioning = codes.MIN_CONDITIONING_RATIO * best

    def _partition_kernels(self) -> Any:
        """Kernels of the present independent speeds."""
        return self.constraint_method.kernels

    def change_method(self, method: Method, reason: str) -> None:
        """Go on with another method from the present state."""
        old = self.record
        self.previous_methods = (*self.previous_methods, self.method.name)
        self.method, self.method_reason = method, f"{self.method_reason}; {reason}"
        self.record = self._create_record(old.y, old.m, bool(old.output_every_step))
        continue_record(old, self.record)
        if old.project_simd_kernel:
            use_simd_projection(self.record, self.kernels, self.p)

    def go(
        self,
        progress: Callable[[Simulation], Any] | None = None,
        control: Callable[..., Any] | None = None,
        period: float | None = None,
        interrupt: InterruptFlag | None = None,
    ) -> Simulation:
        """Run to the end.  A controller is called every `period` seconds.

        `interrupt` is a flag of the caller that stops the run.
        """
        end = self.t_end
        assert end is not None
        self._interrupt = interrupt or self._interrupt
        samples, pacer = 0, StepPacer(FIRST_CALL_ATTEMPTS, MAX_CALL_ATTEMPTS)
        detector = StiffnessDetector(self)
        try:
            while self.t < end and self.diagnosis is None:
                stop = end
                if control is not None:
                    assert period is not None
                    if self.t >= self.t_start + samples * period * (1 - 1e-12):
                        if not self._call_controller(control):
                            break
                        samples += 1
                    stop = min(end, self.t_start + samples * period)
                before = self.elapsed
                code = self.advance(stop, detector.limit_attempts(pacer.steps))
                self._interrupt.raise_pending()
                pacer.update(self.elapsed - before)
                if code in FAULT_CODES:
                    self.diagnosis = diagnose_return_code(self.summary(), code)
                if self.diagnosis is None and (choice := detector.check_method()):
                    self.change_method(*choice)
                if self.diagnosis is None and self.elapsed > self.caps.seconds:
                    cause = (
                        f"{self.elapsed:.3g} s of work are more than max_seconds = "
                        f"{self.caps.seconds:g}"
                    )
                    self.diagnosis = RunDiagnosis(
                        RunStatus.BUDGET_SPENT, self.t, "", cause, KEPT_RESULTS
                    )
                if progress is not None:
                    progress(self)
        except KeyboardInterrupt:
            self.diagnosis = RunDiagnosis(RunStatus.INTERRUPTED, self.t, "", "Ctrl-C", KEPT_RESULTS)
        return self

    def run_reference(self, name: str) -> Simulation:
        """Integrate to the end by a reference integrator that steps in Python."""
        if self.guards or self.record.project_kernel:
            raise TorseurError(
                f"method {name!r} is a reference for smooth open chains; this model has "
                "events or constraints"
            )
        record, nq, end = self.record, self.system.nq, self.t_end
        assert end is not None
        m, span = record.m.copy(), (self.t_start, end)
        tolerances = (self.options.rtol, self.options.atol)
        rows = integrate_reference(
            name, lambda t, y: self.rates(t, y, m), record.y.copy(), span, self.grid, tolerances
        )
        states, final_state, count = rows.states, rows.final_state, len(rows.time)
        states[:, :nq] = self.system.unit(states[:, :nq])
        final_state[:nq] = self.system.unit(final_state[None, :nq])[0]
        record.row_t[:count], record.row_y[:count] = rows.time, states
        record.history[0], record.row_history[:count] = [*m, *self.u], 0
        record.y[:], record.t = final_state, end
        record.n_rows, record.next_output = count, len(self.grid)
        record.rhs_count = rows.rhs_count
        self._reference, self.method = name, replace(self.method, name=name)
        self.method_reason = f"{name}, a reference, stepping in Python"
        return self

    def _call_controller(self, control: Callable[..., Any]) -> bool:
        """Call the controller, and return whether the run can go on; errors at the start are
        raised.
        """
        try:
            self._apply_control(control)
        except Exception as e:
            if self.t == self.t_start:
                raise
            cause = describe_controller_error(e)
            self.diagnosis = RunDiagnosis(
                RunStatus.CONTROLLER_FAILED, self.t, "", cause, KEPT_RESULTS
            )
        return self.diagnosis is None

    def _apply_control(self, control: Callable[..., Any]) -> None:
        """Set the inputs to the commands of a controller: a mapping, or an array of all."""
        commands = control(self.t, self.q, self.v)
        if isinstance(commands, Mapping):
            for name, x in commands.items():
                self.set_input(name, x)
        elif commands is not None:
            self._set_all_inputs(commands)
        record = self.record
        if self.t == self.t_start and record.n_rows:  # the first row has its effort too
            entries = record.row_history[: record.n_rows]
            record.history[entries, record.nm : record.nm + self.u.size] = self.u
        record.derivative_status = 0  # event functions stay armed: a jump of an input is an event
        if self.t == self.t_start and self.system.switched:
            self._apply_initial_impact(record.y, record.m)

    def _set_all_inputs(self, commands: Any) -> None:
        """Set all inputs to an array."""
        try:
            x = np.atleast_1d(np.asarray(commands, dtype=float))
        except (TypeError, ValueError):
            raise TorseurError(
                f"the controller gave {shown(commands)} at t = {self.t:g} s; "
                "expected a mapping of inputs, or all of them"
            ) from None
        if x.shape != self.u.shape:
            raise TorseurError(f"the controller gave {x.size} numbers for {self.u.size} inputs")
        for name, slots in self.slots.items():
            self.set_input(name, x[slots])

    # ---- results -----------------------------------------------------------------------------

    def recorded_rows(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Times, states, memories and inputs of the rows so far, without derivatives."""
        return recorded_rows(self.record, self.state_size, self.memory_size)

    def summary(self) -> RunSummary:
        """The data that diagnostics read."""
        record = self.record
        return RunSummary(
            system=self.system,
            p=self.p,
            method=self.method,
            rtol=record.rtol,
            atol=record.atol[: self.state_size],
            t_start=self.t_start,
            t_end=self.t_end,
            solution=self.options.solution,
            t=record.t,
            y=record.y,
            h=record.h,
            detail=record.detail,
            step_count=record.step_count,
            rejection_count=record.rejection_count,
            rhs_count=record.rhs_count,
            event_count=record.event_count,
            row_count=record.n_rows,
            log_time=record.log_time[: record.n_logged],
            log_index=record.log_index[: record.n_logged],
            max_noise=record.max_noise,
            max_noise_time=record.max_noise_time,
            budget=self.caps,
            directions=self.directions,
        )

    def describe_end(self, event_count: int) -> str:
        """How the run reached its present time: steps, methods, events, constraints."""
        if self._reference:
            return (
                f"reached t = {self.t_end:g} s by {self._reference}, "
                f"{self.record.rhs_count} evaluations"
            )
        events = f", {event_count} event{'s' * (event_count > 1)}" if event_count else ""
        methods = " and ".join(dict.fromkeys((*self.previous_methods, self.method.name)))
        return (
            f"reached t = {self.t:g} s in {self.record.step_count} steps of {methods}{events}"
            f"{self.constraint_method}"
        )

    def result(self, *, close: bool = False) -> Trajectory:
        """The trajectory so far.  With `close` the run ends, and its arrays need no copy."""
        self.is_closed = self.is_closed or close
        with (
            pause_garbage_collection()
            if self.record.n_logged > MAX_TRACKED_EVENTS
            else nullcontext()
        ):
            return build_trajectory(self)
