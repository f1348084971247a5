"""Parts of a model that nothing but the world joins, and which of them are alike.  Theory: FL.8.

An island is moved by itself alone.  Islands that differ in names and numbers only are one kind: a
small model whose differing numbers are declared parameters.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from .core import System
from .kinds import Unlike, grouped

PARTS = ("bodies", "joints", "loops", "frames", "forces", "rotors", "constraints")
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


def split(model: Any) -> list[Island]:
    """The islands of a model; names that are no plain words are refused."""
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

    for i, (_, e) in enumerate(parts):
        for word in _words(e):
            if word in owner:
                group[root(i)] = root(owner[word])
    found: dict[int, Island] = {}
    for i, (f, e) in enumerate(parts):
        own = found.setdefault(root(i), Island({f: [] for f in PARTS}))
        own.parts[f].append(e)
    return list(found.values())


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


def island_kinds(system: System) -> list[IslandKind]:
    """Every island of a system once, by kinds; `Unlike` where they are not seen as such."""
    own = split(system.model)
    keys, numbers = zip(*map(outline, own), strict=True)
    kinds = [
        _kind(system, [own[i] for i in members], np.array([numbers[i] for i in members]))
        for members in grouped(keys).values()
    ]
    for place, entries in _places(system).items():
        seen = Counter(i for kind in kinds for i in kind.slots[place].ravel().tolist() if i >= 0)
        wanted = {i for i, n in enumerate(entries) if n not in TWO}
        if seen.keys() != wanted or any(n > 1 for n in seen.values()):
            raise Unlike(f"numbers of {place} that no island has alone")
    return kinds


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
