"""Answers of inverse kinematics: solutions of one pose, and of many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..views import PrintedAnswer

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class InverseKinematics(PrintedAnswer):
    """Solutions of one pose.

    `q` (k, nq) coordinates; `labels`: which branch each is; `within_limits` (k,); `singular` (k,);
    `method`: how they were found; `complete`: whether these are all; `notes`: sentences.
    """

    q: np.ndarray
    labels: tuple[str, ...]
    within_limits: np.ndarray
    singular: np.ndarray
    residual: np.ndarray
    method: str
    complete: bool
    coordinates: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def __len__(self):
        return len(self.q)

    def __iter__(self):
        return iter(self.q)

    @property
    def best(self) -> np.ndarray:
        """The first solution within the limits, else the first."""
        return self.q[int(np.argmax(self.within_limits))]

    def __str__(self):
        head = f"{len(self)} solution{'s' * (len(self) != 1)}, {self.method}"
        rows = [
            f"  {label or 'solution'}: "
            + ", ".join(f"{n} = {x:.6g}" for n, x in zip(self.coordinates, q, strict=True))
            + ("" if ok else "  (beyond limits)")
            for q, label, ok in zip(self.q, self.labels, self.within_limits, strict=True)
        ]
        return "\n".join([head, *rows, *self.notes])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ManyPoses(PrintedAnswer):
    """Solutions of many poses: `q` (n, k, nq), NaN where a pose has fewer than k; `found` (n,);
    `within_limits` (n, k); `best` (n, nq): the first within limits, else the first, else NaN."""

    q: np.ndarray
    within_limits: np.ndarray
    residual: np.ndarray
    method: str
    complete: bool
    coordinates: tuple[str, ...]

    @property
    def found(self) -> np.ndarray:
        return np.asarray(np.isfinite(self.q[..., 0]).any(axis=1))

    @property
    def best(self) -> np.ndarray:
        if not self.q.shape[1]:
            return np.full((len(self.q), self.q.shape[2]), np.nan)
        rank = 2 * self.within_limits + np.isfinite(self.q[..., 0])
        return self.q[np.arange(len(self.q)), np.argmax(rank, axis=1)]

    def __len__(self):
        return len(self.q)


__all__ = ["InverseKinematics", "ManyPoses"]
