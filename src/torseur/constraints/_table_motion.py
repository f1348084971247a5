"""A motion in time by points: polynomials between them.  Theory: CO.18."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from ..errors import shown
from ..scalars import overshoot, spline

TABLES = ("position", "speed", "acceleration")
NEVER = 1e12  # s: a motion that goes on


def pieces(kind: str, points, start) -> tuple[tuple[float, ...], ...]:
    """Rows (from, to, c0, c1, c2, c3) of a motion whose positions, speeds or accelerations are
    given by points; before the first and after the last it keeps its speed.

    >>> pieces("speed", ((0, 2), (1, 4)), (0.5, 0))
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
    ways = [*accumulate(h * (c1 + h * (c2 + h * c3)), initial=x)]
    end = c1[-1] + h[-1] * (2 * c2[-1] + h[-1] * 3 * c3[-1])
    rows = np.column_stack([t[:-1], t[1:], ways[:-1], c1, c2, c3]).tolist()
    rows.append((t[-1], NEVER, ways[-1], end, 0, 0))  # CO.18
    if t[0] > 0:
        rows.insert(0, (0, t[0], ways[0] - c1[0] * t[0], c1[0], 0, 0))
    return tuple(tuple(map(float, row)) for row in rows)


def far(points) -> str:
    """A sentence if the spline through points of positions leaves them far; "" if not."""
    t, y = np.asarray(points, dtype=float).T
    every = pieces("position", points, (0.0, 0.0))
    rows = np.array([row[2:] for row in every if t[0] <= row[0] < t[-1]]).T

    def curve(at):
        d = at - t[:-1, None]
        c0, c1, c2, c3 = rows[:, :, None]
        return c0 + d * (c1 + d * (c2 + d * c3))

    return overshoot(t, y, curve)


def table_problems(name: str, points):
    """What is wrong with a table of a motion, as sentences."""
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
