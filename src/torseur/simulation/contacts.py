"""The start of a run for what touches: contacts closed or open, frictions stuck or sliding."""

from __future__ import annotations

import numpy as np

from ..dynamics import TOUCH
from ..errors import TorseurError
from ..joints import TIME
from ..numbers import Floats, vector

SEVERAL = "a ts.Contact at each of several points of the body would go on"
JOLT = 1e-9  # of a speed and of 1: a change at the start that is no rounding


def begin(system, kernel, t, q, v, z, m, u, p) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Speeds, states and memory at the start; a contact that is approached there strikes at once.

    `kernel` is that of the jump.  A contact that starts inside its ground is told.
    """
    known = dict(zip(system.parameters, p.tolist(), strict=True))
    tree = system.over(Floats({TIME: float(t)} | known))
    bad = []
    for e in system.switched:
        try:
            gap = float(e.residual(tree, t, vector(q.tolist()))[0]) if e.contact else 0.0
            if e.contact and gap <= TOUCH and (over := failing(e, tree, vector(q.tolist()))):
                bad.append(f"contact {over}; {SEVERAL}")
        except (ArithmeticError, ValueError) as why:
            none = "its height over its ground has no value at the start; a surface needs a slope "
            none += "there, and a disc does not lie flat"
            bad.append(f"contact {e.name!r}: {why if isinstance(why, TorseurError) else none}")
            continue
        if gap < -TOUCH:
            bad.append(
                f"contact {e.name!r} starts {-gap:.4g} m inside its ground; give "
                "initial= coordinates that lift it out"
            )
    if bad:
        raise TorseurError("\n".join(bad))
    nothing = np.zeros(system.layout.gathered)
    v, z, m = kernel(t, q, v, z, m, u, p, -1.0, nothing)
    return np.asarray(v, float), np.asarray(z, float), np.asarray(m, float)


def failing(element, tree, q) -> str:
    """What its rows have lost at q, or nothing: see `ConstraintElement.loses` (floats)."""
    try:
        values = element.edges(tree, q)
    except (ArithmeticError, ValueError):
        values = (-1.0,) * len(element.loses)
    lost = [text for text, x in zip(element.loses, values, strict=True) if not x > 0]
    return f"{element.name!r} {' and '.join(lost)}" if lost else ""


def lost(system, kernels, t, *state) -> list[str]:
    """What rows have lost where a run starts, a text or nothing for each of several states."""
    ends = [i for i, g in enumerate(system.layout.guards) if g.ends]
    rows = len(np.atleast_2d(state[0]))
    if not ends:
        return [""] * rows
    values = np.asarray(kernels["guards"](t, *state)).reshape(rows, -1)
    guards = [system.layout.guards[i] for i in ends]
    out = []
    for row in values[:, ends]:
        bad = [f"{g.owner!r} {g.what}" for g, x in zip(guards, row, strict=True) if not x > 0]
        out.append(f"simulate: at the start constraint {' and '.join(bad)}; {SEVERAL}" * bool(bad))
    return out


def jolt(system, before, after) -> str:
    """A sentence when speeds are others than those given from the first instant on, or nothing."""
    change = abs(after - before)
    if not (change > JOLT * np.maximum(1.0, abs(before))).any():
        return ""
    i = int(np.argmax(change))
    return (
        f"; speeds jump at the start, {system.speeds[i]} from {before[i]:.6g} to {after[i]:.6g}: a "
        "contact strikes there, or friction lets the motion given not go on (the loss is booked)"
    )
