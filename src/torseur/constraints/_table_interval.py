"""Which piece of its table a drive is in: what an element remembers says so, not the time.

On a knot there are two.  Theory: CO.18.
"""

from __future__ import annotations

from typing import Any

from ..spatial import HALF


def keepers(system) -> dict[str, tuple[int, int]]:
    """By the names of elements that remember it for drives: where the ends of the piece are, as
    slots of memory."""
    wanted, out = {c.keeper for c in system.held}, {}
    for e in system.elements:
        if e.name in wanted:
            names = [n for n, _ in e.law.memory]
            low, high = (e.m.start + names.index(x) for x in ("low", "high"))
            out[e.name] = low, high
    return out


def inside(K, low, high, t) -> Any:
    """A time that is inside the piece; where none is remembered, the time itself."""
    middle = low + K.call("min", high - low, 1.0) * HALF
    return K.select(K.less(low, high), middle, t)
