"""Classical Runge-Kutta method of order 4 (Kutta 1901)."""

from __future__ import annotations

from ..register import Method, explicit_method, method


@method
def rk4() -> Method:
    """Order four.  Dense output is the cubic Hermite polynomial."""
    rows = [(), (0.5,), (0, 0.5), (0, 0, 1), (1 / 6, 1 / 3, 1 / 3, 1 / 6)]
    description = "Runge-Kutta of order 4, fixed step"
    return explicit_method("rk4", 4, rows, (0, 0.5, 0.5, 1, 1), description)
