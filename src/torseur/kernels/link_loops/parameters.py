"""Numbers of links that parameters or the time make: computed once a call, before the loops."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...compiler import Program, read
from ...joints import TIME
from ...scalars import Node, symbols, vector


def names(joint) -> tuple[str, ...]:
    """What formulas of a joint take by name: parameters, and the time that moves its frame."""
    constants = joint.constants()
    own = symbols(vector(constants)) if len(constants) else ()
    return (*own, *[TIME] * joint.rheonomic)


def made(system) -> bool:
    """Whether some number of a link is made so."""
    numbers = (
        x
        for k in system.links
        for x in (
            *k.X_PF.R.ravel(),
            *k.X_PF.p,
            *k.inertia.parameters(),
            *k.armature,
            *k.joint.constants(),
        )
    )
    return system.rheonomic or bool(symbols(vector([*system.gravity, *numbers])))


class Makers(NamedTuple):
    """The symbols that numbers of links are made of: of the time, and of all parameters."""

    t: Any
    p: Any


class LinkNumbers:
    """A table of numbers, some of which a small program makes of the time and the parameters.

    Numbers that are made alike are computed once: a chain whose links all have the length `L` has
    one, and each link has a place that it goes to.
    """

    name = "numbers"

    def __init__(self, K, given: Makers):
        self.K, self.given = K, given
        self._known: dict[int, int] = {}
        self._nodes: list = []

    def place(self, x) -> int | None:
        """Which of the results of the program a number is; None for one that is known."""
        if not isinstance(x, Node) or x.x.is_constant():
            return None
        key = x.x.element_hash()  # SX keeps one of each node that is alike and alive
        if key not in self._known:
            self._known[key] = len(self._nodes)
            self._nodes.append(x)
        return self._known[key]

    def split(self, values) -> tuple[list[float], list[int]]:
        """A table of floats, zero where the program says; pairs of a place in it and a result."""
        table, fill = [], []
        for i, x in enumerate(values):
            at = self.place(x)
            table.append(0.0 if at is not None else float(x.x if isinstance(x, Node) else x))
            fill += [] if at is None else [i, at]
        return table, fill

    def __len__(self) -> int:
        return len(self._nodes)

    @property
    def program(self) -> Program:
        """From the time and the parameters to what differs."""
        K = self.K
        told = K.lib.densify(K.sx(vector(self._nodes)))
        own = [K.sx(vector(x)) for x in self.given]
        return read(K.lib.Function(self.name, own, [told]))


def flattened(rows, stride: int) -> Iterator:
    """Rows of several lengths, each filled up with zeros."""
    for row in rows:
        yield from row
        yield from [0.0] * (stride - len(row))
