"""Variational equations of a run: derivatives of state and memory, integrated beside them.

With S = dx/dp, S' = f_x S + f_m S_m + f_p between events.  At events the kernels of resets apply
the saltation matrix (Leine and Nijmeijer 2004).  Theory: SE.1 to SE.4.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np

from ...errors import ArgumentError, as_system
from ...integrate import EXPLICIT, METHODS, ROSENBROCK, Method, RunRecord, advance as native
from ...kernels import Variations
from ...results import Trajectory
from ..run.budget import warn_long_derivatives
from ..run.method_selection import count_decays
from ..run.record import steps
from ..run.run import Simulation
from .event_times import EventTimeDerivatives
from .initial import NO_EVENT_TIME, InitialState
from .parameters import InitialDerivatives, VariationalRows, VariationalRun, directions
from .signals import SignalDerivatives

MIN_TOLERANCE = 1e-12  # to which tolerances are reduced
TOLERANCE_FACTOR = 0.15  # on tolerances of a run with derivatives (SE.7)
FAST_MODE_FACTOR = 5e-4  # the same where modes are fast, or laws have states (SE.7)
FAST_DECAYS = 300.0  # of a mode within the run, from which on derivatives follow it
IMPLICIT_DECAYS = 2e3  # the same, from which on steps are implicit
MAX_IMPLICIT_SIZE = 60  # numbers of state and derivatives whose Jacobian is cheap
TREE_COMPILE_TIME = "some 10 to 25 CPU seconds (300 joints), once"  # docs/benchmarks/scaling.md
LOOP_COMPILE_TIME = (
    "half a minute (100 four-bars), with contacts or dry friction minutes and gigabytes"
)
VARIATIONAL_FAMILIES = (EXPLICIT, ROSENBROCK)  # methods whose steps integrate derivatives


class VariationalSimulation(Simulation):
    """A `Simulation` whose record also holds the derivatives of its state and memory."""

    can_change_method = False

    def __init__(
        self,
        model: Any,
        names: Iterable[str],
        initial: Mapping[str, Any] | None,
        *,
        judged: bool = True,
        stand: Mapping[str, str] | None = None,
        parameters: Mapping[str, float] | None = None,
        **options: Any,
    ):
        """A simulation with the derivatives by some names.  `stand` as of `Directions`."""
        system = as_system(model, "simulate")
        self.directions = directions(system, tuple(names), tuple((stand or {}).items()))
        system = self.directions.system
        wanted = options.pop("method", "auto")
        check_variational_method(wanted)
        warn_long_derivatives(
            system,
            "sensitivities ask for their derivatives",
            "differences of a ts.batch with two values of the number take no longer than its runs",
            LOOP_COMPILE_TIME if system.held or system.switched else TREE_COMPILE_TIME,
        )
        super().__init__(system, initial=initial, method=wanted, parameters=parameters, **options)
        if self.method.family not in VARIATIONAL_FAMILIES:
            name, reason = self.method.name, self.method_reason
            self.method = METHODS["dopri5"]
            self.method_reason = f"explicit, for its derivatives (else {name}: {reason})"
        y, m = self.record.y, self.record.m
        decays = count_decays(self.rates, self.system, (self.t_start, self.t_end), y, m)
        size = len(y) * (1 + len(self.directions.order))
        is_small = size <= MAX_IMPLICIT_SIZE and not self.system.held
        if wanted == "auto" and decays > IMPLICIT_DECAYS and is_small:
            self.method = METHODS["rodas5p"]
            self.method_reason = (
                f"a mode decays {decays:.2g} times within the run: derivatives feel it"
            )
        self._extend_record(initial or {}, options)
        tighten_tolerances(self.record, self.variational_run(), decays, judged)

    def variational_run(self, initial: InitialDerivatives | None = None) -> VariationalRun:
        """The data that derivatives read."""
        return VariationalRun(
            self.directions,
            cast(Variations, self.kernels),
            self.p,
            self.u,
            self._start,
            self.untouched,
            self.memory_size,
            self.t_start,
            self.t_end,
            initial,
        )

    def _extend_record(self, initial: Mapping[str, Any], options: Mapping[str, Any]) -> None:
        """The same record with derivatives behind z and m."""
        old = self.record
        self._start = old.y.copy()  # state after the initial impact
        self.kernels = self.directions.kernels(self.kernels.constraints)
        start = InitialState(self.variational_run(), initial, options.get("keep"))
        S, Sm, before = start.differentiate()
        self._initial_derivatives = None if hasattr(initial, "kept") else before
        tail = [np.zeros(len(self.directions.order)), [NO_EVENT_TIME]]
        self.record = record = steps(
            self.system,
            self.kernels,
            self.method,
            np.concatenate([old.y, S.T.ravel()]),
            np.concatenate([old.m, Sm.T.ravel(), *tail]),
            self.u,
            self.p,
            (old.rtol, old.atol.copy()),
            self.grid,
            t=self.t_start,
            kinds=old.event_type,
            most=self.caps,
            every=old.output_every_step,
            more=S.size,
        )
        self._create_multiplier_buffer(record)
        record.h, record.h_max = old.h, old.h_max
        record.min_conditioning = old.min_conditioning
        if old.n_rows:
            _, write_present_row = native.compile_advance(record.family)
            write_present_row(record.address)
            record.next_output = old.next_output

    def _partition_kernels(self):
        """Kernels of the present independent speeds.  Derivatives of the state do not change."""
        return self.directions.kernels(self.constraint_method.kernels.constraints)

    def _apply_control(self, control: Any) -> None:
        """Let a controller with derivatives change the state and S in place."""
        n, record = self.state_size, self.record
        control.steer(self.t, record.y[:n], record.y[n:].reshape(n, -1).T)
        record.derivative_status = 0

    def result(self, *, close: bool = False) -> Trajectory:
        """The trajectory so far, with the derivatives of its signals."""
        self.is_closed = self.is_closed or close
        record, n = self.record, self.record.n_rows
        history = record.history[: record.n_history]
        rows = VariationalRows(
            record.row_t[:n], record.row_y[:n], history, record.row_history[:n], record.nm
        )
        rows = rows if self.is_closed else rows.copy()  # the run may go on, and write there
        when, which = (x[: record.n_logged].copy() for x in (record.log_time, record.log_index))
        data = self.variational_run(self._initial_derivatives)
        shifts = EventTimeDerivatives(data, rows, when, which)
        run = super().result(close=close)
        if len(run.time) > len(rows.time) or not np.isin(run.time, rows.time).all():
            rows = rows.append(self.t, record.y, np.append(record.m, self.u))  # it failed
        derivatives = SignalDerivatives(data, run, rows.select(run.time), shifts)
        object.__setattr__(run, "_slopes", derivatives)
        return run


def tighten_tolerances(
    record: RunRecord, run: VariationalRun, decays: float, judged: bool = True
) -> None:
    """Let derivatives govern the step size too, unless `judged` is False (SE.7).

    Tolerances become smaller, since forces are stiffnesses times differences of S.  Fast modes may
    act on S alone: then the factor is smaller still.  So do corners of states of laws, with any
    `judged`.  The tolerance of a derivative is that of the state over the size of the parameter.
    """
    n, has_states = len(run.y), run.system.layout.states.stop > 0
    if not (judged or has_states):
        return
    values = run.directions.values(run.p, run.u, run.y)
    sizes = np.array([abs(x) or 1.0 for x in values])
    atol, min_scale = record.atol.copy(), record.min_scale.copy()
    factor = FAST_MODE_FACTOR if has_states or decays > FAST_DECAYS else TOLERANCE_FACTOR
    record.rtol = min(record.rtol, max(factor * record.rtol, MIN_TOLERANCE))
    atol = np.minimum(atol, np.maximum(factor * atol, FAST_MODE_FACTOR * MIN_TOLERANCE))
    atol[n:] = (atol[:n, None] / sizes).ravel()
    min_scale[n:] = (min_scale[:n, None] / sizes).ravel()
    record.atol, record.min_scale = atol, min_scale
    record.n_error += len(sizes) * record.n_error


def check_variational_method(method: str | Method) -> None:
    """Raise an error for a method that does not integrate variational equations."""
    known = METHODS.get(method) if isinstance(method, str) else method
    if known is not None and known.family not in VARIATIONAL_FAMILIES:
        able = ", ".join(n for n, x in METHODS.items() if x.family in VARIATIONAL_FAMILIES)
        raise ArgumentError(
            f"simulate: method {known.name!r} does not carry sensitivities; use 'auto' or one of "
            f"{able}"
        )
