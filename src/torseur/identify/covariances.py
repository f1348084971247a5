"""Covariances of estimates, and how long residuals remember.  Theory: ID.9, ID.19."""

from __future__ import annotations

from typing import Any

import numpy as np

from .widths import believed, slopes, widened

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


def remembered(problem, T):
    """Memory of residuals: of a motion behind a low pass that of its noise at least, of which the
    parameters take the slow part."""
    return T if problem.data.band is None else np.maximum(T, FILTERED)


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


def instrumental_covariance(problem, parts, r, s, T) -> np.ndarray:
    """Of base parameters by instruments; r are the residuals, s their sizes: ID.19.

    An error of one joint's acceleration is in the efforts of all: residuals go together.
    """
    (w, strength), *_ = parts
    T = remembered(problem, T)
    inverse = np.linalg.pinv(problem.instrumental(w, strength)[0])
    kept = list(problem.base.kept)
    size = np.sqrt(np.maximum((r**2).mean(axis=0), 1e-300))
    alike = (r / size).T @ (r / size) / len(r)
    level = w**2 * s * np.sqrt(T)
    Z = np.swapaxes(problem.Z[:, :, kept], 0, 1) * level[:, None, None]
    noise = np.einsum("ij,ink,jnl->kl", alike, Z, Z, optimize=True)
    if problem.prior is not None:
        noise = noise + pulls(problem, strength)
    return inverse @ noise @ inverse.T


def pulls(problem, strength: float) -> np.ndarray:
    """Variance of the right sides that a prior of such parameters adds; ID.28."""
    P = strength**2 * problem.held.loose.T @ problem.held.loose
    return P @ (problem.base.B * problem.wide**2) @ problem.base.B.T @ P


def covariance(problem, parts, s, T, p, gains=None) -> np.ndarray:
    """Of base parameters, a mean of solutions by weights and priors as used; ID.9.

    With `gains`, columns of free gains beside those of the base parameters (ID.20); and those of
    the numbers of friction shapes, as they were found with parameters p (ID.22).
    """
    kept, n, k = list(problem.base.kept), len(parts), len(problem.base.kept)
    T = remembered(problem, T)
    found, free = slopes(problem, p), 0 if gains is None else len(gains.joints)
    rows = []
    for i, R in enumerate(widened(problem, found)):
        X = np.zeros((len(R), free))
        if gains is not None and i in gains.joints:
            own = problem.lin.gains(problem.nv)[i]
            X[:, gains.joints.index(i)] = R[:, problem.lin.rigid] @ p[problem.lin.rigid] / own
        rows.append(np.hstack([R[:, kept], X, R[:, problem.Y.shape[2] :]]))
    held = [believed(problem.lin, kind, i) for kind, i, _ in found]
    G = [R.T @ R for R in rows]
    P = 0 * G[0]
    if problem.prior is not None:
        P[:k, :k] = problem.held.loose.T @ problem.held.loose
    solved, pulled, noise = [], 0.0 * G[0], 0.0 * G[0]
    for w, strength in parts:
        H = sum(wi**2 * g for wi, g in zip(w, G, strict=True)) + strength**2 * P
        if gains is not None:
            pull = gains.pulls(w)
            H[k : k + free, k : k + free] += np.diag(pull**2)
        level = np.array([(w[i] * s[i]) ** 2 * T[i] for _, i, _ in found])
        own = level * np.array([x for x, _ in held])
        H[k + free :, k + free :] += np.diag(own)
        d = 1 / np.sqrt(np.maximum(np.diag(H), 1e-300))
        inverse = d[:, None] * np.linalg.pinv(d[:, None] * H * d, rcond=1e-15, hermitian=True) * d
        solved.append(inverse)
        pulled = pulled + strength**2 * inverse / n
        if gains is not None:
            X = inverse[:, k : k + free] * pull**2 * gains.spread
            noise = noise + X @ X.T / n
        X = inverse[:, k + free :] * own * [x for _, x in held]
        noise = noise + X @ X.T / n
    C = 0 * P
    C[:k, :k] = (problem.base.B * problem.wide**2) @ problem.base.B.T
    noise = noise + pulled @ P @ C @ P @ pulled.T
    for i, g in enumerate(G):
        L: Any = sum(w[i] ** 2 * inverse for (w, _), inverse in zip(parts, solved, strict=True)) / n
        noise = noise + s[i] ** 2 * T[i] * L @ g @ L.T
    return noise[:k, :k]
