"""Total least squares: errors in the regressor as well as in the efforts.  Theory: ID.6, ID.9."""

from __future__ import annotations

import numpy as np


def total(A, b) -> np.ndarray:
    """The solution for columns of the same size."""
    size = np.linalg.norm(b) or 1.0
    _, _, V = np.linalg.svd(np.column_stack([A, b / size]), full_matrices=False)
    return -V[-1, :-1] / V[-1, -1] * size


def lost(A, b) -> np.ndarray:
    """What it takes off the square of each column."""
    size, scale = np.linalg.norm(b) or 1.0, np.sqrt((A**2).sum(axis=0))
    scale[scale == 0] = 1
    least = np.linalg.svd(np.column_stack([A / scale, b / size]), compute_uv=False)[-1]
    return (least * scale) ** 2  # ID.9
