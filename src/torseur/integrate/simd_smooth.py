"""Many runs of a model without events in SIMD lanes, with fixed or adaptive steps.

Explicit methods only.  With a fixed step all lanes have the same time.  With step size control each
lane has its own time, step and run.  It takes the next run of the queue when its own is finished.
No lane waits for another.  Step size control, error norm and dense output are those of single runs
(`step_control`).  Theory: IN.2, IN.9.
"""

from __future__ import annotations

import threading

import numpy as np

from ..compiler import intrinsic, native
from . import record, step_control
from .record import (
    F0_EVALUATED,
    NOT_EVALUATED,
    NOT_FINITE,
    REACHED_END,
    STEP_TOO_SMALL,
    TOO_MANY_ATTEMPTS,
    SmoothSimdRecord,
)
from .step_control import (
    MIN_PREVIOUS_ERROR,
    MIN_STEP_RTOL,
    TIME_FLOOR,
    UNUSABLE_ERROR,
    accepted_step_ratio,
    error_norm,
    fit_step_to_stop,
    interpolate_lane,
    normalize_quaternions,
    reaches_stop,
    rejected_step_ratio,
    sum_weighted_rows,
    tighten_error,
)

call_lanes = intrinsic

RK4, EULER, SEMI_IMPLICIT_EULER = 0, 1, 2
"""Methods with a fixed step."""


def normalize_all_lanes(run: SmoothSimdRecord, y: np.ndarray) -> None:
    """Divide the quaternions of every lane by their lengths."""
    for j in range(run.width):
        normalize_quaternions(run, y, j, run.width)


# ---- fixed steps -----------------------------------------------------------------------------


def evaluate_fixed_rhs(run: SmoothSimdRecord, t: float, scale: float) -> None:
    """Evaluate f at time t and the states y + scale k, into k."""
    states, y, k = run.kernel_inputs[1], run.y[0], run.stage_rates[0]
    for j in range(run.width):
        run.kernel_inputs[0, j] = t
    for e in range(run.lanes_size):
        states[e] = y[e] + scale * k[e]
    call_lanes(run.flow_kernel, run.kernel_inputs[0], k)


def step_rk4(run: SmoothSimdRecord, t: float, h: float) -> None:
    """Step of the classical Runge-Kutta method of order 4."""
    y, k, total = run.y[0], run.stage_rates[0], run.y_work[0]
    for e in range(run.lanes_size):
        total[e] = k[e]
    for _ in range(2):
        evaluate_fixed_rhs(run, t + 0.5 * h, 0.5 * h)
        for e in range(run.lanes_size):
            total[e] = total[e] + 2.0 * k[e]
    evaluate_fixed_rhs(run, t + h, h)
    for e in range(run.lanes_size):
        y[e] = y[e] + (h / 6.0) * (total[e] + k[e])


def step_semi_implicit_euler(run: SmoothSimdRecord, t: float, h: float) -> None:
    """Step of semi-implicit (symplectic) Euler: new speeds, then the coordinates with them."""
    y, k, first = run.y[0], run.stage_rates[0], run.nq * run.width
    for e in range(first, run.lanes_size):
        y[e] = y[e] + h * k[e]
    evaluate_fixed_rhs(run, t, 0.0)
    for e in range(first):
        y[e] = y[e] + h * k[e]


def advance_fixed(
    run: SmoothSimdRecord, t: float, h: float, first: int, steps: int, method: int
) -> None:
    """Advance all lanes by fixed steps.  Step s starts at t + s h, for s from `first` on.

    The steps do not depend on their number in a call.
    """
    y, k = run.y[0], run.stage_rates[0]
    for s in range(first, first + steps):
        t_step = t + s * h
        evaluate_fixed_rhs(run, t_step, 0.0)
        if method == RK4:
            step_rk4(run, t_step, h)
        elif method == EULER:
            for e in range(run.lanes_size):
                y[e] = y[e] + h * k[e]
        else:
            step_semi_implicit_euler(run, t_step, h)
        normalize_all_lanes(run, y)


# ---- adaptive steps: the queue ---------------------------------------------------------------


def start_next_run(run: SmoothSimdRecord, j: int) -> None:
    """Start the next run of the queue in lane j, if there is one."""
    i = run.next_run
    run.derivative_status = NOT_EVALUATED
    if i >= run.queue_end:
        run.lane_run[j] = -1
        run.h[j] = 0.0  # the lane stays in its last state, which is a valid one
        return
    run.next_run += 1
    run.busy_lanes += 1
    run.lane_run[j] = i
    for e in range(run.n):
        run.y[e, j] = run.initial_states[i, e]
    for e in range(run.np):
        run.kernel_inputs[run.kernel_inputs_size - run.np + e, j] = run.run_parameters[i, e]
    run.t[j] = run.output_times[0]
    run.h[j] = run.first_steps[i]
    run.previous_error[j] = MIN_PREVIOUS_ERROR
    run.after_rejection[j] = 0
    run.next_output[j] = 0
    run.attempts[j] = 0
    write_lane_row(run, j, run.y[0])


def finish_run(run: SmoothSimdRecord, j: int, status: int) -> None:
    """Finish the run of lane j with a return code, and start the next one."""
    run.run_status[run.lane_run[j]] = status
    run.busy_lanes -= 1
    start_next_run(run, j)


def write_lane_row(run: SmoothSimdRecord, j: int, states: np.ndarray) -> None:
    """Write the next row of the run in lane j, from the states of all lanes."""
    row = run.output_rows[run.n_output_times * run.lane_run[j] + run.next_output[j]]
    for e in range(run.row_width):
        row[e] = states[e * run.width + j]
    run.next_output[j] += 1


def write_lane_output_times(run: SmoothSimdRecord, j: int, stages_complete: int) -> int:
    """Write the rows of the output times within the accepted step of lane j, by dense output.

    `stages_complete` and the result: whether the stages of dense output are computed.
    """
    t, h = run.t[j], run.h[j]
    while run.next_output[j] < run.n_output_times and run.output_times[run.next_output[j]] <= t + h:
        theta = (run.output_times[run.next_output[j]] - t) / h
        if theta >= 1.0:
            write_lane_row(run, j, run.y_new[0])
            continue
        if stages_complete == 0:
            for i in range(run.stages, run.dense_stages):
                evaluate_stage(run, i)
            stages_complete = 1
        interpolate_lane(run, run.y[0], run.y_work[0], h, theta, j, run.width)
        normalize_quaternions(run, run.y_work[0], j, run.width)
        write_lane_row(run, j, run.y_work[0])
    return stages_complete


# ---- adaptive steps: attempt, step size control ----------------------------------------------


def evaluate_start(run: SmoothSimdRecord) -> None:
    """Evaluate f at the start of the step of every lane, where a lane has started a run."""
    if run.derivative_status == F0_EVALUATED:
        return
    states, y = run.kernel_inputs[1], run.y[0]
    for e in range(run.lanes_size):
        states[e] = y[e]
    for j in range(run.width):
        run.kernel_inputs[0, j] = run.t[j]
    run.rhs_count += 1
    call_lanes(run.flow_kernel, run.kernel_inputs[0], run.stage_rates[0])
    run.derivative_status = F0_EVALUATED


def evaluate_stage(run: SmoothSimdRecord, i: int) -> None:
    """Rate k_i of stage i for all lanes.  The state of the stage stays in the kernel inputs."""
    states, y, total, h = run.kernel_inputs[1], run.y[0], run.y_work[0], run.h_entries[0]
    sum_weighted_rows(total, run.stage_rates, run.A[i], i, run.lanes_size)
    for e in range(run.lanes_size):
        states[e] = y[e] + h[e] * total[e]  # IN.2
    for j in range(run.width):
        run.kernel_inputs[0, j] = run.t[j] + run.C[i] * run.h[j]
    run.rhs_count += 1
    call_lanes(run.flow_kernel, run.kernel_inputs[0], run.stage_rates[i])


def attempt_step(run: SmoothSimdRecord) -> None:
    """Attempt one step of every lane."""
    t_stop = run.output_times[run.n_output_times - 1]
    for j in range(run.width):
        if run.lane_run[j] >= 0:
            run.h[j] = fit_step_to_stop(run.t[j], min(run.h[j], run.h_max), t_stop)
        for e in range(run.n):
            run.h_entries[e, j] = run.h[j]
    for i in range(1, run.stages):
        evaluate_stage(run, i)
    states, y_new = run.kernel_inputs[1], run.y_new[0]
    for e in range(run.lanes_size):
        y_new[e] = states[e]
    normalize_all_lanes(run, y_new)


def reject_step(run: SmoothSimdRecord, j: int, err: float) -> None:
    """Reject the step of lane j and shorten it, or finish the run when it is too small."""
    run.h[j] = run.h[j] * rejected_step_ratio(err, run.error_exponent)
    run.after_rejection[j] = 1
    if not run.h[j] > MIN_STEP_RTOL * max(abs(run.t[j]), TIME_FLOOR):
        finish_run(run, j, STEP_TOO_SMALL if err < UNUSABLE_ERROR else NOT_FINITE)


def accept_step(run: SmoothSimdRecord, j: int, err: float) -> None:
    """Accept the step of lane j, and propose the next one."""
    if reaches_stop(run.t[j], run.h[j], run.output_times[run.n_output_times - 1]):
        finish_run(run, j, REACHED_END)
        return
    ratio = accepted_step_ratio(
        err, run.previous_error[j], run.after_rejection[j], run.error_exponent, run.pi_exponent
    )
    run.previous_error[j] = max(err, MIN_PREVIOUS_ERROR)
    run.after_rejection[j] = 0
    run.t[j] = run.t[j] + run.h[j]
    run.h[j] = run.h[j] * ratio
    f0, f1 = run.stage_rates[0], run.stage_rates[run.stages - 1]
    for e in range(run.n):
        run.y[e, j] = run.y_new[e, j]
        f0[e * run.width + j] = f1[e * run.width + j]


def start_queue(run: SmoothSimdRecord) -> None:
    """Start the first run of every lane."""
    run.busy_lanes = 0
    for j in range(run.width):
        start_next_run(run, j)


def advance_queue(run: SmoothSimdRecord, budget: int) -> int:
    """Advance the runs of the queue to the last output time.  Return the number of busy lanes."""
    while run.busy_lanes > 0 and budget > 0:
        budget -= 1
        evaluate_start(run)
        attempt_step(run)
        stages_complete = 0
        for j in range(run.width):
            if run.lane_run[j] < 0:
                continue
            err = error_norm(run, run.y[0], run.y_new[0], run.h[j], j, run.width)
            err = tighten_error(run, err, run.attempts[j])
            if not err <= 1.0:
                reject_step(run, j, err)
                continue
            stages_complete = write_lane_output_times(run, j, stages_complete)
            accept_step(run, j, err)
        for j in range(run.width):
            run.attempts[j] += 1
            if run.lane_run[j] >= 0 and run.attempts[j] > run.max_attempts:
                finish_run(run, j, TOO_MANY_ATTEMPTS)
    return run.busy_lanes


# ---- compilation -----------------------------------------------------------------------------

_COMPILED: list = []
_LOCK = threading.RLock()


def compile_smooth():
    """Compiled `advance_fixed`, `start_queue` and `advance_queue`.  They take an address."""
    with _LOCK:
        if not _COMPILED:
            kinds = {"advance_fixed": "iffiii->", "start_queue": "i->", "advance_queue": "ii->i"}
            _COMPILED.append(native((vars(record), vars(step_control), globals()), kinds))
        return _COMPILED[0]
