"""Normalization of the quaternions among the coordinates."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ArgumentError

UNIT_LENGTH_TOLERANCE = 64 * np.finfo(float).eps
"""Squared lengths within this distance of one are not changed."""


def normalize_quaternions(system, q: Any, where: str = "q") -> Any:
    """Coordinates (..., nq) with all quaternions at unit length, or `q` itself if they are.

    A quaternion of zero length raises ArgumentError, whose message begins with `where`.
    NaN stays NaN.

    >>> import torseur as ts
    >>> ball = ts.Model(bodies=(ts.Body("b", 1.0, inertia=(1, 1, 1, 0, 0, 0)),),
    ...                 joints=(ts.Joint("j", "world", "b", ts.Spherical()),)).check()
    >>> normalize_quaternions(ball, [0.0, 0.0, 0.0, 2.0])
    array([0., 0., 0., 1.])
    """
    starts, original = system.quaternions.tolist(), q
    if not starts:
        return original
    try:
        q = np.asarray(original)
    except ValueError:  # rows of different lengths
        return original
    if q.dtype.kind not in "bifu" or q.shape[-1:] != (system.nq,):
        return original  # its reader reports it
    changed = None
    for i in starts:
        e = q[..., i : i + 4].astype(float)
        with np.errstate(all="ignore"):
            off = ~(abs(np.einsum("...i,...i->...", e, e) - 1) <= UNIT_LENGTH_TOLERANCE)
            if not off.any():
                continue
            largest = abs(e).max(axis=-1, keepdims=True)  # squares of 1e200 are infinite
            if (largest == 0).any():
                raise ArgumentError(
                    f"{where}: the quaternion {system.coordinates[i]!r} ... has length zero, which "
                    "is no orientation; the identity is (1, 0, 0, 0)"
                )
            normalized = e / largest
            normalized /= np.sqrt(np.einsum("...i,...i->...", normalized, normalized))[..., None]
        changed = q.astype(float) if changed is None else changed
        changed[..., i : i + 4] = np.where(off[..., None], normalized, e)  # others keep their bits
    return original if changed is None else changed
