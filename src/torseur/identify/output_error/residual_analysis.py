"""Residual analysis of a fit: whiteness test, noise level, degrees of freedom, signal weights.

A fit is good if its residuals are as small as the noise and, in each signal, white (neighbors
uncorrelated).  Equations ID.13, ID.14.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ...signal_processing import noise_deviation

MAX_DEVIATION = 4.0  # standard deviations by which statistics of noise may differ
ROUNDING = 1e-5  # of a signal's spread: tolerances of runs
MIN_NOISE = 4e-4  # of the spread: residual of a run with state resets on exact data
MIN_RESIDUALS = 12  # of a signal, for a whiteness test
MIN_FREEDOM = 1e-6  # degrees of freedom of a signal


def noise_level(problem: Any) -> float:
    """Noise of the measurements in sigmas, by their differences.

    It is at most the given sigma, and at least what state resets leave.
    """
    levels = []
    for trial in problem.trials:
        for name, (_, y) in trial.rows.items():
            sigma = problem.sigma(trial, name)
            floor = MIN_NOISE * (float(np.std(y)) or 1.0) / sigma
            levels.append(max(min(noise_deviation(y) / sigma, 1.0), floor))
    return float(np.sqrt(np.mean(np.square(levels))))


def degrees_of_freedom(problem: Any, rows: int) -> float:
    """Expected sum of squares of so many rows: filters leave less than one each; less one for each
    parameter: ID.13."""
    removed = sum(len(y) for t in problem.trials for _, y in t.rows.values())
    removed -= sum(sum(t.noise_freedom.values()) for t in problem.trials)
    return max(1.0, rows - removed - len(problem.scale))


def rounding_cost(problem: Any) -> float:
    """Largest half sum of squares of a fit of exact data."""
    return (
        sum(
            len(t.rows[n][0]) * _rounding_error(problem, t, n) ** 2
            for t in problem.trials
            for n in t.rows
        )
        / 2
    )


def _rounding_error(problem: Any, trial: Any, name: str) -> float:
    """Rounding and tolerances of runs in a signal, in sigmas."""
    return ROUNDING * (float(np.std(trial.rows[name][1])) or 1.0) / problem.sigma(trial, name)


def noise_variances(problem: Any, residuals: np.ndarray, jacobian: np.ndarray) -> np.ndarray:
    """Noise variance of each signal, in squares of its sigma or spread (ID.13).

    It is one with a given sigma, else that of the residuals, infinite without degrees of freedom.
    """
    unweighted, is_felt = problem.unweighted(residuals), jacobian.any(axis=0)
    J = jacobian[:, is_felt]
    U, s, _ = np.linalg.svd(J / _column_norms(J), False)
    leverage = np.sum(np.square(U[:, s > 1e-12 * s.max(initial=0.0)]), axis=1)
    variances, first = [], 0
    for trial, name in problem.signals:
        rows = slice(first, first := first + len(trial.rows[name][0]))
        freedom = trial.noise_freedom[name] - float(leverage[rows].sum())
        r = unweighted[rows]
        estimated = float(r @ r) / freedom if freedom > MIN_FREEDOM else np.inf
        variances.append(1.0 if name in trial.sigma else estimated)
    return np.array(variances)


def signal_weights(
    problem: Any, residuals: np.ndarray, jacobian: np.ndarray, by_signal: bool
) -> np.ndarray:
    """Weights of signals without a given sigma by their noise, each with enough rows, or all
    together."""
    noise = noise_variances(problem, residuals, jacobian)
    freedom = np.array([t.noise_freedom[n] for t, n in problem.signals])
    without_sigma = np.array([n not in t.sigma for t, n in problem.signals]) & np.isfinite(noise)
    if without_sigma.any():
        mean = np.average(noise[without_sigma], weights=freedom[without_sigma])
        has_rows = without_sigma & (freedom >= MIN_RESIDUALS)
        noise = np.where(has_rows if by_signal else False, noise, mean)
    weighted = zip(problem.signals, problem.weight_factors, strict=True)
    floor = [(_rounding_error(problem, t, n) * w**-0.5) ** 2 for (t, n), w in weighted]
    return np.where(without_sigma, 1 / np.maximum(noise, floor), 1.0)


def is_noise(problem: Any, residuals: np.ndarray, jacobian: np.ndarray | None = None) -> bool:
    """Whether residuals are as small as the given noise, and white in each signal.

    In a signal without a given sigma, the part that a change of the parameters would remove does
    not count: signals are weighted by their spread, and one with little noise bears errors of
    others.
    """
    freedom, first = degrees_of_freedom(problem, len(residuals)), 0
    unweighted = problem.unweighted(residuals)
    chi2 = float(unweighted @ unweighted) / freedom
    if problem.has_sigmas and chi2 > 1 + MAX_DEVIATION * (2 / freedom) ** 0.5:
        return False
    for trial, name in problem.signals:
        t, channel_class = trial.rows[name][0], trial.experiment.channel_class(name)
        rows = slice(first, first := first + len(t))
        r = residuals[rows]
        if np.sqrt(np.mean(r**2)) <= _rounding_error(problem, trial, name):
            continue
        if jacobian is not None and name not in trial.sigma:
            D = jacobian[rows] / _column_norms(jacobian[rows])
            r = r - D @ np.linalg.lstsq(D, r, rcond=1e-9)[0]
        if not _is_white(_decimate(t, r, channel_class)):
            return False
    return True


def _column_norms(D: np.ndarray) -> np.ndarray:
    """Norm of each column; one for zero columns."""
    norms = np.linalg.norm(D, axis=0)
    return np.where(norms > 0, norms, 1.0)


def _decimate(t: np.ndarray, r: np.ndarray, channel_class: float | None) -> np.ndarray:
    """Residuals at a distance at which the channel filter does not correlate them."""
    if channel_class is None or len(t) < 2:
        return r
    return r[:: max(1, int(np.ceil(1 / (channel_class * np.median(np.diff(t))))))]


def _is_white(r: np.ndarray) -> bool:
    """Whiteness test: whether the autocorrelation at lag one is that of noise."""
    if len(r) < MIN_RESIDUALS:
        return True
    return bool(abs(r[1:] @ r[:-1]) <= MAX_DEVIATION * len(r) ** -0.5 * (r @ r))
