"""Gains of effort sensors, one a joint, relative to the joint with the largest effort.

Gains are estimated only if the residuals show errors of the model, which are correlated in time,
and not noise.  Equations ID.18, ID.20.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .covariance import (
    FILTERED_CORRELATION_TIME,
    autocorrelation_time,
    batch_correlation_time,
)

GAIN_SIGMA = 0.01  # standard deviation of sensor gains before the data; Cauchy tails
MIN_RESIDUAL = 1e-4  # of the effort: smaller residuals need no gain
GAUSS_NEWTON_PASSES = 8
GAIN_BOUNDS = (0.3, 3.0)
MAX_GAIN_STEP = 0.2
GAIN_TOLERANCE = 1e-6
SLOW_BAND = 4.0  # times the frequency of the motion: errors of the model are slower
PASS_BAND = 0.6  # of the cutoff: frequencies that the low pass does not change
MIN_SIGNIFICANCE = 3.0  # standard deviations


def residual_correlation_times(r: np.ndarray) -> np.ndarray:
    """Correlation time of each column of residuals [samples], slow drifts included."""
    return np.array([max(autocorrelation_time(x), batch_correlation_time(x)) for x in r.T])


@dataclass(frozen=True, slots=True)
class GainColumns:
    """Free gains: their columns in the triangular factor of each joint, and their priors."""

    joints: tuple[int, ...]
    columns: tuple[np.ndarray, ...]  # one a joint: (rows of its factor, free gains)
    sigma: np.ndarray  # of each gain before the data
    noise: np.ndarray  # of each joint's residual, times the root of its correlation time

    def prior_weights(self, w: np.ndarray) -> np.ndarray:
        return (w * self.noise)[list(self.joints)] / self.sigma


def model_error_fraction(problem: Any, p: np.ndarray) -> float:
    """Share of errors of the model in the residuals; 0 for noise and for exact data.  ID.18."""
    if problem.data.cutoff is not None:
        r = problem.residuals(p)
        if low_frequency_significance(problem.data, r) < MIN_SIGNIFICANCE:
            return 0.0
    return correlated_fraction(problem, p)


def correlated_fraction(problem: Any, p: np.ndarray) -> float:
    """Share of errors of the model in the residuals, by their correlation time alone."""
    s, size = problem.residual_sigma(p), np.sqrt((problem.data.tau**2).mean(axis=0))
    times = residual_correlation_times(problem.residuals(p))
    fraction = 1.0 - FILTERED_CORRELATION_TIME / float(times.mean())
    has_known_efforts = (problem.b != problem.data.tau).any()
    is_exact = (s < MIN_RESIDUAL * size).all()
    if is_exact or problem.nv < 2 or has_known_efforts or problem.lin.shafts:
        return 0.0
    return max(0.0, fraction)


def motion_frequency(data: Any) -> float:
    """Frequency of a motion [Hz]: root mean square of accelerations over that of speeds."""
    return np.sqrt((data.a**2).mean() / max((data.v**2).mean(), 1e-300)) / (2 * np.pi)


def low_frequency_significance(data: Any, r: np.ndarray) -> float:
    """Significance of slow residuals behind a low pass, in standard deviations; ID.18.

    Mean power of the cosines up to four times the frequency of the motion, over that of the faster
    ones that the filter passes.  The logarithm of the ratio is zero for white noise.
    """
    from scipy.fft import dct

    f = np.arange(len(r)) / (2 * len(r) * float(np.median(np.diff(data.time))))
    split = min(SLOW_BAND * motion_frequency(data), 0.5 * PASS_BAND * data.cutoff)
    slow, fast = f < split, (f >= split) & (f < PASS_BAND * data.cutoff)
    if slow.sum() < 2 or fast.sum() < 2:
        return 0.0
    power = dct(r, axis=0, norm="ortho") ** 2
    log_ratio = np.log(power[slow].mean(axis=0) / np.maximum(power[fast].mean(axis=0), 1e-300))
    return float(log_ratio.max() / np.sqrt(2 / slow.sum() + 2 / fast.sum()))


def linearize_gains(problem: Any, p: np.ndarray) -> GainColumns | None:
    """Columns of the gains at parameters p, or None if the residuals are noise."""
    fraction = model_error_fraction(problem, p)
    if not fraction:
        return None
    s, times = problem.residual_sigma(p), residual_correlation_times(problem.residuals(p))
    size = np.sqrt((problem.data.tau**2).mean(axis=0))
    gains, rigid = problem.lin.sensor_gains(problem.nv), problem.lin.rigid_columns
    free = [i for i in range(problem.nv) if i != int(np.argmax(size))]
    columns = []
    for i, R in enumerate(problem.factors):
        X = np.zeros((len(R), len(free)))
        if i in free:
            X[:, free.index(i)] = R[:, rigid] @ p[rigid] / gains[i]
        columns.append(X)
    sigma = fraction * np.hypot(GAIN_SIGMA, gains[free] - 1)
    return GainColumns(tuple(free), tuple(columns), sigma, s * np.sqrt(times))


def estimate_gains(
    problem: Any, w: np.ndarray, prior_strength: Callable[[], float], method: str
) -> bool:
    """Set the gains of a problem; whether there are any.  ID.20.

    Gauss-Newton on the triangular factors.  `prior_strength()` is evaluated with the current gains.
    """
    initial, strength = problem.lin.nonlinear, prior_strength()
    p = problem.solve(w, strength, method)
    before = (w * problem.residual_sigma(p)).sum()
    for _ in range(GAUSS_NEWTON_PASSES):
        linearized = linearize_gains(problem, p)
        if linearized is None:
            break
        gains, free = problem.lin.sensor_gains(problem.nv), list(linearized.joints)
        A, b = problem.stack_rows(w, strength)
        extra = np.concatenate([x * c for x, c in zip(w, linearized.columns, strict=True)])
        below = np.zeros((len(A) - len(extra), len(free)))
        prior = linearized.prior_weights(w)
        M = np.block(
            [[A, np.vstack([extra, below])], [np.zeros((len(free), A.shape[1])), np.diag(prior)]]
        )
        scale = np.sqrt((M**2).sum(axis=0)) + 1e-300
        rhs = np.concatenate([b, prior * (1 - gains[free])])
        step = (np.linalg.lstsq(M / scale, rhs, rcond=1e-13)[0] / scale)[A.shape[1] :]
        new = np.clip(gains[free] + np.clip(step, -MAX_GAIN_STEP, MAX_GAIN_STEP), *GAIN_BOUNDS)
        values = {("gain", i): float(x) for i, x in zip(free, new, strict=True)}
        problem.set_nonlinear({**problem.lin.nonlinear, **values}, p)
        strength = prior_strength()
        p = problem.solve(w, strength, method)
        if abs(new - gains[free]).max() < GAIN_TOLERANCE:
            break
    if problem.lin.nonlinear is initial:
        return False
    if (w * problem.residual_sigma(p)).sum() > before:  # small masses with large gains
        problem.set_nonlinear(initial, p)
        return False
    return True
