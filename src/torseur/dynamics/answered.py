"""What contacts and dry frictions make of an event, their own or a rigid stop's.  Theory: FL.7."""

from __future__ import annotations

import numpy as np

from ..numbers import vector
from .contact.impacts import After, Strike, after
from .held.rows import substitute
from .sparse import is_zero

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
