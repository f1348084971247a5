"""Projection of dense output on the constraints, before the step is accepted.

Dense output (`explicit.interpolate_state`) interpolates a state, and the result satisfies the
constraints to the accuracy of the interpolation only.  Rows of output times are therefore projected
(Hairer, Lubich and Wanner 2006, IV.4).  A projection that moves a row too far rejects the step: the
next attempt ends at that row (IN.11).  A single run projects several rows at once, one in each SIMD
lane, with the same bits as one by one.  In SIMD runs each lane has its own rows, and projects them
one by one.

The same projection of the new state measures its rounding noise near a singular position (IN.12).
"""

from __future__ import annotations

from ..compiler import intrinsic, optsize
from .explicit import copy_array, copy_state, interpolate_state, project_state
from .record import RunRecord
from .step_control import normalize_quaternions

call_lanes = intrinsic

MAX_PROJECTION_SHIFT = 10.0  # tolerances that the projection may move an interpolated state


# ---- distance of a projection ----------------------------------------------------------------


@optsize
def projection_shift(run: RunRecord) -> float:
    """Distance over which the last projection has moved `y_work`, over the tolerance."""
    squares = 0.0
    for j in range(run.n_error):
        size = max(abs(run.y_work[j]), run.min_scale[j])
        x = (run.y_work[j] - run.kernel_state[j]) / (run.atol[j] + run.rtol * size)
        squares += x * x
    return (squares / run.n_error) ** 0.5


@optsize
def projection_noise(run: RunRecord, t: float) -> float:
    """Rounding noise of the new state over the tolerance: it is projected a second time (IN.12)."""
    copy_state(run, run.y_new, run.y_work)
    project_state(run, t, run.y_work)
    return projection_shift(run)


# ---- rows one by one -------------------------------------------------------------------------


@optsize
def project_rows_singly(run: RunRecord, t: float, h: float) -> float:
    """First output time of the step whose projection moves the row too far, or the end t + h.

    Earlier rows are stored in `row_y`, up to `projected_rows`.  The dense stages must be complete.
    """
    k = run.next_output
    while k < run.n_output_times and run.output_times[k] < t + h:
        t_row, row = run.output_times[k], run.n_rows + k - run.next_output
        interpolate_state(run, h, (t_row - t) / h, run.y_work)
        project_state(run, t_row, run.y_work)
        if not projection_shift(run) <= MAX_PROJECTION_SHIFT:  # IN.11
            return t_row
        copy_array(run.y_work, run.row_y[row], run.n)
        run.projected_rows = row + 1
        k += 1
    return t + h


# ---- rows in SIMD lanes ----------------------------------------------------------------------


@optsize
def load_lane(run: RunRecord, t: float, h: float, k: int, j: int) -> None:
    """Interpolate the state of output time k into its row, and load it into lane j."""
    t_row, row = run.output_times[k], run.row_y[run.n_rows + k - run.next_output]
    inputs, width = run.lane_inputs, run.projection_lanes
    interpolate_state(run, h, (t_row - t) / h, row)
    normalize_quaternions(run, row, 0, 1)
    inputs[0, j] = t_row
    states = inputs[1]
    for e in range(run.n):
        states[e * width + j] = row[e]


@optsize
def store_lane(run: RunRecord, k: int, j: int) -> float:
    """Store the projected state of lane j as the row of output time k.  Return its shift."""
    row, outputs = run.row_y[run.n_rows + k - run.next_output], run.lane_outputs[0]
    width, squares = run.projection_lanes, 0.0
    for e in range(run.nq + run.nv):
        new = outputs[e * width + j]
        size = max(abs(new), run.min_scale[e])
        x = (new - row[e]) / (run.atol[e] + run.rtol * size)
        row[e] = new
        squares += x * x
    return (squares / run.n_error) ** 0.5


@optsize
def load_common_inputs(run: RunRecord) -> None:
    """Load memory, inputs and parameters, the same in all lanes."""
    width, first, p = run.projection_lanes, 1 + run.n, run.kernel_inputs[6]
    nm, nu = run.nm, run.nu
    for j in range(width):
        for e in range(nm):
            run.lane_inputs[first + e, j] = run.m[e]
        for e in range(nu):
            run.lane_inputs[first + nm + e, j] = run.u[e]
        for e in range(run.lane_inputs_size - first - nm - nu):
            run.lane_inputs[first + nm + nu + e, j] = p[e]


@optsize
def project_rows_simd(run: RunRecord, t: float, h: float) -> float:
    """`project_rows_singly`, with several rows at a time."""
    k = run.next_output
    load_common_inputs(run)
    while k < run.n_output_times and run.output_times[k] < t + h:
        count = 0
        while (
            count < run.projection_lanes
            and k + count < run.n_output_times
            and run.output_times[k + count] < t + h
        ):
            load_lane(run, t, h, k + count, count)
            count += 1
        for e in range(1 + run.n):
            for j in range(count, run.projection_lanes):
                run.lane_inputs[e, j] = run.lane_inputs[e, 0]  # a spare lane repeats the first
        call_lanes(run.project_simd_kernel, run.lane_inputs[0], run.lane_outputs[0])
        for j in range(count):
            if not store_lane(run, k + j, j) <= MAX_PROJECTION_SHIFT:  # IN.11
                return run.output_times[k + j]
        k += count
        run.projected_rows = run.n_rows + k - run.next_output
    return t + h


@optsize
def project_rows(run: RunRecord, t: float, h: float) -> float:
    """`project_rows_singly`, in SIMD lanes where the model has a kernel for them."""
    if run.project_simd_kernel != 0:
        return project_rows_simd(run, t, h)
    return project_rows_singly(run, t, h)
