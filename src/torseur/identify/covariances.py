"""How long residuals remember, and what rows tell of parameters.  Theory: ID.9, ID.25."""

from __future__ import annotations

from typing import Any

import numpy as np

FILTERED = 5.0  # samples that residuals of a filtered motion remember, ten a period, if only noise


def correlation_time(r) -> float:
    """Over how many samples a series remembers: 1 for white noise (integrated, windowed)."""
    r = r - r.mean()
    n = len(r)
    power = float(r @ r)
    if n < 16 or power == 0:
        return 1.0
    spectrum = np.abs(np.fft.rfft(r, 1 << (2 * n - 1).bit_length())) ** 2  # a length that is fast
    rho = np.fft.irfft(spectrum)[: n // 4] / power
    total = 2 * np.cumsum(rho) - 1
    window = int(np.argmax(np.arange(len(total)) >= 5 * total)) if len(total) else 0
    return float(np.clip(total[window], 1.0, n / 10))


def slow_time(r, batches: int = 20) -> float:
    """The same by means of batches: what drifts slowly counts in full."""
    length = len(r) // batches
    if length < 2:
        return 1.0
    means = r[: length * batches].reshape(batches, length).mean(axis=1)
    return float(max(1.0, length * means.var() / max(r.var(), 1e-300)))


def told(problem, s, T) -> np.ndarray:
    """The share that the rows tell of what is usual for each base parameter: 1 all, 0 none.

    Of its variance before the measurement (usual sizes, ID.7), how much is gone after it; ID.25.
    """
    kept, before = list(problem.base.kept), problem.usual.loose.T @ problem.usual.loose
    seen: Any = sum(
        R[:, kept].T @ R[:, kept] / (s[i] ** 2 * T[i]) for i, R in enumerate(problem.factors)
    )
    d = 1 / np.sqrt(np.diag(before))
    left = d * np.diag(np.linalg.inv(np.eye(len(d)) * 1e-15 + d[:, None] * (seen + before) * d)) * d
    return 1 - left / np.diag(np.linalg.inv(before))  # ID.25
