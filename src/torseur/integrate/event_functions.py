"""Event functions of hybrid systems: evaluation, arming, and waiting on the switching surface.

An event function g is positive while its mode lasts, and its fall to zero is an event (Shampine and
Thompson 2000).  Each event function is in one of three conditions:

armed
    `g_armed` > 0: its fall to zero is located as an event.
inactive
    `g_armed` <= 0, `waiting_value` > 0: it is armed at the first sample at which it is positive.
    After its event it is inactive, so that it cannot chatter at its own zero.
waiting
    `waiting_value` <= 0: the state stands on the switching surface g = 0.  The direction in which
    the motion leaves the surface decides: with g > 0 the function is armed, with g < 0 the law
    changes to the next segment.  A state that is located to rounding cannot tell the direction.

Theory: EV.5 to EV.7.
"""

from __future__ import annotations

import numpy as np

from ..compiler import intrinsic, optsize
from .record import MONITOR_EVENT, NO_EVENT, RunRecord
from .step_control import evaluate_dense_weights, sum_stages

call = intrinsic

SURFACE_ATOL = 1e-13  # [unit of g] an event function this near to zero is on its surface
START_BEHIND_ATOL = 3e-12  # [unit of g] the same below zero, for a start on a rigid stop
NOT_WAITING = 1.0  # in `waiting_value`
LEAVING_IS_EVENT = 2  # in `waits_on_surface`: as of a rigid stop


# ---- evaluation ------------------------------------------------------------------------------


@optsize
def evaluate_event_functions(run: RunRecord, t: float, state: np.ndarray, g: np.ndarray) -> int:
    """Evaluate all event functions at time t and a state."""
    kernel_state = run.kernel_state
    for j in range(run.n_event_state):
        kernel_state[j] = state[j]
    return call_guards_kernel(run, t, g)


@optsize
def call_guards_kernel(run: RunRecord, t: float, g: np.ndarray) -> int:
    """Evaluate all event functions at time t and the state in `kernel_state`."""
    run.kernel_time[0] = t
    run.kernel_outputs[0] = g
    return call(run.guards_kernel, run.kernel_inputs, run.kernel_outputs)


@optsize
def interpolate_event_functions(run: RunRecord, t: float, h: float, theta: float) -> int:
    """Evaluate all event functions by dense output at the fraction theta of the step."""
    evaluate_dense_weights(run, theta)
    y, rates, weights, stages = run.y, run.stage_rates, run.dense_weights, run.dense_stages
    sum_stages(run.kernel_state, y, h, rates, weights, stages, run.n_event_state)
    return call_guards_kernel(run, t + theta * h, run.g)


@optsize
def sample_event_functions(run: RunRecord, t: float, h: float, i: int) -> int:
    """Evaluate all event functions at sampling point i: by dense output, or finally in `y_new`."""
    if i == run.n_samples - 1:
        return evaluate_event_functions(run, t + h, run.y_new, run.g)
    y, rates, weights, stages = run.y, run.stage_rates, run.sample_weights[i], run.dense_stages
    sum_stages(run.kernel_state, y, h, rates, weights, stages, run.n_event_state)
    return call_guards_kernel(run, t + run.sample_theta[i] * h, run.g)


@optsize
def find_crossing(run: RunRecord) -> int:
    """First armed event function that is not positive any more, or NO_EVENT.

    `n_crossed` receives their number, `max_inactive` the largest value among the inactive ones.
    """
    g_armed, g, low, high, first, count = run.g_armed, run.g, 1.0, 0.0, NO_EVENT, 0
    for k in range(run.ng):
        a, b = g_armed[k], g[k]
        low = min(low, b if a > 0.0 else 1.0)
        high = max(high, 0.0 if a > 0.0 else b)
    run.max_inactive = high
    if low > 0.0:
        return NO_EVENT
    for j in range(run.ng):
        k = run.ng - 1 - j
        if g_armed[k] > 0.0 and not g[k] > 0.0:
            first = k
            count += 1
    run.n_crossed = count
    return first


# ---- arming ----------------------------------------------------------------------------------


@optsize
def wait_on_surface(run: RunRecord, j: int, value: float) -> None:
    """Let event function j wait on its switching surface."""
    run.g_armed[j] = 0.0
    run.waiting_value[j] = min(value, 0.0)
    run.n_waiting += 1


@optsize
def arm_event_function(run: RunRecord, j: int, value: float) -> None:
    """Arm event function j by its value, or let it wait where the value is zero."""
    run.g_armed[j] = value
    run.waiting_value[j] = NOT_WAITING
    below = START_BEHIND_ATOL if run.waits_on_surface[j] == LEAVING_IS_EVENT else SURFACE_ATOL
    if run.waits_on_surface[j] != 0 and value <= SURFACE_ATOL and value >= -below:
        wait_on_surface(run, j, value)


@optsize
def disarm_event_function(run: RunRecord, j: int) -> None:
    """Make event function j inactive, until it is positive again."""
    run.g_armed[j] = 0.0
    run.waiting_value[j] = NOT_WAITING


@optsize
def arm_positive_functions(run: RunRecord) -> None:
    """Arm the inactive event functions that have become positive."""
    for j in range(run.ng):
        old, new = run.g_armed[j], run.g[j]
        run.g_armed[j] = new if new > 0.0 and run.waiting_value[j] > 0.0 else old


@optsize
def arm_at_step_end(run: RunRecord) -> None:
    """Take the values at the end of an accepted step, but for event functions that wait."""
    for j in range(run.ng):
        run.g_armed[j] = run.g[j] if run.waiting_value[j] > 0.0 else 0.0


@optsize
def save_armed_values(run: RunRecord) -> None:
    """Save which event functions are armed as the step begins."""
    for j in range(run.ng):
        run.g_armed_saved[j] = run.g_armed[j]


@optsize
def restore_armed_values(run: RunRecord) -> None:
    """Restore which event functions were armed as the step began."""
    for j in range(run.ng):
        run.g_armed[j] = run.g_armed_saved[j]


# ---- arming after a reset --------------------------------------------------------------------


@optsize
def rearm_event_functions(run: RunRecord, k: int) -> None:
    """Arm every event function after the event of k and all resets of this instant.

    Values before the resets are in `g_event`, values after them in `g`.
    """
    run.n_waiting = 0
    for j in range(run.ng):
        rearm_event_function(run, j, j == k or not run.g_event[j] > 0.0)


@optsize
def rearm_event_function(run: RunRecord, j: int, was_at_zero: bool) -> None:
    """Arm event function j after a reset, let it wait on its surface, or disarm it.

    - A changed function that is not positive belongs to a new segment, whose surface is located to
      rounding: it waits.
    - An unchanged function that was positive stays armed.
    - An unchanged function at its zero has had its event: it is disarmed.  It waits instead if it
      stands on its surface without a reset of its own.
    """
    value, waits = run.g[j], run.waits_on_surface[j] != 0
    if is_changed_by_reset(run, j):
        if waits and not value > 0.0:
            wait_on_surface(run, j, value)
        else:
            arm_event_function(run, j, value)
    elif not was_at_zero and run.reset_applied[j] == 0.0:
        arm_event_function(run, j, value)
    elif waits and run.reset_applied[j] == 0.0 and abs(value) <= SURFACE_ATOL:
        wait_on_surface(run, j, value)
    else:
        disarm_event_function(run, j)


@optsize
def is_changed_by_reset(run: RunRecord, j: int) -> bool:
    """Whether the resets of this instant have changed event function j, judged by its value."""
    return run.g[j] != run.g_event[j]


# ---- leaving the switching surface -----------------------------------------------------------


@optsize
def find_leaving_function(run: RunRecord) -> int:
    """First waiting event function whose surface the motion leaves with g < 0, or NO_EVENT."""
    lowest = 0.0
    for j in range(run.ng):
        change = run.g[j] - run.waiting_value[j]
        lowest = min(lowest, change if run.waiting_value[j] <= 0.0 else 0.0)
    if lowest >= -SURFACE_ATOL:
        return NO_EVENT
    for j in range(run.ng):
        if run.waiting_value[j] <= 0.0 and run.g[j] < run.waiting_value[j] - SURFACE_ATOL:  # EV.5
            return j
    return NO_EVENT


@optsize
def arm_leaving_functions(run: RunRecord) -> None:
    """Arm the waiting event functions whose surface the motion has left with g > 0."""
    highest = 0.0
    for j in range(run.ng):
        highest = max(highest, run.g[j] if run.waiting_value[j] <= 0.0 else 0.0)
    if highest <= SURFACE_ATOL:
        return
    for j in range(run.ng):
        leaves = run.waiting_value[j] <= 0.0 and run.g[j] > SURFACE_ATOL
        run.g_armed[j] = run.g[j] if leaves else run.g_armed[j]
        run.waiting_value[j] = NOT_WAITING if leaves else run.waiting_value[j]
        run.n_waiting -= 1 if leaves else 0


# ---- consequences of another event -----------------------------------------------------------


@optsize
def fell_by_speed_jump(run: RunRecord, j: int) -> bool:
    """Whether event function j of a law has fallen because a reset changed the speeds (EV.6)."""
    return run.waits_on_surface[j] != 0 and fell_at_event(run, j)


@optsize
def fell_by_force_jump(run: RunRecord, j: int) -> bool:
    """Whether event function j of a constraint has fallen because a force jumped (EV.7)."""
    return (
        run.waits_on_surface[j] == 0
        and run.event_type[j] != MONITOR_EVENT
        and fell_at_event(run, j)
    )


@optsize
def fell_at_event(run: RunRecord, j: int) -> bool:
    """Whether event function j was positive before the event and is negative after it.

    A law that applied a reset itself does not react again.
    """
    if not (run.g_armed[j] > 0.0 and run.g_event[j] > 0.0 and run.g[j] < -SURFACE_ATOL):
        return False
    resets_of_law = 0.0
    for i in range(run.ng):
        if run.law_index[i] == run.law_index[j]:
            resets_of_law += run.reset_applied[i]
    return resets_of_law == 0.0
