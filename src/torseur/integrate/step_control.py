"""PI step size control and the error norm (Hairer, Norsett and Wanner 1993, II.4).

The PI controller is that of Gustafsson (1991).  A step is accepted if its error norm is at most 1.

The same code serves single runs and SIMD lanes.  Entry e of a state is item `e * stride + lane` of
its array.  A single run is lane 0 with stride 1.  Sums of stages, the weights of dense output and
the normalization of quaternions are here for the same reason.  Theory: IN.1, IN.6 to IN.9, IN.13.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .record import IntegratorRecord, RunRecord, SmoothSimdRecord

STEP_SAFETY_FACTOR = 0.9  # of the step whose error norm would be 1
MIN_STEP_RATIO, MAX_STEP_RATIO = 0.2, 6.0  # of one step to the last
UNUSABLE_ERROR = 1e30  # error norm from which on its value says nothing; NaN counts as larger
LONG_RUN_ATTEMPTS = 1500.0  # attempts from which on the tolerance is tightened
MIN_RTOL = 2e-13  # relative tolerance below which error estimates are rounding errors
MIN_ERROR = 1e-10  # error norm: smaller ones count as this one, so that powers are finite
MIN_PREVIOUS_ERROR = 1e-4  # error norm: one very accurate step does not govern the next
PI_EXPONENT_SHARE = 0.75  # of the PI exponent, taken from the exponent of the present error
SECOND_ESTIMATE_WEIGHT = 0.01  # of the square of the third-order estimate of DOP853
STOP_ROUNDING_FACTOR = 1.0000001  # a step this much longer reaches the stop: step to it
TIME_FLOOR = 1e-290  # [s] in place of zero as the scale of a relative time
MIN_STEP_RTOL = 16.0 * 2.220446049250313e-16  # of the time: a shorter step is lost in rounding


# ---- step size control -----------------------------------------------------------------------


def tighten_error(run: IntegratorRecord, err: float, attempts: int) -> float:
    """Error norm under the tightened tolerance of a long run (IN.13).

    Errors of the steps add up.  With a tolerance that falls as one over the number of attempts,
    their sum grows as a logarithm.
    """
    return err * max(1.0, min(attempts / LONG_RUN_ATTEMPTS, run.rtol / MIN_RTOL))


def rejected_step_ratio(err: float, exponent: float) -> float:
    """Ratio of the next attempt to a step that is rejected for its error norm, above 1 or NaN."""
    if err < UNUSABLE_ERROR:
        return max(MIN_STEP_RATIO, STEP_SAFETY_FACTOR * err ** (-exponent))
    return MIN_STEP_RATIO


def accepted_step_ratio(
    err: float, previous_error: float, after_rejection: int, exponent: float, pi_exponent: float
) -> float:
    """Ratio of the next step to an accepted one, by PI control.

    Directly after a step rejection the step does not grow.
    """
    err = max(err, MIN_ERROR)
    err_exponent = PI_EXPONENT_SHARE * pi_exponent - exponent
    ratio = STEP_SAFETY_FACTOR * err**err_exponent * previous_error**pi_exponent  # IN.9
    ratio = min(MAX_STEP_RATIO, max(MIN_STEP_RATIO, ratio))
    return min(1.0, ratio) if after_rejection != 0 else ratio


def reaches_stop(t: float, h: float, t_stop: float) -> bool:
    """Whether a step ends at the stop, apart from rounding."""
    return t + STOP_ROUNDING_FACTOR * h >= t_stop


def fit_step_to_stop(t: float, h: float, t_stop: float) -> float:
    """Shorten a step so that it, or two equal ones, end at the stop."""
    if reaches_stop(t, h, t_stop):
        return t_stop - t
    if t + 2.0 * h > t_stop:
        return 0.5 * (t_stop - t)
    return h


# ---- error norm ------------------------------------------------------------------------------


def error_scale(run: IntegratorRecord, e: int, y: float, y_new: float) -> float:
    """Tolerance of entry e: atol + rtol max(|y|, |y_new|, min_scale)."""
    return run.atol[e] + run.rtol * max(max(abs(y), abs(y_new)), run.min_scale[e])


def combine_error_estimates(run: IntegratorRecord, h: float, first: float, second: float) -> float:
    """Error norm from the sums of squares of one or two estimates, both divided by h.

    Accumulated energies add to the sums, not to the number of entries.
    """
    if run.has_second_estimate == 0:
        return h * (first / run.n_error) ** 0.5  # IN.6
    if first == 0.0:
        return 0.0
    return h * first / (run.n_error * (first + SECOND_ESTIMATE_WEIGHT * second)) ** 0.5  # IN.7


def error_norm(
    run: RunRecord | SmoothSimdRecord,
    y: np.ndarray,
    y_new: np.ndarray,
    h: float,
    lane: int,
    stride: int,
) -> float:
    """Root mean square of the estimated error of a step over its tolerance."""
    if run.n_error == 0:
        return 0.0
    stages, k, E = run.stages, run.stage_rates, run.E
    first, second = 0.0, 0.0
    for e in range(run.n):
        a, b, item = 0.0, 0.0, e * stride + lane
        per_scale = 1.0 / error_scale(run, e, y[item], y_new[item])
        for i in range(stages):
            a += E[0, i] * k[i, item]
        a = a * per_scale
        first += a * a
        if run.has_second_estimate != 0:
            for i in range(stages):
                b += E[1, i] * k[i, item]
            b = b * per_scale
            second += b * b
    return combine_error_estimates(run, h, first, second)


# ---- sums of stages --------------------------------------------------------------------------


def add_scaled(target: np.ndarray, a: float, row: np.ndarray, n: int) -> None:
    """Add `a` times a row of n numbers."""
    for j in range(n):
        target[j] = target[j] + a * row[j]


def sum_weighted_rows(
    target: np.ndarray, rows: np.ndarray, weights: np.ndarray, count: int, n: int
) -> None:
    """Sum of the first `count` rows with their weights."""
    for j in range(n):
        target[j] = 0.0
    for k in range(count):
        a = weights[k]
        if a != 0.0:
            add_scaled(target, a, rows[k], n)


def sum_stages(
    target: np.ndarray,
    y: np.ndarray,
    h: float,
    rates: np.ndarray,
    weights: np.ndarray,
    stages: int,
    n: int,
) -> None:
    """First n entries of y + h sum_i weights_i k_i, four at a time for SIMD registers."""
    in_fours = 4 * int(0.25 * n)
    for j in range(0, in_fours, 4):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for i in range(stages):
            w, k = weights[i], rates[i]
            a += w * k[j]
            b += w * k[j + 1]
            c += w * k[j + 2]
            d += w * k[j + 3]
        target[j] = y[j] + h * a
        target[j + 1] = y[j + 1] + h * b
        target[j + 2] = y[j + 2] + h * c
        target[j + 3] = y[j + 3] + h * d
    for j in range(in_fours, n):
        a = 0.0
        for i in range(stages):
            a += weights[i] * rates[i, j]
        target[j] = y[j] + h * a


# ---- dense output ----------------------------------------------------------------------------


def evaluate_dense_weights(run: IntegratorRecord, theta: float) -> None:
    """Weights of the stages in the dense output at the fraction theta of the step (IN.8).

    Horner's rule on the polynomials of P, four stages at a time.
    """
    P, weights, highest = run.P, run.dense_weights, run.dense_degree - 1
    in_fours = 4 * int(0.25 * run.dense_stages)
    for i in range(0, in_fours, 4):
        w, x, y, z = 0.0, 0.0, 0.0, 0.0
        for d in range(highest, -1, -1):
            row = P[d]
            w = (w + row[i]) * theta
            x = (x + row[i + 1]) * theta
            y = (y + row[i + 2]) * theta
            z = (z + row[i + 3]) * theta
        weights[i] = w
        weights[i + 1] = x
        weights[i + 2] = y
        weights[i + 3] = z
    for i in range(in_fours, run.dense_stages):
        w = 0.0
        for d in range(highest, -1, -1):
            w = (w + P[d, i]) * theta
        weights[i] = w


def interpolate_lane(
    run: RunRecord | SmoothSimdRecord,
    y: np.ndarray,
    target: np.ndarray,
    h: float,
    theta: float,
    lane: int,
    stride: int,
) -> None:
    """Dense output of one SIMD lane at theta.  All stages must be complete."""
    stages, weights, k = run.dense_stages, run.dense_weights, run.stage_rates
    evaluate_dense_weights(run, theta)
    for e in range(run.n):
        item, x = e * stride + lane, 0.0
        for i in range(stages):
            x += weights[i] * k[i, item]
        target[item] = y[item] + h * x  # IN.8


# ---- unit quaternions ------------------------------------------------------------------------


def normalize_quaternions(run: IntegratorRecord, y: np.ndarray, lane: int, stride: int) -> None:
    """Divide every quaternion of a state by its length."""
    for i in range(run.n_quaternions):
        item = run.quaternion_start[i] * stride + lane
        a, b, c, d = y[item], y[item + stride], y[item + 2 * stride], y[item + 3 * stride]
        s = 1.0 / (a * a + b * b + c * c + d * d) ** 0.5
        for j in range(4):
            y[item + j * stride] = y[item + j * stride] * s  # IN.1


# ---- first step, in NumPy --------------------------------------------------------------------


def choose_first_steps(
    flow: Callable[..., np.ndarray],
    t: float,
    Y: np.ndarray,
    scale: np.ndarray,
    order: int,
    span: float,
    f0: np.ndarray | None = None,
) -> np.ndarray:
    """Starting step size of every run [s] (Hairer, Norsett and Wanner 1993, II.4).

    Parameters
    ----------
    flow : (t, Y) -> f of the states Y (runs, n) at times (runs,)
    scale : tolerances of the entries, (runs, n)
    order : order of the method
    span : largest step [s]
    f0 : f at t, if it is known
    """
    runs, n = Y.shape

    def scaled_norm(x: np.ndarray) -> np.ndarray:
        x = x / scale
        return np.sqrt((x * x).sum(axis=1) / n) if n else np.zeros(runs)

    with np.errstate(all="ignore"):
        f0 = flow(np.full(runs, t), Y) if f0 is None else f0
        d0, d1 = scaled_norm(Y), scaled_norm(f0)
        h = np.where(np.minimum(d0, d1) < 1e-5, 1e-6, 0.01 * d0 / d1)
        d2 = scaled_norm(flow(t + h, Y + h[:, None] * f0) - f0) / h
        d_max = np.maximum(d1, d2)
        h1 = np.where(
            d_max <= 1e-15, np.maximum(1e-6, 1e-3 * h), (0.01 / d_max) ** (1 / (order + 1))
        )
        first = np.minimum(np.minimum(100 * h, h1), span)
        return np.where(np.isfinite(d2), first, np.maximum(1e-3 * h, 1e-12))
