"""Rayleigh dissipation: half a quadratic form of speeds, as dampers along its principal axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from .laws.viscous import Viscous
from .lines.coordinate_force import CoordinateForce


def rayleigh(
    name: str, coordinates: Sequence[str], matrix: ArrayLike
) -> tuple[CoordinateForce, ...]:
    """Forces `-C v` on named coordinates, with a symmetric matrix C without negative eigenvalues.

    Each eigenvector is one damper on a sum of coordinates, so that the energy balance closes.

    >>> [f.name for f in rayleigh("loss", ("a.angle", "b.angle"), ((2.0, -1.0), (-1.0, 2.0)))]
    ['loss1', 'loss2']
    """
    C = np.asarray(matrix, dtype=float)
    n = len(coordinates)
    if C.shape != (n, n) or not np.allclose(C, C.T, rtol=1e-12, atol=0):
        raise ValueError(f"{name!r}: expected a symmetric {n} x {n} matrix")
    sizes, axes = np.linalg.eigh(C)
    if sizes.min(initial=0) < -1e-12 * abs(sizes).max(initial=0):
        raise ValueError(
            f"{name!r}: the matrix has the negative eigenvalue {sizes.min():g}, which "
            "would create energy"
        )
    keep = [i for i in range(n) if sizes[i] > 1e-12 * sizes.max()]
    return tuple(
        CoordinateForce(
            f"{name}{k}",
            {c: float(w) for c, w in zip(coordinates, axes[:, i], strict=True) if w},
            Viscous(float(sizes[i])),
        )
        for k, i in enumerate(keep, 1)
    )
