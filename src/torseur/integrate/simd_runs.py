"""Many runs of one model in SIMD lanes, each with its own time, steps, events and memory.

The step loop of single runs (`advance.advance_once`) is compiled for SIMD lanes: lanes whose
branches differ are masked (SPMD).  Each lane takes a run from its queue, advances it to its end,
writes its statistics, and takes the next one.  The result of a run does not depend on the others.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from ..compiler import native
from . import advance
from .advance import advance_once
from .explicit import copy_array
from .output_rows import write_row
from .record import (
    BUDGET_SPENT,
    BUFFERS_FULL,
    NOT_EVALUATED,
    REACHED_END,
    ROSENBROCK,
    SimdRunsRecord,
)
from .step_control import MIN_PREVIOUS_ERROR

RUN_STATISTICS = (
    "code",
    "detail",
    "t",
    "h",
    "step_count",
    "rejection_count",
    "rhs_count",
    "jacobian_count",
    "event_count",
    "max_noise",
    "max_noise_time",
    "first_row",
    "n_rows",
    "first_log",
    "n_logged",
)
"""Statistics of a finished run, in the order of the columns of `run_statistics`."""


def reset_run(run: SimdRunsRecord) -> None:
    """Reset the step size control, the event functions and the statistics."""
    run.previous_error, run.after_rejection, run.noise_attempts = MIN_PREVIOUS_ERROR, 0, 0
    run.derivative_status, run.events_armed, run.n_waiting = NOT_EVALUATED, 0, 0
    run.refinements_left, run.fixed_step_split, run.event_shift = 0, 0, 0.0
    run.segment_changes, run.history_changed, run.next_output = 0, 1, 0
    run.event_count, run.step_count, run.rejection_count = 0, 0, 0
    run.rhs_count, run.jacobian_count, run.detail = 0, 0, 0
    run.max_noise, run.max_noise_time = 0.0, 0.0
    run.first_row, run.first_log = run.n_rows, run.n_logged
    for k in range(run.ng):
        run.g_slope_start[k] = 0.0


def start_next_run(run: SimdRunsRecord) -> int:
    """Start the next run of the queue.  Return 0 if there is none."""
    i = run.next_run
    if i >= run.n_runs:
        return 0
    run.current_run = i
    run.next_run = i + run.run_stride
    copy_array(run.initial_states[i], run.y, run.n)
    copy_array(run.initial_states[i], run.kernel_state, run.n)
    copy_array(run.initial_memories[i], run.m, run.nm)
    copy_array(run.run_inputs[i], run.u, run.nu)
    copy_array(run.run_parameters[i], run.p, run.np)
    reset_run(run)
    run.t = run.t_start
    run.h = run.first_steps[i]
    if run.output_every_step == 1:
        write_row(run, run.t, run.y)
    elif run.n_output_times > 0 and run.output_times[0] <= run.t:
        write_row(run, run.t, run.y)
        run.next_output = 1
    return 1


def finish_run(run: SimdRunsRecord, code: int) -> None:
    """Write the last state of a run as a row, and its statistics."""
    if run.n_rows == run.first_row or (code != REACHED_END and run.row_t[run.n_rows - 1] < run.t):
        write_row(run, run.t, run.y)
    out = run.run_statistics[run.current_run]
    out[0], out[1], out[2], out[3] = code, run.detail, run.t, run.h
    out[4], out[5], out[6] = run.step_count, run.rejection_count, run.rhs_count
    out[7], out[8] = run.jacobian_count, run.event_count
    out[9], out[10] = run.max_noise, run.max_noise_time
    out[11], out[12] = run.first_row, run.n_rows - run.first_row
    out[13], out[14] = run.first_log, run.n_logged - run.first_log


def advance_queue(run: SimdRunsRecord, budget: int) -> int:
    """Advance the runs of the queue to their ends.

    After BUFFERS_FULL or BUDGET_SPENT it goes on when it is called again."""
    code = REACHED_END
    if run.current_run < 0 and start_next_run(run) == 0:
        return REACHED_END
    while True:
        code = advance_once(run, budget)
        budget -= 1
        if code == BUFFERS_FULL:
            return code
        if code == BUDGET_SPENT:
            return code
        if code >= 0:
            finish_run(run, code)
            if start_next_run(run) == 0:
                run.current_run = -1
                return REACHED_END


# ---- compilation -----------------------------------------------------------------------------

_COMPILED: dict[int, Callable] = {}
_LOCK = threading.RLock()


def compile_queue(lanes: int) -> Callable:
    """Compiled `advance_queue` for a number of SIMD lanes.  With 0 lanes, a record has one run."""
    with _LOCK:
        if lanes not in _COMPILED:
            sources, _ = advance.step_sources(ROSENBROCK)
            # each lane has its own rows: there are no lanes within a lane
            replaced = {"project_rows": "return project_rows_singly(run, t, h)"}
            (_COMPILED[lanes],) = native(
                (*sources, globals()), {"advance_queue": "ii->i"}, lanes, replaced
            )
        return _COMPILED[lanes]
