"""Regulators of several poses, read off where the arm is.  Theory: CT.7."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np

from ..errors import ArgumentError, TorseurError, system_of, unknown_name
from ..model import Model
from ..numbers import asked
from ..quantities import compile
from .controllers import lqr, motors


class GainSchedule:
    """`u = u_0(target) - K(q_i) (x - x_target)`: gains of `lqr` at knots of a coordinate, straight
    between them, held beyond.  # CT.7

    Parameters
    ----------
    over : {coordinate: growing values}: where regulators are made; the other coordinates as in `at`
    target : where to go, {coordinate: value}
    weights, effort : of `lqr`

    A `control=` of `ts.simulate`.  `knots` (n,), `K` (n, inputs, states), `eigenvalues` (n, states)
    of the closed loop at each knot; `gain(x)` between them.

    >>> import torseur as ts
    >>> arm = ts.from_dh([("pi/2", 0, 0, 0)], [ts.Body("a", 1, (0.5, 0, 0))],
    ...                  convention="modified", actuate=True)
    >>> plan = GainSchedule(arm, {"joint1.angle": (-1.0, 0.0, 1.0)}, {"joint1.angle": 0.8})
    >>> bool((plan.eigenvalues.real < 0).all()), plan.K.shape
    (True, (3, 1, 2))
    """

    references: tuple[str, ...] = ()

    def __init__(
        self,
        model: Model,
        over: Mapping[str, Any],
        target: Mapping[str, float],
        *,
        at: Mapping[str, float] | None = None,
        weights: Mapping[str, float] | float = 1.0,
        effort: Mapping[str, float] | float = 1.0,
    ):
        s = self.system = system_of(model, "gain schedule")
        over = asked.mapping("gain schedule", "over", over, "{'joint2.angle': [0, 1]}")
        if len(over) != 1:
            raise ArgumentError(f"gain schedule: give one coordinate in over=, got {len(over)}")
        ((name, given),) = over.items()
        if name not in s.coordinates:
            raise TorseurError(unknown_name("coordinate", name, s.coordinates, "gain schedule"))
        unit = next(p.unit for p in s.ports if p.name == name)
        self.knots = asked.numbers("gain schedule", name, given, unit)
        if self.knots.ndim != 1 or len(self.knots) < 2 or (np.diff(self.knots) <= 0).any():
            raise ArgumentError(f"gain schedule: the values of {name!r} must grow, two or more")
        made = [
            lqr(model, {**dict(at or {}), name: float(x)}, weights=weights, effort=effort)
            for x in self.knots
        ]
        self.index = s.coordinates.index(name)
        self.K = np.array([x.K for x in made])
        self.eigenvalues = np.array([x.eigenvalues for x in made])
        self.pushes = made[0].inputs
        self.target = s.state(target)[0]
        zero = np.zeros(s.nv)
        hold = compile(s).inverse_dynamics(self.target, zero, zero, forces=bool(s.elements))
        own = {u: (s.link(j).v.start, gain) for j, (u, gain) in motors(model).items()}
        self.hold = np.array([hold[own[u][0]] / own[u][1] for u in self.pushes])

    def gain(self, x: float) -> np.ndarray:
        """`K` where the coordinate is x, (inputs, states)."""
        k = self.knots
        i = int(np.clip(np.searchsorted(k, x) - 1, 0, len(k) - 2))
        share = float(np.clip((x - k[i]) / (k[i + 1] - k[i]), 0, 1))
        return (1 - share) * self.K[i] + share * self.K[i + 1]

    def __call__(self, t, q, v) -> dict[str, float]:
        x = np.concatenate([np.asarray(q) - self.target, v])
        u = self.hold - self.gain(float(q[self.index])) @ x
        return dict(zip(self.pushes, map(float, u), strict=True))

    def formula(self, graph):
        """Inputs over a graph: gains as sums of hinges."""
        lib, x = graph.lib, graph.q[self.index]
        k = lib.DM(self.K[0])
        for (a, b), (A, B) in zip(pairwise(self.knots), pairwise(self.K), strict=True):
            share = lib.fmin(lib.fmax((x - a) / (b - a), 0), 1)
            k = k + lib.DM(B - A) * share
        return lib.DM(self.hold) - k @ lib.vertcat(graph.q - lib.DM(self.target), graph.v)


__all__ = ["GainSchedule"]
