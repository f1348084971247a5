"""Co-simulation: the steps of a run, its events within: native text."""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import advance as steps, record
from .instance import (
    BACKWARDS,
    CO_SIMULATION,
    DISCARD,
    ENDED,
    FAILED,
    NOT_NOW,
    OK,
    READY,
    SHORT,
    STOPPED,
    TOO_OFTEN,
    UNKNOWN_KIND,
    WRONG,
    Instance,
    the_run,
    told,
)

advance = steps.advance
BUDGET, FULL, REACHED, TERMINAL, TOO_MANY, TOO_SMALL = (
    record.BUDGET,
    record.FULL,
    record.REACHED,
    record.TERMINAL,
    record.TOO_MANY,
    record.TOO_SMALL,
)
say = set_half = doubles = intrinsic

MOST = 1_000_000_000  # attempts of one call
ROUNDING = 1e-9  # of a time: the importer's clock and ours may differ by so much
EVENTS = 10_000.0  # a second


def clear(run):
    """Nobody reads the rows of an instance."""
    run.row, run.known, run.logs, run.stale = 0, 0, 0, 1


def do_step(me: Instance, t, h, _prior):
    """`fmi2DoStep`: from one communication point to the next."""
    run = the_run(me.run)
    if me.state != READY or me.kind != CO_SIMULATION:
        return told(me, NOT_NOW, 0, 0.0, 0.0)
    if not h >= 0.0 or abs(t - run.t) > ROUNDING * max(1.0, abs(t)):
        return told(me, BACKWARDS, 0, t, run.t)
    if me.ended == 1:
        say(me, DISCARD, ENDED, 0, run.t, 0.0)
        return DISCARD
    me.shown_now = 0
    run.stop = t + h
    run.events = 0
    run.most_events = int(EVENTS * max(1.0, h))
    code = FULL
    while code == FULL:
        clear(run)
        code = advance(run, MOST)
    if code == REACHED:
        return OK
    if code == TERMINAL:
        me.ended = 1
        say(me, DISCARD, STOPPED, me.guard_label[run.detail], run.t, 0.0)
        return DISCARD
    me.state = WRONG
    if code == TOO_MANY:
        last = run.which[run.logs - 1] if run.logs > 0 else 0
        return told(me, TOO_OFTEN, me.guard_label[last], run.t, 0.0)
    if code == TOO_SMALL:
        return told(me, SHORT, 0, run.t, run.h)
    return told(me, FAILED, 0, run.t, run.h)


def terminated(me: Instance, kind, to):
    """`fmi2GetBooleanStatus`: whether an event ended the motion."""
    if kind != 3:
        return told(me, UNKNOWN_KIND, 0, 0.0, 0.0)
    set_half(to, 0, me.ended)
    return OK


def last_time(me: Instance, kind, to):
    """`fmi2GetRealStatus`: the time that was reached."""
    if kind != 2:
        return told(me, UNKNOWN_KIND, 0, 0.0, 0.0)
    run, out = the_run(me.run), doubles(to)
    out[0] = run.t
    return OK
