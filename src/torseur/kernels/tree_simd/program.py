"""Texts of stages that have lanes side by side: programs of arrays, and packs as they come."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...compiler import Pack, Picked, Program, Straight, read
from ...scalars import matrix, vector


def group_links(links, most: int) -> list[list]:
    """Neighbors with joints alike whose parents are behind them all: one step for them."""
    found: list[list] = []
    for k in links:
        last = found[-1] if found else []
        if (
            last
            and len(last) < most
            and k.joint == last[0].joint
            and k.joint.nv == 1
            and k.parent < last[0].index
            and bool(k.parent) == bool(last[0].parent)
        ):
            last.append(k)
        else:
            found.append([k])
    return found


def symbols(K, name: str, *shape: int) -> np.ndarray:
    return np.reshape(K.symbols([f"{name}{i}" for i in range(int(np.prod(shape)))]), shape)


def program(K, name: str, ins: Mapping[str, Any], outs: Mapping[str, Any]) -> Program:
    """Of arrays by name to arrays by name; those without a number are left out."""
    ins = {n: x for n, x in ins.items() if np.size(x)}
    columns = [
        [K.lib.densify(K.sx(vector(np.ravel(x)))) for x in side.values()] for side in (ins, outs)
    ]
    made = K.lib.Function(name, *columns, list(ins), list(outs))
    return read(made, {n: np.shape(x) for n, x in (*ins.items(), *outs.items())})


class Varying(NamedTuple):
    """Rows of numbers over lanes: as numbers where they are alike, else as symbols."""

    values: np.ndarray
    own: np.ndarray  # symbols of rows of constants
    rows: tuple
    given: np.ndarray  # symbols of rows that declared parameters change
    given_rows: tuple


def varying(K, name: str, rows) -> Varying:
    """Rows of numbers over lanes, some of which declared parameters may change."""
    plain: list[tuple[Any, tuple]] = []
    given: list[tuple[Any, tuple]] = []
    values: list[Any] = []
    for row in rows:
        known = all(isinstance(x, int | float) for x in row)
        numbers = tuple(map(float, row)) if known else tuple(row)
        if known and len({*numbers}) == 1:
            values.append(int(numbers[0]) if numbers[0].is_integer() else numbers[0])
            continue
        side, letter = (plain, name) if known else (given, f"{name}_")
        values.append(symbols(K, f"{letter}{len(side)}_", 1)[0])
        side.append((values[-1], numbers))
    (own, own_rows), (other, other_rows) = (
        (vector(x for x, _ in side), tuple(r for _, r in side)) for side in (plain, given)
    )
    return Varying(vector(values), own, own_rows, other, other_rows)


class Given:
    """Numbers of lanes that declared parameters change: one text makes all of them, first."""

    def __init__(self, K, p, wide: int):
        self.K, self.p, self.wide = K, p, wide
        self.arrays: dict[str, dict[tuple[int, int], Any]] = {}

    def put(self, name: str, rows, first: int = 0) -> None:
        """Rows of an array, from a lane on."""
        if rows:
            array = self.arrays.setdefault(name, {})
            array |= {(r, first + j): x for r, row in enumerate(rows) for j, x in enumerate(row)}

    def stage(self) -> Iterator[Straight]:
        outs = {}
        for name, found in self.arrays.items():
            made = matrix(((0,) * self.wide,) * (1 + max(r for r, _ in found)))
            for place, x in found.items():
                made[place] = x
            outs[name] = made
        if outs:
            yield Straight(program(self.K, "given", {"p": self.p}, outs))


class Weaver:
    """Packs of one stage, as they come."""

    def __init__(self, K):
        self.K = K
        self.packs: list[Pack] = []
        self.links: list[Sequence] = []  # of each pack
        self.lane: dict[tuple[str, int], tuple[int, int]] = {}

    def pack(self, what: str, links, ins: Mapping, outs: Mapping, **how) -> None:
        """`ins`: name to (symbols, source); `outs`: name to (numbers, array that keeps them)."""
        self.lane |= {(what, k.index): (len(self.packs), j) for j, k in enumerate(links)}
        first, spread = links[0].v.start, links[0].joint.nv
        self.add(what, links, first, len(links), ins, outs, spread=spread, **how)

    def add(self, what: str, links, first: int, count: int, ins: Mapping, outs: Mapping, **how):
        """The same of lanes that may be no links, but belong to these."""
        values = ({n: x for n, (x, _) in side.items()} for side in (ins, outs))
        sources = tuple(source for x, source in ins.values() if len(x))
        kept = tuple(array for _, array in outs.values())
        made = program(self.K, what, *values)
        self.links.append(links)
        self.packs.append(Pack(made, first, count, sources, kept, **how))

    def of(self, what: str, port: str, indices: Sequence[int | None]) -> Picked:
        """Numbers of a port of earlier packs, for these links."""
        return Picked(port, tuple(None if i is None else self.lane[what, i] for i in indices))
