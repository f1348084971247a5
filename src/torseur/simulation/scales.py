"""Sizes under which numbers of a state are not followed."""

from __future__ import annotations

import numpy as np


def floors(system) -> np.ndarray:
    """Sizes under which numbers of the state are not followed: unit quaternions, books of energy.

    A book starts at nothing; its relative error is asked from a joule on.
    """
    at = system.layout
    first = system.nq + system.nv
    floor = np.zeros(first + len(at.z))
    floor[first + at.books.start :] = 1.0
    for k in system.links:
        if k.joint.quaternion is not None:
            first = k.q.start + k.joint.quaternion
            floor[first : first + 4] = 1.0
    return floor
