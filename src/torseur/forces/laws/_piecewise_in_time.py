"""Laws along polynomials of time: the current piece is memory, pieces end at events.

Rows are (from [s], to [s], c0, ..., c5), the value being the sum of c_i (t - from)^i; before the
first and after the last it stands still.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from itertools import pairwise

from ...register import frozen
from ...scalars.values import value as values
from .._select import select_row
from ..base import Guard, Source, TableRows
from ._piecewise import UNBOUNDED

ORDER = 6  # coefficients of a piece


def polynomial_history(unit: str) -> tuple[tuple[str, str], ...]:
    """Names and units of the current piece, of a value in `unit`."""
    return (
        ("piece", "1"),
        ("from", "s"),
        ("to", "s"),
        *((f"c{i}", f"{unit}/s^{i}") for i in range(ORDER)),
    )


class InTime(Source):
    """A source whose `pieces` are polynomials of time; its memory is `polynomial_history(unit)`."""

    __slots__ = ()
    pieces: tuple

    def __post_init__(self):
        object.__setattr__(self, "pieces", frozen(self.pieces))

    def problems(self):
        if not self.pieces or any(len(p) != ORDER + 2 for p in self.pieces):
            return ("needs pieces (from, to, c0, ..., c5)",)
        if any(isinstance(x, str | values.Value) for p in self.pieces for x in p):
            return ("needs plain numbers in its pieces; a name may stand in its gain",)
        if any(not p[0] < p[1] for p in self.pieces):
            return ("has a piece that lasts no time",)
        if any(abs(a[1] - b[0]) > 1e-9 for a, b in pairwise(self.pieces)):
            return ("has pieces that do not follow each other in time",)
        return ()

    def start(self, K, s):
        rows = polynomial_rows(self.pieces)
        i = bisect_right(rows, s.t, key=lambda row: row[1])
        return (), (float(i), *rows[i])

    def lists(self):
        return (TableRows(0, polynomial_rows(self.pieces)),)

    def times(self, K):
        return (self.pieces[0][0], *(piece[1] for piece in self.pieces))

    def value(self, s):
        """The polynomial of the current piece and its rate."""
        d, x, rate = s.t - s.m[1], 0, 0
        for c in reversed(s.m[3:]):
            rate = rate * d + x
            x = x * d + c  # FO.40
        return x, rate

    def edges(self):
        return ((0, len(self.pieces) + 1, "t"),)

    def guards(self, K, s):
        return (Guard("breakpoint", s.m[2] - s.t, "t"),)

    def jump(self, K, k, s):
        index = s.m[0] + 1
        rows = polynomial_rows(self.pieces)
        return (), (index, *(s.rows[0][2] if s.rows else select_row(K, index, rows)))


@lru_cache(maxsize=256)
def polynomial_rows(pieces) -> tuple[tuple[float, ...], ...]:
    """Rows of memory: from, to, coefficients; the first and the last stand still."""
    first, last = pieces[0], pieces[-1]
    h = last[1] - last[0]
    end = sum(c * h**i for i, c in enumerate(last[2:]))
    zeros = (0.0,) * (ORDER - 1)
    table = [(0.0, first[0], first[2], *zeros), *pieces, (last[1], UNBOUNDED, end, *zeros)]
    return tuple(tuple(map(float, row)) for row in table)
