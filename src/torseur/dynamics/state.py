"""The arguments of every formula of motion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Moment(NamedTuple):
    """The arguments of every formula of motion, as arrays of scalars."""

    t: Any
    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    m: np.ndarray
    u: np.ndarray
    d: Any = ()  # what a jump has gathered from lists
    lam: Any = ()  # multipliers, for laws that see them
    reactions: Any = ()  # of joints, six numbers each, for laws that see them
    solved: Any = ()  # accelerations and multipliers of this moment, where they are known
