"""Texts of stages that have lanes side by side: programs of arrays, and packs as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..compiler import Pack, Picked, Program, read
from ..numbers import vector


def runs(links, most: int) -> list[list]:
    """Neighbours with joints alike whose parents are behind them all: one step for them."""
    found: list[list] = []
    for k in links:
        last = found[-1] if found else []
        if (
            last
            and len(last) < most
            and k.joint == last[0].joint
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


def varying(K, name: str, rows) -> tuple[np.ndarray, np.ndarray, tuple]:
    """Rows of numbers over lanes: as numbers where they are alike, else as symbols; these, and
    their rows."""
    rows = [tuple(map(float, r)) for r in rows]
    vary = [r for r in rows if len(set(r)) > 1]
    port = iter(own := symbols(K, name, len(vary)))
    plain = (
        next(port) if len(set(r)) > 1 else int(r[0]) if r[0].is_integer() else r[0] for r in rows
    )
    return vector(plain), own, tuple(vary)


class Weaver:
    """Packs of one stage, as they come."""

    def __init__(self, K):
        self.K = K
        self.packs: list[Pack] = []
        self.lane: dict[tuple[str, int], tuple[int, int]] = {}

    def pack(self, what: str, links, ins: Mapping, outs: Mapping, **how) -> None:
        """`ins`: name to (symbols, source); `outs`: name to (numbers, array that keeps them)."""
        values = ({n: x for n, (x, _) in side.items()} for side in (ins, outs))
        self.lane |= {(what, k.index): (len(self.packs), j) for j, k in enumerate(links)}
        sources = tuple(source for x, source in ins.values() if len(x))
        kept = tuple(array for _, array in outs.values())
        made = program(self.K, what, *values)
        self.packs.append(Pack(made, links[0].v.start, len(links), sources, kept, **how))

    def of(self, what: str, port: str, indices: Sequence[int | None]) -> Picked:
        """Numbers of a port of earlier packs, for these links."""
        return Picked(port, tuple(None if i is None else self.lane[what, i] for i in indices))
