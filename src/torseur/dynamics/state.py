"""State of a system: the arguments of every formula of motion."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np


class Moment(NamedTuple):
    """Arguments of every formula of motion, as arrays of scalars."""

    t: Any  # time [s]
    q: np.ndarray  # coordinates
    v: np.ndarray  # generalized speeds
    z: np.ndarray  # further continuous states and accumulated energies
    m: np.ndarray  # history variables
    u: np.ndarray  # inputs
    d: Any = ()  # values that a reset has collected from lists
    lam: Any = ()  # multipliers, for laws that depend on them
    reactions: Any = ()  # of joints, six numbers each, for laws that depend on them
    solved: Any = ()  # accelerations and multipliers of this state, if they are known
