"""Implicit steps: Rosenbrock's method, Newmark's method, and semi-implicit (symplectic) Euler.

Rosenbrock's methods solve one linear equation with the exact Jacobian per stage (Hairer and Wanner
1996, IV.7, and Steinebach 2023 for Rodas5P).  Newmark's method (Newmark 1959) solves for the
accelerations by a simplified Newton iteration.  The linear equation has a full matrix W with its LU
factors.  For long trees a kernel factors it link by link (IN.14 to IN.19).  Theory: IN.3 to IN.5.
"""

from __future__ import annotations

import numpy as np

from ..compiler import intrinsic
from .explicit import copy_state, evaluate_rhs
from .record import (
    F0_EVALUATED,
    JACOBIAN_EVALUATED,
    RunRecord,
)
from .step_control import add_scaled

call = intrinsic

MAX_NEWTON_ITERATIONS = 50  # in a step of Newmark's method
NEWTON_RTOL = 1e-14  # change of the accelerations over the largest one
NEWTON_FINAL_RTOL = 1e-9  # the same, accepted after the last iteration
NEWTON_DIVERGENCE = 1e100  # change of the accelerations [SI] at which the iteration has diverged


# ---- linear equation -------------------------------------------------------------------------


def evaluate_jacobian(run: RunRecord, t: float, state: np.ndarray) -> int:
    """Evaluate the Jacobian of f into J and its partial derivative by time into f_t."""
    run.kernel_time[0] = t
    copy_state(run, state, run.kernel_state)
    run.kernel_outputs[0] = run.J[0]
    run.kernel_outputs[1] = run.f_t
    run.jacobian_count += 1
    return call(run.jacobian_kernel, run.kernel_inputs, run.kernel_outputs)


def exchange_rows(W: np.ndarray, n: int, i: int, j: int) -> None:
    """Exchange two rows of a matrix."""
    for k in range(n):
        x = W[i * n + k]
        W[i * n + k] = W[j * n + k]
        W[j * n + k] = x


def factor_lu(W: np.ndarray, pivots: np.ndarray, n: int) -> int:
    """LU factors with partial pivoting of an n x n matrix, in place.  Return 1 if singular."""
    for k in range(n):
        pivot, r = abs(W[k * n + k]), k
        for i in range(k + 1, n):
            if abs(W[i * n + k]) > pivot:
                pivot, r = abs(W[i * n + k]), i
        pivots[k] = r
        if not pivot > 0.0:
            return 1
        if r != k:
            exchange_rows(W, n, k, r)
        inverse = 1.0 / W[k * n + k]
        for i in range(k + 1, n):
            a = W[i * n + k] * inverse
            W[i * n + k] = a
            if a != 0.0:
                for j in range(k + 1, n):
                    W[i * n + j] = W[i * n + j] - a * W[k * n + j]
    return 0


def solve_lu(W: np.ndarray, pivots: np.ndarray, n: int, b: np.ndarray) -> None:
    """Solve with the factors of `factor_lu`, in place."""
    for k in range(n):
        r = pivots[k]
        if r != k:
            x = b[k]
            b[k] = b[r]
            b[r] = x
    for i in range(n):
        s = b[i]
        for j in range(i):
            s -= W[i * n + j] * b[j]
        b[i] = s
    for i in range(n - 1, -1, -1):
        s = b[i]
        for j in range(i + 1, n):
            s -= W[i * n + j] * b[j]
        b[i] = s / W[i * n + i]


def factor_links(run: RunRecord, t: float, speed_scale: float, coordinate_scale: float) -> int:
    """Factor the equation of a step at y link by link.  f0 must be known."""
    run.kernel_time[0] = t
    copy_state(run, run.y, run.kernel_state)
    run.link_scales[0] = speed_scale
    run.link_scales[1] = coordinate_scale
    run.kernel_outputs[0] = run.link_factors
    run.jacobian_count += 1
    return call(run.factor_kernel, run.factor_inputs, run.kernel_outputs)


def solve_links(run: RunRecord, b: np.ndarray, f_t_weight: float) -> int:
    """Solve with the factors of `factor_links`, in place, after adding f_t with a weight."""
    copy_state(run, b, run.linear_rhs)
    run.link_scales[2] = f_t_weight
    run.kernel_outputs[0] = run.linear_solution
    status = call(run.solve_kernel, run.solve_inputs, run.kernel_outputs)
    copy_state(run, run.linear_solution, b)
    return status


# ---- Rosenbrock's method ---------------------------------------------------------------------


def factor_rosenbrock(run: RunRecord, t: float, h: float) -> int:
    """Factor 1 / (h gamma) - J.  Another attempt of the same step reuses J."""
    if run.factor_kernel != 0:
        return factor_links(run, t, 1.0 / (h * run.gamma), 1.0 / (h * run.gamma))
    n, J, W = run.n, run.J, run.W
    if run.derivative_status == F0_EVALUATED:
        status = evaluate_jacobian(run, t, run.y)
        if status != 0:
            return status
        run.derivative_status = JACOBIAN_EVALUATED
    for i in range(n):
        for j in range(n):
            W[i, j] = -J[i, j]
        W[i, i] = W[i, i] + 1.0 / (h * run.gamma)
    return factor_lu(W[0], run.pivots, n)


def step_rosenbrock(run: RunRecord, t: float, h: float) -> int:
    """Step of a Rosenbrock method.  Its stage rates are k_i = u_i / h."""
    n, stages, W, pivots, f_t = run.n, run.stages, run.W, run.pivots, run.f_t
    status = factor_rosenbrock(run, t, h)
    if status != 0:
        return status
    for i in range(stages):
        rate = run.stage_rates[i]
        if i == 0:
            copy_state(run, run.f0, rate)
        else:
            copy_state(run, run.y, run.kernel_state)
            for j in range(i):
                add_scaled(run.kernel_state, h * run.A[i, j], run.stage_rates[j], n)
            status = evaluate_rhs(run, t + run.C[i] * h, rate)
            if status != 0:
                return status
        for j in range(i):
            add_scaled(rate, run.G[i, j], run.stage_rates[j], n)
        if run.factor_kernel != 0:
            status = solve_links(run, rate, h * run.D[i])
            if status != 0:
                return status
        else:
            add_scaled(rate, h * run.D[i], f_t, n)  # IN.3
            solve_lu(W[0], pivots, n, rate)
        for e in range(n):
            rate[e] = rate[e] / h
    copy_state(run, run.y, run.y_new)
    for i in range(stages):
        add_scaled(run.y_new, h * run.B[i], run.stage_rates[i], n)
    return 0


# ---- methods with rates at both ends of the step ---------------------------------------------


def displace_coordinates(run: RunRecord, t: float, dv: np.ndarray, state: np.ndarray) -> int:
    """Coordinates that are reached from y by the motion dv, on the configuration space."""
    motion = run.kernel_extra
    run.kernel_time[0] = t
    copy_state(run, run.y, run.kernel_state)
    for j in range(run.nv):
        motion[j] = dv[j]
    run.kernel_outputs[0] = state
    return call(run.integrate_kernel, run.kernel_inputs, run.kernel_outputs)


def evaluate_end_rates(run: RunRecord, t: float, h: float) -> int:
    """Stage rates for dense output: f at both ends of the step, and the mean rate."""
    y, y_new, mean = run.y, run.y_new, run.stage_rates[2]
    copy_state(run, run.f0, run.stage_rates[0])
    copy_state(run, y_new, run.kernel_state)
    for j in range(run.n):
        mean[j] = (y_new[j] - y[j]) / h
    return evaluate_rhs(run, t + h, run.stage_rates[1])


def step_semi_implicit(run: RunRecord, t: float, h: float) -> int:
    """Step of semi-implicit (symplectic) Euler: new speeds, then the coordinates with them."""
    nq, y, y_new, f0, dv = run.nq, run.y, run.y_new, run.f0, run.y_work
    for j in range(run.nv):
        dv[j] = h * (y[nq + j] + h * f0[nq + j])  # IN.4
    status = displace_coordinates(run, t, dv, y_new)
    for j in range(nq, run.n):
        y_new[j] = y[j] + h * f0[j]
    if status != 0:
        return status
    return evaluate_end_rates(run, t, h)


# ---- Newmark's method ------------------------------------------------------------------------


def factor_newton_matrix(run: RunRecord, h: float) -> int:
    """Factor 1 - h gamma df/dv - h^2 beta df/dq dq/dv, an nv x nv matrix, in W."""
    nq, nv, J, W = run.nq, run.nv, run.J, run.W[0]
    beta, gamma = run.beta, run.gamma
    for i in range(nv):
        for j in range(nv):
            s = 0.0
            for k in range(nq):
                s += J[nq + i, k] * J[k, nq + j]
            W[i * nv + j] = -h * gamma * J[nq + i, nq + j] - h * h * beta * s
        W[i * nv + i] = W[i * nv + i] + 1.0
    return factor_lu(W, run.pivots, nv)


def prepare_newton(run: RunRecord, t: float, h: float) -> int:
    """Factor the equation of the simplified Newton iteration at the start of the step."""
    if run.factor_kernel != 0:
        return factor_links(run, t, 1.0 / (h * run.gamma), run.gamma / (h * run.beta))
    status = evaluate_jacobian(run, t, run.y)
    if status != 0:
        return status
    return factor_newton_matrix(run, h)


def solve_newton_correction(run: RunRecord, h: float, residual: np.ndarray) -> int:
    """Replace the residual of the accelerations by their Newton correction."""
    if run.factor_kernel == 0:
        solve_lu(run.W[0], run.pivots, run.nv, residual)
        return 0
    nq, b = run.nq, run.linear_rhs
    for j in range(run.n):
        b[j] = 0.0
    for j in range(run.nv):
        b[nq + j] = residual[j]
    run.link_scales[2] = 0.0
    run.kernel_outputs[0] = run.linear_solution
    status = call(run.solve_kernel, run.solve_inputs, run.kernel_outputs)
    for j in range(run.nv):
        residual[j] = run.linear_solution[nq + j] / (h * run.gamma)
    return status


def evaluate_newmark_state(
    run: RunRecord, t: float, h: float, a: np.ndarray, f1: np.ndarray
) -> int:
    """New state by Newmark's formulas for the accelerations a at its end, and f there in f1."""
    nq, nv, y, y_new, f0, dv = run.nq, run.nv, run.y, run.y_new, run.f0, run.y_work
    beta, gamma = run.beta, run.gamma
    for j in range(nv):
        dv[j] = h * y[nq + j] + h * h * ((0.5 - beta) * f0[nq + j] + beta * a[j])  # IN.5
    status = displace_coordinates(run, t, dv, y_new)
    if status != 0:
        return status
    for j in range(nv):
        y_new[nq + j] = y[nq + j] + h * ((1.0 - gamma) * f0[nq + j] + gamma * a[j])
    for j in range(nq + nv, run.n):
        y_new[j] = y[j] + 0.5 * h * (f0[j] + f1[j])
    copy_state(run, y_new, run.kernel_state)
    return evaluate_rhs(run, t + h, f1)


def step_newmark(run: RunRecord, t: float, h: float) -> int:
    """Step of Newmark's method: accelerations at its end by Newton iteration."""
    nq, nv, a, f1, residual = run.nq, run.nv, run.f_t, run.stage_rates[1], run.stage_rates[2]
    status = prepare_newton(run, t, h)
    if status != 0:
        return status
    copy_state(run, run.f0, f1)
    for j in range(nv):
        a[j] = run.f0[nq + j]
    size, change = 1.0, 0.0
    for _ in range(MAX_NEWTON_ITERATIONS):
        status = evaluate_newmark_state(run, t, h, a, f1)
        if status != 0:
            return status
        size, change = 1.0, 0.0
        for j in range(nv):
            residual[j] = f1[nq + j] - a[j]
            size = max(size, abs(a[j]))
            change = max(change, abs(residual[j]))
        status = solve_newton_correction(run, h, residual)
        if status != 0:
            return status
        for j in range(nv):
            a[j] = a[j] + residual[j]
        if change <= NEWTON_RTOL * size:
            return evaluate_end_rates(run, t, h)
        if not change < NEWTON_DIVERGENCE:
            return 1
    if change <= NEWTON_FINAL_RTOL * size:
        return evaluate_end_rates(run, t, h)
    return 1
