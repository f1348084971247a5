"""Piecewise linear laws.  FO.7, FO.8.

History variables hold the active segment: its number, origin, coefficients and bounds. So the
right-hand side has no branches. The bounds are event functions. A reset writes the next segment.
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
from .._nested_tuples import float_table
from .._select import select_row
from ..base import Guard, Law, TableRows

UNBOUNDED = 1e300  # bound of an outer segment


def line_segments(K, points, beyond: str) -> list[tuple]:
    """Segments (origin, value, slope, low, high, integral up to the origin) of a polyline.

    `beyond` is "hold" (last value) or "extend" (last slope), before the first point and after the
    last. At a vertical fall one segment ends and the next one starts lower.
    """
    if isinstance(K, Floats) and (table := _increasing_points(points)) is not None:
        return _segments_of_array(table, beyond)
    falls = [_is_vertical(a, b) for a, b in pairwise(points)]
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
    return [(xa, ya, first, -UNBOUNDED, xa, 0), *rows, (xb, yb, last, xb, UNBOUNDED, area)]


@lru_cache(maxsize=512)
def float_segments(points, beyond: str) -> tuple[tuple[float, ...], ...]:
    """Segments of a polyline of plain numbers.  Empty where it has names."""
    if _increasing_points(points) is None and any(
        isinstance(values.exact(x), values.Value) for p in points for x in p
    ):
        return ()
    return tuple(tuple(map(float, row)) for row in line_segments(Floats(), points, beyond))


def _increasing_points(points) -> np.ndarray | None:
    """Array of points of plain numbers with increasing abscissae, or None."""
    rows = float_table(points)
    if rows is None or len(rows) < 2 or rows.shape[1] != 2:
        return None
    return rows if (rows[1:, 0] > rows[:-1, 0]).all() else None


def _segments_of_array(rows: np.ndarray, beyond: str) -> list[tuple]:
    """The same as `line_segments`, to the same bits, of many numbers at once."""
    (x, y), zero = rows.T, np.zeros(1)
    with np.errstate(all="ignore"):
        slope = np.diff(y) / np.diff(x)
        area = np.cumsum(np.append(0.0, (y[:-1] + y[1:]) * np.diff(x) / 2))
    outer_slopes = (slope[:1], slope[-1:]) if beyond == "extend" else (zero, zero)
    low, high = np.append(-UNBOUNDED, x), np.append(x, UNBOUNDED)
    origin, value = np.append(x[:1], x), np.append(y[:1], y)
    all_slopes = np.concatenate([outer_slopes[0], slope, outer_slopes[1]])
    table = np.stack([origin, value, all_slopes, low, high, np.append(0.0, area)], axis=1)
    return list(map(tuple, table.tolist()))


def abscissa_problems(points, jumps: bool = False) -> tuple[str, ...]:
    """Problem of a table whose abscissae do not grow; `count_steps`: two may be the same."""
    if _increasing_points(points) is not None:
        return ()
    try:
        if len(points) < 2 or any(len(p) != 2 for p in points):
            return ("needs at least two points (x, value)",)
        xs = [x for x, _ in (map(values.exact, p) for p in points)]
    except TypeError as e:
        return (f"needs pairs (x, value): {said(e)}",)
    numbers = [x for x in xs if not isinstance(x, values.Value)]
    for a, b in pairwise(numbers):
        if not (a <= b if jumps else a < b):
            return (f"needs growing abscissae, but {float(b):g} follows {float(a):g}",)
    if jumps and any(a == b == c for a, b, c in zip(xs, xs[1:], xs[2:], strict=False)):
        return ("has three points at one abscissa; a jump is two",)
    if jumps and len({*numbers}) == 1 and len(numbers) == len(xs):
        return ("needs at least two different abscissae",)
    return ()


@lru_cache(maxsize=512)
def split_rises(points) -> tuple[tuple, tuple[tuple[Any, Any], ...]]:
    """A polyline without its vertical rises, and the rises as (abscissa, half of the height).

    Falls stay. A step of named heights counts as a rise, and is checked with its values.
    """
    exact = values.exact
    if _increasing_points(points) is not None:
        return points, ()
    rises = {
        i: (exact(b[1]) - exact(a[1])) * Fraction(1, 2)
        for i, (a, b) in enumerate(pairwise(points))
        if _is_vertical(a, b) and (_has_symbol(a, b) or exact(b[1]) > exact(a[1]))
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
def falling_steps(points) -> tuple[Any, ...]:
    """Abscissae of vertical falls."""
    exact = values.exact
    if any(not isinstance(p, tuple) or len(p) != 2 for p in points):
        return ()  # told by `abscissa_problems`
    if _increasing_points(points) is not None:
        return ()
    return tuple(
        exact(a[0])
        for a, b in pairwise(points)
        if _is_vertical(a, b) and not _has_symbol(a, b) and exact(b[1]) < exact(a[1])
    )


def _is_vertical(a, b) -> bool:
    """Whether two points have the same abscissa, as a number or a name."""
    return values.exact(a[0]) == values.exact(b[0])


def _has_symbol(a, b) -> bool:
    """Whether a value of two points contains a name."""
    return any(isinstance(values.exact(p[1]), values.Value) for p in (a, b))


def step_problems_with_values(points, numbers, rising: bool) -> tuple[str, ...]:
    """Problems of steps with values for names.  `numbers` are the points with these values.

    `rising`: whether steps of named heights must rise.
    """
    exact = values.exact
    for (a, b), (c, d) in zip(pairwise(points), pairwise(numbers), strict=True):
        at = float(exact(c[0]))
        if _is_vertical(c, d) and not _is_vertical(a, b):
            return (f"needs one name for both points of a step: {a[0]} and {b[0]} are both {at:g}",)
        if rising and _is_vertical(a, b) and _has_symbol(a, b) and exact(d[1]) < exact(c[1]):
            fall = f"{float(exact(c[1])):g} to {float(exact(d[1])):g}"
            return (f"needs a step whose tensions are names to rise: at {at:g} it falls, {fall}",)
    return ()


def count_steps(points) -> int:
    """Count of vertical steps of a polyline."""
    if _increasing_points(points) is not None:
        return 0
    return sum(_is_vertical(a, b) for a, b in pairwise(points))


def step_problems(points) -> tuple[str, ...]:
    """Problems of a table with vertical steps."""
    if _increasing_points(points) is not None:
        return ()
    if any(not isinstance(p, tuple) or len(p) != 2 for p in points):
        return abscissa_problems(points)
    at = [i for i, (a, b) in enumerate(pairwise(points)) if _is_vertical(a, b)]
    if not at or not 0 < at[0] <= at[-1] < len(points) - 2 or any(i + 1 in at for i in at):
        hint = "; a step is two points of one abscissa, with others before and after it"
        same = [i for i, (a, b) in enumerate(pairwise(points)) if a[0] == b[0]]
        return tuple(f"{text}{hint if same else ''}" for text in abscissa_problems(points))
    if any(points[i][1] == points[i + 1][1] for i in at):
        return abscissa_problems(points)
    return abscissa_problems([p for i, p in enumerate(points) if i - 1 not in at])


class Piecewise(Law):
    """A polyline of one variable, with the active segment in its history variables."""

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

    def _variable(self, K, s):
        """The variable of the table."""
        return s.x

    def _segments(self, K):
        return line_segments(K, self.points, self.beyond)

    def _line_value(self, K, s):
        """Value of the polyline."""
        return s.m[2] + s.m[3] * (self._variable(K, s) - s.m[1])  # FO.7

    def _float_segments(self):
        return float_segments(self.points, self.beyond)

    def edges(self):
        return ((0, len(self.points), "x"),)

    def lists(self):
        return (TableRows(0, self._float_segments()),) if self._float_segments() else ()

    def start(self, K, s):
        """History variables of the active segment at the start: its index and its numbers."""
        x, table = self._variable(K, s), self._float_segments() or self._segments(K)
        i = min(bisect_right(table, x, key=lambda row: row[4]), len(table) - 1)
        return (), (float(i), *table[i])

    def _bounds(self, K, s):
        x = self._variable(K, s)
        return (Guard("knot above", s.m[5] - x), Guard("knot below", x - s.m[4]))

    def guards(self, K, s):
        return self._bounds(K, s)

    def jump(self, K, k, s):
        """History variables of the next segment, up at boundary 0, down at boundary 1."""
        index = s.m[0] + (1, -1)[k]
        if s.rows:
            return (), (index, *s.rows[0][(2, 0)[k]])
        return (), (index, *select_row(K, index, self._segments(K)))

    def problems(self):
        if self.beyond not in ("hold", "extend"):
            return (f"beyond={self.beyond!r}: expected 'hold' or 'extend'",)
        return self._abscissa_problems()

    def _abscissa_problems(self):
        return abscissa_problems(self.points)

    def faults_at(self, numbers):
        problems, at = Law.faults_at(self, numbers), self.at(numbers)
        if problems or not isinstance(at, Piecewise) or at is self:
            return problems
        return step_problems_with_values(self.points, at.points, self.rising)
