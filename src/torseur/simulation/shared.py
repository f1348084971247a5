"""Dry frictions that hold one motion together, and let go of it one after the other."""

from __future__ import annotations

import numpy as np

from ..joints import TIME
from ..numbers import values
from ..solve import Constrained
from ..system import once

LOOKS = 20  # instants that are looked at,
RUNS = 256  # and runs of a batch
REST = 1e-9  # rate [m/s, rad/s] of what is at rest
NOTHING = 1e-9  # part of a row that others leave, below which it says nothing new


@once()
def holding(system) -> list[int]:
    """Numbers of dry frictions among all that switches; none where none holds more when stuck
    than when it slides."""
    found = [
        i
        for i, e in enumerate(system.switched)
        if e.friction and len(e.memory) and len(e.labels) and not e.stores
    ]
    firmer = any(
        system.switched[i].friction.static != system.switched[i].friction.sliding for i in found
    )
    return found if firmer and len(found) > 1 else []


def _shut(s, e, m) -> bool:
    """Whether what presses a friction is there: its contact is closed, if it is one."""
    own = zip(s.switched, s.layout.switches, strict=True)
    gates = [
        m[x.start]
        for c, x in own
        if c.contact and e.friction.normal in (c.name, f"{c.name}.normal")
    ]
    return not gates or gates[0] > 0.5


def crowding(run, logged) -> str:
    """Frictions that are all of the last events, if there are others that may hold with them."""
    own = {e.name for e in run.system.switched if e.friction}
    last = {run.guards[i].owner: run.guards[i].what for i in logged}
    inside = {n for n, what in last.items() if what in ("stops", "breaks loose") and n in own}
    return ", ".join(sorted(inside)) if len(own) > 1 and {*last} == inside else ""


def shared(run, time, Y, M) -> str:
    """A sentence where frictions at rest together, whose rows say one thing, let go in turn."""
    found, s = holding(run.system), run.system
    if not found or not len(M):
        return ""
    stuck = np.stack([M[:, s.layout.switches[i]][:, 0] == 0 for i in found], axis=1)
    loose = np.flatnonzero((stuck[:-1] & ~stuck[1:]).any(axis=1))
    bound = dict(zip(s.parameters, run.p.tolist(), strict=True))
    for row in loose[:LOOKS].tolist():
        last = int(np.flatnonzero(time == time[row + 1])[-1])
        names = _together(
            s, found, bound, float(time[row]), (Y[row], M[row]), stuck[row], stuck[last]
        )
        if names:
            return (
                f"; at t = {time[row]:.4g} s the dry frictions {names} were at rest together and "
                "hold one motion between them: how they share its load is not determined, and "
                "since they hold more when stuck than when they slide, they may let go at less "
                "than they hold together"
            )
    return ""


def _together(s, found, bound, t: float, state, stuck, after) -> str:
    """Names of frictions that hold one motion at a row, if they do and do not let go at once."""
    y, m = state
    q, v, unit = y[: s.nq], y[s.nq : s.nq + s.nv], np.eye(s.nv)
    tree, still = s.floats({TIME: t} | bound), REST * (1 + abs(v).max(initial=0))
    on, rows, in_turn, firmer = [], [], False, False
    for k, i in enumerate(found):
        e = s.switched[i]
        J = np.array([np.asarray(e.rate(tree, t, q, x), float) for x in unit]).T
        if _shut(s, e, m) and np.linalg.norm(J @ v) < still:
            on.append(e.name)
            rows.append(J)
            in_turn = in_turn or bool(after[k]) or not stuck[k]
            low, high = e.friction.sliding, e.friction.static
            firmer = firmer or values.nominal(high, bound) > values.nominal(low, bound)
    if not (in_turn and firmer and len(on) > 1):
        return ""
    J = Constrained(s).at(bound).jacobian(q, t) if s.held else np.zeros((0, s.nv))
    whole = np.vstack([J, *rows])
    many = sum(map(len, rows))
    return ", ".join(map(repr, on)) if _rank(whole) < _rank(J) + many else ""


def _rank(J) -> int:
    size = np.linalg.norm(J, axis=1, keepdims=True)
    scaled = J / np.where(size > 0, size, 1)
    return int((np.linalg.svd(scaled, compute_uv=False) > NOTHING).sum()) if J.size else 0
