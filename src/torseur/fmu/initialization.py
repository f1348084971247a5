"""From the values of a start to a state from which steps go on: native text."""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import event_functions, event_handling, explicit, step_control
from .instance import (
    APART,
    ERROR,
    FAILED,
    INSIDE,
    MADE,
    MOVED,
    NOT_NOW,
    OK,
    OTHER_TIME,
    PAST_END,
    READY,
    STARTING,
    WARNING,
    WRONG,
    Instance,
    the_run,
    told,
)

apply_reset = event_handling.apply_reset
evaluate_event_functions = event_functions.evaluate_event_functions
copy_array, copy_state = explicit.copy_array, explicit.copy_state
normalize_quaternions, project_state = step_control.normalize_quaternions, explicit.project_state
call = say = intrinsic

CLOSINGS = 100  # times that a start is brought back to its constraints
CLOSED = 1e-12  # relative change at which it is there
NOTED = 1e-9  # one that is told


def setup(me: Instance, defined, tolerance, start, _stop_defined, _stop):
    """`fmi2SetupExperiment`: tolerance and start."""
    run = the_run(me.run)
    if me.state != MADE:
        return told(me, NOT_NOW, 0, 0.0, 0.0)
    if defined != 0 and tolerance > 0.0:
        rtol = min(max(tolerance, 1e-12), 1e-2)
        for j in range(run.n):
            run.atol[j] = run.atol[j] * (rtol / run.rtol)
        run.rtol = rtol
    if start != me.t0:
        if me.restarts == 0:
            return told(me, OTHER_TIME, 0, start, me.t0)
        me.t0 = start
        run.t = start
        me.touched = 1
    return OK


def enter_start(me: Instance):
    """`fmi2EnterInitializationMode`."""
    if me.state != MADE:
        return told(me, NOT_NOW, 0, 0.0, 0.0)
    me.state = STARTING
    return OK


def exit_start(me: Instance):
    """`fmi2ExitInitializationMode`."""
    if me.state != STARTING:
        return told(me, NOT_NOW, 0, 0.0, 0.0)
    if me.touched == 1 and started(me, the_run(me.run)) != OK:
        me.state = WRONG
        return ERROR
    me.state, me.shown_now, me.touched = READY, 0, 0
    return OK


def started(me, run):
    """The state and the memory from a start that was changed: constraints, laws, contacts."""
    t = me.t0
    run.t, run.derivative_status, run.events_armed = t, 0, 0
    me.shown_now = 0
    copy_state(run, me.y0, run.y)
    normalize_quaternions(run, run.y, 0, 1)
    if closed(me, run) != OK:
        return ERROR
    copy_array(me.m0, run.m, run.nm)
    if me.begin != 0:
        copy_state(run, run.y, run.kernel_state)
        run.kernel_time[0] = t
        if call(me.begin, run.kernel_inputs, me.begins) != 0:
            return told(me, FAILED, 0, t, 0.0)
        first = run.nq + run.nv
        copy_array(run.y_work, run.y[first:], run.nz)
        copy_array(run.y_work[run.nz :], run.m, run.nm)
    for j in range(me.gaps):
        if me.gap[j] < -me.touch:
            return told(me, INSIDE, me.gap_label[j], -me.gap[j], 0.0)
    if run.ng > 0:
        if evaluate_event_functions(run, t, run.y, run.g) != 0:
            return told(me, FAILED, 0, t, 0.0)
        for j in range(run.ng):
            if not run.g[j] > me.least[j]:
                return told(me, PAST_END, me.guard_label[j], -run.g[j], 0.0)
    if me.switched == 1 and apply_reset(run, t, -1) != 0:
        return told(me, FAILED, 0, t, 0.0)
    return OK


def closed(me, run):
    """A start that is brought to its constraints, all coordinates and speeds together."""
    if run.project_kernel == 0:
        return OK
    copy_state(run, run.y, run.y_new)
    for _ in range(CLOSINGS):
        copy_state(run, run.y_new, run.y_work)
        if project_state(run, run.t, run.y_new) != 0:
            return told(me, APART, 0, 0.0, 0.0)
        if change(run, run.y_work, run.y_new) < CLOSED:
            moved_by = change(run, run.y, run.y_new)
            copy_state(run, run.y_new, run.y)
            if moved_by > NOTED:
                say(me, WARNING, MOVED, 0, moved_by, 0.0)
            return OK
    return told(me, APART, 0, 0.0, 0.0)


def change(run, a, b):
    """The largest relative difference of two states' coordinates and speeds."""
    most = 0.0
    for j in range(run.nq + run.nv):
        x = abs(b[j] - a[j]) / max(1.0, abs(b[j]))
        most = max(most, x)
    return most
