"""Parts of a model that nothing but the world joins, and which of them are alike.  Theory: FL.8.

An island is moved by itself alone, but for forces between two of them.  Islands that differ in
names and numbers only are one kind: a small model whose differing numbers are declared parameters;
so are forces between islands, with the trees of both.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from .equivalence_classes import Unlike, grouped
from .system import System

PARTS = ("bodies", "joints", "loops", "frames", "forces", "rotors", "constraints")
TREE = ("bodies", "joints", "frames", "rotors")  # what a force between islands needs of them
SHARED: dict[str, Any] = {
    "initial": {},
    "simulation": {},
    "outputs": (),
    "source": {},
    "design": {},
}
WORD = re.compile(r"[A-Za-z_]\w*")
TWO = ("energy.dissipated", "energy.supplied")  # books of all islands together


def walked(x: Any, text: Callable[[str], Any], number: Callable[[float], Any]) -> Any:
    """A description with other texts and numbers; what stays as it is, is the same object."""
    if isinstance(x, str):
        return text(x)
    if isinstance(x, float):
        return number(x)
    if x is None or isinstance(x, bool | int | Fraction):
        return x
    if isinstance(x, tuple | list):
        new = [walked(e, text, number) for e in x]
        same = all(a is b for a, b in zip(x, new, strict=True))
        return x if same else type(x)(new) if type(x) in (tuple, list) else tuple(new)
    if isinstance(x, dict):
        named = {text(k): walked(v, text, number) for k, v in x.items()}
        same = all(a is b and x[a] is named[b] for a, b in zip(x, named, strict=True))
        return x if same else named
    if is_dataclass(x) and not isinstance(x, type):
        own = {f.name: getattr(x, f.name) for f in fields(x) if f.init}
        changed = {k: walked(v, text, number) for k, v in own.items()}
        changed = {k: v for k, v in changed.items() if v is not own[k]}
        return replace(x, **changed) if changed else x
    raise Unlike(f"a {type(x).__name__}")


@dataclass(frozen=True, eq=False)
class Island:
    """Parts of a model by field, and their names in order."""

    parts: dict[str, list[Any]]

    @property
    def names(self) -> list[str]:
        return list(dict.fromkeys(e.name for own in self.parts.values() for e in own))


def split(model: Any) -> tuple[list[Island], list[Island]]:
    """The islands of a model, and forces between them with their trees; names that are no plain
    words are refused."""
    parts = [(f, e) for f in PARTS for e in getattr(model, f) if not _fixed(f, e)]
    owner: dict[str, int] = {}
    group = list(range(len(parts)))

    def root(i: int) -> int:
        while group[i] != i:
            group[i] = i = group[group[i]]
        return i

    for i, (_, e) in enumerate(parts):
        if not WORD.fullmatch(e.name):
            raise Unlike(f"the name {e.name!r}")
        group[root(i)] = root(owner.setdefault(e.name, i))
    named = [{owner[w] for w in _words(e) if w in owner} - {i} for i, (_, e) in enumerate(parts)]
    forces = {i for i, (f, _) in enumerate(parts) if f == "forces"}
    known = set().union(*named) & forces  # others speak of them
    between = {i for i in forces - known if not named[i] & forces}
    for i in (i for i in range(len(parts)) if i not in between):
        for j in named[i]:
            group[root(i)] = root(j)
    joins: dict[int, list[int]] = {}
    for i in sorted(between):
        ends = sorted({root(j) for j in named[i]})
        if len(ends) > 1:
            joins[i] = ends
        elif ends:
            group[root(i)] = ends[0]
    found: dict[int, Island] = {}
    for i, (f, e) in enumerate(parts):
        if i not in joins:
            own = found.setdefault(root(i), Island({f: [] for f in PARTS}))
            own.parts[f].append(e)
    two = []
    for i, ends in joins.items():
        trees = {f: [e for k in ends for e in found[k].parts[f]] * (f in TREE) for f in PARTS}
        two.append(Island(trees | {"forces": [parts[i][1]]}))
    return list(found.values()), two


def _words(part: Any) -> list[str]:
    """Words in all texts of a part."""
    out: list[str] = []

    def text(x: str) -> str:
        out.extend(WORD.findall(x))
        return x

    walked(part, text, lambda x: x)
    return out


def _fixed(f: str, part: Any) -> bool:
    """Whether it is a frame of the world, which joins nothing."""
    return f == "frames" and part.body == "world"


def outline(island: Island) -> tuple[tuple, list[float]]:
    """What an island is apart from names and numbers that are not zero; these numbers."""
    at = {n: f"#{i}" for i, n in enumerate(island.names)}
    numbers: list[float] = []
    key: list[Any] = []

    def text(x: str) -> str:
        key.append(WORD.sub(lambda m: at.get(m[0], m[0]), x))
        return x

    def number(x: float) -> float:
        key.append(x != 0)
        numbers.append(x)
        return x

    for f, own in island.parts.items():
        key.append((f, len(own)))
        for e in own:
            walked(e, text, number)
            key.append(_shape(e))
    return tuple(key), numbers


def _shape(x: Any) -> Any:
    """Classes, sizes and whole numbers of a description."""
    if isinstance(x, str | float):
        return type(x)
    if isinstance(x, tuple | list):
        return tuple(map(_shape, x))
    if isinstance(x, dict):
        return tuple(map(_shape, x.values()))
    if is_dataclass(x):
        return (type(x), *(_shape(getattr(x, f.name)) for f in fields(x) if f.init))
    return x


@dataclass(frozen=True, eq=False)
class IslandKind:
    """Islands that are alike: the system of the first, its constants, and slots of all."""

    system: System
    names: tuple[str, ...]  # of parameters that differ
    constants: np.ndarray  # (members, names)
    slots: dict[str, np.ndarray]  # of each place, (members, numbers), in the whole; -1 for books


@dataclass(frozen=True, eq=False)
class Between:
    """Forces between islands that are alike: the kind of force and trees, and what is theirs."""

    kind: IslandKind
    elements: tuple[int, ...]  # of the kind's system
    z: tuple[int, ...]  # its numbers there that they change, without the two books of all


class Islands(NamedTuple):
    """Kinds of the islands of a system, and of the forces between them."""

    kinds: list[IslandKind]
    between: list[Between]


def island_kinds(system: System) -> Islands:
    """Every island of a system once, by kinds; `Unlike` where they are not seen as such."""
    alone, joining = split(system.model)
    if len(alone) < 2:
        raise Unlike("one island")
    own, two = (_kinds(system, x) for x in (alone, joining))
    between = [_between(kind, name) for kind, name in two]
    kinds = [kind for kind, _ in own]
    acting = sum(len(k.constants) * len(k.system.elements) for k in kinds)
    acting += sum(len(x.kind.constants) * len(x.elements) for x in between)
    if acting != len(system.elements):
        raise Unlike("forces that no island has alone")
    for place, entries in _places(system).items():
        slots = [kind.slots[place] for kind in kinds]
        slots += [x.kind.slots["z"][:, list(x.z)] for x in between if place == "z"]
        seen = Counter(i for own in slots for i in own.ravel().tolist() if i >= 0)
        wanted = {i for i, n in enumerate(entries) if n not in TWO}
        if seen.keys() != wanted or any(n > 1 for n in seen.values()):
            raise Unlike(f"numbers of {place} that no island has alone")
    return Islands(kinds, between)


def _kinds(system: System, own: list[Island]) -> list[tuple[IslandKind, list[str]]]:
    """Islands by kinds, each with the names of the forces of its first."""
    found = [outline(x) for x in own]
    return [
        (
            _kind(system, [own[i] for i in m], np.array([found[i][1] for i in m])),
            [e.name for e in own[m[0]].parts["forces"]],
        )
        for m in grouped(key for key, _ in found).values()
    ]


def _between(kind: IslandKind, names: list[str]) -> Between:
    at, elements = kind.system.layout, kind.system.elements
    own = [i for i, e in enumerate(elements) if e.name in names]
    if any(elements[i].m.start < elements[i].m.stop for i in own):
        raise Unlike("a force between islands that remembers")
    if any(g.owner in names for g in at.guards):
        raise Unlike("a force between islands with events")
    z = [j for i in own for j in range(elements[i].z.start, elements[i].z.stop)]
    z += [slot for i in own for _, slot in at.own_books.get(i, ())]
    return Between(kind, tuple(own), tuple(z))


def _places(system: System) -> dict[str, list]:
    at = system.layout
    names: dict[str, list] = {x: list(getattr(at, x).names) for x in ("q", "v", "z", "m", "lam")}
    return names | {"guards": [g.name for g in at.guards]}


def _kind(system: System, members: list[Island], table: np.ndarray) -> IslandKind:
    varied = np.flatnonzero((table != table[0]).any(axis=0)).tolist()
    named = {j: f"_c{k}_" for k, j in enumerate(varied)}
    count = iter(range(table.shape[1]))

    def number(x: float) -> Any:
        return named.get(next(count), x)

    parts: dict[str, Any] = {
        f: tuple(walked(e, lambda x: x, number) for e in own) for f, own in members[0].parts.items()
    }
    parts["frames"] += tuple(e for e in system.model.frames if _fixed("frames", e))
    values = {name: float(table[0, j]) for j, name in named.items()}
    known = dict(system.model.parameters) | values
    if tuple(known) != (*system.parameters, *values):
        raise Unlike("parameters of other names")
    small = replace(system.model, **parts, **SHARED, parameters=known).check()
    first = members[0].names
    slots: dict[str, np.ndarray] = {}
    for place, entries in _places(small).items():
        whole: dict[str, list[int]] = {}
        for i, n in enumerate(_places(system)[place]):
            whole.setdefault(n, []).append(i)
        rows = [_found(entries, whole, dict(zip(first, m.names, strict=True))) for m in members]
        slots[place] = np.array(rows, dtype=np.int64).reshape(len(members), -1)
    return IslandKind(small, tuple(values), table[:, varied], slots)


def _found(entries: Iterable[str], whole: dict[str, list[int]], to: dict[str, str]) -> list[int]:
    """Where numbers of an island are in the whole, by their names there."""
    used: Counter = Counter()
    out = []
    for n in entries:
        if n in TWO:
            out.append(-1)
            continue
        head = WORD.match(n)
        name = to.get(head[0], head[0]) + n[head.end() :] if head else n
        found = whole.get(name, [])
        if used[name] >= len(found):
            raise Unlike(f"{n!r} is not found as {name!r}")
        out.append(found[used[name]])
        used[name] += 1
    return out
