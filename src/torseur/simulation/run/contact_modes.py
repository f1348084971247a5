"""The start of a run for what touches: contacts closed or open, frictions stuck or sliding."""

from __future__ import annotations

import numpy as np

from ...dynamics import AT_STEP, TOUCH
from ...errors import TorseurError
from ...joints import TIME
from ...scalars import Floats, vector
from ...system import once

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
    with np.errstate(all="ignore"):  # branches that are not taken
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


def lost(system, kernels, t, *state, near: float = AT_STEP) -> list[str]:
    """Why a run cannot start, a text or nothing for each of several states.

    Rows that have lost what they stand on, and ends that only stop what comes from inside (a rigid
    stop, the edge of a plane) where the start is more than `near` behind them already: EV.9.
    """
    told, q = _told_at_start(system), np.atleast_2d(state[0])
    out = [""] * len(q)
    if not told:
        return out
    with np.errstate(all="ignore"):  # where a contact has no single point, its slope has no value
        values = np.asarray(kernels["guards"](t, *state)).reshape(len(q), -1)[:, told]
    guards = [system.layout.guards[i] for i in told]
    over = ~(values > np.where([g.ends for g in guards], 0.0, -near))
    for i in np.flatnonzero(over.any(axis=1)):
        found = [(g, float(x)) for g, x, bad in zip(guards, values[i], over[i], strict=True) if bad]
        bad = [f"{g.owner!r} {g.what}" for g, _ in found if g.ends]
        texts = [f"simulate: at the start constraint {' and '.join(bad)}; {SEVERAL}"] * bool(bad)
        out[i] = "\n".join(texts + [_behind(system, g, x, q[i]) for g, x in found if not g.ends])
    return out


@once()
def _told_at_start(system) -> list[int]:
    """Guards behind which no run can start."""
    own = {e.name for e in system.elements}
    return [
        i for i, g in enumerate(system.layout.guards) if g.ends or (g.leaves and g.owner in own)
    ]


def _behind(system, guard, value: float, q) -> str:
    """A sentence on a start that is behind an end."""
    e = next(e for e in system.elements if e.name == guard.owner)
    at = ", ".join(f"{system.coordinates[i]} = {q[i]:.9g}" for i, _, _ in e.weights)
    return (
        f"force {guard.owner!r} starts {-value:.6g} {guard.unit} beyond its {guard.what!r}"
        f"{f' ({at} {guard.unit})' if at else ''}: that turns back what comes from inside and "
        "holds nothing that is behind it; give initial= coordinates inside, or on it to rounding"
    )


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
