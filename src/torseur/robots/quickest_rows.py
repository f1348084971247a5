"""What the efforts along a path allow: rows of bounds of the share's acceleration."""

from __future__ import annotations

import numpy as np

from ..quantities import compile

FAR = 1e12


class Terms:
    """Efforts along the path: `m(s) s'' + c(s) s'^2 + g(s)`, friction apart.  # TO.1"""

    def __init__(self, s, curve, grid):
        dyn = self.dyn = compile(s)
        q, d, dd = (curve(grid, n) for n in range(3))
        zero = np.zeros_like(d)
        self.q, self.d = q, d
        weight = dyn.inverse_dynamics(q, zero, zero)
        self.m = dyn.inverse_dynamics(q, zero, d) - weight
        self.c = dyn.inverse_dynamics(q, d, dd) - weight
        self.still = dyn.applied(0.0, q, zero) if s.elements else 0 * weight
        self.g = weight - self.still
        self.rubs = bool(s.elements) and bool(abs(dyn.applied(0.0, q, d) - self.still).max() > 0)

    def friction(self, rate):
        if not self.rubs or rate is None:
            return 0 * self.g
        return -(self.dyn.applied(0.0, self.q, self.d * rate[:, None]) - self.still)

    def rows(self, limits, rate):
        """Bounds `A u + B x + C <= 0` at every point, (n, rows), and their names.

        Friction at the last speed is split: what it begins with, and a part that grows with x.
        """
        begin = self.friction(np.full(len(self.g), 1e-6)) if rate is not None else 0 * self.g
        push = self.g + begin
        drag = self.c
        if self.rubs and rate is not None:
            x = np.maximum(rate**2, 1e-9 * max((rate**2).max(), 1e-300))[:, None]
            drag = self.c + (self.friction(np.sqrt(x[:, 0])) - begin) / x
        A, B, C, names = [], [], [], []
        for name, i, effort, _ in limits:
            if effort is None:
                continue
            for sign in (1, -1):
                A.append(sign * self.m[:, i])
                B.append(sign * drag[:, i])
                C.append(sign * push[:, i] - effort)
                names.append(f"{name}.max_effort")
        n = len(self.g)
        if not A:
            return np.zeros((n, 0)), np.zeros((n, 0)), np.zeros((n, 0)), []
        return *(np.stack(x, 1) for x in (A, B, C)), names

    def fastest(self, limits):
        """Largest s'^2 by limits of speed, and the joint whose limit it is."""
        x, who = np.full(len(self.g), FAR), np.full(len(self.g), "", dtype=object)
        for name, i, _, speed in limits:
            if speed is not None:
                with np.errstate(divide="ignore"):
                    own = np.where(self.d[:, i] != 0, (speed / self.d[:, i]) ** 2, FAR)
                who = np.where(own < x, f"{name}.max_speed", who)
                x = np.minimum(x, own)
        return x, who

    def efforts(self, x, u):
        rub = self.friction(np.sqrt(np.maximum(x, 0)))
        return self.m * u[:, None] + self.c * x[:, None] + self.g + rub


__all__ = ["FAR", "Terms"]
