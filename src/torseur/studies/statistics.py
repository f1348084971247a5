"""What a table of members says: chances of failing, percentiles, means, each with its confidence.

Intervals are exact for independent draws (designs "random" and, on the safe side, "latin" and
"sobol"): Clopper and Pearson for a share, order statistics for a percentile, Student for a mean.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError


class ProbabilityEstimate(NamedTuple):
    """A probability with its interval: `low` to `high` covers it with the confidence asked for."""

    value: float
    low: float
    high: float
    failing: int
    members: int


class MeanEstimate(NamedTuple):
    """A number with its interval."""

    value: float
    low: float
    high: float


def chance(failing: np.ndarray, confidence: float = 0.95) -> ProbabilityEstimate:
    """Share of members that fail, by Clopper and Pearson.

    >>> found = chance(np.array([True] * 2 + [False] * 98))
    >>> found.value, round(found.low, 4), round(found.high, 4)
    (0.02, 0.0024, 0.0704)
    """
    from scipy.stats import beta

    k, n, a = int(np.sum(failing)), len(failing), 0.5 * (1.0 - checked(confidence))
    if not n:
        raise ArgumentError("study: no member to count")
    low = 0.0 if k == 0 else float(beta.ppf(a, k, n - k + 1))
    high = 1.0 if k == n else float(beta.ppf(1.0 - a, k + 1, n - k))
    return ProbabilityEstimate(k / n, low, high, k, n)


def percentile(x: np.ndarray, percent: float, confidence: float = 0.95) -> np.ndarray:
    """A percentile over the first axis and its interval by order statistics, (3, ...).

    An end that lies beyond all members is infinite.

    >>> percentile(np.arange(101.0), 50).tolist()
    [50.0, 40.0, 60.0]
    """
    from scipy.stats import binom

    n, p, a = len(x), percent / 100.0, 0.5 * (1.0 - checked(confidence))
    if not 0 <= percent <= 100:
        raise ArgumentError(f"study: percentile {percent:g}; use 0 to 100")
    ordered = np.sort(x, axis=0)
    lower, upper = int(binom.ppf(a, n, p)) - 1, int(binom.ppf(1.0 - a, n, p))
    middle = np.percentile(x, percent, axis=0)
    low = ordered[lower] if lower >= 0 else np.full_like(middle, -np.inf)
    high = ordered[upper] if upper < n else np.full_like(middle, np.inf)
    return np.stack([middle, low, high])


def mean(x: np.ndarray, confidence: float = 0.95) -> MeanEstimate:
    """Mean and its interval by Student's distribution.

    >>> mean(np.array([1.0, 2.0, 3.0])).value
    2.0
    """
    from scipy.stats import t

    n, middle = len(x), float(np.mean(x))
    if n < 2:
        return MeanEstimate(middle, -np.inf, np.inf)
    half = float(t.ppf(0.5 * (1.0 + checked(confidence)), n - 1) * np.std(x, ddof=1) / np.sqrt(n))
    return MeanEstimate(middle, middle - half, middle + half)


def checked(confidence: float) -> float:
    """A confidence between nothing and certainty."""
    if not 0 < confidence < 1:
        raise ArgumentError(f"study: confidence = {confidence!r}; use a number between 0 and 1")
    return float(confidence)
