"""How times of events change with the numbers that derivatives are taken by.

Theory: SE.2, SE.8.
"""

from __future__ import annotations

from functools import cached_property
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np

# --------------------------------------------------------------------------------------------
# Rows of a run with derivatives behind its state and its memory.


class WideRows(NamedTuple):
    """Times and states of rows; memory and inputs, which change at events alone, once each.

    >>> rows = WideRows(np.array([0.0, 1.0, 1.0]), np.zeros((3, 2)), np.array([[5.0, 7.0]]),
    ...                 np.zeros(3, int), 1)
    >>> rows.at(np.array([1.0])).memory.tolist(), rows.at(np.array([1.0, 1.0])).inputs.tolist()
    ([[5.0]], [[7.0], [7.0]])
    """

    time: np.ndarray
    Y: np.ndarray
    pasts: np.ndarray  # memory and inputs
    which: np.ndarray  # of them each row has
    nm: int  # numbers of a memory

    @property
    def memory(self) -> np.ndarray:
        return self.pasts[self.which, : self.nm]

    @property
    def inputs(self) -> np.ndarray:
        return self.pasts[self.which, self.nm :]

    def at(self, kept: np.ndarray) -> WideRows:
        """The rows of these times, in order: one of two at the same time is the first."""
        if len(kept) == len(self.time):
            return self
        place = np.searchsorted(self.time, kept)
        for i in np.flatnonzero(kept[1:] == kept[:-1]):
            place[i + 1] = place[i] + 1
        return self._taken(place)

    def before(self, when: np.ndarray) -> WideRows:
        """The rows at these times before anything acts there."""
        return self._taken(np.searchsorted(self.time, when))

    def _taken(self, place) -> WideRows:
        return self._replace(time=self.time[place], Y=self.Y[place], which=self.which[place])

    def ended(self, t: float, y: np.ndarray, past: np.ndarray) -> WideRows:
        """With one more row, of a run that failed."""
        pasts, which = np.vstack([self.pasts, past]), np.append(self.which, len(self.pasts))
        time, Y = np.append(self.time, t), np.vstack([self.Y, y])
        return WideRows(time, Y, pasts, which, self.nm)

    def copied(self) -> WideRows:
        time, Y, pasts, which = (x.copy() for x in (self.time, self.Y, self.pasts, self.which))
        return WideRows(time, Y, pasts, which, self.nm)


WITH = 2.0  # times the least guard of an instant: another that is as near fell by itself
NEAR = 1e-9  # a guard below fell by itself, whatever the others
APART = 1e-6  # of the larger: shifts of two events that differ


class EventShifts:
    """Changes of the times of all events of a run, in every direction.

    `rows` are the wide rows of the run, of which those before each event of the log `when`, `which`
    are taken.  What fell by itself has its own guard's shift; what another event of the instant
    pushed, that event's.
    """

    def __init__(self, run, rows: WideRows, when, which):
        count = len(run.directions.order)
        self.run = SimpleNamespace(system=run.system, kernels=run.kernels, p=run.p.copy())
        self.rows, self.when, self.which = rows, when, which
        self.nm, self.count = run.plain[1], count

    @cached_property
    def before(self) -> tuple[np.ndarray, ...]:
        """Time, state, memory and inputs before each event."""
        rows = self.rows.before(self.when)
        return rows.time, rows.Y, rows.memory, rows.inputs

    @property
    def shifts(self) -> np.ndarray:
        """Of every event, in every direction."""
        return self._found[0]

    @property
    def own(self) -> np.ndarray:
        """Which events fell by themselves."""
        return self._found[1]

    @cached_property
    def _found(self) -> tuple[np.ndarray, np.ndarray]:
        run, s, (t, Y, m, u) = self.run, self.run.system, self.before
        p = np.broadcast_to(run.p, (len(t), len(run.p)))
        given = (t, Y[:, : s.nq], Y[:, s.nq : s.nq + s.nv], Y[:, s.nq + s.nv :], m, u, p)
        no = np.zeros((len(t), s.layout.gathered))
        with np.errstate(all="ignore"):
            m1 = np.asarray(run.kernels["jump"](*given, self.which.astype(float), no)[2])
            g = np.asarray(run.kernels["guards"](*given))[np.arange(len(t)), self.which]
        first = self.nm + self.count * self.nm
        shifts, own = m1[:, first : first + self.count], np.ones(len(t), bool)
        for here in self._together:
            least = here[np.argmin(abs(g[here]))]
            pushed = here[abs(g[here]) > max(WITH * abs(g[least]), NEAR)]
            own[pushed] = False
            shifts[pushed] = shifts[least]
        return shifts, own

    @property
    def _together(self) -> list[np.ndarray]:
        """Events of instants that have several."""
        time, count = np.unique(self.when, return_counts=True)
        return [np.flatnonzero(self.when == t) for t in time[count > 1]]

    def at(self, when) -> np.ndarray:
        """Shifts of the rows at these times: those of the first event of the instant."""
        place = np.searchsorted(self.when, when)
        hit = np.minimum(place, max(len(self.when) - 1, 0))
        there = (self.when[hit] == when) if len(self.when) else np.zeros(len(when), bool)
        out = np.zeros((len(when), self.count))
        out[there] = self.shifts[hit[there]]
        return out

    def named(self, name: str) -> np.ndarray:
        """Shifts of all events of a name, in order."""
        names = [g.name for g in self.run.system.layout.guards]
        return self.shifts[[names[k] == name for k in self.which.tolist()]]

    def rivals(self) -> str:
        """Two events of one instant that act otherwise in the other order, as a sentence."""
        names = [g.name for g in self.run.system.layout.guards]
        for instant in self._together:
            here = instant[self.own[instant]]
            d = self.shifts[here]
            if len(here) < 2 or not (np.ptp(d, axis=0) > APART * abs(d).max(axis=0)).any():
                continue
            one, other = (self._after(here[0], self.which[x]) for x in (here, here[::-1]))
            size = np.maximum(abs(one), abs(other))
            if (abs(one - other) > APART * np.maximum(size, size.max())).any():
                said = " and ".join(repr(names[k]) for k in dict.fromkeys(self.which[here]))
                return (
                    f"from t = {self.when[here[0]]:.6g} s on derivatives do not exist: {said} "
                    "happen at the same time there, and which comes first changes them"
                )
        return ""

    def _after(self, row: int, order) -> np.ndarray:
        """Speeds and derivatives after the events of an instant, in some order."""
        run, s = self.run, self.run.system
        t, Y, m, u = (x[row] for x in self.before)
        q, v, z = np.split(Y, [s.nq, s.nq + s.nv])
        for k in order:
            near = [np.clip(int(m[x.place] + 0.5) + np.arange(-1, 2), 0, len(x.rows) - 1)
                    for x in s.layout.lists]  # fmt: skip
            d = [np.asarray(x.rows, float)[i].ravel() for x, i in
                 zip(s.layout.lists, near, strict=True)]  # fmt: skip
            with np.errstate(all="ignore"):
                v, z, m = run.kernels["jump"](
                    t, q, v, z, m, u, run.p, float(k), np.concatenate([*d, np.zeros(0)])
                )
        return np.concatenate([np.ravel(v), np.ravel(z)])
