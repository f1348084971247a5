"""Event location within a step: sampling, bracketing, grazing roots, refinement.

Event functions are sampled on the dense output, as Shampine and Thompson (2000) do.  A sign change
is bracketed by the Illinois rule (Dowell and Jarratt 1971).  Golden section search finds a grazing
root, which no two samples show.  The zero of the dense output is then refined by steps
of the method itself, so that the state at the event has the accuracy of the method.
Theory: EV.1, EV.2, EV.4, EV.5, EV.8.
"""

from __future__ import annotations

from ..compiler import optsize
from .event_functions import (
    arm_leaving_functions,
    arm_positive_functions,
    call_guards_kernel,
    evaluate_event_functions,
    find_crossing,
    find_leaving_function,
    interpolate_event_functions,
    sample_event_functions,
    save_armed_values,
)
from .explicit import interpolate_state, project_state
from .record import (
    EPS,
    EVALUATION_FAILED,
    EXPLICIT,
    LEAVES_SURFACE,
    NO_EVENT,
    VALIDITY_LIMIT,
    RunRecord,
)

N_EARLY_SAMPLES = 15  # first of SAMPLE_POINTS: for steps that begin on a switching surface
SAMPLE_POINTS = (*(2.0 ** (k - 21) for k in range(N_EARLY_SAMPLES)), 0.015625, 0.35, 0.7, 1.0)
"""Sampling points of the event functions, as fractions of the step."""
CROSSED, MAY_GRAZE = 1, 2  # of a sample, see `take_sample`

BRACKET_WIDTH = 1e-10  # of a step: at this width the bracket is closed
MIN_BRACKET_DISTANCE = 0.9e-10  # of a step: of a trial point from both ends of the bracket
MAX_SECANT_TRIALS = 4  # from one bisection to the next
SMOOTH_ZERO_RATIO = 0.01  # of g to g one trial before: the secant rule converges to a smooth zero
FINAL_SECANT_DISTANCE = 1e-5  # of a step: a smooth zero this near is taken from the secant

GOLDEN_SECTION = 0.3819660112501051  # of a bracket: position of the first trial point
MAX_GOLDEN_TRIALS = 40
GRAZING_SLOPE_DISTANCE = 1e-3  # of the distance from zero to minimum: where the slope is taken
NO_ROOT = 2.0  # in place of a fraction of the step

SLOPE_DISTANCE = 1e-4  # of a step: on both sides of an event, where the slope is taken
EVENT_TIME_RTOL = 1e-4  # of rtol and of the step: accuracy of the time of an event
MAX_REFINEMENTS = 10  # attempts of the method itself
FINAL_REFINEMENT = -1  # in `refinements_left`: the attempt repeats the best one

VALIDITY_NOISE_LIMIT = 0.9  # of a validity limit, whose scale is 1: below, errors are not noise
VALIDITY_CLEARANCE = 0.5  # of a validity limit: above, a step is not sampled


# ---- first event of a step -------------------------------------------------------------------


@optsize
def find_first_event(run: RunRecord, t: float, h: float) -> int:
    """Sample the step, and return the event function of its first event, or NO_EVENT.

    `event_theta` receives its zero by dense output.  LEAVES_SURFACE - k: the motion leaves the
    switching surface on which event function k was waiting.
    """
    save_armed_values(run)
    armed_from, theta = 0.0, 0.0
    start_sampling(run)
    for i in range(run.n_samples):
        if i < N_EARLY_SAMPLES and (run.n_waiting == 0 or run.adaptive == 0):
            continue  # early samples tell in which direction the motion leaves a surface
        if sample_event_functions(run, t, h, i) != 0:
            return EVALUATION_FAILED
        sample = take_sample(run, (run.sample_theta[i] - theta) * h)
        k = find_crossing(run) if sample == CROSSED else NO_EVENT
        at_end = i == run.n_samples - 1
        if run.n_waiting > 0 and (run.adaptive == 1 or at_end or k >= 0):  # EV.4
            leaving = find_leaving_function(run)
            if leaving >= 0:
                return LEAVES_SURFACE - leaving
        if k >= 0:
            return bracket_event(run, t, h, armed_from, run.sample_theta[i], k)
        if sample == MAY_GRAZE:
            k = find_grazing_root(run, t, h, theta, i)
            if k >= 0:
                return k
        theta = run.sample_theta[i]
        if run.n_waiting > 0 and (run.adaptive == 1 or at_end):
            arm_leaving_functions(run)
        if run.max_inactive > 0.0 and not at_end:
            arm_positive_functions(run)
            armed_from = run.sample_theta[i]  # a bracket starts where all are armed
    return NO_EVENT


# ---- sampling --------------------------------------------------------------------------------


def start_sampling(run: RunRecord) -> None:
    """Take values and slopes of the event functions at the start of a step."""
    for k in range(run.ng):
        run.g_sample[k], run.g_slope[k] = run.g_armed[k], run.g_slope_start[k]


def take_sample(run: RunRecord, span: float) -> int:
    """Compare a sample of the armed event functions with the one before.

    CROSSED: one has crossed zero.  MAY_GRAZE: none has, but the slope of one predicted a zero.
    NO_EVENT: neither.
    """
    g_armed, g, g_sample = run.g_armed, run.g, run.g_sample
    slope, predicted = run.g_slope, run.g_predicted
    low, high, lowest_prediction, per_span = 1.0, 0.0, 1.0, 1.0 / span
    for k in range(run.ng):
        armed, old, new = g_armed[k] > 0.0, g_sample[k], g[k]
        prediction = old + slope[k] * span if armed else 1.0
        low = min(low, new if armed else 1.0)
        high = max(high, 0.0 if armed else new)
        lowest_prediction = min(lowest_prediction, prediction)
        predicted[k], g_sample[k], slope[k] = prediction, new, (new - old) * per_span
    run.max_inactive = high
    if not low > 0.0:
        return CROSSED
    return MAY_GRAZE if lowest_prediction < 0.0 else NO_EVENT


# ---- bracketing ------------------------------------------------------------------------------


@optsize
def bracket_event(run: RunRecord, t: float, h: float, a: float, b: float, k: int) -> int:
    """First zero crossing between two fractions of the step, that of k at the latest.

    Illinois rule on the event function that crosses zero, with a bisection now and then.  Where
    one event function alone crosses zero, and smoothly, the last secant gives the rest.
    """
    trials, same_end, low, high, n_crossed = 0, 0, run.g_armed[k], run.g[k], run.n_crossed
    last_g, last_x, run.event_slope = high, b, 0.0
    while b - a > BRACKET_WIDTH:
        x = a + (b - a) * low / (low - high)
        trials += 1
        if trials > MAX_SECANT_TRIALS or not (x >= a and x <= b):
            x, trials = 0.5 * (a + b), 0
        x = min(max(x, a + MIN_BRACKET_DISTANCE), b - MIN_BRACKET_DISTANCE)
        interpolate_event_functions(run, t, h, x)
        other = find_crossing(run)  # EV.1
        if other >= 0:  # x becomes the end b
            if other != k:
                low, last_g = run.g_armed[other], 0.0
            elif same_end > 0:  # for the second time: Illinois rule
                low = 0.5 * low
            b, k, high, same_end, n_crossed = x, other, run.g[other], 1, run.n_crossed
        else:  # x becomes the end a
            a, low = x, run.g[k]
            if same_end < 0:
                high = 0.5 * high
            same_end = -1
        g = run.g[k]
        if n_crossed == 1 and abs(g) < SMOOTH_ZERO_RATIO * abs(last_g):
            dx = g * (x - last_x) / (last_g - g)
            if abs(dx) < FINAL_SECANT_DISTANCE:
                run.event_slope = (g - last_g) / ((x - last_x) * h)
                run.event_theta = min(max(x + dx, a), b)
                return k
        last_g, last_x = g, x
    run.event_theta = b
    return k


# ---- grazing roots ---------------------------------------------------------------------------


def find_grazing_root(run: RunRecord, t: float, h: float, a: float, i: int) -> int:
    """First event function that touches zero between two samples and comes back, or NO_EVENT."""
    b, first, first_theta = run.sample_theta[i], NO_EVENT, NO_ROOT
    for k in range(run.ng):
        if run.g_predicted[k] < 0.0:
            x = search_minimum(run, t, h, a, b, k)
            if x < first_theta:
                first, first_theta = k, x
    if first < 0:
        sample_event_functions(run, t, h, i)
        return NO_EVENT
    return bisect_grazing_root(run, t, h, a, first_theta, first)


def search_minimum(run: RunRecord, t: float, h: float, a: float, b: float, k: int) -> float:
    """Fraction of the step at which event function k is not positive, or NO_ROOT.

    Golden section search for its minimum between two samples.  A convex function lies above its
    secants, extended beyond their ends.  The search stops early where these are positive.
    """
    low, high, g_high, trials = a, b, run.g_sample[k], 0
    g_low = g_high - run.g_slope[k] * ((b - a) * h)
    x = low + GOLDEN_SECTION * (high - low)
    interpolate_event_functions(run, t, h, x)
    lowest = run.g[k]
    while trials < MAX_GOLDEN_TRIALS and lowest > 0.0:
        trials += 1
        secant_at_low = lowest - (g_high - lowest) / (high - x) * (x - low)
        secant_at_high = lowest + (lowest - g_low) / (x - low) * (high - x)
        if secant_at_low > 0.0 and secant_at_high > 0.0 and run.event_type[k] != VALIDITY_LIMIT:
            return NO_ROOT
        y = low + high - x
        interpolate_event_functions(run, t, h, y)
        g = run.g[k]
        if g < lowest:
            if y > x:
                low, g_low = x, lowest
            else:
                high, g_high = x, lowest
            x, lowest = y, g
        elif y > x:
            high, g_high = y, g
        else:
            low, g_low = y, g
    return x if lowest <= 0.0 else NO_ROOT


def bisect_grazing_root(run: RunRecord, t: float, h: float, a: float, b: float, k: int) -> int:
    """First event function that crosses zero between a and b, where k is not positive.

    The interval below zero may be so narrow that slopes outside it say nothing: bisection.
    """
    low, high = a, b
    while high - low > BRACKET_WIDTH:
        x = 0.5 * (low + high)
        interpolate_event_functions(run, t, h, x)
        other = find_crossing(run)
        if other >= 0:
            high, k = x, other
        else:
            low = x
    distance = max(GRAZING_SLOPE_DISTANCE * (b - high), BRACKET_WIDTH)
    interpolate_event_functions(run, t, h, max(high - distance, 0.0))
    g_before = run.g[k]
    interpolate_event_functions(run, t, h, high + distance)
    run.event_theta, run.event_slope = high, (run.g[k] - g_before) / (2.0 * distance * h)
    return k


# ---- refinement by steps of the method -------------------------------------------------------


@optsize
def estimate_event_slope(run: RunRecord, t: float, h: float, theta: float, k: int) -> float:
    """Slope of event function k at the fraction theta of the step, by dense output."""
    low, high = max(theta - SLOPE_DISTANCE, 0.0), min(theta + SLOPE_DISTANCE, 1.0)
    interpolate_state(run, h, low, run.y_work)
    evaluate_event_functions(run, t + low * h, run.y_work, run.g)
    g_low = run.g[k]
    interpolate_state(run, h, high, run.y_work)
    evaluate_event_functions(run, t + high * h, run.y_work, run.g)
    return (run.g[k] - g_low) / ((high - low) * h)


@optsize
def start_refinement(run: RunRecord, t: float, h: float, k: int) -> None:
    """Begin to locate the zero of event function k by steps of the method that end there."""
    if run.event_slope == 0.0:
        run.event_slope = estimate_event_slope(run, t, h, run.event_theta, k)
    if run.adaptive == 0 and run.fixed_step_split == 0:  # EV.4
        run.fixed_step_split, run.fixed_step_end = 1, run.t_stop if run.reaches_end == 1 else t + h
    run.refinements_left, run.event_index, run.reaches_end = MAX_REFINEMENTS + 1, k, 0
    run.refined_h, run.refined_g, run.event_step = 0.0, 0.0, h
    run.h_attempt = run.event_theta * h


@optsize
def refine_event_step(run: RunRecord, t: float, k: int) -> int:
    """Judge an attempt that ends near the zero of event function k, by the secant rule.

    1: the attempt ends at the event.  0: the next attempt is in `h_attempt`.
    """
    x, g = run.h_attempt, 0.0
    if run.refinements_left == FINAL_REFINEMENT:
        return 1
    if evaluate_event_functions(run, t + x, run.y_new, run.g) == 0:
        g = run.g[k]
    if run.refinements_left <= MAX_REFINEMENTS:  # not the first attempt
        if not abs(g) < abs(run.refined_g):
            run.h_attempt, run.refinements_left = run.refined_h, FINAL_REFINEMENT
            return 0
        run.event_slope = (g - run.refined_g) / (x - run.refined_h)
    run.refinements_left -= 1
    if g == 0.0 or run.event_slope == 0.0 or run.refinements_left == 0:
        return 1
    dx, h, max_change = -g / run.event_slope, run.event_step, SLOPE_DISTANCE  # EV.2
    if run.adaptive == 0:  # dense output of a long fixed step is rough: search the whole step
        dx, max_change = min(dx, h - x), 1.0
    if not abs(dx) < max_change * h or x + dx <= 0.0:  # g jumps here, and has no zero
        return 1
    if abs(dx) <= max(2.0 * EPS * max(abs(t), abs(h)), EVENT_TIME_RTOL * run.rtol * h):
        return 1
    if shift_state_to_event(run, t + x, k, g, dx) == 0:
        return 1
    run.refined_h, run.refined_g = x, g
    run.h_attempt = x + dx
    return 0


@optsize
def shift_state_to_event(run: RunRecord, t: float, k: int, g: float, dx: float) -> int:
    """Move y_new along f to the zero of event function k, about dx from t.  Return 0 on success.

    This replaces another attempt where terms of second order in dx are below the tolerance (EV.2).
    """
    too_long = dx * dx > EVENT_TIME_RTOL * run.rtol * run.event_step * run.event_step
    if too_long or run.family != EXPLICIT or run.adaptive == 0:
        return 1
    f, y_new = run.stage_rates[run.stages - 1], run.y_new
    for j in range(run.n_event_state):
        run.kernel_state[j] = y_new[j] + dx * f[j]
    if call_guards_kernel(run, t + dx, run.g) != 0:
        return 1
    residual = run.g[k]
    if not abs(residual) < SMOOTH_ZERO_RATIO * abs(g):  # not a smooth zero
        return 1
    dx = dx - residual * dx / (residual - g)  # EV.2
    for j in range(run.n):
        y_new[j] = y_new[j] + dx * f[j]
    status = project_state(run, t + dx, y_new)
    if status == 0:
        run.event_shift = dx
    return status


# ---- validity limits -------------------------------------------------------------------------


@optsize
def count_close_validity_limits(run: RunRecord) -> int:
    """Number of validity limits so close that an error of the step is not rounding noise."""
    count = 0
    for k in range(run.ng):
        close = (
            run.event_type[k] == VALIDITY_LIMIT
            and run.g_armed[k] > 0.0
            and run.g_armed[k] < VALIDITY_NOISE_LIMIT
        )
        count += 1 if close else 0
    return count


@optsize
def clears_validity_limits(run: RunRecord, t: float, h: float) -> bool:
    """Whether the model has validity limits alone, all with clearance at both ends of the step."""
    if (
        run.n_validity_limits < run.ng
        or evaluate_event_functions(run, t + h, run.y_new, run.g) != 0
    ):
        return False
    lowest = 1.0
    for k in range(run.ng):
        run.g_slope[k] = (run.g[k] - run.g_armed[k]) / h
        lowest = min(lowest, min(run.g_armed[k], run.g[k]))
    return lowest > VALIDITY_CLEARANCE
