"""Explicit Euler."""

from __future__ import annotations

from ..register import Method, method, simple


@method
def euler() -> Method:
    """Order one."""
    return simple("euler", 1, [(), (1,)], (0, 1), "explicit Euler, fixed step")
