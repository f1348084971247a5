"""A run with derivatives beside it: those of its state and memory, natively.

Theory: SE.1 to SE.4.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import ArgumentError, system_of
from ...integrate import EXPLICIT, METHODS, ROSENBROCK, Method
from ..run.limits import tell_long
from ..run.method_selection import fastest
from ..run.record import steps
from ..run.run import Simulation
from .event_times import EventShifts, WideRows
from .initial import Start
from .parameters import directions
from .signals import Slopes

NEVER = -1e300
LEAST = 1e-12  # tolerances are not made finer than that
FINE, FINER = 0.15, 5e-4  # tolerances of those asked for; where modes are fast: SE.7
FAST, FASTER = 300.0, 2e3  # decays of a mode within the run that derivatives feel; implicit steps
LONG_TREES = "some 10 to 25 CPU seconds (300 joints), once"  # measured: docs/benchmarks/scaling.md
LONG_LOOPS = "half a minute (100 four-bars), with contacts or dry friction minutes and gigabytes"
SMALL = 60  # numbers of state and derivatives whose Jacobian is cheap
CARRY = (EXPLICIT, ROSENBROCK)  # families of methods whose steps carry derivatives


class SensitiveRun(Simulation):
    """A `Simulation` whose record also carries the derivatives of its state and memory."""

    changes = False

    def __init__(self, model, names, initial, *, judged=True, stand=None, parameters=None,
                 **options):  # fmt: skip
        system = system_of(model, "simulate")
        self.directions = where = directions(system, tuple(names), tuple((stand or {}).items()))
        wanted = options.pop("method", "auto")
        carries(wanted)
        tell_long(
            where.system,
            "sensitivities ask for their derivatives",
            "differences of a ts.batch with two values of the number take no longer than its runs",
            LONG_LOOPS if where.system.held or where.system.switched else LONG_TREES,
        )
        super().__init__(
            where.system, initial=initial, method=wanted, parameters=parameters, **options
        )
        if self.method.family not in CARRY:
            self.why = f"explicit, for its derivatives (else {self.method.name}: {self.why})"
            self.method = METHODS["dopri5"]
        self.decays = fastest(self, self.record.y, self.record.m)
        size = len(self.record.y) * (1 + len(where.order))
        if wanted == "auto" and self.decays > FASTER and size <= SMALL and not self.system.held:
            self.method = METHODS["rodas5p"]
            self.why = f"a mode decays {self.decays:.2g} times within the run: derivatives feel it"
        self._widen(initial or {}, options)
        govern(self.record, self, judged)

    def _widen(self, initial, options):
        """The same record with derivatives behind z and m."""
        where, old, s = self.directions, self.record, self.system
        self.kernels = kernels = where.kernels(self.kernels.constraints)
        self.plain = old.n, old.nm
        begins = Start(self, initial, options.get("keep"))
        S, Sm = begins.slopes()
        self.begins = None if hasattr(initial, "kept") else begins.both
        M = len(where.order)
        y = np.concatenate([old.y, S.T.ravel()])
        m = np.concatenate([old.m, Sm.T.ravel(), np.zeros(M), [NEVER]])
        atol = old.atol.copy()
        self.record = now = steps(
            s,
            kernels,
            self.method,
            y,
            m,
            self.u,
            self.p,
            (old.rtol, atol),
            self.grid,
            t=self.t_start,
            kinds=old.event_type,
            most=self.caps,
            every=old.output_every_step,
            more=S.size,
        )
        if now.project_kernel:  # flow also gives the multipliers, to nobody here
            self.lam = np.zeros(kernels["flow"].outputs[3].size)
            now.kernel_outputs[3] = self.lam.ctypes.data
        now.h, now.h_max, now.min_conditioning = old.h, old.h_max, old.min_conditioning
        if old.n_rows:
            from ...integrate import advance as native

            native.compile_advance(now.family)[1](now.address)
            now.next_output = old.next_output

    def _led(self):
        """Kernels of the speeds that lead now, with the derivatives: those of the state are the
        same whichever lead."""
        return self.directions.kernels(self.leading.kernels.constraints)

    def _command(self, control):
        """A controller that knows its derivatives changes state and S themselves, in place."""
        n, now = self.plain[0], self.record
        control.steer(self.t, now.y[:n], now.y[n:].reshape(n, -1).T)
        now.derivative_status = 0

    def result(self):
        wide = self.record
        n, nm = self.plain
        narrow = _Narrow(
            wide,
            row_y=wide.row_y[:, :n],
            nm=nm,
            history=np.hstack(
                [wide.history[: wide.n_history, :nm], wide.history[: wide.n_history, wide.nm :]]
            ),
            y=wide.y[:n],
            m=wide.m[:nm],
            atol=wide.atol[:n],
            min_scale=wide.min_scale[:n],
        )
        every = self._rows()
        when, which = wide.log_time[: wide.n_logged].copy(), wide.log_index[: wide.n_logged].copy()
        shifts = EventShifts(self, every, when, which)
        self.record = narrow
        try:
            run = super().result()
        finally:
            self.record = wide
        if len(run.time) > len(every.time) or not np.isin(run.time, every.time).all():
            every = every.ended(self.t, wide.y, np.append(wide.m, self.u))  # it failed
        slopes = Slopes(self, run, every.at(run.time), shifts)
        object.__setattr__(run, "_slopes", slopes)
        return run

    def _rows(self) -> WideRows:
        now, n = self.record, self.record.n_rows
        found = WideRows(
            now.row_t[:n], now.row_y[:n], now.history[: now.n_history], now.row_history[:n], now.nm
        )
        return found if self.closed else found.copied()  # it may go on, and write there


def govern(record, run, judged: bool = True) -> None:
    """Let derivatives govern the steps too, unless told not to.

    Tolerances are a seventh: forces are stiff times differences of S.  Fast modes, and corners of
    states of laws (these in any case), may be felt by S alone: a two-thousandth then, not below
    what rounding allows.  Each number counts by what a change of it by itself would do; SE.7.
    """
    s, where, (n, _) = run.system, run.directions, run.plain
    stateful = s.layout.states.stop > 0
    if not (judged or stateful):
        return
    state = dict(zip((*s.coordinates, *s.speeds), record.y, strict=False))
    numbers = [*run.p[where.p], *run.u[where.u], *(state[x] for x in where.starts)]
    sizes = np.array([abs(x) or 1.0 for x in numbers])
    atol, floor = record.atol.copy(), record.min_scale.copy()
    part = FINER if stateful or run.decays > FAST else FINE
    record.rtol = min(record.rtol, max(part * record.rtol, LEAST))
    atol = np.minimum(atol, np.maximum(part * atol, FINER * LEAST))
    atol[n:] = (atol[:n, None] / sizes).ravel()
    floor[n:] = (floor[:n, None] / sizes).ravel()
    record.atol, record.min_scale = atol, floor
    record.n_error += len(sizes) * record.n_error


def carries(method: str | Method) -> None:
    """A method that carries derivatives, or the sentence that it does not."""
    own = METHODS.get(method) if isinstance(method, str) else method
    if own is not None and own.family not in CARRY:
        able = ", ".join(n for n, x in METHODS.items() if x.family in CARRY)
        raise ArgumentError(
            f"simulate: method {own.name!r} does not carry sensitivities; use 'auto' or one of "
            f"{able}"
        )


class _Narrow:
    """A record as it is without derivatives: some of its numbers, and whatever else it has."""

    def __init__(self, wide, **own: Any):
        self.__dict__ = {"wide": wide, **own}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["wide"], name)
