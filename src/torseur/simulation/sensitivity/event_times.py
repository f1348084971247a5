"""Derivatives of event times, and events of one instant whose order matters.

The reset of an event carries the sensitivities across it by the saltation matrix (Leine and
Nijmeijer 2004).  Its kernel also returns the derivative of the event's time.  Theory: SE.2, SE.8.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .parameters import VariationalRows, VariationalRun

SIMULTANEOUS_RATIO = 2.0  # to the smallest event function of an instant: a second event by itself
EVENT_TOLERANCE = 1e-9  # an event function below it fell by itself, whatever the others
SHIFT_RTOL = 1e-6  # of the larger: derivatives of two event times that differ


class EventTimeDerivatives:
    """Derivatives of the times of all events of a run, by every parameter.

    `rows` are the time points of the run, of which those before each event of the log `when`,
    `which` are read.  An event that fell by itself has its own derivative.  An event that another
    one of the instant caused has that one's.
    """

    def __init__(
        self, run: VariationalRun, rows: VariationalRows, when: np.ndarray, which: np.ndarray
    ):
        self.system, self.kernels, self.p = run.system, run.kernels, run.p.copy()
        self.rows, self.when, self.which = rows, when, which
        self.nm, self.count = run.memory_size, len(run.directions.order)

    @cached_property
    def before(self) -> tuple[np.ndarray, ...]:
        """Time, state, memory and inputs before each event."""
        rows = self.rows.select_before(self.when)
        return rows.time, rows.Y, rows.memory, rows.inputs

    @property
    def shifts(self) -> np.ndarray:
        """Derivatives of the event times, (events, parameters) (SE.2)."""
        return self._shifts[0]

    @property
    def is_independent(self) -> np.ndarray:
        """Which events fell by themselves."""
        return self._shifts[1]

    @cached_property
    def _shifts(self) -> tuple[np.ndarray, np.ndarray]:
        """`shifts` and `is_independent`, by the reset kernel and the values of event functions."""
        s, (t, Y, m, u) = self.system, self.before
        p = np.broadcast_to(self.p, (len(t), len(self.p)))
        state = (t, Y[:, : s.nq], Y[:, s.nq : s.nq + s.nv], Y[:, s.nq + s.nv :], m, u, p)
        neighbors = np.zeros((len(t), s.layout.gathered))
        with np.errstate(all="ignore"):
            memory = np.asarray(
                self.kernels["jump"](*state, self.which.astype(float), neighbors)[2]
            )
            g = np.asarray(self.kernels["guards"](*state))[np.arange(len(t)), self.which]
        first = self.nm + self.count * self.nm
        shifts, is_independent = memory[:, first : first + self.count], np.ones(len(t), bool)
        for events in self._simultaneous_events:
            leading = events[np.argmin(abs(g[events]))]
            bound = max(SIMULTANEOUS_RATIO * abs(g[leading]), EVENT_TOLERANCE)
            caused = events[abs(g[events]) > bound]
            is_independent[caused] = False
            shifts[caused] = shifts[leading]
        return shifts, is_independent

    @property
    def _simultaneous_events(self) -> list[np.ndarray]:
        """Indices of the events of each instant that has several."""
        time, count = np.unique(self.when, return_counts=True)
        return [np.flatnonzero(self.when == t) for t in time[count > 1]]

    def shifts_at(self, when: np.ndarray) -> np.ndarray:
        """Derivatives of the times of rows: those of the first event of the instant, else 0."""
        first = np.searchsorted(self.when, when)
        event = np.minimum(first, max(len(self.when) - 1, 0))
        is_event = (self.when[event] == when) if len(self.when) else np.zeros(len(when), bool)
        out = np.zeros((len(when), self.count))
        out[is_event] = self.shifts[event[is_event]]
        return out

    def shifts_of(self, name: str) -> np.ndarray:
        """Derivatives of the times of all events of a name, in order."""
        names = [g.name for g in self.system.layout.guards]
        return self.shifts[[names[k] == name for k in self.which.tolist()]]

    def describe_order_dependence(self) -> str:
        """A sentence on two events of one instant whose order changes the derivatives, or ""."""
        names = [g.name for g in self.system.layout.guards]
        for instant in self._simultaneous_events:
            events = instant[self.is_independent[instant]]
            d = self.shifts[events]
            if len(events) < 2 or not (np.ptp(d, axis=0) > SHIFT_RTOL * abs(d).max(axis=0)).any():
                continue
            forward, backward = (
                self._apply_resets(events[0], self.which[x]) for x in (events, events[::-1])
            )
            size = np.maximum(abs(forward), abs(backward))
            if (abs(forward - backward) > SHIFT_RTOL * np.maximum(size, size.max())).any():
                which = " and ".join(repr(names[k]) for k in dict.fromkeys(self.which[events]))
                return (
                    f"from t = {self.when[events[0]]:.6g} s on derivatives do not exist: {which} "
                    "happen at the same time there, and which comes first changes them"
                )
        return ""

    def _apply_resets(self, row: int, order: np.ndarray) -> np.ndarray:
        """Speeds and derivatives after the events of an instant, in some order."""
        s = self.system
        t, Y, m, u = (x[row] for x in self.before)
        q, v, z = np.split(Y, [s.nq, s.nq + s.nv])
        for k in order:
            near = [np.clip(int(m[x.place] + 0.5) + np.arange(-1, 2), 0, len(x.rows) - 1)
                    for x in s.layout.lists]  # fmt: skip
            neighbors = [np.asarray(x.rows, float)[i].ravel() for x, i in
                         zip(s.layout.lists, near, strict=True)]  # fmt: skip
            with np.errstate(all="ignore"):
                v, z, m = self.kernels["jump"](
                    t, q, v, z, m, u, self.p, float(k), np.concatenate([*neighbors, np.zeros(0)])
                )
        return np.concatenate([np.ravel(v), np.ravel(z)])
