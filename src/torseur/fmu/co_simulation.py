"""Co-simulation: the steps of a run, its events within: native text."""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import advance as step_loop, record
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

advance = step_loop.advance
BUFFERS_FULL, REACHED_END, STEP_TOO_SMALL = (
    record.BUFFERS_FULL,
    record.REACHED_END,
    record.STEP_TOO_SMALL,
)
TERMINAL_EVENT, TOO_MANY_EVENTS = record.TERMINAL_EVENT, record.TOO_MANY_EVENTS
say = set_half = doubles = intrinsic

MOST = 1_000_000_000  # attempts of one call
ROUNDING = 1e-9  # of a time: the importer's clock and ours may differ by so much
EVENTS = 10_000.0  # a second


def clear(run):
    """Nobody reads the rows of an instance."""
    run.n_rows, run.n_history, run.n_logged, run.history_changed = 0, 0, 0, 1


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
    run.t_stop = t + h
    run.event_count = 0
    run.max_events = int(EVENTS * max(1.0, h))
    code = BUFFERS_FULL
    while code == BUFFERS_FULL:
        clear(run)
        code = advance(run, MOST)
    if code == REACHED_END:
        return OK
    if code == TERMINAL_EVENT:
        me.ended = 1
        say(me, DISCARD, STOPPED, me.guard_label[run.detail], run.t, 0.0)
        return DISCARD
    me.state = WRONG
    if code == TOO_MANY_EVENTS:
        last = run.log_index[run.n_logged - 1] if run.n_logged > 0 else 0
        return told(me, TOO_OFTEN, me.guard_label[last], run.t, 0.0)
    if code == STEP_TOO_SMALL:
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
