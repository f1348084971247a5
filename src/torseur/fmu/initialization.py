"""Initialization of FMU instances: a consistent initial state from start values.

Written in restricted Python.  A start that violates constraints is projected onto them.
"""

from __future__ import annotations

import numpy as np

from ..compiler import intrinsic
from ..integrate import RunRecord, event_functions, event_handling, explicit, step_control
from .instance import (
    BEHIND_SURFACE,
    BROKEN,
    CALL_SEQUENCE,
    ERROR,
    FAILED,
    FIXED_START_TIME,
    INITIALIZING,
    INSIDE_GROUND,
    INSTANTIATED,
    OK,
    OPEN_CONSTRAINTS,
    READY,
    START_PROJECTED,
    WARNING,
    Instance,
    get_run,
    report_error,
)

apply_reset = event_handling.apply_reset
evaluate_event_functions = event_functions.evaluate_event_functions
copy_array, copy_state = explicit.copy_array, explicit.copy_state
normalize_quaternions, project_state = step_control.normalize_quaternions, explicit.project_state
call = log_message = intrinsic

MAX_PROJECTIONS = 100  # times that a start is brought back to its constraints
PROJECTION_RTOL = 1e-12  # relative change at which it is there
REPORTED_CHANGE = 1e-9  # relative change of the start that is reported


def setup_experiment(
    me: Instance, defined: int, tolerance: float, start: float, _stop_defined: int, _stop: float
) -> int:
    """`fmi2SetupExperiment`: tolerance and start time."""
    run = get_run(me.run)
    if me.state != INSTANTIATED:
        return report_error(me, CALL_SEQUENCE, 0, 0.0, 0.0)
    if defined != 0 and tolerance > 0.0:
        rtol = min(max(tolerance, 1e-12), 1e-2)
        for j in range(run.n):
            run.atol[j] = run.atol[j] * (rtol / run.rtol)
        run.rtol = rtol
    if start != me.t0:
        if me.start_free == 0:
            return report_error(me, FIXED_START_TIME, 0, start, me.t0)
        me.t0 = start
        run.t = start
        me.start_changed = 1
    return OK


def enter_initialization(me: Instance) -> int:
    """`fmi2EnterInitializationMode`."""
    if me.state != INSTANTIATED:
        return report_error(me, CALL_SEQUENCE, 0, 0.0, 0.0)
    me.state = INITIALIZING
    return OK


def exit_initialization(me: Instance) -> int:
    """`fmi2ExitInitializationMode`."""
    if me.state != INITIALIZING:
        return report_error(me, CALL_SEQUENCE, 0, 0.0, 0.0)
    if me.start_changed == 1 and initialize_state(me, get_run(me.run)) != OK:
        me.state = BROKEN
        return ERROR
    me.state, me.signals_current, me.start_changed = READY, 0, 0
    return OK


def initialize_state(me: Instance, run: RunRecord) -> int:
    """State and history variables from changed start values.

    Projects on constraints, starts the laws, and checks contacts and event functions.
    """
    t = me.t0
    run.t, run.derivative_status, run.events_armed = t, 0, 0
    me.signals_current = 0
    copy_state(run, me.y0, run.y)
    normalize_quaternions(run, run.y, 0, 1)
    if project_initial_state(me, run) != OK:
        return ERROR
    copy_array(me.initial_history, run.m, run.nm)
    if me.start_kernel != 0:
        copy_state(run, run.y, run.kernel_state)
        run.kernel_time[0] = t
        if call(me.start_kernel, run.kernel_inputs, me.start_outputs) != 0:
            return report_error(me, FAILED, 0, t, 0.0)
        first = run.nq + run.nv
        copy_array(run.y_work, run.y[first:], run.nz)
        copy_array(run.y_work[run.nz :], run.m, run.nm)
    for j in range(me.n_gaps):
        if me.gap[j] < -me.max_penetration:
            return report_error(me, INSIDE_GROUND, me.gap_names[j], -me.gap[j], 0.0)
    if run.ng > 0:
        if evaluate_event_functions(run, t, run.y, run.g) != 0:
            return report_error(me, FAILED, 0, t, 0.0)
        for j in range(run.ng):
            if not run.g[j] > me.min_event_values[j]:
                return report_error(me, BEHIND_SURFACE, me.event_names[j], -run.g[j], 0.0)
    if me.has_switched_constraints == 1 and apply_reset(run, t, -1) != 0:
        return report_error(me, FAILED, 0, t, 0.0)
    return OK


def project_initial_state(me: Instance, run: RunRecord) -> int:
    """Project coordinates and speeds onto the constraints, by repeated Newton steps."""
    if run.project_kernel == 0:
        return OK
    copy_state(run, run.y, run.y_new)
    for _ in range(MAX_PROJECTIONS):
        copy_state(run, run.y_new, run.y_work)
        if project_state(run, run.t, run.y_new) != 0:
            return report_error(me, OPEN_CONSTRAINTS, 0, 0.0, 0.0)
        if max_relative_change(run, run.y_work, run.y_new) < PROJECTION_RTOL:
            distance = max_relative_change(run, run.y, run.y_new)
            copy_state(run, run.y_new, run.y)
            if distance > REPORTED_CHANGE:
                log_message(me, WARNING, START_PROJECTED, 0, distance, 0.0)
            return OK
    return report_error(me, OPEN_CONSTRAINTS, 0, 0.0, 0.0)


def max_relative_change(run: RunRecord, a: np.ndarray, b: np.ndarray) -> float:
    """Largest relative difference of the coordinates and speeds of two states."""
    largest = 0.0
    for j in range(run.nq + run.nv):
        x = abs(b[j] - a[j]) / max(1.0, abs(b[j]))
        largest = max(largest, x)
    return largest
