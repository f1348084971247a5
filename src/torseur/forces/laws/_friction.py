"""What laws of friction share.  Theory: FO.18 to FO.24."""

from __future__ import annotations


def smooth_sign(K, x, width):
    """tanh(x / width)."""
    return K.call("tanh", K.divide(x, width))


def level(law, K, rate):
    """Sliding friction with Stribeck's bump."""
    F = law.get(K, "force_")
    if law.static is None:
        return F
    r = K.divide(rate, law.get(K, "stribeck"))
    return F + (law.get(K, "static") - F) * K.call("exp", -(r * r))


def rubbing(law) -> tuple[str, ...]:
    """What kinds of friction a law with a `damping` is."""
    return ("dry",) if law.damping == 0 else ("dry", "viscous")
