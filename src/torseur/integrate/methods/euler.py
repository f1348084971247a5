"""Explicit Euler method (Hairer, Norsett and Wanner 1993, I.7)."""

from __future__ import annotations

from ..register import Method, explicit_method, method


@method
def euler() -> Method:
    """Order one.  Dense output is linear in theta, as a shorter step is."""
    linear = ((1,), (0,))
    return explicit_method("euler", 1, [(), (1,)], (0, 1), "explicit Euler, fixed step", linear)
