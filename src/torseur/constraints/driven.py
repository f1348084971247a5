"""A coordinate that follows a motion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from ..errors import ArgumentError, shown
from ..register import owned
from ..scalars import Stairs, vector
from ..scalars.values import value
from ._expression_rows import formula
from ._table_motion import TABLES, far, pieces, table_problems
from .base import Constraint, ConstraintElement, constraint

LONG = 12  # pieces of a motion up to which all their ends are events


@constraint
@dataclass(frozen=True, slots=True, eq=False)
class Driven(Constraint):
    """A coordinate follows a motion; the multiplier is the effort.

    `motion` is an expression of `t` [s], a motion law, or pieces of one: rows (from [s], to [s],
    c0, c1, ...) of polynomials of the time since `from`.  Laws of polynomials are kept as pieces,
    others as expressions.  Or a table of points (time [s], value): `position` (a cubic spline goes
    through them; `check` warns where it leaves them far), `speed` or `acceleration` (straight
    between the points; `start` is position and speed at the first).  Before and after its points a
    table goes on with its speed.  Its points
    are events that no step crosses, and so are the ends of pieces, unless there are more than 12
    and the acceleration leaps at none of them.  Kinks of an expression are no events: steps of a
    fixed size lose an order there.

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
        owned(self)
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
        """Times of the points of its table, or of the ends of its pieces [s]."""
        if self.problems():
            return ()
        if isinstance(self.motion, tuple):
            if len(self.motion) > LONG and not _leaps(self.motion):  # a spline of many points
                return ()
            return (*(p[0] for p in self.motion), self.motion[-1][1])
        points = next((p for n in TABLES if (p := getattr(self, n))), ())
        return tuple(float(t) for t, _ in points)

    @property
    def rests(self) -> bool:
        """Whether it stands still after its last time, as it is meant to."""
        return isinstance(self.motion, tuple)

    def problems(self) -> list[str]:
        """What is wrong with what it follows."""
        given = [n for n in TABLES if getattr(self, n) != ()]
        if (self.motion is not None) + len(given) != 1:
            said = ", ".join([*(["motion"] if self.motion is not None else []), *given]) or "none"
            return [f"expected one of motion, {', '.join(TABLES)}; got {said}"]
        out = list(table_problems(given[0], getattr(self, given[0]))) if given else []
        if isinstance(self.motion, tuple) and (told := _faults(self.motion)):
            out.append(told)
        try:
            fine = np.shape(self.start) == (2,) and np.isfinite(np.array(self.start, float)).all()
        except (TypeError, ValueError):
            fine = False
        if not fine:
            return [*out, f"start: expected position and speed, got {shown(self.start)}"]
        if any(self.start) and given not in (["speed"], ["acceleration"]):
            out.append("start: a motion or a table of positions says itself where it starts")
        return out

    @classmethod
    def examples(cls):
        """One of every variant with a formula of its own."""
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

    def rows(self, to):
        where = to.where(self)
        slot = to.coordinate(self.coordinate, where)
        if wrong := self.problems():
            to.problems += [f"{where}: {text}" for text in wrong]
            return []
        found = self.motion
        if found is None:
            kind = next(n for n in TABLES if getattr(self, n))
            if kind == "position" and (told := far(self.position)):
                to.warnings.append(f"{where}: {told}, or points of `speed`, straight between them")
            found = pieces(kind, getattr(self, kind), tuple(map(float, self.start)))
        if isinstance(found, tuple):
            return [Lag(self.name, (slot[1],), ("lag",), (slot[2],), slot=slot[0], pieces=found)]
        motion, followed, _ = to.expression(self.motion, where)
        lag = value.symbol("x_") - motion
        return [formula(self.name, ("lag",), (slot[2],), (lag,), {"x_": slot} | followed)]


@dataclass(frozen=True, slots=True, eq=False)
class Lag(ConstraintElement):
    """A coordinate less polynomials of time; before the first and after the last it stands still.

    Its coefficients are data, so that derivatives by time cost one polynomial.  # CO.17
    """

    slot: int = 0
    pieces: tuple[Any, ...] = ()

    def residual(self, tree, t, q):
        return vector([q[self.slot] - self.followed(tree.K, t)])

    def followed(self, K, t):
        """The motion at a time."""
        at = K.parameters.get(self.keeper, t)  # on a knot, the side that the motion is on
        start, *c = K.stairs(_stairs(self.pieces), at)
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
def _stairs(pieces) -> Stairs:
    """Since when a row holds, and its coefficients: before and after all pieces it stands still."""
    first, last = pieces[0], pieces[-1]
    order = max(map(len, pieces)) - 2
    end = sum(c * (last[1] - last[0]) ** i for i, c in enumerate(last[2:]))
    rows = [(first[0], first[0], first[2]), *pieces, (last[1], last[1], end)]
    table = [(row[0], *row[2:], *(0.0,) * (order - len(row) + 2)) for row in rows]
    return Stairs([row[0] for row in rows[1:]], table)


def _leaps(pieces) -> bool:
    """Whether position, speed or acceleration leap where one piece follows another, or stands."""
    rows = [np.polynomial.Polynomial(p[2:]) for p in pieces]
    for n in range(3):
        begins = np.array([x.deriv(n)(0.0) if n else x(0.0) for x in rows])
        ends = np.array([
            x.deriv(n)(p[1] - p[0]) if n else x(p[1] - p[0])
            for x, p in zip(rows, pieces, strict=True)
        ])  # fmt: skip
        most = 1e-6 * max(abs(begins).max(), abs(ends).max())
        if (abs(begins[1:] - ends[:-1]) > most).any():
            return True
    return False


def _row(row) -> Any:
    """The numbers of a row; what is none stays as it is, and is told by `problems`."""
    try:
        return tuple(map(float, row))
    except (TypeError, ValueError):
        return tuple(row) if isinstance(row, tuple | list) else row


def _faults(pieces) -> str:
    """What is wrong with pieces of a motion."""
    if not pieces or any(not isinstance(p, tuple) or len(p) < 3 for p in pieces):
        return "a motion in pieces needs rows (from, to, c0, ...)"
    for i, p in enumerate(pieces):
        if not all(isinstance(x, float) and np.isfinite(x) for x in p):
            return f"piece {i + 1} of its motion needs plain, finite numbers, got {shown(p)}"
    for i, p in enumerate(pieces):
        if not p[0] < p[1]:
            return f"piece {i + 1} of its motion lasts no time: {p[0]:g} to {p[1]:g} s"
        if i and abs(pieces[i - 1][1] - p[0]) > 1e-9:
            return (
                f"piece {i + 1} of its motion begins at {p[0]:g} s, the one before ends at "
                f"{pieces[i - 1][1]:g} s"
            )
    return ""
