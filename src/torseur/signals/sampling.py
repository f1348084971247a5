"""Evenly spaced samples of a run, and bounds of its signals."""

from __future__ import annotations

from functools import lru_cache

import numpy as np


@lru_cache(maxsize=64)
def spread(rows: int, count: int) -> np.ndarray:
    """Numbers of so many rows at even distances, both ends among them; read-only.

    >>> spread(10, 4).tolist(), spread(2, 4).tolist()
    ([0, 3, 6, 9], [0, 1])
    """
    indices = np.linspace(0, rows - 1, min(rows, count)).astype(int)
    indices = indices[np.diff(indices, prepend=-1) > 0]  # `unique` would import a room of NumPy
    indices.flags.writeable = False
    return indices


def bounds(columns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Least and largest number of each line (numbers, rows); zeros where there are no rows.

    >>> bounds(np.array([[1.0, -3.0], [2.0, 5.0]]))
    (array([-3.,  2.]), array([1., 5.]))
    """
    if not columns.shape[1]:
        return np.zeros(len(columns)), np.zeros(len(columns))
    return columns.min(axis=1), columns.max(axis=1)
