"""Confidence intervals of a study: probabilities, percentiles and means.

The interval of a probability is that of Clopper and Pearson (1934), of a percentile by order
statistics, of a mean by Student's distribution.  They are exact for independent samples (design
"random") and conservative for the designs "latin" and "sobol".
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ..errors import ArgumentError


class ProbabilityEstimate(NamedTuple):
    """A probability and its confidence interval from `low` to `high`."""

    value: float
    low: float
    high: float
    failing: int
    members: int


class MeanEstimate(NamedTuple):
    """A mean and its confidence interval from `low` to `high`."""

    value: float
    low: float
    high: float


def estimate_probability(failing: np.ndarray, confidence: float = 0.95) -> ProbabilityEstimate:
    """Share of failing samples with its Clopper-Pearson interval.

    >>> p = estimate_probability(np.array([True] * 2 + [False] * 98))
    >>> p.value, round(p.low, 4), round(p.high, 4)
    (0.02, 0.0024, 0.0704)
    """
    from scipy.stats import binomtest

    k, n = int(np.sum(failing)), len(failing)
    level = check_confidence(confidence)
    if not n:
        raise ArgumentError("study: no member to count")
    interval = binomtest(k, n).proportion_ci(level, "exact")
    return ProbabilityEstimate(k / n, float(interval.low), float(interval.high), k, n)


def estimate_percentile(x: np.ndarray, percent: float, confidence: float = 0.95) -> np.ndarray:
    """A percentile over the first axis and its interval by order statistics, (3, ...).

    An end of the interval beyond all samples is infinite.

    >>> estimate_percentile(np.arange(101.0), 50).tolist()
    [50.0, 40.0, 60.0]
    """
    if not 0 <= percent <= 100:
        raise ArgumentError(f"study: percentile {percent:g}; use 0 to 100")
    ordered = np.sort(x, axis=0)
    percentile = np.percentile(x, percent, axis=0)
    first, last = _interval_ranks(len(x), percent, check_confidence(confidence))
    low = np.full_like(percentile, -np.inf) if first is None else ordered[first]
    high = np.full_like(percentile, np.inf) if last is None else ordered[last]
    return np.stack([percentile, low, high])


@lru_cache(maxsize=1024)
def _interval_ranks(n: int, percent: float, confidence: float) -> tuple[int | None, int | None]:
    """Ranks of the samples at the ends of the interval of a percentile, None if outside."""
    from scipy.stats import quantile_test

    if percent in (0, 100):  # the smallest and the largest sample
        return (None, 0) if percent == 0 else (n - 1, None)
    interval = quantile_test(np.arange(n), p=percent / 100.0).confidence_interval(confidence)
    first, last = (None if np.isnan(x) else int(x) for x in (interval.low, interval.high))
    return first, last


def estimate_mean(x: np.ndarray, confidence: float = 0.95) -> MeanEstimate:
    """Mean and its interval by Student's distribution.

    >>> estimate_mean(np.array([1.0, 2.0, 3.0])).value
    2.0
    """
    from scipy.stats import t

    n, mean = len(x), float(np.mean(x))
    if n < 2:
        return MeanEstimate(mean, -np.inf, np.inf)
    level = check_confidence(confidence)
    error = float(np.std(x, ddof=1) / np.sqrt(n))
    if error == 0:
        return MeanEstimate(mean, mean, mean)
    low, high = t.interval(level, n - 1, loc=mean, scale=error)
    return MeanEstimate(mean, float(low), float(high))


def check_confidence(confidence: float) -> float:
    """A confidence level between 0 and 1."""
    if not 0 < confidence < 1:
        raise ArgumentError(f"study: confidence = {confidence!r}; use a number between 0 and 1")
    return float(confidence)
