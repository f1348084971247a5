"""A servo along a motion law: its breakpoints are events, so that no step crosses one.

Theory: FO.25.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ..base import Guard, Listed, Source, frozen, law, pick
from ._pieces import FAR


@law
@dataclass(frozen=True, slots=True)
class Follow(Source):
    """Pushes with `kp (r(t) - x) + kd (r'(t) - rate)` along a reference r made of polynomials.

    `pieces` are rows (from [s], to [s], c0, ..., c5), the reference being sum c_i (t - from)^i;
    `Follow.along(law, kp, kd)` makes them from a motion law with breakpoints: exact for
    trapezoidal, cubic and quintic laws.  Before and after, the reference stands still.
    """

    kp: Any
    kd: Any
    pieces: tuple
    units: ClassVar = {"kp": "N/m", "kd": "N s/m", "pieces": "s, m/s^i"}
    memory: ClassVar = (
        ("piece", "1"),
        ("from", "s"),
        ("to", "s"),
        *((f"c{i}", f"m/s^{i}") for i in range(6)),
    )

    def __post_init__(self):
        object.__setattr__(self, "pieces", frozen(self.pieces))

    @classmethod
    def along(cls, law, kp, kd) -> Follow:
        """From a motion law: polynomials of degree five between its breakpoints."""
        rows = []
        for a, b in pairwise(sorted(set(map(float, law.breakpoints)))):
            h = b - a
            if h <= 0:
                continue
            inside = a + h * np.array([1e-9, 1 - 1e-9])  # limits from within the piece
            (x0, x1), (v0, v1), (a0, a1) = (np.asarray(x, dtype=float) for x in law(inside))
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

    def problems(self):
        if not self.pieces or any(len(p) != 8 for p in self.pieces):
            return ("needs pieces (from, to, c0, ..., c5)",)
        if any(abs(a[1] - b[0]) > 1e-9 for a, b in pairwise(self.pieces)):
            return ("has pieces that do not follow each other in time",)
        return ()

    def _table(self):
        first, last = self.pieces[0], self.pieces[-1]
        h = last[1] - last[0]
        end = sum(c * h**i for i, c in enumerate(last[2:]))
        return [
            (-FAR, first[0], first[2], *(0.0,) * 5),
            *self.pieces,
            (last[1], FAR, end, *(0.0,) * 5),
        ]

    def start(self, K, s):
        rows = self._rows()
        i = bisect_right(rows, s.t, key=lambda row: row[1])
        return (), (float(i), *rows[i])

    def _rows(self):
        return plain_rows(self)

    def lists(self):
        return (Listed(0, self._rows()),)

    def reference(self, K, s):
        """Position and speed asked for."""
        d = s.t - s.m[1]
        c = s.m[3:]
        r = rate = 0
        for i in reversed(range(6)):
            rate = rate * d + r  # FO.25
            r = r * d + c[i]
        return r, rate

    def times(self, K):
        return (self.pieces[0][0], *(piece[1] for piece in self.pieces))

    def force(self, K, s):
        r, rate = self.reference(K, s)
        return -(self.get(K, "kp") * (r - s.x) + self.get(K, "kd") * (rate - s.rate))

    def guards(self, K, s):
        return (Guard("breakpoint", s.m[2] - s.t, "t"),)

    def jump(self, K, k, s):
        index = s.m[0] + 1
        return (), (index, *(s.rows[0][2] if s.rows else pick(K, index, self._rows())))

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        rise = (0.2, 0.6, 0.1, 0, 3.0, 0, 0, 0)
        return (cls(100.0, 5.0, (rise, (0.6, 1.0, 0.58, 2.4, -3.0, 0, 0, 0))),)


@lru_cache(maxsize=256)
def plain_rows(law) -> tuple[tuple[float, ...], ...]:
    """Rows of memory: from, to, coefficients."""
    return tuple((0.0 if a <= -FAR else a, *map(float, more)) for a, *more in law._table())
