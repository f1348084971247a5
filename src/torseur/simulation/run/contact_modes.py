"""Initial contact modes: contacts closed or open, frictions sticking or sliding.  Initial impact.

A contact that is approached at the start has its impact at once.  A start behind a rigid stop, or
where constraint rows are lost, is an error (EV.9).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ...dynamics import STEP_DEFLECTION, TOUCH
from ...errors import TorseurError, said
from ...joints import TIME
from ...kernels import MotionKernels
from ...scalars import Floats, vector
from ...system import System, once

SINGLE_POINT_REMEDY = "a ts.Contact at each of several points of the body would go on"
MIN_SPEED_JUMP = 1e-9  # of a speed and of 1: a smaller change at the start is rounding
AT_START = -1.0  # index of the event of a jump: the start of a run


class ContactState(NamedTuple):
    """State and memory at the start, before or after the initial impact."""

    q: np.ndarray
    v: np.ndarray
    z: np.ndarray
    m: np.ndarray


def resolve_initial_contacts(
    system: System, jump: Callable[..., Any], t: float, state: ContactState, u: Any, p: np.ndarray
) -> ContactState:
    """State after contact modes are determined and approached contacts had their impact.

    `jump` is the kernel of resets.  A contact that starts inside its ground is an error.
    """
    parameters = dict(zip(system.parameters, p.tolist(), strict=True))
    tree = system.over(Floats({TIME: float(t)} | parameters))
    faults = []
    for e in system.switched:
        q = vector(state.q.tolist())
        try:
            gap = float(e.residual(tree, t, q)[0]) if e.contact else 0.0
            if e.contact and gap <= TOUCH and (text := describe_lost_rows(e, tree, q)):
                faults.append(f"contact {text}; {SINGLE_POINT_REMEDY}")
        except (ArithmeticError, ValueError) as error:
            text = said(
                error,
                "its height over its ground has no value at the start; a surface needs a slope "
                "there, and a disc does not lie flat",
            )
            faults.append(f"contact {e.name!r}: {text}")
            continue
        if gap < -TOUCH:
            faults.append(
                f"contact {e.name!r} starts {-gap:.4g} m inside its ground; give "
                "initial= coordinates that lift it out"
            )
    if faults:
        raise TorseurError("\n".join(faults))
    neighbors = np.zeros(system.layout.gathered)
    with np.errstate(all="ignore"):  # branches that are not taken
        v, z, m = jump(t, *state, u, p, AT_START, neighbors)
    return ContactState(state.q, *(np.asarray(x, float) for x in (v, z, m)))


def describe_lost_rows(element: Any, tree: Any, q: np.ndarray) -> str:
    """Constraint rows that an element has lost at q (`ConstraintElement.loses`), or ""."""
    try:
        margins = element.edges(tree, q)
    except (ArithmeticError, ValueError):
        margins = (-1.0,) * len(element.loses)
    lost = [text for text, x in zip(element.loses, margins, strict=True) if not x > 0]
    return f"{element.name!r} {' and '.join(lost)}" if lost else ""


def list_start_faults(
    system: System,
    kernels: MotionKernels,
    t: Any,
    *state: np.ndarray,
    near: float = STEP_DEFLECTION,
) -> list[str]:
    """Why a run cannot start, a text or "" for each of several states (q, v, z, m, u, p).

    Faults are lost constraint rows, and positions more than `near` behind a rigid stop or the edge
    of a plane, which stop only motions that come from inside: EV.9.
    """
    indices, q = _start_limits(system), np.atleast_2d(state[0])
    texts = [""] * len(q)
    if not indices:
        return texts
    with np.errstate(all="ignore"):  # where a contact has no single point, its slope has no value
        values = np.asarray(kernels["guards"](t, *state)).reshape(len(q), -1)[:, indices]
    guards = [system.layout.guards[i] for i in indices]
    is_beyond = ~(values > np.where([g.ends for g in guards], 0.0, -near))
    for i in np.flatnonzero(is_beyond.any(axis=1)):
        beyond = [
            (g, float(x))
            for g, x, is_bad in zip(guards, values[i], is_beyond[i], strict=True)
            if is_bad
        ]
        lost = [f"{g.owner!r} {g.what}" for g, _ in beyond if g.ends]
        lines = [_describe_start_behind(system, g, x, q[i]) for g, x in beyond if not g.ends]
        if lost:
            text = f"simulate: at the start constraint {' and '.join(lost)}; {SINGLE_POINT_REMEDY}"
            lines = [text, *lines]
        texts[i] = "\n".join(lines)
    return texts


@once()
def _start_limits(system: System) -> list[int]:
    """Indices of event functions that are positive at every valid start."""
    elements = {e.name for e in system.elements}
    return [
        i
        for i, g in enumerate(system.layout.guards)
        if g.ends or (g.leaves and g.owner in elements)
    ]


def _describe_start_behind(system: System, guard: Any, value: float, q: np.ndarray) -> str:
    """A sentence on a start that is behind a rigid stop or an edge."""
    e = next(e for e in system.elements if e.name == guard.owner)
    at = ", ".join(f"{system.coordinates[i]} = {q[i]:.9g}" for i, _, _ in e.weights)
    return (
        f"force {guard.owner!r} starts {-value:.6g} {guard.unit} beyond its {guard.what!r}"
        f"{f' ({at} {guard.unit})' if at else ''}: that turns back what comes from inside and "
        "holds nothing that is behind it; give initial= coordinates inside, or on it to rounding"
    )


def note_initial_impact(system: System, before: np.ndarray, after: np.ndarray) -> str:
    """A sentence if the initial impact changed the speeds, or ""."""
    change = abs(after - before)
    if not (change > MIN_SPEED_JUMP * np.maximum(1.0, abs(before))).any():
        return ""
    i = int(np.argmax(change))
    return (
        f"speeds jump at the start, {system.speeds[i]} from {before[i]:.6g} to {after[i]:.6g}: a "
        "contact strikes there, or friction lets the motion given not go on (the loss counts as "
        "dissipated)"
    )
