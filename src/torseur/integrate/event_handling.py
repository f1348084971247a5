"""Event handling: log, resets, simultaneous and consequent events, terminal events.

An event applies the reset (jump) of its law to the speeds, the continuous states z and the memory
(hybrid systems: Goebel, Sanfelice and Teel 2012).  Event functions that fall together act together,
each once, in the order in which the laws list them.  An event has a row before its resets and a
row after them.
Theory: EV.3, EV.5 to EV.7.
"""

from __future__ import annotations

from ..compiler import intrinsic, optsize
from .event_functions import (
    LEAVING_IS_EVENT,
    NOT_WAITING,
    SURFACE_ATOL,
    evaluate_event_functions,
    fell_by_force_jump,
    fell_by_speed_jump,
    rearm_event_functions,
    restore_armed_values,
)
from .explicit import copy_array, copy_state
from .output_rows import write_row
from .record import (
    EVALUATION_FAILED,
    MONITOR_EVENT,
    NO_EVENT,
    STOP_EVENT,
    VALIDITY_LIMIT,
    RunRecord,
)

call = intrinsic

SIMULTANEOUS_RATIO = 2.0  # of an event function to that of the event: it falls with it
MAX_SEGMENT_CHANGES = 64  # at one instant


# ---- resets ----------------------------------------------------------------------------------


@optsize
def gather_table_rows(run: RunRecord) -> None:
    """Gather the present row of every table and its neighbors for the jump kernel."""
    item = 0
    for i in range(run.n_tables):
        width, row = run.table_width[i], int(run.m[run.table_slot[i]] + 0.5)
        for j in range(3):
            neighbor = min(max(row - 1 + j, 0), run.table_rows[i] - 1)
            values = run.table_values[run.table_start[i] + width * neighbor :]
            copy_array(values, run.neighbor_rows[item:], width)
            item += width


@optsize
def apply_reset(run: RunRecord, t: float, k: int) -> int:
    """Apply the reset of event function k to the state and the memory."""
    gather_table_rows(run)
    nq, nv, n, y, outputs, m = run.nq, run.nv, run.n, run.y, run.y_work, run.m
    copy_state(run, y, run.kernel_state)
    run.kernel_time[0] = t
    run.kernel_extra[0] = k
    run.kernel_outputs[0] = outputs
    run.kernel_outputs[1] = outputs[nv:]
    run.kernel_outputs[2] = outputs[nv + run.nz :]
    status = call(run.jump_kernel, run.kernel_inputs, run.kernel_outputs)
    for j in range(n - nq):
        y[nq + j] = outputs[j]
    for j in range(run.nm):
        m[j] = outputs[n - nq + j]
    run.history_changed = 1
    return status


@optsize
def log_event(run: RunRecord, t: float, k: int) -> None:
    """Write an event into the log."""
    run.log_time[run.n_logged] = t
    run.log_index[run.n_logged] = k
    run.n_logged += 1
    run.event_count += 1


@optsize
def trigger_event(run: RunRecord, t: float, k: int) -> int:
    """Log the event of k and apply its reset.  Return k if it stops the run, else NO_EVENT."""
    log_event(run, t, k)
    if run.event_type[k] != MONITOR_EVENT:
        if apply_reset(run, t, k) != 0:
            return EVALUATION_FAILED
        run.reset_applied[k] = 1.0
    return k if run.event_type[k] == STOP_EVENT or run.event_type[k] == VALIDITY_LIMIT else NO_EVENT


# ---- events ----------------------------------------------------------------------------------


@optsize
def trigger_consequent_events(run: RunRecord, t: float) -> int:
    """Apply the resets of event functions that fell because of other resets at this event.

    A reset that is listed later may let an earlier one fall: repeat until none falls.  Each law
    applies one reset.  The return value is that of `trigger_event`.
    """
    stop, lowest = NO_EVENT, 0.0
    if evaluate_event_functions(run, t, run.y, run.g) != 0:
        return EVALUATION_FAILED
    for j in range(run.ng):
        was_positive = run.g_armed[j] > 0.0 and run.g_event[j] > 0.0
        lowest = min(lowest, run.g[j] if was_positive else 0.0)
    if lowest >= -SURFACE_ATOL:  # the usual case
        return stop
    resets = 1.0
    while resets > 0.0:
        resets = 0.0
        for j in range(run.ng):
            result = NO_EVENT
            if fell_by_speed_jump(run, j):  # EV.6
                if apply_reset(run, t, j) != 0:
                    return EVALUATION_FAILED
                run.reset_applied[j] = 1.0
            elif fell_by_force_jump(run, j):  # EV.7
                result = trigger_event(run, t, j)
                run.reset_applied[j] = 1.0
            else:
                continue
            resets = 1.0
            if result == EVALUATION_FAILED or evaluate_event_functions(run, t, run.y, run.g) != 0:
                return EVALUATION_FAILED
            if result >= 0:
                stop = result
    return stop


@optsize
def handle_event(run: RunRecord, t: float, k: int) -> int:
    """Handle the event of k and all simultaneous ones.

    The order is that of the laws.  A curve that ends where the motion reverses ends first.  Return
    the event that stops the run, or NO_EVENT.
    """
    g_armed, g_event, resets, stop = run.g_armed, run.g_event, 0.0, NO_EVENT
    for j in range(run.ng):
        run.reset_applied[j] = 0.0
    write_row(run, t, run.y)
    if evaluate_event_functions(run, t, run.y, g_event) != 0:
        return EVALUATION_FAILED
    simultaneous = max(SIMULTANEOUS_RATIO * g_event[k], SURFACE_ATOL)  # accuracy of the location
    for j in range(run.ng):
        limit = (
            0.0
            if run.event_type[j] == MONITOR_EVENT or not g_event[j] < g_armed[j]
            else simultaneous
        )
        if j == k or (g_armed[j] > 0.0 and not g_event[j] > limit):  # EV.3
            result = trigger_event(run, t, j)
            if result == EVALUATION_FAILED:
                return EVALUATION_FAILED
            if result >= 0:
                stop = result
    for j in range(run.ng):
        resets += run.reset_applied[j]
    result = trigger_consequent_events(run, t)
    if result == EVALUATION_FAILED:
        return EVALUATION_FAILED
    if result >= 0:
        stop = result
    rearm_event_functions(run, k)
    if resets > 0.0:
        write_row(run, t, run.y)
    return stop


@optsize
def leave_switching_surface(run: RunRecord, t: float, k: int) -> int:
    """Change the law of k to the segment into which the motion leaves the surface.

    It is an event only if the event function says so.  Chattering, where every segment pushes the
    motion back to the surface, ends after some changes: the motion goes on in the last segment.
    The return value is that of `handle_event`.
    """
    restore_armed_values(run)
    run.segment_changes += 1
    if run.segment_changes > MAX_SEGMENT_CHANGES:
        run.n_waiting = 0
        for j in range(run.ng):
            run.waiting_value[j] = NOT_WAITING
        return NO_EVENT
    if run.waits_on_surface[k] == LEAVING_IS_EVENT or run.event_type[k] == STOP_EVENT:
        return handle_event(run, t, k)
    if evaluate_event_functions(run, t, run.y, run.g_event) != 0 or apply_reset(run, t, k) != 0:
        return EVALUATION_FAILED
    if evaluate_event_functions(run, t, run.y, run.g) != 0:
        return EVALUATION_FAILED
    for j in range(run.ng):
        run.reset_applied[j] = 0.0
        if j != k and run.g[j] == run.g_event[j] and run.waiting_value[j] > 0.0:
            run.g_event[j] = run.g_armed[j]  # armed or not, as before
            run.g[j] = run.g_armed[j]
    run.reset_applied[k] = 1.0
    rearm_event_functions(run, k)
    if run.n_rows > 0 and run.row_t[run.n_rows - 1] == t:
        run.n_rows -= 1
        write_row(run, t, run.y)
    return NO_EVENT
