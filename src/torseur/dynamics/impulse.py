"""The impulse of a rigid stop, answered by all that is tied to its coordinate.

Theory: FL.5, FL.7.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..errors import TorseurError
from ..formalisms import composite_body
from ..numbers import vector
from ..spatial import HALF
from . import forward
from .carriages import gained
from .held.rows import constraint_rows
from .held.saddle import saddle
from .sparse import is_zero

HELD = 1e-9  # share of its freedom below which a coordinate is held by constraints


class Impulse(NamedTuple):
    """An impulse along a row, before contacts and frictions answer it."""

    row: np.ndarray
    size: Any
    dv: np.ndarray
    lost: Any  # energies [J], the second that of constraints and placements moved by time
    given: Any
    middle: Any  # mean of the rates before and after


def impulse(motion, now, element, before, after) -> Impulse:
    """The impulse that takes the rate of a deflection from `before` to `after`."""
    if not element.weights:
        raise TorseurError(
            f"force {element.name!r}: a law with restitution acts on coordinates only"
        )
    K, tree, row = motion.K, motion.body, vector([0] * motion.tree.nv)
    for _, j, weight in element.weights:
        row[j] = row[j] + K.number(weight)
    M = composite_body.mass_matrix(tree, now.q)
    back = forward.solve_tree(K, M, row, forward.dof_parents(tree))
    left, given = row @ back, 0
    if motion.system.held:
        r, free = constraint_rows(tree, motion.system, now.t, now.q, now.v), left
        back, lam = saddle(K, M, r.J, r.owners).solve(row, 0 * r.gamma)
        left, given = row @ back, lam @ (r.J @ now.v)
        tied = K.less(left, HELD * free)
        size = K.select(tied, 0.0, K.divide(after - before, K.select(tied, 1.0, left)))
        row = vector(0 if is_zero(x) else K.select(tied, 0.0, x) for x in row)
    else:
        size = K.divide(after - before, left)  # FL.5
    dv = vector(x * size for x in back)
    lost = -(size * (before * 2 + left * size)) * HALF
    given = size * given + gained(motion.tree, now.q, dv)
    return Impulse(row, size, dv, lost, given, (before + after) * HALF)
