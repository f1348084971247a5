"""Islands: parts of a model that only the world connects, and their classes.  FL.8.

Islands that differ in names and numbers only form a class. The class is a small model whose
differing numbers are declared parameters. Forces between islands form classes too, each with the
trees of both islands.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .equivalence_classes import NotEquivalent, grouped
from .system import System

MODEL_FIELDS = ("bodies", "joints", "loops", "frames", "forces", "rotors", "constraints")
TREE_FIELDS = ("bodies", "joints", "frames", "rotors")  # needed by forces between islands
EMPTY_FIELDS: dict[str, Any] = {
    "initial": {},
    "simulation": {},
    "outputs": (),
    "source": {},
    "design": {},
}
IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
TOTAL_ENERGIES = ("energy.dissipated", "energy.supplied")  # of all islands together


def map_description(x: Any, text: Callable[[str], Any], number: Callable[[float], Any]) -> Any:
    """Map the texts and numbers of a description.  Unchanged parts stay the same objects."""
    if isinstance(x, str):
        return text(x)
    if isinstance(x, float):
        return number(x)
    if x is None or isinstance(x, bool | int | Fraction):
        return x
    if isinstance(x, tuple | list):
        new = [map_description(e, text, number) for e in x]
        same = all(a is b for a, b in zip(x, new, strict=True))
        return x if same else type(x)(new) if type(x) in (tuple, list) else tuple(new)
    if isinstance(x, dict):
        mapped = {text(k): map_description(v, text, number) for k, v in x.items()}
        same = all(a is b and x[a] is mapped[b] for a, b in zip(x, mapped, strict=True))
        return x if same else mapped
    if is_dataclass(x) and not isinstance(x, type):
        values = {f.name: getattr(x, f.name) for f in fields(x) if f.init}
        changed = {k: map_description(v, text, number) for k, v in values.items()}
        changed = {k: v for k, v in changed.items() if v is not values[k]}
        return replace(x, **changed) if changed else x
    raise NotEquivalent(f"a {type(x).__name__}")


@dataclass(frozen=True, eq=False)
class Island:
    """Elements of one island by field of the model."""

    parts: dict[str, list[Any]]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(e.name for own in self.parts.values() for e in own))


def find_islands(model: Any) -> tuple[list[Island], list[Island]]:
    """Islands of a model (union-find over shared names), and forces between islands.

    Raises `NotEquivalent` for names that are no identifiers.
    """
    parts = [(f, e) for f in MODEL_FIELDS for e in getattr(model, f) if not _is_world_frame(f, e)]
    owner: dict[str, int] = {}
    group = list(range(len(parts)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = i = group[group[i]]
        return i

    for i, (_, e) in enumerate(parts):
        if not IDENTIFIER.fullmatch(e.name):
            raise NotEquivalent(f"the name {e.name!r}")
        group[root(i)] = root(owner.setdefault(e.name, i))
    neighbors = [
        {owner[w] for w in _identifiers(e) if w in owner} - {i} for i, (_, e) in enumerate(parts)
    ]
    forces = {i for i, (f, _) in enumerate(parts) if f == "forces"}
    referenced = set().union(*neighbors) & forces  # others speak of them
    coupling_forces = {i for i in forces - referenced if not neighbors[i] & forces}
    for i in (i for i in range(len(parts)) if i not in coupling_forces):
        for j in neighbors[i]:
            group[root(i)] = root(j)
    coupled: dict[int, list[int]] = {}
    for i in sorted(coupling_forces):
        ends = sorted({root(j) for j in neighbors[i]})
        if len(ends) > 1:
            coupled[i] = ends
        elif ends:
            group[root(i)] = ends[0]
    islands: dict[int, Island] = {}
    for i, (f, e) in enumerate(parts):
        if i not in coupled:
            island = islands.setdefault(root(i), Island({f: [] for f in MODEL_FIELDS}))
            island.parts[f].append(e)
    couplings = []
    for i, ends in coupled.items():
        trees = {
            f: [e for k in ends for e in islands[k].parts[f]] * (f in TREE_FIELDS)
            for f in MODEL_FIELDS
        }
        couplings.append(Island(trees | {"forces": [parts[i][1]]}))
    return list(islands.values()), couplings


def _identifiers(part: Any) -> list[str]:
    """Identifiers in all texts of an element."""
    out: list[str] = []

    def text(x: str) -> str:
        out.extend(IDENTIFIER.findall(x))
        return x

    map_description(part, text, lambda x: x)
    return out


def _is_world_frame(f: str, part: Any) -> bool:
    """Whether it is a frame of the world, which connects nothing."""
    return f == "frames" and part.body == "world"


def structure_key(island: Island) -> tuple[tuple, list[float]]:
    """Structure of an island without names and nonzero numbers, and these numbers."""
    indices = {n: f"#{i}" for i, n in enumerate(island.names)}
    numbers: list[float] = []
    key: list[Any] = []

    def text(x: str) -> str:
        key.append(IDENTIFIER.sub(lambda m: indices.get(m[0], m[0]), x))
        return x

    def number(x: float) -> float:
        key.append(x != 0)
        numbers.append(x)
        return x

    for f, own in island.parts.items():
        key.append((f, len(own)))
        for e in own:
            map_description(e, text, number)
            key.append(_structure(e))
    return tuple(key), numbers


def _structure(x: Any) -> Any:
    """Classes, sizes and integers of a description."""
    if isinstance(x, str | float):
        return type(x)
    if isinstance(x, tuple | list):
        return tuple(map(_structure, x))
    if isinstance(x, dict):
        return tuple(map(_structure, x.values()))
    if is_dataclass(x):
        return (type(x), *(_structure(getattr(x, f.name)) for f in fields(x) if f.init))
    return x


@dataclass(frozen=True, eq=False)
class IslandClass:
    """A class of islands: system of the first, constants of all, and their slots."""

    system: System
    names: tuple[str, ...]  # of parameters that differ
    constants: np.ndarray  # (members, names)
    slots: dict[str, np.ndarray]  # of each place, (members, numbers), in the whole; -1 for books


@dataclass(frozen=True, eq=False)
class IslandCoupling:
    """A class of forces between islands, with the trees of both."""

    kind: IslandClass
    elements: tuple[int, ...]  # of the kind's system
    z: tuple[int, ...]  # its numbers there that they change, without the two books of all


class Islands(NamedTuple):
    """Classes of the islands of a system, and of the forces between them."""

    kinds: list[IslandClass]
    between: list[IslandCoupling]


def classify_islands(system: System) -> Islands:
    """Classes of the islands of a system.

    Raises `NotEquivalent` where some number belongs to none.
    """
    islands, couplings = find_islands(system.model)
    if len(islands) < 2:
        raise NotEquivalent("one island")
    classes, coupling_classes = (_group_islands(system, x) for x in (islands, couplings))
    between = [_coupling(kind, name) for kind, name in coupling_classes]
    kinds = [kind for kind, _ in classes]
    element_count = sum(len(k.constants) * len(k.system.elements) for k in kinds)
    element_count += sum(len(x.kind.constants) * len(x.elements) for x in between)
    if element_count != len(system.elements):
        raise NotEquivalent("forces that no island has alone")
    for array, entries in _slot_names(system).items():
        slots = [kind.slots[array] for kind in kinds]
        slots += [x.kind.slots["z"][:, list(x.z)] for x in between if array == "z"]
        counts = Counter(i for own in slots for i in own.ravel().tolist() if i >= 0)
        expected = {i for i, n in enumerate(entries) if n not in TOTAL_ENERGIES}
        if counts.keys() != expected or any(n > 1 for n in counts.values()):
            raise NotEquivalent(f"numbers of {array} that no island has alone")
    return Islands(kinds, between)


def _group_islands(system: System, own: list[Island]) -> list[tuple[IslandClass, list[str]]]:
    """Classes of islands, each with the names of the forces of its first island."""
    found = [structure_key(x) for x in own]
    return [
        (
            _island_class(system, [own[i] for i in m], np.array([found[i][1] for i in m])),
            [e.name for e in own[m[0]].parts["forces"]],
        )
        for m in grouped(key for key, _ in found).values()
    ]


def _coupling(kind: IslandClass, names: list[str]) -> IslandCoupling:
    at, elements = kind.system.layout, kind.system.elements
    own = [i for i, e in enumerate(elements) if e.name in names]
    if any(elements[i].m.start < elements[i].m.stop for i in own):
        raise NotEquivalent("a force between islands that remembers")
    if any(g.owner in names for g in at.guards):
        raise NotEquivalent("a force between islands with events")
    z = [j for i in own for j in range(elements[i].z.start, elements[i].z.stop)]
    z += [slot for i in own for _, slot in at.element_energies.get(i, ())]
    return IslandCoupling(kind, tuple(own), tuple(z))


def _slot_names(system: System) -> dict[str, list]:
    at = system.layout
    names: dict[str, list] = {x: list(getattr(at, x).names) for x in ("q", "v", "z", "m", "lam")}
    return names | {"guards": [g.name for g in at.guards]}


def _island_class(system: System, members: list[Island], table: np.ndarray) -> IslandClass:
    differing = np.flatnonzero((table != table[0]).any(axis=0)).tolist()
    named = {j: f"_c{k}_" for k, j in enumerate(differing)}
    count = iter(range(table.shape[1]))

    def number(x: float) -> Any:
        return named.get(next(count), x)

    parts: dict[str, Any] = {
        f: tuple(map_description(e, lambda x: x, number) for e in own)
        for f, own in members[0].parts.items()
    }
    parts["frames"] += tuple(e for e in system.model.frames if _is_world_frame("frames", e))
    values = {name: float(table[0, j]) for j, name in named.items()}
    parameters = dict(system.model.parameters) | values
    if tuple(parameters) != (*system.parameters, *values):
        raise NotEquivalent("parameters of other names")
    representative = replace(system.model, **parts, **EMPTY_FIELDS, parameters=parameters).check()
    first = members[0].names
    slots: dict[str, np.ndarray] = {}
    for place, entries in _slot_names(representative).items():
        positions: dict[str, list[int]] = {}
        for i, n in enumerate(_slot_names(system)[place]):
            positions.setdefault(n, []).append(i)
        rows = [
            _slots_in_system(entries, positions, dict(zip(first, m.names, strict=True)))
            for m in members
        ]
        slots[place] = np.array(rows, dtype=np.int64).reshape(len(members), -1)
    return IslandClass(representative, tuple(values), table[:, differing], slots)


def _slots_in_system(
    entries: Iterable[str], whole: dict[str, list[int]], to: dict[str, str]
) -> list[int]:
    """Slots in the whole system of the numbers of an island, by name."""
    used: Counter = Counter()
    out = []
    for n in entries:
        if n in TOTAL_ENERGIES:
            out.append(-1)
            continue
        head = IDENTIFIER.match(n)
        name = to.get(head[0], head[0]) + n[head.end() :] if head else n
        found = whole.get(name, [])
        if used[name] >= len(found):
            raise NotEquivalent(f"{n!r} is not found as {name!r}")
        out.append(found[used[name]])
        used[name] += 1
    return out
