"""Runs that are led along the measured motion, so that a force that is wrong is felt at once, and
only there.

Theory: ID.26.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...scalars.values import value
from .residual_analysis import roughness

MOST = 250  # times at which a run is led
FINEST = 1000  # values that a measured way is smoothed from
SMOOTH = 1e-4  # of its spread: roughness of a way that need not be smoothed
ROUGH = 3e-3  # of its spread: roughness of what leads nobody
FEW = 6  # values from which a motion can be read


@dataclass(frozen=True, slots=True, eq=False)
class Led:
    """A coordinate that is led: its places in the state, way and speed at the times of leading.

    `rests` tells whether the way is counted from where the run starts; what is not known at a time
    is no number.
    """

    q: int
    v: int
    way: np.ndarray
    rate: np.ndarray
    rests: bool


class Lead:
    """What the tests of an experiment say of the motion: `coordinates` every `period` seconds."""

    def __init__(self, trial):
        e, s = trial.experiment, trial.system
        self.start, self.period = float(e.options.get("t_start", 0.0)), 0.0
        self.trial = trial
        self.names: dict[str, tuple[int, bool]] = {}  # of what is led: which one, whether a way
        self.coordinates: list[Led] = []
        if s.held or s.switched or s.rheonomic:
            return  # speeds there are not free to be set
        named = [
            (k, {s.coordinates[k.q.start]: 0, s.speeds[k.v.start]: 1})
            for k in s.links
            if k.q.stop - k.q.start == k.v.stop - k.v.start == 1
        ]
        known = [(k, {kind: self._read(e, n) for n, kind in own.items() if n in e.measured}, own)
                 for k, own in named]  # fmt: skip
        known = [
            (k, {i: x for i, x in read.items() if x is not None}, own) for k, read, own in known
        ]
        spaces = [np.median(np.diff(t)) for _, read, _ in known for t, _ in read.values()]
        if not spaces:
            return
        self.period = max(*spaces, (e.t_end - self.start) / MOST)
        for k, read, own in known:
            if (found := self._led(k, read, e.t_end)) is not None:
                at = len(self.coordinates)
                self.names |= {n: (at, kind == 0) for n, kind in own.items()}
                self.coordinates.append(found)

    def _read(self, e, name):
        """Measured values from the start on, filtered; none where too few or rough: steep laws
        would make forces of the noise."""
        t, y = e.measured[name]
        y, keep = e.filtered(name, t, y), (t >= self.start) & (t <= e.t_end)
        if keep.sum() < FEW or roughness(y[keep]) > ROUGH * np.std(y[keep]):
            return None
        return t[keep], y[keep]

    def _led(self, link, read, end) -> Led | None:
        from scipy.interpolate import CubicSpline, make_smoothing_spline

        times = self.start + self.period * np.arange(int((end - self.start) / self.period) + 2)
        way: Any = None
        rate: Any = None
        if 0 in read:
            t, x = _thinned(*read[0])
            smooth = roughness(x) < SMOOTH * np.std(x)
            way = (CubicSpline if smooth else make_smoothing_spline)(t, x)
            rate = way.derivative()
        if 1 in read:
            t, v = read[1]
            if way is None and t[0] > self.start + 2.5 * np.median(np.diff(t)):
                return None  # nobody knows where it was by then
            rate = CubicSpline(*self._begun(link, t, v))
        if rate is None:
            return None
        rests = way is None
        way = rate.antiderivative() if rests else way
        ends = [t[[0, -1]] for t, _ in read.values()]
        inside = (times >= max(a for a, _ in ends)) & (times <= min(b for _, b in ends))
        x = way(times) - (way(self.start) if rests else 0.0)
        return Led(link.q.start, link.v.start, np.where(inside, x, np.nan), rate(times), rests)

    def _begun(self, link, t, v):
        """Measured speeds, behind that of the start where the model knows it."""
        name = self.trial.system.speeds[link.v.start]
        if t[0] <= self.start or name in self.trial.starts:
            return t, v
        given = {n: x for n, x in self.trial.system.parameters.items() if x is not None}
        own = value.nominal(value.exact(self.trial.start.get(name, 0.0)), given)
        return np.append(self.start, t), np.append(own, v)


def _thinned(t, y):
    """Means of neighbors, where there are very many."""
    k = -(-len(t) // FINEST)
    n = len(t) // k * k
    return t[:n].reshape(-1, k).mean(axis=1), y[:n].reshape(-1, k).mean(axis=1)


class Steering:
    """A controller of one run with derivatives: it sets the speeds of what is led so that it is
    back on its way after a period, and remembers what that took.

    The first call only looks at the start.
    """

    def __init__(self, lead: Lead, size: int):
        self.lead = lead
        own = lead.coordinates
        self.q, self.v = np.array([c.q for c in own]), size + np.array([c.v for c in own])
        self.way, self.rate = np.array([c.way for c in own]).T, np.array([c.rate for c in own]).T
        self.rests = np.array([c.rests for c in own])
        self.first: Any = None
        self.leaps: list[np.ndarray] = []  # of speeds at each call, and behind them of S

    def steer(self, t: float, y: np.ndarray, S: np.ndarray) -> None:
        """Change speeds of a state and their derivatives (directions, state), in place: ID.26."""
        whole = np.vstack([y, S])
        if self.first is None:
            self.first = self.rests * whole[:, self.q]
            self.leaps.append(np.zeros_like(self.first))
            return
        k = len(self.leaps)
        new = (self.first - whole[:, self.q]) / self.lead.period
        new[0] += self.rate[k] + self.way[k] / self.lead.period
        leap = np.where(np.isfinite(new[0]), new - whole[:, self.v], 0.0)
        self.leaps.append(leap)
        y[self.v] += leap[0]
        S[:, self.v] += leap[1:]

    def taken(self, name: str, times: np.ndarray) -> np.ndarray:
        """What leading has added to a coordinate or speed by each time, and to its derivatives
        (times, 1 + directions); nothing to other signals."""
        leaps = np.array(self.leaps)
        if name not in self.lead.names:
            return np.zeros((len(times), leaps.shape[1]))
        at, is_way = self.lead.names[name]
        when = self.lead.start + self.lead.period * np.arange(len(leaps))
        own, none = leaps[:, :, at], np.zeros((1, leaps.shape[1]))
        before = np.searchsorted(when, times, side="left")
        speed = np.vstack([none, np.cumsum(own, axis=0)])[before]
        if not is_way:
            return speed
        moment = np.vstack([none, np.cumsum(own * when[:, None], axis=0)])[before]
        return speed * times[:, None] - moment
