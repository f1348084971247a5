"""Explicit Euler."""

from __future__ import annotations

from ..register import Method, method, simple


@method
def euler() -> Method:
    """Order one; between steps as a shorter step goes: straight."""
    text, straight = "explicit Euler, fixed step", ((1,), (0,))
    return simple("euler", 1, [(), (1,)], (0, 1), text, straight)
