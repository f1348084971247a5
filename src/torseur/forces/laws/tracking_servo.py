"""A servo along a motion law: its breakpoints are events, so that no step crosses one.

Theory: FO.25.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...register import derived
from ..base import law
from ._piecewise_in_time import InTime, polynomial_history


@law
@dataclass(frozen=True, slots=True)
class Follow(InTime):
    """Pushes with `kp (r(t) - x) + kd (r'(t) - rate)` along a reference r made of polynomials.

    `pieces` are rows (from [s], to [s], c0, ..., c5), the reference being sum c_i (t - from)^i;
    `Follow.along(law, kp, kd)` makes them from a motion law with breakpoints: exact for
    trapezoidal, cubic and quintic laws.  Before and after, the reference stands still.
    """

    kp: Any
    kd: Any
    pieces: tuple[Any, ...]
    units: ClassVar = {"kp": "N/m", "kd": "N s/m", "pieces": "s, m/s^i"}
    memory: ClassVar = polynomial_history("m")

    @classmethod
    def along(cls, law, kp, kd) -> Follow:
        """From a motion law: polynomials of degree five between its breakpoints."""
        rows = []
        for a, b in pairwise(sorted(set(map(float, law.breakpoints)))):
            h = b - a
            if h <= 0:
                continue
            inner_times = a + h * np.array([1e-9, 1 - 1e-9])  # limits from within the piece
            (x0, x1), (v0, v1), (a0, a1) = (np.asarray(x, dtype=float) for x in law(inner_times))
            unknown = np.linalg.solve(
                [[1, 1, 1], [3, 4, 5], [6, 12, 20]],
                [x1 - x0 - v0 * h - a0 * h * h / 2, (v1 - v0 - a0 * h) * h, (a1 - a0) * h * h],
            )
            unknown[abs(unknown) < 1e-7 * max(1e-300, abs(x1 - x0), abs(v0 * h))] = 0.0
            rows.append(
                (
                    a,
                    b,
                    float(x0),
                    float(v0),
                    float(a0 / 2),
                    *(unknown / h ** np.array([3, 4, 5])).tolist(),
                )
            )
        return cls(kp, kd, tuple(rows))

    @derived
    def deflects(self):
        return tuple(n for n, gain in (("x", self.kp), ("rate", self.kd)) if gain != 0)

    def force(self, K, s):
        r, rate = self.value(s)  # FO.25
        return -(self.get(K, "kp") * (r - s.x) + self.get(K, "kd") * (rate - s.rate))

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        rise = (0.2, 0.6, 0.1, 0, 3.0, 0, 0, 0)
        return (cls(100.0, 5.0, (rise, (0.6, 1.0, 0.58, 2.4, -3.0, 0, 0, 0))),)
