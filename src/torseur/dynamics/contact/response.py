"""Contact response to events: impulse of a rigid stop, and contacts and frictions after an event.

Equations FL.5, FL.7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

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
from .impacts import StateAfterEvent, StopImpact, state_after_event

if TYPE_CHECKING:
    from ...forces import ForceElement
    from ..state import Moment

MIN_MOBILITY_RATIO = 1e-9  # of a coordinate under constraints to that without; below, it is fixed
NO_EVENT = 1e6  # number of no event


class StopImpulse(NamedTuple):
    """Impulse of a rigid stop along its row, before contacts and frictions respond."""

    row: np.ndarray  # (nv,)
    size: Any
    dv: np.ndarray  # (nv,) change of the speeds
    dissipated: Any  # energies [J]
    supplied: Any  # of constraints and placements that depend on time
    mean_rate: Any  # of the rates before and after


def compute_stop_impulse(
    motion, state: Moment, element: ForceElement, before, after
) -> StopImpulse:
    """Impulse that takes the rate of an element's deflection from `before` to `after`, FL.5."""
    if not element.weights:
        raise TorseurError(
            f"force {element.name!r}: a law with restitution acts on coordinates only"
        )
    K, tree, row = motion.K, motion.body, vector([0] * motion.tree.nv)
    for _, j, weight in element.weights:
        row[j] = row[j] + K.number(weight)
    M = composite_body.mass_matrix(tree, state.q)
    response = forward_dynamics.solve_tree(K, M, row, forward_dynamics.speed_parents(tree))
    mobility, supplied = row @ response, 0
    if motion.system.held:
        rows = constraint_rows(tree, motion.system, state.t, state.q, state.v)
        free_mobility = mobility
        response, lam = saddle(K, M, rows.J, rows.owners).solve(row, 0 * rows.gamma)
        mobility, supplied = row @ response, lam @ (rows.J @ state.v)
        is_fixed = K.less(mobility, MIN_MOBILITY_RATIO * free_mobility)
        size = K.divide(after - before, K.select(is_fixed, 1.0, mobility))
        size = K.select(is_fixed, 0.0, size)
        row = vector(0 if is_zero(x) else K.select(is_fixed, 0.0, x) for x in row)
    else:
        size = K.divide(after - before, mobility)  # FL.5
    dv = vector(x * size for x in response)
    dissipated = -(size * (before * 2 + mobility * size)) * HALF
    supplied = size * supplied + gained(motion.tree, state.q, dv)
    return StopImpulse(row, size, dv, dissipated, supplied, (before + after) * HALF)


def apply_contact_response(motion, state: Moment, loads, k, first: int, stops, after_laws):
    """`v, z, m` after event k, with the response of contacts and frictions.

    They respond to their own events, which begin at number `first`, to the start of a run, and to
    rigid stops that strike.  `stops` lists (condition, `StopImpulse`, slots of dissipated energy).
    `after_laws` are `v, z, m` after the resets of the force laws.
    """
    K, (v, z, m), energies = motion.K, after_laws, motion.system.layout.books.start
    starts = K.less(k, -0.5)
    responds = K.select(starts, 1.0, K.select(K.less(first - 0.5, k), 1.0, 0.0))
    event, stop, size = K.select(starts, -1.0, k - first), None, 0
    if stops:
        on, row = 0.0, 0 * state.v
        for is_struck, impulse, _ in stops:
            on = K.select(is_struck, 1.0, on)
            row = row + vector(
                0 if is_zero(x) else K.select(is_struck, x, 0.0) for x in impulse.row
            )
            size = size + K.select(is_struck, impulse.size, 0.0)
        event = K.select(K.less(0.5, on), NO_EVENT, event)
        responds = K.call("max", responds, on)
        stop = StopImpact(on, row, K.symbols(("strike",))[0])
    F = loads.wrenches
    new = state_after_event(motion.constraints, motion.body, state, loads.tau, F, event, stop)
    if stop is not None:  # the response depends on the speeds after the stop's impulse
        old, actual = np.append(state.v, stop.impulse), np.append(v, size)
        new = StateAfterEvent(*(_substitute(K, x, old, actual) for x in new))
    condition = K.less(0.5, responds)
    last = slice(len(m) - len(new.history), None)
    m[last] = vector(K.select(condition, x, y) for x, y in zip(new.history, m[last], strict=True))
    if new.v is not state.v:
        v = vector(K.select(condition, x, y) for x, y in zip(new.v, v, strict=True))
        for i, x in enumerate((new.dissipated, new.supplied)):
            z[energies + i] = z[energies + i] + K.select(condition, x, 0.0)
    for is_struck, impulse, slots in stops:
        for j in slots:
            energy = new.stop_impulse * impulse.mean_rate
            z[j] = z[j] - K.select(is_struck, energy, 0.0)  # FL.7
    return v, z, m


def _substitute(K: Any, x, old, actual):
    """A scalar or an array of a graph with some symbols replaced."""
    return substitute(K, x, old, actual) if np.ndim(x) else substitute(K, [x], old, actual)[0]
