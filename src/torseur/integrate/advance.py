"""A run from step to step: attempt, judge, locate, commit.

Nothing here knows a model: kernels are called by address, all else is in the record (`Steps`).
The text is compiled once per machine and kept on disk; `ready()` compiles, or loads what was kept.
Theory: IN.9, IN.11 and IN.12.
"""

from __future__ import annotations

import threading

from ..compiler import native as compiled
from . import (
    abreast,
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
from .abreast import foresee
from .ahead import wobble
from .control import LEAST_KEPT, TINY, VANISHED, fitted, grow, reaches, shrink, strict
from .ends import all_far, leans
from .events import first_event, happen, seek, settle, sought
from .explicit import copy, followed, project, rates
from .knots import arm
from .looks import guards, keep
from .record import (
    BROKEN,
    BUDGET,
    EPS,
    EXPLICIT,
    FULL,
    LEAVES,
    LOOSE,
    NEWMARK,
    NO_CONVERGENCE,
    NONE,
    NOT_FINITE,
    REACHED,
    ROSENBROCK,
    TERMINAL,
    TOO_LONG,
    TOO_MANY,
    TOO_SMALL,
    Steps,
)
from .steps import between, complete, error, step

ON, AGAIN = -1, -2  # of a part of a step: go on; it was refused, try another
AT_ONCE = 4  # rows that a step may write besides the wanted ones: at an event before and after
LOST = 0.25  # of a step whose rates were not finite, to be tried next
LONGER = 1.37  # of a step that ended where rounding outweighs the tolerance: end elsewhere
SHORTEST = 1e-3  # of a step: a wanted time nearer to its start is left to interpolation
AFTER = 0.01  # of the next step, at least, after an event: what came before says little
NOISE = 3.0  # times what rounding does to a projected state: an error is only that
WOBBLE = 4.0  # tolerances that rounding may move a state; further from singular positions
OVER = 8  # it moves less: longer steps are tried, this many in a row


# ---- attempt ---------------------------------------------------------------------------------


def begin(run, t):
    """Rates and guards at the start of a step, where they are not known already."""
    if run.fresh == 0:
        copy(run, run.y, run.seen)
        run.detail = rates(run, t, run.f0)
        if run.detail != 0:
            return NOT_FINITE
        run.fresh = 1
    if run.armed == 0:
        run.detail = 0
        if run.ng > 0 and guards(run, t, run.y, run.g0) != 0:
            return NOT_FINITE
        run.armed, run.waiting = 1, 0
        for j in range(run.ng):
            arm(run, j, run.g0[j])
    return ON


def length(run, t):
    """Choose the step: as wished, or so that the stop is reached by one step or two equal ones.

    What an event has left of a fixed step is a step of its own: EV.4.
    """
    run.wish = min(run.h, run.h_max) if run.split == 0 else run.due - t
    run.last = reaches(t, run.wish, run.stop)
    run.tried = run.wish
    if run.last == 1 or run.adaptive == 1:
        run.tried = fitted(t, run.wish, run.stop)


def refuse(run, h):
    """Try again with the step h, and do not let the next one grow."""
    run.rejected += 1
    run.refused = 1
    run.h = h
    return AGAIN


def attempt(run):
    """One step of the method from the present state to a new one."""
    t = run.t
    if run.seeking != 0:
        run.detail = step(run, t, run.tried)
        return ON if run.detail == 0 else NOT_FINITE
    code = begin(run, t)
    if code != ON:
        return code
    length(run, t)
    h = run.tried
    if h <= 2.0 * EPS * max(abs(t), TINY) and run.last == 0:
        return TOO_SMALL
    status = step(run, t, h)
    if status == 0:
        return ON
    run.detail = status
    if run.adaptive == 0:
        return NO_CONVERGENCE if run.family == NEWMARK else NOT_FINITE
    refuse(run, LOST * h)
    return NOT_FINITE if run.h <= VANISHED * max(abs(t), TINY) else AGAIN


# ---- judge -----------------------------------------------------------------------------------


def estimated(run, t, h):
    """The error of the step over its tolerance; below zero to try again, a little longer.

    Near a singular position of the constraints rounding alone may be larger than the tolerance:
    then longer steps are tried, which end elsewhere, and after some the noise is accepted and told.
    """
    err = error(run, t, h)
    if run.family == EXPLICIT:
        err = strict(run, err, run.steps + run.rejected)
    if not (err > 1.0 and run.project != 0) or (run.ends > 0 and leans(run) > 0):
        return err
    noise = wobble(run, t + h)
    if not err <= NOISE * noise:  # IN.12
        return err
    run.tries += 1
    if noise > WOBBLE and run.tries <= OVER:
        return -1.0
    if noise > run.shaken:
        run.shaken = noise
        run.where = t + h
    return 1.0


def judge(run):
    """Accept the attempt, and say how long the next step is to be; or refuse it."""
    t, h = run.t, run.tried
    if run.seeking != 0:
        return ON
    run.ahead = h
    if run.adaptive == 0:
        return ON
    err = estimated(run, t, h)
    if err < 0.0:
        return refuse(run, LONGER * h)
    if not err <= 1.0:
        refuse(run, h * shrink(err, run.exponent))
        return TOO_SMALL if run.h <= 2.0 * EPS * max(abs(t), TINY) else AGAIN
    run.ahead = h * grow(err, run.err, run.refused, run.exponent, run.smoothing)
    run.err = max(err, LEAST_KEPT)
    if h < run.wish:
        run.ahead = max(run.ahead, run.wish)
    if run.project != 0 and run.grid < run.wanted:
        if complete(run, t, h) != 0:
            return NOT_FINITE
        until = foresee(run, t, h)
        if until < t + h and until - t > SHORTEST * h:
            run.rejected += 1
            run.h = until - t
            return AGAIN
    run.refused, run.tries = 0, 0
    return ON


# ---- locate ----------------------------------------------------------------------------------


def locate(run):
    """Shorten the step to the first event within it, if there is one; its guard in `fired`.

    The step that ends there is sought by further attempts.
    """
    t, h = run.t, run.tried
    if run.seeking != 0:
        if sought(run, t, run.fired) == 0:
            return AGAIN
        run.seeking = 0
        return ON if complete(run, t, run.tried) == 0 else NOT_FINITE
    run.fired = NONE
    if run.ng == 0:
        return ON
    run.detail = 0
    if run.ends > 0 and all_far(run, t, h):
        return ON
    if complete(run, t, h) != 0:
        return NOT_FINITE
    k = first_event(run, t, h)
    if k == BROKEN:
        return NOT_FINITE
    if k <= LEAVES:
        return act(run, k)
    if k >= 0:
        seek(run, t, h, k)
        return AGAIN
    return ON


# ---- commit ----------------------------------------------------------------------------------


def emit(run, t, h):
    """Record the wanted times of an accepted step."""
    while run.grid < run.wanted and run.times[run.grid] <= t + h + run.slid:
        at = run.times[run.grid]
        theta = (at - t) / h
        if theta >= 1.0 and run.slid == 0.0:
            keep(run, at, run.new)
        elif run.row < run.foreseen:
            keep(run, at, run.row_y[run.row])
        else:
            complete(run, t, h)
            between(run, h, theta, run.other)
            project(run, at, run.other)
            keep(run, at, run.other)
        run.grid += 1


def rejoin(run, k):
    """The present time is the end of the fixed step that was split, when the motion is there."""
    left = run.due - run.t
    if k < 0 or (run.due < run.stop and left <= VANISHED * max(abs(run.t), TINY)):
        run.t, run.split = run.due, 0


def commit(run):
    """Make the new state the present one, record what is wanted, and let the event act."""
    t, h, k = run.t, run.tried, run.fired
    run.steps += 1
    run.settled = 0
    emit(run, t, h)
    run.t = run.stop if run.last == 1 else t + h + run.slid
    run.slid = 0.0
    if run.split == 1:
        rejoin(run, k)
    if run.family == ROSENBROCK:
        run.fresh = 0
    else:
        copy(run, run.stage[run.stages - 1], run.f0)
        run.fresh = 1
    copy(run, run.new, run.y)
    if run.adaptive == 1:
        run.h = run.ahead if k < 0 else min(run.ahead, max(2.0 * h, AFTER * run.ahead))
    for j in range(run.ng):
        run.fall[j] = run.slopes[j] if k < 0 else 0.0
    if k >= 0:
        return act(run, k)
    for j in range(run.ng):
        run.g0[j] = run.g1[j] if run.waits_from[j] > 0.0 else 0.0
    if run.every == 1:
        keep(run, run.t, run.y)
    return ON if followed(run) == 1 else LOOSE


def act(run, k):
    """Let guard k act; TERMINAL when it, or one that fell with it, ends the run.

    LEAVES - k is guard k that waited on a knot: the step is tried again with the next piece.
    """
    run.fresh = 0
    stopping = settle(run, run.t, LEAVES - k) if k <= LEAVES else happen(run, run.t, k)
    if stopping == BROKEN:
        return NOT_FINITE
    if stopping >= 0:
        run.detail = stopping
        return TERMINAL
    return AGAIN if k <= LEAVES else ON


# ---- the run ---------------------------------------------------------------------------------


def halted(run, budget):
    """Why no step is to be tried now, or ON."""
    if run.seeking != 0:
        return ON
    if run.t >= run.stop:
        return REACHED
    if run.row + (run.wanted - run.grid) + AT_ONCE > run.room:
        return FULL
    if run.known + AT_ONCE > run.pasts or run.logs + run.ng + 1 > run.logged:
        return FULL
    if budget <= 0:
        return BUDGET
    if run.events > run.most_events:
        return TOO_MANY
    if run.steps + run.rejected >= run.most_steps or run.calls >= run.most_calls:
        return TOO_LONG
    return ON


def turn(run, budget):
    """Attempt, judge, locate, commit: one step, or why there is none."""
    code = halted(run, budget)
    if code == ON:
        code = attempt(run)
    if code == ON:
        code = judge(run)
    if code == ON:
        code = locate(run)
    if code == ON:
        code = commit(run)
    return code


def advance(run: Steps, most_steps):
    """Go on until `stop`, an event that stops, full buffers, or a budget of attempts."""
    budget, code = most_steps, ON
    while True:
        code = turn(run, budget)
        budget -= 1
        if code >= 0:
            return code


def note(run: Steps):
    """Record the present state."""
    keep(run, run.t, run.y)


_READY: dict[bool, tuple] = {}
IMPLICIT = ("rosenbrock", "newmark", "semi_implicit")  # steps of families that few runs take
_LOCK = threading.RLock()


def texts(family: int = EXPLICIT) -> tuple[tuple, list[str], tuple[str, ...]]:
    """Modules of `advance` for a family of methods, those that are made short rather than fast,
    and functions that are left out: explicit methods have a text without the others."""
    often = (record, control, explicit, implicit, steps, dips)
    seldom = (knots, looks, ends, events, ahead, abreast)
    spaces = (*map(vars, (*often, *seldom)), globals())
    names = [*(x.__name__ for x in seldom), __name__]
    return spaces, names, () if family != EXPLICIT else IMPLICIT


def ready(family: int = EXPLICIT) -> tuple:
    """The compiled `advance` and `note`, of the address of a record, for a family of methods."""
    more = family != EXPLICIT
    with _LOCK:
        if more not in _READY:
            spaces, seldom, without = texts(family)
            outer = {"advance": "ii->i", "note": "i->"}
            _READY[more] = compiled(spaces, outer, seldom=seldom, without=without)
        return _READY[more]
