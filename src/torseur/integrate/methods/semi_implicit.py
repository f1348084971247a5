"""Semi-implicit (symplectic) Euler: speeds first, then the coordinates with them."""

from __future__ import annotations

from ..record import SEMI_IMPLICIT
from ..register import Method, method, two_ends


@method
def semi_implicit() -> Method:
    """Order one; between steps as a shorter step goes: speeds straight, coordinates a parabola."""
    text, shorter = "semi-implicit Euler, fixed step", ((1, -1), (0, 0), (0, 1))
    return two_ends("semi_implicit", 1, SEMI_IMPLICIT, text, shorter)
