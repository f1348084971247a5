"""Step control, error norm and interpolation: one text for single runs and for lanes.

`run` is a record of either; numbers of one lane are those at `first`, `first + stride`, ...: a
single run is the lane 0 of 1.  Theory: IN.1, IN.2, IN.6 to IN.9.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

SAFETY = 0.9  # of the step that would just meet the tolerance: the estimate scatters
SMALLEST, LARGEST = 0.2, 6.0  # one step over the last: beyond, the estimate is not believed
HOPELESS = 1e30  # an error that says no more than "too large", or is not a number
LONG = 1500.0  # attempts from which on a run is long
LEAST_RTOL = 2e-13  # below, the estimate of an error is made of rounding
LEAST_ERROR = 1e-10  # of an attempt: a power of nothing is not taken
LEAST_KEPT = 1e-4  # of the last error in the smoothing: one lucky step does not govern the next
SHARE = 0.75  # of the smoothing exponent, given back to the exponent of the present error
SECOND = 0.01  # weight of the second estimate of an error beside the first
NEARLY = 1.0000001  # of a step: what is left beyond it would be a step of rounding alone
TINY = 1e-290  # a time, in place of zero
VANISHED = 16.0 * 2.220446049250313e-16  # of the time: a shorter step hardly moves the clock


def strict(run, err, tried):
    """The error of a step over its tolerance, which is the smaller the longer the run already is.

    Errors of the steps of a long run add up: so, with the tolerance falling as one over the number
    of attempts, as a logarithm.  IN.13
    """
    return err * max(1.0, min(tried / LONG, run.rtol / LEAST_RTOL))


def shrink(err, exponent):
    """Factor of a step whose error is over its tolerance by `err` > 1 (or not a number)."""
    if err < HOPELESS:
        return max(SMALLEST, SAFETY * err ** (-exponent))
    return SMALLEST


def grow(err, before, refused, exponent, smoothing):
    """Factor of the step after one of error `err` <= 1; `before` is the error of the one before.

    After an attempt that was `refused` steps do not grow at once.
    """
    err = max(err, LEAST_ERROR)
    wish = SAFETY * err ** (SHARE * smoothing - exponent) * before**smoothing  # IN.9
    wish = min(LARGEST, max(SMALLEST, wish))
    return min(1.0, wish) if refused != 0 else wish


def reaches(t, h, stop):
    """Whether a step reaches the stop, rounding apart."""
    return t + NEARLY * h >= stop


def fitted(t, h, stop):
    """The step, or so much of it that the stop is reached by one step or by two equal ones."""
    if reaches(t, h, stop):
        return stop - t
    if t + 2.0 * h > stop:
        return 0.5 * (stop - t)
    return h


def add(target, a, row, n):
    """Add `a` times a row of n numbers."""
    for j in range(n):
        target[j] = target[j] + a * row[j]


def combine(target, rows, weights, count, n):
    """Sum of the first `count` rows with their weights."""
    for j in range(n):
        target[j] = 0.0
    for k in range(count):
        a = weights[k]
        if a != 0.0:
            add(target, a, rows[k], n)


def moved(into, y, h, rows, weights, terms, n):
    """n numbers of y, moved by h times the sum of some rows with their weights."""
    four = 4 * int(0.25 * n)
    for j in range(0, four, 4):
        a, b, c, d = 0.0, 0.0, 0.0, 0.0
        for k in range(terms):
            w, row = weights[k], rows[k]
            a += w * row[j]
            b += w * row[j + 1]
            c += w * row[j + 2]
            d += w * row[j + 3]
        into[j] = y[j] + h * a
        into[j + 1] = y[j + 1] + h * b
        into[j + 2] = y[j + 2] + h * c
        into[j + 3] = y[j + 3] + h * d
    for j in range(four, n):
        a = 0.0
        for k in range(terms):
            a += weights[k] * rows[k, j]
        into[j] = y[j] + h * a


def weigh(run, theta):
    """Weights of the stages in the state at a part theta of the step."""
    P, weight, last = run.P, run.weight, run.degree - 1
    four = 4 * int(0.25 * run.rows)
    for i in range(0, four, 4):
        w, x, y, z = 0.0, 0.0, 0.0, 0.0
        for d in range(last, -1, -1):
            row = P[d]
            w = (w + row[i]) * theta
            x = (x + row[i + 1]) * theta
            y = (y + row[i + 2]) * theta
            z = (z + row[i + 3]) * theta
        weight[i] = w
        weight[i + 1] = x
        weight[i + 2] = y
        weight[i + 3] = z
    for i in range(four, run.rows):
        w = 0.0
        for d in range(last, -1, -1):
            w = (w + P[d, i]) * theta
        weight[i] = w


def tolerance(run, e, before, after):
    """Of number e of a state, by its size at both ends of the step."""
    return run.atol[e] + run.rtol * max(max(abs(before), abs(after)), run.floor[e])


def total(run, h, first, second):
    """Root mean square, from the sums of squares of the estimates over h; books do not thin it."""
    if run.two == 0:
        return h * (first / run.counted) ** 0.5  # IN.6
    if first == 0.0:
        return 0.0
    return h * first / (run.counted * (first + SECOND * second)) ** 0.5  # IN.7


def norm(run, y, new, h, first, stride):
    """The estimated error of a step over its tolerance."""
    if run.counted == 0:
        return 0.0
    stages, K, E = run.stages, run.stage, run.E
    one, two = 0.0, 0.0
    for e in range(run.n):
        a, b, at = 0.0, 0.0, e * stride + first
        over = 1.0 / tolerance(run, e, y[at], new[at])
        for i in range(stages):
            a += E[0, i] * K[i, at]
        a = a * over
        one += a * a
        if run.two != 0:
            for i in range(stages):
                b += E[1, i] * K[i, at]
            b = b * over
            two += b * b
    return total(run, h, one, two)


def interpolate(run, y, into, h, theta, first, stride):
    """State of one lane of several at a part theta of the step, all stages known."""
    rows, weight, K = run.rows, run.weight, run.stage
    weigh(run, theta)
    for e in range(run.n):
        at, x = e * stride + first, 0.0
        for i in range(rows):
            x += weight[i] * K[i, at]
        into[at] = y[at] + h * x  # IN.8


def unit(run, y, first, stride):
    """Quaternions brought back to length one."""
    for i in range(run.quaternions):
        at = run.quaternion[i] * stride + first
        a, b, c, d = y[at], y[at + stride], y[at + 2 * stride], y[at + 3 * stride]
        s = 1.0 / (a * a + b * b + c * c + d * d) ** 0.5
        for j in range(4):
            y[at + j * stride] = y[at + j * stride] * s  # IN.1


def first_steps(
    flow: Callable[..., np.ndarray],
    t: float,
    Y: np.ndarray,
    scale: np.ndarray,
    order: int,
    span: float,
    f0: np.ndarray | None = None,
) -> np.ndarray:
    """A first step of every run [s], from the size of the rates and of their change.

    `flow(t, Y)` gives the rates of the states Y (runs, n) at times (runs,); `scale` is what errors
    are measured by; a step is no longer than `span`; `f0` are the rates at t, if known.  Hairer's
    rule, in NumPy.
    """
    runs, n = Y.shape

    def size(x):
        x = x / scale
        return np.sqrt((x * x).sum(axis=1) / n) if n else np.zeros(runs)

    with np.errstate(all="ignore"):
        f0 = flow(np.full(runs, t), Y) if f0 is None else f0
        d0, d1 = size(Y), size(f0)
        h = np.where(np.minimum(d0, d1) < 1e-5, 1e-6, 0.01 * d0 / d1)
        d2 = size(flow(t + h, Y + h[:, None] * f0) - f0) / h
        big = np.maximum(d1, d2)
        h1 = np.where(big <= 1e-15, np.maximum(1e-6, 1e-3 * h), (0.01 / big) ** (1 / (order + 1)))
        best = np.minimum(np.minimum(100 * h, h1), span)
        return np.where(np.isfinite(d2), best, np.maximum(1e-3 * h, 1e-12))
