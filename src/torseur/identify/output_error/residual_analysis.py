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
    lost -= sum(sum(t.passed.values()) for t in problem.trials)
    return max(1.0, rows - lost - len(problem.scale))


def exact(problem) -> float:
    """Half the sum of squares that fits of exact data leave over, at most."""
    own = ((t, n) for t in problem.trials for n in t.rows)
    return sum(len(t.rows[n][0]) * _nothing(problem, t, n) ** 2 for t, n in own) / 2


def _nothing(problem, trial, name) -> float:
    """In sigmas: what of a signal is rounding and tolerances of runs."""
    return NOTHING * (float(np.std(trial.rows[name][1])) or 1.0) / problem.sigma(trial, name)


def variances(problem, residuals: np.ndarray, derivatives: np.ndarray) -> np.ndarray:
    """Of the noise of each signal, in squares of its sigma or spread: one where a sigma was told,
    else what is left over, infinite where nothing is (ID.13)."""
    own, felt = problem.unweighted(residuals), derivatives.any(axis=0)
    U, s, _ = np.linalg.svd(derivatives[:, felt] / _length(derivatives[:, felt]), False)
    shares = np.sum(np.square(U[:, s > 1e-12 * s.max(initial=0.0)]), axis=1)
    out, first = [], 0
    for trial, name in problem.signals:
        rows = slice(first, first := first + len(trial.rows[name][0]))
        left = trial.passed[name] - float(shares[rows].sum())
        told = name in trial.sigma
        out.append(1.0 if told else float(own[rows] @ own[rows]) / left if left > 1e-6 else np.inf)
    return np.array(out)


def precision(problem, residuals, derivatives, each: bool) -> np.ndarray:
    """Weights of signals whose sigma nobody told by what is left over of each, where that is enough
    to tell, or of all."""
    noise = variances(problem, residuals, derivatives)
    rows = np.array([t.passed[n] for t, n in problem.signals])
    blind = np.array([n not in t.sigma for t, n in problem.signals]) & np.isfinite(noise)
    if blind.any():
        mean = np.average(noise[blind], weights=rows[blind])
        noise = np.where(blind & (rows >= ENOUGH) if each else False, noise, mean)
    own = zip(problem.signals, problem.precise, strict=True)
    least = [(_nothing(problem, t, n) * w**-0.5) ** 2 for (t, n), w in own]
    return np.where(blind, 1 / np.maximum(noise, least), 1.0)


def only_noise(problem, residuals: np.ndarray, derivatives: np.ndarray | None = None) -> bool:
    """Whether residuals are as small as the noise told, and each signal's without order.

    Where no sigmas were told, order that a change of the numbers would take from a signal is none:
    signals are weighed by their spread, and one with little noise has to bear what suits another.
    """
    left, first = freedom(problem, len(residuals)), 0
    own = problem.unweighted(residuals)
    size = float(own @ own) / left
    if problem.known and size > 1 + NOISY * (2 / left) ** 0.5:
        return False
    for trial, name in problem.signals:
        t, kind = trial.rows[name][0], trial.experiment.channel_class(name)
        rows = slice(first, first := first + len(t))
        r = residuals[rows]
        if np.sqrt(np.mean(r**2)) <= _nothing(problem, trial, name):
            continue
        if derivatives is not None and name not in trial.sigma:
            D = derivatives[rows] / _length(derivatives[rows])
            r = r - D @ np.linalg.lstsq(D, r, rcond=1e-9)[0]
        if not _white(_thinned(t, r, kind)):
            return False
    return True


def _length(D) -> np.ndarray:
    """Of each column; one of those that are nothing."""
    size = np.linalg.norm(D, axis=0)
    return np.where(size > 0, size, 1.0)


def _thinned(t, r, kind) -> np.ndarray:
    """Residuals so far apart that a filter has not made neighbors alike."""
    if kind is None or len(t) < 2:
        return r
    return r[:: max(1, int(np.ceil(1 / (kind * np.median(np.diff(t))))))]


def _white(r) -> bool:
    """Whether neighbors have nothing to do with each other."""
    if len(r) < ENOUGH:
        return True
    return bool(abs(r[1:] @ r[:-1]) <= NOISY * len(r) ** -0.5 * (r @ r))
