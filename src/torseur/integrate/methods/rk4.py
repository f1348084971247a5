"""The classical method of Runge and Kutta."""

from __future__ import annotations

from ..register import Method, method, simple


@method
def rk4() -> Method:
    """Order four."""
    rows = [(), (0.5,), (0, 0.5), (0, 0, 1), (1 / 6, 1 / 3, 1 / 3, 1 / 6)]
    return simple("rk4", 4, rows, (0, 0.5, 0.5, 1, 1), "Runge-Kutta of order 4, fixed step")
