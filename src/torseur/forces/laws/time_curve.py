"""A push given in time by polynomials: smooth where its source is smooth.  Theory: FO.40."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ..base import law
from ._piecewise_in_time import ORDER, InTime, polynomial_history


@law
@dataclass(frozen=True, slots=True)
class TimeCurve(InTime):
    """A push along x by polynomials of time: rows (from [s], to [s], c0, ..., c5), the push being
    `gain` times the sum of c_i (t - from)^i [N or N m].

    Before and after it holds its end values.  `TimeCurve.along(function, kinks)` makes the rows
    from a function of time; pieces end at events, so that no adaptive step crosses one.

    >>> curve = TimeCurve.along(np.sin, (0.0, 3.0))
    >>> len(curve.pieces) < 100
    True
    """

    pieces: tuple[Any, ...]
    gain: Any = 1
    units: ClassVar = {"pieces": "s, N/s^i", "gain": "1"}
    scales: ClassVar = ("gain",)
    memory: ClassVar = polynomial_history("N")

    @classmethod
    def along(
        cls,
        function: Callable[..., Any],
        kinks: Sequence[float],
        gain: Any = 1,
        tolerance: float = 1e-11,
    ) -> TimeCurve:
        """Pieces of degree five between the kinks of a function of time (arrays in, arrays out),
        halved until they are within `tolerance` of its largest value, or until halving no longer
        helps: then what is left, below a hundred-millionth, is the function's own noise."""
        edges = sorted(set(map(float, kinks)))
        intervals = [
            (a, b, np.inf) for a, b in pairwise(edges) if b - a > 1e-12 * (edges[-1] - edges[0])
        ]
        x = (1 - np.cos(np.pi * (np.arange(ORDER) + 0.5) / ORDER)) / 2  # nodes within a piece
        probe = np.array([0.003, 0.11, 0.3, 0.47, 0.71, 0.88, 0.997])
        V = np.linalg.inv(np.vander(x, ORDER, increasing=True))
        W = np.vander(probe, ORDER, increasing=True)
        rows, size = [], 1e-300
        for _ in range(24):
            if not intervals:
                break
            at = np.array([[a + (b - a) * np.concatenate([x, probe])] for a, b, _ in intervals])
            y = np.asarray(function(at.ravel()), float).reshape(len(intervals), -1)
            size = max(size, abs(y).max())
            halves = []
            for (a, b, before), values in zip(intervals, y, strict=True):
                c = V @ values[:ORDER]
                residual = abs(W @ c - values[ORDER:]).max()
                noise = before / 1.5 < residual < 1e-8 * size  # a kink would fall by two or more
                if residual <= tolerance * size or noise or b - a < 1e-6:
                    rows.append((a, b, *(c / (b - a) ** np.arange(ORDER)).tolist()))
                else:
                    halves += [(a, (a + b) / 2, residual), ((a + b) / 2, b, residual)]
            intervals = halves
        return cls(tuple(sorted(rows)), gain)

    def force(self, K, s):
        push, _ = self.value(s)
        return -(self.get(K, "gain") * push)

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
        rise = (0.2, 0.6, 0.1, 0, 3.0, 0, 0, 0)
        return (cls((rise, (0.6, 1.0, 0.58, 2.4, -3.0, 0, 0, 0)), 2.0),)
