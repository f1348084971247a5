"""From the values of a start to a state from which steps go on: native text."""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import control, events, explicit, looks
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

unit = control.unit
leap = events.leap
copy, project, transfer = explicit.copy, explicit.project, explicit.transfer
guards = looks.guards
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
    run.t, run.fresh, run.armed = t, 0, 0
    me.shown_now = 0
    copy(run, me.y0, run.y)
    unit(run, run.y, 0, 1)
    if closed(me, run) != OK:
        return ERROR
    transfer(me.m0, run.m, run.nm)
    if me.begin != 0:
        copy(run, run.y, run.seen)
        run.time[0] = t
        if call(me.begin, run.inputs, me.begins) != 0:
            return told(me, FAILED, 0, t, 0.0)
        first = run.nq + run.nv
        transfer(run.other, run.y[first:], run.nz)
        transfer(run.other[run.nz :], run.m, run.nm)
    for j in range(me.gaps):
        if me.gap[j] < -me.touch:
            return told(me, INSIDE, me.gap_label[j], -me.gap[j], 0.0)
    if run.ng > 0:
        if guards(run, t, run.y, run.g1) != 0:
            return told(me, FAILED, 0, t, 0.0)
        for j in range(run.ng):
            if not run.g1[j] > me.least[j]:
                return told(me, PAST_END, me.guard_label[j], -run.g1[j], 0.0)
    if me.switched == 1 and leap(run, t, -1) != 0:
        return told(me, FAILED, 0, t, 0.0)
    return OK


def closed(me, run):
    """A start that is brought to its constraints, all coordinates and speeds together."""
    if run.project == 0:
        return OK
    copy(run, run.y, run.new)
    for _ in range(CLOSINGS):
        copy(run, run.new, run.other)
        if project(run, run.t, run.new) != 0:
            return told(me, APART, 0, 0.0, 0.0)
        if change(run, run.other, run.new) < CLOSED:
            moved_by = change(run, run.y, run.new)
            copy(run, run.new, run.y)
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
