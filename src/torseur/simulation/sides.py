"""Starts exactly on a boundary: which derivatives hold to one side only.

Theory: SE.10.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import numpy as np

from ..quantities import begun
from .solution import kernels_of

PART = 1e-7  # of a number, and of 0.1: how far a start is moved to either side
CLOSER = 0.1  # a leap of the rates is as large at this part of that way; a slope is not
ROUNDING = 1e-11


class StartSides:
    """Elements whose boundary the start lies on, by the numbers that move it off to either side.

    `run` is what derivatives know of a run, with those of its start before anything acts; none
    where it goes on from another run.
    """

    def __init__(self, run, signals):
        s, where = run.system, run.directions
        self.system, self.where, self.signals = s, where, signals
        self.y, self.S = run.untouched.copy(), run.begins
        self.t, self.u, self.p = run.t_start, run.u.copy(), run.p.copy()
        state = dict(zip((*s.coordinates, *s.speeds), self.y, strict=False))
        numbers = [*self.p[where.p], *self.u[where.u], *(state[n] for n in where.starts)]
        self.sizes = np.maximum(np.abs(np.array(numbers, float)), 0.1)
        ports = s.layout.m
        self.discrete = [i for i, port in enumerate(ports) if port.unit == "1"]

    def named(self, rests: Callable[[str], bool]) -> dict[int, str]:
        """Directions whose derivative is one-sided, with the element whose boundary it is.

        `rests` says whether an element stays where it begins.
        """
        if self.S is None or not self.discrete:
            return {}
        weights = 0.5 + np.random.default_rng(0).random(len(self.sizes))
        if not self._differs(*self._both(weights * PART)):  # none of them: the usual start
            return {}
        found = {}
        for i, way in enumerate(PART * np.eye(len(self.sizes))):
            sides = self._both(way)
            if (own := self._differs(*sides)) and (
                self._leaps(sides, self._both(CLOSER * way)) or rests(own)
            ):
                found[i] = own
        return found

    def _both(self, way) -> list[SimpleNamespace]:
        return [self._begun(sign * way * self.sizes) for sign in (1, -1)]

    def _begun(self, h) -> SimpleNamespace:
        """The start with every number moved by h; contacts begin there without being refused."""
        s, n = self.system, self.system.nq + self.system.nv
        y, p, u = self.y.copy(), self.p.copy(), self.u.copy()
        y[:n] += h @ self.S[:, :n]
        count = len(self.where.p)
        p[self.where.p] += h[:count]
        u[self.where.u] += h[count : count + len(self.where.u)]
        q, v = y[: s.nq], y[s.nq : n]
        kernels = kernels_of(s, self.signals.ways[0][1])
        z, m = begun(s, self.t, q, v, u, p)
        before = v
        with np.errstate(all="ignore"):  # branches that are not taken
            if s.switched:
                none = np.zeros(s.layout.gathered)
                v, z, m = (np.asarray(x, float) for x in
                           kernels["jump"](self.t, q, v, z, m, u, p, -1.0, none))  # fmt: skip
            _, a, *_ = kernels["flow"](self.t, q, v, z, m, u, p)
        return SimpleNamespace(m=np.asarray(m, float), v=v - before, a=np.asarray(a, float))

    def _differs(self, one, other) -> str:
        """The element that begins otherwise on the two sides; "" if none does."""
        for i in self.discrete:
            if one.m[i] != other.m[i]:
                return self.system.layout.m[i].name.rpartition(".")[0]
        return ""

    def _leaps(self, far, near) -> bool:
        """Whether speeds or accelerations leap from side to side."""
        for x in ("v", "a"):
            leap, closer = (
                abs(getattr(a, x) - getattr(b, x)).max(initial=0) for a, b in (far, near)
            )
            size = max(abs(getattr(a, x)).max(initial=0) for a in far)
            if closer > max(0.5 * leap, ROUNDING * max(size, 1.0)):
                return True
        return False
