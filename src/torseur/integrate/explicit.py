"""Explicit Runge-Kutta steps and dense output (Hairer, Norsett and Wanner 1993, II.2 and II.6).

A step leaves the new state in `y_new` and the rates k_i of its stages in `stage_rates`.  The dense
output y(t + theta h) = y + h sum_i b_i(theta) k_i is a sum of the same rates.  The error estimate
and the calls of kernels serve all methods.  Theory: IN.2, IN.8, IN.10.
"""

from __future__ import annotations

import numpy as np

from ..compiler import intrinsic
from .record import (
    EXPLICIT,
    MIN_CONDITIONING_RATIO,
    RunRecord,
)
from .step_control import (
    combine_error_estimates,
    error_norm,
    error_scale,
    evaluate_dense_weights,
    normalize_quaternions,
    sum_stages,
)

call = intrinsic

CONDITIONING_INTERVAL = 4  # accepted steps from one check of the conditioning to the next
FAILED_PROJECTION_SQUARES = 1e100  # sum of squares that makes the error norm reject the step


# ---- arrays ----------------------------------------------------------------------------------


def copy_state(run: RunRecord, source: np.ndarray, target: np.ndarray) -> None:
    """Copy a state."""
    for j in range(run.n):
        target[j] = source[j]


def copy_array(source: np.ndarray, target: np.ndarray, n: int) -> None:
    """Copy n numbers.  The SIMD compiler has code of its own for arrays of one lane and of all."""
    for j in range(n):
        target[j] = source[j]


# ---- kernels ---------------------------------------------------------------------------------


def evaluate_rhs(run: RunRecord, t: float, rates: np.ndarray) -> int:
    """Evaluate f at time t and the state in `kernel_state`, and count the evaluation."""
    run.rhs_count += 1
    return call_flow_kernel(run, t, rates)


def call_flow_kernel(run: RunRecord, t: float, rates: np.ndarray) -> int:
    """Evaluate f at time t and the state in `kernel_state`."""
    run.kernel_time[0] = t
    run.kernel_outputs[0] = rates
    run.kernel_outputs[1] = rates[run.nq :]
    run.kernel_outputs[2] = rates[run.nq + run.nv :]
    return call(run.flow_kernel, run.kernel_inputs, run.kernel_outputs)


def project_state(run: RunRecord, t: float, state: np.ndarray) -> int:
    """Normalize the quaternions of a state and project it on its constraints."""
    normalize_quaternions(run, state, 0, 1)
    if run.project_kernel == 0:
        return 0
    run.kernel_time[0] = t
    copy_state(run, state, run.kernel_state)
    run.kernel_outputs[0] = state
    run.kernel_outputs[1] = state[run.nq :]
    run.kernel_outputs[2] = state[run.nq + run.nv :]  # of a kernel with derivatives of the state
    return call(run.project_kernel, run.kernel_inputs, run.kernel_outputs)


def is_well_conditioned(run: RunRecord) -> int:
    """1 unless the conditioning of the dependent speeds has fallen too far.

    It is checked every few steps.  The caller of `advance` may then choose other independent
    speeds.
    """
    run.steps_since_check += 1
    if run.conditioning_kernel == 0 or run.steps_since_check < CONDITIONING_INTERVAL:
        return 1
    run.steps_since_check = 0
    run.kernel_time[0] = run.t
    copy_state(run, run.y, run.kernel_state)
    run.kernel_outputs[0] = run.conditioning
    call(run.conditioning_kernel, run.kernel_inputs, run.kernel_outputs)
    run.min_conditioning = max(run.min_conditioning, MIN_CONDITIONING_RATIO * run.conditioning[0])
    return 1 if run.conditioning[0] >= run.min_conditioning else 0


# ---- explicit step ---------------------------------------------------------------------------


def evaluate_stage(run: RunRecord, t: float, h: float, i: int) -> int:
    """Rate k_i of stage i of an explicit method."""
    # the state of the last stage is the new state: it needs its accumulated energies as well
    count = run.n if i == run.stages - 1 else run.n_rhs
    sum_stages(run.kernel_state, run.y, h, run.stage_rates, run.A[i], i, count)  # IN.2
    return evaluate_rhs(run, t + run.C[i] * h, run.stage_rates[i])


def step_explicit(run: RunRecord, t: float, h: float) -> int:
    """Explicit Runge-Kutta step: the state of the last stage is the new state."""
    final = run.stages - 1
    copy_state(run, run.f0, run.stage_rates[0])
    for i in range(1, final + 1):
        status = evaluate_stage(run, t, h, i)
        if i == final:
            copy_state(run, run.kernel_state, run.y_new)
        if status != 0:
            return status
    return 0


# ---- error estimate --------------------------------------------------------------------------


def sum_projected_error(run: RunRecord, t: float, h: float, estimate: int) -> float:
    """Sum of squares of an error estimate within the constraints, over its tolerance and h.

    The new state less the estimated error is projected.  The part of the error normal to the
    constraints is rounding noise near a singular position, and the projection removes it.
    """
    n, stages, y, y_new, y_work = run.n, run.stages, run.y, run.y_new, run.y_work
    for j in range(n):
        x = 0.0
        for i in range(stages):
            x += run.E[estimate, i] * run.stage_rates[i, j]
        y_work[j] = y_new[j] - h * x
    if project_state(run, t + h, y_work) != 0:
        return FAILED_PROJECTION_SQUARES
    squares = 0.0
    for j in range(n):
        x = (y_new[j] - y_work[j]) / (error_scale(run, j, y[j], y_new[j]) * h)
        squares += x * x  # IN.10
    return squares


def estimate_error(run: RunRecord, t: float, h: float) -> float:
    """Error norm of the step, measured within the constraints where there are some."""
    if run.project_kernel == 0:
        return error_norm(run, run.y, run.y_new, h, 0, 1)
    if run.n_error == 0:
        return 0.0
    first, second = sum_projected_error(run, t, h, 0), 0.0
    if run.has_second_estimate != 0:
        second = sum_projected_error(run, t, h, 1)
    return combine_error_estimates(run, h, first, second)


# ---- dense output ----------------------------------------------------------------------------


def complete_dense_stages(run: RunRecord, t: float, h: float) -> int:
    """Compute the stages that only dense output needs.  Return 1 if f has no value."""
    if run.dense_complete == 1 or run.family != EXPLICIT:
        return 0
    run.dense_complete = 1
    for i in range(run.stages, run.dense_stages):
        if evaluate_stage(run, t, h, i) != 0:
            return 1
    return 0


def interpolate_state(run: RunRecord, h: float, theta: float, state: np.ndarray) -> None:
    """Dense output: the state at t + theta h (IN.8).  The dense stages must be complete."""
    evaluate_dense_weights(run, theta)
    sum_stages(state, run.y, h, run.stage_rates, run.dense_weights, run.dense_stages, run.n)
