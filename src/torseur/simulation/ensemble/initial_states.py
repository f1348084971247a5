"""Initial states of many runs of one system: states, memories, parameters, inputs, start faults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from ...errors import TorseurError
from ...kernels import MotionKernels, begun
from ...solve import arguments, initial_state
from ...system import System
from ..run.contact_modes import (
    ContactState,
    list_start_faults,
    note_initial_impact,
    resolve_initial_contacts,
)
from ..run.diagnostics import (
    AT_SINGULARITY,
    SINGULARITY_REMEDY,
    has_singular_coordinates,
    list_singular_joints,
)


class InitialStates(NamedTuple):
    """States, memories, parameters and inputs at the start, one row a run."""

    Y: np.ndarray
    M: np.ndarray
    P: np.ndarray
    U: np.ndarray
    impacts: dict[int, str]  # sentences on runs whose speeds jump at the start
    failed: dict[int, str]  # why runs cannot start
    untouched: np.ndarray  # states before initial impacts

    def select(self, runs: slice) -> InitialStates:
        """The same of some runs, counted from the first of them."""

        def renumber(texts: dict[int, str]) -> dict[int, str]:
            return {i - runs.start: x for i, x in texts.items() if runs.start <= i < runs.stop}

        return InitialStates(
            self.Y[runs],
            self.M[runs],
            self.P[runs],
            self.U[runs],
            renumber(self.impacts),
            renumber(self.failed),
            self.untouched[runs],
        )


def compute_initial_states(
    system: System,
    kernels: MotionKernels,
    count: int,
    t: float,
    keep: Any,
    initial: Mapping[str, Any],
    parameters: Mapping[str, Any],
    inputs: Mapping[str, Any],
) -> InitialStates:
    """Initial states of `count` runs.  Mappings have one number for all runs, or one a run."""
    initial = system.spelt(initial)
    P, failed = arguments.parameter_rows(system, parameters, count)
    U = _input_rows(system, count, inputs)
    layout = system.layout
    Y = np.zeros((count, system.nq + system.nv + len(layout.z)))
    M = np.zeros((count, len(layout.m)))
    states = InitialStates(Y, M, P, U, {}, failed, Y)
    _assign_coordinates(system, states, t, keep, initial)
    for i in system.quaternions:
        size = np.linalg.norm(Y[:, i : i + 4], axis=1, keepdims=True)
        for k in np.flatnonzero(~(size > 0)):
            text = f"the quaternion {system.coordinates[i]!r} ... has no length"
            failed.setdefault(int(k), text)
        Y[:, i : i + 4] /= np.where(size > 0, size, 1.0)
    if has_singular_coordinates(system):
        _find_singular_starts(system, states)
    _initialize_laws(system, states, t)
    if layout.guards:
        _find_start_faults(system, kernels, states, t)
    if system.switched:
        states = states._replace(untouched=Y.copy())
        _apply_initial_impacts(system, kernels, states, t)
    return states


def _input_rows(system: System, count: int, inputs: Mapping[str, Any]) -> np.ndarray:
    """All inputs, one row a run.  An input may have one number, or one row of them, a run."""
    slots = system.layout.inputs
    columns = {
        n: np.asarray(x, dtype=float)
        for n, x in inputs.items()
        if n in slots
        and np.ndim(x) == (1 if slots[n].stop - slots[n].start == 1 else 2)
        and len(x) > 1
    }
    equal = {n: x for n, x in inputs.items() if n not in columns}
    U = np.tile(arguments.input_values(system, equal)[1], (count, 1))
    for name, x in columns.items():
        U[:, slots[name]] = x.reshape(count, -1)
    return U


def _assign_coordinates(
    system: System, states: InitialStates, t: float, keep: Any, initial: Mapping[str, Any]
) -> None:
    """Coordinates and speeds by name, or assembled run by run where there are constraints."""
    nq, nv, Y, P = system.nq, system.nv, states.Y, states.P
    if not system.held:
        q, v = system.state({k: float(np.ravel(x)[0]) for k, x in initial.items()}, unit=False)
        Y[:, :nq], Y[:, nq : nq + nv] = q, v
        names = (*system.coordinates, *system.speeds)
        for name, x in initial.items():
            Y[:, names.index(name)] = x
        return
    assembled: dict[tuple, Any] = {}  # states, or the text of an error
    for i in range(len(Y)):
        values = {n: float(x[i]) if np.ndim(x) else float(x) for n, x in initial.items()}
        key = (tuple(values.values()), P[i].tobytes())
        if key not in assembled:
            parameters = dict(zip(system.parameters, P[i].tolist(), strict=True))
            try:
                q, v = initial_state(system, values, keep, t, parameters)
                assembled[key] = np.concatenate([q, v])
            except TorseurError as e:
                assembled[key] = str(e)
        if isinstance(assembled[key], str):
            states.failed[i] = assembled[key]
        else:
            Y[i, : nq + nv] = assembled[key]


def _find_singular_starts(system: System, states: InitialStates) -> None:
    """Mark runs that start at a singularity of coordinates."""
    for i, (y, p) in enumerate(zip(states.Y, states.P.tolist(), strict=True)):
        parameters = dict(zip(system.parameters, p, strict=True))
        joints = list_singular_joints(system, parameters, y[: system.nq], AT_SINGULARITY)
        if joints:
            text = f"simulate: the start is singular: {'; '.join(joints)}; {SINGULARITY_REMEDY}"
            states.failed.setdefault(i, text)


def _find_start_faults(
    system: System, kernels: MotionKernels, states: InitialStates, t: float
) -> None:
    """Mark runs that start with lost constraint rows, or behind a rigid stop."""
    q, v, z = np.split(states.Y, [system.nq, system.nq + system.nv], axis=1)
    times = np.full(len(q), float(t))
    state = (times, q, v, z, states.M, states.U, states.P)
    for i, text in enumerate(list_start_faults(system, kernels, *state)):
        if text:
            states.failed.setdefault(i, text)


def _initialize_laws(system: System, states: InitialStates, t: float) -> None:
    """States and memories of laws, by the motion at the start."""

    def initialize(runs: slice) -> None:
        q, v, z = np.split(states.Y[runs], [system.nq, system.nq + system.nv], axis=1)
        z[:], states.M[runs] = begun(system, t, q, v, states.U[runs], states.P[runs])

    try:
        initialize(slice(None))
    except TorseurError:
        for i in range(len(states.Y)):
            try:
                initialize(slice(i, i + 1))
            except TorseurError as e:
                states.failed.setdefault(i, str(e))


def _apply_initial_impacts(
    system: System, kernels: MotionKernels, states: InitialStates, t: float
) -> None:
    """Contact modes at the start.  Contacts that are approached have their impact at once."""
    for i in range(len(states.Y)):
        if i in states.failed:
            continue
        q, v, z = np.split(states.Y[i], [system.nq, system.nq + system.nv])
        before = ContactState(q, v, z, states.M[i])
        try:
            after = resolve_initial_contacts(
                system, kernels["jump"], t, before, states.U[i], states.P[i]
            )
        except TorseurError as e:
            states.failed[i] = str(e)
            continue
        if note := note_initial_impact(system, v, after.v):
            states.impacts[i] = note
        books = system.layout.books
        v[:], z[books], states.M[i] = after.v, after.z[books], after.m
