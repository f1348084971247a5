"""What a solution by rows, weights and instruments is worth.  Theory: ID.9, ID.19, ID.22, ID.28."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

LEVELS, SHARES = 60, 3  # steps of levels; times that what the parameters took is found anew
LEAST, NONE = 1e-12, 1e-100  # of what is expected, at least; a size that stands for zero


@dataclass(frozen=True, slots=True, eq=False)
class Solved:
    """Unknowns `x = takes b` from rows `b = A x + noise`, one a frequency (or sample) and joint."""

    A: np.ndarray  # (frequencies, joints, unknowns)
    takes: np.ndarray  # (unknowns, frequencies * joints)
    residuals: np.ndarray  # (frequencies, joints)
    pull: np.ndarray  # by how much unknowns, and what else is no noise, draw others
    spread: np.ndarray  # their variance before the rows
    alike: np.ndarray | None = None  # how the joints' noise goes together; ID.19

    @classmethod
    def of(cls, A, Z, W, H, pull, spread, residuals) -> Solved:
        """`x = H Z' W^2 b`, W the weights; instruments Z are A but for errors of the motion."""
        gathered = (Z * W[:, :, None] ** 2).reshape(-1, Z.shape[2])
        return cls(A, H @ gathered.T, residuals, pull, spread)

    def mean(self, other: Solved) -> Solved:
        """The mean of two solutions."""
        takes, pull = (self.takes + other.takes) / 2, (self.pull + other.pull) / 2
        return replace(self, takes=takes, pull=pull)

    @property
    def pulled(self) -> np.ndarray:
        return self.pull @ self.spread @ self.pull.T

    def noise(self, S) -> np.ndarray:
        """What noise of these variances makes of the unknowns."""
        root = self.takes * np.sqrt(S).ravel()
        if self.alike is None:
            return root @ root.T
        parts = root.reshape(len(root), *S.shape)
        return np.einsum("ij,knj->kni", self.alike, parts).reshape(root.shape) @ root.T

    def covariance(self, shapes, known) -> np.ndarray:
        """Of the unknowns: noise as it is, and what the prior pulls.

        `shapes` are those of the variances of noise and of slow errors over the frequencies, a row
        each, `known` is added to them; (frequencies, joints).
        """
        size = self.residuals.shape
        flat = self.A.reshape(-1, self.A.shape[2])
        took = (flat * self.takes.T).sum(axis=1).reshape(size)
        share = 1 - took
        for _ in range(SHARES):
            S = variances(self.residuals**2, np.maximum(share, 1e-9), shapes, known)
            noise = self.noise(S)
            share = 1 - 2 * took + ((flat @ noise) * flat).sum(axis=1).reshape(size) / S
        return noise + self.pulled


def variances(squares, share, shapes, known) -> np.ndarray:
    """Of each joint's rows by restricted maximum likelihood: noise, and slow errors where there
    are any.

    `share` of a row's variance is expected in the squares of its residuals.  Slow errors must
    be worth the number that they cost (Akaike 1974).
    """
    alone, both = (_fitted(squares, share, shapes[:n], known) for n in (1, 2))
    gain = (share * np.log(alone / both) + squares * (1 / alone - 1 / both)).sum(axis=0)
    return np.where(gain > 2, both, alone)


def _fitted(squares, share, shapes, known) -> np.ndarray:
    """Variances with the likeliest sizes of these shapes."""
    start = np.maximum((squares - known).mean(axis=0), LEAST * squares.mean(axis=0) + NONE)
    sizes = np.tile(start, (len(shapes), 1))
    for _ in range(LEVELS):
        S = shapes.T @ sizes + known
        wanted = shapes @ (share / S)
        seen = np.maximum(shapes @ (squares / S**2), LEAST * wanted)
        sizes = np.maximum(sizes * np.sqrt(seen / wanted), NONE)  # ID.22
    return shapes.T @ sizes + known


# --------------------------------------------------------------------------------------------
# How long residuals remember, and what rows tell of parameters.  Theory: ID.9, ID.25.


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
