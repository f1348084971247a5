"""ISO 18571: how near a computed curve is to a measured one, from 0 to 1."""

from __future__ import annotations

import sys
from contextlib import suppress

import numpy as np
from numpy.typing import ArrayLike

from ...errors import ArgumentError, needs
from .metric_value import Measure, check_samples

SHORTEST = 0.005  # record that can be rated [s]: fifty samples


def score(time: ArrayLike, measured: ArrayLike, computed: ArrayLike) -> Measure:
    """Objective rating of ISO 18571 [1]: corridor, phase, magnitude and slope, weighted.

    `time` [s], the same for both; curves are taken at 10 kHz over its span.  `.corridor`,
    `.phase`, `.magnitude` and `.slope` are the four parts.  Needs `pip install torseur[crash]`.

    >>> t = np.arange(0, 0.1, 1e-4)
    >>> score(t, np.sin(40 * t), np.sin(40 * t)) == 1  # doctest: +SKIP
    True
    """
    time, a, b = check_samples("score", time, measured, computed)
    if time[-1] - time[0] < SHORTEST:
        raise ArgumentError(
            f"score: the curves last {time[-1] - time[0]:.3g} s; expected {SHORTEST:g} s or more"
        )
    for name, x in (("measured", a), ("computed", b)):
        if not np.ptp(x) > 0:
            raise ArgumentError(
                f"score: the {name} curve is {x[0]:g} throughout: without a shape it has no phase "
                "and no slope to rate"
            )
    with needs("crash", "the score of ISO 18571"):
        from objective_rating_metrics.rating import ISO18571
    _keep_compiled()
    even = np.arange(np.ceil(time[0] * 1e4 - 1e-6), np.floor(time[-1] * 1e4 + 1e-6) + 1) / 1e4
    rated = ISO18571(*(np.column_stack([even, np.interp(even, time, x)]) for x in (a, b)))
    parts = {
        n: float(getattr(rated, f"{n}_rating")())
        for n in ("corridor", "phase", "magnitude", "slope")
    }
    return Measure(float(rated.overall_rating()), "", None, **parts)


def _keep_compiled() -> None:
    """Lets numba keep the machine code of the rating's time warping: 10 s in every process else."""
    modules = [m for name, m in sys.modules.items() if name.startswith("dtwalign.")]
    for function in (x for module in modules for x in vars(module).values()):
        if hasattr(function, "enable_caching"):
            with suppress(RuntimeError):  # no folder to write to
                function.enable_caching()
