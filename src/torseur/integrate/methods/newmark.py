"""Newmark's method of constant mean acceleration."""

from __future__ import annotations

from ..record import NEWMARK
from ..register import Method, method, two_ends


@method
def newmark() -> Method:
    """Order two."""
    text = "Newmark (1/4, 1/2), fixed step, Newton iterations"
    return two_ends("newmark", 2, NEWMARK, text)
