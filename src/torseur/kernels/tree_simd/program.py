"""Programs of SIMD kernels over the tree: programs of arrays, and steps of links in lanes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ...compiler import Pack, PickedLanes, Program, Straight, read
from ...scalars import matrix, vector


def group_links(links, max_links: int) -> list[list]:
    """Groups of consecutive links with equal joints whose parents come before them all."""
    groups: list[list] = []
    for k in links:
        last = groups[-1] if groups else []
        if (
            last
            and len(last) < max_links
            and k.joint == last[0].joint
            and k.joint.nv == 1
            and k.parent < last[0].index
            and bool(k.parent) == bool(last[0].parent)
        ):
            last.append(k)
        else:
            groups.append([k])
    return groups


def symbol_array(K: Any, name: str, *shape: int) -> np.ndarray:
    return np.reshape(K.symbols([f"{name}{i}" for i in range(int(np.prod(shape)))]), shape)


def array_program(K: Any, name: str, ins: Mapping[str, Any], outs: Mapping[str, Any]) -> Program:
    """The program of arrays by name to arrays by name.  Empty arrays are left out."""
    ins = {n: x for n, x in ins.items() if np.size(x)}
    columns = [
        [K.lib.densify(K.sx(vector(np.ravel(x)))) for x in side.values()] for side in (ins, outs)
    ]
    function = K.lib.Function(name, *columns, list(ins), list(outs))
    return read(function, {n: np.shape(x) for n, x in (*ins.items(), *outs.items())})


class LaneTable(NamedTuple):
    """Rows of numbers over lanes: constants where all lanes are equal, else symbols."""

    values: np.ndarray
    constants: np.ndarray  # symbols of rows of constants
    constant_rows: tuple
    expressions: np.ndarray  # symbols of rows that declared parameters change
    expression_rows: tuple


def lane_table(K: Any, name: str, rows) -> LaneTable:
    """Table of rows of numbers over lanes.  Some may be expressions of declared parameters."""
    constants: list[tuple[Any, tuple]] = []
    expressions: list[tuple[Any, tuple]] = []
    values: list[Any] = []
    for row in rows:
        is_constant = all(isinstance(x, int | float) for x in row)
        numbers = tuple(map(float, row)) if is_constant else tuple(row)
        if is_constant and len({*numbers}) == 1:
            values.append(int(numbers[0]) if numbers[0].is_integer() else numbers[0])
            continue
        target, letter = (constants, name) if is_constant else (expressions, f"{name}_")
        values.append(symbol_array(K, f"{letter}{len(target)}_", 1)[0])
        target.append((values[-1], numbers))
    (symbols_of_constants, constant_rows), (symbols_of_expressions, expression_rows) = (
        (vector(x for x, _ in side), tuple(r for _, r in side)) for side in (constants, expressions)
    )
    return LaneTable(
        vector(values), symbols_of_constants, constant_rows, symbols_of_expressions, expression_rows
    )


class ParameterLanes:
    """Numbers of lanes that depend on declared parameters: one program computes all, first."""

    def __init__(self, K: Any, p, wide: int):
        self.K, self.p, self.width = K, p, wide
        self.arrays: dict[str, dict[tuple[int, int], Any]] = {}

    def store_rows(self, name: str, rows, first: int = 0) -> None:
        """Store rows of an array, from a lane on."""
        if rows:
            array = self.arrays.setdefault(name, {})
            array |= {(r, first + j): x for r, row in enumerate(rows) for j, x in enumerate(row)}

    def stages(self) -> Iterator[Straight]:
        """The stage that computes all arrays, if there are any."""
        outs = {}
        for name, entries in self.arrays.items():
            values = matrix(((0,) * self.width,) * (1 + max(r for r, _ in entries)))
            for index, x in entries.items():
                values[index] = x
            outs[name] = values
        if outs:
            yield Straight(array_program(self.K, "given", {"p": self.p}, outs))


class StepWriter:
    """Packs of one stage: steps of links in lanes, in their order."""

    def __init__(self, K: Any):
        self.K = K
        self.packs: list[Pack] = []
        self.links: list[Sequence] = []  # of each pack
        self.lane: dict[tuple[str, int], tuple[int, int]] = {}

    def append_links(self, name: str, links, ins: Mapping, outs: Mapping, **options) -> None:
        """`ins`: name to (symbols, source); `outs`: name to (numbers, array that keeps them)."""
        self.lane |= {(name, k.index): (len(self.packs), j) for j, k in enumerate(links)}
        first, spread = links[0].v.start, links[0].joint.nv
        self.append_lanes(name, links, first, len(links), ins, outs, spread=spread, **options)

    def append_lanes(
        self, name: str, links, first: int, count: int, ins: Mapping, outs: Mapping, **options
    ):
        """Append a step of lanes that belong to these links."""
        values = ({n: x for n, (x, _) in side.items()} for side in (ins, outs))
        sources = tuple(source for x, source in ins.values() if len(x))
        targets = tuple(array for _, array in outs.values())
        compiled = array_program(self.K, name, *values)
        self.links.append(links)
        self.packs.append(Pack(compiled, first, count, sources, targets, **options))

    def pick(self, name: str, port: str, indices: Sequence[int | None]) -> PickedLanes:
        """Numbers of a port of earlier steps, for these links."""
        return PickedLanes(port, tuple(None if i is None else self.lane[name, i] for i in indices))
