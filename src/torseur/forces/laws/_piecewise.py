"""Piecewise laws: the current piece lives in memory, so that the flow has no branches.

Memory holds the number of the piece, its origin, its coefficients and its bounds; the guards are
the bounds, and a jump writes the next piece.  Theory: FO.7, FO.8.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from ...errors import said
from ...scalars import Floats
from ...scalars.values import value as values
from ...spatial import HALF
from .._nested_tuples import plain
from .._select import pick
from ..base import Guard, Law, Listed

FAR = 1e300  # a bound that is never reached


def pieces(K, points, beyond: str) -> list[tuple]:
    """Pieces (origin, value, slope, low, high, integral up to the origin) of a broken line.

    `beyond` is "hold" (last value) or "extend" (last slope), before the first point and after the
    last.  Where the line falls at once, one piece ends and the next one starts lower.
    """
    if isinstance(K, Floats) and (plain_rows := _growing(points)) is not None:
        return _pieces_of(plain_rows, beyond)
    falls = [_step(a, b) for a, b in pairwise(points)]
    points = [(K.number(values.exact(x)), K.number(values.exact(y))) for x, y in points]
    rows, area = [], 0
    for fall, ((x0, y0), (x1, y1)) in zip(falls, pairwise(points), strict=True):
        if fall:
            continue
        slope = K.divide(y1 - y0, x1 - x0)
        rows.append((x0, y0, slope, x0, x1, area))
        area = area + (y0 + y1) * (x1 - x0) * HALF
    (xa, ya), (xb, yb) = points[0], points[-1]
    first = rows[0][2] if beyond == "extend" else 0
    last = rows[-1][2] if beyond == "extend" else 0
    return [(xa, ya, first, -FAR, xa, 0), *rows, (xb, yb, last, xb, FAR, area)]


@lru_cache(maxsize=512)
def plain_pieces(points, beyond: str) -> tuple[tuple[float, ...], ...]:
    """The pieces of a line of plain numbers; nothing where it has names."""
    if _growing(points) is None and any(
        isinstance(values.exact(x), values.Value) for p in points for x in p
    ):
        return ()
    return tuple(tuple(map(float, row)) for row in pieces(Floats(), points, beyond))


def _growing(points) -> np.ndarray | None:
    """Points (x, value) of plain numbers whose abscissae grow, the usual table; else None."""
    rows = plain(points)
    if rows is None or len(rows) < 2 or rows.shape[1] != 2:
        return None
    return rows if (rows[1:, 0] > rows[:-1, 0]).all() else None


def _pieces_of(rows: np.ndarray, beyond: str) -> list[tuple]:
    """The same as `pieces`, to the same bits, of many numbers at once."""
    (x, y), zero = rows.T, np.zeros(1)
    with np.errstate(all="ignore"):
        slope = np.diff(y) / np.diff(x)
        area = np.cumsum(np.append(0.0, (y[:-1] + y[1:]) * np.diff(x) / 2))
    ends = (slope[:1], slope[-1:]) if beyond == "extend" else (zero, zero)
    low, high = np.append(-FAR, x), np.append(x, FAR)
    origin, value = np.append(x[:1], x), np.append(y[:1], y)
    slopes = np.concatenate([ends[0], slope, ends[1]])
    table = np.stack([origin, value, slopes, low, high, np.append(0.0, area)], axis=1)
    return list(map(tuple, table.tolist()))


def increasing(points, jumps: bool = False) -> tuple[str, ...]:
    """Problem of a table whose abscissae do not grow; `jumps`: two may be the same."""
    if _growing(points) is not None:
        return ()
    try:
        if len(points) < 2 or any(len(p) != 2 for p in points):
            return ("needs at least two points (x, value)",)
        xs = [x for x, _ in (map(values.exact, p) for p in points)]
    except TypeError as e:
        return (f"needs pairs (x, value): {said(e)}",)
    plain = [x for x in xs if not isinstance(x, values.Value)]
    for a, b in pairwise(plain):
        if not (a <= b if jumps else a < b):
            return (f"needs growing abscissae, but {float(b):g} follows {float(a):g}",)
    if jumps and any(a == b == c for a, b, c in zip(xs, xs[1:], xs[2:], strict=False)):
        return ("has three points at one abscissa; a jump is two",)
    if jumps and len({*plain}) == 1 and len(plain) == len(xs):
        return ("needs at least two different abscissae",)
    return ()


@lru_cache(maxsize=512)
def split(points) -> tuple[tuple, tuple[tuple[Any, Any], ...]]:
    """A line without its vertical rises, and these: abscissa, half of the rise; falls stay.

    One whose heights are names counts as a rise: what its numbers say is judged with them.
    """
    exact = values.exact
    if _growing(points) is not None:
        return points, ()
    rises = {
        i: (exact(b[1]) - exact(a[1])) * Fraction(1, 2)
        for i, (a, b) in enumerate(pairwise(points))
        if _step(a, b) and (_named(a, b) or exact(b[1]) > exact(a[1]))
    }
    if not rises:
        return points, ()
    line, lift = [], sum(rises.values(), start=Fraction(0))
    for i, (x, y) in enumerate(points):
        if i - 1 not in rises:
            line.append((x, exact(y) + lift))  # FO.45
        lift -= 2 * rises.get(i, 0)
    half = {i: h if isinstance(h, values.Value) else float(h) for i, h in rises.items()}
    return tuple(line), tuple((exact(points[i][0]), h) for i, h in half.items())


@lru_cache(maxsize=512)
def falls(points) -> tuple[Any, ...]:
    """Abscissae at which a line falls at once."""
    exact = values.exact
    if any(not isinstance(p, tuple) or len(p) != 2 for p in points):
        return ()  # told by `increasing`
    if _growing(points) is not None:
        return ()
    return tuple(
        exact(a[0])
        for a, b in pairwise(points)
        if _step(a, b) and not _named(a, b) and exact(b[1]) < exact(a[1])
    )


def _step(a, b) -> bool:
    """Whether the line is vertical between two points: of one abscissa, as a number or a name."""
    return values.exact(a[0]) == values.exact(b[0])


def _named(a, b) -> bool:
    """Whether a height of two points has a name in it."""
    return any(isinstance(values.exact(p[1]), values.Value) for p in (a, b))


def steps_with(points, numbers, rising: bool) -> tuple[str, ...]:
    """Problems of steps where names have the values of `numbers`, the same points by numbers.

    `rising`: whether steps of named heights must rise.
    """
    exact = values.exact
    for (a, b), (c, d) in zip(pairwise(points), pairwise(numbers), strict=True):
        at = float(exact(c[0]))
        if _step(c, d) and not _step(a, b):
            return (f"needs one name for both points of a step: {a[0]} and {b[0]} are both {at:g}",)
        if rising and _step(a, b) and _named(a, b) and exact(d[1]) < exact(c[1]):
            fall = f"{float(exact(c[1])):g} to {float(exact(d[1])):g}"
            return (f"needs a step whose tensions are names to rise: at {at:g} it falls, {fall}",)
    return ()


def jumps(points) -> int:
    """How many times a broken line is vertical."""
    if _growing(points) is not None:
        return 0
    return sum(_step(a, b) for a, b in pairwise(points))


def step_problems(points) -> tuple[str, ...]:
    """Problems of a table that may rise at once between two of its points."""
    if _growing(points) is not None:
        return ()
    if any(not isinstance(p, tuple) or len(p) != 2 for p in points):
        return increasing(points)
    at = [i for i, (a, b) in enumerate(pairwise(points)) if _step(a, b)]
    if not at or not 0 < at[0] <= at[-1] < len(points) - 2 or any(i + 1 in at for i in at):
        hint = "; a step is two points of one abscissa, with others before and after it"
        same = [i for i, (a, b) in enumerate(pairwise(points)) if a[0] == b[0]]
        return tuple(f"{text}{hint if same else ''}" for text in increasing(points))
    if any(points[i][1] == points[i + 1][1] for i in at):
        return increasing(points)
    return increasing([p for i, p in enumerate(points) if i - 1 not in at])


class Piecewise(Law):
    """A broken line of one variable, whose present piece is in memory."""

    __slots__ = ()
    points: Any
    beyond: str
    rising: ClassVar = True  # a step of named heights
    memory: ClassVar = (
        ("piece", "1"),
        ("origin", "m"),
        ("value", "N"),
        ("slope", "N/m"),
        ("low", "m"),
        ("high", "m"),
        ("area", "J"),
    )

    def _of(self, K, s):
        """The variable of the table."""
        return s.x

    def _table(self, K):
        return pieces(K, self.points, self.beyond)

    def _now(self, K, s):
        """Value of the broken line."""
        return s.m[2] + s.m[3] * (self._of(K, s) - s.m[1])  # FO.7

    def _rows(self):
        return plain_pieces(self.points, self.beyond)

    def edges(self):
        return ((0, len(self.points), "x"),)

    def lists(self):
        return (Listed(0, self._rows()),) if self._rows() else ()

    def start(self, K, s):
        x, table = self._of(K, s), self._rows() or self._table(K)
        i = min(bisect_right(table, x, key=lambda row: row[4]), len(table) - 1)
        return (), (float(i), *table[i])

    def _bounds(self, K, s):
        x = self._of(K, s)
        return (Guard("knot above", s.m[5] - x), Guard("knot below", x - s.m[4]))

    def guards(self, K, s):
        return self._bounds(K, s)

    def jump(self, K, k, s):
        index = s.m[0] + (1, -1)[k]
        if s.rows:
            return (), (index, *s.rows[0][(2, 0)[k]])
        return (), (index, *pick(K, index, self._table(K)))

    def problems(self):
        if self.beyond not in ("hold", "extend"):
            return (f"beyond={self.beyond!r}: expected 'hold' or 'extend'",)
        return self._increasing()

    def _increasing(self):
        return increasing(self.points)

    def faults_at(self, numbers):
        found, at = Law.faults_at(self, numbers), self.at(numbers)
        if found or not isinstance(at, Piecewise) or at is self:
            return found
        return steps_with(self.points, at.points, self.rising)
