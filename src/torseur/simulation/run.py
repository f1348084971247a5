"""From a model to a trajectory: buffers and kernels are made here, steps are taken natively."""

from __future__ import annotations

import sys
import time as clock
from collections.abc import Callable, Mapping

import numpy as np

from ..dynamics import start
from ..errors import ArgumentError, TorseurError, shown, system_of, unknown_name
from ..integrate import LEAST_KEPT, METHODS, Method, Words, advance as native, words
from ..numbers import Floats
from ..results import Event, Trajectory
from ..solve import arguments, initial_state
from .choice import choose
from .contacts import begin
from .memory import kept, restore
from .outcome import answer, beyond, passed, shaken
from .reference import REFERENCES
from .scales import floors
from .signals import Signals
from .solution import LOOK, Leading

CHUNK = 20_000  # steps between two looks at the keyboard
MOST_EVENTS = 10_000  # events per unit of time (a second, at least) before a run gives up


class Run:
    """A simulation under way: `advance(t)` may be called again and again; `result()` at any time.

    Parameters are those of `simulate`.
    """

    def __init__(
        self,
        model,
        t_end=None,
        initial=None,
        method="auto",
        rtol=1e-8,
        atol=1e-10,
        *,
        t_start=0.0,
        step=None,
        output=None,
        inputs=None,
        parameters=None,
        max_step=None,
        stop_when=None,
        max_events=None,
        kernels=None,
        keep=None,
        solution="multipliers",
    ):
        self.system = system = system_of(model, "simulate")
        self.t_start = arguments.seconds("t_start", t_start)
        self.t_end = None if t_end is None else arguments.seconds("t_end", t_end)
        for name, x in (("rtol", rtol), ("atol", atol)):
            if not arguments.positive(x):
                raise ArgumentError(f"simulate: {name} = {x!r}; use a number greater than zero")
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
        self.quats = np.array(
            [
                k.q.start + k.joint.quaternion
                for k in system.links
                if k.joint.quaternion is not None
            ],
            dtype=np.int64,
        )
        for i in self.quats:
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
    def set_input(self, name, x):
        """Give an input a value, held until the next."""
        arguments.put_input(self.slots, self.u, name, x, f" at t = {self.t:g} s")

    def _buffers(self, y, m, rtol, atol, step, output, max_step, stop_when, max_events):
        s, k, method = self.system, self.kernels, self.method
        n, ng, nm = len(y), len(self.guards), len(m)
        at = s.layout
        span = arguments.spacing(self.t_start, self.t_end, step, max_step)
        self.grid, every = arguments.rows(output, self.t_start, self.t_end)
        kinds = np.zeros(ng, dtype=np.int64)
        for wanted in arguments.names(stop_when, "stop_when"):
            found = [i for i, g in enumerate(self.guards) if g.told and wanted in (g.name, g.owner)]
            if not found:
                told = [g.name for g in self.guards if g.told]
                raise TorseurError(unknown_name("event", wanted, told, "stop_when"))
            kinds[found] = words.STOPPING
        cap = len(self.grid) + 64 + 4 * ng
        stages, shape = method.rows, (method.rows, method.rows)
        constrained = bool(s.held or s.switched)

        def addresses():
            yield k["flow"].abi_address
            yield k["guards"].abi_address if ng else 0
            yield k["jump"].abi_address if ng else 0
            yield k["project"].abi_address if constrained else 0
            implicit = method.family in (words.ROSENBROCK, words.NEWMARK)
            yield k["jacobian"].abi_address if implicit else 0
            moves = method.family in (words.SEMI_IMPLICIT, words.NEWMARK)
            yield k["integrate"].abi_address if moves else 0

        z = np.zeros
        most = arguments.most_events(max_events, MOST_EVENTS * max(1.0, span))
        logged = int(min(most + 16 + ng, 2**16))
        square = (n, n) if method.family in (words.ROSENBROCK, words.NEWMARK) else (1, 1)

        def table(x, like):
            return np.ascontiguousarray(z(like) if x is None else x, dtype=float)

        self.arrays = a = {
            "INP": z(8, np.int64),
            "OUTP": z(4, np.int64),
            "Y": y.copy(),
            "YN": z(n),
            "YS": z(n),
            "TB": z(1),
            "KB": z(max(1, s.nv)),
            "M": m.copy(),
            "U": self.u,
            "F0": z(n),
            "K_": z((stages, n)),
            "A_": table(method.A, shape),
            "B_": table(method.B, stages),
            "C_": table(method.C, stages),
            "D_": table(method.D, stages),
            "G_": table(method.G, shape),
            "E_": table(method.E, (2, stages)),
            "P_": table(method.P, (stages, 1)),
            "ATOL": np.array(np.broadcast_to(np.asarray(atol, dtype=float), (n,))),
            "FLOOR": floors(s),
            "QUATS": self.quats,
            "G0": z(ng),
            "G1": z(ng),
            "GS": z(ng),
            "KINDS": kinds,
            "YT": z(n + nm),
            "W_": z(square),
            "J_": z(square),
            "FT": z(n),
            "PIV": z(n, np.int64),
            "TIMES": self.grid,
            "ROWT": z(cap),
            "ROWY": z((cap, n)),
            "ROWM": z((cap, nm)),
            "ROWU": z((cap, len(self.u))),
            "WHEN": z(logged),
            "WHICH": z(logged, np.int64),
            "NUM": z(words.NUMBERS),
        }
        two = method.E is not None and method.E[1].any()
        numbers = {
            "NQ": s.nq,
            "NV": s.nv,
            "NZ": len(at.z),
            "NE": s.nq + s.nv + at.books.start,
            "NM": nm,
            "NU": len(self.u),
            "NG": ng,
            "N": n,
            "FAMILY": method.family,
            "STAGES": method.stages,
            "ROWS": stages,
            "DEGREE": method.P.shape[1],
            "ADAPTIVE": method.adaptive,
            "TWO": two,
            "EVERY": every,
            "ROOM": cap,
            "WANTED": len(self.grid),
            "LOGGED": logged,
            "MOST_EVENTS": int(min(most, 2**40)),
            "NQUAT": len(self.quats),
        }
        numbers |= dict(
            zip(
                ("FLOW", "GUARDS", "JUMP", "PROJECT", "JACOBIAN", "INTEGRATE"),
                addresses(),
                strict=True,
            )
        )
        self.S = S = Words(numbers, a)
        ys = a["YS"].ctypes.data
        a["INP"][:] = [
            a["TB"].ctypes.data,
            ys,
            ys + 8 * s.nq,
            ys + 8 * (s.nq + s.nv),
            a["M"].ctypes.data,
            self.u.ctypes.data,
            self.p.ctypes.data,
            a["KB"].ctypes.data,
        ]
        if constrained:  # flow also gives the multipliers, to nobody here
            self.lam = z(k["flow"].outputs[3].size)
            a["OUTP"][3] = self.lam.ctypes.data
        S.num[words.T] = self.t_start
        S.num[words.ERR] = LEAST_KEPT
        S.num[words.HMAX] = np.inf if max_step is None else max_step
        S.num[words.RTOL] = max(rtol, 4 * np.finfo(float).eps)
        S.num[words.EXPONENT] = method.exponent
        S.num[words.GAMMA] = method.gamma
        S.num[words.BETA] = method.smoothing if method.adaptive else method.beta
        S.num[words.H] = step if step is not None else self._first_step(y, m)
        self.native, note = native.ready()
        self.failed, self.stopped, self.outcome = False, False, ""
        self.elapsed = 0.0
        if every or (len(self.grid) and self.grid[0] <= self.t_start):
            note(S.address)
            S["GRID"] += int(len(self.grid) and self.grid[0] <= self.t_start)

    def _first_step(self, y, m) -> float:
        """A first step from the size of the rates and of their change (Hairer's rule)."""
        S, flow = self.S, self.rates
        n = S["N"]
        a = self.arrays
        scale = (a["ATOL"] + S.num[words.RTOL] * np.maximum(abs(y), a["FLOOR"]))[:n]

        def norm(x):
            with np.errstate(over="ignore", invalid="ignore"):
                return float(np.sqrt(np.mean((x[:n] / scale) ** 2))) if n else 0.0

        f0 = flow(self.t_start, y, m)
        d0, d1 = norm(y), norm(f0)
        h = 1e-6 if min(d0, d1) < 1e-5 else 0.01 * d0 / d1
        f1 = flow(self.t_start + h, y + h * f0, m)
        d2 = norm(f1 - f0) / h if h > 0 else np.inf
        if not np.isfinite(d2):
            return max(h * 1e-3, 1e-12)
        big = max(d1, d2)
        h1 = max(1e-6, h * 1e-3) if big <= 1e-15 else (0.01 / big) ** (1 / (self.method.order + 1))
        span = np.inf if self.t_end is None else max(self.t_end - self.t_start, 1e-12)
        return min(100 * h, h1, span)

    def rates(self, t, y, m) -> np.ndarray:
        """Rates of the whole state, for looking before the run."""
        nq, nv = self.system.nq, self.system.nv
        parts = self.kernels["flow"](t, y[:nq], y[nq : nq + nv], y[nq + nv :], m, self.u, self.p)
        return np.concatenate([np.atleast_1d(x) for x in parts[:3]])

    # motion ------------------------------------------------------------------------------
    @property
    def t(self) -> float:
        return float(self.S.num[words.T])

    @property
    def q(self) -> np.ndarray:
        return self.arrays["Y"][: self.system.nq].copy()

    @property
    def v(self) -> np.ndarray:
        return self.arrays["Y"][self.system.nq : self.system.nq + self.system.nv].copy()

    def advance(self, t_stop, max_steps: int = CHUNK) -> int:
        """Go on to `t_stop` or for `max_steps` steps; answers a code of `native`."""
        before = clock.perf_counter()
        S, looks = self.S, self.leading.active
        S.num[words.STOP] = t_stop
        try:
            while True:
                code = int(self.native(S.address, min(max_steps, LOOK) if looks else max_steps))
                if code == words.FULL:
                    self._grow()
                elif not looks or not self._looked(code) or max_steps <= LOOK:
                    return code
                else:
                    max_steps -= LOOK
        finally:
            self.elapsed += clock.perf_counter() - before

    def _looked(self, code) -> bool:
        """Look at the independent speeds; whether the run can go on."""
        changed = self.leading.look(self.t, self.q)
        if changed:
            self.kernels = k = self.leading.kernels
            for word in ("FLOW", "GUARDS", "JUMP", "PROJECT", "JACOBIAN", "INTEGRATE"):
                if self.S[word]:
                    self.S[word] = k[word.lower()].abi_address
        return code == words.BUDGET or (changed and code in (words.NOT_FINITE, words.TOO_SMALL))

    def _grow(self):
        for name in ("ROWT", "ROWY", "ROWM", "ROWU"):
            x = self.arrays[name]
            self.S.point(name, np.concatenate([x, np.zeros_like(x)]))
        self.S["ROOM"] *= 2

    def go(self, progress=None, control: Callable | None = None, period: float | None = None):
        """Run to the end; a controller is called every `period` seconds."""
        end = self.t_end
        samples = 0
        try:
            while self.t < end and not self.outcome:
                stop = end
                if control is not None:
                    if self.t >= self.t_start + samples * period * (1 - 1e-12):
                        self._command(control)
                        samples += 1
                    stop = min(end, self.t_start + samples * period)
                code = self.advance(stop)
                answer(self, code)
                if progress is not None:
                    progress(self)
        except KeyboardInterrupt:
            self.stopped = True
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
        self.S["FRESH"] = 0  # guards stay armed: a jump of an input is an event
        if self.t == self.t_start and self.system.switched:
            self._begin(self.arrays["Y"], self.arrays["M"])

    def result(self) -> Trajectory:
        """What has been computed so far."""
        S, s = self.S, self.system
        n = S["ROW"]
        time, Y, M, U = (self.arrays[x][:n].copy() for x in ("ROWT", "ROWY", "ROWM", "ROWU"))
        if (n == 0 or time[-1] < self.t) and (self.stopped or self.failed or n == 0):
            time, Y = np.append(time, self.t), np.vstack([Y, self.arrays["Y"]])
            M, U = np.vstack([M, self.arrays["M"]]), np.vstack([U, self.u])
        count = S["EVENTS"]
        logged = min(count, len(self.arrays["WHEN"]))
        when, which = (self.arrays[x][:logged] for x in ("WHEN", "WHICH"))
        told = np.array([self.guards[k].told for k in which], dtype=bool)
        events = tuple(
            Event(float(t), self.guards[k].name)
            for t, k in zip(when[told], which[told], strict=True)
        )
        if not (told.all() or S["EVERY"]):  # rows and events that only a memory needed
            keep = ~np.isin(time, when[~told]) | np.isin(time, [*when[told], *self.grid])
            time, Y, M, U = time[keep], Y[keep], M[keep], U[keep]
        count -= logged - len(events)
        acting = {
            float(t)
            for t, k in zip(when, which, strict=True)
            if self.arrays["KINDS"][k] == words.ACTING
        }
        jumps = tuple(
            (i, i + 1) for i in range(len(time) - 1) if time[i] == time[i + 1] and time[i] in acting
        )
        kernels = self.leading.of_rows() if self.leading.active else self.kernels
        signals = Signals(s, kernels, time, Y, M, U, self.p, jumps)
        through = "" if self.failed else passed(self, signals, time)
        self.failed = self.failed or bool(through)
        outcome = self.outcome = through or self.outcome
        outcome = outcome or (
            f"reached t = {self.t:g} s in {S['STEPS']} steps of {self.method.name}"
            + (f", {count} event{'s' * (count > 1)}" if count else "")
            + str(self.leading)
        )
        outcome += beyond(self, time, Y) + shaken(self)
        statistics = {
            "steps": S["STEPS"],
            "rejected": S["REJECTED"],
            "evaluations": S["CALLS"],
            "jacobians": S["JACOBIANS"],
            "events": count,
            "seconds": self.elapsed,
        }
        state = (*s.coordinates, *s.speeds)
        provenance = {
            "model": s.name,
            "version": sys.modules["torseur"].__version__,
            "digest": s.digest,
            "method": self.method.name,
            "why": self.why or self.method.text,
            "rtol": float(S.num[words.RTOL]),
            "atol": float(self.arrays["ATOL"].min(initial=1.0)),
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
            completed=not self.failed,
            events=events,
            statistics=statistics,
            provenance=provenance,
            source=signals,
            jumps=jumps,
        )
