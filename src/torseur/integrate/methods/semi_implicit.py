"""Semi-implicit (symplectic) Euler method (Hairer, Lubich and Wanner 2006, I.1)."""

from __future__ import annotations

from ..record import SEMI_IMPLICIT
from ..register import Method, method, two_point_method


@method
def semi_implicit() -> Method:
    """Order one.  Dense output is a shorter step: linear speeds, quadratic coordinates."""
    description, shorter_step = "semi-implicit Euler, fixed step", ((1, -1), (0, 0), (0, 1))
    return two_point_method("semi_implicit", 1, SEMI_IMPLICIT, description, shorter_step)
