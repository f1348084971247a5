"""Co-simulation of FMI 2.0: `fmi2DoStep` and its status, in restricted Python.

An instance takes the steps of `simulate` between communication points, with events located inside.
"""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import RunRecord, advance as step_loop, record
from .instance import (
    BROKEN,
    CALL_SEQUENCE,
    CO_SIMULATION,
    DISCARD,
    ENDED,
    FAILED,
    FREQUENT_EVENTS,
    NOT_OFFERED,
    OK,
    READY,
    STEP_SIZE_ZERO,
    TERMINAL_EVENT_REACHED,
    TIME_MISMATCH,
    Instance,
    get_run,
    report_error,
)

advance = step_loop.advance
BUFFERS_FULL, REACHED_END, STEP_TOO_SMALL = (
    record.BUFFERS_FULL,
    record.REACHED_END,
    record.STEP_TOO_SMALL,
)
TERMINAL_EVENT, TOO_MANY_EVENTS = record.TERMINAL_EVENT, record.TOO_MANY_EVENTS
log_message = store_int32 = doubles = intrinsic

MAX_STEP_ATTEMPTS = 1_000_000_000  # attempts of one call
TIME_RTOL = 1e-9  # of a time: the importer's clock and ours may differ by so much
MAX_EVENT_RATE = 10_000.0  # a second


def clear_output_rows(run: RunRecord) -> None:
    """Drop the time points that the run has stored, which nobody reads in an FMU."""
    run.n_rows, run.n_history, run.n_logged, run.history_changed = 0, 0, 0, 1


def do_step(me: Instance, t: float, h: float, _prior: int) -> int:
    """`fmi2DoStep`: integrate from one communication point to the next."""
    run = get_run(me.run)
    if me.state != READY or me.kind != CO_SIMULATION:
        return report_error(me, CALL_SEQUENCE, 0, 0.0, 0.0)
    if not h >= 0.0 or abs(t - run.t) > TIME_RTOL * max(1.0, abs(t)):
        return report_error(me, TIME_MISMATCH, 0, t, run.t)
    if me.is_terminated == 1:
        log_message(me, DISCARD, ENDED, 0, run.t, 0.0)
        return DISCARD
    me.signals_current = 0
    run.t_stop = t + h
    run.event_count = 0
    run.max_events = int(MAX_EVENT_RATE * max(1.0, h))
    code = BUFFERS_FULL
    while code == BUFFERS_FULL:
        clear_output_rows(run)
        code = advance(run, MAX_STEP_ATTEMPTS)
    if code == REACHED_END:
        return OK
    if code == TERMINAL_EVENT:
        me.is_terminated = 1
        log_message(me, DISCARD, TERMINAL_EVENT_REACHED, me.event_names[run.detail], run.t, 0.0)
        return DISCARD
    me.state = BROKEN
    if code == TOO_MANY_EVENTS:
        last = run.log_index[run.n_logged - 1] if run.n_logged > 0 else 0
        return report_error(me, FREQUENT_EVENTS, me.event_names[last], run.t, 0.0)
    if code == STEP_TOO_SMALL:
        return report_error(me, STEP_SIZE_ZERO, 0, run.t, run.h)
    return report_error(me, FAILED, 0, run.t, run.h)


def get_terminated(me: Instance, kind: int, target: int) -> int:
    """`fmi2GetBooleanStatus`: whether an event ended the motion."""
    if kind != 3:
        return report_error(me, NOT_OFFERED, 0, 0.0, 0.0)
    store_int32(target, 0, me.is_terminated)
    return OK


def get_last_time(me: Instance, kind: int, target: int) -> int:
    """`fmi2GetRealStatus`: the time that was reached [s]."""
    if kind != 2:
        return report_error(me, NOT_OFFERED, 0, 0.0, 0.0)
    run, out = get_run(me.run), doubles(target)
    out[0] = run.t
    return OK
