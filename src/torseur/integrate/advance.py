"""The step loop of a run: attempt, step size control, event location, acceptance.

One turn of the loop makes one attempt of a step (Hairer, Norsett and Wanner 1993, II.4 and II.6):

1. `attempt_step` computes a new state by the method.
2. `control_step` estimates the error, and accepts or rejects the step.
3. `locate_event` shortens the step to its first event.
4. `accept_step` writes output rows, moves the state, and lets the event act.

Every part returns CONTINUE, RETRY (the step was rejected, or is attempted again) or a return code
of `advance`.  Nothing here knows a model: kernels are called by address, and all data are in the
record.  The code is compiled once per machine and cached.  LLVM makes functions marked by
`@optsize` small, all others fast.  Theory: IN.9, IN.11, IN.12, EV.4.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from ..compiler import native, optsize
from . import (
    dense_projection,
    event_functions,
    event_handling,
    event_location,
    explicit,
    implicit,
    output_rows,
    record,
    step_control,
)
from .dense_projection import project_rows, projection_noise
from .event_functions import arm_at_step_end, arm_event_function, evaluate_event_functions
from .event_handling import handle_event, leave_switching_surface
from .event_location import (
    clears_validity_limits,
    count_close_validity_limits,
    find_first_event,
    refine_event_step,
    start_refinement,
)
from .explicit import (
    complete_dense_stages,
    copy_state,
    estimate_error,
    evaluate_rhs,
    is_well_conditioned,
    project_state,
    step_explicit,
)
from .implicit import step_newmark, step_rosenbrock, step_semi_implicit
from .output_rows import write_output_times, write_row
from .record import (
    BUDGET_SPENT,
    BUFFERS_FULL,
    EPS,
    EVALUATION_FAILED,
    EXPLICIT,
    F0_EVALUATED,
    ILL_CONDITIONED,
    LEAVES_SURFACE,
    NEWMARK,
    NO_CONVERGENCE,
    NO_EVENT,
    NOT_EVALUATED,
    NOT_FINITE,
    REACHED_END,
    ROSENBROCK,
    SEMI_IMPLICIT,
    STEP_TOO_SMALL,
    TERMINAL_EVENT,
    TOO_MANY_ATTEMPTS,
    TOO_MANY_EVENTS,
    RunRecord,
)
from .step_control import (
    MIN_PREVIOUS_ERROR,
    MIN_STEP_RTOL,
    TIME_FLOOR,
    accepted_step_ratio,
    fit_step_to_stop,
    reaches_stop,
    rejected_step_ratio,
    tighten_error,
)

CONTINUE, RETRY = -1, -2
RESERVED_ROWS = 4  # rows of a step besides those of output times: at an event before and after
NOT_FINITE_STEP_RATIO = 0.25  # of the next attempt to one at which f has no value
NOISE_STEP_RATIO = 1.37  # of the next attempt to one that ended in rounding noise
MIN_OUTPUT_STEP_RATIO = 1e-3  # of a step: it is not shortened to an output time nearer to its start
EVENT_STEP_RATIO = 0.01  # of the step after an event to the one before, at least
NOISE_ERROR_RATIO = 3.0  # error norm over rounding noise: below, the error is noise
MAX_NOISE = 4.0  # tolerances: larger noise is avoided by longer steps
MAX_NOISE_ATTEMPTS = 8  # consecutive attempts of longer steps


# ---- attempt ---------------------------------------------------------------------------------


@optsize
def prepare_step(run: RunRecord, t: float) -> int:
    """Evaluate f and the event functions at the start of a step, where they are not known."""
    if run.derivative_status == NOT_EVALUATED:
        copy_state(run, run.y, run.kernel_state)
        run.detail = evaluate_rhs(run, t, run.f0)
        if run.detail != 0:
            return NOT_FINITE
        run.derivative_status = F0_EVALUATED
    if run.events_armed == 0:
        run.detail = 0
        if run.ng > 0 and evaluate_event_functions(run, t, run.y, run.g_armed) != 0:
            return NOT_FINITE
        run.events_armed, run.n_waiting = 1, 0
        for j in range(run.ng):
            arm_event_function(run, j, run.g_armed[j])
    return CONTINUE


@optsize
def choose_step(run: RunRecord, t: float) -> None:
    """Choose the step of the attempt: the proposed one, fitted to the stop.

    After an event, the rest of a fixed step is a step by itself (EV.4).
    """
    run.h_proposed = min(run.h, run.h_max) if run.fixed_step_split == 0 else run.fixed_step_end - t
    run.reaches_end = reaches_stop(t, run.h_proposed, run.t_stop)
    run.h_attempt = run.h_proposed
    if run.reaches_end == 1 or run.adaptive == 1:
        run.h_attempt = fit_step_to_stop(t, run.h_proposed, run.t_stop)


def compute_step(run: RunRecord, t: float, h: float) -> int:
    """New state by one step of the method from (t, y), projected, and the rates of the stages."""
    run.dense_complete, run.projected_rows = 0, 0
    if run.family == EXPLICIT:
        status = step_explicit(run, t, h)
    elif run.family == ROSENBROCK:
        status = step_rosenbrock(run, t, h)
    elif run.family == SEMI_IMPLICIT:
        status = step_semi_implicit(run, t, h)
    else:
        status = step_newmark(run, t, h)
    if status != 0:
        return status
    return project_state(run, t + h, run.y_new)


@optsize
def reject_step(run: RunRecord, h: float) -> int:
    """Step rejection: the next attempt has the step h, and the one after it does not grow."""
    run.rejection_count += 1
    run.after_rejection = 1
    run.h = h
    return RETRY


@optsize
def attempt_step(run: RunRecord) -> int:
    """Attempt one step of the method from the present state."""
    t = run.t
    if run.refinements_left != 0:
        run.detail = compute_step(run, t, run.h_attempt)
        return CONTINUE if run.detail == 0 else NOT_FINITE
    code = prepare_step(run, t)
    if code != CONTINUE:
        return code
    choose_step(run, t)
    h = run.h_attempt
    if h <= 2.0 * EPS * max(abs(t), TIME_FLOOR) and run.reaches_end == 0:
        return STEP_TOO_SMALL
    status = compute_step(run, t, h)
    if status == 0:
        return CONTINUE
    run.detail = status
    if run.adaptive == 0:
        return NO_CONVERGENCE if run.family == NEWMARK else NOT_FINITE
    reject_step(run, NOT_FINITE_STEP_RATIO * h)
    return NOT_FINITE if run.h <= MIN_STEP_RTOL * max(abs(t), TIME_FLOOR) else RETRY


# ---- step size control -----------------------------------------------------------------------


@optsize
def assess_error(run: RunRecord, t: float, h: float) -> float:
    """Error norm of the attempt, or a negative number to attempt a longer step.

    Near a singular position of the constraints, rounding noise alone may exceed the tolerance
    (IN.12).  Longer steps are attempted then, which end elsewhere.  After some of them the noise is
    accepted, and its largest value is recorded.
    """
    err = estimate_error(run, t, h)
    if run.family == EXPLICIT:
        err = tighten_error(run, err, run.step_count + run.rejection_count)
    if not (err > 1.0 and run.project_kernel != 0) or (
        run.n_validity_limits > 0 and count_close_validity_limits(run) > 0
    ):
        return err
    noise = projection_noise(run, t + h)
    if not err <= NOISE_ERROR_RATIO * noise:  # IN.12
        return err
    run.noise_attempts += 1
    if noise > MAX_NOISE and run.noise_attempts <= MAX_NOISE_ATTEMPTS:
        return -1.0
    if noise > run.max_noise:
        run.max_noise = noise
        run.max_noise_time = t + h
    return 1.0


@optsize
def control_step(run: RunRecord) -> int:
    """Step size control: accept the attempt and propose the next step, or reject it."""
    t, h = run.t, run.h_attempt
    if run.refinements_left != 0:
        return CONTINUE
    run.h_next = h
    if run.adaptive == 0:
        return CONTINUE
    err = assess_error(run, t, h)
    if err < 0.0:
        return reject_step(run, NOISE_STEP_RATIO * h)
    if not err <= 1.0:
        reject_step(run, h * rejected_step_ratio(err, run.error_exponent))
        return STEP_TOO_SMALL if run.h <= 2.0 * EPS * max(abs(t), TIME_FLOOR) else RETRY
    run.h_next = h * accepted_step_ratio(
        err, run.previous_error, run.after_rejection, run.error_exponent, run.pi_exponent
    )
    run.previous_error = max(err, MIN_PREVIOUS_ERROR)
    if h < run.h_proposed:  # shortened to the stop, not by the error
        run.h_next = max(run.h_next, run.h_proposed)
    if run.project_kernel != 0 and run.next_output < run.n_output_times:
        if complete_dense_stages(run, t, h) != 0:
            return NOT_FINITE
        t_row = project_rows(run, t, h)
        if t_row < t + h and t_row - t > MIN_OUTPUT_STEP_RATIO * h:  # IN.11
            run.rejection_count += 1
            run.h = t_row - t
            return RETRY
    run.after_rejection, run.noise_attempts = 0, 0
    return CONTINUE


# ---- event location --------------------------------------------------------------------------


@optsize
def locate_event(run: RunRecord) -> int:
    """Locate the first event of the step, and shorten the step to it.

    Dense output gives the event function, `event_index`, and a first approximation of its zero.
    Further attempts of the method refine the zero (EV.2).
    """
    t, h = run.t, run.h_attempt
    if run.refinements_left != 0:
        if refine_event_step(run, t, run.event_index) == 0:
            return RETRY
        run.refinements_left = 0
        return CONTINUE if complete_dense_stages(run, t, run.h_attempt) == 0 else NOT_FINITE
    run.event_index = NO_EVENT
    if run.ng == 0:
        return CONTINUE
    run.detail = 0
    if run.n_validity_limits > 0 and clears_validity_limits(run, t, h):
        return CONTINUE
    if complete_dense_stages(run, t, h) != 0:
        return NOT_FINITE
    k = find_first_event(run, t, h)
    if k == EVALUATION_FAILED:
        return NOT_FINITE
    if k <= LEAVES_SURFACE:
        return apply_event(run, k)
    if k >= 0:
        start_refinement(run, t, h, k)
        return RETRY
    return CONTINUE


# ---- acceptance ------------------------------------------------------------------------------


@optsize
def rejoin_fixed_steps(run: RunRecord, k: int) -> None:
    """End the split of a fixed step where the motion is at its end, apart from rounding (EV.4)."""
    rest = run.fixed_step_end - run.t
    if k < 0 or (
        run.fixed_step_end < run.t_stop and rest <= MIN_STEP_RTOL * max(abs(run.t), TIME_FLOOR)
    ):
        run.t, run.fixed_step_split = run.fixed_step_end, 0


@optsize
def accept_step(run: RunRecord) -> int:
    """Accept the step: write its output rows, move to the new state, and let its event act."""
    t, h, k = run.t, run.h_attempt, run.event_index
    run.step_count += 1
    run.segment_changes = 0
    write_output_times(run, t, h)
    run.t = run.t_stop if run.reaches_end == 1 else t + h + run.event_shift
    run.event_shift = 0.0
    if run.fixed_step_split == 1:
        rejoin_fixed_steps(run, k)
    if run.family == ROSENBROCK:
        run.derivative_status = NOT_EVALUATED
    else:
        copy_state(run, run.stage_rates[run.stages - 1], run.f0)
        run.derivative_status = F0_EVALUATED
    copy_state(run, run.y_new, run.y)
    if run.adaptive == 1:
        run.h = (
            run.h_next if k < 0 else min(run.h_next, max(2.0 * h, EVENT_STEP_RATIO * run.h_next))
        )
    for j in range(run.ng):
        run.g_slope_start[j] = run.g_slope[j] if k < 0 else 0.0
    if k >= 0:
        return apply_event(run, k)
    arm_at_step_end(run)
    if run.output_every_step == 1:
        write_row(run, run.t, run.y)
    return CONTINUE if is_well_conditioned(run) == 1 else ILL_CONDITIONED


@optsize
def apply_event(run: RunRecord, k: int) -> int:
    """Handle the event of k.  Return TERMINAL_EVENT if it, or a simultaneous one, stops the run.

    LEAVES_SURFACE - k: event function k was waiting on its switching surface.  The step is
    attempted again with the next segment of the law.
    """
    run.derivative_status = NOT_EVALUATED
    stop = (
        leave_switching_surface(run, run.t, LEAVES_SURFACE - k)
        if k <= LEAVES_SURFACE
        else handle_event(run, run.t, k)
    )
    if stop == EVALUATION_FAILED:
        return NOT_FINITE
    if stop >= 0:
        run.detail = stop
        return TERMINAL_EVENT
    return RETRY if k <= LEAVES_SURFACE else CONTINUE


# ---- the loop --------------------------------------------------------------------------------


@optsize
def check_limits(run: RunRecord, budget: int) -> int:
    """Return code that ends the loop before the next attempt, or CONTINUE."""
    if run.refinements_left != 0:
        return CONTINUE
    if run.t >= run.t_stop:
        return REACHED_END
    if run.n_rows + (run.n_output_times - run.next_output) + RESERVED_ROWS > run.row_capacity:
        return BUFFERS_FULL
    if (
        run.n_history + RESERVED_ROWS > run.history_capacity
        or run.n_logged + run.ng + 1 > run.log_capacity
    ):
        return BUFFERS_FULL
    if budget <= 0:
        return BUDGET_SPENT
    if run.event_count > run.max_events:
        return TOO_MANY_EVENTS
    if (
        run.step_count + run.rejection_count >= run.max_attempts
        or run.rhs_count >= run.max_rhs_count
    ):
        return TOO_MANY_ATTEMPTS
    return CONTINUE


@optsize
def advance_once(run: RunRecord, budget: int) -> int:
    """One turn of the step loop."""
    code = check_limits(run, budget)
    if code == CONTINUE:
        code = attempt_step(run)
    if code == CONTINUE:
        code = control_step(run)
    if code == CONTINUE:
        code = locate_event(run)
    if code == CONTINUE:
        code = accept_step(run)
    return code


@optsize
def advance(run: RunRecord, max_attempts: int) -> int:
    """Advance the run to `t_stop`, a terminal event, full buffers, or a number of attempts."""
    budget, code = max_attempts, CONTINUE
    while True:
        code = advance_once(run, budget)
        budget -= 1
        if code >= 0:
            return code


@optsize
def write_present_row(run: RunRecord) -> None:
    """Write the present state as an output row."""
    write_row(run, run.t, run.y)


# ---- compilation -----------------------------------------------------------------------------

_COMPILED: dict[bool, tuple] = {}
_LOCK = threading.RLock()


def step_sources(family: int = EXPLICIT) -> tuple[tuple[Mapping, ...], dict[str, str]]:
    """Modules with the text of `advance`, and bodies of functions that are replaced.

    Most runs take explicit methods: their code has no implicit steps.
    """
    modules = (
        record,
        step_control,
        explicit,
        implicit,
        output_rows,
        event_functions,
        event_location,
        event_handling,
        dense_projection,
    )
    implicit_steps = ("step_rosenbrock", "step_newmark", "step_semi_implicit")
    replaced: dict[str, str] = (
        dict.fromkeys(implicit_steps, "return 1") if family == EXPLICIT else {}
    )
    namespaces: list[Mapping] = [*map(vars, modules), globals()]
    return tuple(namespaces), replaced


def compile_advance(family: int = EXPLICIT) -> tuple:
    """Compiled `advance` and `write_present_row` for a family of methods.

    They take the address of a record.
    """
    with_implicit = family != EXPLICIT
    with _LOCK:
        if with_implicit not in _COMPILED:
            sources, replaced = step_sources(family)
            kinds = {"advance": "ii->i", "write_present_row": "i->"}
            _COMPILED[with_implicit] = native(sources, kinds, bodies=replaced)
        return _COMPILED[with_implicit]
