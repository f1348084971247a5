"""From a model to a trajectory: buffers and kernels are made here, steps are taken natively."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ..dynamics import start
from ..errors import ArgumentError, TorseurError, shown, system_of, unknown_name
from ..integrate import METHODS, Method, advance as native, first_steps, record as codes
from ..numbers import Floats
from ..quantities import Rows
from ..results import Event, Trajectory
from ..solve import arguments, initial_state
from .buffers import KERNELS, ROWS, grow, quaternions, steps
from .choice import choose
from .contacts import begin
from .interrupt import Heed
from .memory import kept, restore
from .outcome import answer, beyond, doubts, passed, shaken
from .reference import REFERENCES
from .signals import Signals
from .solution import LOOK, Leading

if TYPE_CHECKING:
    from ..model import Model
    from ..system import System

CHUNK = 20_000  # steps of one call, at most
GLANCE = 0.2  # time between two looks at the keyboard [s]
MOST_EVENTS = 10_000  # events per unit of time (a second, at least) before a run gives up


class Run:
    """A simulation under way: `advance(t)` may be called again and again; `result()` at any time.

    Parameters are those of `simulate`.
    """

    def __init__(
        self,
        model: Model | System,
        t_end: float | None = None,
        initial: Mapping[str, float] | None = None,
        method: str | Method = "auto",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        *,
        t_start: float = 0.0,
        step: float | None = None,
        output: Any = None,
        inputs: Mapping[str, Any] | None = None,
        parameters: Mapping[str, float] | None = None,
        max_step: float | None = None,
        stop_when: Iterable[str] | str | None = None,
        max_events: int | None = None,
        kernels: Any = None,
        keep: Iterable[str] | None = None,
        solution: str = "multipliers",
        reactions: str = "determined",
    ):
        self.system = system = system_of(model, "simulate")
        self.t_start = arguments.seconds("t_start", t_start)
        self.t_end = None if t_end is None else arguments.seconds("t_end", t_end)
        for name, x in (("rtol", rtol), ("atol", atol)):
            if not arguments.positive(x):
                raise ArgumentError(f"simulate: {name} = {x!r}; use a number greater than zero")
        if reactions not in ("determined", "least_norm"):
            raise ArgumentError(
                f"simulate: reactions = {shown(reactions)}; use 'determined' (what no motion "
                "tells is NaN) or 'least_norm'"
            )
        self.reactions = reactions
        self.p = arguments.parameter_values(self.system, parameters or {})
        self.slots, self.u = arguments.input_values(self.system, inputs or {})
        parameters = dict(zip(system.parameters, self.p.tolist(), strict=True))
        q, v = initial_state(system, initial or {}, keep, self.t_start, parameters)
        self.leading = Leading(system, solution, self.t_start, q, parameters)
        self.kernels = kernels or self.leading.kernels
        K = Floats(parameters)
        now = start(system, K, self.t_start, q, v, self.u)
        restore(system, now, getattr(initial, "kept", {}))
        y = np.concatenate([np.asarray(x, dtype=float) for x in (q, v, now.z)])
        if system.switched:
            self._begin(y, now.m)
        for i in quaternions(system):
            size = np.linalg.norm(y[i : i + 4])
            if not size > 0:
                raise TorseurError(f"the quaternion {system.coordinates[i]!r} ... has no length")
            y[i : i + 4] /= size
        self.guards = system.layout.guards
        self.why = ""
        if not isinstance(method, Method):
            if method != "auto" and method not in METHODS:
                raise TorseurError(
                    unknown_name("method", method, ("auto", *METHODS, *REFERENCES), "simulate")
                )
            if method == "auto":
                method, self.why = choose(self, y, np.asarray(now.m, dtype=float), rtol, step)
            method = METHODS[method]
        self.method = method
        if not method.adaptive and step is None:
            raise TorseurError(f"method {method.name!r} has a fixed step; give step= [s]")
        self._buffers(
            y,
            np.asarray(now.m, dtype=float),
            rtol,
            atol,
            step,
            output,
            max_step,
            stop_when,
            max_events,
        )

    # preparation -------------------------------------------------------------------------
    def set_input(self, name: str, x: Any) -> None:
        """Give an input a value, held until the next."""
        arguments.put_input(self.slots, self.u, name, x, f" at t = {self.t:g} s")

    def _kinds(self, stop_when) -> np.ndarray:
        """What each guard does: those that were named end the run."""
        kinds = np.full(len(self.guards), codes.ACTING)
        for wanted in arguments.names(stop_when, "stop_when"):
            found = [i for i, g in enumerate(self.guards) if g.told and wanted in (g.name, g.owner)]
            if not found:
                told = [g.name for g in self.guards if g.told]
                raise TorseurError(unknown_name("event", wanted, told, "stop_when"))
            kinds[found] = codes.STOPPING
        return kinds

    def _buffers(self, y, m, rtol, atol, step, output, max_step, stop_when, max_events):
        s, k = self.system, self.kernels
        span = arguments.spacing(self.t_start, self.t_end, step, max_step)
        self.grid, every = arguments.rows(output, self.t_start, self.t_end)
        self.record = now = steps(
            s,
            k,
            self.method,
            y,
            m,
            self.u,
            self.p,
            (rtol, atol),
            self.grid,
            t=self.t_start,
            kinds=self._kinds(stop_when),
            most=arguments.most_events(max_events, MOST_EVENTS * max(1.0, span)),
            every=every,
        )
        if now.project:  # flow also gives the multipliers, to nobody here
            self.lam = np.zeros(k["flow"].outputs[3].size)
            now.outputs[3] = self.lam.ctypes.data
        if max_step is not None:
            now.h_max = max_step
        now.h = step if step is not None else self._first_step(y, m)
        self.native, note = native.ready()
        self.failed = self.stopped = self.interrupted = False
        self.outcome, self.heed = "", Heed()
        self.elapsed = 0.0
        if every or (len(self.grid) and self.grid[0] <= self.t_start):
            note(now.address)
            now.grid += int(len(self.grid) and self.grid[0] <= self.t_start)

    def _first_step(self, y, m) -> float:
        now = self.record
        scale = now.atol + now.rtol * np.maximum(abs(y), now.floor)
        span = np.inf if self.t_end is None else max(self.t_end - self.t_start, 1e-12)

        def flow(t, Y):
            return self.rates(float(t[0]), Y[0], m)[None]

        return float(first_steps(flow, self.t_start, y[None], scale, self.method.order, span)[0])

    def rates(self, t: float, y: np.ndarray, m: np.ndarray) -> np.ndarray:
        """Rates of the whole state, for looking before the run."""
        nq, nv = self.system.nq, self.system.nv
        parts = self.kernels["flow"](t, y[:nq], y[nq : nq + nv], y[nq + nv :], m, self.u, self.p)
        return np.concatenate([np.atleast_1d(x) for x in parts[:3]])

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
        now.stop = t_stop
        try:
            while True:
                code = int(self.native(now.address, min(max_steps, LOOK) if looks else max_steps))
                if code == codes.FULL:
                    grow(now)
                elif not looks or not self._looked(code) or max_steps <= LOOK:
                    return code
                else:
                    max_steps -= LOOK
                self.heed.now()
        finally:
            self.elapsed += clock.perf_counter() - before

    def _looked(self, code) -> bool:
        """Look at the independent speeds; whether the run can go on."""
        changed = self.leading.look(self.t, self.q)
        if changed:
            self.kernels = self.leading.kernels
            for name, quantity in KERNELS.items():
                if getattr(self.record, name):
                    setattr(self.record, name, self.kernels[quantity].abi_address)
        return code == codes.BUDGET or (changed and code in (codes.NOT_FINITE, codes.TOO_SMALL))

    def go(
        self,
        progress: Callable[[Run], Any] | None = None,
        control: Callable | None = None,
        period: float | None = None,
    ) -> Run:
        """Run to the end; a controller is called every `period` seconds."""
        end = self.t_end
        samples, most = 0, LOOK
        try:
            while self.t < end and not self.outcome:
                stop = end
                if control is not None:
                    if self.t >= self.t_start + samples * period * (1 - 1e-12):
                        self._command(control)
                        samples += 1
                    stop = min(end, self.t_start + samples * period)
                before = self.elapsed
                code = self.advance(stop, most)
                self.heed.now()
                most = round(most * min(4.0, GLANCE / max(self.elapsed - before, 1e-9)))
                most = min(max(most, 1), CHUNK)
                answer(self, code)
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
        y[moving], m[:] = begin(
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
        self.record.fresh = 0  # guards stay armed: a jump of an input is an event
        if self.t == self.t_start and self.system.switched:
            self._begin(self.record.y, self.record.m)

    def result(self) -> Trajectory:
        """What has been computed so far."""
        now, s = self.record, self.system
        n = now.row
        time, Y, M, U = (getattr(now, x)[:n].copy() for x in ROWS)
        if (n == 0 or time[-1] < self.t) and (self.stopped or self.failed or n == 0):
            time, Y = np.append(time, self.t), np.vstack([Y, self.record.y])
            M, U = np.vstack([M, self.record.m]), np.vstack([U, self.u])
        count, logged = now.events, min(now.events, now.logged)
        when, which = now.when[:logged], now.which[:logged]
        told = np.array([self.guards[k].told for k in which], dtype=bool)
        events = tuple(
            Event(float(t), self.guards[k].name)
            for t, k in zip(when[told], which[told], strict=True)
        )
        if not (told.all() or now.every):  # rows and events that only a memory needed
            keep = ~np.isin(time, when[~told]) | np.isin(time, [*when[told], *self.grid])
            time, Y, M, U = time[keep], Y[keep], M[keep], U[keep]
        count -= logged - len(events)
        acting = {
            float(t) for t, k in zip(when, which, strict=True) if now.kinds[k] == codes.ACTING
        }
        jumps = tuple(
            (i, i + 1) for i in range(len(time) - 1) if time[i] == time[i + 1] and time[i] in acting
        )
        q, v, z = np.split(Y, [s.nq, s.nq + s.nv], axis=1)
        least = self.reactions == "least_norm"
        rows = Rows(time, q, v, z, M, U)
        signals = Signals(s, self.leading.ways, rows, self.p, jumps, least)
        through = "" if self.failed else passed(self, signals, time)
        self.failed = self.failed or bool(through)
        outcome = self.outcome = through or self.outcome
        outcome = outcome or (
            f"reached t = {self.t:g} s in {now.steps} steps of {self.method.name}"
            + (f", {count} event{'s' * (count > 1)}" if count else "")
            + str(self.leading)
        )
        unsound = "" if self.failed else doubts(self, signals, time)
        self.failed = self.failed or bool(unsound)
        outcome += unsound + beyond(self, time, Y) + shaken(self)
        statistics = {
            "steps": now.steps,
            "rejected": now.rejected,
            "evaluations": now.calls,
            "jacobians": now.jacobians,
            "events": count,
            "seconds": self.elapsed,
            **({"interrupted": True} if self.interrupted else {}),
        }
        state = (*s.coordinates, *s.speeds)
        provenance = {
            "model": s.name,
            "version": sys.modules["torseur"].__version__,
            "digest": s.digest,
            "method": self.method.name,
            "why": self.why or self.method.text,
            "rtol": now.rtol,
            "atol": float(now.atol.min(initial=1.0)),
            "coordinates": s.coordinates,
            **self.leading.provenance,
            "state": state,
            "kept": kept(s, Y[-1, s.nq + s.nv :], M[-1]),
            "parameters": dict(zip(s.parameters, self.p.tolist(), strict=True)),
        }
        values = dict(zip(state, Y[:, : s.nq + s.nv].T, strict=True))
        return Trajectory(
            time,
            values,
            signals.units,
            outcome,
            completed=not (self.failed or self.interrupted),
            events=events,
            statistics=statistics,
            provenance=provenance,
            source=signals,
            jumps=jumps,
        )
