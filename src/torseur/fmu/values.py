"""Variables of an instance, read and set: native text."""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import explicit
from .initialization import started
from .instance import (
    ERROR,
    FIXED,
    INPUT,
    NO_START,
    NO_VARIABLE,
    NOT_A_NUMBER,
    NOT_SET,
    OK,
    PARAMETER,
    RATE,
    SHOWN,
    STARTING,
    STATE,
    TIME,
    UNKNOWN_KIND,
    Instance,
    the_run,
    told,
    unfit,
)

call_flow_kernel, copy_state = explicit.call_flow_kernel, explicit.copy_state
call = doubles = half = intrinsic


def look(me, run):
    """Rates and signals of now."""
    if me.shown_now == 1:
        return 0
    t = run.t
    copy_state(run, run.y, run.kernel_state)
    if call_flow_kernel(run, t, run.row_rates) != 0:
        return 1
    if me.output != 0 and call(me.output, me.seeing, me.showing) != 0:
        return 1
    me.shown_now = 1
    return 0


def get_one(me, run, where, slot):
    """One number."""
    if where == TIME:
        return run.t
    if where == STATE:
        return me.y0[slot] if me.state <= STARTING and me.touched == 1 else run.y[slot]
    if where == RATE:
        return run.row_rates[slot]
    if where == INPUT:
        return run.u[slot]
    if where == PARAMETER:
        return me.p[slot]
    return me.shown[slot]


def get_real(me: Instance, vr, count, to):
    """`fmi2GetReal`."""
    run, out, looked = the_run(me.run), doubles(to), 0
    for i in range(count):
        k = half(vr, i)
        if k >= me.variables:
            return told(me, NO_VARIABLE, 0, k + 0.0, 0.0)
        where = me.where[k]
        if looked == 0 and (where - RATE) * (where - SHOWN) == 0:
            looked = 1
            if me.state <= STARTING and me.touched == 1 and started(me, run) != OK:
                return ERROR
            if look(me, run) != 0:
                return unfit(me, run.t)
        out[i] = get_one(me, run, where, me.slot[k])
    return OK


def set_real(me: Instance, vr, count, given):
    """`fmi2SetReal`: inputs; before the start also parameters, coordinates and speeds."""
    run, x = the_run(me.run), doubles(given)
    for i in range(count):
        k = half(vr, i)
        if k >= me.variables:
            return told(me, NO_VARIABLE, 0, k + 0.0, 0.0)
        where, slot = me.where[k], me.slot[k]
        if not abs(x[i]) < 1e300:
            return told(me, NOT_A_NUMBER, me.label[k], x[i], 0.0)
        if where == INPUT:
            if run.u[slot] != x[i]:
                run.u[slot] = x[i]
                run.derivative_status = 0
                me.shown_now = 0
                if me.state <= STARTING:
                    me.touched = 1
        elif where == PARAMETER or (where == STATE and slot < run.nq + run.nv):
            if me.state > STARTING:
                return told(me, FIXED, me.label[k], x[i], 0.0)
            old = me.p[slot] if where == PARAMETER else me.y0[slot]
            if old != x[i]:
                if me.restarts == 0:
                    return told(me, NO_START, me.label[k], x[i], 0.0)
                me.touched, me.shown_now = 1, 0
                if where == PARAMETER:
                    me.p[slot] = x[i]
                else:
                    me.y0[slot] = x[i]
        else:
            return told(me, NOT_SET, me.label[k], x[i], 0.0)
    return OK


def no_others(me: Instance, _vr, count, _values):
    """Variables of other types: there are none."""
    if count == 0:
        return OK
    return told(me, NO_VARIABLE, 0, half(_vr, 0) + 0.0, 0.0)


def refused(me: Instance):
    """What is not offered."""
    return told(me, UNKNOWN_KIND, 0, 0.0, 0.0)
