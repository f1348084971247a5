"""Many runs of one model, each from its start to its end without a look at Python.

A run is taken from the queue, advances by the text of single runs (`advance.turn`), events and
memory included, and is told about when it is over; then the next is taken.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..compiler import native as compiled
from . import (
    advance,
    ahead,
    control,
    dips,
    ends,
    events,
    explicit,
    implicit,
    knots,
    looks,
    record,
    steps,
)
from .advance import turn
from .ahead import rough
from .control import LEAST_KEPT
from .explicit import transfer
from .looks import keep
from .record import BUDGET, FULL, REACHED, Members

TOLD = (
    "code",
    "detail",
    "t",
    "h",
    "steps",
    "rejected",
    "calls",
    "jacobians",
    "events",
    "shaken",
    "where",
    "row",
    "rows",
    "log",
    "logs",
)
"""Numbers that are told of a run that is over, in their order."""


def reset(run):
    """Nothing has happened yet."""
    run.err = LEAST_KEPT
    run.fresh, run.armed, run.refused, run.tries = 0, 0, 0, 0
    run.waiting, run.settled, run.detail, run.grid = 0, 0, 0, 0
    run.events, run.steps, run.rejected, run.calls, run.jacobians = 0, 0, 0, 0, 0
    run.shaken, run.where = 0.0, 0.0
    run.stale, run.seeking, run.split, run.slid = 1, 0, 0, 0.0
    run.row_first, run.log_first = run.row, run.logs
    for k in range(run.ng):
        run.fall[k] = 0.0


def take(run):
    """Begin the next run of the queue; 0 when there is none."""
    i = run.next
    if i >= run.runs:
        return 0
    run.at = i
    run.next = i + run.every_lane
    transfer(run.starts[i], run.y, run.n)
    transfer(run.starts[i], run.seen, run.n)
    transfer(run.memories[i], run.m, run.nm)
    transfer(run.given[i], run.u, run.nu)
    transfer(run.parameters[i], run.p, run.np)
    reset(run)
    run.t = run.begins
    run.h = run.first_h[i]
    if run.every == 1:
        keep(run, run.t, run.y)
    elif run.wanted > 0 and run.times[0] <= run.t:
        keep(run, run.t, run.y)
        run.grid = 1
    return 1


def over(run, code):
    """The run is over: its last state is a row, and what became of it is told."""
    if run.row == run.row_first or (code != REACHED and run.row_t[run.row - 1] < run.t):
        keep(run, run.t, run.y)
    to = run.told[run.at]
    to[0], to[1], to[2], to[3] = code, run.detail, run.t, run.h
    to[4], to[5], to[6], to[7] = run.steps, run.rejected, run.calls, run.jacobians
    to[8], to[9], to[10] = run.events, run.shaken, run.where
    to[11], to[12] = run.row_first, run.row - run.row_first
    to[13], to[14] = run.log_first, run.logs - run.log_first


def foresee(run, t, h):
    """Rows ahead one by one: `abreast` is for runs that are alone."""
    return rough(run, t, h)


def serve(run: Members, budget):
    """Runs of the queue to their ends; FULL or BUDGET when Python has to look in between."""
    code = REACHED
    if run.at < 0 and take(run) == 0:
        return REACHED
    while True:
        code = turn(run, budget)
        budget -= 1
        if code == FULL:
            return code
        if code == BUDGET:
            return code
        if code >= 0:
            over(run, code)
            if take(run) == 0:
                run.at = -1
                return REACHED


_READY: dict[int, Callable] = {}
_LOCK = threading.RLock()


def serving(lanes: int) -> Callable:
    """The compiled `serve`, for so many lanes; 0 for a record of one."""
    with _LOCK:
        if lanes not in _READY:
            parts = (
                record,
                control,
                explicit,
                implicit,
                steps,
                knots,
                looks,
                ends,
                dips,
                events,
                ahead,
            )
            spaces = (*map(vars, (*parts, advance)), globals())
            (_READY[lanes],) = compiled(spaces, {"serve": "ii->i"}, lanes)
        return _READY[lanes]
