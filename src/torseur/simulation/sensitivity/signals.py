"""Derivatives of signals at the rows of a run.

Theory: SE.6.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise

import numpy as np

from ...errors import TorseurError, unknown_name
from ...kernels import BROKEN, LOST, Outputs, StateRows, interpreted
from ...quantities import QUANTITIES
from ..run.result import RunSignals
from .event_times import EventShifts, WideRows
from .one_sided import StartSides, cornered

LEAP = 1e-9  # of the largest: derivatives that an event at the start changes
READ, TURN = 1e-4, 2 * np.pi  # how far coordinates are moved for a reading; a whole turn
ENDS_THERE = (
    " (contacts on the edge of two ways of going on, pressed or free, stuck or sliding, or speeds "
    "that depend on how they share an impulse)"
)
HYPERSTATIC = "least-norm reactions of a hyperstatic mechanism have no derivatives here"


class Slopes:
    """Derivatives of signals at the rows of a run, in the directions that were asked for.

    `wide` are the rows with the derivatives behind state and memory.
    """

    def __init__(self, run, result, wide: WideRows, shifts: EventShifts):
        s = run.system
        self.directions, self.system, self.kernels = run.directions, s, run.kernels
        self.signals: RunSignals = result._source
        self.p = run.p.copy()
        self.wide = wide
        (n, self.nm), count = run.plain, len(self.directions.order)
        self.S = wide.Y[:, n:].reshape(len(wide.Y), n, count).swapaxes(1, 2)
        self.shifts = shifts
        self.sides, self.start = StartSides(run, self.signals), run.t_start
        self.apart = {} if run.begins is None else run.begins.apart
        self.state = (*s.coordinates, *s.speeds)
        self.events, self.time = result.events, result.time
        self._found: dict = {}
        self._corners: dict[int, str] = {}
        self.forgiving = False  # whether a search asks, which goes on with those of one side

    @cached_property
    def Sm(self) -> np.ndarray:
        """Derivatives of the memory, (rows, directions, numbers)."""
        nm, count = self.nm, len(self.directions.order)
        own = self.wide.pasts[:, nm : nm + count * nm]
        return own.reshape(len(own), nm, count).swapaxes(1, 2)[self.wide.which]

    @cached_property
    def lost(self) -> np.ndarray:
        """Whether derivatives do not exist any more, (rows, directions)."""
        return self._shifts_kept >= LOST

    @property
    def _shifts_kept(self) -> np.ndarray:
        """What the last event before each row says of its shift, (rows, directions)."""
        last, count = self.wide.nm - 1, len(self.directions.order)
        return self.wide.pasts[:, last - count : last][self.wide.which]

    @cached_property
    def rivals(self) -> str:
        """What ends the answers: events of one instant, in either order."""
        return self.shifts.rivals()

    def _grazed(self, i: int) -> str:
        """What ends the answers in a direction: an event that its guard only touches."""
        if not self.lost[:, i].any():
            return ""
        first = int(np.argmax(self.lost[:, i]))
        t = self.time[first]
        near = [e.name for e in self.events if abs(e.time - t) <= 1e-9 * max(1.0, abs(t))]
        broken = abs(self._shifts_kept[first, i]) >= BROKEN
        why = "has none by it" if broken else "is reached without speed (grazing)"
        if broken and sum(bool(e.contact) for e in self.directions.system.switched) > 1:
            why += ENDS_THERE
        return (
            f"from t = {t:.6g} s on derivatives do not exist: "
            f"{near[0] if near else 'an event'} there {why}"
        )

    @cached_property
    def one_sided(self) -> dict[int, str]:
        """Directions that leave a start on a boundary, or on an event, and what is there."""
        found = self.sides.named()
        at = self.shifts.when == self.start
        if not at.any():
            return found
        moved = abs(self.shifts.shifts[at]).max(axis=0) > 0
        S = self.S[self.time == self.start]
        leaps = abs(S[-1] - S[0]).max(axis=1) > LEAP * abs(S).max(axis=(0, 2))
        found |= {int(i): self.events[0].name for i in np.flatnonzero(moved & leaps)}
        return found

    def why(self, name: str) -> str:
        """Why derivatives by a number do not exist, or hold to one side only; "" where they do."""
        i = self.directions.order.index(name)
        if name in self.apart:
            return f"with a little more or less of it {self.apart[name]}"
        if i in self.one_sided:
            return (
                f"the start lies exactly on {self.one_sided[i]!r}, and its derivatives to one side "
                "and to the other differ; start a little off it"
            )
        return self._grazed(i) or self.rivals or self._cornered(i)

    def _cornered(self, i: int) -> str:
        """What is on the corner of its friction all along by this number alone."""
        if i not in self._corners:
            self._corners[i] = cornered(self, i)
        return self._corners[i]

    def __call__(self, signal: str, name: str) -> np.ndarray:
        if name not in self.directions.names:
            raise TorseurError(
                unknown_name("sensitivity", name, self.directions.names, "sensitivity")
            )
        i = self.directions.order.index(name)
        if (not self.forgiving or name in self.apart) and (why := self.why(name)):
            raise TorseurError(f"sensitivity of {signal!r} by {name!r}: {why}")
        if any(e.name == signal for e in self.events):
            at = [e.time for e in self.events if e.name == signal]
            named = self.shifts.named(signal)
            return (named if len(named) == len(at) else self.shifts.at(np.array(at)))[:, i]
        if signal == "time":
            return self.shifts.at(self.time)[:, i]
        if signal in self.state:
            return self.S[:, i, self.state.index(signal)].copy()
        return self._signal(signal, i)

    def _signal(self, signal: str, i: int) -> np.ndarray:
        if (signal, i) not in self._found:
            for other, x in Varied(self, i)(signal).items():
                self._found[other, i] = np.array(x)
        return self._found[signal, i].copy()

    def along_rows(self, signal: str, name: str) -> np.ndarray:
        """The same, of the value that a row has: rows at events go with them (SE.8)."""
        held, shift = self(signal, name), self("time", name)
        return held if not shift.any() else held + self.ticks(signal) * shift

    @cached_property
    def ticks(self) -> TimeSlopes:
        """Derivatives of signals by time."""
        return TimeSlopes(self)

    # what formulas read, and how that changes ---------------------------------------------
    @cached_property
    def _moved(self) -> tuple[np.ndarray, np.ndarray]:
        """Changes of accelerations and multipliers, (n, rows, directions), by the wide flow."""
        return self._wide_flow(self.wide.Y, self.wide.pasts)

    def _wide_flow(self, Y, pasts) -> tuple[np.ndarray, np.ndarray]:
        """From an event to the next, which rows have the memory of."""
        s, rows, count = self.system, self.signals.rows, len(self.directions.order)
        z, which, found = Y[:, s.nq + s.nv :], self.wide.which, []
        cuts = [0, *np.flatnonzero(np.diff(which)) + 1, len(which)]
        for own in (slice(a, b) for a, b in pairwise(cuts)):
            held = (pasts[which[own.start], : self.wide.nm], self.p)
            past, p = (np.broadcast_to(x, (own.stop - own.start, len(x))) for x in held)
            state = (rows.t[own], rows.q[own], rows.v[own], z[own])
            found.append(self.kernels["flow"](*state, past, rows.u[own], p)[2:])
        zdot, *lam = (np.concatenate(x) for x in zip(*found, strict=True))
        n = self.S.shape[2]
        a = zdot[:, len(s.layout.z) :].reshape(len(Y), n, count)[:, s.nq : s.nq + s.nv]
        m = lam[0].shape[1] // (1 + count) if lam else 0
        moved = lam[0][:, m:].reshape(len(Y), m, count) if lam else np.zeros((len(Y), 0, count))
        return a.swapaxes(0, 1), moved.swapaxes(0, 1)

    def port(self, name: str) -> np.ndarray:
        """What formulas read under this name, a state a row."""
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
    def moves(self) -> dict[str, np.ndarray]:
        """Changes of what formulas read, (n, rows, directions) each."""
        s, rows, where = self.system, self.signals.rows, self.directions
        q, v, z = np.split(self.S.transpose(2, 0, 1), [s.nq, s.nq + s.nv])
        du = np.zeros((len(s.layout.u), len(rows.t), len(where.order)))
        dp = np.zeros((len(self.p), len(rows.t), len(where.order)))
        for i, slot in enumerate(where.p):
            dp[slot, :, i] = 1
        for i, slot in enumerate(where.u):
            du[slot, :, len(where.p) + i] = 1
        still = np.zeros((1, len(rows.t), len(where.order)))
        m = self.Sm.transpose(2, 0, 1)
        return {"t": still, "q": q, "v": v, "z": z, "m": m, "u": du, "p": dp}

    def moving(self, port: str) -> np.ndarray:
        """How that changes, (n, rows, directions)."""
        if port in ("a", "lam"):
            return self._moved[port == "lam"]
        return self.along(self.signals.whole, "carried")[1] if port == "links" else self.moves[port]

    def along(self, outputs: Outputs, name: str) -> list[np.ndarray]:
        """Derivatives of each output of a quantity, (numbers, rows, directions)."""
        key = (outputs.system is self.system, name)
        if key not in self._found:
            own = QUANTITIES[name].given(outputs.system)
            ports = {x: self.port(x) for x in own}
            moves = {x: self.moving(x) for x in own} | {"p": self.moves["p"]}
            self._found[key] = interpreted(outputs.system).along(name, ports, moves, p=self.p)
        return self._found[key]


class TimeSlopes(Slopes):
    """Derivatives of signals by time at the rows of a run, memory and inputs held (SE.8)."""

    def __init__(self, own: Slopes):
        self.__dict__.update({k: v for k, v in vars(own).items() if k not in ("moves", "_moved")})
        self.whole_run, self._found = own, {}

    def __call__(self, signal: str, name: str = "time") -> np.ndarray:
        return self._signal(signal, 0)

    @cached_property
    def _rates(self) -> np.ndarray:
        rows, p = self.signals.rows, self._many(self.p)
        with np.errstate(all="ignore"):
            qdot, a, zdot, *_ = self.signals.kernels["flow"](*rows, p)
        return np.hstack([qdot, a, zdot])

    def _many(self, x) -> np.ndarray:
        return np.broadcast_to(x, (len(self.time), len(x)))

    @cached_property
    def _moved(self):
        """By the wide flow, linear in what stands behind the state; time itself by differences."""
        count, Y = len(self.directions.order), self.wide.Y
        n, nm = self._rates.shape[1], self.nm
        still, going = Y.copy(), Y.copy()
        still[:, n:], going[:, n:] = 0, np.repeat(self._rates, count, axis=1)
        pasts = self.wide.pasts.copy()
        pasts[:, nm : nm + count * nm] = 0
        ends = [self._wide_flow(x, pasts) for x in (going, still)]
        return tuple(
            (a - b)[:, :, :1] + x.T[:, :, None]
            for a, b, x in zip(*ends, self._by_clock, strict=True)
        )

    @property
    def _by_clock(self) -> tuple[np.ndarray, np.ndarray]:
        """Explicit derivatives of accelerations and multipliers by time."""
        _, *rest = self.signals.rows
        h, p = 1e-5 * max(float(np.ptp(self.time)), 1e-9), self._many(self.p)

        def at(k):
            _, a, _, *lam = self.signals.kernels["flow"](self.time + k * h, *rest, p)
            return np.hstack([a, *lam[:1]])

        with np.errstate(all="ignore"):
            a, b, c, d = (at(k) for k in (-1.0, -0.5, 0.5, 1.0))
        a, lam = np.split((8 * (c - b) - (d - a)) / (6 * h), [self.system.nv], axis=1)
        return a, lam

    @cached_property
    def moves(self):
        s, rows = self.system, self.signals.rows
        q, v, z = np.split(self._rates.T[:, :, None], [s.nq, s.nq + s.nv])
        one, count = np.ones((1, len(rows.t), 1)), len(rows.t)
        held = {"m": self.nm, "u": rows.u.shape[1], "p": len(self.p)}
        nothing = {n: np.zeros((k, count, 1)) for n, k in held.items()}
        return {"t": one, "q": q, "v": v, "z": z, **nothing}


class VariedOutputs(Outputs):
    """Derivatives in one direction in the places of outputs."""

    def __init__(self, slopes: Slopes, i: int, outputs: Outputs):
        super().__init__(outputs.system, outputs.p)
        self.slopes, self.i, self.own = slopes, i, outputs

    def __call__(self, name, rows, **more):
        found = self.slopes.along(self.own, name)
        return np.concatenate([x[:, :, self.i] for x in found])

    def interpreted(self, name, rows, **more):
        return [x[:, :, self.i] for x in self.slopes.along(self.own, name)]


class Varied(RunSignals):
    """Derivatives of signals in one direction: what is linear in states and outputs is the same."""

    def __init__(self, slopes: Slopes, i: int):
        own, s = slopes.signals, slopes.system
        moves = (slopes.moves[x][:, :, i].T for x in ("q", "v", "z", "m", "u"))
        super().__init__(
            s, own.ways, StateRows(own.rows.t, *moves), own.p, own.jumps, own.least_norm
        )
        self.own, self.slopes = own, slopes
        self.outputs = VariedOutputs(slopes, i, own.outputs)
        self.whole = (
            VariedOutputs(slopes, i, own.whole) if own.whole is not own.outputs else (self.outputs)
        )
        a, lam = slopes._moved
        self.solved = a[:, :, i].T, lam[:, :, i].T
        self.i = i

    def _closure(self):
        raise TorseurError("sensitivity: how well constraints are kept has no derivatives")

    @cached_property
    def _joints_and_loops(self):
        """Those of a determined reaction; NaN where the reaction itself is."""
        stress = self.own._stress
        if stress is not None and len(stress.lam) and self.least_norm:
            raise TorseurError(f"sensitivity: {HYPERSTATIC}; leave reactions= out")
        return tuple(
            np.where(np.isnan(known), np.nan, x)
            for known, x in zip(self.own._joints_and_loops, self._wrenches, strict=True)
        )

    def _powers(self):
        """By the rule of products."""
        n, own = len(self.rows.t), self.own
        V, dV = (
            x.whole("joint_twists", x.rows)[self._shown].reshape(-1, 6, n) for x in (own, self)
        )
        F, dF = (x._joints_and_loops[1].T.reshape(-1, 6, n) for x in (own, self))
        parts = np.where(V == 0, 0.0, dF * V) + np.where(dV == 0, 0.0, F * dV)
        return self._named("powers", parts.sum(axis=1))

    def _readings(self):
        """Along the coordinates' own, by Richardson's rule on the reading alone; whole turns, by
        which a reading goes on from row to row, are none of a change."""
        q, dq = self.own.rows.q, self.rows.q
        h = READ / np.maximum(abs(dq).max(axis=1, initial=0), 1e-300)
        lines: dict[str, list] = {}
        for k in (-1.0, -0.5, 0.5, 1.0):
            rows = self.own.rows._replace(q=q + (k * h)[:, None] * dq)
            moved = RunSignals(self.system, self.own.ways, rows, self.p, firsts=self.own.firsts)
            for name, x in moved._readings().items():
                lines.setdefault(name, []).append(x)
        out = {}
        for name, (a, b, c, d) in lines.items():
            near, far = (x - TURN * np.round(x / TURN) for x in (c - b, d - a))
            out[name] = np.where(dq.any(axis=1), (8 * near - far) / (6 * h), 0.0)
        return out

    def _orientations(self):
        """Of unit quaternions: half the small turn times the quaternion."""
        n = len(self.rows.t)
        R = self.own.outputs("orientations", self.own.rows).reshape(-1, 3, 3, n)
        dR = self.outputs("orientations", self.rows).reshape(-1, 3, 3, n)
        W = np.einsum("bijn,bkjn->bikn", dR, R)  # skew: the small turn, world axes
        turn = 0.5 * np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]])
        known, out = self.own._orientations(), {}
        for k, name in enumerate(self.own.outputs.places()):
            w, *v = (known[f"{name}.orientation.{c}"] for c in "wxyz")
            x = turn[:, k]
            vector = w * x + np.cross(x, np.stack(v), axis=0)
            for c, y in zip("wxyz", (-(x * np.stack(v)).sum(axis=0), *vector), strict=True):
                out[f"{name}.orientation.{c}"] = y
        return out
