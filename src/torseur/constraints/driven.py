"""Driven coordinate: prescribed motion by an expression, polynomial segments, or a table.

Equations CO.17, CO.18.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, shown
from ..register import freeze_fields
from ..scalars import Stairs, overshoot, spline, vector
from ..scalars.values import value
from ._expression_rows import formula
from .base import Constraint, ConstraintElement, constraint

TABLES = ("position", "speed", "acceleration")
END_OF_TIME = 1e12  # [s] of the last segment of a motion
MAX_EVENT_SEGMENTS = 12  # of a motion, up to which all their ends are events
JUMP_RTOL = 1e-6  # of position, speed or acceleration between segments
TIME_ATOL = 1e-9  # [s] between the end of a segment and the start of the next


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Driven(Constraint):
    """A coordinate follows a motion; the multiplier is the effort.

    `motion` is an expression of `t` [s], a motion profile, or its segments: rows (from [s], to [s],
    c0, c1, ...) of polynomials of the time since `from`.  Profiles of polynomials are stored as
    segments, others as expressions.  Instead a table of points (time [s], value) may be given:
    `position` (a cubic spline; `check` warns where it overshoots the points), `speed` or
    `acceleration` (linear between the points; `start` is position and speed at the first).  Before
    and after its points the speed of a table is constant.

    The points of a table are events that no step crosses.  So are the ends of segments, unless
    there are more than 12 and the acceleration is continuous.  Kinks of an expression are no
    events: steps of a fixed size lose an order there.

    >>> Driven("motor", "crank.angle", "2*pi*t").motion
    '2*pi*t'
    >>> pulse = Driven("pulse", "sled.displacement", acceleration=((0, 0), (0.05, -300), (0.1, 0)),
    ...                start=(0, 15))
    >>> pulse.times
    (0.0, 0.05, 0.1)
    """

    name: str
    coordinate: str
    motion: Any = None
    position: tuple[Any, ...] = ()
    speed: tuple[Any, ...] = ()
    acceleration: tuple[Any, ...] = ()
    start: tuple[Any, ...] = (0.0, 0.0)
    units: ClassVar = {"position": "s, m", "speed": "s, m/s", "acceleration": "s, m/s^2",
                       "start": "m, m/s"}  # fmt: skip
    sided: ClassVar = "coordinate"

    def __post_init__(self):
        freeze_fields(self)
        motion = self.motion
        if hasattr(motion, "breakpoints") and hasattr(motion, "expression"):
            try:
                motion = motion.pieces or motion.expression
            except ArgumentError:  # no polynomials
                motion = motion.expression
        if isinstance(motion, tuple | list | np.ndarray):
            motion = tuple(map(_row, motion))
            if motion and {*map(np.size, motion)} == {2}:  # points of positions
                object.__setattr__(self, "position", motion)
                motion = None
        object.__setattr__(self, "motion", motion)

    @property
    def times(self) -> tuple[float, ...]:
        """Times [s] of the points of its table, or of the ends of its segments."""
        if self.problems():
            return ()
        if isinstance(self.motion, tuple):
            if len(self.motion) > MAX_EVENT_SEGMENTS and not _has_jumps(self.motion):
                return ()
            return (*(p[0] for p in self.motion), self.motion[-1][1])
        points = next((p for n in TABLES if (p := getattr(self, n))), ())
        return tuple(float(t) for t, _ in points)

    @property
    def rests(self) -> bool:
        """Whether it is at rest after its last time by definition."""
        return isinstance(self.motion, tuple)

    def problems(self) -> list[str]:
        """Problems of its motion, as sentences."""
        tables = [n for n in TABLES if getattr(self, n) != ()]
        if (self.motion is not None) + len(tables) != 1:
            names = ", ".join([*(["motion"] if self.motion is not None else []), *tables]) or "none"
            return [f"expected one of motion, {', '.join(TABLES)}; got {names}"]
        out = list(table_problems(tables[0], getattr(self, tables[0]))) if tables else []
        if isinstance(self.motion, tuple) and (problem := _segment_problem(self.motion)):
            out.append(problem)
        try:
            start = np.array(self.start, float)
            is_valid = start.shape == (2,) and np.isfinite(start).all()
        except (TypeError, ValueError):
            is_valid = False
        if not is_valid:
            return [*out, f"start: expected position and speed, got {shown(self.start)}"]
        if any(self.start) and tables not in (["speed"], ["acceleration"]):
            out.append("start: a motion or a table of positions says itself where it starts")
        return out

    @classmethod
    def examples(cls):
        """One instance of every variant with its own formula."""
        points = ((0.0, 0.1), (0.2, 0.3), (0.7, -0.2), (1.5, 0.4))
        rise = (0.2, 0.6, 0.1, 0.0, 3.0, 0.5)
        return (
            cls("c", "turn.angle", "L*sin(2*pi*t) + t**2"),
            cls("c", "turn.angle", (rise, (0.6, 1.0, 0.612, 2.64, -3.3, 0.0))),
            cls("c", "turn.angle", position=points),
            cls("c", "turn.angle", speed=points, start=(0.2, 0.1)),
            cls("c", "turn.angle", acceleration=points, start=(0.2, -0.3)),
        )

    def drawn(self):
        return ({"shape": "coordinates", "names": (self.coordinate,), "looks": ("drive",)},)

    def rows(self, to: Any):
        where = to.where(self)
        slot = to.coordinate(self.coordinate, where)
        if problems := self.problems():
            to.problems += [f"{where}: {text}" for text in problems]
            return []
        segments = self.motion
        if segments is None:
            kind = next(n for n in TABLES if getattr(self, n))
            if kind == "position" and (warning := overshoot_warning(self.position)):
                to.warnings.append(
                    f"{where}: {warning}, or points of `speed`, straight between them"
                )
            segments = table_segments(kind, getattr(self, kind), tuple(map(float, self.start)))
        if isinstance(segments, tuple):
            units = (slot[2],)
            return [Lag(self.name, (slot[1],), ("lag",), units, slot=slot[0], pieces=segments)]
        motion, followed, _ = to.expression(self.motion, where)
        lag = value.symbol("x_") - motion
        return [formula(self.name, ("lag",), (slot[2],), (lag,), {"x_": slot} | followed)]


@dataclass(frozen=True, slots=True, eq=False)
class Lag(ConstraintElement):
    """Row: a coordinate minus a piecewise polynomial of time, at rest outside of its segments.

    Coefficients are data, so that derivatives by time cost one polynomial.  Equation CO.17.
    """

    slot: int = 0
    pieces: tuple[Any, ...] = ()

    def residual(self, tree: Any, t: Any, q: np.ndarray):
        return vector([q[self.slot] - self.followed(tree.K, t)])

    def followed(self, K: Any, t: Any):
        """Prescribed position at a time."""
        selector = K.parameters.get(self.keeper, t)  # on a knot, a time inside the active segment
        start, *c = K.stairs(_segment_table(self.pieces), selector)
        d, x = t - start, 0
        for k in reversed(c):
            x = x * d + k
        return x

    @property
    def drives(self) -> bool:
        return True

    @property
    def keeper(self) -> str:
        return f"{self.name}.points"

    @property
    def formulas(self):
        return ()


@lru_cache(maxsize=64)
def _segment_table(segments) -> Stairs:
    """Start time and coefficients of each segment; at rest before the first and after the last."""
    first, last = segments[0], segments[-1]
    order = max(map(len, segments)) - 2
    end = sum(c * (last[1] - last[0]) ** i for i, c in enumerate(last[2:]))
    rows = [(first[0], first[0], first[2]), *segments, (last[1], last[1], end)]
    table = [(row[0], *row[2:], *(0.0,) * (order - len(row) + 2)) for row in rows]
    return Stairs([row[0] for row in rows[1:]], table)


def _has_jumps(segments) -> bool:
    """Whether position, speed or acceleration jump between segments."""
    rows = [np.polynomial.Polynomial(p[2:]) for p in segments]
    for n in range(3):
        begins = np.array([x.deriv(n)(0.0) if n else x(0.0) for x in rows])
        ends = np.array([
            x.deriv(n)(p[1] - p[0]) if n else x(p[1] - p[0])
            for x, p in zip(rows, segments, strict=True)
        ])  # fmt: skip
        tolerance = JUMP_RTOL * max(abs(begins).max(), abs(ends).max())
        if (abs(begins[1:] - ends[:-1]) > tolerance).any():
            return True
    return False


def _row(row) -> Any:
    """Numbers of a row; an invalid row is returned as it is, for `problems`."""
    try:
        return tuple(map(float, row))
    except (TypeError, ValueError):
        return tuple(row) if isinstance(row, tuple | list) else row


def _segment_problem(segments) -> str:
    """Problem of the segments of a motion, or ""."""
    if not segments or any(not isinstance(p, tuple) or len(p) < 3 for p in segments):
        return "a motion in pieces needs rows (from, to, c0, ...)"
    for i, p in enumerate(segments):
        if not all(isinstance(x, float) and np.isfinite(x) for x in p):
            return f"piece {i + 1} of its motion needs plain, finite numbers, got {shown(p)}"
    for i, p in enumerate(segments):
        if not p[0] < p[1]:
            return f"piece {i + 1} of its motion lasts no time: {p[0]:g} to {p[1]:g} s"
        if i and abs(segments[i - 1][1] - p[0]) > TIME_ATOL:
            return (
                f"piece {i + 1} of its motion begins at {p[0]:g} s, the one before ends at "
                f"{segments[i - 1][1]:g} s"
            )
    return ""


# ---- tables of positions, speeds or accelerations ------------------------------------------


def table_segments(kind: str, points, start) -> tuple[tuple[float, ...], ...]:
    """Segments (from, to, c0, c1, c2, c3) of a motion from a table, CO.18.

    `kind` says whether the points are positions, speeds or accelerations.  Before the first point
    and after the last the speed is constant.

    >>> table_segments("speed", ((0, 2), (1, 4)), (0.5, 0))
    ((0.0, 1.0, 0.5, 2.0, 1.0, 0.0), (1.0, 1000000000000.0, 3.5, 4.0, 0.0, 0.0))
    """
    t, y = np.asarray(points, dtype=float).T
    h, rate, zero = np.diff(t), np.diff(y) / np.diff(t), np.zeros(t.size - 1)
    x, v = start
    if kind == "position":
        x, c = y[0], np.array([zero, zero, rate])
        if t.size > 2:
            c = spline(t, y[:, None], "natural")[:, :0:-1, 0].T
        c1, c2, c3 = c[2], c[1], c[0]
    elif kind == "speed":
        c1, c2, c3 = y[:-1], rate / 2, zero
    else:
        speeds = [*accumulate((y[:-1] + y[1:]) / 2 * h, initial=v)]
        c1, c2, c3 = np.array(speeds[:-1]), y[:-1] / 2, rate / 6
    positions = [*accumulate(h * (c1 + h * (c2 + h * c3)), initial=x)]
    end = c1[-1] + h[-1] * (2 * c2[-1] + h[-1] * 3 * c3[-1])
    rows = np.column_stack([t[:-1], t[1:], positions[:-1], c1, c2, c3]).tolist()
    rows.append((t[-1], END_OF_TIME, positions[-1], end, 0, 0))  # CO.18
    if t[0] > 0:
        rows.insert(0, (0, t[0], positions[0] - c1[0] * t[0], c1[0], 0, 0))
    return tuple(tuple(map(float, row)) for row in rows)


def overshoot_warning(points) -> str:
    """Warning if the spline through points of positions overshoots them; "" if not."""
    t, y = np.asarray(points, dtype=float).T
    segments = table_segments("position", points, (0.0, 0.0))
    rows = np.array([row[2:] for row in segments if t[0] <= row[0] < t[-1]]).T

    def curve(times):
        d = times - t[:-1, None]
        c0, c1, c2, c3 = rows[:, :, None]
        return c0 + d * (c1 + d * (c2 + d * c3))

    return overshoot(t, y, curve)


def table_problems(name: str, points) -> Iterator[str]:
    """Problems of a table of a motion, as sentences."""
    try:
        rows = np.array(points, dtype=float)
    except (TypeError, ValueError):
        yield f"{name}: expected points (time [s], value) of plain numbers, got {shown(points)}"
        return
    if rows.ndim != 2 or rows.shape[1] != 2 or len(rows) < 2:
        yield f"{name}: expected two points (time [s], value) or more, got shape {rows.shape}"
    elif not np.isfinite(rows).all():
        yield f"{name}: point {int(np.argwhere(~np.isfinite(rows))[0][0])} is not finite"
    elif (np.diff(rows[:, 0]) <= 0).any():
        i = int(np.argmax(np.diff(rows[:, 0]) <= 0))
        yield f"{name}: times must grow, but {rows[i + 1, 0]:g} s follows {rows[i, 0]:g} s"
