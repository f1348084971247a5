"""Derivatives of signals at the time points of a run, by parameters and by time.

The chain rule over the formula of each signal.  Theory: SE.6, SE.8.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from ...errors import TorseurError, unknown_name_message
from ...kernels import BROKEN, LOST, Outputs, StateRows, interpreted
from ...quantities import QUANTITIES
from ...results import Trajectory
from ..run.result import RunSignals
from .event_times import EventTimeDerivatives
from .one_sided import OneSidedStart, describe_friction_corner
from .parameters import VariationalRows, VariationalRun

MIN_DERIVATIVE_JUMP = 1e-9  # of the largest derivative: changed by an event at the start
READING_STEP = 1e-4  # of coordinates, in differences of readings
FULL_TURN = 2 * np.pi  # [rad] by which readings are continued from row to row
CONTACT_BRANCHES = (
    " (contacts on the edge of two ways of going on, pressed or free, stuck or sliding, or speeds "
    "that depend on how they share an impulse)"
)
HYPERSTATIC = "least-norm reactions of a hyperstatic mechanism have no derivatives here"


class SignalDerivatives:
    """Derivatives of signals at the time points of a run, by the names of its directions.

    Call it with a signal and a name.  `rows` are the time points with derivatives behind state and
    memory.

    Attributes
    ----------
    S : derivatives of the state, (rows, names, n)
    forgiving : whether one-sided derivatives are returned without an error, for searches
    """

    def __init__(
        self,
        run: VariationalRun,
        result: Trajectory,
        rows: VariationalRows,
        shifts: EventTimeDerivatives,
    ):
        """Derivatives of the signals of a result."""
        s = run.system
        self.directions, self.system, self.kernels = run.directions, s, run.kernels
        self.signals: RunSignals = result._source  # type: ignore[assignment]
        self.p = run.p.copy()
        self.rows = rows
        n, self.nm, count = len(run.y), run.memory_size, len(self.directions.order)
        self.S = rows.Y[:, n:].reshape(len(rows.Y), n, count).swapaxes(1, 2)
        self.shifts = shifts
        self.one_sided_start, self.start = OneSidedStart(run, self.signals), run.t_start
        self.failures = {} if run.initial is None else run.initial.failures
        self.state = (*s.coordinates, *s.speeds)
        self.events, self.time = result.events, result.time
        self._cache: dict[tuple, Any] = {}
        self._corners: dict[int, str] = {}
        self.forgiving = False

    @cached_property
    def Sm(self) -> np.ndarray:
        """Derivatives of the memory, (rows, names, numbers)."""
        nm, count = self.nm, len(self.directions.order)
        entries = self.rows.history[:, nm : nm + count * nm]
        return entries.reshape(len(entries), nm, count).swapaxes(1, 2)[self.rows.which]

    @cached_property
    def lost(self) -> np.ndarray:
        """Whether derivatives do not exist any more, (rows, names)."""
        return self._last_shifts >= LOST

    @property
    def _last_shifts(self) -> np.ndarray:
        """Derivative of the time of the last event before each row, (rows, names).

        A large number is a code of a derivative that does not exist.
        """
        last, count = self.rows.nm - 1, len(self.directions.order)
        return self.rows.history[:, last - count : last][self.rows.which]

    @cached_property
    def order_dependence(self) -> str:
        """A sentence on events of one instant whose order matters, or ""."""
        return self.shifts.describe_order_dependence()

    def _describe_grazing(self, i: int) -> str:
        """A sentence on an event without a derivative by name i, a grazing one mostly, or ""."""
        if not self.lost[:, i].any():
            return ""
        first = int(np.argmax(self.lost[:, i]))
        t = self.time[first]
        near = [e.name for e in self.events if abs(e.time - t) <= 1e-9 * max(1.0, abs(t))]
        broken = abs(self._last_shifts[first, i]) >= BROKEN
        why = "has none by it" if broken else "is reached without speed (grazing)"
        if broken and sum(bool(e.contact) for e in self.directions.system.switched) > 1:
            why += CONTACT_BRANCHES
        return (
            f"from t = {t:.6g} s on derivatives do not exist: "
            f"{near[0] if near else 'an event'} there {why}"
        )

    @cached_property
    def one_sided(self) -> dict[int, str]:
        """Element or event at the start, by the index of each name with one-sided derivatives."""
        owners = self.one_sided_start.find_one_sided()
        at = self.shifts.when == self.start
        if not at.any():
            return owners
        shifts_it = abs(self.shifts.shifts[at]).max(axis=0) > 0
        S = self.S[self.time == self.start]
        bound = MIN_DERIVATIVE_JUMP * abs(S).max(axis=(0, 2))
        jumps = abs(S[-1] - S[0]).max(axis=1) > bound
        return owners | {int(i): self.events[0].name for i in np.flatnonzero(shifts_it & jumps)}

    def why(self, name: str) -> str:
        """Why derivatives by a number do not exist, or hold to one side only.  "" where they do."""
        i = self.directions.order.index(name)
        if name in self.failures:
            return f"with a little more or less of it {self.failures[name]}"
        if i in self.one_sided:
            return (
                f"the start lies exactly on {self.one_sided[i]!r}, and its derivatives to one side "
                "and to the other differ; start a little off it"
            )
        return self._describe_grazing(i) or self.order_dependence or self._describe_corner(i)

    def _describe_corner(self, i: int) -> str:
        """A sentence on friction whose load is zero all along because parameter i is, or ""."""
        if i not in self._corners:
            self._corners[i] = describe_friction_corner(self, i)
        return self._corners[i]

    def __call__(self, signal: str, name: str) -> np.ndarray:
        """Derivative of a signal, of the times of an event, or of "time", by a name."""
        if name not in self.directions.names:
            raise TorseurError(
                unknown_name_message("sensitivity", name, self.directions.names, "sensitivity")
            )
        i = self.directions.order.index(name)
        if (not self.forgiving or name in self.failures) and (why := self.why(name)):
            raise TorseurError(f"sensitivity of {signal!r} by {name!r}: {why}")
        if any(e.name == signal for e in self.events):
            times = np.array([e.time for e in self.events if e.name == signal])
            shifts = self.shifts.shifts_of(signal)
            return (shifts if len(shifts) == len(times) else self.shifts.shifts_at(times))[:, i]
        if signal == "time":
            return self.shifts.shifts_at(self.time)[:, i]
        if signal in self.state:
            return self.S[:, i, self.state.index(signal)].copy()
        return self.differentiate(signal, i)

    def differentiate(self, signal: str, i: int) -> np.ndarray:
        """Derivative of a signal by name i, without a check that it exists."""
        if (signal, i) not in self._cache:
            for other, x in SignalDifferentials(self, i)(signal).items():
                self._cache[other, i] = np.array(x)
        return self._cache[signal, i].copy()

    def along_rows(self, signal: str, name: str) -> np.ndarray:
        """The same of the value at a row.  Rows at events move with them in time (SE.8)."""
        at_fixed_time, shift = self(signal, name), self("time", name)
        if not shift.any():
            return at_fixed_time
        return at_fixed_time + self.time_derivatives(signal) * shift

    @cached_property
    def time_derivatives(self) -> TimeDerivatives:
        """Derivatives of signals by time."""
        return TimeDerivatives(self)

    # ---- arguments of formulas and their derivatives -----------------------------------------

    @cached_property
    def _flow_derivatives(self) -> tuple[np.ndarray, np.ndarray]:
        """Derivatives of accelerations and multipliers, (n, rows, names)."""
        return self._evaluate_flow(self.rows.Y, self.rows.history)

    def _evaluate_flow(self, Y: np.ndarray, history: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The same by the variational kernel, for some derivatives behind states and memories."""
        s, rows, count = self.system, self.signals.rows, len(self.directions.order)
        z, which, parts = Y[:, s.nq + s.nv :], self.rows.which, []
        cuts = [0, *np.flatnonzero(np.diff(which)) + 1, len(which)]
        for block in (slice(a, b) for a, b in pairwise(cuts)):  # from an event to the next
            constants = (history[which[block.start], : self.rows.nm], self.p)
            memory, p = (np.broadcast_to(x, (block.stop - block.start, len(x))) for x in constants)
            state = (rows.t[block], rows.q[block], rows.v[block], z[block])
            parts.append(self.kernels["flow"](*state, memory, rows.u[block], p)[2:])
        zdot, *lam = (np.concatenate(x) for x in zip(*parts, strict=True))
        n = self.S.shape[2]
        a = zdot[:, len(s.layout.z) :].reshape(len(Y), n, count)[:, s.nq : s.nq + s.nv]
        m = lam[0].shape[1] // (1 + count) if lam else 0
        dlam = lam[0][:, m:].reshape(len(Y), m, count) if lam else np.zeros((len(Y), 0, count))
        return a.swapaxes(0, 1), dlam.swapaxes(0, 1)

    def port(self, name: str) -> np.ndarray:
        """Values of an argument of formulas, one row each."""
        if name == "a":
            return self.signals.solved[0]
        if name == "lam":
            return self.signals.solved[1]
        if name == "links":
            return self.signals.whole.interpreted(
                "carried", self.signals.rows, lam=self.port("lam")
            )[1].T
        return getattr(self.signals.rows, name)

    @cached_property
    def port_derivatives(self) -> dict[str, np.ndarray]:
        """Derivatives of the arguments of formulas, (n, rows, names) each."""
        s, rows, where = self.system, self.signals.rows, self.directions
        q, v, z = np.split(self.S.transpose(2, 0, 1), [s.nq, s.nq + s.nv])
        du = np.zeros((len(s.layout.u), len(rows.t), len(where.order)))
        dp = np.zeros((len(self.p), len(rows.t), len(where.order)))
        for i, slot in enumerate(where.p):
            dp[slot, :, i] = 1
        for i, slot in enumerate(where.u):
            du[slot, :, len(where.p) + i] = 1
        dt = np.zeros((1, len(rows.t), len(where.order)))
        m = self.Sm.transpose(2, 0, 1)
        return {"t": dt, "q": q, "v": v, "z": z, "m": m, "u": du, "p": dp}

    def differentiate_port(self, port: str) -> np.ndarray:
        """Derivatives of an argument of formulas, (n, rows, names)."""
        if port in ("a", "lam"):
            return self._flow_derivatives[port == "lam"]
        if port == "links":
            return self.differentiate_quantity(self.signals.whole, "carried")[1]
        return self.port_derivatives[port]

    def differentiate_quantity(self, outputs: Outputs, name: str) -> list[np.ndarray]:
        """Derivatives of each output of a quantity, (numbers, rows, names)."""
        key = (outputs.system is self.system, name)
        if key not in self._cache:
            names = QUANTITIES[name].given(outputs.system)
            ports = {x: self.port(x) for x in names}
            derivatives = {x: self.differentiate_port(x) for x in names}
            derivatives["p"] = self.port_derivatives["p"]
            interpreter = interpreted(outputs.system)
            self._cache[key] = interpreter.along(name, ports, derivatives, p=self.p)
        return self._cache[key]


class TimeDerivatives(SignalDerivatives):
    """Derivatives of signals by time at the time points, with constant memory and inputs (SE.8)."""

    def __init__(self, derivatives: SignalDerivatives):
        computed = ("port_derivatives", "_flow_derivatives")
        self.__dict__.update({k: v for k, v in vars(derivatives).items() if k not in computed})
        self._cache = {}

    def __call__(self, signal: str, name: str = "time") -> np.ndarray:
        return self.differentiate(signal, 0)

    @cached_property
    def _rates(self) -> np.ndarray:
        """Derivative of the state by time, (rows, n)."""
        rows, p = self.signals.rows, self._repeat_rows(self.p)
        with np.errstate(all="ignore"):
            qdot, a, zdot, *_ = self.signals.kernels["flow"](*rows, p)
        return np.hstack([qdot, a, zdot])

    def _repeat_rows(self, x: np.ndarray) -> np.ndarray:
        return np.broadcast_to(x, (len(self.time), len(x)))

    @cached_property
    def _flow_derivatives(self):
        """By the variational kernel, linear in the derivatives.  Explicit time by differences."""
        count, Y = len(self.directions.order), self.rows.Y
        n, nm = self._rates.shape[1], self.nm
        at_rest, in_motion = Y.copy(), Y.copy()
        at_rest[:, n:], in_motion[:, n:] = 0, np.repeat(self._rates, count, axis=1)
        history = self.rows.history.copy()
        history[:, nm : nm + count * nm] = 0
        both = [self._evaluate_flow(x, history) for x in (in_motion, at_rest)]
        return tuple(
            (a - b)[:, :, :1] + x.T[:, :, None]
            for a, b, x in zip(*both, self._partial_derivatives, strict=True)
        )

    @property
    def _partial_derivatives(self) -> tuple[np.ndarray, np.ndarray]:
        """Partial derivatives of accelerations and multipliers by time (Richardson)."""
        _, *rest = self.signals.rows
        h, p = 1e-5 * max(float(np.ptp(self.time)), 1e-9), self._repeat_rows(self.p)

        def evaluate(k):
            _, a, _, *lam = self.signals.kernels["flow"](self.time + k * h, *rest, p)
            return np.hstack([a, *lam[:1]])

        with np.errstate(all="ignore"):
            a, b, c, d = (evaluate(k) for k in (-1.0, -0.5, 0.5, 1.0))
        a, lam = np.split((8 * (c - b) - (d - a)) / (6 * h), [self.system.nv], axis=1)
        return a, lam

    @cached_property
    def port_derivatives(self):
        """Derivatives of the arguments of formulas by time, (n, rows, 1) each."""
        s, rows = self.system, self.signals.rows
        q, v, z = np.split(self._rates.T[:, :, None], [s.nq, s.nq + s.nv])
        one, count = np.ones((1, len(rows.t), 1)), len(rows.t)
        constant = {"m": self.nm, "u": rows.u.shape[1], "p": len(self.p)}
        zeros = {n: np.zeros((k, count, 1)) for n, k in constant.items()}
        return {"t": one, "q": q, "v": v, "z": z, **zeros}


class OutputDifferentials(Outputs):
    """Derivatives of outputs by one name, in place of the outputs."""

    def __init__(self, derivatives: SignalDerivatives, i: int, outputs: Outputs):
        super().__init__(outputs.system, outputs.p)
        self.derivatives, self.i, self.values = derivatives, i, outputs

    def __call__(self, name: str, rows: Any, **more: Any):
        parts = self.derivatives.differentiate_quantity(self.values, name)
        return np.concatenate([x[:, :, self.i] for x in parts])

    def interpreted(self, name: str, rows: Any, **more: Any):
        parts = self.derivatives.differentiate_quantity(self.values, name)
        return [x[:, :, self.i] for x in parts]


class SignalDifferentials(RunSignals):
    """Derivatives of signals by one name.

    A signal that is linear in states and outputs has the formula of its derivative.  The others
    are here.
    """

    def __init__(self, derivatives: SignalDerivatives, i: int):
        """Derivatives by name i, with those of the state in place of the state."""
        values, s = derivatives.signals, derivatives.system
        ports = derivatives.port_derivatives
        state = (ports[x][:, :, i].T for x in ("q", "v", "z", "m", "u"))
        rows = StateRows(values.rows.t, *state)
        super().__init__(s, values.solutions, rows, values.p, values.jumps, values.least_norm)
        self.values = values
        self.outputs = OutputDifferentials(derivatives, i, values.outputs)
        self.whole = (
            OutputDifferentials(derivatives, i, values.whole)
            if values.whole is not values.outputs
            else self.outputs
        )
        a, lam = derivatives._flow_derivatives
        self.solved = a[:, :, i].T, lam[:, :, i].T

    def _closure(self):
        raise TorseurError("sensitivity: how well constraints are kept has no derivatives")

    @cached_property
    def _joints_and_loops(self):
        """Derivatives of determined reactions.  NaN where the reaction itself is NaN."""
        stress = self.values._stress
        if stress is not None and len(stress.lam) and self.least_norm:
            raise TorseurError(f"sensitivity: {HYPERSTATIC}; leave reactions= out")
        return tuple(
            np.where(np.isnan(value), np.nan, x)
            for value, x in zip(self.values._joints_and_loops, self._wrenches, strict=True)
        )

    def _powers(self):
        """Derivatives of powers, by the product rule."""
        n, values = len(self.rows.t), self.values
        V, dV = (
            x.whole("joint_twists", x.rows)[self._shown].reshape(-1, 6, n) for x in (values, self)
        )
        F, dF = (x._joints_and_loops[1].T.reshape(-1, 6, n) for x in (values, self))
        parts = np.where(V == 0, 0.0, dF * V) + np.where(dV == 0, 0.0, F * dV)
        return self._named("powers", parts.sum(axis=1))

    def _readings(self):
        """Derivatives of readings along those of the coordinates, by Richardson extrapolation.

        Full turns, by which a reading is continued from row to row, are removed.
        """
        q, dq = self.values.rows.q, self.rows.q
        h = READING_STEP / np.maximum(abs(dq).max(axis=1, initial=0), 1e-300)
        lines: dict[str, list] = {}
        for k in (-1.0, -0.5, 0.5, 1.0):
            rows = self.values.rows._replace(q=q + (k * h)[:, None] * dq)
            solutions, firsts = self.values.solutions, self.values.firsts
            shifted = RunSignals(self.system, solutions, rows, self.p, firsts=firsts)
            for name, x in shifted._readings().items():
                lines.setdefault(name, []).append(x)
        out = {}
        for name, (a, b, c, d) in lines.items():
            near, far = (x - FULL_TURN * np.round(x / FULL_TURN) for x in (c - b, d - a))
            out[name] = np.where(dq.any(axis=1), (8 * near - far) / (6 * h), 0.0)
        return out

    def _orientations(self):
        """Derivatives of unit quaternions: half the small rotation times the quaternion."""
        n = len(self.rows.t)
        R = self.values.outputs("orientations", self.values.rows).reshape(-1, 3, 3, n)
        dR = self.outputs("orientations", self.rows).reshape(-1, 3, 3, n)
        W = np.einsum("bijn,bkjn->bikn", dR, R)  # skew: the small rotation, world axes
        rotation = 0.5 * np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]])
        values, out = self.values._orientations(), {}
        for k, name in enumerate(self.values.outputs.places()):
            w, *v = (values[f"{name}.orientation.{c}"] for c in "wxyz")
            x = rotation[:, k]
            vector = w * x + np.cross(x, np.stack(v), axis=0)
            for c, y in zip("wxyz", (-(x * np.stack(v)).sum(axis=0), *vector), strict=True):
                out[f"{name}.orientation.{c}"] = y
        return out
