"""What runs in lanes promise, asked of all by arrays: books that close, constraints that hold.

Only of those that may have broken a promise the exact answer is asked for, as of single runs.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np

from ..integrate import METHODS
from ..quantities import StateRows, repeated, returned
from .outcome import AUDIT, AUDITED, FINEST, OPEN, doubts, measures
from .starts import edged

if TYPE_CHECKING:
    from .side import Flat
    from .together import Together

BLOCK = 4096  # rows at a time


def suspects(made: Together) -> np.ndarray:
    """Runs that may have broken a promise: of all others it is certain that they have not."""
    out = np.zeros(made.count, dtype=bool)
    s = made.system
    limited = any(isinstance(j.limits, tuple | list) for j in s.model.joints)
    rigid = any(getattr(e.law, "restitution", None) is not None for e in s.elements)
    if limited or rigid or s.shared or edged(s):
        return ~out
    there = np.diff(made.cuts) > 0
    if not there.any():
        return out
    out[made.run[_past_tables(made)[made.which]]] = True
    out[there] |= _unbalanced(made, np.flatnonzero(there))
    if s.held:
        out[there] |= _open(made, np.flatnonzero(there))
    return out


def _past_tables(made: Together) -> np.ndarray:
    """Memories in which a table is left at one of its ends; see `outcome.past_tables`."""
    out = np.zeros(len(made.told.pasts), dtype=bool)
    for e in made.system.elements:
        for slot, last, of in e.law.edges() if e.law is not None else ():
            piece = made.told.pasts[:, e.m.start + slot]
            out |= (piece > last - 0.5) | ((piece < 0.5) & (of == "x"))
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
    first = np.flatnonzero(np.diff(made.run[rows], prepend=-1))
    jumps = np.searchsorted(rows, made.jumps)
    books = np.concatenate(
        [
            _energies(made.system, made.passing(here), made.parameters(here))
            for here in (rows[k : k + BLOCK] for k in range(0, len(rows), BLOCK))
        ],
        axis=1,
    )
    return adaptive & _off(books, first, jumps, made.cohort.options.rtol)


def _off(books: np.ndarray, first: np.ndarray, jumps: np.ndarray, rtol: float) -> np.ndarray:
    """Of runs that begin at the rows `first`: whose energies (6, rows) do not close."""
    with np.errstate(all="ignore"):
        T, U, torn, D, S, back = books
        U, D = U + back, D + torn - back
        total = T + U + D - S
        leaps = np.zeros(len(total))
        before, after = jumps.T
        np.add.at(leaps, after, total[after] - total[before])
        residual = total - np.cumsum(leaps)
        each = np.repeat(first, np.diff(first, append=len(total)))
        residual = abs(residual - residual[each])
        scale, size = np.zeros(len(first)), np.zeros(len(first))
        for x in (T, U, D, S):
            moved = np.maximum.reduceat(x, first) - np.minimum.reduceat(x, first)
            scale = np.fmax(scale, moved)
            size = np.fmax(size, np.maximum.reduceat(abs(x), first))
        rounding = 1e3 * np.finfo(float).eps * size
        most = AUDIT * max(rtol, FINEST) * (scale + abs(T[first])) + rounding
        worst = np.maximum.reduceat(residual, first)
        return ~(np.isfinite(worst) & (worst <= most))  # energies without bound never close


def _energies(system, rows: StateRows, p: np.ndarray) -> np.ndarray:
    """Energy at some rows, kinetic, stored, torn; dissipated, supplied, returned, (6, rows)."""
    out, at = np.zeros((6, len(rows.t))), system.layout
    with np.errstate(all="ignore"):
        found = repeated(system, "audit", rows, p, many=True)
    out[:3] = [np.asarray(x).reshape(len(rows.t)) for x in found[:3]]
    if at.keeps_books:
        out[3:5] = rows.z[:, at.books].T[:2]
    for i in _returned(system):
        out[5] += rows.z[:, i]
    return out


def _returned(system) -> list[int]:
    """Places of books that hold what none of their elements has lost."""
    wanted = {f"{e}.energy.dissipated" for e in returned(system)}
    return [p.slot for p in system.layout.z if p.name in wanted]


def broken(flat: Flat, own: np.ndarray, method, rtol: float, atol) -> Iterator[tuple[int, str]]:
    """Of runs side by side, those whose books do not close, each with its sentence."""
    last = len(flat.times) - 1
    rows = np.unique((last * np.linspace(0.0, 1.0, AUDITED)).astype(int))
    none, many = np.zeros((0, 2), int), max(BLOCK // len(rows), 1)
    for some in (own[k : k + many] for k in range(0, len(own), many)):
        state, p = flat.rows(some, rows)
        books = _energies(flat.system, state, p)
        for i in some[_off(books, len(rows) * np.arange(len(some)), none, rtol)].tolist():
            run = SimpleNamespace(
                system=flat.system,
                method=method,
                p=flat.P[i],
                leading=SimpleNamespace(solution="multipliers"),
                record=SimpleNamespace(rtol=rtol, atol=np.atleast_1d(np.asarray(atol, float))),
            )
            if text := doubts(run, flat.signals(flat.P[i], [i]), flat.times):
                yield i, text


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
