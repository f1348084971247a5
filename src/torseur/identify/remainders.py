"""How much of what was measured, and of what a fit leaves over, is noise.

Theory: ID.14.
"""

from __future__ import annotations

from math import comb

import numpy as np

NOISY = 4.0  # standard deviations by which noise may look like something else
NOTHING = 1e-5  # of a signal's spread: rounding, tolerances of runs
LEAST = 4e-4  # of the spread: what a run that is led leaves over on exact data
ENOUGH = 12  # residuals of a signal from which their order can be judged


def roughness(y, order: int = 3) -> float:
    """Standard deviation of the noise of evenly sampled values, by their third differences."""
    d = np.diff(y, order)
    return 1.4826 * float(np.median(abs(d))) / comb(2 * order, order) ** 0.5 if len(d) else 0.0


def noise_of(problem) -> float:
    """Noise of the measurements in sigmas, by their roughness: not more than was told, and not
    below what leading itself leaves over."""
    found = []
    for trial in problem.trials:
        for name, (_, y) in trial.rows.items():
            sigma = problem.sigma(trial, name)
            least = LEAST * (float(np.std(y)) or 1.0) / sigma
            found.append(max(min(roughness(y) / sigma, 1.0), least))
    return float(np.sqrt(np.mean(np.square(found))))


def freedom(problem, rows: int) -> float:
    """Sum of squares that noise as told leaves on average in so many rows, by filters less than
    one each, less one for each number: ID.13."""
    lost = sum(len(y) for t in problem.trials for _, y in t.rows.values())
    lost -= sum(t.passed for t in problem.trials)
    return max(1.0, rows - lost - len(problem.scale))


def exact(problem) -> float:
    """Half the sum of squares that fits of exact data leave over, at most."""
    own = ((t, n) for t in problem.trials for n in t.rows)
    return sum(len(t.rows[n][0]) * _nothing(problem, t, n) ** 2 for t, n in own) / 2


def _nothing(problem, trial, name) -> float:
    """In sigmas: what of a signal is rounding and tolerances of runs."""
    return NOTHING * (float(np.std(trial.rows[name][1])) or 1.0) / problem.sigma(trial, name)


def only_noise(problem, residuals: np.ndarray) -> bool:
    """Whether residuals are as small as the noise told, and each signal's without order."""
    left, first = freedom(problem, len(residuals)), 0
    own = problem.unweighted(residuals)
    size = float(own @ own) / left
    if problem.known and size > 1 + NOISY * (2 / left) ** 0.5:
        return False
    for trial in problem.trials:
        for name, (t, _) in trial.rows.items():
            r, first = residuals[first : first + len(t)], first + len(t)
            small = _nothing(problem, trial, name)
            kind = trial.experiment.channel_class(name)
            if np.sqrt(np.mean(r**2)) > small and not _white(_thinned(t, r, kind)):
                return False
    return True


def _thinned(t, r, kind) -> np.ndarray:
    """Residuals so far apart that a filter has not made neighbours alike."""
    if kind is None or len(t) < 2:
        return r
    return r[:: max(1, int(np.ceil(1 / (kind * np.median(np.diff(t))))))]


def _white(r) -> bool:
    """Whether neighbours have nothing to do with each other."""
    if len(r) < ENOUGH:
        return True
    return bool(abs(r[1:] @ r[:-1]) <= NOISY * len(r) ** -0.5 * (r @ r))
