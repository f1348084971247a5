"""What contacts and dry frictions make of an event, their own or a rigid stop's.  Theory: FL.7."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ...errors import TorseurError
from ...formalisms import composite_body
from ...scalars import vector
from ...spatial import HALF
from .. import forward_dynamics
from ..constraints.kkt import saddle
from ..constraints.rows import constraint_rows, substitute
from ..moving_base_power import gained
from ..sparse_factorization import is_zero
from .impacts import After, Strike, after

# --------------------------------------------------------------------------------------------
# The impulse of a rigid stop, answered by all that is tied to its coordinate.
#
# Theory: FL.5, FL.7.


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
    back = forward_dynamics.solve_tree(K, M, row, forward_dynamics.dof_parents(tree))
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


NONE = 1e6  # the number of no event


def answered(motion, now, loads, k, n, hits, found):
    """What contacts and frictions make of an event: `n` is the first of their own guards.

    They answer their own events, the start of a run, and rigid stops that strike, `hits`.
    """
    K, (v, z, m), book = motion.K, found, motion.system.layout.books.start
    begins = K.less(k, -0.5)
    ours = K.select(begins, 1.0, K.select(K.less(n - 0.5, k), 1.0, 0.0))
    event, strike, size = K.select(begins, -1.0, k - n), None, 0
    if hits:
        on, row = 0.0, 0 * now.v
        for here, hit, _ in hits:
            on = K.select(here, 1.0, on)
            row = row + vector(0 if is_zero(x) else K.select(here, x, 0.0) for x in hit.row)
            size = size + K.select(here, hit.size, 0.0)
        event = K.select(K.less(0.5, on), NONE, event)
        ours = K.call("max", ours, on)
        strike = Strike(on, row, K.symbols(("strike",))[0])
    F = loads.wrenches
    new = after(motion.constraints, motion.body, now, loads.tau, F, event, strike)
    if strike is not None:  # they see the speeds that it leaves them
        old, actual = np.append(now.v, strike.size), np.append(v, size)
        new = After(*(_put(K, x, old, actual) for x in new))
    ours = K.less(0.5, ours)
    last = slice(len(m) - len(new.memory), None)
    m[last] = vector(K.select(ours, x, y) for x, y in zip(new.memory, m[last], strict=True))
    if new.v is not now.v:
        v = vector(K.select(ours, x, y) for x, y in zip(new.v, v, strict=True))
        for i, x in enumerate((new.dissipated, new.supplied)):
            z[book + i] = z[book + i] + K.select(ours, x, 0.0)
    for here, hit, losing in hits:
        for j in losing:
            z[j] = z[j] - K.select(here, new.stop * hit.middle, 0.0)  # FL.7
    return v, z, m


def _put(K, x, old, actual):
    """A scalar or an array with other scalars in place of some; graphs only."""
    return substitute(K, x, old, actual) if np.ndim(x) else substitute(K, [x], old, actual)[0]
