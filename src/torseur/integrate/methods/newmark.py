"""Newmark's method with constant average acceleration (Newmark 1959): beta 1/4, gamma 1/2."""

from __future__ import annotations

from ..record import NEWMARK
from ..register import Method, method, two_point_method


@method
def newmark() -> Method:
    """Order two.  Newton iteration gives the accelerations at the end of the step."""
    description = "Newmark (1/4, 1/2), fixed step, Newton iterations"
    return two_point_method("newmark", 2, NEWMARK, description)
