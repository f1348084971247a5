"""Output rows: time, state, and the history of memory and inputs.

A row is one time point of the result.  The memory m and the inputs u change at events only, and
rows share the entries of `history` that hold them.
"""

from __future__ import annotations

import numpy as np

from ..compiler import optsize
from .explicit import (
    call_flow_kernel,
    complete_dense_stages,
    copy_array,
    copy_state,
    interpolate_state,
    project_state,
)
from .record import RunRecord


@optsize
def write_history(run: RunRecord) -> None:
    """Write memory and inputs as an entry of the history."""
    entry = run.history[run.n_history]
    copy_array(run.m, entry, run.nm)
    copy_array(run.u, entry[run.nm :], run.nu)
    run.n_history += 1
    run.history_changed = 0


@optsize
def write_row(run: RunRecord, t: float, state: np.ndarray) -> None:
    """Write one output row."""
    r = run.n_rows
    if run.history_changed == 1:
        write_history(run)
    run.row_t[r] = t
    run.row_history[r] = run.n_history - 1
    copy_array(state, run.row_y[r], run.n)
    if run.n_row_accelerations > 0:
        copy_state(run, state, run.kernel_state)
        call_flow_kernel(run, t, run.row_rates)
        copy_array(run.row_rates[run.nq :], run.row_a[r], run.n_row_accelerations)
    run.n_rows = r + 1


@optsize
def write_output_times(run: RunRecord, t: float, h: float) -> None:
    """Write the rows of the output times within an accepted step, by projected dense output."""
    while (
        run.next_output < run.n_output_times
        and run.output_times[run.next_output] <= t + h + run.event_shift
    ):
        t_row = run.output_times[run.next_output]
        theta = (t_row - t) / h
        if theta >= 1.0 and run.event_shift == 0.0:
            write_row(run, t_row, run.y_new)
        elif run.n_rows < run.projected_rows:
            write_row(run, t_row, run.row_y[run.n_rows])
        else:
            complete_dense_stages(run, t, h)
            interpolate_state(run, h, theta, run.y_work)
            project_state(run, t_row, run.y_work)
            write_row(run, t_row, run.y_work)
        run.next_output += 1
