"""A push given in time by polynomials: smooth where its source is smooth.  Theory: FO.40."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ..base import Guard, Listed, Source, frozen, law, pick
from ._pieces import FAR
from .follow import plain_rows

ORDER = 6  # coefficients of a piece


@law
@dataclass(frozen=True, slots=True)
class TimeCurve(Source):
    """A push along x by polynomials of time: rows (from [s], to [s], c0, ..., c5), the push being
    `gain` times the sum of c_i (t - from)^i [N or N m].

    Before and after it holds its end values.  `TimeCurve.along(function, kinks)` makes the rows
    from a function of time; pieces end at events, so that no adaptive step crosses one.

    >>> curve = TimeCurve.along(np.sin, (0.0, 3.0))
    >>> len(curve.pieces) < 100
    True
    """

    pieces: tuple
    gain: Any = 1
    units: ClassVar = {"pieces": "s, N/s^i", "gain": "1"}
    memory: ClassVar = (
        ("piece", "1"),
        ("from", "s"),
        ("to", "s"),
        *((f"c{i}", f"N/s^{i}") for i in range(ORDER)),
    )

    def __post_init__(self):
        object.__setattr__(self, "pieces", frozen(self.pieces))

    @classmethod
    def along(
        cls, function: Callable, kinks: Sequence[float], gain: Any = 1, tolerance: float = 1e-11
    ) -> TimeCurve:
        """Pieces of degree five between the kinks of a function of time (arrays in, arrays out),
        halved until they are within `tolerance` of its largest value."""
        edges = sorted(set(map(float, kinks)))
        todo = [(a, b) for a, b in pairwise(edges) if b - a > 1e-12 * (edges[-1] - edges[0])]
        x = (1 - np.cos(np.pi * (np.arange(ORDER) + 0.5) / ORDER)) / 2  # nodes within a piece
        probe = np.array([0.003, 0.11, 0.3, 0.47, 0.71, 0.88, 0.997])
        V = np.linalg.inv(np.vander(x, ORDER, increasing=True))
        W = np.vander(probe, ORDER, increasing=True)
        rows, size = [], 1e-300
        for _ in range(24):
            if not todo:
                break
            at = np.array([[a + (b - a) * np.concatenate([x, probe])] for a, b in todo])
            y = np.asarray(function(at.ravel()), float).reshape(len(todo), -1)
            size = max(size, abs(y).max())
            again = []
            for (a, b), own in zip(todo, y, strict=True):
                c = V @ own[:ORDER]
                if abs(W @ c - own[ORDER:]).max() <= tolerance * size or b - a < 1e-6:
                    rows.append((a, b, *(c / (b - a) ** np.arange(ORDER)).tolist()))
                else:
                    again += [(a, (a + b) / 2), ((a + b) / 2, b)]
            todo = again
        return cls(tuple(sorted(rows)), gain)

    def problems(self):
        if not self.pieces or any(len(p) != ORDER + 2 for p in self.pieces):
            return ("needs pieces (from, to, c0, ..., c5)",)
        if any(not p[0] < p[1] for p in self.pieces):
            return ("has a piece that lasts no time",)
        if any(abs(a[1] - b[0]) > 1e-9 for a, b in pairwise(self.pieces)):
            return ("has pieces that do not follow each other in time",)
        return ()

    def _table(self):
        first, last = self.pieces[0], self.pieces[-1]
        h = last[1] - last[0]
        end = sum(c * h**i for i, c in enumerate(last[2:]))
        still = (0.0,) * (ORDER - 1)
        return [
            (-FAR, first[0], first[2], *still),
            *self.pieces,
            (last[1], FAR, end, *still),
        ]

    def start(self, K, s):
        rows = self._rows()
        i = bisect_right(rows, s.t, key=lambda row: row[1])
        return (), (float(i), *rows[i])

    def _rows(self):
        return plain_rows(self)

    def lists(self):
        return (Listed(0, self._rows()),)

    def times(self, K):
        return (self.pieces[0][0], *(piece[1] for piece in self.pieces))

    def force(self, K, s):
        d, push = s.t - s.m[1], 0
        for c in reversed(s.m[3:]):
            push = push * d + c  # FO.40
        return -(self.get(K, "gain") * push)

    def guards(self, K, s):
        return (Guard("breakpoint", s.m[2] - s.t, "t"),)

    def jump(self, K, k, s):
        index = s.m[0] + 1
        return (), (index, *(s.rows[0][2] if s.rows else pick(K, index, self._rows())))

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        rise = (0.2, 0.6, 0.1, 0, 3.0, 0, 0, 0)
        return (cls((rise, (0.6, 1.0, 0.58, 2.4, -3.0, 0, 0, 0)), 2.0),)
