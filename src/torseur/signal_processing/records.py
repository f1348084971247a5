"""Checks of sampled records: numbers, one length, increasing times; noise by differences."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ArgumentError, shown

MAD_TO_SIGMA = 1.4826  # standard deviation over median absolute deviation, normal distribution


def check_record(
    where: str, time: Any, *values: Any, min_samples: int = 2, equal_times: bool = False
) -> tuple[np.ndarray, ...]:
    """Time and channels of a record as arrays, if they are finite, increasing and of one length.

    Parameters
    ----------
    where : the place in an error message, such as "fit, 'body.speed'"
    time : (n,) increasing times [s]
    values : channels, (n,) each, in any unit
    min_samples : smallest n
    equal_times : whether neighbors may have the same time, as a run has at an event

    >>> check_record("test", [0, 1], [5, 6])
    (array([0., 1.]), array([5., 6.]))
    >>> check_record("test", [0, 2, 1], [5, 6, 7])
    Traceback (most recent call last):
    torseur.errors.ArgumentError: test: time must increase, but 1 s (sample 2) follows 2 s
    """
    names = [
        "time",
        *(f"values {i}" * (len(values) > 1) or "values" for i in range(1, len(values) + 1)),
    ]
    arrays: list[np.ndarray] = []
    for name, channel in zip(names, (time, *values), strict=True):
        try:
            if np.iscomplexobj(channel):
                raise TypeError
            x = np.asarray(channel, dtype=float)
        except (TypeError, ValueError):
            raise ArgumentError(
                f"{where}: {name}: expected numbers, got {shown(channel)}"
            ) from None
        if x.ndim != 1 or x.size < min_samples:
            raise ArgumentError(
                f"{where}: {name}: expected at least {min_samples} samples in one row, got an "
                f"array of shape {x.shape}"
            )
        if arrays and x.size != arrays[0].size:
            raise ArgumentError(
                f"{where}: {name}: {x.size} samples, but time has {arrays[0].size}; give one value "
                "for each time"
            )
        arrays.append(x)
    for name, x in zip(names, arrays, strict=True):
        bad = np.flatnonzero(~np.isfinite(x))
        if len(bad):
            raise ArgumentError(
                f"{where}: {name}: sample {bad[0]} is {x[bad[0]]} ({len(bad)} of {x.size} samples "
                "are not finite); leave these samples out, gaps in time are allowed"
            )
    t = arrays[0]
    bad = np.flatnonzero(np.diff(t) < 0 if equal_times else np.diff(t) <= 0)
    if len(bad) or (len(t) > 1 and not t[-1] > t[0]):
        k = int(bad[0]) + 1 if len(bad) else 1
        hint = (
            "; a run has two rows at an event: t, k = np.unique(time, return_index=True) keeps one"
        )
        raise ArgumentError(
            f"{where}: time must increase, but {t[k]:g} s (sample {k}) follows {t[k - 1]:g} s"
            + hint * bool(t[k] == t[k - 1])
        )
    return tuple(arrays)


def noise_deviation(values: ArrayLike, order: int = 3) -> float:
    """Standard deviation of white noise in evenly sampled values, by their n-th differences.

    A smooth signal has small differences of high order.  Those of noise grow by
    sqrt(binomial(2 n, n)).  The median absolute difference ignores outliers.
    """
    d = np.diff(values, order)
    if not len(d):
        return 0.0
    return MAD_TO_SIGMA * float(np.median(abs(d))) / comb(2 * order, order) ** 0.5
