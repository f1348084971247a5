"""Access to the variables of an FMU instance, in restricted Python."""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import RunRecord, explicit
from .initialization import initialize_state
from .instance import (
    DEPENDENT_VARIABLE,
    ERROR,
    FIXED_INITIAL_STATE,
    INITIALIZING,
    INPUT,
    NO_VARIABLE,
    NOT_A_NUMBER,
    NOT_OFFERED,
    OK,
    PARAMETER,
    RATE,
    SET_AFTER_START,
    SIGNAL,
    STATE,
    TIME,
    Instance,
    get_run,
    report_error,
    report_undefined_rates,
)

call_flow_kernel, copy_state = explicit.call_flow_kernel, explicit.copy_state
call = doubles = load_int32 = intrinsic


def update_signals(me: Instance, run: RunRecord) -> int:
    """Evaluate rates and signals at the present state, unless they are current."""
    if me.signals_current == 1:
        return 0
    t = run.t
    copy_state(run, run.y, run.kernel_state)
    if call_flow_kernel(run, t, run.row_rates) != 0:
        return 1
    if me.signal_kernel != 0 and call(me.signal_kernel, me.signal_inputs, me.signal_outputs) != 0:
        return 1
    me.signals_current = 1
    return 0


def read_variable(me: Instance, run: RunRecord, variable_type: int, slot: int) -> float:
    """Value of one variable."""
    if variable_type == TIME:
        return run.t
    if variable_type == STATE:
        return me.y0[slot] if me.state <= INITIALIZING and me.start_changed == 1 else run.y[slot]
    if variable_type == RATE:
        return run.row_rates[slot]
    if variable_type == INPUT:
        return run.u[slot]
    if variable_type == PARAMETER:
        return me.p[slot]
    return me.signals[slot]


def get_real(me: Instance, vr: int, count: int, target: int) -> int:
    """`fmi2GetReal`."""
    run, out, is_updated = get_run(me.run), doubles(target), 0
    for i in range(count):
        k = load_int32(vr, i)
        if k >= me.n_variables:
            return report_error(me, NO_VARIABLE, 0, k + 0.0, 0.0)
        variable_type = me.variable_types[k]
        if is_updated == 0 and (variable_type - RATE) * (variable_type - SIGNAL) == 0:
            is_updated = 1
            if (
                me.state <= INITIALIZING
                and me.start_changed == 1
                and initialize_state(me, run) != OK
            ):
                return ERROR
            if update_signals(me, run) != 0:
                return report_undefined_rates(me, run.t)
        out[i] = read_variable(me, run, variable_type, me.variable_slots[k])
    return OK


def set_real(me: Instance, vr: int, count: int, source: int) -> int:
    """`fmi2SetReal`: inputs.  Before the start also parameters, coordinates and speeds."""
    run, x = get_run(me.run), doubles(source)
    for i in range(count):
        k = load_int32(vr, i)
        if k >= me.n_variables:
            return report_error(me, NO_VARIABLE, 0, k + 0.0, 0.0)
        variable_type, slot = me.variable_types[k], me.variable_slots[k]
        if not abs(x[i]) < 1e300:
            return report_error(me, NOT_A_NUMBER, me.variable_names[k], x[i], 0.0)
        if variable_type == INPUT:
            if run.u[slot] != x[i]:
                run.u[slot] = x[i]
                run.derivative_status = 0
                me.signals_current = 0
                if me.state <= INITIALIZING:
                    me.start_changed = 1
        elif variable_type == PARAMETER or (variable_type == STATE and slot < run.nq + run.nv):
            if me.state > INITIALIZING:
                return report_error(me, SET_AFTER_START, me.variable_names[k], x[i], 0.0)
            old = me.p[slot] if variable_type == PARAMETER else me.y0[slot]
            if old != x[i]:
                if me.start_free == 0:
                    return report_error(me, FIXED_INITIAL_STATE, me.variable_names[k], x[i], 0.0)
                me.start_changed, me.signals_current = 1, 0
                if variable_type == PARAMETER:
                    me.p[slot] = x[i]
                else:
                    me.y0[slot] = x[i]
        else:
            return report_error(me, DEPENDENT_VARIABLE, me.variable_names[k], x[i], 0.0)
    return OK


def reject_other_types(me: Instance, _vr: int, count: int, _values: int) -> int:
    """Functions for variables of other types, of which there are none."""
    if count == 0:
        return OK
    return report_error(me, NO_VARIABLE, 0, load_int32(_vr, 0) + 0.0, 0.0)


def reject_call(me: Instance) -> int:
    """Functions that are not offered."""
    return report_error(me, NOT_OFFERED, 0, 0.0, 0.0)
