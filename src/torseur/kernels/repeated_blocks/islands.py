"""Kernels of many small mechanisms with contacts that do not meet (islands): loops over classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...compiler import (
    Piece,
    Port,
    RepeatedBlockProgram,
    SincosSlots,
    SlotAllocator,
    read,
    read_program_with_calls,
)
from ...quantities import PORTS, SymbolicSystem, find, moment
from ...scalars import Called, Graph, vector
from ...system import IslandClass, IslandCoupling
from .. import strategy
from ..tracing import evaluate_formula

if TYPE_CHECKING:
    from ...system import System

OUTPUT_ARRAYS = {
    "flow": {"qdot": "q", "vdot": "v", "zdot": "z", "lam": "lam"},
    "guards": {"g": "guards"},
    "jump": {"v1": "v", "z1": "z", "m1": "m"},
    "project": {"q1": "q", "v1": "v"},
}
"""Outputs of kernels, and the arrays of the layout that they belong to."""


def build_islands(system: System, name: str) -> RepeatedBlockProgram:
    """The kernel of a quantity: a loop over the islands of each class."""
    layout, memory = system.layout, SlotAllocator()
    sizes = {x: 1 if x == "t" else len(getattr(layout, x)) for x in PORTS}
    sizes |= {"k": 1, "d": 0} if name == "jump" else {}
    inputs = {x: memory.part(n) for x, n in sizes.items()}
    widths = {x: len(getattr(layout, x)) for x in ("q", "v", "z", "m", "lam", "guards")}
    outputs = {x: memory.part(widths[array]) for x, array in OUTPUT_ARRAYS[name].items()}
    steps: list[Any] = []
    if system.nq:
        n = system.nq
        steps.append(SincosSlots(inputs["q"], n, memory.part(n), memory.part(n)))
    classes = strategy.island_classes(system)
    assert classes is not None
    cleared = [
        (outputs[x] + layout.books.start, 2)
        for x, array in OUTPUT_ARRAYS[name].items()
        if array == "z" and layout.has_energies
    ]
    if classes.between and name != "project":
        inputs["tau"], z = memory.part(system.nv), memory.part(len(layout.z))
        zdot = outputs.get("zdot", z)
        cleared += [(inputs["tau"], system.nv), (zdot, len(layout.z))]
        state = inputs
        if name == "jump":  # these see the speeds after it, which no force changes
            state = inputs | {"v": memory.part(system.nv)}
            first_outputs = outputs | {"v1": state["v"]}
            steps += [
                _island_step(system, kind, name, inputs, first_outputs, ("v1",))
                for kind in classes.kinds
            ]
        steps += [_force_step(system, x, state, zdot) for x in classes.between]
    for kind in classes.kinds:
        steps.append(_island_step(system, kind, name, inputs, outputs))
    if name == "jump":
        steps += [_keep_states(x, inputs["z"], outputs["z1"]) for x in classes.between if x.z]
    if name == "jump" and layout.has_energies:
        steps.append(_add_energies(layout, inputs["z"], outputs["z1"]))
    return RepeatedBlockProgram(
        tuple(Port(x, () if x in ("t", "k") else (n,)) for x, n in sizes.items()),
        tuple(Port(x, (widths[array],)) for x, array in OUTPUT_ARRAYS[name].items()),
        inputs,
        outputs,
        steps,
        memory.size,
        tuple(cleared),
    )


def _read_columns(
    system: System, island: IslandClass, scene: SymbolicSystem, columns, inputs
) -> tuple[list, list, Any]:
    """Numbers that a class reads with their slots, and its constants, without energies."""
    energies = [i for i, slot in enumerate(island.slots["z"][0]) if slot < 0]
    members, parameter_count = len(island.constants), len(system.parameters)
    x, reads = [], []
    for port in PORTS:
        indices = [i for i in range(len(columns[port])) if not (port == "z" and i in energies)]
        if port in "tup":
            indices = indices[:parameter_count] if port == "p" else indices
            slots = np.tile(np.array(indices, dtype=np.int64), (members, 1))
        else:
            slots = island.slots[port][:, indices]
        x += [columns[port][i] for i in indices]
        reads.append(inputs[port] + slots)
    return x, reads, scene["p"][parameter_count:]


def _force_step(system: System, x: IslandCoupling, inputs, zdot: int) -> Piece:
    """Efforts of force elements between islands of a class, and rates of their states."""
    island, K = x.kind, Graph()
    scene = SymbolicSystem(island.system, K, tuple(island.system.parameters))
    columns = {port: scene[port] for port in PORTS}
    numbers, reads, c = _read_columns(system, island, scene, columns, inputs)
    Q, rates = scene.motion.driven(moment(*(columns[p] for p in PORTS[:-1])), x.elements)
    energies = [i for i, slot in enumerate(island.slots["z"][0]) if slot < 0]
    slots = island.slots["z"].copy()
    slots[:, energies] = system.layout.books.start + np.arange(len(energies))
    indices = [*x.z, *energies]
    y = [*Q, *rates[indices]]
    writes = np.hstack([inputs["tau"] + island.slots["v"], zdot + slots[:, indices]])
    f = K.lib.Function("forces", [K.sx(vector(c)), K.sx(vector(numbers))],
                       [K.lib.densify(K.sx(vector(y)))], ["c", "x"], ["y"])  # fmt: skip
    adds = tuple(range(len(y)))
    return Piece("forces", read(f), island.constants, np.hstack(reads), writes, adds)


def _keep_states(x: IslandCoupling, z: int, z1: int) -> Piece:
    """Copy the states of forces between islands, which no event changes."""
    slots = x.kind.slots["z"][:, list(x.z)].reshape(-1, 1)
    return _copy_step(z + slots, z1 + slots)


def _island_step(
    system: System, island: IslandClass, name: str, inputs, outputs, wanted=None
) -> Piece:
    """What islands of a kind do: books start at zero there, and are added.

    `wanted` are the outputs that are wanted, if not all.
    """
    quantity, island_system = find(name), island.system
    loops = strategy.has_large_islands(island_system)
    has_subroutines = name in strategy.SUBROUTINE_QUANTITIES or loops
    K = Called(loops=loops) if has_subroutines else Graph()
    scene = SymbolicSystem(island_system, K, tuple(island_system.parameters))
    energies = [i for i, slot in enumerate(island.slots["z"][0]) if slot < 0]
    z = scene["z"].copy()
    z[energies] = 0
    columns = {x: scene[x] for x in PORTS} | {"z": z}
    members, constants = len(island.constants), island.constants
    x, reads, c = _read_columns(system, island, scene, columns, inputs)
    if has_forces := "tau" in inputs:  # by forces between islands
        scene.motion.outside = scene["tau"]
        x, reads = [*x, *scene["tau"]], [*reads, inputs["tau"] + island.slots["v"]]
    if name == "jump":
        k, marks = K.symbol("k"), K.symbols(f"g{i}" for i in range(island.slots["guards"].shape[1]))
        is_first, event = K.less(k, -0.5), K.select(K.less(k, -0.5), -1.0, 1e6)
        is_own = K.select(is_first, 1.0, 0.0)
        for j, mark in enumerate(marks):
            is_event = K.less((k - mark) * (k - mark), 0.25)
            event, is_own = K.select(is_event, float(j), event), K.select(is_event, 1.0, is_own)
        columns |= {"k": vector((event,)), "d": vector(())}
        x, c = [*x, k], np.concatenate([c, marks])
        constants = np.hstack([constants, island.slots["guards"].astype(float)])
        reads.append(np.full((members, 1), inputs["k"]))
    has_rows, unchanged = (
        name != "project" or island_system.held or island_system.switched,
        (scene["q"], scene["v"]),
    )
    results = (
        evaluate_formula(quantity, scene, [columns[port] for port in quantity.inputs])
        if has_rows
        else unchanged
    )
    y, writes, is_energy = [], [], []
    # lam may be none
    for (port, array), values in zip(OUTPUT_ARRAYS[name].items(), results, strict=False):
        if wanted and port not in wanted:
            continue
        if name == "jump" and not (has_forces and array == "m"):  # others may let go at once
            before, on = columns[array], K.less(0.5, is_own)
            values = [K.select(on, a, b) for a, b in zip(values, before, strict=True)]
        slots = island.slots[array].copy()
        if array == "z":
            slots[:, energies] = system.layout.books.start + np.arange(len(energies))
        y += [*values]
        is_energy += [array == "z" and j in energies for j in range(slots.shape[1])]
        writes.append(outputs[port] + slots)
    columns_ = [K.sx(vector(c)), K.sx(vector(x))]
    f = K.functions(name, columns_, [K.lib.densify(K.sx(vector(y)))], ["c", "x"], ["y"])
    program = read_program_with_calls(f) if isinstance(f, tuple) else read(f)
    adds = tuple(j for j, quantity in enumerate(is_energy) if quantity)
    return Piece(name, program, constants, np.hstack(reads), np.hstack(writes), adds)


def _add_energies(layout, z: int, z1: int) -> Piece:
    """Add the accumulated energies of all islands."""
    slots = layout.books.start + np.arange(2)[:, None]
    return _copy_step(z + slots, z1 + slots, adds=(0,))


def _copy_step(reads: np.ndarray, writes: np.ndarray, adds=()) -> Piece:
    """Copy numbers."""
    K = Graph()
    x = K.symbol("x")
    f = K.lib.Function("copied", [K.lib.SX(0, 1), x.x], [x.x])
    return Piece("copied", read(f), np.zeros((len(reads), 0)), reads, writes, adds)
