"""The law of one elastic shaft: tension from twist and rate, and back.  Theory: LI.5, LI.9."""

from __future__ import annotations

import numpy as np

from ..errors import TorseurError
from ..forces import Seen
from ..numbers import Floats
from .relaxation import ShaftTwist


class ShaftLaw:
    """Tension `T(x, rate)` of a force element on two coordinates, with its derivatives.

    `damped`: it depends on the rate; `linear`: both slopes are constants.
    """

    def __init__(self, along, shaft, bound):
        self.shaft, self.K = shaft, Floats(bound)
        self.law, self.damped, self.linear = along.shaft(shaft.element)

    def __call__(self, x, r):
        """Tension, its slopes by twist and by rate, its curvature by twist."""
        x = np.atleast_1d(np.asarray(x, dtype=float))
        r = np.broadcast_to(np.asarray(r, dtype=float), x.shape)
        e = self.shaft.element
        m = (
            [e.law.start(self.K, Seen(float(a), float(b)))[1] for a, b in zip(x, r, strict=True)]
            if e.memory
            else np.zeros((len(x), 0))
        )
        return self.law(x, r, m)

    def twist(self, T, r=0.0) -> np.ndarray:
        """Where the tension at the rates `r` is T."""
        T = np.atleast_1d(np.asarray(T, dtype=float))
        r = np.broadcast_to(np.asarray(r, dtype=float), T.shape)
        T0, k, *_ = self(np.zeros(len(T)), r)
        if self.linear:
            if not (k > 0).all():
                self._flat(0.0)
            return (T - T0) / k
        x = self._root(T, r)  # LI.9
        ends = np.linspace(x.min(), x.max(), 257)
        slope = self(ends, 0.0)[1]
        if not (slope > 0).all():
            self._flat(ends[int(np.argmin(slope))])
        return x

    def _root(self, T, r) -> np.ndarray:
        """Newton's steps within brackets that halve where he leaves them."""
        low, high = np.zeros(len(T)), np.zeros(len(T))
        step = 1e-3
        while True:
            under, over = self(low, r)[0] > T, self(high, r)[0] < T
            if not (under | over).any():
                break
            if step > 1e6:
                raise TorseurError(
                    f"inverse: shaft {self.shaft.element.name!r} cannot carry "
                    f"{T[under | over][0]:.4g} N m: its law never reaches it"
                )
            low, high, step = low - step * under, high + step * over, 2 * step
        x = (low + high) / 2
        for _ in range(100):
            found, k, *_ = self(x, r)
            low, high = np.where(found <= T, x, low), np.where(found >= T, x, high)
            with np.errstate(divide="ignore", invalid="ignore"):
                new = x + (T - found) / k
            new = np.where((new >= low) & (new <= high), new, (low + high) / 2)
            moved, x = abs(new - x), new
            if moved.max() <= 4e-16 * abs(x).max():
                break
        return x

    def _flat(self, x):
        raise TorseurError(
            f"inverse: the law of shaft {self.shaft.element.name!r} does not grow "
            f"at a twist of {x:.4g} rad, so the motor's angle is open there (play "
            "must be crossed by a leap); use a law that grows everywhere"
        )

    def bent(self, T, dT, ddT) -> ShaftTwist:
        """Twist of a shaft without damping under a tension and its derivatives."""
        x = self.twist(T)
        _, k, _, kk = self(x, 0.0)
        rate = dT / k
        return ShaftTwist(x, rate, (ddT - kk * rate**2) / k)  # LI.5
