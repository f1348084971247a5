"""How times of events change with the numbers that derivatives are taken by.

Theory: SE.2, SE.8.
"""

from __future__ import annotations

import numpy as np

WITH = 2.0  # times the least guard of an instant: another that is as near fell by itself
NEAR = 1e-9  # a guard below fell by itself, whatever the others
APART = 1e-6  # of the larger: shifts of two events that differ


class EventShifts:
    """Changes of the times of all events of a run, in every direction.

    `before` are the wide rows (t, Y, m, u) as they were before each event of the log `when`,
    `which`.  What fell by itself has its own guard's shift; what another event of the instant
    pushed, that event's.
    """

    def __init__(self, run, before, when, which):
        s, (t, Y, m, u) = run.system, before
        self.run, self.when, self.which = run, when, which
        nm, count = run.plain[1], len(run.directions.order)
        p = np.broadcast_to(run.p, (len(t), len(run.p)))
        given = (t, Y[:, : s.nq], Y[:, s.nq : s.nq + s.nv], Y[:, s.nq + s.nv :], m, u, p)
        no = np.zeros((len(t), s.layout.gathered))
        with np.errstate(all="ignore"):
            m1 = np.asarray(run.kernels["jump"](*given, which.astype(float), no)[2])
            g = np.asarray(run.kernels["guards"](*given))[np.arange(len(t)), which]
        first = nm + count * nm
        self.shifts = m1[:, first : first + count]
        self.own = np.ones(len(t), bool)
        for time in np.unique(when):
            here = np.flatnonzero(when == time)
            least = here[np.argmin(abs(g[here]))]
            pushed = here[abs(g[here]) > max(WITH * abs(g[least]), NEAR)]
            self.own[pushed] = False
            self.shifts[pushed] = self.shifts[least]

    def at(self, when) -> np.ndarray:
        """Shifts of the rows at these times: those of the first event of the instant."""
        place = np.searchsorted(self.when, when)
        hit = np.minimum(place, max(len(self.when) - 1, 0))
        there = (self.when[hit] == when) if len(self.when) else np.zeros(len(when), bool)
        out = np.zeros((len(when), self.shifts.shape[1]))
        out[there] = self.shifts[hit[there]]
        return out

    def named(self, name: str) -> np.ndarray:
        """Shifts of all events of a name, in order."""
        names = [g.name for g in self.run.system.layout.guards]
        return self.shifts[[names[k] == name for k in self.which.tolist()]]

    def rivals(self, time, Y) -> str:
        """Two events of one instant that would act otherwise in the other order, as a sentence.

        Forces of laws add up, so their knots may meet; jumps of speeds do not.
        """
        s = self.run.system
        names, n = [g.name for g in s.layout.guards], s.nq + s.nv
        for when in np.unique(self.when):
            here = np.flatnonzero((self.when == when) & self.own)
            d = self.shifts[here]
            if len(here) < 2 or not (np.ptp(d, axis=0) > APART * abs(d).max(axis=0)).any():
                continue
            v = Y[time == when, s.nq : n]
            if (np.ptp(v, axis=0) > 1e-9 * np.maximum(1.0, abs(v).max(axis=0))).any():
                said = " and ".join(repr(names[k]) for k in dict.fromkeys(self.which[here]))
                return (
                    f"from t = {when:.6g} s on derivatives do not exist: {said} happen at the same "
                    "time there, and which comes first changes the motion"
                )
        return ""
