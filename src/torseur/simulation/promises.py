"""What runs in lanes promise, asked of all by arrays: books that close, constraints that hold.

Only of those that may have broken a promise the exact answer is asked for, as of single runs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..integrate import METHODS
from ..quantities import repeated, returned
from .outcome import AUDIT, AUDITED, FINEST, OPEN, measures
from .starts import edged

if TYPE_CHECKING:
    from .together import Together

BLOCK = 4096  # rows at a time


def suspects(made: Together) -> np.ndarray:
    """Runs that may have broken a promise: of all others it is certain that they have not."""
    out = np.zeros(made.count, dtype=bool)
    s = made.system
    limited = any(isinstance(j.limits, tuple | list) for j in s.model.joints)
    rigid = any(getattr(e.law, "restitution", None) is not None for e in s.elements)
    if limited or rigid or edged(s):
        return ~out
    there = np.diff(made.cuts) > 0
    if not there.any():
        return out
    out[there] |= _unbalanced(made, np.flatnonzero(there))
    if s.held:
        out[there] |= _open(made, np.flatnonzero(there))
    return out


def _unbalanced(made: Together, own: np.ndarray) -> np.ndarray:
    """Whose books of energy may not close; see `outcome.doubts`."""
    methods = made.methods[own]
    adaptive = np.zeros(len(own), dtype=bool)
    for name in dict.fromkeys(methods):
        adaptive[methods == name] = METHODS[name].adaptive
    chosen = np.zeros(len(made.time), dtype=bool)
    rows = np.diff(made.cuts)[own]
    part = np.linspace(0.0, 1.0, AUDITED)
    chosen[(made.cuts[own, None] + (rows[:, None] - 1) * part).astype(int)] = True
    chosen[made.jumps.ravel()] = True
    rows = np.flatnonzero(chosen)
    run = made.run[rows]
    first = np.flatnonzero(np.diff(run, prepend=-1))
    with np.errstate(all="ignore"):
        T, U, torn, D, S, back = _energies(made, rows)
        U, D = U + back, D + torn - back
        total = T + U + D - S
        leaps = np.zeros(len(rows))
        before, after = np.searchsorted(rows, made.jumps).T
        np.add.at(leaps, after, total[after] - total[before])
        residual = total - np.cumsum(leaps)
        each = np.repeat(first, np.diff(first, append=len(rows)))
        residual = abs(residual - residual[each])
        scale, size = np.zeros(len(own)), np.zeros(len(own))
        for x in (T, U, D, S):
            moved = np.maximum.reduceat(x, first) - np.minimum.reduceat(x, first)
            scale = np.fmax(scale, moved)
            size = np.fmax(size, np.maximum.reduceat(abs(x), first))
        rtol = max(made.cohort.options.rtol, FINEST)
        rounding = 1e3 * np.finfo(float).eps * size
        most = AUDIT * rtol * (scale + abs(T[first])) + rounding
        return adaptive & ~(np.maximum.reduceat(residual, first) <= most)


def _energies(made: Together, rows: np.ndarray) -> np.ndarray:
    """Energy at some rows, kinetic, stored, torn; dissipated, supplied, returned, (6, rows)."""
    out, at = np.zeros((6, len(rows))), made.system.layout
    for first in range(0, len(rows), BLOCK):
        own = rows[first : first + BLOCK]
        p = made.parameters(own)
        state, here = made.passing(own), out[:, first : first + BLOCK]
        found = repeated(made.system, "audit", state, p, many=True)
        here[:3] = [np.asarray(x).reshape(len(own)) for x in found[:3]]
        if at.keeps_books:
            here[3:5] = state.z[:, at.books].T[:2]
        for i in _returned(made):
            here[5] += state.z[:, i]
    return out


def _returned(made: Together) -> list[int]:
    """Places of books that hold what none of their elements has lost."""
    wanted = {f"{e}.energy.dissipated" for e in returned(made.system)}
    return [p.slot for p in made.system.layout.z if p.name in wanted]


def _open(made: Together, own: np.ndarray) -> np.ndarray:
    """Whose constraints may be open."""
    rows = made.rows()
    phi, psi = repeated(made.system, "openness", rows, made.parameters())
    gap, slip, fast = (
        np.maximum.reduceat(abs(x).max(axis=0, initial=0.0), made.cuts[own])
        for x in (phi, psi, rows.v.T)
    )
    sizes = np.array([measures(made.system, tuple(p))[0] for p in made.s.P[own].tolist()])
    return ~((gap <= OPEN * sizes) & (slip <= OPEN * fast * np.maximum(sizes, 1.0)))
