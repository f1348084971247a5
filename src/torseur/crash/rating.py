"""ISO 18571: how near a computed curve is to a measured one, from 0 to 1."""

from __future__ import annotations

import numpy as np

from ..errors import TorseurError
from .measure import Measure, samples


def score(time, measured, computed) -> Measure:
    """Objective rating of ISO 18571 [1]: corridor, phase, magnitude and slope, weighted.

    `time` [s], the same for both; curves are taken at 10 kHz over its span.  `.corridor`,
    `.phase`, `.magnitude` and `.slope` are the four parts.  Needs `pip install torseur[crash]`.
    """
    time, a, b = samples("score", time, measured, computed)
    try:
        from objective_rating_metrics.rating import ISO18571
    except ImportError:
        raise TorseurError(
            "the score of ISO 18571 is computed by objective-rating-metrics: "
            "pip install torseur[crash]"
        ) from None
    even = np.arange(np.ceil(time[0] * 1e4 - 1e-6), np.floor(time[-1] * 1e4 + 1e-6) + 1) / 1e4
    rated = ISO18571(*(np.column_stack([even, np.interp(even, time, x)]) for x in (a, b)))
    parts = {
        n: float(getattr(rated, f"{n}_rating")())
        for n in ("corridor", "phase", "magnitude", "slope")
    }
    return Measure(float(rated.overall_rating()), "", None, **parts)
