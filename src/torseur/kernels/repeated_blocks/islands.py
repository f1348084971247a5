"""Kernels of many small mechanisms with contacts that do not meet (islands): loops over classes."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...compiler import Piece, PiecedProgram, Port, Turn, WorkSlots, read, read_calling
from ...quantities import PORTS, Scene, find, moment
from ...scalars import Called, Graph, vector
from ...system import Between, IslandKind
from .. import strategy
from ..tracing import evaluate_formula

OUTPUTS = {
    "flow": {"qdot": "q", "vdot": "v", "zdot": "z", "lam": "lam"},
    "guards": {"g": "guards"},
    "jump": {"v1": "v", "z1": "z", "m1": "m"},
    "project": {"q1": "q", "v1": "v"},
}
"""Kernels in pieces: their outputs, and the places whose numbers those are."""


def build_islands(system, name: str) -> PiecedProgram:
    """The kernel of a quantity: what each island does, one after the other."""
    at, memory = system.layout, WorkSlots()
    sizes = {x: 1 if x == "t" else len(getattr(at, x)) for x in PORTS}
    sizes |= {"k": 1, "d": 0} if name == "jump" else {}
    given = {x: memory.part(n) for x, n in sizes.items()}
    widths = {x: len(getattr(at, x)) for x in ("q", "v", "z", "m", "lam", "guards")}
    shown = {x: memory.part(widths[place]) for x, place in OUTPUTS[name].items()}
    steps: list[Any] = []
    if system.nq:
        n = system.nq
        steps.append(Turn(given["q"], n, memory.part(n), memory.part(n)))
    found = strategy.island_classes(system)
    assert found is not None
    cleared = [
        (shown[x] + at.books.start, 2)
        for x, place in OUTPUTS[name].items()
        if place == "z" and at.keeps_books
    ]
    if found.between and name != "project":
        given["tau"], z = memory.part(system.nv), memory.part(len(at.z))
        zdot = shown.get("zdot", z)
        cleared += [(given["tau"], system.nv), (zdot, len(at.z))]
        now = given
        if name == "jump":  # these see the speeds after it, which no force changes
            now = given | {"v": memory.part(system.nv)}
            early = shown | {"v1": now["v"]}
            steps += [_piece(system, kind, name, given, early, ("v1",)) for kind in found.kinds]
        steps += [_forces(system, x, now, zdot) for x in found.between]
    for kind in found.kinds:
        steps.append(_piece(system, kind, name, given, shown))
    if name == "jump":
        steps += [_kept(x, given["z"], shown["z1"]) for x in found.between if x.z]
    if name == "jump" and at.keeps_books:
        steps.append(_books(at, given["z"], shown["z1"]))
    return PiecedProgram(
        tuple(Port(x, () if x in ("t", "k") else (n,)) for x, n in sizes.items()),
        tuple(Port(x, (widths[place],)) for x, place in OUTPUTS[name].items()),
        given,
        shown,
        steps,
        memory.size,
        tuple(cleared),
    )


def _columns(system, kind: IslandKind, scene, columns, given) -> tuple[list, list, Any]:
    """Numbers that a kind reads with their slots, and its constants; the books are none of them."""
    books = [i for i, slot in enumerate(kind.slots["z"][0]) if slot < 0]
    members, whole = len(kind.constants), len(system.parameters)
    x, reads = [], []
    for port in PORTS:
        keep = [i for i in range(len(columns[port])) if not (port == "z" and i in books)]
        if port in "tup":
            keep = keep[:whole] if port == "p" else keep
            slots = np.tile(np.array(keep, dtype=np.int64), (members, 1))
        else:
            slots = kind.slots[port][:, keep]
        x += [columns[port][i] for i in keep]
        reads.append(given[port] + slots)
    return x, reads, scene["p"][whole:]


def _forces(system, x: Between, given, zdot: int) -> Piece:
    """What forces between islands of a kind add to efforts, and to rates of their own."""
    kind, K = x.kind, Graph()
    scene = Scene(kind.system, K, tuple(kind.system.parameters))
    columns = {port: scene[port] for port in PORTS}
    numbers, reads, c = _columns(system, kind, scene, columns, given)
    Q, rates = scene.motion.driven(moment(*(columns[p] for p in PORTS[:-1])), x.elements)
    books = [i for i, slot in enumerate(kind.slots["z"][0]) if slot < 0]
    slots = kind.slots["z"].copy()
    slots[:, books] = system.layout.books.start + np.arange(len(books))
    own = [*x.z, *books]
    y = [*Q, *rates[own]]
    writes = np.hstack([given["tau"] + kind.slots["v"], zdot + slots[:, own]])
    f = K.lib.Function("forces", [K.sx(vector(c)), K.sx(vector(numbers))],
                       [K.lib.densify(K.sx(vector(y)))], ["c", "x"], ["y"])  # fmt: skip
    every = tuple(range(len(y)))
    return Piece("forces", read(f), kind.constants, np.hstack(reads), writes, every)


def _kept(x: Between, z: int, z1: int) -> Piece:
    """States of forces between islands, which no event changes."""
    slots = x.kind.slots["z"][:, list(x.z)].reshape(-1, 1)
    return _copied(z + slots, z1 + slots)


def _piece(system, kind: IslandKind, name: str, given, shown, some=None) -> Piece:
    """What islands of a kind do: books start at zero there, and are added.

    `some` are the outputs that are wanted, if not all.
    """
    own, small = find(name), kind.system
    loops = strategy.has_large_islands(small)
    has_subroutines = name in strategy.SUBROUTINE_QUANTITIES or loops
    K = Called(loops=loops) if has_subroutines else Graph()
    scene = Scene(small, K, tuple(small.parameters))
    books = [i for i, slot in enumerate(kind.slots["z"][0]) if slot < 0]
    z = scene["z"].copy()
    z[books] = 0
    columns = {x: scene[x] for x in PORTS} | {"z": z}
    members, constants = len(kind.constants), kind.constants
    x, reads, c = _columns(system, kind, scene, columns, given)
    if pushed := "tau" in given:  # by forces between islands
        scene.motion.outside = scene["tau"]
        x, reads = [*x, *scene["tau"]], [*reads, given["tau"] + kind.slots["v"]]
    if name == "jump":
        k, marks = K.symbol("k"), K.symbols(f"g{i}" for i in range(kind.slots["guards"].shape[1]))
        ours, event = K.less(k, -0.5), K.select(K.less(k, -0.5), -1.0, 1e6)
        mine = K.select(ours, 1.0, 0.0)
        for j, mark in enumerate(marks):
            here = K.less((k - mark) * (k - mark), 0.25)
            event, mine = K.select(here, float(j), event), K.select(here, 1.0, mine)
        columns |= {"k": vector((event,)), "d": vector(())}
        x, c = [*x, k], np.concatenate([c, marks])
        constants = np.hstack([constants, kind.slots["guards"].astype(float)])
        reads.append(np.full((members, 1), given["k"]))
    held, idle = name != "project" or small.held or small.switched, (scene["q"], scene["v"])
    made = evaluate_formula(own, scene, [columns[port] for port in own.inputs]) if held else idle
    y, writes, marked = [], [], []
    for (port, place), values in zip(OUTPUTS[name].items(), made, strict=False):  # lam may be none
        if some and port not in some:
            continue
        if name == "jump" and not (pushed and place == "m"):  # others may let go at once
            old, on = columns[place], K.less(0.5, mine)
            values = [K.select(on, a, b) for a, b in zip(values, old, strict=True)]
        slots = kind.slots[place].copy()
        if place == "z":
            slots[:, books] = system.layout.books.start + np.arange(len(books))
        y += [*values]
        marked += [place == "z" and j in books for j in range(slots.shape[1])]
        writes.append(shown[port] + slots)
    columns_ = [K.sx(vector(c)), K.sx(vector(x))]
    f = K.functions(name, columns_, [K.lib.densify(K.sx(vector(y)))], ["c", "x"], ["y"])
    program = read_calling(f) if isinstance(f, tuple) else read(f)
    adds = tuple(j for j, own in enumerate(marked) if own)
    return Piece(name, program, constants, np.hstack(reads), np.hstack(writes), adds)


def _books(at, z: int, z1: int) -> Piece:
    """The two books of all islands, to which these have added."""
    slots = at.books.start + np.arange(2)[:, None]
    return _copied(z + slots, z1 + slots, adds=(0,))


def _copied(reads: np.ndarray, writes: np.ndarray, adds=()) -> Piece:
    """Numbers as they are."""
    K = Graph()
    x = K.symbol("x")
    f = K.lib.Function("copied", [K.lib.SX(0, 1), x.x], [x.x])
    return Piece("copied", read(f), np.zeros((len(reads), 0)), reads, writes, adds)
