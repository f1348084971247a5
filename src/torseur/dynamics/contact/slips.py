"""Guards of a friction in a plane, and what is slow, far and barely.  Theory: DF.7."""

from __future__ import annotations

from ...spatial import HALF
from .cone import strength, unit

GOING = 2e-6  # slip [m/s] after a start from which friction follows its direction,
SLOW = 1e-6  # and below which, before a stop, it does no more
FAR = 30  # times faster or slower: the slip kept in memory is renewed
BARELY = 1e-12  # force [N] or speed [m/s] of a guard that starts at zero


def slipping(K, m, u, room) -> list:
    """Guards of a friction in a plane: it stops, breaks loose, turns (or slows, gets going)."""
    stuck, slow = K.less(m[0], HALF), K.less(m[0], 1.5)
    kept, size = m[1 : 1 + len(u)], strength(K, u)
    along, usual = u @ unit(K, kept, 0 * u), strength(K, kept)
    forth = K.select(K.less(along, 0.0), -size, size)
    turns = K.call(
        "min",
        along - size * HALF,
        K.call("min", forth - K.call("max", SLOW, usual / FAR), usual * FAR - size),
    )
    return [
        K.select(stuck, 1.0, K.select(slow, along + BARELY, 1.0)),
        K.select(stuck, room, 1.0),
        K.select(stuck, 1.0, K.select(slow, GOING - size, turns)),
    ]
