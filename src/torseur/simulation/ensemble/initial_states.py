"""Where many runs of one system start: states, memory, parameters and inputs, one row a run."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from ...errors import TorseurError
from ...kernels import begun
from ...scalars import Floats
from ...solve import arguments, initial_state
from ..run.contact_modes import begin, jolt, lost
from ..run.diagnostics import ON, REMEDY, edges


class Starts(NamedTuple):
    """One row a run; `failed` says of some why they cannot start, `jolts` whose speeds jump.

    `untouched` are the states before contacts and frictions began.
    """

    Y: np.ndarray
    M: np.ndarray
    P: np.ndarray
    U: np.ndarray
    jolts: dict[int, str]
    failed: dict[int, str]
    untouched: np.ndarray

    def part(self, own: slice) -> Starts:
        """Those of some runs, counted from the first of them."""

        def here(told: dict[int, str]) -> dict[int, str]:
            return {i - own.start: x for i, x in told.items() if own.start <= i < own.stop}

        return self._replace(
            Y=self.Y[own],
            M=self.M[own],
            P=self.P[own],
            U=self.U[own],
            jolts=here(self.jolts),
            failed=here(self.failed),
            untouched=self.untouched[own],
        )


def starts(
    system, kernels, count: int, t: float, keep, initial: Mapping, parameters: Mapping, inputs
) -> Starts:
    """Starts of `count` runs; every mapping has a number for all of them, or one a run."""
    initial = system.spelt(initial)
    P, wrong = arguments.parameter_rows(system, parameters, count)
    U = _inputs(system, count, inputs)
    nq, nv = system.nq, system.nv
    at = system.layout
    Y, M = np.zeros((count, nq + nv + len(at.z))), np.zeros((count, len(at.m)))
    found = Starts(Y, M, P, U, {}, wrong, Y)
    _states(system, found, t, keep, initial)
    for i in system.quaternions:
        size = np.linalg.norm(found.Y[:, i : i + 4], axis=1, keepdims=True)
        for k in np.flatnonzero(~(size > 0)):
            found.failed.setdefault(
                int(k), f"the quaternion {system.coordinates[i]!r} ... has no length"
            )
        found.Y[:, i : i + 4] /= np.where(size > 0, size, 1.0)
    if edged(system):
        _on_edges(system, found)
    _memories(system, found, t)
    if system.layout.guards:
        _on_ends(system, kernels, found, t)
    if system.switched:
        found = found._replace(untouched=found.Y.copy())
        _touching(system, kernels, found, t)
    return found


def _inputs(system, count, inputs) -> np.ndarray:
    """All inputs, one row a run; an input may have one number, or one row of them, a run."""
    slots = system.layout.inputs
    each = {
        n: np.asarray(x, dtype=float)
        for n, x in inputs.items()
        if n in slots
        and np.ndim(x) == (1 if slots[n].stop - slots[n].start == 1 else 2)
        and len(x) > 1
    }
    alike = {n: x for n, x in inputs.items() if n not in each}
    U = np.tile(arguments.input_values(system, alike)[1], (count, 1))
    for name, x in each.items():
        U[:, slots[name]] = x.reshape(count, -1)
    return U


def _states(system, found: Starts, t, keep, initial) -> None:
    """Coordinates and speeds: as named, or assembled run by run where there are loops."""
    nq, nv = system.nq, system.nv
    if not system.held:
        q, v = system.state({k: float(np.ravel(x)[0]) for k, x in initial.items()}, unit=False)
        found.Y[:, :nq], found.Y[:, nq : nq + nv] = q, v
        names = (*system.coordinates, *system.speeds)
        for name, x in initial.items():
            found.Y[:, names.index(name)] = x
        return
    known: dict = {}
    for i in range(len(found.Y)):
        named = {n: float(x[i]) if np.ndim(x) else float(x) for n, x in initial.items()}
        key = (tuple(named.values()), found.P[i].tobytes())
        if key not in known:
            values = dict(zip(system.parameters, found.P[i].tolist(), strict=True))
            try:
                known[key] = np.concatenate(initial_state(system, named, keep, t, values))
            except TorseurError as e:
                known[key] = str(e)
        if isinstance(known[key], str):
            found.failed[i] = known[key]
        else:
            found.Y[i, : nq + nv] = known[key]


@lru_cache(maxsize=64)
def edged(system) -> bool:
    """Whether coordinates of some joint fail somewhere."""
    K, q = Floats({}), system.neutral()
    return any(k.joint.edges(K, q[k.q]) for k in system.links)


def _on_edges(system, found: Starts) -> None:
    """Starts at which coordinates of a joint fail."""
    for i, (y, p) in enumerate(zip(found.Y, found.P.tolist(), strict=True)):
        on = edges(system, dict(zip(system.parameters, p, strict=True)), y[: system.nq], ON)
        if on:
            text = f"simulate: the start is singular: {'; '.join(on)}; {REMEDY}"
            found.failed.setdefault(i, text)


def _on_ends(system, kernels, found: Starts, t) -> None:
    """Starts at which rows of constraints fail, or that are behind a rigid stop."""
    nq, nv = system.nq, system.nv
    q, v, z = np.split(found.Y, [nq, nq + nv], axis=1)
    times = np.full(len(q), float(t))
    for i, text in enumerate(lost(system, kernels, times, q, v, z, found.M, found.U, found.P)):
        if text:
            found.failed.setdefault(i, text)


def _memories(system, found: Starts, t) -> None:
    """States and memory of elements, from what each sees at the start."""
    nq, nv = system.nq, system.nv

    def begin_at(own: slice) -> None:
        q, v, z = np.split(found.Y[own], [nq, nq + nv], axis=1)
        z[:], found.M[own] = begun(system, t, q, v, found.U[own], found.P[own])

    try:
        begin_at(slice(None))
    except TorseurError:
        for i in range(len(found.Y)):
            try:
                begin_at(slice(i, i + 1))
            except TorseurError as e:
                found.failed.setdefault(i, str(e))


def _touching(system, kernels, found: Starts, t) -> None:
    """Contacts closed or open, frictions stuck or sliding; what is approached strikes at once."""
    nq, nv = system.nq, system.nv
    for i in range(len(found.Y)):
        if i in found.failed:
            continue
        q, v, z = np.split(found.Y[i], [nq, nq + nv])
        try:
            after, states, memory = begin(
                system, kernels["jump"], t, q, v, z, found.M[i], found.U[i], found.P[i]
            )
        except TorseurError as e:
            found.failed[i] = str(e)
            continue
        told = jolt(system, v, after)
        if told:
            found.jolts[i] = told
        books = system.layout.books
        v[:], z[books], found.M[i] = after, states[books], memory
