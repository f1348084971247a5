"""Quaternions among coordinates: what comes in from outside has unit length afterwards."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..errors import ArgumentError

UNIT = 64 * np.finfo(float).eps
"""A square of a length this near to one is one: the bits stay."""


def unit(system, q: Any, where: str = "q") -> Any:
    """Coordinates (..., nq) with every quaternion at unit length; what was given if they are.

    A quaternion of another length is the same orientation; one without length is none and is
    refused, with `where` before the sentence.  NaN stays NaN.

    >>> import torseur as ts
    >>> ball = ts.Model(bodies=(ts.Body("b", 1.0, inertia=(1, 1, 1, 0, 0, 0)),),
    ...                 joints=(ts.Joint("j", "world", "b", ts.Spherical()),)).check()
    >>> unit(ball, [0.0, 0.0, 0.0, 2.0])
    array([0., 0., 0., 1.])
    """
    places, given = system.quaternions.tolist(), q
    if not places:
        return given
    try:
        q = np.asarray(given)
    except ValueError:  # rows of different lengths
        return given
    if q.dtype.kind not in "bifu" or q.shape[-1:] != (system.nq,):
        return given  # whoever reads it tells
    changed = None
    for i in places:
        e = q[..., i : i + 4].astype(float)
        with np.errstate(all="ignore"):
            off = ~(abs(np.einsum("...i,...i->...", e, e) - 1) <= UNIT)
            if not off.any():
                continue
            top = abs(e).max(axis=-1, keepdims=True)  # squares of 1e200 are infinite
            if (top == 0).any():
                raise ArgumentError(
                    f"{where}: the quaternion {system.coordinates[i]!r} ... has no length, so it "
                    "is no orientation; (1, 0, 0, 0) turns nothing"
                )
            turned = e / top
            turned /= np.sqrt(np.einsum("...i,...i->...", turned, turned))[..., None]
        changed = q.astype(float) if changed is None else changed
        changed[..., i : i + 4] = np.where(off[..., None], turned, e)  # others keep their bits
    return given if changed is None else changed
