"""Integrators with step size control, dense output, event location and SIMD lanes.

The code is native, and works on records of numbers and kernel addresses: it knows no mechanics.
It is written in the part of Python that the package compiles (`compiler`).

- `register`, `methods/`: integration methods as data (tableaus).
- `record`: the data of a run.
- `advance`: the step loop.
- `step_control`: error norm, PI step size control, weights of dense output.
- `explicit`, `implicit`: steps of the methods, error estimate, dense output.
- `event_functions`: evaluation, arming, and waiting on the switching surface.
- `event_location`: sampling, bracketing, grazing roots, refinement.
- `event_handling`: resets, simultaneous events, terminal events.
- `output_rows`, `dense_projection`: rows of the result, projected on the constraints.
- `simd_runs`, `simd_smooth`: many runs in SIMD lanes, with and without events.
- `max_step`: largest step that cannot pass over a pulse.

Names of arguments are the same in all modules:

- `run`: the record.  Functions read their inputs from it, and write their results into it.
- `t`, `h`, `theta`: time and step [s], fraction of the step.
- `y`, `state`: a state.  `g`: values of the event functions, or of one.
- `i`: a stage, a sample or a run.  `j`, `k`: an event function, an output time or a lane.
- `e`: an entry of the state.  `n`: a number of entries.

A function that can fail returns a status, and 0 is success.
"""

from .event_location import SAMPLE_POINTS
from .max_step import choose_probed_runs, find_max_step
from .record import (
    BUDGET_SPENT,
    BUFFERS_FULL,
    EXPLICIT,
    NEWMARK,
    REACHED_END,
    ROSENBROCK,
    SEMI_IMPLICIT,
    TOO_MANY_ATTEMPTS,
    VALIDITY_LIMIT,
    IntegratorRecord,
    RunRecord,
    SimdRunsRecord,
    SmoothSimdRecord,
)
from .register import METHODS, Method, explicit_method, method
from .step_control import MIN_PREVIOUS_ERROR, choose_first_steps

__all__ = [
    "BUDGET_SPENT",
    "BUFFERS_FULL",
    "EXPLICIT",
    "METHODS",
    "MIN_PREVIOUS_ERROR",
    "NEWMARK",
    "REACHED_END",
    "ROSENBROCK",
    "SAMPLE_POINTS",
    "SEMI_IMPLICIT",
    "TOO_MANY_ATTEMPTS",
    "VALIDITY_LIMIT",
    "IntegratorRecord",
    "Method",
    "RunRecord",
    "SimdRunsRecord",
    "SmoothSimdRecord",
    "choose_first_steps",
    "choose_probed_runs",
    "explicit_method",
    "find_max_step",
    "method",
]
