"""One side of a crushing link: a curve of loading, a path of unloading, and what it remembers.

While loading, the present segment of the curve is in memory.  Where the crush turns back, a path
of one or more straight levels leads down to no force; what is crushed again climbs it.
Theory: FO.9 to FO.11, FO.32 to FO.34.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property
from itertools import pairwise

from ...register import derived
from ...scalars import Floats
from ...scalars.values import value
from ...spatial import HALF
from .._select import select_row, select_tuple
from ..base import Guard
from ._piecewise import UNBOUNDED, line_segments

OPEN, LOADING, UNLOADING = 0, 1, 2
LINE = ("origin", "force", "slope", "low", "high")


class CrushBranch:
    """Crush `d` [m] to force [N], both zero or more.

    `points` of the curve and its slope `beyond`; unloading by a number, by a table of slope over
    largest crush, or by a `curve` (retreat, force); `second`: slope and share of the force at the
    turning point under which it acts.
    """

    def __init__(self, points, beyond, unloading, curve=(), second=None, name=""):
        self.points, self.beyond, self.unloading = points, beyond, unloading
        self.curve, self.second, self.name = curve, second, name
        self.varies = isinstance(unloading, tuple)  # the slope, with the largest crush
        self.leveled = bool(curve) or second is not None
        self._fresh: dict[float, tuple] = {}  # what is remembered before anything, by the first d

    @cached_property
    def memory(self) -> tuple[tuple[str, str], ...]:
        """Name and unit of each number it remembers."""
        named = [("mode", "1"), ("segment", "1"), ("origin", "m"), ("force", "N")]
        named += [("slope", "N/m"), ("low", "m"), ("high", "m"), ("largest", "m")]
        named += [("top", "N"), ("set", "m")]
        if self.leveled:
            named += [("level", "1"), ("base", "J")]
        if self.curve:
            named += [("top level", "1")]
        if self.leveled or self.varies:
            named += [("compliance", "m/N")]
        if self.varies:
            named += [("stiffer", "N/m"), ("bend", "N/m^2"), ("share", "1")]
        return tuple((self.name + n, unit) for n, unit in named)

    @cached_property
    def _names(self) -> list[str]:
        return [n.removeprefix(self.name) for n, _ in self.memory]

    def history_by_name(self, m) -> dict:
        """What is remembered, by name."""
        return dict(zip(self._names, m, strict=True))

    def history_tuple(self, **history) -> tuple:
        return tuple(history[n] for n in self._names)

    # ---- the description -----------------------------------------------------------------------

    def rows(self, K) -> list[dict]:
        """Segments of the curve, with slope of unloading, its bend, level and base energy."""
        if self.varies or self.curve:
            return [self._row(K, line) for line in self._lines()]
        lines = [row[:5] for row in line_segments(K, self.points, "hold")[1:]]
        x, F, _, low, high = lines[-1]
        end = lines[-2][2] if self.beyond == "extend" else K.number(value.exact(self.beyond))
        stiff = self._compliance_of(K, K.number(value.exact(self.unloading))) if self.leveled else 0
        path = {"compliance": stiff, "base": 0.0, "level": 0.0} if self.leveled else {}
        return [
            dict(zip(LINE, line, strict=True)) | path
            for line in (*lines[:-1], (x, F, end, low, high))
        ]

    def _row(self, K, line) -> dict:
        """One segment of plain numbers, with what the path of unloading is like there."""
        x, F, slope, _, high = line
        out = dict(zip(LINE, (*map(K.number, line[:4]), high), strict=True))
        if high < UNBOUNDED:
            out["high"] = K.number(high)
        if self.curve:
            middle = F + value.divide(slope * ((high if high < UNBOUNDED else x + 2) - x), 2)
            levels = self._curve_levels()
            i = max(i for i, row in enumerate(levels) if i == 0 or row[0] < middle)
            below, s, A, _ = levels[i]
            base = A - value.divide(below * below, 2 * s)
            compliance = K.number(value.divide(1, s))
            return out | {"compliance": compliance, "base": K.number(base), "level": float(i)}
        k, bend = self._stiffness(x)
        share, rest = self._second_slope_shares(K)
        out |= {"stiffer": K.number(k - self._first), "bend": K.number(bend)}
        out |= {"share": share, "compliance": rest}
        return out | ({"base": 0.0, "level": 0.0} if self.leveled else {})

    def _lines(self) -> list[tuple]:
        """Segments of a curve of plain numbers: origin, force, slope, low, high."""
        points = self._refined()
        out = [(a, Fa, value.divide(Fb - Fa, b - a), a, b) for (a, Fa), (b, Fb) in pairwise(points)]
        end = out[-1][2] if self.beyond == "extend" else value.exact(self.beyond)
        return [*out, (*points[-1], end, points[-1][0], UNBOUNDED)]

    @derived
    def _first(self):
        """The first slope of the table; others are remembered by how much they are steeper."""
        return value.exact(self.unloading[0][1])

    def _second_slope_shares(self, K):
        """Weights of the first slope's compliance and the second's part, in stored energy."""
        if self.second is None:
            return 1, 0
        k2, r = (K.number(value.exact(x)) for x in self.second)
        return 1 - r * r, K.divide(r * r, k2)

    def _compliance_of(self, K, k):
        """Compliance 2 E / F^2 of a path that starts with slope k."""
        share, rest = self._second_slope_shares(K)
        return K.divide(share, k) + rest  # FO.33

    def _stiffness(self, d):
        """Slope of unloading at a largest crush d, and how it changes from there on, exactly."""
        table = [tuple(map(value.exact, p)) for p in self.unloading]
        if d < table[0][0]:
            return table[0][1], 0
        for (a, ka), (b, kb) in pairwise(table):
            if a <= d < b:
                bend = value.divide(kb - ka, b - a)
                return ka + bend * (d - a), bend
        return table[-1][1], 0

    def _refined(self):
        """The curve with knots where the path of unloading changes its kind."""
        points = [tuple(map(value.exact, p)) for p in self.points]
        extra = [value.exact(d) for d, _ in self.unloading] if self.varies else []
        forces = [value.exact(F) for _, F in self.curve]
        out = []
        last = value.exact(0 if self.beyond == "extend" else self.beyond)
        if self.beyond == "extend":
            (a, Fa), (b, Fb) = points[-2:]
            last = value.divide(Fb - Fa, b - a)
        reach = max([points[-1][0], *extra]) + 1
        tail = points[-1][1] + last * (reach - points[-1][0])
        if forces and last > 0 and tail < forces[-1]:
            reach = points[-1][0] + value.divide(forces[-1] - points[-1][1], last)
            tail = forces[-1]
        for (a, Fa), (b, Fb) in pairwise([*points, (reach, tail)]):
            slope = value.divide(Fb - Fa, b - a)
            cuts = {x for x in extra if a < x < b}
            if slope != 0:
                cuts |= {x for F in forces if a < (x := a + value.divide(F - Fa, slope)) < b}
            out += [(a, Fa), *((x, Fa + slope * (x - a)) for x in sorted(cuts))]
        return tuple(out if len(out) > 1 else points)

    def _curve_levels(self) -> list[tuple]:
        """Levels of the curve of unloading: force below, slope, energy and retreat there."""
        points = [tuple(map(value.exact, p)) for p in self.curve]
        out, area = [], 0
        for (a, Fa), (b, Fb) in pairwise(points):
            out.append((Fa, value.divide(Fb - Fa, b - a), area, a - points[0][0]))
            area = area + value.divide((Fa + Fb) * (b - a), 2)
        return out

    def unloading_slopes(self, K) -> list:
        """Every slope that a path of unloading can have."""
        second = [] if self.second is None else [K.number(value.exact(self.second[0]))]
        if self.curve:
            return [K.number(row[1]) for row in self._curve_levels()]
        if self.varies:
            return [*second, *(K.number(value.exact(k)) for _, k in self.unloading)]
        return [*second, K.number(value.exact(self.unloading))]

    def levels(self, K, F, stiff) -> list[tuple]:
        """Of a path that starts at force F: force below, slope, energy and retreat there."""
        if self.curve:
            return [tuple(map(K.number, row)) for row in self._curve_levels()]
        if self.second is None:
            return [(0, stiff, 0, 0)]
        k2, r = (K.number(value.exact(x)) for x in self.second)
        knee = r * F
        return [(0, k2, 0, 0), (knee, stiff, K.divide(knee * knee * HALF, k2), K.divide(knee, k2))]

    # ---- at one instant ------------------------------------------------------------------------

    def force(self, m, d):
        """Static force [N]."""
        return m["force"] + m["slope"] * (d - m["origin"])  # FO.9

    def _compliance(self, K, m, d):
        """Compliance, and its slope along d."""
        if not (self.leveled or self.varies):
            return K.divide(1, K.number(value.exact(self.unloading))), 0
        if not self.varies:
            return m["compliance"], 0
        k = self._stiff(K, m, d)
        part = K.divide(m["share"], k)
        return m["compliance"] + part, -K.divide(part * m["bend"], k)

    def stored(self, K, m, d):
        """Energy that the path of unloading gives back [J]."""
        F, (c, _) = self.force(m, d), self._compliance(K, m, d)
        return m.get("base", 0) + F * F * c * HALF  # FO.10, FO.33

    def dissipated_power(self, K, m, d, rate):
        """Power that it does not give back, of the static force [W]."""
        F, (c, bend) = self.force(m, d), self._compliance(K, m, d)
        return F * rate * (1 - m["slope"] * c - F * bend * HALF)  # FO.11, FO.34

    def growing(self, K, m):
        """Whether it is loading."""
        off = m["mode"] - LOADING
        return K.less(off * off, HALF * HALF)

    def largest(self, K, m, d):
        """Largest crush so far [m]."""
        return K.select(self.growing(K, m), d, m["largest"])

    def permanent(self, K, m, d):
        """Crush at which it would open [m]."""
        history = dict(zip(self._names, self._start_unloading(K, m, d), strict=True))["set"]
        return K.select(self.growing(K, m), history, m["set"])

    # ---- from one piece to the next ------------------------------------------------------------

    def open(self, m, high=None):
        """No force until the contact, or up to `high`; the rest of what is remembered stays."""
        fresh = {"mode": float(OPEN), "origin": 0.0, "force": 0.0, "slope": 0.0, "low": -UNBOUNDED}
        fresh |= {"high": m["set"] if high is None else high, "level": 0.0, "base": 0.0}
        return self.history_tuple(**{**m, **fresh, "compliance": 0.0, "bend": 0.0, "share": 0.0})

    def _load(self, K, m, index, row):
        """Along a segment of the curve."""
        if self.curve:
            m = {**m, "top level": row["level"]}
        return self.history_tuple(**{**m, **row, "mode": float(LOADING), "segment": index})

    def _level(self, K, m, number, level, at, force, low, high):
        """Along a level of the path of unloading, from a point of it."""
        below, slope, energy, _ = level
        return self.history_tuple(
            **{
                **m,
                "mode": float(UNLOADING),
                "origin": at,
                "force": force,
                "slope": slope,
                "low": low,
                "high": high,
                "level": number,
                "base": energy - K.divide(below * below * HALF, slope),
                "compliance": K.divide(1, slope),
                "bend": 0.0,
                "share": 0.0,
            }
        )

    def _top(self, K, m):
        """Number of the highest level of the path that is remembered."""
        if not self.curve:
            return 1.0 if self.second else 0.0
        return m["top level"]

    def _stiff(self, K, m, d):
        """Slope with which unloading starts at d."""
        if self.varies:
            return K.number(self._first) + m["stiffer"] + m["bend"] * (d - m["origin"])
        return 0 if self.curve else K.number(value.exact(self.unloading))

    def _start_unloading(self, K, m, d):
        """The crush turns back at d."""
        F, stiff = self.force(m, d), self._stiff(K, m, d)
        F = K.select(K.less(F, 0.0), 0.0, F)  # with its derivative where it is zero
        number = m["level"] if self.curve else 1.0 if self.second else 0.0
        level = select_row(K, number, self.levels(K, F, stiff))
        low = d - K.divide(F - level[0], level[1])
        history = {**m, "largest": d, "top": F, "set": low - level[3]}
        if self.varies:
            history["stiffer"] = stiff - K.number(self._first)
        return self._level(K, history, number, level, d, F, low, d)

    def _path(self, K, m):
        """Levels of the path that is remembered."""
        return self.levels(K, m["top"], self._stiff(K, {**m, "bend": 0}, 0))

    def _down(self, K, m):
        """Past a knee of the path, downwards."""
        path, at, number = self._path(K, m), m["low"], m["level"] - 1
        (force, *_), level = select_row(K, m["level"], path), select_row(K, number, path)
        low = at - K.divide(force - level[0], level[1])
        return self._level(K, m, number, level, at, force, low, at)

    def _up(self, K, m, number, at):
        """Onto a level of the path from below, at a point of it."""
        path, top = self._path(K, m), self._top(K, m)
        level = select_row(K, number, path)
        high = m["largest"]
        if len(path) > 1:
            ceiling, *_ = select_row(K, number + 1, path)
            inner = at + K.divide(ceiling - level[0], level[1])
            high = K.select(K.less(number + HALF, top), inner, high)
        return self._level(K, m, number, level, at, level[0], at, high)

    def guards(self, K, m, d, rate) -> tuple[Guard, ...]:
        unloading = K.less(UNLOADING - HALF, m["mode"])
        below, last = d - m["low"], unloading
        out = [
            Guard(f"{self.name}bound above", m["high"] - d),
            Guard(f"{self.name}turning", K.select(self.growing(K, m), rate, 1.0), "rate"),
        ]
        if not self.leveled:
            return (*out, Guard(f"{self.name}set", K.select(last, below, 1.0)))
        lowest = K.less(m["level"], HALF)
        down = K.select(lowest, below, 1.0), K.select(lowest, 1.0, below)
        return (
            *out,
            *(
                Guard(f"{self.name}{n}", K.select(unloading, x, 1.0))
                for n, x in zip(("set", "knee"), down, strict=True)
            ),
        )

    @cached_property
    def listed(self) -> tuple[tuple[float, ...], ...]:
        """Segments as plain numbers, in the order of `rows`; nothing where there are names."""
        numbers = [*(x for p in self.points for x in p), *(x for x in self.second or ())]
        numbers += [] if self.beyond == "extend" else [self.beyond]
        numbers += [] if self.varies or self.curve else [self.unloading]
        if any(isinstance(value.exact(x), value.Value) for x in numbers):
            return ()
        return tuple(tuple(map(float, row.values())) for row in self.rows(Floats()))

    def _segments(self, K, m, rows):
        """Segments before, at and after the present one: gathered, or picked by comparisons."""
        if rows:
            return [dict(zip(self.columns, row, strict=True)) for row in rows]
        lines = [tuple(row.values()) for row in self.rows(K)]
        return [
            dict(zip(self.columns, select_row(K, m["segment"] + i, lines), strict=True))
            for i in (-1, 0, 1)
        ]

    @derived
    def columns(self) -> tuple[str, ...]:
        """What a segment says, in the order of `rows`."""
        if self.curve:
            return (*LINE, "compliance", "base", "level")
        if self.varies:
            names = ("base", "level") if self.leveled else ()
            return (*LINE, "stiffer", "bend", "share", "compliance", *names)
        return (*LINE, *(("compliance", "base", "level") if self.leveled else ()))

    def jump(self, K, k, m, d, gathered=()) -> tuple:
        """What is remembered after the event of guard k."""
        if k == 1:
            return self._start_unloading(K, m, d)
        if k == 2:
            return self.open(m)
        if k == 3:
            return self._down(K, m)
        _, present, after = self._segments(K, m, gathered)
        back = self._load(K, m, m["segment"], present)  # of a new link: the first
        climbs = K.less(m["set"], m["largest"])  # not where it turned back without a force
        contact = select_tuple(K, climbs, self._up(K, m, 0.0, m["set"]), back)
        if self.leveled:
            inner = K.less(m["level"] + HALF, self._top(K, m))
            back = select_tuple(K, inner, self._up(K, m, m["level"] + 1, m["high"]), back)
        following = self._load(K, m, m["segment"] + 1, after)
        onward = select_tuple(K, self.growing(K, m), following, back)
        return select_tuple(K, K.less(m["mode"], HALF), contact, onward)

    def start(self, K, d, rate) -> tuple:
        """What a new link remembers at a crush d."""
        first = K.number(value.exact(self.points[0][0]))
        is_float = isinstance(first, float)
        fresh = self._fresh.get(first) if is_float else None
        if fresh is None:
            virgin = {"segment": 0.0, "largest": first, "set": first, "top level": 0.0}
            fresh = self.open({**virgin, "top": 0.0, "stiffer": 0.0})
            if is_float:
                self._fresh[first] = fresh
        if d < first or (d == first and rate < 0):
            return fresh
        high = LINE.index("high")
        lines = self.listed or [tuple(row.values()) for row in self.rows(K)]
        i = min(bisect_right(lines, d, key=lambda line: line[high]), len(lines) - 1)
        history = {**self.history_by_name(fresh), "largest": d}
        loading = self._load(K, history, float(i), dict(zip(self.columns, lines[i], strict=True)))
        if rate < 0:  # it is already let go
            loading = self._start_unloading(K, self.history_by_name(loading), d)
        return tuple(loading)
