"""Model exchange of FMI 2.0: the importer integrates, event functions are event indicators.

Written in restricted Python.  Theory: EV.1 to EV.7.
"""

from __future__ import annotations

from ..compiler import intrinsic
from ..integrate import RunRecord, event_functions, event_handling, explicit, record
from .co_simulation import clear_output_rows
from .initialization import max_relative_change
from .instance import (
    CALL_SEQUENCE,
    FAILED,
    NO_VARIABLE,
    OK,
    OPEN_CONSTRAINTS,
    READY,
    TERMINAL_EVENT_REACHED,
    TERMINATED,
    WARNING,
    Instance,
    get_run,
    report_error,
    report_undefined_rates,
)

SURFACE_ATOL = event_functions.SURFACE_ATOL
arm_event_function = event_functions.arm_event_function
arm_leaving_functions = event_functions.arm_leaving_functions
evaluate_event_functions = event_functions.evaluate_event_functions
find_leaving_function = event_functions.find_leaving_function
handle_event = event_handling.handle_event
leave_switching_surface = event_handling.leave_switching_surface
call_flow_kernel = explicit.call_flow_kernel
copy_state, project_state = explicit.copy_state, explicit.project_state
EVALUATION_FAILED, MONITOR_EVENT, NO_EVENT = (
    record.EVALUATION_FAILED,
    record.MONITOR_EVENT,
    record.NO_EVENT,
)
log_message = store_int32 = doubles = intrinsic

MAX_EVENTS_AT_INSTANT = 64  # events at one instant
# relative: further off its constraints a state of an importer is brought back
MAX_CONSTRAINT_DRIFT = 1e-6


def set_time(me: Instance, t: float) -> int:
    """`fmi2SetTime`."""
    run = get_run(me.run)
    me.signals_current, run.t = 0, t
    return OK


def set_states(me: Instance, x: int, count: int) -> int:
    """`fmi2SetContinuousStates`."""
    if count != me.n:
        return report_error(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run = get_run(me.run)
    me.signals_current = 0
    copy_state(run, doubles(x), run.y)
    return OK


def get_states(me: Instance, x: int, count: int) -> int:
    """`fmi2GetContinuousStates`."""
    if count != me.n:
        return report_error(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run = get_run(me.run)
    copy_state(run, run.y, doubles(x))
    return OK


def get_nominals(me: Instance, x: int, count: int) -> int:
    """`fmi2GetNominalsOfContinuousStates`: 1 for all."""
    out = doubles(x)
    for j in range(count):
        out[j] = 1.0
    return OK


def get_rates(me: Instance, x: int, count: int) -> int:
    """`fmi2GetDerivatives`: right-hand side of the equations of motion."""
    if count != me.n:
        return report_error(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run = get_run(me.run)
    copy_state(run, run.y, run.kernel_state)
    if call_flow_kernel(run, run.t, run.row_rates) != 0:
        return report_undefined_rates(me, run.t)
    copy_state(run, run.row_rates, doubles(x))
    return OK


def get_indicators(me: Instance, x: int, count: int) -> int:
    """`fmi2GetEventIndicators`: positive until the event of an event function."""
    if count != me.ng:
        return report_error(me, NO_VARIABLE, 0, count + 0.0, 0.0)
    run, out = get_run(me.run), doubles(x)
    if run.ng == 0:
        return OK
    if arm_events(me, run) != 0 or evaluate_event_functions(run, run.t, run.y, run.g) != 0:
        return report_undefined_rates(me, run.t)
    for j in range(run.ng):
        out[j] = 1.0
        if run.event_type[j] != MONITOR_EVENT:
            if run.waiting_value[j] <= 0.0:
                out[j] = run.g[j] - run.waiting_value[j] + SURFACE_ATOL  # EV.5
            elif run.g_armed[j] > 0.0:
                out[j] = run.g[j]
    return OK


def arm_events(me: Instance, run: RunRecord) -> int:
    """Arm the event functions at the start of the motion."""
    if run.events_armed == 1 or run.ng == 0:
        return 0
    if evaluate_event_functions(run, run.t, run.y, run.g_armed) != 0:
        return 1
    run.events_armed, run.n_waiting = 1, 0
    for j in range(run.ng):
        arm_event_function(run, j, run.g_armed[j])
    return 0


def complete_step(me: Instance, _prior: int, enter: int, terminates: int) -> int:
    """`fmi2CompletedIntegratorStep`: arm positive event functions, and check the drift.

    A state that has drifted from its constraints requests an event.
    """
    run = get_run(me.run)
    store_int32(enter, 0, 0)
    store_int32(terminates, 0, 0)
    if run.ng > 0:
        if arm_events(me, run) != 0 or evaluate_event_functions(run, run.t, run.y, run.g) != 0:
            return report_error(me, FAILED, 0, run.t, 0.0)
        if run.n_waiting > 0:
            arm_leaving_functions(run)
        for j in range(run.ng):
            if run.waiting_value[j] > 0.0 and run.g[j] > 0.0:
                run.g_armed[j] = run.g[j]
    if run.project_kernel != 0 or run.n_quaternions > 0:
        copy_state(run, run.y, run.y_new)
        if project_state(run, run.t, run.y_new) != 0:
            return report_error(me, OPEN_CONSTRAINTS, 0, 0.0, 0.0)
        if max_relative_change(run, run.y, run.y_new) > MAX_CONSTRAINT_DRIFT:
            store_int32(enter, 0, 1)
    return OK


def update_discrete_states(me: Instance, info: int) -> int:
    """`fmi2NewDiscreteStates`: apply the resets of due events, and project the state."""
    run = get_run(me.run)
    for j in range(5):
        store_int32(info, j, 0)
    has_reset, t = 0, run.t
    me.signals_current = 0
    if arm_events(me, run) != 0:
        return report_error(me, FAILED, 0, t, 0.0)
    for _ in range(MAX_EVENTS_AT_INSTANT):
        clear_output_rows(run)
        k = find_due_event(run, t)
        if k == NO_EVENT:
            break
        stop = EVALUATION_FAILED if k == EVALUATION_FAILED else handle_due_event(run, t, k)
        if stop == EVALUATION_FAILED:
            return report_error(me, FAILED, 0, t, 0.0)
        if stop >= 0:
            me.is_terminated = 1
            store_int32(info, 1, 1)
            log_message(me, WARNING, TERMINAL_EVENT_REACHED, me.event_names[stop], t, 0.0)
        has_reset = 1
    if run.project_kernel != 0 or run.n_quaternions > 0:
        copy_state(run, run.y, run.y_new)
        if project_state(run, t, run.y_new) != 0:
            return report_error(me, OPEN_CONSTRAINTS, 0, 0.0, 0.0)
        if (
            has_reset == 1
            or max_relative_change(run, run.y, run.y_new) > 0.1 * MAX_CONSTRAINT_DRIFT
        ):
            copy_state(run, run.y_new, run.y)
            has_reset = 1
    store_int32(info, 3, has_reset)
    return OK


def handle_due_event(run: RunRecord, t: float, k: int) -> int:
    """Apply the reset of event function k.  Returns as `handle_event`."""
    return (
        handle_event(run, t, k)
        if run.waiting_value[k] > 0.0
        else leave_switching_surface(run, t, k)
    )


def find_due_event(run: RunRecord, t: float) -> int:
    """Event function that has become negative, or that leaves its switching surface."""
    if run.ng == 0:
        return NO_EVENT
    if evaluate_event_functions(run, t, run.y, run.g) != 0:
        return EVALUATION_FAILED
    for j in range(run.ng):
        if run.event_type[j] != MONITOR_EVENT and run.g_armed[j] > 0.0 and not run.g[j] > 0.0:
            return j
    return find_leaving_function(run) if run.n_waiting > 0 else NO_EVENT


def check_ready(me: Instance) -> int:
    """`fmi2EnterEventMode`, `fmi2EnterContinuousTimeMode`: nothing to do."""
    if me.state != READY:
        return report_error(me, CALL_SEQUENCE, 0, 0.0, 0.0)
    return OK


def terminate_instance(me: Instance) -> int:
    """`fmi2Terminate`."""
    me.state = TERMINATED
    return OK
